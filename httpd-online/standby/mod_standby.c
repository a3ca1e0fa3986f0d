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
 * mod_standby: pages that are the same for every anonymous visitor, kept in case
 * they are wanted.
 *
 * A mitigation level says how old a page may be that is served. On level 0 every
 * page is built for every visitor, as without this module, and stored. Nothing
 * is stored or served that is not known to be everybody's: the request has
 * nothing but what the lists allow (standby_request.c), no header makes the
 * answer somebody's (standby_answer.c), the page holds nothing of the request
 * and was the same for another visitor (standby_look.c, standby_store.c).
 *
 * The application sees each request as it was sent. mod_cache is not used: the
 * evidence has to lie beside the page, the whole page has to be seen before it
 * is stored, and mod_cache changes requests and answers.
 */

#include "standby.h"

#include "apr_lib.h"
#include "apr_network_io.h"
#include "apr_siphash.h"
#include "apr_strings.h"
#include "apr_uri.h"
#include "ap_mpm.h"
#include "http_core.h"
#include "http_log.h"
#include "http_main.h"
#include "http_protocol.h"
#include "http_request.h"
#include "unixd.h"
#include "util_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before mod_deflate: the page as it was built */
#define LOOK_FILTER "STANDBY_LOOK"
/* Behind all that changes an answer: the page as it is sent */
#define SAVE_FILTER "STANDBY_SAVE"
/* What is done to answers, whether they are stored or not */
#define ANSWER_FILTER "STANDBY_ANSWER"
#define FILE_BYTES 4096
#define RETRY_AFTER "120"

/* A page while it is built */
typedef struct {
    standby_request_t judged;
    standby_refusal_t refusal;
    int over;               /* nothing more is gathered */
    int looked;             /* all of the page was seen */
    char *page;             /* as built */
    apr_size_t page_length;
    apr_size_t page_room;
    char *body;             /* as sent */
    apr_size_t body_length;
    apr_size_t body_room;
    apr_size_t most;
    apr_uint32_t fresh_for;
    int begun;              /* the first of the page was seen */
    apr_int64_t announced;  /* bytes that the application said; -1: it did not */
    int saving;             /* the first of what is sent was */
    int personal;           /* it holds the client's address */
    const char *headers;    /* what is kept of them */
    const char *compared;
} build_t;

static ap_filter_rec_t *look_filter, *save_filter, *answer_filter;

/* ---- the level ---- */

/* The number in the line `MITIGATION N` of a text; 0 without one */
static int level_in(const char *text)
{
    while (text && *text) {
        const char *end = strchr(text, '\n');

        if (!strncmp(text, STANDBY_VARIABLE, sizeof(STANDBY_VARIABLE) - 1)) {
            const char *at = text + sizeof(STANDBY_VARIABLE) - 1;
            char *behind;
            long level;

            if (*at == ' ' || *at == '\t') {
                at += strspn(at, " \t");
                level = strtol(at, &behind, 10);
                return apr_isdigit(*at) && (*at != '0' || behind == at + 1)
                       && (!*behind || apr_isspace(*behind)) && level <= 65535
                       ? (int)level : 0;
            }
        }
        text = end ? end + 1 : NULL;
    }
    return 0;
}

/* A file that is not there, or is something else, is level 0; the first is so
 * until an agent has run */
static int level_of_file(request_rec *r, const char *path)
{
    static int last_error;
    char text[FILE_BYTES + 1];
    ssize_t length = -1;
    int error = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0) {
        length = read(fd, text, FILE_BYTES);
        error = length < 0 ? errno : 0;
        close(fd);
    }
    else {
        error = errno;
    }
    if (error && error != last_error && error != ENOENT) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, error, r, APLOGNO(12021)
                      "StandbyLevel: cannot read %s: the level is 0", path);
    }
    last_error = error;
    text[length > 0 ? length : 0] = '\0';
    return level_in(text);
}

