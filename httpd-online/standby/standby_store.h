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


/* The store: a directory of files, one for each copy of a page, with what is
 * known of it beside it. Nothing here knows httpd.
 *
 * A file is written under another name and renamed, so that a reader sees all
 * of it or none. Whoever writes a copy holds the lock of its directory (of 64),
 * so that no evidence is lost. Whatever fails, the store has no such page. */

#ifndef STANDBY_STORE_H
#define STANDBY_STORE_H

#include "apr_file_io.h"
#include "apr_pools.h"
#include "apr_tables.h"
#include "apr_time.h"

#include "standby_look.h"

/* Builds that are remembered, to see whether a page goes back and forth */
#define STANDBY_RECENT 8
#define STANDBY_SECRET 16
/* Seconds that a page is not served after it was seen to go back and forth, as
 * one does that depends on who asks */
#define STANDBY_VARIES 600
/* Seconds within which two builds are compared, and that a proof holds, unless
 * StandbyTwins says otherwise */
#define STANDBY_WINDOW 3600
#define STANDBY_LIFETIME 21600

typedef struct {
    const char *directory;
    apr_off_t most_bytes;       /* of all files */
    apr_uint32_t most_pages;
} standby_store_t;

/* Which copy: base says which page (host, path, query), variant for whom */
typedef struct {
    const char *base;
    const char *variant;
} standby_key_t;

typedef struct {
    apr_uint64_t digest;
    apr_time_t built;
} standby_build_t;

/* What is known of a page, as it stands in a file. Times in microseconds. */
typedef struct {
    apr_time_t built;           /* when the request came that had it built */
    apr_time_t proven_until;    /* two visitors got the same; 0: not proven */
    apr_time_t varies_until;    /* it went back and forth; 0: no */
    apr_uint64_t secret;        /* of which secret the digests are */
    apr_uint64_t digest;        /* of the whole page without what is masked */
    apr_uint64_t client;        /* who had it built, as a hash */
    standby_build_t recent[STANDBY_RECENT];     /* the newest first */
    apr_uint32_t fresh_for;     /* seconds that the application grants; 0: as
                                 * many as one likes */
    apr_int32_t status;
} standby_facts_t;

/* A copy that was found */
typedef struct {
    standby_facts_t facts;
    const char *headers;        /* lines `Name: value\n` */
    apr_file_t *file;
    apr_off_t body_at;
    apr_size_t body_length;
} standby_copy_t;

/* A page that was built */
typedef struct {
    apr_time_t built;
    apr_uint64_t client;
    apr_uint32_t fresh_for;
    int status;
    const char *headers;
    const apr_array_header_t *blocks;   /* of standby_block_t */
    apr_uint64_t compared_headers;      /* hash of those that are compared */
    const char *body;                   /* as it is sent: compressed */
    apr_size_t body_length;
    const unsigned char *secret;        /* STANDBY_SECRET bytes */
    int is_public;                      /* the application says so: no twin */
    apr_time_t window;                  /* within which two builds count */
    apr_time_t lifetime;                /* of a proof */
} standby_page_t;

/* What storing a page has shown */
typedef enum {
    STANDBY_STORED,         /* nothing new: the first build, or the same visitor */
    STANDBY_PROVEN,         /* the same as another visitor's */
    STANDBY_DIFFERS,        /* not the same as another visitor's */
    STANDBY_CHANGED,        /* not the same as one of this visitor's, or as one
                             * of long ago */
    STANDBY_FAILED          /* it is not stored */
} standby_outcome_t;

typedef struct {
    standby_outcome_t outcome;
    apr_int64_t differs_at;     /* where in the page (not compressed), to a
                                 * block; -1: in its headers */
} standby_result_t;

/* NULL if the directory can be used: it is one, of this user, closed to others;
 * else why not */
const char *standby_store_problem(apr_pool_t *p, const standby_store_t *store);

/* True if there is such a copy, all of it. The pool closes the file. */
int standby_store_find(apr_pool_t *p, const standby_store_t *store,
                       const standby_key_t *key, standby_copy_t *copy);

/* Stores a page, and judges it by what is known of the builds before */
standby_result_t standby_store_put(apr_pool_t *p, const standby_store_t *store,
                                   const standby_key_t *key,
                                   const standby_page_t *page);

/* Takes one copy away */
void standby_store_drop(apr_pool_t *p, const standby_store_t *store,
                        const standby_key_t *key);

/* Takes all copies of a page away; how many there were */
int standby_store_purge(apr_pool_t *p, const standby_store_t *store,
                        const char *base);

/* May this copy be served now, if a page may be so old (microseconds)? */
int standby_may_serve(const standby_facts_t *facts, apr_time_t now,
                      apr_time_t age);

/* The judgement by itself: facts of the build before (NULL: there is none), the
 * page; writes the new facts */
standby_outcome_t standby_judge_build(const standby_facts_t *before,
                                      const standby_page_t *page,
                                      apr_uint64_t digest,
                                      standby_facts_t *after);

#endif
