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
 * The file of tunables, parsed and read, and the state file, which the parent
 * writes.  Nothing in here but APR and the system: the command is linked with
 * it, too.
 */

#include "apr.h"
#include "apr_lib.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "reconfigure_file.h"

#ifdef AP_HAVE_RECONFIGURE
#if APR_HAVE_FCNTL_H
#include <fcntl.h>
#endif
#if APR_HAVE_UNISTD_H
#include <unistd.h>
#endif
#if APR_HAVE_ERRNO_H
#include <errno.h>
#endif
#include <stdio.h>
#include <sys/stat.h>
#endif

/* httpd.h of a build with assertions (AP_DEBUG) puts a function of the
 * server's in place of it, and the command is linked without the server. */
#undef strrchr

static const char *const directives[] = {
    "MaxRequestWorkers", "KeepAliveTimeout", "ReconfigureVariable", NULL
};

const char *ap_reconfigure_directive_name(const char *name)
{
    int i;

    if (!strcasecmp(name, "MaxClients")) { /* its deprecated name */
        return directives[0];
    }
    for (i = 0; directives[i]; ++i) {
        if (!strcasecmp(name, directives[i])) {
            return directives[i];
        }
    }
    return NULL;
}

const char *ap_reconfigure_check_variable(const char *name)
{
    apr_size_t i;

    if (!apr_isalpha(name[0]) && name[0] != '_') {
        return "must begin with a letter or an underscore";
    }
    for (i = 1; name[i]; ++i) {
        if (!apr_isalnum(name[i]) && name[i] != '_') {
            return "may hold letters, digits and underscores only";
        }
    }
    if (i > AP_RECONFIGURE_MAX_NAME) {
        return "is too long";
    }
    if (ap_reconfigure_directive_name(name)
        || !strcasecmp(name, AP_RECONFIGURE_GENERATION)) {
        return "is reserved";
    }
    return NULL;
}

int ap_reconfigure_parse_number(const char *s, apr_size_t len, int max)
{
    int n = 0;
    apr_size_t i;

    if (len == 0) {
        return -1;
    }
    for (i = 0; i < len; ++i) {
        int digit = s[i] - '0';
        if (digit < 0 || digit > 9 || digit > max
            || n > (max - digit) / 10) {
            return -1;
        }
        n = n * 10 + digit;
    }
    return n;
}

/* Seconds, or a number with a unit that KeepAliveTimeout knows; in ms */
static int parse_timeout(reconfigure_word_t w)
{
    static const struct {
        const char *unit;
        int ms;
    } units[] = {
        { "", 1000 }, { "s", 1000 }, { "ms", 1 }, { "min", 60 * 1000 },
        { "h", 3600 * 1000 }
    };
    apr_size_t digits = 0, u;

    while (digits < w.len && apr_isdigit(w.s[digits])) {
        ++digits;
    }
    for (u = 0; u < sizeof(units) / sizeof(units[0]); ++u) {
        if (w.len - digits == strlen(units[u].unit)
            && !strncmp(w.s + digits, units[u].unit, w.len - digits)) {
            int n = ap_reconfigure_parse_number(w.s, digits,
                                                RECONFIGURE_MAX_TIMEOUT_MS
                                                / units[u].ms);
            return n > 0 ? n * units[u].ms : -1;
        }
    }
    return -1;
}

const char *ap_reconfigure_show(apr_pool_t *p, const char *text, apr_size_t len)
{
    apr_size_t n = len < 40 ? len : 40, i;
    char *s = apr_palloc(p, n + sizeof("..."));

    for (i = 0; i < n; ++i) {
        s[i] = apr_isprint(text[i]) ? text[i] : '?';
    }
    strcpy(s + n, len > n ? "..." : "");
    return s;
}

static const char *show(apr_pool_t *p, reconfigure_word_t w)
{
    return ap_reconfigure_show(p, w.s, w.len);
}

reconfigure_word_t ap_reconfigure_next_word(const char **pos, const char *end)
{
    reconfigure_word_t w;

    while (*pos < end && (**pos == ' ' || **pos == '\t')) {
        ++*pos;
    }
    w.s = *pos;
    while (*pos < end && **pos != ' ' && **pos != '\t') {
        ++*pos;
    }
    w.len = *pos - w.s;
    return w;
}

const char *ap_reconfigure_next_line(const char **pos, const char *end,
                                     const char **next)
{
    const char *line = *pos, *eol = line;

    while (eol < end && *eol != '\n') {
        ++eol;
    }
    *next = eol < end ? eol + 1 : end;
    if (eol > line && eol[-1] == '\r') {
        --eol;
    }
    *pos = eol;
    return line;
}

