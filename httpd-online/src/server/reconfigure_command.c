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
 * httpd -k reconfigure [NAME=value ...]: checks, writes the file of tunables,
 * signals the running server, waits for it and tells.
 */

#include "ap_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_strings.h"
#define APR_WANT_STDIO
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "http_config.h"
#include "http_log.h"
#include "mpm_common.h"
#include "reconfigure.h"
#include "reconfigure_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define COMMAND_TIMEOUT  apr_time_from_sec(10)
#define SIGNAL_AGAIN     apr_time_from_msec(50)
#define STATE_POLL       apr_time_from_msec(2)

typedef struct {
    apr_pool_t *p;
    const char *file;               /* ReconfigureFile */
    int fd;                         /* of the state file */
    pid_t pid;
    uid_t server;                   /* whom the server belongs to */
    reconfigure_state_t before, after;
    reconfigure_limits_t limits;
    reconfigure_values_t values;    /* what the file says */
    int accepted;                   /* is that what the server runs with? */
    int refused;                    /* has the server said no? */
    int changed;                    /* does the file hold something new? */
} command_t;

/* Write the text to a new file with the owner and mode of the old one and put
 * it in the old one's place: a reader sees the one or the other. */
static const char *replace_file(apr_pool_t *p, const char *fname,
                                const char *text, apr_size_t len)
{
    char *tmp = apr_pstrcat(p, fname, ".XXXXXX", NULL), errbuf[120];
    const char *what = "created";
    char *slash, *dir = apr_pstrdup(p, fname);
    struct stat st;
    int fd = -1, dirfd, err;

    errno = 0;
    if (lstat(fname, &st) == 0 && (fd = mkstemp(tmp)) >= 0) {
        what = "written";
        if (fchown(fd, st.st_uid, st.st_gid) == 0
            && fchmod(fd, st.st_mode & 07777) == 0
            && write(fd, text, len) == (ssize_t)len
            && fsync(fd) == 0 && rename(tmp, fname) == 0) {
            close(fd);
            if ((slash = strrchr(dir, '/'))) {
                *slash = '\0';
                if ((dirfd = open(*dir ? dir : "/", O_RDONLY)) >= 0) {
                    fsync(dirfd);
                    close(dirfd);
                }
            }
            return NULL;
        }
    }
    err = errno ? errno : ENOSPC; /* a short write() */
    if (fd >= 0) {
        close(fd);
        unlink(tmp);
    }
    return apr_psprintf(p, "%s can't be %s: %s", fname, what,
                        apr_strerror(err, errbuf, sizeof(errbuf)));
}

