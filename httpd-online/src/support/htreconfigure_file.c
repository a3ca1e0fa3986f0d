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


/* htreconfigure: edits the file of tunables and puts it in place */

#include "apr_strings.h"
#include "apr_time.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "htreconfigure.h"

/* What the name of a file that is to take the place of another ends in */
#define HTRECONFIGURE_FRESH ".reconfigure"

/* How long one command waits for another that has the same file */
#define LOCK_TRIES    20
#define LOCK_PAUSE_MS 50

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* httpd.h of a build with assertions (AP_DEBUG) puts a function of the
 * server's in place of it, and the command is linked without the server. */
#undef strrchr

/* Which of the pairs sets what this line sets? -1 for none */
static int find_pair(const apr_array_header_t *pairs, const char *line,
                     const char *eol, apr_pool_t *p)
{
    reconfigure_word_t directive = ap_reconfigure_next_word(&line, eol);
    const char *name = ap_reconfigure_directive_name(
                           apr_pstrmemdup(p, directive.s, directive.len));
    int i;

    if (!name) {
        return -1;
    }
    if (!strcmp(name, "ReconfigureVariable")) {
        reconfigure_word_t variable = ap_reconfigure_next_word(&line, eol);
        name = apr_pstrmemdup(p, variable.s, variable.len);
    }
    for (i = 0; i < pairs->nelts; ++i) {
        if (!strcmp(APR_ARRAY_IDX(pairs, i, assignment_t).name, name)) {
            return i;
        }
    }
    return -1;
}

static const char *make_line(apr_pool_t *p, const apr_array_header_t *pairs,
                             int i)
{
    const assignment_t *a = &APR_ARRAY_IDX(pairs, i, assignment_t);

    return apr_pstrcat(p, ap_reconfigure_directive_name(a->name)
                          ? "" : "ReconfigureVariable ",
                       a->name, " ", a->value, "\n", NULL);
}

const char *htreconfigure_edit(apr_pool_t *p, const char *text, apr_size_t len,
                               const apr_array_header_t *pairs,
                               apr_size_t *newlen)
{
    apr_array_header_t *lines = apr_array_make(p, 16,
                                               sizeof(reconfigure_word_t));
    char *done = apr_pcalloc(p, pairs->nelts + 1), *result, *to;
    const char *pos = text, *end = text + len, *next;
    int i;

    *newlen = 0;
    while (pos < end) {
        const char *line = ap_reconfigure_next_line(&pos, end, &next);
        reconfigure_word_t *w = apr_array_push(lines);

        i = find_pair(pairs, line, pos, p);
        if (i >= 0) {
            w->s = make_line(p, pairs, i);
            w->len = strlen(w->s);
            done[i] = 1;
        }
        else {
            w->s = line;
            w->len = next - line;
            if (next == end && next[-1] != '\n') {
                w->s = apr_pstrcat(p, apr_pstrmemdup(p, line, w->len), "\n",
                                   NULL);
                ++w->len;
            }
        }
        *newlen += w->len;
        pos = next;
    }
    for (i = 0; i < pairs->nelts; ++i) {
        if (!done[i]) {
            reconfigure_word_t *w = apr_array_push(lines);
            w->s = make_line(p, pairs, i);
            w->len = strlen(w->s);
            *newlen += w->len;
        }
    }
    result = to = apr_palloc(p, *newlen + 1);
    for (i = 0; i < lines->nelts; ++i) {
        reconfigure_word_t w = APR_ARRAY_IDX(lines, i, reconfigure_word_t);
        memcpy(to, w.s, w.len);
        to += w.len;
    }
    *to = '\0';
    return result;
}

/* The new text, synced to disk, in a file of the given name */
static int write_beside(const struct stat *st, const char *dir,
                        const char *name, int unnamed, const char *text,
                        apr_size_t len)
{
    char proc[40];
    int fd, ok;

#ifdef O_TMPFILE
    if (unnamed) { /* so that a command that is killed meanwhile leaves none */
        fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    }
    else
#endif
    {
        unnamed = 0;
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
    }
    if (fd < 0) {
        return 0;
    }
    apr_snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
    errno = ENOSPC; /* of a short write() */
    ok = fchown(fd, st->st_uid, st->st_gid) == 0
         && fchmod(fd, st->st_mode & 07777) == 0
         && write(fd, text, len) == (ssize_t)len
         && fsync(fd) == 0
         && (!unnamed || linkat(AT_FDCWD, proc, AT_FDCWD, name,
                                AT_SYMLINK_FOLLOW) == 0);
    close(fd);
    return ok;
}

/* A file that is mounted by itself can't be replaced.  The text goes into it at
 * once, with blank lines over the rest of a longer one. */
static int write_into(apr_pool_t *p, const struct stat *st, const char *fname,
                      const char *text, apr_size_t len)
{
    int fd = open(fname, O_WRONLY | O_NOFOLLOW | O_CLOEXEC), ok;
    apr_size_t size = len;
    struct stat now;
    char *buf;

    if (fd < 0) {
        return 0;
    }
    if ((apr_size_t)st->st_size > size) {
        size = st->st_size;
    }
    buf = apr_palloc(p, size + 1);
    memset(buf, '\n', size);
    memcpy(buf, text, len);
    errno = EBUSY; /* it is another one by now */
    ok = fstat(fd, &now) == 0 && now.st_ino == st->st_ino
         && now.st_dev == st->st_dev;
    if (ok) {
        errno = ENOSPC;
        ok = pwrite(fd, buf, size, 0) == (ssize_t)size
             && ftruncate(fd, len) == 0 && fsync(fd) == 0;
    }
    close(fd);
    return ok;
}

/* Commands for several servers may have the same file.  Whoever may read the
 * directory can have the lock, so nobody waits for it for long: without it, one
 * of two commands may fail, but no file is ever half written. */
static void take_turns(int dirfd)
{
    int i;

    for (i = 0; i < LOCK_TRIES && flock(dirfd, LOCK_EX | LOCK_NB) < 0; ++i) {
        apr_sleep(apr_time_from_msec(LOCK_PAUSE_MS));
    }
}

const char *htreconfigure_replace(apr_pool_t *p, const char *fname,
                                  const char *text, apr_size_t len)
{
    const char *slash = strrchr(fname, '/');
    const char *dir = slash ? apr_pstrmemdup(p, fname, slash + 1 - fname)
                            : ".";
    const char *fresh = apr_pstrcat(p, fname, HTRECONFIGURE_FRESH, NULL);
    int dirfd = open(dir, O_RDONLY | O_CLOEXEC), ok = 0;
    char errbuf[120];
    struct stat st;

    if (dirfd >= 0) {
        take_turns(dirfd);
    }
    if (lstat(fname, &st) == 0) {
        (void)unlink(fresh); /* of a command that was killed */
        ok = (write_beside(&st, dir, fresh, 1, text, len)
              || write_beside(&st, dir, fresh, 0, text, len))
             && rename(fresh, fname) == 0;
        if (!ok) {
            int err = errno;

            (void)unlink(fresh);
            errno = err;
            if (err == EBUSY || err == EROFS) {
                ok = write_into(p, &st, fname, text, len);
            }
        }
    }
    if (!ok) {
        fname = apr_psprintf(p, "%s can't be written: %s", fname,
                             apr_strerror(errno, errbuf, sizeof(errbuf)));
    }
    if (dirfd >= 0) {
        (void)fsync(dirfd);
        close(dirfd);
    }
    return ok ? NULL : fname;
}