static int word_is(reconfigure_word_t w, const char *s)
{
    return w.len == strlen(s) && !strncmp(w.s, s, w.len);
}

static int find_variable(const reconfigure_limits_t *limits,
                         reconfigure_word_t name)
{
    int i;

    for (i = 0; i < limits->nvariables; ++i) {
        if (word_is(name, limits->names[i])) {
            return i;
        }
    }
    return -1;
}

static const char *parse_max_workers(apr_pool_t *p, reconfigure_word_t value,
                                     const reconfigure_limits_t *limits,
                                     int *result)
{
    int max = limits->threads_per_child
              ? limits->threads_per_child * limits->server_limit
              : APR_INT32_MAX;
    int n = ap_reconfigure_parse_number(value.s, value.len, max);

    if (n < 1 || n < limits->threads_per_child) {
        return limits->threads_per_child
            ? apr_psprintf(p, "MaxRequestWorkers must be an integer from %d to "
                           "%d (ThreadsPerChild to ServerLimit x "
                           "ThreadsPerChild), not '%s'",
                           limits->threads_per_child, max, show(p, value))
            : apr_psprintf(p, "MaxRequestWorkers must be a positive integer, "
                           "not '%s'", show(p, value));
    }
    if (n < limits->children) {
        return apr_psprintf(p, "MaxRequestWorkers %d is less than the %d "
                            "running child processes, each of which keeps at "
                            "least one worker", n, limits->children);
    }
    if (n < limits->max_workers && n <= limits->held) {
        return apr_psprintf(p, "MaxRequestWorkers %d would leave no worker to "
                            "others: %d have each been held for more than %d s "
                            "by one request or connection; give %d or more, "
                            "wait until these end, or use --force", n,
                            limits->held, AP_RECONFIGURE_HELD_AFTER,
                            limits->held + 1);
    }
    *result = n;
    return NULL;
}

/* One line that is neither blank nor a comment */
static const char *parse_directive(apr_pool_t *p, const char *line,
                                   const char *eol,
                                   const reconfigure_limits_t *limits,
                                   reconfigure_values_t *values)
{
    const char *name;
    reconfigure_word_t directive = ap_reconfigure_next_word(&line, eol), value;
    int *result;

    name = ap_reconfigure_directive_name(apr_pstrmemdup(p, directive.s,
                                                        directive.len));
    if (!name) {
        return apr_psprintf(p, "%s can't be changed without a restart; only "
                            "MaxRequestWorkers, KeepAliveTimeout and "
                            "ReconfigureVariable may stand in this file",
                            show(p, directive));
    }
    if (name == directives[2]) {
        reconfigure_word_t variable = ap_reconfigure_next_word(&line, eol);
        int i = find_variable(limits, variable);

        if (i < 0) {
            return apr_psprintf(p, "ReconfigureVariable '%s' was not declared "
                                "when the server started", show(p, variable));
        }
        name = limits->names[i];
        result = &values->variables[i];
    }
    else {
        result = (name == directives[0]) ? &values->max_workers
                                         : &values->keep_alive_timeout_ms;
    }
    value = ap_reconfigure_next_word(&line, eol);
    if (ap_reconfigure_next_word(&line, eol).len) {
        return apr_psprintf(p, "%s takes one value", name);
    }
    if (*result >= 0) {
        return apr_psprintf(p, "%s is given twice", name);
    }
    if (result == &values->max_workers) {
        return parse_max_workers(p, value, limits, result);
    }
    if (result == &values->keep_alive_timeout_ms) {
        *result = parse_timeout(value);
        return *result > 0 ? NULL
            : apr_psprintf(p, "KeepAliveTimeout must be from 1ms to 1h: a "
                           "number of seconds, or with a unit of ms, s, min "
                           "or h, not '%s'", show(p, value));
    }
    *result = ap_reconfigure_parse_number(value.s, value.len,
                                          AP_RECONFIGURE_MAX_VALUE);
    return *result >= 0 ? NULL
        : apr_psprintf(p, "%s must be an integer from 0 to %d, not '%s'",
                       name, AP_RECONFIGURE_MAX_VALUE, show(p, value));
}

/* NULL, or why a line can't mean here what it means in httpd.conf */
static const char *check_line(const char *line, const char *eol)
{
    const char *c;

    for (c = line; c < eol; ++c) {
        if (*c == '\0') {
            return "a NUL byte";
        }
    }
    if (eol > line && eol[-1] == '\\') {
        return "lines can't be continued with a backslash in this file";
    }
    return NULL;
}

