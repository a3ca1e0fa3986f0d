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


/* mod_standby: may an answer be stored, and what is kept of its headers? */

#include "standby.h"

#include "apr_date.h"
#include "apr_lib.h"
#include "apr_strings.h"
#include "http_core.h"
#include "http_protocol.h"

#include <stdlib.h>

const char *const standby_refusals[STANDBY_REFUSALS] = {
    "none", "status", "type", "set-cookie", "private", "vary", "encoding",
    "reflects", "too-large", "incomplete", "store", "not-public"
};

/* Of one answer alone, or set anew for each: neither stored nor compared.
 * Validators are not kept, as nobody would answer a condition with them. */
static const char *const own_headers[] = {
    "Age", "Connection", "Content-Length", "Date", "ETag", "Keep-Alive",
    "Last-Modified", "Server", "Server-Timing", "Status", "Trailer",
    "Transfer-Encoding", "Upgrade", "X-Cache", "X-Request-Id", "X-Runtime",
    NULL
};

static int is_in(const char *const *names, const char *name)
{
    for (; *names; ++names) {
        if (!strcasecmp(*names, name)) {
            return 1;
        }
    }
    return 0;
}

/* All values of a header, of both tables; "" if there is none */
static const char *all_of(request_rec *r, const char *name)
{
    const char *first = apr_table_getm(r->pool, r->err_headers_out, name);
    const char *second = apr_table_getm(r->pool, r->headers_out, name);

    return first ? (second ? apr_pstrcat(r->pool, first, ", ", second, NULL)
                           : first)
                 : (second ? second : "");
}

static int has(request_rec *r, const char *name)
{
    return apr_table_get(r->err_headers_out, name)
           || apr_table_get(r->headers_out, name);
}

static int is_private(const char *control)
{
    return standby_has_word(control, "private")
           || standby_has_word(control, "no-store")
           || standby_has_word(control, "no-cache")
           || standby_seconds(control, "s-maxage") == 0;
}

/* Each name must be one whose value is in the key */
static int varies_by_key(request_rec *r, int is_public)
{
    const standby_server_t *server = STANDBY_SERVER(r->server);
    const char *vary = all_of(r, "Vary");

    while (*vary) {
        apr_size_t skip = strspn(vary, " \t,"), length;
        const char *name;

        vary += skip;
        length = strcspn(vary, " \t,");
        name = apr_pstrmemdup(r->pool, vary, length);
        vary += length;
        if (length && strcasecmp(name, "Accept-Encoding")
            && strcasecmp(name, "Accept")
            && (is_public || strcasecmp(name, "Cookie"))
            && strcasecmp(name, "Host")
            && !standby_matches_any(server->keyed_headers, name, 1)) {
            return 0;
        }
    }
    return 1;
}

/* What browsers show or run as a part of a page, and feeds */
static int is_part(const char *type)
{
    static const char *const kinds[] = {
        "image/*", "font/*", "audio/*", "video/*", "text/css",
        "text/javascript", "application/javascript", "application/rss+xml",
        "application/atom+xml", NULL
    };
    int i;

    for (i = 0; kinds[i]; ++i) {
        if (standby_matches(kinds[i], type, 1)) {
            return 1;
        }
    }
    return 0;
}

static int has_type(request_rec *r, const standby_dir_t *conf, int is_public)
{
    const char *type = r->content_type;
    char *bare;
    int i;

    if (!type) {
        return 0;
    }
    bare = apr_pstrmemdup(r->pool, type, strcspn(type, "; \t"));
    if (is_public && is_part(bare)) {
        return 1;
    }
    if (!conf->types) {
        return !is_public && !strcasecmp(bare, "text/html");
    }
    for (i = 0; i < conf->types->nelts; ++i) {
        if (!strcasecmp(bare, APR_ARRAY_IDX(conf->types, i, const char *))) {
            return 1;
        }
    }
    return 0;
}

static int has_status(request_rec *r, const standby_dir_t *conf)
{
    int i;

    if (!conf->statuses) {
        return r->status == HTTP_OK;
    }
    for (i = 0; i < conf->statuses->nelts; ++i) {
        if (APR_ARRAY_IDX(conf->statuses, i, int) == r->status) {
            return 1;
        }
    }
    return 0;
}

/* An Expires of the past is an old way to say no-cache, unless there is a
 * max-age, which makes it void */
static int has_expired(request_rec *r, const char *control)
{
    const char *expires = all_of(r, "Expires");
    apr_time_t at;

    if (!*expires || standby_has_word(control, "max-age")
        || standby_has_word(control, "s-maxage")) {
        return 0;
    }
    at = apr_date_parse_http(expires);
    return at == APR_DATE_BAD || at < r->request_time - apr_time_from_sec(86400);
}

static apr_uint32_t granted(request_rec *r, const char *control)
{
    const char *expires = all_of(r, "Expires");
    long seconds = standby_seconds(control, "s-maxage");
    apr_time_t at;

    if (seconds < 0) {
        seconds = standby_seconds(control, "max-age");
    }
    if (seconds < 0 && *expires) {
        at = apr_date_parse_http(expires);
        seconds = at == APR_DATE_BAD || at <= r->request_time ? 0
                  : (long)apr_time_sec(at - r->request_time);
    }
    return seconds > 0 ? (apr_uint32_t)seconds : 0;
}

