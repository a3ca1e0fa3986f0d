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


/* The store, see the header */

#include "standby_store.h"

#include "apr_portable.h"
#include "apr_siphash.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORIES 64
/* Tries to get a lock, a millisecond apart, before a page is not stored */
#define LOCK_TRIES 20
#define LOCK_PAUSE 1000
/* A directory is cleaned at one of so many writes into it */
#define CLEAN_EACH 8
/* Seconds after which what a process that was ended has left is removed */
#define LEFT_OVER 60
/* What a file may hold beside its page */
#define MOST_KEY 65536
#define MOST_HEADERS 65536

static const unsigned char name_secret[APR_SIPHASH_KSIZE] = "ic2 stand-by 01";
static const char magic[8] = "IC2SB04";

/* The beginning of a file. What follows: key, headers, blocks, body. */
typedef struct {
    char magic[8];
    standby_facts_t facts;
    apr_uint64_t compared_headers;
    apr_uint32_t key_length;        /* of base, NUL, variant, NUL */
    apr_uint32_t headers_length;    /* with NUL */
    apr_uint32_t blocks;
    apr_uint32_t reserved;
    apr_uint64_t body_length;
} head_t;

const char *standby_store_problem(apr_pool_t *p, const standby_store_t *store)
{
    struct stat is;

    if (lstat(store->directory, &is)) {
        return apr_psprintf(p, "%s: %s", store->directory, strerror(errno));
    }
    if (!S_ISDIR(is.st_mode)) {
        return apr_psprintf(p, "%s is no directory", store->directory);
    }
    if (is.st_uid != geteuid()) {
        return apr_psprintf(p, "%s belongs to user %lu, not to httpd's user %lu",
                            store->directory, (unsigned long)is.st_uid,
                            (unsigned long)geteuid());
    }
    if (is.st_mode & 077) {
        return apr_psprintf(p, "%s has mode %03o, open to others; expected 700",
                            store->directory, (unsigned)(is.st_mode & 0777));
    }
    return NULL;
}

static apr_uint64_t name_hash(const char *text)
{
    return apr_siphash24(text, strlen(text), name_secret);
}

static const char *directory_of(apr_pool_t *p, const standby_store_t *store,
                                apr_uint64_t base)
{
    return apr_psprintf(p, "%s/%02x", store->directory,
                        (unsigned)(base % DIRECTORIES));
}

static const char *path_of(apr_pool_t *p, const standby_store_t *store,
                           const standby_key_t *key)
{
    apr_uint64_t base = name_hash(key->base);

    return apr_psprintf(p, "%s/%016" APR_UINT64_T_HEX_FMT "-%016"
                        APR_UINT64_T_HEX_FMT, directory_of(p, store, base),
                        base, name_hash(key->variant));
}

/* All of it, false if there is less */
static int read_all(int fd, void *to, apr_size_t length, off_t at)
{
    char *next = to;

    while (length) {
        ssize_t got = pread(fd, next, length, at);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return 0;
        }
        next += got;
        at += got;
        length -= got;
    }
    return 1;
}

static int write_all(int fd, const void *from, apr_size_t length)
{
    const char *next = from;

    while (length) {
        ssize_t put = write(fd, next, length);

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return 0;
        }
        next += put;
        length -= put;
    }
    return 1;
}

static const char *key_text(apr_pool_t *p, const standby_key_t *key,
                            apr_size_t *length)
{
    apr_size_t base = strlen(key->base) + 1, variant = strlen(key->variant) + 1;
    char *text = apr_palloc(p, base + variant);

    memcpy(text, key->base, base);
    memcpy(text + base, key->variant, variant);
    *length = base + variant;
    return text;
}

/* Opens a file of this key, of this user, all of whose parts are there; -1 if
 * there is none. head and *tail (what stands before the body) are filled. */
