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
 * Online reconfiguration: the configuration as read last.  In the parent the
 * values follow each reconfiguration, so that a child that is forked later
 * starts with the running ones.
 */

#include "apr_hash.h"
#include "apr_lib.h"
#include "apr_strings.h"
#define APR_WANT_STDIO
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "ap_config_layout.h"
#include "httpd.h"
#include "http_config.h"
#include "http_core.h"
#include "http_log.h"
#include "http_main.h"
#include "ap_mpm.h"
#include "mpm_common.h"
#include "mpm_reconfigure.h"
#include "reconfigure_config.h"

#ifdef AP_HAVE_RECONFIGURE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#endif

/* we know core's module_index is 0 */
#undef APLOG_MODULE_INDEX
#define APLOG_MODULE_INDEX AP_CORE_MODULE_INDEX

APR_HOOK_STRUCT(
    APR_HOOK_LINK(reconfigure_publish)
)
AP_IMPLEMENT_HOOK_VOID(reconfigure_publish,
                       (server_rec *s, const ap_reconfigure_values_t *values),
                       (s, values))

static const char *file;                /* ReconfigureFile, or NULL */
static ap_reconfigure_values_t values;
static const char *refusal;             /* why the server can't be reconfigured
                                         * as it was configured, or NULL */
static reconfigure_check_e how_to_check = RECONFIGURE_CHECK_START;

void ap_reconfigure_pre_config(void)
{
    file = NULL;
    refusal = NULL;
    memset(&values, 0, sizeof(values));
}

#ifdef AP_HAVE_RECONFIGURE
static int able;                        /* AP_RECONFIGURE_BY_* */

/* A restart loads the modules anew */
static apr_status_t forget_able(void *dummy)
{
    able = 0;
    return APR_SUCCESS;
}

AP_DECLARE(void) ap_reconfigure_announce(apr_pool_t *p, int part)
{
    able |= part;
    apr_pool_cleanup_register(p, NULL, forget_able, apr_pool_cleanup_null);
}
#endif

const char *ap_reconfigure_refusal(void)
{
    return refusal;
}

AP_DECLARE(int) ap_reconfigure_enabled(void)
{
    return file != NULL;
}

const char *ap_reconfigure_file_name(void)
{
    return file;
}

void ap_reconfigure_set_check(reconfigure_check_e how)
{
    how_to_check = how;
}

AP_DECLARE(const ap_reconfigure_values_t *) ap_reconfigure_values(void)
{
    return &values;
}

ap_reconfigure_values_t *ap_reconfigure_running_values(void)
{
    return &values;
}

const char *ap_reconfigure_set_file(cmd_parms *cmd, void *dummy,
                                    const char *arg)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);

    if (err) {
        return err;
    }
    file = ap_server_root_relative(cmd->pool, arg);
    return file ? NULL : apr_pstrcat(cmd->pool, "invalid path ", arg, NULL);
}

AP_DECLARE(const char *) ap_reconfigure_declare(cmd_parms *cmd,
                                                const char *name,
                                                const char *value)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    apr_ssize_t len = APR_HASH_KEY_STRING;
    int n, i;

    if (err) {
        return err;
    }
    if ((err = ap_reconfigure_check_variable(name))) {
        return apr_psprintf(cmd->pool, "the name of the variable '%s' %s",
                            name, err);
    }
    n = ap_reconfigure_parse_number(value, strlen(value),
                                    AP_RECONFIGURE_MAX_VALUE);
    if (n < 0) {
        return apr_psprintf(cmd->pool, "%s must be an integer from 0 to %d, "
                            "not '%s'", name, AP_RECONFIGURE_MAX_VALUE, value);
    }
    /* The file of tunables says again what httpd.conf has declared */
    for (i = 0; i < values.count; ++i) {
        if (!strcmp(values.names[i], name)) {
            values.values[i] = n;
            return NULL;
        }
        if (!strcasecmp(values.names[i], name)) {
            return apr_psprintf(cmd->pool, "the variables %s and %s would be "
                                "the same", values.names[i], name);
        }
    }
    if (values.count == AP_RECONFIGURE_MAX_VARIABLES) {
        return apr_psprintf(cmd->pool, "there can be at most %d variables",
                            AP_RECONFIGURE_MAX_VARIABLES);
    }
    values.names_id = values.names_id * 31 + apr_hashfunc_default(name, &len);
    values.names[values.count] = name;
    values.values[values.count++] = n;
    return NULL;
}

void ap_reconfigure_set_limits(reconfigure_limits_t *limits)
{
    memset(limits, 0, sizeof(*limits));
    limits->nvariables = values.count;
    memcpy(limits->names, values.names, sizeof(limits->names));
}

#ifdef AP_HAVE_RECONFIGURE
const char *ap_reconfigure_check_mpm(apr_pool_t *p)
{
    const char *mpm = ap_show_mpm();

    if (able & AP_RECONFIGURE_BY_MPM) {
        return NULL;
    }
    if (strcmp(mpm, "worker") && strcmp(mpm, "event")) {
        return apr_psprintf(p, "the MPM %s can't be reconfigured online, only "
                            "worker and event can", mpm);
    }
    return apr_psprintf(p, "the MPM %s that is loaded can't be reconfigured "
                        "online, that of this httpd is %s/mod_mpm_%s.so", mpm,
                        DEFAULT_EXP_LIBEXECDIR, mpm);
}

