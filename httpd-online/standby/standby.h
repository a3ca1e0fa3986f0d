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


/* mod_standby: what its files share */

#ifndef STANDBY_H
#define STANDBY_H

#include "httpd.h"
#include "http_config.h"

#include "standby_look.h"
#include "standby_store.h"
#include "standby_text.h"

extern module AP_MODULE_DECLARE_DATA standby_module;

/* Log numbers are of those that httpd keeps for modules of others */
#define STANDBY_BROTLI "mod_brotli.c"
#define STANDBY_VARIABLE "MITIGATION"
/* The application is asked to leave out optional parts */
#define STANDBY_BROWNOUT "MITIGATION_BROWNOUT"
#define STANDBY_FRESH "ic2_fresh"

/* ---- configuration (standby_config.c) ---- */

typedef enum {
    STANDBY_LEVEL_UNSET, STANDBY_LEVEL_FILE, STANDBY_LEVEL_VARIABLE
} standby_level_t;

/* Of a server. A member that is NULL or 0 was not set. */
typedef struct {
    standby_level_t level_from;
    const char *level_name;             /* a file or a variable */
    const char *store_directory;        /* "" is off */
    apr_off_t most_bytes;
    apr_uint32_t most_pages;
    apr_off_t most_page;                /* bytes of one page */
    apr_array_header_t *keyed_headers;  /* patterns */
    apr_array_header_t *volatile_headers;
    const char *client_header;
    apr_array_header_t *purge_from;     /* of apr_ipsubnet_t * */
    apr_array_header_t *crawlers;       /* of standby_crawler_t */
    int shared_age;                     /* 1 keep, 2 rewrite */
} standby_server_t;

typedef struct {
    int level;
    const char *word;
} standby_crawler_t;

typedef struct {
    int level;
    int seconds;
    int early;
} standby_age_t;

/* Of a directory, or of all that a server serves */
typedef struct {
    const char *application;            /* "" is off */
    apr_array_header_t *pages;
    apr_array_header_t *except;
    apr_array_header_t *namespaces;
    apr_array_header_t *parameters;
    apr_array_header_t *harmless_parameters;
    apr_array_header_t *harmless_cookies;
    apr_array_header_t *known_cookies;
    int known_level;
    apr_array_header_t *session_cookies;
    apr_array_header_t *ages;           /* of standby_age_t */
    apr_array_header_t *types;
    apr_array_header_t *statuses;       /* of int */
    apr_array_header_t *masks;          /* of standby_mask_t */
    apr_array_header_t *ignored_headers;
    apr_array_header_t *time_headers;
    apr_array_header_t *ignored_environment;
    int window;                         /* seconds */
    int lifetime;
} standby_dir_t;

extern const command_rec standby_commands[];

void *standby_create_server(apr_pool_t *p, server_rec *s);
void *standby_merge_server(apr_pool_t *p, void *outer, void *inner);
void *standby_create_dir(apr_pool_t *p, char *dir);
void *standby_merge_dir(apr_pool_t *p, void *outer, void *inner);

/* The lists that each site has */
const apr_array_header_t *standby_builtin_cookies(void);
const apr_array_header_t *standby_builtin_parameters(void);
void standby_make_builtin(apr_pool_t *p);

#define STANDBY_SERVER(s) ((standby_server_t *) \
    ap_get_module_config((s)->module_config, &standby_module))
#define STANDBY_DIR(r) ((standby_dir_t *) \
    ap_get_module_config((r)->per_dir_config, &standby_module))

/* The store of a server, as standby_store.h wants it */
void standby_store_of(const standby_server_t *conf, standby_store_t *store);

/* How old a page may be on a level, 0: none is served. early: for who has it
 * built before that. */
int standby_age_on(const standby_dir_t *conf, int level, int early);
int standby_longest_age(const standby_dir_t *conf);

/* ---- who asks for what (standby_request.c) ---- */

/* Why a request passes the store by. The order is that of standby_reasons. */
typedef enum {
    STANDBY_MAY, STANDBY_NO_STORE, STANDBY_NO_PAGES, STANDBY_METHOD,
    STANDBY_INNER, STANDBY_BODY, STANDBY_AUTHORIZATION, STANDBY_USER,
    STANDBY_CERTIFICATE, STANDBY_HEADER, STANDBY_RANGE, STANDBY_ACCEPT,
    STANDBY_COOKIE, STANDBY_HAS_WRITTEN, STANDBY_PATH, STANDBY_NO_PAGE,
    STANDBY_EXCEPTION, STANDBY_QUERY, STANDBY_LONG, STANDBY_FASTCGI,
    STANDBY_REASONS
} standby_reason_t;

extern const char *const standby_reasons[STANDBY_REASONS];