static int open_copy(apr_pool_t *p, const char *path, const standby_key_t *key,
                     head_t *head, char **tail)
{
    apr_size_t key_length, size;
    const char *wanted = key_text(p, key, &key_length);
    struct stat is;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, &is) || !S_ISREG(is.st_mode) || is.st_uid != geteuid()
        || !read_all(fd, head, sizeof(*head), 0)
        || memcmp(head->magic, magic, sizeof(magic))
        || head->key_length != key_length || !head->headers_length
        || head->headers_length > MOST_HEADERS
        || head->blocks > (1u << 20)) {
        close(fd);
        return -1;
    }
    size = head->key_length + head->headers_length
           + head->blocks * sizeof(standby_block_t);
    if ((apr_uint64_t)is.st_size != sizeof(*head) + size + head->body_length) {
        close(fd);
        return -1;
    }
    *tail = apr_palloc(p, size);
    if (!read_all(fd, *tail, size, sizeof(*head))
        || memcmp(*tail, wanted, key_length)
        || (*tail)[head->key_length + head->headers_length - 1] != '\0') {
        close(fd);
        return -1;
    }
    return fd;
}

int standby_store_find(apr_pool_t *p, const standby_store_t *store,
                       const standby_key_t *key, standby_copy_t *copy)
{
    head_t head;
    char *tail;
    int fd = open_copy(p, path_of(p, store, key), key, &head, &tail);

    if (fd < 0) {
        return 0;
    }
    copy->file = NULL;
    if (apr_os_file_put(&copy->file, &fd, APR_FOPEN_READ, p)) {
        close(fd);
        return 0;
    }
    apr_pool_cleanup_register(p, copy->file, (apr_status_t (*)(void *))
                              apr_file_close, apr_pool_cleanup_null);
    copy->facts = head.facts;
    copy->headers = tail + head.key_length;
    copy->body_at = sizeof(head) + head.key_length + head.headers_length
                    + head.blocks * sizeof(standby_block_t);
    copy->body_length = (apr_size_t)head.body_length;
    return 1;
}

int standby_may_serve(const standby_facts_t *facts, apr_time_t now,
                      apr_time_t age)
{
    apr_time_t is = now - facts->built;

    if (facts->fresh_for && age > apr_time_from_sec(facts->fresh_for)) {
        age = apr_time_from_sec(facts->fresh_for);
    }
    return is >= 0 && is < age && facts->proven_until > now
           && facts->varies_until <= now;
}

static void remember_builds(const standby_facts_t *before,
                            const standby_page_t *page, apr_uint64_t digest,
                            standby_facts_t *after)
{
    int i;

    if (before->digest == digest) {
        memcpy(after->recent, before->recent, sizeof(after->recent));
        after->recent[0].built = page->built;
        return;
    }
    memcpy(after->recent + 1, before->recent,
           sizeof(after->recent) - sizeof(after->recent[0]));
    for (i = 1; i < STANDBY_RECENT; ++i) {
        /* it was so before, and was not in between: no change of the page, but
         * one of who asks */
        if (after->recent[i].built && after->recent[i].digest == digest
            && page->built - after->recent[i].built
               <= apr_time_from_sec(STANDBY_WINDOW)) {
            after->varies_until = page->built
                                  + apr_time_from_sec(STANDBY_VARIES);
        }
    }
}

standby_outcome_t standby_judge_build(const standby_facts_t *before,
                                      const standby_page_t *page,
                                      apr_uint64_t digest,
                                      standby_facts_t *after)
{
    apr_uint64_t secret;
    apr_time_t apart;
    int same, is_pair;

    memcpy(&secret, page->secret, sizeof(secret));
    memset(after, 0, sizeof(*after));
    after->built = page->built;
    after->secret = secret;
    after->digest = digest;
    after->client = page->client;
    after->fresh_for = page->fresh_for;
    after->status = page->status;
    after->recent[0].digest = digest;
    after->recent[0].built = page->built;
    if (page->is_public) {
        after->proven_until = page->built + page->lifetime;
        return STANDBY_STORED;
    }
    if (!before || before->secret != secret) {
        return STANDBY_STORED;
    }
    same = before->digest == digest;
    after->varies_until = before->varies_until;
    remember_builds(before, page, digest, after);
    /* of two that are built at once, the older may come later */
    apart = page->built - before->built;
    is_pair = before->client != page->client && apart <= page->window
              && -apart <= page->window;
    if (is_pair && same) {
        after->proven_until = page->built + page->lifetime;
        return STANDBY_PROVEN;
    }
    if (is_pair) {
        return STANDBY_DIFFERS;
    }
    if (!same) {
        return STANDBY_CHANGED;
    }
    after->proven_until = before->proven_until;
    return STANDBY_STORED;
}

