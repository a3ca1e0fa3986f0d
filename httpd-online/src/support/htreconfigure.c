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
 * htreconfigure: changes values of a running httpd.  Checks, writes the file
 * of tunables, signals the server, waits for it and tells.
 *
 * httpd -k reconfigure is this program with the names that the configuration
 * says; it needs no configuration itself.
 */

#include "apr_file_io.h"
#include "apr_general.h"
#include "apr_getopt.h"
#include "apr_lib.h"
#include "apr_strings.h"
#include "apr_time.h"
#define APR_WANT_STDIO
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "htreconfigure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMAND_TIMEOUT  apr_time_from_sec(10)
#define SIGNAL_AGAIN     apr_time_from_msec(50)
#define STATE_POLL       apr_time_from_msec(2)

#define FORCE 256   /* options without a letter */
#define HELP  257

typedef struct {
    apr_pool_t *p;
    const char *root;               /* ServerRoot; NULL: names are whole */
    const char *pid_file;           /* PidFile */
    const char *file;               /* ReconfigureFile; empty: there is none,
                                     * NULL: what the server says */
    int fd;                         /* of the state file */
    pid_t pid;
    uid_t server;                   /* whom the server belongs to */
    reconfigure_state_t before, after;
    reconfigure_limits_t limits;
    reconfigure_values_t values;    /* what the file says */
    int accepted;                   /* is that what the server runs with? */
    int refused;                    /* has the server said no? */
    int forced;                     /* --force: even if workers are held */
    int changed;                    /* does the file hold something new? */
} command_t;

/* The signal that asks to give up, or 0 */
static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
    interrupted = sig;
}

/* From now on a signal does not end the process, but has it put back what it
 * has written */
static void catch_signals(void)
{
    static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    struct sigaction sa;
    int i;

    memset(&sa, 0, sizeof(sa));
    sa.sa_handler = interrupt;
    sa.sa_flags = SA_RESTART;
    sigemptyset(&sa.sa_mask);
    for (i = 0; i < 4; ++i) {
        struct sigaction old;

        if (sigaction(signals[i], NULL, &old) == 0
            && old.sa_handler != SIG_IGN) {
            sigaction(signals[i], &sa, NULL);
        }
    }
}

/* Short for a directive, on the command line: the names of the paper from which
 * this comes.  A ReconfigureVariable of the same name comes first. */
static const char *short_name(const char *name)
{
    return !strcmp(name, "MXC") ? "MaxRequestWorkers"
        : !strcmp(name, "KAT") ? "KeepAliveTimeout" : NULL;
}

/* NAME=value on the command line; the value is checked with the whole file */
static const char *parse_assignments(const command_t *c, int argc,
                                     const char *const *argv,
                                     apr_array_header_t *pairs)
{
    int i, j;

    for (i = 0; i < argc; ++i) {
        const char *eq = memchr(argv[i], '=', strlen(argv[i]));
        const char *name, *known = NULL;
        assignment_t *pair;

        if (!eq || eq == argv[i] || !eq[1] || strpbrk(eq, " \t\r\n\\")) {
            return apr_psprintf(c->p, "'%s' is not of the form NAME=value",
                                ap_reconfigure_show(c->p, argv[i],
                                                    strlen(argv[i])));
        }
        name = apr_pstrmemdup(c->p, argv[i], eq - argv[i]);
        known = ap_reconfigure_directive_name(name);
        if (known && !strcmp(known, "ReconfigureVariable")) {
            known = NULL;
        }
        for (j = 0; !known && j < c->limits.nvariables; ++j) {
            if (!strcmp(c->limits.names[j], name)) {
                known = name;
            }
        }
        if (!known && !(known = short_name(name))) {
            return apr_psprintf(c->p, "%s is neither MaxRequestWorkers (MXC) "
                                "nor KeepAliveTimeout (KAT) nor a "
                                "ReconfigureVariable of the running server",
                                ap_reconfigure_show(c->p, name, strlen(name)));
        }
        for (j = 0; j < pairs->nelts; ++j) {
            if (!strcmp(APR_ARRAY_IDX(pairs, j, assignment_t).name,
                        known)) {
                return apr_psprintf(c->p, "%s is given twice", known);
            }
        }
        pair = apr_array_push(pairs);
        pair->name = known;
        pair->value = eq + 1;
    }
    return NULL;
}