static int level_of(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    const char *name = conf->level_from == STANDBY_LEVEL_VARIABLE
                       ? conf->level_name : STANDBY_VARIABLE;
    const char *value = apr_table_get(r->subprocess_env, name);
    int level = value ? atoi(value) : 0;

    return level < 0 ? 0 : level;
}

static int is_crawler(request_rec *r, const standby_server_t *conf, int level)
{
    const char *agent = apr_table_get(r->headers_in, "User-Agent");
    int i;

    for (i = 0; agent && conf->crawlers && i < conf->crawlers->nelts; ++i) {
        const standby_crawler_t *crawler = &APR_ARRAY_IDX(conf->crawlers, i,
                                                          standby_crawler_t);

        if (level >= crawler->level
            && ap_strcasestr(agent, crawler->word)) {
            return 1;
        }
    }
    return 0;
}

static int standby_post_read_request(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);

    if (!conf->level_from) {
        return DECLINED;
    }
    if (conf->level_from == STANDBY_LEVEL_FILE) {
        const char *level = NULL;

        if (r->prev) {      /* it stays as it was for this visitor */
            level = apr_table_get(r->prev->subprocess_env, STANDBY_VARIABLE);
        }
        apr_table_setn(r->subprocess_env, STANDBY_VARIABLE, level ? level
                       : apr_itoa(r->pool, level_of_file(r, conf->level_name)));
    }
    if (!r->prev) {
        standby_set_level_seen(level_of(r));
        if (is_crawler(r, conf, level_of(r))) {
            apr_table_setn(r->subprocess_env, "crawler", "1");
        }
    }
    return DECLINED;
}

/* Crawlers that are told to come back later, but for where they learn what they
 * may do */
static int standby_translate_name(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);

    if (r->prev || r->main || !conf->crawlers
        || !apr_table_get(r->subprocess_env, "crawler")
        || (r->uri && !strcmp(r->uri, "/robots.txt"))) {
        return DECLINED;
    }
    apr_table_setn(r->err_headers_out, "Retry-After", RETRY_AFTER);
    return HTTP_SERVICE_UNAVAILABLE;
}

/* For logs: has somebody a cookie of a member? */
static int standby_fixups(request_rec *r)
{
    const apr_array_header_t *headers;
    standby_cookie_classes_t classes;
    standby_cookies_t cookies;
    int i;

    if (!STANDBY_SERVER(r->server)->level_from
        || !apr_table_get(r->headers_in, "Cookie")) {
        return DECLINED;
    }
    memset(&cookies, 0, sizeof(cookies));
    standby_cookie_classes(STANDBY_DIR(r), &classes);
    headers = apr_table_elts(r->headers_in);
    for (i = 0; i < headers->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(headers, i,
                                                         apr_table_entry_t);

        if (!strcasecmp(header->key, "Cookie")) {
            standby_parse_cookies(r->pool, header->val, &classes, &cookies);
        }
    }
    if (cookies.member) {
        apr_table_setn(r->subprocess_env, "ic2_member", "1");
    }
    return DECLINED;
}

/* ---- from the store ---- */

static void rewrite_if_asked(request_rec *r)
{
    if (STANDBY_SERVER(r->server)->shared_age == 2) {
        standby_rewrite_shared_age(r);
    }
}

static int send_copy(request_rec *r, const standby_copy_t *copy, apr_time_t now)
{
    apr_bucket_brigade *bb = apr_brigade_create(r->pool,
                                                r->connection->bucket_alloc);
    apr_status_t rv;

    /* the copy is what the filters of content have made of the page, and its
     * headers are all of them */
    r->output_filters = r->proto_output_filters;
    apr_table_clear(r->headers_out);
    apr_table_clear(r->err_headers_out);
    r->content_encoding = NULL;
    standby_set_headers(r, copy->headers);
    rewrite_if_asked(r);
    apr_table_setn(r->headers_out, "Age",
                   apr_psprintf(r->pool, "%" APR_INT64_T_FMT,
                                apr_time_sec(now - copy->facts.built)));
    apr_table_setn(r->headers_out, "X-Cache", "HIT");
    r->status = copy->facts.status;
    r->no_local_copy = 1;
    ap_set_content_length(r, copy->body_length);
    if (copy->body_length) {
        apr_brigade_insert_file(bb, copy->file, copy->body_at,
                                copy->body_length, r->pool);
    }
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(bb->bucket_alloc));
    rv = ap_pass_brigade(r->output_filters, bb);
    if (rv != APR_SUCCESS && !r->connection->aborted) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, rv, r, APLOGNO(12022)
                      "a stored page could not be sent");
        return AP_FILTER_ERROR;
    }
    return OK;
}

