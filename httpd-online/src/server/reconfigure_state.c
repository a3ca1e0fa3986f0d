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
 * The state file of a server that can be reconfigured online: the parent, which
 * writes it.  Nothing in here but APR and the system.
 */

#include "reconfigure_state.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_strings.h"
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

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
