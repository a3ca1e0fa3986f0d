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


/* mod_standby: filters, through which a page goes while it is built */

#include "standby.h"

#include "apr_lib.h"
#include "apr_siphash.h"
#include "apr_strings.h"
#include "apr_uri.h"
#include "http_core.h"
#include "http_log.h"
#include "http_protocol.h"
#include "util_filter.h"

/* Before mod_deflate: the page as it was built */
#define LOOK_FILTER "STANDBY_LOOK"
/* Behind all that changes an answer: the page as it is sent */
#define SAVE_FILTER "STANDBY_SAVE"
/* What is done to answers, whether they are stored or not */
#define ANSWER_FILTER "STANDBY_ANSWER"
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
    int odd;                /* it is encoded as not all of its class can read */
    const char *headers;    /* what is kept of them */
    const char *compared;
} build_t;

static ap_filter_rec_t *look_filter, *save_filter, *answer_filter;

void standby_say(request_rec *r, const char *what)
{
    apr_table_setn(r->subprocess_env, "cache-status", what);
}

void standby_rewrite_if_asked(request_rec *r)
{
    if (STANDBY_SERVER(r->server)->shared_age == 2) {
        standby_rewrite_shared_age(r);
    }
}

void standby_begin_build(request_rec *r, const standby_request_t *judged)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    build_t *build = apr_pcalloc(r->pool, sizeof(*build));

    build->judged = *judged;
    build->most = conf->most_page ? (apr_size_t)conf->most_page : 1 << 20;
    standby_find_needles(r, &build->judged);
    standby_count_build(judged->client);
    standby_say(r, "cache miss");
    ap_set_module_config(r->request_config, &standby_module, build);
    if (build->judged.storable) {
        ap_add_output_filter_handle(look_filter, build, r, r->connection);
    }
    else {
        build->over = 1;
    }
    ap_add_output_filter_handle(save_filter, build, r, r->connection);
}

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
        refuse(build, standby_judge_answer(r, build->judged.is_public,
                                           &build->fresh_for));
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

/* Whether the status may be about the request and not about the page */
static int has_conditions(request_rec *r)
{
    static const char *const names[] = {
        "If-Match", "If-Unmodified-Since", "If-None-Match", "If-Modified-Since",
        "If-Range", "Range", NULL
    };
    int i;

    for (i = 0; names[i]; ++i) {
        if (apr_table_get(r->headers_in, names[i])) {
            return 1;
        }
    }
    return 0;
}

/* What is known of a page that may not be stored any more is not true any
 * more */