/* One visitor in sixteen has a page built before it is too old for all */
static int is_early(request_rec *r)
{
    return r->connection->client_addr->port % 16 == 6;
}

static void say(request_rec *r, const char *what)
{
    apr_table_setn(r->subprocess_env, "cache-status", what);
}

static void begin_build(request_rec *r, const standby_request_t *judged)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    build_t *build = apr_pcalloc(r->pool, sizeof(*build));

    build->judged = *judged;
    build->most = conf->most_page ? (apr_size_t)conf->most_page : 1 << 20;
    standby_find_needles(r, &build->judged);
    standby_count_build(judged->client);
    say(r, "cache miss");
    ap_set_module_config(r->request_config, &standby_module, build);
    if (build->judged.storable) {
        ap_add_output_filter_handle(look_filter, build, r, r->connection);
    }
    else {
        build->over = 1;
    }
    ap_add_output_filter_handle(save_filter, build, r, r->connection);
}

/* A page with all its parts is better than one without, if it is young enough */
static int find_copy(request_rec *r, const standby_store_t *store,
                     const standby_request_t *judged, apr_time_t now, int age,
                     standby_copy_t *copy)
{
    const standby_key_t *keys[2];
    int i;

    keys[0] = &judged->whole;
    keys[1] = &judged->key;
    for (i = 0; i < (strcmp(keys[0]->variant, keys[1]->variant) ? 2 : 1); ++i) {
        if (standby_store_find(r->pool, store, keys[i], copy)
            && standby_may_serve(&copy->facts, now, apr_time_from_sec(age))) {
            return 1;
        }
    }
    return 0;
}

static int standby_handler(request_rec *r)
{
    const standby_dir_t *dir = STANDBY_DIR(r);
    standby_request_t judged;
    standby_store_t store;
    standby_copy_t copy;
    apr_time_t now;
    int level, age;

    if (!dir->application || !r->filename
        || strcmp(dir->application, r->filename)) {
        return DECLINED;
    }
    standby_judge_request(r, &judged);
    level = level_of(r);
    if (!judged.reason && judged.needs_known_level
        && (!dir->known_level || level < dir->known_level)) {
        judged.reason = STANDBY_COOKIE;
    }
    if (judged.reason) {
        standby_count_passed(judged.reason, judged.name);
        say(r, apr_pstrcat(r->pool, "pass: ", standby_reasons[judged.reason],
                           NULL));
        return DECLINED;
    }
    standby_store_of(STANDBY_SERVER(r->server), &store);
    age = standby_age_on(dir, level, is_early(r));
    now = apr_time_now();
    if (age && !standby_store_problem(r->pool, &store)
        && find_copy(r, &store, &judged, now, age, &copy)) {
        standby_count_hit();
        say(r, "cache hit");
        return send_copy(r, &copy, now);
    }
    begin_build(r, &judged);
    return DECLINED;
}

/* ---- into the store ---- */

/* False if there is more than is stored */
static int gather(request_rec *r, char **text, apr_size_t *length,
                  apr_size_t *room, const char *data, apr_size_t size,
                  apr_size_t most)
{
    if (size > most - *length) {
        return 0;
    }
    if (size > *room - *length) {
        apr_size_t larger = *room ? *room : 16384;
        char *other;

        while (larger < *length + size) {
            larger *= 2;
        }
        other = apr_palloc(r->pool, larger);
        if (*length) {
            memcpy(other, *text, *length);
        }
        *text = other;
        *room = larger;
    }
    memcpy(*text + *length, data, size);
    *length += size;
    return 1;
}