/* Has the server all values of the file? */
static int is_applied(const command_t *c)
{
    int i;

    if ((c->values.max_workers >= 0
         && c->values.max_workers != (int)c->after.max_workers)
        || (c->values.keep_alive_timeout_ms >= 0
            && c->values.keep_alive_timeout_ms
               != (int)c->after.keep_alive_timeout_ms)) {
        return 0;
    }
    for (i = 0; i < c->after.nvariables && i < c->limits.nvariables; ++i) {
        if (c->values.variables[i] >= 0
            && c->values.variables[i] != (int)c->after.variables[i].value) {
            return 0;
        }
    }
    return 1;
}

/* Signal the server until it has done it. A signal may come at a moment when
 * the server sleeps on for a second, hence more than one: it does no harm. */
static const char *signal_and_wait(command_t *c)
{
    apr_time_t start = apr_time_now(), now = start, signalled = 0;
    apr_uint32_t seen = c->before.handled;

    for (;;) {
        const char *err = server_read(c->fd, &c->after);

        if (err) {
            return err;
        }
        if (c->after.handled != seen) {
            seen = c->after.handled;
            if (c->after.refused) {
                c->refused = 1;
                return apr_pstrdup(c->p, c->after.message);
            }
            c->accepted = is_applied(c);
            signalled = now;
        }
        if (c->accepted && !c->after.pending) {
            return NULL;
        }
        if (interrupted && !c->accepted) {
            return apr_psprintf(c->p, "the command was ended by signal %d",
                                (int)interrupted);
        }
        if (interrupted || now - start > COMMAND_TIMEOUT) {
            return !c->accepted
                ? "the server does not answer"
                : apr_psprintf(c->p, "%u of %d children have not acknowledged "
                               "the change, the server will go on to remind "
                               "them", c->after.pending, c->after.children);
        }
        if (!c->accepted && now - signalled > SIGNAL_AGAIN) {
            if (server_signal(c->fd, c->pid) < 0) {
                return "the server can't be signalled, are you root?";
            }
            signalled = now;
        }
        apr_sleep(STATE_POLL);
        now = apr_time_now();
    }
}

static void print_values(const command_t *c, apr_interval_time_t took)
{
    const reconfigure_state_t *b = &c->before, *a = &c->after;
    int i;

    printf("MaxRequestWorkers: %u -> %u\n", b->max_workers, a->max_workers);
    printf("KeepAliveTimeout: %ums -> %ums\n", b->keep_alive_timeout_ms,
           a->keep_alive_timeout_ms);
    for (i = 0; i < a->nvariables && i < b->nvariables; ++i) {
        printf("%s: %u -> %u\n", a->variables[i].name, b->variables[i].value,
               a->variables[i].value);
    }
    if (a->owed) {
        printf("OwedWorkers: %u, busy with what they had, beyond the new limit "
               "until they have finished\n", a->owed);
    }
    printf("reconfigured: %d children acknowledged in %d ms\n", a->children,
           (int)apr_time_as_msec(took));
}

static const char *in_root(const command_t *c, const char *name)
{
    return *name == '/' || !c->root ? name
        : apr_pstrcat(c->p, c->root, "/", name, NULL);
}