standby_refusal_t standby_judge_answer(request_rec *r, int is_public,
                                       apr_uint32_t *fresh_for)
{
    const standby_dir_t *conf = STANDBY_DIR(r);
    const char *control = all_of(r, "Cache-Control");

    *fresh_for = 0;
    if (!has_status(r, conf)) {
        return STANDBY_STATUS;
    }
    if (has(r, "Set-Cookie") || has(r, "Set-Cookie2")
        || has(r, "WWW-Authenticate") || has(r, "Authentication-Info")
        || has(r, "Clear-Site-Data")) {
        return STANDBY_SETS_COOKIE;
    }
    if (is_private(control) || is_private(all_of(r, "Surrogate-Control"))
        || is_private(all_of(r, "CDN-Cache-Control"))
        || standby_has_word(all_of(r, "Pragma"), "no-cache")
        || has_expired(r, control) || r->no_cache) {
        return STANDBY_PRIVATE;
    }
    *fresh_for = granted(r, control);
    if (is_public && (!standby_has_word(control, "public") || !*fresh_for
                      || has(r, "Age") || has(r, "X-Sendfile")
                      || (!standby_has_word(control, "max-age")
                          && !standby_has_word(control, "s-maxage")))) {
        return STANDBY_NOT_PUBLIC;
    }
    if (!has_type(r, conf, is_public)) {
        return STANDBY_TYPE;
    }
    if (!varies_by_key(r, is_public)) {
        return STANDBY_VARY;
    }
    if (has(r, "Content-Range")) {
        return STANDBY_INCOMPLETE;
    }
    return STANDBY_KEEP;
}

typedef struct {
    request_rec *r;
    const standby_dir_t *conf;
    apr_array_header_t *kept;
    apr_array_header_t *compared;
} lines_t;

/* The same without figures */
static const char *without_figures(apr_pool_t *p, const char *text)
{
    char *copy = apr_palloc(p, strlen(text) + 1), *to = copy;

    for (; *text; ++text) {
        if (!apr_isdigit(*text)) {
            *to++ = *text;
        }
    }
    *to = '\0';
    return copy;
}

static int add_line(void *of_lines, const char *name, const char *value)
{
    lines_t *lines = of_lines;
    apr_pool_t *p = lines->r->pool;
    const char *line;

    if (is_in(own_headers, name)
        || standby_matches_any(lines->conf->ignored_headers, name, 1)) {
        return 1;
    }
    line = apr_pstrcat(p, name, ": ", value, "\n", NULL);
    APR_ARRAY_PUSH(lines->kept, const char *) = line;
    if (standby_matches_any(lines->conf->time_headers, name, 1)) {
        line = without_figures(p, line);
    }
    if (strcasecmp(name, "Expires")) {      /* a time; it is judged by itself */
        APR_ARRAY_PUSH(lines->compared, const char *) = line;
    }
    return 1;
}

void standby_answer_headers(request_rec *r, const char **kept,
                            const char **compared)
{
    lines_t lines;

    lines.r = r;
    lines.conf = STANDBY_DIR(r);
    lines.kept = apr_array_make(r->pool, 16, sizeof(const char *));
    lines.compared = apr_array_make(r->pool, 16, sizeof(const char *));
    if (r->content_type) {
        add_line(&lines, "Content-Type", r->content_type);
    }
    if (r->content_encoding
        && !apr_table_get(r->headers_out, "Content-Encoding")) {
        add_line(&lines, "Content-Encoding", r->content_encoding);
    }
    apr_table_unset(r->headers_out, "Content-Type");
    apr_table_do(add_line, &lines, r->err_headers_out, NULL);
    apr_table_do(add_line, &lines, r->headers_out, NULL);
    *kept = apr_array_pstrcat(r->pool, lines.kept, 0);
    *compared = apr_array_pstrcat(r->pool, lines.compared, 0);
}

void standby_set_headers(request_rec *r, const char *lines)
{
    while (*lines) {
        apr_size_t length = strcspn(lines, "\n");
        char *line = apr_pstrmemdup(r->pool, lines, length);
        char *colon = strstr(line, ": ");

        lines += length + (lines[length] ? 1 : 0);
        if (!colon) {
            continue;
        }
        *colon = '\0';
        if (!strcasecmp(line, "Content-Type")) {
            ap_set_content_type(r, colon + 2);
        }
        else {
            apr_table_addn(r->headers_out, line, colon + 2);
        }
    }
}

void standby_rewrite_shared_age(request_rec *r)
{
    const char *control = all_of(r, "Cache-Control");
    apr_table_t *tables[2];
    int i;

    /* what browsers may keep, too, is meant for every cache */
    if (standby_seconds(control, "s-maxage") < 0 || is_private(control)
        || standby_seconds(control, "max-age") > 0) {
        return;
    }
    tables[0] = r->err_headers_out;
    tables[1] = r->headers_out;
    for (i = 0; i < 2; ++i) {
        apr_table_unset(tables[i], "Cache-Control");
    }
    apr_table_setn(r->headers_out, "Cache-Control",
                   "s-maxage=0, must-revalidate, max-age=0");
}