static void refuse(build_t *build, standby_refusal_t why)
{
    if (why && !build->over) {
        build->over = 1;
        build->refusal = why;
    }
}

/* Reads what a brigade holds. ended: its end was there. */
static void gather_all(request_rec *r, apr_bucket_brigade *bb, build_t *build,
                       char **text, apr_size_t *length, apr_size_t *room,
                       int *ended)
{
    apr_bucket *b;

    *ended = 0;
    for (b = APR_BRIGADE_FIRST(bb); b != APR_BRIGADE_SENTINEL(bb);
         b = APR_BUCKET_NEXT(b)) {
        const char *data;
        apr_size_t size;

        if (AP_BUCKET_IS_ERROR(b)) {
            refuse(build, STANDBY_INCOMPLETE);
        }
        else if (APR_BUCKET_IS_EOS(b)) {
            *ended = 1;
        }
        if (build->over || APR_BUCKET_IS_METADATA(b)) {
            continue;
        }
        if (apr_bucket_read(b, &data, &size, APR_BLOCK_READ) != APR_SUCCESS) {
            refuse(build, STANDBY_INCOMPLETE);
        }
        else if (!gather(r, text, length, room, data, size, build->most)) {
            refuse(build, STANDBY_TOO_LARGE);
        }
    }
}

/* Before anything changes the page. What is not stored anyway is not gathered. */
static apr_status_t look_out_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    build_t *build = f->ctx;
    int ended;

    if (!build->over && !build->begun) {
        const char *length = apr_table_get(r->headers_out, "Content-Length");

        build->begun = 1;
        build->announced = length ? apr_atoi64(length) : -1;
        refuse(build, standby_judge_answer(r, &build->fresh_for));
        if (r->content_encoding
            || apr_table_get(r->headers_out, "Content-Encoding")
            || apr_table_get(r->err_headers_out, "Content-Encoding")) {
            refuse(build, STANDBY_ENCODED);     /* it cannot be looked into */
        }
    }
    if (!build->over) {
        gather_all(r, bb, build, &build->page, &build->page_length,
                   &build->page_room, &ended);
        build->looked = build->looked || ended;
    }
    return ap_pass_brigade(f->next, bb);
}

/* What is known of a page that may not be stored any more is not true any
 * more */
static void withdraw(request_rec *r, const build_t *build)
{
    standby_store_t store;

    standby_store_of(STANDBY_SERVER(r->server), &store);
    if (r->status >= 300 && r->status != HTTP_NOT_MODIFIED) {
        standby_store_purge(r->pool, &store, build->judged.key.base);
    }
    else if (build->refusal && build->refusal != STANDBY_INCOMPLETE
             && (build->refusal != STANDBY_REFLECTS || build->personal)) {
        standby_store_drop(r->pool, &store, &build->judged.key);
    }
}

/* Does the answer hold something of the request? */
static const standby_needle_t *look(request_rec *r, build_t *build,
                                    const char *headers, standby_look_t *seen)
{
    standby_look_t of_headers;
    const standby_needle_t *found;

    standby_look(r->pool, headers, strlen(headers), build->judged.needles,
                 NULL, standby_secret(), &of_headers);
    found = of_headers.found;
    if (!found) {
        standby_look(r->pool, build->page ? build->page : "",
                     build->page_length, build->judged.needles,
                     STANDBY_DIR(r)->masks, standby_secret(), seen);
        found = seen->found;
    }
    return found;
}

