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

#include "apr_lib.h"
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
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRAM "/htreconfigure"
#define FORCE "--force"

static int assignments;
static const char *const *assignment;

/* While the configuration is read, what it has to say is kept: if that is why
 * there is no command, it is to be said in one line */
static int terminal = -1;           /* stderr meanwhile */
static int said = -1;               /* where that can be read */

static apr_size_t end_capture(char *buf, apr_size_t size)
{
    ssize_t len = 0, n = 1;

    if (terminal < 0) {
        return 0;
    }
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    terminal = -1;
    while (n > 0 && (apr_size_t)len < size) {
        n = read(said, buf + len, size - len);
        len += n > 0 ? n : 0;
    }
    close(said);
    return len;
}

/* At the exit of a process that didn't become htreconfigure */
static void tell_why(void)
{
    char buf[2000];
    apr_size_t len = end_capture(buf, sizeof(buf)), i;

    while (len > 0 && apr_isspace(buf[len - 1])) {
        --len;
    }
    if (len == 0) {
        return;
    }
    if (len > 6 && !strncmp(buf, "Usage:", 6)) {
        fprintf(stderr, "%.*s\n", (int)len, buf);
        return;
    }
    for (i = 0; i < len; ++i) {
        buf[i] = apr_isspace(buf[i]) ? ' ' : apr_isprint(buf[i]) ? buf[i] : '?';
    }
    fprintf(stderr, "httpd: reconfigure refused: %.*s; nothing was changed\n",
            (int)len, buf);
}

static void begin_capture(void)
{
    int fds[2];

    /* (a pipe that is full loses the rest) */
    if (pipe(fds) == 0) {
        if (fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0
            && fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0
            && (terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) >= 0) {
            said = fds[0];
            dup2(fds[1], STDERR_FILENO);
            atexit(tell_why);
        }
        else {
            close(fds[0]);
        }
        close(fds[1]);
    }
}

void ap_reconfigure_command(int argc, const char *const *argv)
{
    assignments = argc;
    assignment = argv;
    ap_reconfigure_set_check(RECONFIGURE_CHECK_NOT); /* not twice */
    /* What the MPM has to warn of in the file is going to be refused, in one
     * line, by the running server's bounds */
    ap_default_loglevel = APLOG_ERR;
    begin_capture();
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
    const char *err = ap_reconfigure_check_mpm(p);
    char said_so_far[2000];
    apr_size_t len = end_capture(said_so_far, sizeof(said_so_far));
    int n = 0, i;

    fwrite(said_so_far, 1, len, stderr);
    if (err) {
        fprintf(stderr, "httpd: reconfigure refused: %s; nothing was "
                "changed\n", err);
        return 1;
    }
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
