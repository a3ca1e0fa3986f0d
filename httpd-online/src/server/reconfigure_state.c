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
 * The state file of a server that can be reconfigured online.
 *
 * Bytes of the file are locked, not for what they hold: the parent locks the
 * first one while it lives, a command the second one while it works.
 */

#include "reconfigure_state.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_lib.h"
#include "apr_strings.h"
#define APR_WANT_STDIO
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "http_config.h"
#include "mpm_common.h"
#include "reconfigure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

#define SERVER_BYTE  0
#define COMMAND_BYTE 1

#define STATE_MAX    8192

static int try_lock(int fd, int cmd, off_t byte, pid_t *holder)
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

const char *reconfigure_state_name(apr_pool_t *p)
{
    return apr_pstrcat(p, ap_server_root_relative(p, ap_pid_fname),
                       ".reconfigure", NULL);
}

int reconfigure_state_is_named(int fd, const char *name)
{
    struct stat mine, named;

    return fstat(fd, &mine) == 0 && lstat(name, &named) == 0
           && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

const char *reconfigure_state_create(apr_pool_t *p, const char *name, int *fd)
{
    static const char zeros[STATE_MAX];
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
        if (try_lock(f, F_SETLK, SERVER_BYTE, NULL) < 0) {
            close(f);
            return apr_psprintf(p, "%s is locked, does another server use the "
                                "same PidFile?", name);
        }
        /* A server that ends now may just have removed what we have opened */
        if (!reconfigure_state_is_named(f, name)) {
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
        if (fchmod(f, 0600) < 0 || pwrite(f, zeros, STATE_MAX, 0) != STATE_MAX) {
            const char *err = apr_psprintf(p, "%s can't be written: %s", name,
                                  apr_strerror(errno ? errno : ENOSPC, errbuf,
                                               sizeof(errbuf)));
            reconfigure_state_remove(f, name);
            return err;
        }
        *fd = f;
        return NULL;
    }
}

void reconfigure_state_remove(int fd, const char *name)
{
    unlink(name);
    close(fd);
}

/* The lines; the number of writes so far stands first and last, so that a
 * reader can tell a file that is being written. */
void reconfigure_state_write(int fd, const reconfigure_state_t *s)
{
    static unsigned int writes;
    char buf[STATE_MAX];
    int i, len;

    ++writes;
    len = apr_snprintf(buf, sizeof(buf),
                       "begin %u\npid %" APR_PID_T_FMT "\n"
                       "ThreadsPerChild %d\nServerLimit %d\n"
                       "children %d\nhandled %u\naccepted %u\npending %u\n"
                       "refused %d\nmessage %s\nfile %s\n"
                       "MaxRequestWorkers %u\nKeepAliveTimeoutMs %u\n",
                       writes, s->pid, s->threads_per_child, s->server_limit,
                       s->children, s->handled, s->accepted, s->pending,
                       s->refused, s->message, s->file, s->max_workers,
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

const char *reconfigure_state_open(apr_pool_t *p, const char *name, pid_t pid,
                                   int *fd, uid_t *owner)
{
    struct stat st;
    pid_t holder = 0;
    char errbuf[120];
    int f = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

    if (f < 0 && errno == ENOENT) {
        return apr_psprintf(p, "the server (pid %" APR_PID_T_FMT ") can't be "
                            "reconfigured online: it is another program, an "
                            "httpd without online reconfiguration or without "
                            "ReconfigureFile, or its MPM is not worker or "
                            "event", pid);
    }
    if (f < 0) {
        return apr_psprintf(p, "%s can't be opened: %s", name,
                            apr_strerror(errno, errbuf, sizeof(errbuf)));
    }
    if (try_lock(f, F_GETLK, SERVER_BYTE, &holder) < 0 || holder != pid
        || fstat(f, &st) < 0) {
        close(f);
        return apr_psprintf(p, "the process %" APR_PID_T_FMT " of the PidFile "
                            "is not the server that wrote %s", pid, name);
    }
    *fd = f;
    *owner = st.st_uid;
    return NULL;
}

int reconfigure_state_signal(int fd, pid_t pid)
{
    pid_t holder = 0;

    if (try_lock(fd, F_GETLK, SERVER_BYTE, &holder) < 0 || holder != pid) {
        return -1;
    }
    return kill(pid, AP_SIG_RECONFIGURE);
}

int reconfigure_state_lock(int fd, apr_interval_time_t timeout)
{
    apr_time_t end = apr_time_now() + timeout;

    while (try_lock(fd, F_SETLK, COMMAND_BYTE, NULL) < 0) {
        if (apr_time_now() > end) {
            return 0;
        }
        apr_sleep(apr_time_from_msec(10));
    }
    return 1;
}

/* Take the rest of a line, which may be shown on a terminal */
static void copy_text(char *to, apr_size_t size, const char *from,
                      const char *end)
{
    apr_size_t len = end - from;

    apr_cpystrn(to, from, len < size ? len + 1 : size);
    for (; *to; ++to) {
        if (apr_iscntrl(*to)) {
            *to = '?';
        }
    }
}

static void set_number(reconfigure_state_t *s, const char *name,
                       unsigned int value)
{
    if (!strcmp(name, "ThreadsPerChild")) {
        s->threads_per_child = value;
    }
    else if (!strcmp(name, "ServerLimit")) {
        s->server_limit = value;
    }
    else if (!strcmp(name, "pid")) {
        s->pid = value;
    }
    else if (!strcmp(name, "children")) {
        s->children = value;
    }
    else if (!strcmp(name, "handled")) {
        s->handled = value;
    }
    else if (!strcmp(name, "accepted")) {
        s->accepted = value;
    }
    else if (!strcmp(name, "pending")) {
        s->pending = value;
    }
    else if (!strcmp(name, "refused")) {
        s->refused = value;
    }
    else if (!strcmp(name, "MaxRequestWorkers")) {
        s->max_workers = value;
    }
    else if (!strcmp(name, "KeepAliveTimeoutMs")) {
        s->keep_alive_timeout_ms = value;
    }
}

/* Returns 0 if this is not a whole file */
static int parse_state(const char *line, reconfigure_state_t *s)
{
    unsigned int begin = 0, end = 1, value;
    char name[AP_RECONFIGURE_MAX_NAME + 1];
    const char *next;

    memset(s, 0, sizeof(*s));
    for (; *line; line = next + 1) {
        next = ap_strchr_c(line, '\n');
        if (!next) {
            return 0;
        }
        if (sscanf(line, "ReconfigureVariable %63s %u", name, &value) == 2) {
            if (s->nvariables < AP_RECONFIGURE_MAX_VARIABLES
                && !reconfigure_check_variable(name)) {
                apr_cpystrn(s->variables[s->nvariables].name, name,
                            sizeof(name));
                s->variables[s->nvariables++].value = value;
            }
        }
        else if (!strncmp(line, "message ", 8)) {
            copy_text(s->message, sizeof(s->message), line + 8, next);
        }
        else if (!strncmp(line, "file ", 5)) {
            copy_text(s->file, sizeof(s->file), line + 5, next);
        }
        else if (sscanf(line, "begin %u", &value) == 1) {
            begin = value;
        }
        else if (sscanf(line, "end %u", &value) == 1) {
            end = value;
        }
        else if (sscanf(line, "%63s %u", name, &value) == 2) {
            set_number(s, name, value);
        }
    }
    return begin == end;
}

const char *reconfigure_state_read(int fd, reconfigure_state_t *state)
{
    apr_time_t end = apr_time_now() + apr_time_from_sec(1);
    char buf[STATE_MAX + 1];
    pid_t holder;

    for (;;) {
        ssize_t len = pread(fd, buf, STATE_MAX, 0);

        if (try_lock(fd, F_GETLK, SERVER_BYTE, &holder) < 0 || holder == 0) {
            return "the server has ended meanwhile";
        }
        if (len > 0) {
            buf[len] = '\0';
            if (parse_state(buf, state)) {
                return NULL;
            }
        }
        if (apr_time_now() > end) {
            return "the server's state file is damaged";
        }
        apr_sleep(apr_time_from_msec(1)); /* it is being written */
    }
}

#endif /* AP_HAVE_RECONFIGURE */