/* The page and its headers are whole: is it everybody's? */
static void store(request_rec *r, build_t *build)
{
    const standby_dir_t *conf = STANDBY_DIR(r);
    const standby_needle_t *found;
    standby_look_t seen;
    standby_page_t page;
    standby_store_t store;
    standby_result_t result;
    const char *client = build->judged.client;
    apr_int64_t at;

    found = look(r, build, build->headers, &seen);
    if (found) {
        build->personal = found->whole;
        refuse(build, STANDBY_REFLECTS);
        standby_count_refused(STANDBY_REFLECTS, build->judged.shown,
                              found->what);
        return;
    }
    standby_store_of(STANDBY_SERVER(r->server), &store);
    if (standby_store_problem(r->pool, &store)) {
        standby_count_refused(STANDBY_NOT_STORED, build->judged.shown, "");
        return;
    }
    page.built = r->request_time;
    page.client = apr_siphash24(client, strlen(client), standby_secret());
    page.fresh_for = build->fresh_for;
    page.status = r->status;
    page.headers = build->headers;
    page.compared_headers = apr_siphash24(build->compared,
                                          strlen(build->compared),
                                          standby_secret());
    page.blocks = seen.blocks;
    page.body = build->body ? build->body : "";
    page.body_length = build->body_length;
    page.secret = standby_secret();
    page.window = apr_time_from_sec(conf->window ? conf->window
                                                 : STANDBY_WINDOW);
    page.lifetime = apr_time_from_sec(conf->lifetime ? conf->lifetime
                                                     : STANDBY_LIFETIME);
    result = standby_store_put(r->pool, &store, &build->judged.key, &page);
    at = result.differs_at;
    standby_count_stored(&result, build->judged.shown,
                         at >= 0 && at < (apr_int64_t)build->page_length
                         ? apr_pstrmemdup(r->pool, build->page + at,
                               build->page_length - at < 90
                               ? build->page_length - at : 90) : "");
}

/* Behind what changes pages: the headers are all there now */
static void begin_save(request_rec *r, build_t *build)
{
    build->saving = 1;
    apr_table_unset(r->err_headers_out, "X-Cache");
    apr_table_setn(r->headers_out, "X-Cache", "MISS");
    refuse(build, standby_judge_answer(r, &build->fresh_for));
    if (!build->over) {
        standby_answer_headers(r, &build->headers, &build->compared);
    }
}

/* What httpd or the application says of the length must be so */
static int is_whole(request_rec *r, const build_t *build)
{
    const char *length = apr_table_get(r->headers_out, "Content-Length");
    char *end;

    return build->looked && !r->connection->aborted && !r->no_cache
           && (build->announced < 0
               || build->announced == (apr_int64_t)build->page_length)
           && (!length || (apr_strtoi64(length, &end, 10)
                           == (apr_int64_t)build->body_length && !*end));
}

static apr_status_t save_out_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    build_t *build = f->ctx;
    int ended = 0;

    if (APR_BRIGADE_EMPTY(bb)) {
        return ap_pass_brigade(f->next, bb);
    }
    if (!build->saving) {
        begin_save(r, build);
    }
    if (!build->over) {
        gather_all(r, bb, build, &build->body, &build->body_length,
                   &build->body_room, &ended);
    }
    if (ended && !build->over) {
        if (is_whole(r, build)) {
            store(r, build);
            build->over = 1;
        }
        else {
            refuse(build, STANDBY_INCOMPLETE);
        }
    }
    if (build->over) {
        if (build->refusal && build->refusal != STANDBY_REFLECTS) {
            standby_count_refused(build->refusal, build->judged.shown, "");
        }
        withdraw(r, build);
        ap_remove_output_filter(f);
    }
    return ap_pass_brigade(f->next, bb);
}

/* An error of httpd's own comes by none of these filters */
static void standby_insert_error_filter(request_rec *r)
{
    build_t *build = ap_get_module_config(r->request_config, &standby_module);

    if (build && !build->saving) {
        build->over = 1;
        withdraw(r, build);
    }
}

/* ---- answers that are not stored ---- */

/* Where the page is that somebody who has written sees next: where the answer
 * leads to, else where the request came from */
