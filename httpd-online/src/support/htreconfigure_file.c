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
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "htreconfigure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void sync_directory(apr_pool_t *p, const char *fname)
{
    apr_size_t len = strlen(fname);
    int fd;

    while (len > 1 && fname[len - 1] != '/') {
        --len;
    }
    if ((fd = open(apr_pstrmemdup(p, fname, len), O_RDONLY)) >= 0) {
        fsync(fd);
        close(fd);
    }
}

const char *htreconfigure_replace(apr_pool_t *p, const char *fname,
                                  const char *text, apr_size_t len)
{
    char *tmp = apr_pstrcat(p, fname, ".XXXXXX", NULL), errbuf[120];
    const char *what = "created";
    struct stat st;
    int fd = -1, err;

    errno = 0;
    if (lstat(fname, &st) == 0 && (fd = mkstemp(tmp)) >= 0) {
        what = "written";
        if (fchown(fd, st.st_uid, st.st_gid) == 0
            && fchmod(fd, st.st_mode & 07777) == 0
            && write(fd, text, len) == (ssize_t)len
            && fsync(fd) == 0 && rename(tmp, fname) == 0) {
            close(fd);
            sync_directory(p, fname);
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