/* Where the first block is that is another one; -1 if all are the same */
static apr_int64_t difference(const standby_block_t *before, apr_uint32_t count,
                              const apr_array_header_t *blocks)
{
    int i;

    for (i = 0; i < blocks->nelts; ++i) {
        const standby_block_t *block = &APR_ARRAY_IDX(blocks, i,
                                                      standby_block_t);
        standby_block_t other;

        if (i >= (int)count) {
            return block->offset;
        }
        memcpy(&other, (const char *)before + i * sizeof(other), sizeof(other));
        if (other.hash != block->hash) {
            return block->offset;
        }
    }
    if (blocks->nelts < (int)count && blocks->nelts) {
        return APR_ARRAY_IDX(blocks, blocks->nelts - 1, standby_block_t).offset;
    }
    return -1;
}

/* A descriptor that holds the directory's lock, -1 if it cannot be had */
static int lock_directory(apr_pool_t *p, const char *directory)
{
    const char *path = apr_pstrcat(p, directory, "/lock", NULL);
    int tries, fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0 && errno == ENOENT && !mkdir(directory, 0700)) {
        fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (fd < 0 && errno == ENOENT) {    /* another one has just made it */
        fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (fd < 0) {
        return -1;
    }
    for (tries = 0; flock(fd, LOCK_EX | LOCK_NB); ++tries) {
        if (tries == LOCK_TRIES) {
            close(fd);
            return -1;
        }
        apr_sleep(LOCK_PAUSE);
    }
    return fd;
}

typedef struct {
    const char *path;
    time_t written;
    off_t size;
} file_t;

static int by_time(const void *a, const void *b)
{
    time_t first = ((const file_t *)a)->written;
    time_t second = ((const file_t *)b)->written;

    return first < second ? -1 : first > second;
}

/* The files of a directory, but for the lock */
static apr_array_header_t *list(apr_pool_t *p, const char *directory)
{
    apr_array_header_t *files = apr_array_make(p, 64, sizeof(file_t));
    DIR *dir = opendir(directory);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        struct stat is;
        file_t *file;
        const char *path;

        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "lock")) {
            continue;
        }
        path = apr_pstrcat(p, directory, "/", entry->d_name, NULL);
        if (lstat(path, &is)) {
            continue;
        }
        file = apr_array_push(files);
        file->path = path;
        file->written = is.st_mtime;
        file->size = is.st_size;
    }
    if (dir) {
        closedir(dir);
    }
    return files;
}

/* The oldest files go until the directory's share of the store is kept */
static void clean(apr_pool_t *p, const standby_store_t *store,
                  const char *directory)
{
    apr_array_header_t *files = list(p, directory);
    off_t bytes = 0, most_bytes = store->most_bytes / DIRECTORIES;
    int i, left = files->nelts, most = (int)(store->most_pages / DIRECTORIES);
    time_t now = time(NULL);

    for (i = 0; i < files->nelts; ++i) {
        file_t *file = &APR_ARRAY_IDX(files, i, file_t);

        if (strstr(file->path, ".new") && file->written < now - LEFT_OVER) {
            unlink(file->path);
            file->size = 0;
        }
        bytes += file->size;
    }
    qsort(files->elts, files->nelts, sizeof(file_t), by_time);
    for (i = 0; i < files->nelts && (bytes > most_bytes || left > most); ++i) {
        const file_t *file = &APR_ARRAY_IDX(files, i, file_t);

        unlink(file->path);
        bytes -= file->size;
        --left;
    }
}