/* NAME=value on the command line; the value is checked with the whole file */
static const char *parse_assignments(const command_t *c, int argc,
                                     const char *const *argv,
                                     apr_array_header_t *pairs)
{
    int i, j;

    for (i = 0; i < argc; ++i) {
        const char *eq = ap_strchr_c(argv[i], '='), *name, *known = NULL;
        reconfigure_assignment_t *pair;

        if (!eq || eq == argv[i] || !eq[1] || strpbrk(eq, " \t\r\n\\")) {
            return apr_psprintf(c->p, "'%s' is not of the form NAME=value",
                                reconfigure_show(c->p, argv[i],
                                                 strlen(argv[i])));
        }
        name = apr_pstrmemdup(c->p, argv[i], eq - argv[i]);
        known = reconfigure_directive_name(name);
        if (known && !strcmp(known, "ReconfigureVariable")) {
            known = NULL;
        }
        for (j = 0; !known && j < c->limits.nvariables; ++j) {
            if (!strcmp(c->limits.names[j], name)) {
                known = name;
            }
        }
        if (!known) {
            return apr_psprintf(c->p, "%s is neither MaxRequestWorkers nor "
                                "KeepAliveTimeout nor a ReconfigureVariable "
                                "of the running server",
                                reconfigure_show(c->p, name, strlen(name)));
        }
        for (j = 0; j < pairs->nelts; ++j) {
            if (!strcmp(APR_ARRAY_IDX(pairs, j, reconfigure_assignment_t).name,
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
        const char *err = reconfigure_state_read(c->fd, &c->after);

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
        if (now - start > COMMAND_TIMEOUT) {
            return !c->accepted
                ? "the server does not answer"
                : apr_psprintf(c->p, "%u of %d children have not acknowledged "
                               "the change, the server will go on to remind "
                               "them", c->after.pending, c->after.children);
        }
        if (!c->accepted && now - signalled > SIGNAL_AGAIN) {
            if (reconfigure_state_signal(c->fd, c->pid) < 0) {
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
    printf("reconfigured: %d children acknowledged in %d ms\n", a->children,
           (int)apr_time_as_msec(took));
}

static const char *find_server(command_t *c)
{
    const char *err;
    int i;

    if (!c->file) {
        return "there is no ReconfigureFile in the configuration";
    }
    if (ap_read_pid(c->p, ap_pid_fname, &c->pid) != APR_SUCCESS) {
        return apr_psprintf(c->p, "no server is running (no valid pid file %s)",
                            ap_pid_fname);
    }
    if (kill(c->pid, 0) < 0 && errno == ESRCH) {
        return apr_psprintf(c->p, "no server is running (process %"
                            APR_PID_T_FMT " of the pid file %s does not exist)",
                            c->pid, ap_pid_fname);
    }
    err = reconfigure_state_open(c->p, reconfigure_state_name(c->p), c->pid,
                                 &c->fd, &c->server);
    if (err) {
        return err;
    }
    if (!reconfigure_state_lock(c->fd, COMMAND_TIMEOUT)) {
        return "another command is reconfiguring the server";
    }
    if ((err = reconfigure_state_read(c->fd, &c->before))) {
        return err;
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

    err = reconfigure_read(c->p, c->file, c->server, &now, &nowlen);
    if (!err && (nowlen != len || memcmp(now, text, len))) {
        err = apr_psprintf(c->p, "%s was changed by somebody else meanwhile "
                           "and is left as it is", c->file);
    }
    if (!err) {
        err = replace_file(c->p, c->file, old, oldlen);
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
                                           sizeof(reconfigure_assignment_t));
    const char *old, *text, *err = find_server(c);
    apr_size_t oldlen, len;

    if (err || (err = parse_assignments(c, argc, argv, pairs))
        || (err = reconfigure_read(c->p, c->file, c->server, &old, &oldlen))) {
        return err;
    }
    text = old;
    len = oldlen;
    if (pairs->nelts) {
        text = reconfigure_edit(c->p, old, oldlen, pairs, &len);
        if (len > RECONFIGURE_FILE_MAX) {
            return apr_psprintf(c->p, "%s would get too large", c->file);
        }
    }
    err = reconfigure_parse(c->p, c->file, text, len, &c->limits, &c->values);
    if (!err && pairs->nelts) {
        err = replace_file(c->p, c->file, text, len);
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
            (void)reconfigure_state_signal(c->fd, c->pid);
        }
    }
    return err;
}

static int command_argc = -1;
static const char *const *command_argv;
static int check_is_off;

void ap_reconfigure_dont_check(void)
{
    check_is_off = 1;
}

int reconfigure_check_is_off(void)
{
    return check_is_off;
}

void ap_reconfigure_command(int argc, const char *const *argv)
{
    command_argc = argc;
    command_argv = argv;
    ap_reconfigure_dont_check(); /* not twice */
    /* What the MPM has to warn of in the file is going to be refused, in one
     * line, by the running server's bounds */
    ap_default_loglevel = APLOG_CRIT;
}

int ap_reconfigure_server(apr_pool_t *p)
{
    apr_time_t start = apr_time_now();
    command_t *c = apr_pcalloc(p, sizeof(*c));
    const char *err;

    c->p = p;
    c->file = reconfigure_file_name();
    c->fd = -1;
    err = do_reconfigure(c, command_argc, command_argv);
    if (err && c->accepted) {
        fprintf(stderr, "httpd: reconfigure not confirmed: %s\n", err);
        return 1;
    }
    if (err) {
        fprintf(stderr, "httpd: reconfigure refused: %s%s\n", err,
                c->changed ? "" : "; nothing was changed");
        return 1;
    }
    print_values(c, apr_time_now() - start);
    return 0;
}

#endif /* AP_HAVE_RECONFIGURE */
