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


/* htreconfigure: asks and signals the running server, by its state file */

#include "apr_lib.h"
#include "apr_strings.h"
#include "apr_time.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "htreconfigure.h"
#include "mpm_common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

const char *server_open(apr_pool_t *p, const char *name, pid_t pid,
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
    if (ap_reconfigure_state_try_lock(f, F_GETLK, RECONFIGURE_SERVER_BYTE,
                                      &holder) < 0
        || holder != pid || fstat(f, &st) < 0) {
        close(f);
        return apr_psprintf(p, "the process %" APR_PID_T_FMT " of the PidFile "
                            "is not the server that wrote %s", pid, name);
    }
    *fd = f;
    *owner = st.st_uid;
    return NULL;
}

int server_signal(int fd, pid_t pid)
{
    pid_t holder = 0;

    if (ap_reconfigure_state_try_lock(fd, F_GETLK, RECONFIGURE_SERVER_BYTE,
                                      &holder) < 0
        || holder != pid) {
        return -1;
    }
    return kill(pid, AP_SIG_RECONFIGURE);
}

int server_lock(int fd, apr_interval_time_t timeout)
{
    apr_time_t end = apr_time_now() + timeout;

    while (ap_reconfigure_state_try_lock(fd, F_SETLK, RECONFIGURE_COMMAND_BYTE,
                                         NULL) < 0) {
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
    else if (!strcmp(name, "owed")) {
        s->owed = value;
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
        next = memchr(line, '\n', strlen(line));
        if (!next) {
            return 0;
        }
        if (sscanf(line, "ReconfigureVariable %63s %u", name, &value) == 2) {
            if (s->nvariables < AP_RECONFIGURE_MAX_VARIABLES
                && !ap_reconfigure_check_variable(name)) {
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

const char *server_read(int fd, reconfigure_state_t *state)
{
    apr_time_t end = apr_time_now() + apr_time_from_sec(1);
    char buf[RECONFIGURE_STATE_MAX + 1];
    pid_t holder;

    for (;;) {
        ssize_t len = pread(fd, buf, RECONFIGURE_STATE_MAX, 0);

        if (ap_reconfigure_state_try_lock(fd, F_GETLK, RECONFIGURE_SERVER_BYTE,
                                          &holder) < 0
            || holder == 0) {
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