static const char *check_file(apr_pool_t *p, int *is_content)
{
    reconfigure_limits_t limits;
    reconfigure_values_t found;
    const char *text, *err;
    apr_size_t size;

    ap_reconfigure_set_limits(&limits);
    err = ap_reconfigure_read(p, file, geteuid(), &text, &size);
    if (!err) {
        err = ap_reconfigure_parse(p, file, text, size, &limits, &found);
        *is_content = (err != NULL);
    }
    return err;
}
#endif

#ifdef AP_HAVE_RECONFIGURE
static const char *find_refusal(apr_pool_t *pconf, int *is_content)
{
    const char *err = ap_reconfigure_check_mpm(pconf);

    if (!err && !file) {
        err = "there is no ReconfigureFile in the configuration";
    }
    return err ? err : check_file(pconf, is_content);
}

/* To the terminal when the configuration is read for the first time, or tested;
 * to the error log when that is open.  The server runs, as it is configured. */
static void report(int startup, server_rec *s)
{
    if (file && refusal) {
        ap_log_error(APLOG_MARK, APLOG_WARNING | startup, 0, s, APLOGNO(12001)
                     "ReconfigureFile: %s; the server can't be reconfigured "
                     "online until that is set right", refusal);
    }
    if (file && !(able & AP_RECONFIGURE_BY_STATUS)
        && ap_find_linked_module("mod_status.c")) {
        ap_log_error(APLOG_MARK, APLOG_WARNING | startup, 0, s, APLOGNO(12007)
                     "the mod_status that is loaded counts withheld workers "
                     "as idle, that of this httpd is %s/mod_status.so",
                     DEFAULT_EXP_LIBEXECDIR);
    }
}

static int is_startup(void)
{
    return ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG;
}

static int is_test(void)
{
    return how_to_check == RECONFIGURE_CHECK_RESTART
           || ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_CONFIG_TEST;
}
#endif

int ap_reconfigure_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                apr_pool_t *ptemp, server_rec *s)
{
    values.start = (apr_uint32_t)apr_time_sec(apr_time_now());
#ifdef AP_HAVE_RECONFIGURE
    if (how_to_check != RECONFIGURE_CHECK_NOT) {
        int is_content = 0;

        refusal = find_refusal(pconf, &is_content);
        if (is_startup() && is_content && is_test()) {
            ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_ERR, 0, NULL,
                         APLOGNO(12001) "ReconfigureFile: %s", refusal);
            return !OK;
        }
        if (is_startup()) {
            report(APLOG_STARTUP, NULL);
        }
    }
#endif
    return OK;
}

int ap_reconfigure_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                            apr_pool_t *ptemp, server_rec *s)
{
#ifdef AP_HAVE_RECONFIGURE
    if (!is_startup()) {
        report(0, s);
    }
#endif
    return OK;
}

#ifdef AP_HAVE_RECONFIGURE
/*****************************************************************
 * httpd -k reconfigure [NAME=value ...]: finds out of the configuration whom
 * and what it is about, and lets support/htreconfigure do it.
 */

#define PROGRAM "/htreconfigure"
#define FORCE "--force"
#define HELP "--help"

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

/* Beside the httpd that was called, if that was by its path: both may have been
 * moved since they were installed.  Else where they were to be installed. */
static const char *find_program(process_rec *process)
{
    const char *httpd = process->argv[0], *program;
    const char *slash = ap_strrchr_c(httpd, '/');

    if (slash) {
        program = apr_pstrcat(process->pool,
                              apr_pstrmemdup(process->pool, httpd,
                                             slash - httpd), PROGRAM, NULL);
        if (access(program, X_OK) == 0) {
            return program;
        }
    }
    return DEFAULT_EXP_SBINDIR PROGRAM;
}

/* What the program says itself needs no configuration */
static void run_help(process_rec *process)
{
    const char *program = find_program(process);
    const char *argv[] = { program, HELP, NULL };
    char errbuf[120];

    execv(program, (char *const *)argv);
    fprintf(stderr, "httpd: %s can't be run: %s\n", program,
            apr_strerror(errno, errbuf, sizeof(errbuf)));
    exit(1);
}

void ap_reconfigure_command(process_rec *process, int argc,
                            const char *const *argv)
{
    int i;

    for (i = 0; i < argc; ++i) {
        if (!strcmp(argv[i], HELP)) {
            run_help(process);
        }
    }
    assignments = argc;
    assignment = argv;
    ap_reconfigure_set_check(RECONFIGURE_CHECK_NOT); /* not twice */
    /* What the MPM has to warn of in the file is going to be refused, in one
     * line, by the running server's bounds */
    ap_default_loglevel = APLOG_ERR;
    begin_capture();
}

/* The only option that is handed on */
static int is_force(const char *word)
{
    return !strcmp(word, FORCE);
}

int ap_reconfigure_run_command(apr_pool_t *p)
{
    const char *program = find_program(ap_server_conf->process);
    const char **argv = apr_pcalloc(p, (assignments + 10) * sizeof(char *));
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

#else
AP_DECLARE(int) ap_reconfigure_withheld(int slot)
{
    return 0;
}

AP_DECLARE(int) ap_reconfigure_status(ap_reconfigure_status_t *status)
{
    return 0;
}
#endif