static const char *fresh_path(request_rec *r)
{
    const char *host = apr_table_get(r->headers_in, "Host");
    const char *to = apr_table_get(r->headers_out, "Location");
    char *path;
    apr_uri_t uri;
    int i;

    if (!to) {
        to = apr_table_get(r->err_headers_out, "Location");
    }
    if (to && (apr_uri_parse(r->pool, to, &uri) != APR_SUCCESS
               || (uri.hostinfo && (!host || strcasecmp(uri.hostinfo, host))))) {
        return "/";
    }
    if (!to && (!(to = apr_table_get(r->headers_in, "Referer"))
                || apr_uri_parse(r->pool, to, &uri) != APR_SUCCESS)) {
        return "/";
    }
    if (!uri.path || uri.path[0] != '/' || uri.path[1] == '/') {
        return "/";
    }
    path = apr_pstrdup(r->pool, uri.path);
    path[strcspn(path, ",")] = '\0';
    for (i = 0; path[i]; ++i) {
        if (path[i] <= ' ' || path[i] == ';' || path[i] >= 0x7f) {
            return "/";
        }
    }
    return path;
}

static int has_written(request_rec *r)
{
    static const char *const reading[] = {
        "GET ", "HEAD ", "OPTIONS ", "TRACE ", "PURGE ", NULL
    };
    int i;

    for (i = 0; reading[i]; ++i) {
        if (!r->the_request
            || !strncmp(r->the_request, reading[i], strlen(reading[i]))) {
            return 0;
        }
    }
    return 1;
}

static apr_status_t answer_out_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;

    if (APR_BRIGADE_EMPTY(bb)) {
        return ap_pass_brigade(f->next, bb);
    }
    rewrite_if_asked(r);
    if (has_written(r) && r->status < 400) {
        apr_table_addn(r->err_headers_out, "Set-Cookie",
                       apr_psprintf(r->pool, STANDBY_FRESH "=1; Path=%s;"
                                    " Max-Age=%d; HttpOnly; SameSite=Lax",
                                    fresh_path(r),
                                    standby_longest_age(STANDBY_DIR(r))));
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}

static void standby_insert_filter(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);

    if (!r->main && conf->store_directory && *conf->store_directory
        && (conf->shared_age == 2 || has_written(r))) {
        ap_add_output_filter_handle(answer_filter, NULL, r, r->connection);
    }
}

static void standby_error_filters(request_rec *r)
{
    standby_insert_error_filter(r);
    standby_insert_filter(r);
}

/* ---- PURGE ---- */

static int may_purge(request_rec *r, const standby_server_t *conf)
{
    static const char *const by_proxies[] = {
        "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", NULL
    };
    apr_sockaddr_t *from[2];
    int i, j, allowed = 0;

    for (i = 0; by_proxies[i]; ++i) {
        if (apr_table_get(r->headers_in, by_proxies[i])) {
            return 0;
        }
    }
    from[0] = r->connection->client_addr;
    from[1] = r->useragent_addr;
    for (i = 0; i < 2; ++i) {
        if (!conf->purge_from) {
            char *address = NULL;

            apr_sockaddr_ip_get(&address, from[i]);
            allowed += address && !strcmp(standby_address_class(address),
                                          "loopback");
            continue;
        }
        for (j = 0; j < conf->purge_from->nelts; ++j) {
            if (apr_ipsubnet_test(APR_ARRAY_IDX(conf->purge_from, j,
                                                apr_ipsubnet_t *), from[i])) {
                ++allowed;
                break;
            }
        }
    }
    return allowed == 2;
}

/* Takes all copies of a page away, whatever else there is at its address */
static int standby_quick_handler(request_rec *r, int lookup)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    apr_array_header_t *any;
    standby_query_t query;
    standby_store_t store;
    int count;

    if (lookup || !r->method || strcmp(r->method, "PURGE")
        || !conf->store_directory || !*conf->store_directory
        || !may_purge(r, conf)) {
        return DECLINED;
    }
    any = apr_array_make(r->pool, 1, sizeof(const char *));
    APR_ARRAY_PUSH(any, const char *) = "*";
    if (!r->parsed_uri.path
        || !standby_parse_query(r->pool, r->parsed_uri.query, any, NULL, NULL,
                                &query)) {
        return HTTP_NOT_FOUND;
    }
    standby_store_of(conf, &store);
    count = standby_store_purge(r->pool, &store,
                                standby_base_key(r->pool, r->hostname,
                                                 r->parsed_uri.path,
                                                 query.normal));
    if (!count) {
        return HTTP_NOT_FOUND;
    }
    ap_set_content_type(r, "text/plain");
    ap_rprintf(r, "%d taken away\n", count);
    return OK;
}