static void withdraw(request_rec *r, const build_t *build)
{
    standby_store_t store;

    standby_store_of(STANDBY_SERVER(r->server), &store);
    if (r->status >= 300 && r->status != HTTP_NOT_MODIFIED
        && build->judged.storable && !has_conditions(r)
        && !build->judged.is_public) {
        standby_store_purge(r->pool, &store, build->judged.key.base);
    }
    else if (r->status >= 300 && r->status != HTTP_NOT_MODIFIED) {
        standby_store_drop(r->pool, &store, &build->judged.key);
    }
    else if (build->refusal && build->refusal != STANDBY_INCOMPLETE
             && !build->odd
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
    page.is_public = build->judged.is_public;
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

/* What compresses pages reads Accept-Encoding in its own way */
static int all_can_read(request_rec *r, const build_t *build)
{
    const char *of_errors = apr_table_getm(r->pool, r->err_headers_out,
                                           "Content-Encoding");
    const char *encoding = apr_table_getm(r->pool, r->headers_out,
                                          "Content-Encoding");

    encoding = encoding ? encoding : r->content_encoding;
    return !of_errors && standby_class_reads(build->judged.encodings, encoding);
}

/* Behind what changes pages: the headers are all there now */
static void begin_save(request_rec *r, build_t *build)
{
    apr_uint32_t granted = build->fresh_for;

    build->saving = 1;
    apr_table_unset(r->err_headers_out, "X-Cache");
    apr_table_setn(r->headers_out, "X-Cache", "MISS");
    refuse(build, standby_judge_answer(r, build->judged.is_public,
                                       &build->fresh_for));
    /* what httpd adds makes nothing last longer than the application says */
    if (granted && (!build->fresh_for || build->fresh_for > granted)) {
        build->fresh_for = granted;
    }
    if (!build->over && !all_can_read(r, build)) {
        build->odd = 1;         /* this says nothing of the page */
        refuse(build, STANDBY_ENCODED);
    }
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

/* An error of httpd's own comes by none of these filters, and may lead to an
 * ErrorDocument, which is another request */
static void withdraw_after_error(request_rec *r)
{
    for (; r; r = r->prev) {
        build_t *build = ap_get_module_config(r->request_config,
                                              &standby_module);

        if (build && !build->saving) {
            build->over = 1;
            build->saving = 1;
            withdraw(r, build);
        }
    }
}

/* ---- answers that are not stored ---- */

static int is_in(const char *text, const char *part)
{
    return text && ap_strstr_c(text, part);
}

/* Browsers drop a path of more than 1,024 bytes */
#define LONGEST_FRESH_PATH 1000

/* A browser shows the answer as a page, and not a script of a page that stays */
static int is_document(request_rec *r)
{
    const char *mode = apr_table_get(r->headers_in, "Sec-Fetch-Mode");

    return mode ? !strcmp(mode, "navigate")
                : is_in(apr_table_get(r->headers_in, "Accept"), "text/html")
                  && !apr_table_get(r->headers_in, "X-Requested-With");
}

/* Where the pages are that somebody who has written sees next: anywhere, since
 * a form leads on from page to page, and pictures lie elsewhere; for a script
 * where the answer leads to, else where the request came from */
static const char *fresh_path(request_rec *r)
{
    const char *host = apr_table_get(r->headers_in, "Host");
    const char *to = apr_table_get(r->headers_out, "Location");
    char *path;
    apr_uri_t uri;
    int i;

    if (is_document(r) || standby_has_public()) {
        return "/";
    }
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
    if (!uri.path || uri.path[0] != '/' || uri.path[1] == '/'
        || strstr(uri.path, "/.") || strchr(uri.path, '\\')
        || strlen(uri.path) > LONGEST_FRESH_PATH) {
        return "/";     /* browsers ask for another path, or keep no such cookie */
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

/* Who has written may be led to the page over several redirections */
static int still_on_the_way(request_rec *r)
{
    return is_in(apr_table_get(r->headers_in, "Cookie"), STANDBY_FRESH "=");
}

static int makes_fresh(request_rec *r)
{
    return r->status < 400
           && (has_written(r)
               || (r->status >= 300 && r->status != HTTP_NOT_MODIFIED
                   && still_on_the_way(r)));
}

static apr_status_t answer_out_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;

    if (APR_BRIGADE_EMPTY(bb)) {
        return ap_pass_brigade(f->next, bb);
    }
    standby_rewrite_if_asked(r);
    if (makes_fresh(r)) {
        apr_table_addn(r->err_headers_out, "Set-Cookie",
                       apr_psprintf(r->pool, STANDBY_FRESH "=1; Path=%s;"
                                    " Max-Age=%d; HttpOnly; SameSite=Lax",
                                    fresh_path(r),
                                    standby_longest_of_all(STANDBY_DIR(r))));
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}

void standby_insert_filter(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);

    withdraw_after_error(r->prev);
    if (!r->main && conf->store_directory && *conf->store_directory
        && (conf->shared_age == 2 || has_written(r) || still_on_the_way(r))) {
        ap_add_output_filter_handle(answer_filter, NULL, r, r->connection);
    }
}

void standby_error_filters(request_rec *r)
{
    withdraw_after_error(r);
    standby_insert_filter(r);
}

void standby_register_filters(void)
{
    /* before mod_expires, too: what the application itself has said */
    look_filter = ap_register_output_filter(LOOK_FILTER, look_out_filter, NULL,
                                            AP_FTYPE_CONTENT_SET - 3);
    save_filter = ap_register_output_filter(SAVE_FILTER, save_out_filter, NULL,
                                            AP_FTYPE_PROTOCOL - 2);
    answer_filter = ap_register_output_filter(ANSWER_FILTER, answer_out_filter,
                                              NULL, AP_FTYPE_PROTOCOL - 1);
}