/* 0 if there is none */
static pid_t read_pid(apr_pool_t *p, const char *fname)
{
    char buf[64];
    apr_size_t len = sizeof(buf) - 1;
    apr_file_t *f;
    long pid;

    if (apr_file_open(&f, fname, APR_READ, APR_OS_DEFAULT, p) != APR_SUCCESS) {
        return 0;
    }
    if (apr_file_read(f, buf, &len) != APR_SUCCESS) {
        len = 0;
    }
    apr_file_close(f);
    buf[len] = '\0';
    pid = strtol(buf, NULL, 10);
    return apr_isdigit(*buf) && pid > 0 && pid == (pid_t)pid ? (pid_t)pid : 0;
}

static const char *find_server(command_t *c)
{
    const char *err;
    int i;

    if (c->file && !*c->file) {
        return "there is no ReconfigureFile in the configuration";
    }
    if (!(c->pid = read_pid(c->p, in_root(c, c->pid_file)))) {
        return apr_psprintf(c->p, "no server is running (no valid pid file %s)",
                            c->pid_file);
    }
    if (kill(c->pid, 0) < 0 && errno == ESRCH) {
        return apr_psprintf(c->p, "no server is running (process %"
                            APR_PID_T_FMT " of the pid file %s does not exist)",
                            c->pid, c->pid_file);
    }
    err = server_open(c->p, apr_pstrcat(c->p, in_root(c, c->pid_file),
                                        RECONFIGURE_STATE_SUFFIX, NULL),
                      c->pid, &c->fd, &c->server);
    if (err) {
        return err;
    }
    if (!server_lock(c->fd, COMMAND_TIMEOUT)) {
        return "another command is reconfiguring the server";
    }
    if (c->forced
        && ap_reconfigure_state_try_lock(c->fd, F_SETLK, RECONFIGURE_FORCE_BYTE,
                                         NULL) < 0) {
        return "the server's state file can't be locked";
    }
    if ((err = server_read(c->fd, &c->before))) {
        return err;
    }
    if (!c->file) {
        c->file = c->before.file;
    }
    if (*c->before.file && strcmp(c->before.file, c->file)) {
        return apr_psprintf(c->p, "the running server's ReconfigureFile is %s, "
                            "and the configuration says %s now",
                            c->before.file, c->file);
    }
    c->limits.threads_per_child = c->before.threads_per_child;
    c->limits.server_limit = c->before.server_limit;
    c->limits.children = c->before.children;
    c->limits.nvariables = c->before.nvariables;
    for (i = 0; i < c->before.nvariables; ++i) {
        c->limits.names[i] = c->before.variables[i].name;
    }
    return NULL;
}

/* The file should say what is running: put the old text in the place of the
 * one that this command wrote. What somebody else wrote meanwhile stays. */
static const char *restore_file(command_t *c, const char *text, apr_size_t len,
                                const char *old, apr_size_t oldlen)
{
    const char *now, *err;
    apr_size_t nowlen;

    err = ap_reconfigure_read(c->p, c->file, c->server, &now, &nowlen);
    if (!err && (nowlen != len || memcmp(now, text, len))) {
        err = apr_psprintf(c->p, "%s was changed by somebody else meanwhile "
                           "and is left as it is", c->file);
    }
    if (!err) {
        err = htreconfigure_replace(c->p, c->file, old, oldlen);
    }
    c->changed = (err != NULL);
    return err;
}

/* What can be refused is refused before the file is written, but for what only
 * the server can know */