/* ---- start ---- */

static int standby_pre_config(apr_pool_t *pconf, apr_pool_t *plog,
                              apr_pool_t *ptemp)
{
    standby_make_builtin(pconf);
    return OK;
}

static int standby_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                apr_pool_t *ptemp, server_rec *s)
{
    for (; s; s = s->next) {
        const standby_server_t *conf = STANDBY_SERVER(s);

        if (conf->client_header
            && !standby_matches_any(conf->volatile_headers,
                                    conf->client_header, 1)) {
            ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_ERR, 0, s,
                         APLOGNO(12023) "StandbyClientHeader: expected a header"
                         " that StandbyVolatileHeaders names, got \"%s\"",
                         conf->client_header);
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    return OK;
}

/* As root, for httpd's user. What is wrong with it keeps no server down. */
static void make_store(apr_pool_t *p, server_rec *s,
                       const standby_store_t *store)
{
    struct stat is;
    uid_t user = geteuid() ? geteuid() : ap_unixd_config.user_id;

    if (!mkdir(store->directory, 0700) && !geteuid()
        && chown(store->directory, user, ap_unixd_config.group_id)) {
        rmdir(store->directory);
    }
    if (lstat(store->directory, &is)) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, errno, s, APLOGNO(12024)
                     "StandbyStore %s cannot be made: nothing is stored",
                     store->directory);
    }
    else if (!S_ISDIR(is.st_mode) || is.st_uid != user || is.st_mode & 077) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s, APLOGNO(12025)
                     "StandbyStore %s: expected a directory of user %lu with"
                     " mode 700, got user %lu and mode %03o: nothing is stored",
                     store->directory, (unsigned long)user,
                     (unsigned long)is.st_uid, (unsigned)(is.st_mode & 0777));
    }
}

static int standby_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                               apr_pool_t *ptemp, server_rec *s)
{
    const char *made = "";

    standby_request_init(pconf);
    standby_status_init(pconf, s);
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) {
        return OK;
    }
    for (; s; s = s->next) {
        const standby_server_t *conf = STANDBY_SERVER(s);
        standby_store_t store;

        if (conf->store_directory && *conf->store_directory
            && strcmp(made, conf->store_directory)) {
            standby_store_of(conf, &store);
            make_store(ptemp, s, &store);
            made = conf->store_directory;
        }
    }
    return OK;
}

static void standby_register_hooks(apr_pool_t *p)
{
    look_filter = ap_register_output_filter(LOOK_FILTER, look_out_filter, NULL,
                                            AP_FTYPE_CONTENT_SET - 1);
    save_filter = ap_register_output_filter(SAVE_FILTER, save_out_filter, NULL,
                                            AP_FTYPE_PROTOCOL - 2);
    answer_filter = ap_register_output_filter(ANSWER_FILTER, answer_out_filter,
                                              NULL, AP_FTYPE_PROTOCOL - 1);
    ap_hook_pre_config(standby_pre_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_check_config(standby_check_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_config(standby_post_config, NULL, NULL, APR_HOOK_MIDDLE);
    /* behind mod_online_env, before mod_setenvif */
    ap_hook_post_read_request(standby_post_read_request, NULL, NULL,
                              APR_HOOK_FIRST);
    ap_hook_translate_name(standby_translate_name, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(standby_fixups, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_quick_handler(standby_quick_handler, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(standby_handler, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_insert_filter(standby_insert_filter, NULL, NULL, APR_HOOK_LAST);
    ap_hook_insert_error_filter(standby_error_filters, NULL, NULL,
                                APR_HOOK_LAST);
}

AP_DECLARE_MODULE(standby) = {
    STANDARD20_MODULE_STUFF,
    standby_create_dir,
    standby_merge_dir,
    standby_create_server,
    standby_merge_server,
    standby_commands,
    standby_register_hooks,
    0
};
