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

#include "standby_known.h"
#include "standby_look.h"
#include "standby_pass.h"
#include "standby_rate.h"
#include "standby_store.h"
#include "standby_text.h"

extern module AP_MODULE_DECLARE_DATA standby_module;

/* Log numbers are of those that httpd keeps for modules of others */
#define STANDBY_BROTLI "mod_brotli.c"
#define STANDBY_VARIABLE "MITIGATION"
/* The application is asked to leave out optional parts */
#define STANDBY_BROWNOUT "MITIGATION_BROWNOUT"
/* The wall is up on any level */
#define STANDBY_WALL "MITIGATION_WALL"
/* Cookies of those whom it let through */
#define STANDBY_PASS "ic2_pass_"

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
    apr_array_header_t *crawlers;       /* of standby_name_t: class, word */
    apr_array_header_t *crawler_rates;  /* of standby_crawler_rate_t */
    int shared_age;                     /* 1 keep, 2 rewrite */
    int wall;                           /* a level, STANDBY_WALL_FLAG or _OFF */
    apr_array_header_t *wall_from;      /* of apr_ipsubnet_t * */
    apr_array_header_t *engines;        /* of standby_name_t: word, domains */
    int pass_rate;                      /* requests a minute */
    int network_rate;
    int pass_lifetime;                  /* seconds */
} standby_server_t;

/* A level of the wall that is none: it is never up, or with the flag alone */
#define STANDBY_WALL_OFF (-2)
#define STANDBY_WALL_FLAG (-1)

/* A word of a user agent, and the class of crawlers or the domains (each with a
 * space behind it) that it stands for */
typedef struct {
    const char *word;
    const char *of;
} standby_name_t;

/* From a level on, requests of a class of crawlers in a minute; 0: none */
typedef struct {
    const char *name;
    int level;
    int per_minute;
} standby_crawler_rate_t;

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
    apr_array_header_t *open;           /* paths that have no wall */
    apr_array_header_t *public_paths;   /* what the application says is public */
    int public_level;                   /* from this level on, plus 1 */
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
/* Of an answer that the application calls public: also where no page is served */
/* True if any section has answers that the application calls public */
int standby_has_public(void);
int standby_public_age_on(const standby_dir_t *conf, int level, int early);
int standby_longest_of_all(const standby_dir_t *conf);

/* ---- who asks for what (standby_request.c) ---- */

/* Why a request passes the store by. The order is that of standby_reasons. */
typedef enum {
    STANDBY_MAY, STANDBY_NO_STORE, STANDBY_NO_PAGES, STANDBY_METHOD,
    STANDBY_INNER, STANDBY_BODY, STANDBY_AUTHORIZATION, STANDBY_USER,
    STANDBY_CERTIFICATE, STANDBY_HEADER, STANDBY_RANGE, STANDBY_ACCEPT,
    STANDBY_COOKIE, STANDBY_HAS_WRITTEN, STANDBY_PATH, STANDBY_NO_PAGE,
    STANDBY_EXCEPTION, STANDBY_QUERY, STANDBY_LONG, STANDBY_LONG_LIST,
    STANDBY_FASTCGI,
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
    const char *encodings;      /* the class of Accept-Encoding */
    int is_public;              /* by its path: the application decides */
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

/* Somebody who was let in, or showed a certificate */
standby_reason_t standby_is_person(request_rec *r);

/* Who asks: an address, a network, or a header's value */
const char *standby_client(request_rec *r);

/* What all Cookie headers of a request hold */
void standby_read_cookies(request_rec *r, standby_cookies_t *cookies);

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
    STANDBY_NOT_PUBLIC,
    STANDBY_REFUSALS
} standby_refusal_t;

extern const char *const standby_refusals[STANDBY_REFUSALS];

/* Judges status and headers. is_public: the application must say that it is, and
 * for how long. *fresh_for: seconds that it grants, 0 for any number. */
standby_refusal_t standby_judge_answer(request_rec *r, int is_public,
                                       apr_uint32_t *fresh_for);

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

/* ---- the wall (standby_wall.c) ---- */

typedef enum {
    STANDBY_GATE_NONE,          /* the wall is nothing to this request */
    STANDBY_GATE_PASS, STANDBY_GATE_WALL
} standby_gate_t;

typedef struct {
    standby_gate_t gate;
    const char *client;
    apr_uint64_t pass;          /* its number */
    int wait;                   /* seconds, if the pass was used too often */
} standby_meeting_t;

/* Called when the configuration has been read */
void standby_wall_init(server_rec *s);

/* True if any virtual host has a wall: all are told of the flag then, also the
 * one with the status page */
int standby_has_wall(void);

int standby_wall_is_up(request_rec *r, int level);

/* Who stands before the wall */
void standby_meet_wall(request_rec *r, standby_meeting_t *meeting);

/* Uses a pass for one page that is built; false if it was used too often */
int standby_take_pass(request_rec *r, standby_meeting_t *meeting);

/* Answers with the page that asks again */
int standby_show_wall(request_rec *r, const standby_meeting_t *meeting);

/* ---- search engines (standby_engine.c) ---- */

#define STANDBY_DOMAINS 256         /* bytes of an engine's domains */

/* True if it is known that who asks is the search engine whose name it has.
 * What is not known is found out for the next time. */
int standby_is_engine(request_rec *r, const standby_server_t *conf);

/* Called in each child */
void standby_engine_child(apr_pool_t *p);

/* ---- what is counted (standby_status.c) ---- */

/* The order is that of standby_wall_counts */
typedef enum {
    STANDBY_WALL_MET,           /* asked to come again, with a pass */
    STANDBY_WALL_LIMITED,       /* asked to wait: the pass was used too often */
    STANDBY_WALL_STORED,        /* got a stored page before the wall */
    STANDBY_WALL_PASS,          /* let through with a pass */
    STANDBY_WALL_ENGINE, STANDBY_WALL_OPEN,
    STANDBY_WALL_COUNTS
} standby_wall_count_t;

extern const char *const standby_wall_counts[STANDBY_WALL_COUNTS];

/* False if there is no secret to be had */
int standby_status_init(apr_pool_t *pconf, server_rec *s);
void standby_count_passed(standby_reason_t reason, const char *name);
void standby_count_refused(standby_refusal_t refusal, const char *path,
                           const char *what);
void standby_count_hit(void);
void standby_count_build(const char *client);
void standby_count_stored(const standby_result_t *result, const char *path,
                          const char *text);
void standby_set_level_seen(int level);
void standby_count_wall(standby_wall_count_t what);
void standby_count_crawler(const char *name);
/* Somebody who was asked to come later, and how long that took */
void standby_count_turned_away(apr_time_t lasted);
/* A note on the request that came over the connection: it is one of these */
#define STANDBY_TURNED_AWAY "standby-turned-away"
/* 16 bytes, the same in all children, for as long as httpd's parent lives */
const unsigned char *standby_secret(void);
/* Of all children */
standby_rates_t *standby_shared_rates(void);
standby_known_t *standby_shared_known(void);

#endif