const char *ap_reconfigure_parse(apr_pool_t *p, const char *fname,
                                 const char *text, apr_size_t len,
                                 const reconfigure_limits_t *limits,
                                 reconfigure_values_t *values)
{
    reconfigure_values_t v;
    const char *pos = text, *end = text + len, *next;
    int number, i;

    v.max_workers = v.keep_alive_timeout_ms = -1;
    for (i = 0; i < AP_RECONFIGURE_MAX_VARIABLES; ++i) {
        v.variables[i] = -1;
    }
    for (number = 1; pos < end; ++number, pos = next) {
        const char *line = ap_reconfigure_next_line(&pos, end, &next);
        const char *eol = pos, *first;
        const char *err = check_line(line, eol);

        if (!err) {
            first = line;
            first = ap_reconfigure_next_word(&first, eol).s;
            if (first == eol || *first == '#') {
                continue;
            }
            err = parse_directive(p, line, eol, limits, &v);
        }
        if (err) {
            return apr_psprintf(p, "%s:%d: %s", fname, number, err);
        }
    }
    for (i = 0; i < limits->nvariables && v.variables[i] < 0; ++i)
        ;
    if (v.max_workers < 0 && v.keep_alive_timeout_ms < 0
        && i == limits->nvariables) {
        return apr_psprintf(p, "%s: there is no value in it; a restart would "
                            "take others than those that run", fname);
    }
    *values = v;
    return NULL;
}

#ifdef AP_HAVE_RECONFIGURE
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

/* As many symbolic links as may follow one another */
#define MAX_LINKS 8

static const char *check_owner(const struct stat *st, uid_t server)
{
    return st->st_uid == 0 || st->st_uid == server ? NULL
        : "belongs neither to root nor to the server's user";
}

static const char *check_trust(const struct stat *st, uid_t server)
{
    const char *err = check_owner(st, server);

    if (!S_ISREG(st->st_mode)) {
        return "is not a regular file";
    }
    if (err) {
        return err;
    }
    if (st->st_mode & (S_IWGRP | S_IWOTH)) {
        return "can be written by others than its owner (chmod go-w)";
    }
    if (st->st_size > RECONFIGURE_FILE_MAX) {
        return "is too large";
    }
    return NULL;
}

#ifdef O_PATH
/* If it is a symbolic link that can be trusted, *fname becomes what it stands
 * for.  The link is opened itself, so what is checked is what is followed. */