static const char *do_reconfigure(command_t *c, int argc,
                                  const char *const *argv)
{
    apr_array_header_t *pairs = apr_array_make(c->p, 4,
                                           sizeof(assignment_t));
    const char *old, *text, *err = find_server(c);
    apr_size_t oldlen, len;

    /* (the links stay; what they lead to is replaced) */
    if (err || (err = parse_assignments(c, argc, argv, pairs))
        || (err = ap_reconfigure_resolve(c->p, &c->file, c->server))
        || (err = ap_reconfigure_read(c->p, c->file, c->server, &old,
                                      &oldlen))) {
        return err;
    }
    text = old;
    len = oldlen;
    if (pairs->nelts) {
        text = htreconfigure_edit(c->p, old, oldlen, pairs, &len);
        if (len > RECONFIGURE_FILE_MAX) {
            return apr_psprintf(c->p, "%s would get too large", c->file);
        }
    }
    err = ap_reconfigure_parse(c->p, c->file, text, len, &c->limits,
                               &c->values);
    catch_signals();
    if (!err && pairs->nelts) {
        err = htreconfigure_replace(c->p, c->file, text, len);
    }
    if (err) {
        return err;
    }
    err = signal_and_wait(c);
    if (err && !c->accepted && pairs->nelts) {
        const char *err2 = restore_file(c, text, len, old, oldlen);
        if (err2) {
            err = apr_psprintf(c->p, "%s; and %s", err, err2);
        }
        else if (!c->refused) {
            /* A server that was only slow may have read what was there. One
             * that has refused it has not, and the old text may hold an edit
             * that nobody has applied yet. */
            (void)server_signal(c->fd, c->pid);
        }
    }
    return err;
}

static void usage(FILE *to, const char *name)
{
    fprintf(to,
            "Usage: %s -p pidfile [-d serverroot] [-f tunables] [--force] "
            "[NAME=value ...]\n"
            "       apachectl reconfigure [--force] [NAME=value ...]\n"
            "Changes values in the running server, and in its ReconfigureFile. "
            "Without values:\napplies the file.\n"
            " MaxRequestWorkers=number, or MXC=number\n"
            " KeepAliveTimeout=time, or KAT=time: seconds, or with a unit of "
            "ms, s, min or h\n"
            " VARIABLE=number, for each ReconfigureVariable of the running "
            "server\n"
            " -p  the server's PidFile\n"
            " -d  what a relative name of it is relative to\n"
            " -f  the ReconfigureFile of the configuration; default: that of "
            "the running server\n"
            " --force  lowers MaxRequestWorkers even if workers that are held "
            "for long would\n     leave none to others\n"
            " --help  prints this\n"
            "Exit status 0: all children have acknowledged; 1: nothing was "
            "changed, or as said;\n2: wrong usage\n", name);
}

int main(int argc, const char *const argv[])
{
    static const apr_getopt_option_t known[] = {
        { NULL, 'p', 1, NULL }, { NULL, 'd', 1, NULL }, { NULL, 'f', 1, NULL },
        { "force", FORCE, 0, NULL }, { "help", HELP, 0, NULL },
        { NULL, 0, 0, NULL }
    };
    apr_time_t start = apr_time_now();
    const char *name, *err, *arg;
    apr_getopt_t *options;
    apr_status_t rv;
    apr_pool_t *p;
    command_t *c;
    int option;

    apr_app_initialize(&argc, &argv, NULL);
    atexit(apr_terminate);
    apr_pool_create(&p, NULL);
    name = apr_filepath_name_get(argv[0]);
    c = apr_pcalloc(p, sizeof(*c));
    c->p = p;
    c->fd = -1;
    apr_getopt_init(&options, p, argc, argv);
    while ((rv = apr_getopt_long(options, known, &option, &arg))
           == APR_SUCCESS) {
        switch (option) {
        case 'p':
            c->pid_file = arg;
            break;
        case 'd':
            c->root = arg;
            break;
        case 'f':
            c->file = arg;
            break;
        case FORCE:
            c->forced = 1;
            break;
        case HELP:
            usage(stdout, name);
            return 0;
        }
    }
    if (rv != APR_EOF || !c->pid_file) {
        usage(stderr, name);
        return 2;
    }
    err = do_reconfigure(c, argc - options->ind, argv + options->ind);
    if (err && c->accepted) {
        fprintf(stderr, "%s: reconfigure not confirmed: %s\n", name, err);
        return 1;
    }
    if (err) {
        fprintf(stderr, "%s: reconfigure refused: %s%s\n", name, err,
                c->changed ? "" : "; nothing was changed");
        return 1;
    }
    print_values(c, apr_time_now() - start);
    return 0;
}