static int write_copy(apr_pool_t *p, const char *path, const head_t *head,
                      const char *key, const standby_page_t *page)
{
    const char *fresh = apr_psprintf(p, "%s.%ld-%lx.new", path, (long)getpid(),
                                     (unsigned long)(apr_uintptr_t)p);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
    int written;

    if (fd < 0) {
        return 0;
    }
    written = write_all(fd, head, sizeof(*head))
              && write_all(fd, key, head->key_length)
              && write_all(fd, page->headers, head->headers_length)
              && write_all(fd, page->blocks->elts,
                           head->blocks * sizeof(standby_block_t))
              && write_all(fd, page->body, page->body_length);
    if (close(fd) || !written || rename(fresh, path)) {
        unlink(fresh);
        return 0;
    }
    return 1;
}

standby_result_t standby_store_put(apr_pool_t *p, const standby_store_t *store,
                                   const standby_key_t *key,
                                   const standby_page_t *page)
{
    standby_result_t result = { STANDBY_FAILED, -1 };
    const char *path = path_of(p, store, key), *text;
    const char *directory = directory_of(p, store, name_hash(key->base));
    apr_size_t key_length, headers_length = strlen(page->headers) + 1;
    apr_uint64_t sums[2];
    head_t before, head;
    char *tail;
    int lock, old;

    text = key_text(p, key, &key_length);
    if (key_length > MOST_KEY || headers_length > MOST_HEADERS
        || (lock = lock_directory(p, directory)) < 0) {
        return result;
    }
    sums[0] = page->compared_headers;
    sums[1] = page->blocks->nelts;
    for (old = 0; old < page->blocks->nelts; ++old) {
        sums[0] = apr_siphash24(sums, sizeof(sums), page->secret);
        sums[1] = APR_ARRAY_IDX(page->blocks, old, standby_block_t).hash;
    }
    sums[0] = apr_siphash24(sums, sizeof(sums), page->secret);

    memset(&head, 0, sizeof(head));
    old = open_copy(p, path, key, &before, &tail);
    result.outcome = standby_judge_build(old < 0 ? NULL : &before.facts, page,
                                         sums[0], &head.facts);
    if (old >= 0) {
        if (result.outcome == STANDBY_DIFFERS
            || result.outcome == STANDBY_CHANGED) {
            result.differs_at = difference((const standby_block_t *)(tail
                + before.key_length + before.headers_length), before.blocks,
                page->blocks);
        }
        close(old);
    }
    memcpy(head.magic, magic, sizeof(magic));
    head.compared_headers = page->compared_headers;
    head.key_length = (apr_uint32_t)key_length;
    head.headers_length = (apr_uint32_t)headers_length;
    head.blocks = page->blocks->nelts;
    head.body_length = page->body_length;
    if (!write_copy(p, path, &head, text, page)) {
        /* what is known of it before is not true any more */
        unlink(path);
        result.outcome = STANDBY_FAILED;
    }
    /* a large page is never one too many by much */
    if ((page->built / 7 + page->client) % CLEAN_EACH == 0
        || (apr_off_t)page->body_length * CLEAN_EACH * 4
           > store->most_bytes / DIRECTORIES) {
        clean(p, store, directory);
    }
    close(lock);
    return result;
}

void standby_store_drop(apr_pool_t *p, const standby_store_t *store,
                        const standby_key_t *key)
{
    unlink(path_of(p, store, key));
}

int standby_store_purge(apr_pool_t *p, const standby_store_t *store,
                        const char *base)
{
    apr_uint64_t hash = name_hash(base);
    const char *directory = directory_of(p, store, hash);
    const char *begin = apr_psprintf(p, "%s/%016" APR_UINT64_T_HEX_FMT "-",
                                     directory, hash);
    apr_array_header_t *files = list(p, directory);
    int i, count = 0;

    for (i = 0; i < files->nelts; ++i) {
        const char *path = APR_ARRAY_IDX(files, i, file_t).path;

        if (!strncmp(path, begin, strlen(begin)) && !strstr(path, ".new")
            && !unlink(path)) {
            ++count;
        }
    }
    return count;
}