static const char *follow(apr_pool_t *p, const char **fname, uid_t server,
                          int *is_link)
{
    char target[APR_PATH_MAX];
    const char *slash = strrchr(*fname, '/'), *err = NULL;
    int fd = open(*fname, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    ssize_t len;

    *is_link = fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
    if (*is_link && !(err = check_owner(&st, server))) {
        len = readlinkat(fd, "", target, sizeof(target) - 1);
        if (len <= 0 || len == sizeof(target) - 1) {
            err = "can't be followed";
        }
        else {
            target[len] = '\0';
            *fname = *target == '/' || !slash ? apr_pstrdup(p, target)
                : apr_pstrcat(p, apr_pstrmemdup(p, *fname, slash + 1 - *fname),
                              target, NULL);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return err ? apr_psprintf(p, "%s is a symbolic link that %s", *fname, err)
               : NULL;
}

const char *ap_reconfigure_resolve(apr_pool_t *p, const char **fname,
                                uid_t server)
{
    const char *err = NULL, *name = *fname;
    int is_link = 1, n;

    for (n = 0; !err && is_link; ++n) {
        err = n > MAX_LINKS
            ? apr_psprintf(p, "%s is a symbolic link to too many others", name)
            : follow(p, fname, server, &is_link);
    }
    return err;
}
#else
const char *ap_reconfigure_resolve(apr_pool_t *p, const char **fname,
                                uid_t server)
{
    return NULL; /* none is followed */
}
#endif

const char *ap_reconfigure_read(apr_pool_t *p, const char *fname, uid_t server,
                                const char **text, apr_size_t *len)
{
    char *buf, errbuf[120];
    const char *err;
    struct stat st;
    ssize_t n = 0;
    int fd;

    if ((err = ap_reconfigure_resolve(p, &fname, server))) {
        return err;
    }
    /* Open first and look then: what is checked is what is read */
    fd = open(fname, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno == ELOOP
            ? apr_psprintf(p, "%s is a symbolic link", fname)
            : apr_psprintf(p, "%s can't be opened: %s", fname,
                           apr_strerror(errno, errbuf, sizeof(errbuf)));
    }
    if (fstat(fd, &st) < 0) {
        err = apr_strerror(errno, errbuf, sizeof(errbuf));
    }
    else {
        err = check_trust(&st, server);
    }
    *len = 0;
    buf = apr_palloc(p, RECONFIGURE_FILE_MAX + 1);
    while (!err && *len <= RECONFIGURE_FILE_MAX
           && (n = read(fd, buf + *len, RECONFIGURE_FILE_MAX + 1 - *len)) > 0) {
        *len += n;
    }
    if (!err && n < 0) {
        err = apr_strerror(errno, errbuf, sizeof(errbuf));
    }
    else if (!err && *len > RECONFIGURE_FILE_MAX) {
        err = "is too large";
    }
    close(fd);
    *text = buf;
    return err ? apr_psprintf(p, "%s %s", fname, err) : NULL;
}

/*****************************************************************
 * The state file
 */

int ap_reconfigure_state_try_lock(int fd, int cmd, off_t byte, pid_t *holder)
{
    struct flock fl;
    int rc;

    memset(&fl, 0, sizeof(fl));
    fl.l_type = F_WRLCK;
    fl.l_whence = SEEK_SET;
    fl.l_start = byte;
    fl.l_len = 1;
    do {
        rc = fcntl(fd, cmd, &fl);
    } while (rc < 0 && errno == EINTR);
    if (rc == 0 && holder) {
        *holder = (fl.l_type == F_UNLCK) ? 0 : fl.l_pid;
    }
    return rc;
}

int ap_reconfigure_state_is_named(int fd, const char *name)
{
    struct stat mine, named;

    return fstat(fd, &mine) == 0 && lstat(name, &named) == 0
           && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

const char *ap_reconfigure_state_create(apr_pool_t *p, const char *name,
                                        int *fd)
{
    static const char zeros[RECONFIGURE_STATE_MAX];
    char errbuf[120];
    struct stat st;
    int removed = 0;

    *fd = -1;
    for (;;) {
        int f = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

        if (f < 0) {
            return apr_psprintf(p, "%s can't be created: %s", name,
                                apr_strerror(errno, errbuf, sizeof(errbuf)));
        }
        if (ap_reconfigure_state_try_lock(f, F_SETLK, RECONFIGURE_SERVER_BYTE,
                                          NULL) < 0) {
            close(f);
            return apr_psprintf(p, "%s is locked, does another server use the "
                                "same PidFile?", name);
        }
        /* A server that ends now may just have removed what we have opened */
        if (!ap_reconfigure_state_is_named(f, name)) {
            close(f);
            continue;
        }
        /* What else may have this name is not for us to write to, but it must
         * not stand in the way either */
        if (fstat(f, &st) < 0 || !S_ISREG(st.st_mode)
            || st.st_uid != geteuid() || st.st_nlink != 1) {
            close(f);
            if (removed++ || unlink(name) < 0) {
                return apr_psprintf(p, "%s is not a file of this server's own "
                                    "and can't be replaced by one", name);
            }
            continue;
        }
        /* Nobody else should lock it, and later writes must find room */
        errno = 0;
        if (fchmod(f, 0600) < 0
            || pwrite(f, zeros, sizeof(zeros), 0) != (ssize_t)sizeof(zeros)) {
            const char *err = apr_psprintf(p, "%s can't be written: %s", name,
                                  apr_strerror(errno ? errno : ENOSPC, errbuf,
                                               sizeof(errbuf)));
            ap_reconfigure_state_remove(f, name);
            return err;
        }
        *fd = f;
        return NULL;
    }
}

void ap_reconfigure_state_remove(int fd, const char *name)
{
    unlink(name);
    close(fd);
}

/* The lines; the number of writes so far stands first and last, so that a
 * reader can tell a file that is being written. */
void ap_reconfigure_state_write(int fd, const reconfigure_state_t *s)
{
    static unsigned int writes;
    char buf[RECONFIGURE_STATE_MAX];
    int i, len;

    ++writes;
    len = apr_snprintf(buf, sizeof(buf),
                       "begin %u\npid %" APR_PID_T_FMT "\n"
                       "ThreadsPerChild %d\nServerLimit %d\n"
                       "children %d\nhandled %u\naccepted %u\npending %u\n"
                       "owed %u\n"
                       "refused %d\nmessage %s\nfile %s\n"
                       "MaxRequestWorkers %u\nKeepAliveTimeoutMs %u\n",
                       writes, s->pid, s->threads_per_child, s->server_limit,
                       s->children, s->handled, s->accepted, s->pending,
                       s->owed, s->refused, s->message, s->file, s->max_workers,
                       s->keep_alive_timeout_ms);
    for (i = 0; i < s->nvariables; ++i) {
        len += apr_snprintf(buf + len, sizeof(buf) - len,
                            "ReconfigureVariable %s %u\n",
                            s->variables[i].name, s->variables[i].value);
    }
    len += apr_snprintf(buf + len, sizeof(buf) - len, "end %u\n", writes);
    /* with the NUL, in place: the size of the file stays */
    (void)!pwrite(fd, buf, len + 1, 0);
}

#endif /* AP_HAVE_RECONFIGURE */