/* A request that may be answered from the store, if its reason is STANDBY_MAY */
typedef struct {
    standby_reason_t reason;
    const char *name;           /* of the header or cookie that is the reason */
    standby_key_t key;          /* of what is built */
    standby_key_t whole;        /* of the page with all its parts */
    apr_array_header_t *needles;    /* of standby_needle_t */
    apr_array_header_t *unkeyed;    /* parameters, of standby_pair_t */
    apr_array_header_t *cookies;    /* harmless ones, of standby_pair_t */
    int storable;               /* what is built for it may be stored */
    int needs_known_level;      /* it is a known visitor's: from a level on */
    const char *path;           /* as asked, without the query */
    const char *shown;          /* with the part of it that counts, for people */
    const char *client;         /* who asks: an address or a header's value */
} standby_request_t;

/* What is done with a header that browsers send. A hint may make another page,
 * and is in the key; so is what else begins with Sec-. A fetch is no visit of a
 * page, but of a part of it. */
typedef enum {
    UNKNOWN, IN_KEY, SEARCHED, IS_HINT, IS_FETCH, IS_COOKIE, IS_REFERER,
    IS_CONDITION, IS_RANGE, IS_BODY, IS_AUTHORIZATION, IS_LANGUAGE, IS_KEYED,
    IS_VOLATILE
} standby_header_t;

standby_header_t standby_kind_of(const standby_server_t *conf,
                                 const char *name);

/* The request that came over the connection */
request_rec *standby_first(request_rec *r);

/* "GET" of the request line */
int standby_is_reading(request_rec *r);

/* All but the needles, which only who has a page built needs */
void standby_judge_request(request_rec *r, standby_request_t *judged);

/* ---- for whom (standby_key.c) ---- */

/* The key of a request that may be answered from the store */
void standby_make_key(request_rec *r, const standby_query_t *query,
                      const char *accept, standby_request_t *judged);

/* What of the request must not stand in the page. If that cannot be looked for,
 * the request is not storable. */
void standby_find_needles(request_rec *r, standby_request_t *judged);

/* What a page is taken away by */
const char *standby_base_key(apr_pool_t *p, const char *host, const char *path,
                             const char *query);

/* The classes of cookies in a directory */
void standby_cookie_classes(const standby_dir_t *conf,
                            standby_cookie_classes_t *classes);

/* Called when the configuration has been read */
void standby_request_init(apr_pool_t *p, server_rec *s);

/* ---- what an application answers (standby_answer.c) ---- */

typedef enum {
    STANDBY_KEEP, STANDBY_STATUS, STANDBY_TYPE, STANDBY_SETS_COOKIE,
    STANDBY_PRIVATE, STANDBY_VARY, STANDBY_ENCODED, STANDBY_REFLECTS,
    STANDBY_TOO_LARGE, STANDBY_INCOMPLETE, STANDBY_NOT_STORED,
    STANDBY_REFUSALS
} standby_refusal_t;

extern const char *const standby_refusals[STANDBY_REFUSALS];

/* Judges status and headers. *fresh_for: seconds that the application grants, 0
 * for any number. */
standby_refusal_t standby_judge_answer(request_rec *r, apr_uint32_t *fresh_for);

/* The headers as lines, without those that belong to one answer alone, and the
 * text of those that are compared */
void standby_answer_headers(request_rec *r, const char **kept,
                            const char **compared);

/* Puts such lines into an answer */
void standby_set_headers(request_rec *r, const char *lines);

/* An s-maxage becomes what an obedient cache would say to those behind it */
void standby_rewrite_shared_age(request_rec *r);

/* ---- while a page is built (standby_build.c) ---- */

void standby_register_filters(void);

/* Lets filters look at what is built for a request, and store it */
void standby_begin_build(request_rec *r, const standby_request_t *judged);

/* Hooks: filters for all answers, also those of errors */
void standby_insert_filter(request_rec *r);
void standby_error_filters(request_rec *r);

/* For logs: `cache-status` */
void standby_say(request_rec *r, const char *what);

/* As StandbySharedAge says */
void standby_rewrite_if_asked(request_rec *r);

/* ---- what is counted (standby_status.c) ---- */

void standby_status_init(apr_pool_t *pconf, server_rec *s);
void standby_count_passed(standby_reason_t reason, const char *name);
void standby_count_refused(standby_refusal_t refusal, const char *path,
                           const char *what);
void standby_count_hit(void);
void standby_count_build(const char *client);
void standby_count_stored(const standby_result_t *result, const char *path,
                          const char *text);
void standby_set_level_seen(int level);
/* 16 bytes, the same in all children, for as long as httpd's parent lives */
const unsigned char *standby_secret(void);

#endif
