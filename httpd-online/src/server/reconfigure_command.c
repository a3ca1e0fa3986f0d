/* Licensed to the Apache Software Foundation (ASF) under one or more
 * contributor license agreements.  See the NOTICE file distributed with
 * this work for additional information regarding copyright ownership.
 * The ASF licenses this file to You under the Apache License, Version 2.0
 * (the "License"); you may not use this file except in compliance with
 * the License.  You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */


/*
 * httpd -k reconfigure [NAME=value ...]: finds out of the configuration whom
 * and what it is about, and lets support/htreconfigure do it.
 */

#include "ap_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_strings.h"
#define APR_WANT_STDIO
#define APR_WANT_STRFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "ap_config_layout.h"
#include "http_config.h"
#include "http_log.h"
#include "http_main.h"
#include "mpm_common.h"
#include "reconfigure_command.h"
#include "reconfigure_config.h"

#include <errno.h>
#include <unistd.h>

#define PROGRAM "/htreconfigure"
#define FORCE "--force"

static int assignments;
static const char *const *assignment;

void ap_reconfigure_command(int argc, const char *const *argv)
{
    assignments = argc;
    assignment = argv;
    ap_reconfigure_dont_check(); /* not twice */
    /* What the MPM has to warn of in the file is going to be refused, in one
     * line, by the running server's bounds */
    ap_default_loglevel = APLOG_CRIT;
}

/* Beside the httpd that was called, if that was by its path: both may have been
 * moved since they were installed.  Else where they were to be installed. */
static const char *find_program(apr_pool_t *p)
{
    const char *httpd = ap_server_conf->process->argv[0], *program;
    const char *slash = ap_strrchr_c(httpd, '/');

    if (slash) {
        program = apr_pstrcat(p, apr_pstrmemdup(p, httpd, slash - httpd),
                              PROGRAM, NULL);
        if (access(program, X_OK) == 0) {
            return program;
        }
    }
    return DEFAULT_EXP_SBINDIR PROGRAM;
}

/* The only option that is handed on */
static int is_force(const char *word)
{
    return !strcmp(word, FORCE);
}

int ap_reconfigure_run_command(apr_pool_t *p)
{
    const char *program = find_program(p);
    const char **argv = apr_pcalloc(p, (assignments + 10) * sizeof(char *));
    const char *file = ap_reconfigure_file_name();
    char errbuf[120];
    int n = 0, i;

    argv[n++] = "httpd"; /* in whose name it speaks */
    argv[n++] = "-d";
    argv[n++] = ap_server_root;
    argv[n++] = "-p";
    argv[n++] = ap_pid_fname;
    argv[n++] = "-f";
    argv[n++] = file ? file : "";
    for (i = 0; i < assignments; ++i) {
        if (is_force(assignment[i])) {
            argv[n++] = FORCE;
            break;
        }
    }
    argv[n++] = "--";
    for (i = 0; i < assignments; ++i) {
        if (!is_force(assignment[i])) {
            argv[n++] = assignment[i];
        }
    }
    execv(program, (char *const *)argv);
    fprintf(stderr, "httpd: reconfigure refused: %s can't be run: %s; nothing "
            "was changed\n", program,
            apr_strerror(errno, errbuf, sizeof(errbuf)));
    return 1;
}

#endif /* AP_HAVE_RECONFIGURE */
