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


/* mod_standby: may a request be answered from the store, and by which copy?
 * What no list here knows passes the store by. */

#include "standby.h"

#include "apr_lib.h"
#include "apr_optional.h"
#include "apr_strings.h"
#include "http_core.h"
#include "http_log.h"
#include "http_protocol.h"
#include "http_request.h"

#include <stdlib.h>

/* Longer ones pass the store by: browsers send none, and the work for a request
 * stays small */
#define LONGEST_URI 4096
#define LONGEST_HEADERS 4096
#define MOST_HEADERS 60
/* Entries of a list such as X-Forwarded-For; with more of them nothing is
 * stored */
#define MOST_ENTRIES 16

APR_DECLARE_OPTIONAL_FN(char *, ssl_var_lookup,
                        (apr_pool_t *, server_rec *, conn_rec *, request_rec *,
                         char *));
static APR_OPTIONAL_FN_TYPE(ssl_var_lookup) *ssl_lookup;
static int has_brotli;

const char *const standby_reasons[STANDBY_REASONS] = {
    "none", "store", "pages", "method", "inner", "body", "authorization",
    "user", "certificate", "header", "range", "accept", "cookie", "has-written",
    "path", "page", "exception", "query", "long"
};

/* What is done with a header that browsers send. A hint may make another page,
 * and is in the key; so is what else begins with Sec-. A fetch is no visit of a
 * page, but of a part of it. */
typedef enum {
    UNKNOWN, IN_KEY, SEARCHED, IS_HINT, IS_FETCH, IS_COOKIE, IS_REFERER, IS_CONDITION, IS_RANGE,
    IS_BODY, IS_AUTHORIZATION, IS_LANGUAGE, IS_KEYED, IS_VOLATILE
} header_t;

typedef struct {
    const char *name;
    header_t is;
} known_header_t;

/* In the order of their names, in small letters */
static const known_header_t known_headers[] = {
    { "accept", SEARCHED }, { "accept-charset", SEARCHED },
    { "accept-encoding", SEARCHED }, { "accept-language", IS_LANGUAGE },
    { "authorization", IS_AUTHORIZATION }, { "cache-control", SEARCHED },
    { "connection", SEARCHED }, { "content-length", IS_BODY },
    { "cookie", IS_COOKIE }, { "dnt", IS_HINT }, { "from", SEARCHED },
    { "host", IN_KEY }, { "if-match", IS_CONDITION },
    { "if-modified-since", IS_CONDITION }, { "if-none-match", IS_CONDITION },
    { "if-range", IS_RANGE }, { "if-unmodified-since", IS_CONDITION },
    { "keep-alive", SEARCHED }, { "pragma", SEARCHED },
    { "priority", SEARCHED }, { "purpose", IS_HINT }, { "range", IS_RANGE },
    { "referer", IS_REFERER }, { "save-data", IS_HINT }, { "sec-ch-ua", SEARCHED },
    { "sec-ch-ua-arch", SEARCHED }, { "sec-ch-ua-bitness", SEARCHED },
    { "sec-ch-ua-full-version", SEARCHED },
    { "sec-ch-ua-full-version-list", SEARCHED },
    { "sec-ch-ua-model", SEARCHED }, { "sec-ch-ua-platform", SEARCHED },
    { "sec-ch-ua-platform-version", SEARCHED }, { "sec-fetch-dest", IS_FETCH },
    { "sec-fetch-mode", IS_FETCH }, { "sec-fetch-site", SEARCHED },
    { "sec-fetch-user", SEARCHED }, { "te", SEARCHED },
    { "transfer-encoding", IS_BODY }, { "upgrade-insecure-requests", SEARCHED },
    { "user-agent", SEARCHED }
};

/* What httpd and we set for each request, or what tells nothing that a page
 * could hold; all else that the configuration sets is in the key */
static const char *const ignored_variables[] = {
    "UNIQUE_ID", "MITIGATION", "MITIGATION_BROWNOUT", "RECONFIGURE_GENERATION",
    "deflate-level", "cache-status", "ic2_member", "crawler", "H2_*", "H2PUSH",
    "HTTP2", "SSL_SESSION_*", "SSL_CIPHER*", "SSL_PROTOCOL", "SSL_VERSION_*",
    "SSL_SERVER_*", "SSL_COMPRESS_METHOD", "SSL_SECURE_RENEG", NULL
};

void standby_request_init(apr_pool_t *p)
{
    ssl_lookup = APR_RETRIEVE_OPTIONAL_FN(ssl_var_lookup);
    has_brotli = ap_find_linked_module(STANDBY_BROTLI) != NULL;
}

request_rec *standby_first(request_rec *r)
{
    while (r->prev) {
        r = r->prev;
    }
    return r;
}

int standby_is_reading(request_rec *r)
{
    return r->the_request && (!strncmp(r->the_request, "GET ", 4)
                              || !strncmp(r->the_request, "HEAD ", 5));
}

static int by_header(const void *name, const void *entry)
{
    return strcasecmp(name, ((const known_header_t *)entry)->name);
}

static header_t kind_of(const standby_server_t *conf, const char *name)
{
    const known_header_t *found;

    /* what says who somebody is cannot be configured away */
    found = bsearch(name, known_headers,
                    sizeof(known_headers) / sizeof(known_headers[0]),
                    sizeof(known_headers[0]), by_header);
    if (found && found->is >= IS_COOKIE && found->is != IS_REFERER
        && found->is != IS_LANGUAGE) {
        return found->is;
    }
    if (standby_matches_any(conf->keyed_headers, name, 1)) {
        return IS_KEYED;
    }
    if (standby_matches_any(conf->volatile_headers, name, 1)) {
        return IS_VOLATILE;
    }
    return found ? found->is : !strncasecmp(name, "Sec-", 4) ? IS_HINT
                                                             : UNKNOWN;
}

void standby_cookie_classes(const standby_dir_t *conf,
                            standby_cookie_classes_t *classes)
{
    classes->builtin = standby_builtin_cookies();
    classes->harmless = conf->harmless_cookies;
    classes->known = conf->known_cookies;
    classes->session = conf->session_cookies;
}

/* ---- the request itself ---- */

/* Who was let in, or showed a certificate */
static standby_reason_t judge_person(request_rec *r)
{
    const char *verify = ssl_lookup ? ssl_lookup(r->pool, r->server,
                                                 r->connection, r,
                                                 "SSL_CLIENT_VERIFY") : NULL;
    const char *said = apr_table_get(r->subprocess_env, "SSL_CLIENT_VERIFY");

    if (r->user || r->ap_auth_type
        || apr_table_get(r->subprocess_env, "REMOTE_USER")) {
        return STANDBY_USER;
    }
    if ((verify && *verify && strcmp(verify, "NONE"))
        || (said && *said && strcmp(said, "NONE"))) {
        return STANDBY_CERTIFICATE;
    }
    return STANDBY_MAY;
}

/* The way from the connection to the application */
static standby_reason_t judge_way(request_rec *r)
{
    request_rec *each;

    if (!standby_is_reading(r)) {
        return STANDBY_METHOD;
    }
    for (each = r; each; each = each->prev) {
        standby_reason_t reason;

        /* neither a part of another page nor what an error led to */
        if (each->main || each->status != HTTP_OK || each->assbackwards) {
            return STANDBY_INNER;
        }
        if (each->method_number != M_GET) {
            return STANDBY_METHOD;
        }
        if ((reason = judge_person(each))) {
            return reason;
        }
    }
    return STANDBY_MAY;
}

/* ---- address ---- */

static int is_exception(request_rec *r, const standby_dir_t *conf,
                        const char *text)
{
    return standby_matches_any(conf->except, text, 1)
           || (conf->namespaces
               && !standby_in_namespace(r->pool, text, conf->namespaces));
}

static standby_reason_t judge_address(request_rec *r, const standby_dir_t *conf,
                                      standby_request_t *judged,
                                      standby_query_t *query)
{
    const char *uri = standby_first(r)->unparsed_uri, *asked, *path;
    int i;

    if (!uri || strlen(uri) > LONGEST_URI) {
        return STANDBY_LONG;
    }
    asked = ap_strchr_c(uri, '?');
    judged->path = asked ? apr_pstrmemdup(r->pool, uri, asked - uri) : uri;
    asked = asked ? asked + 1 : NULL;
    path = standby_plain_path(r->pool, judged->path);
    if (!path) {
        return STANDBY_PATH;
    }
    if (!standby_matches_any(conf->pages, path, 0)) {
        return STANDBY_NO_PAGE;
    }
    if (is_exception(r, conf, path)) {
        return STANDBY_EXCEPTION;
    }
    /* rules have not changed what was asked for */
    if (strcmp(asked ? asked : "", r->args ? r->args : "")
        || (asked && !*asked)
        || !standby_parse_query(r->pool, asked, conf->parameters,
                                standby_builtin_parameters(),
                                conf->harmless_parameters, query)) {
        return STANDBY_QUERY;
    }
    for (i = 0; i < query->keyed->nelts; ++i) {
        const standby_pair_t *pair = &APR_ARRAY_IDX(query->keyed, i,
                                                    standby_pair_t);
        const char *value = standby_decoded(r->pool, pair->value);

        if (is_exception(r, conf, value)
            || standby_matches_any(conf->except,
                                   apr_pstrcat(r->pool, pair->name, "=", value,
                                               NULL), 1)) {
            return STANDBY_EXCEPTION;
        }
    }
    if (query->unkeyed->nelts) {
        judged->storable = judged->storable
                           && query->unkeyed->nelts <= MOST_ENTRIES;
    }
    return STANDBY_MAY;
}

/* ---- headers ---- */

static standby_reason_t judge_headers(request_rec *r, const standby_dir_t *conf,
                                      standby_request_t *judged,
                                      standby_cookies_t *cookies)
{
    const standby_server_t *server = STANDBY_SERVER(r->server);
    const apr_array_header_t *headers = apr_table_elts(r->headers_in);
    standby_cookie_classes_t classes;
    apr_size_t length = 0;
    int i;

    for (i = 0; i < headers->nelts; ++i) {
        length += strlen(APR_ARRAY_IDX(headers, i, apr_table_entry_t).val);
    }
    if (length > LONGEST_HEADERS || headers->nelts > MOST_HEADERS) {
        return STANDBY_LONG;
    }
    standby_cookie_classes(conf, &classes);
    memset(cookies, 0, sizeof(*cookies));
    for (i = 0; i < headers->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(headers, i,
                                                         apr_table_entry_t);

        switch (kind_of(server, header->key)) {
        case UNKNOWN:
            judged->name = header->key;
            return STANDBY_HEADER;
        case IS_BODY:
            return STANDBY_BODY;
        case IS_AUTHORIZATION:
            return STANDBY_AUTHORIZATION;
        case IS_RANGE:
            return STANDBY_RANGE;
        case IS_FETCH:
            if (strcmp(header->val, "document")
                && strcmp(header->val, "navigate")) {
                return STANDBY_ACCEPT;
            }
            break;
        case IS_CONDITION:      /* the answer may be no whole page */
            judged->storable = 0;
            break;
        case IS_COOKIE:
            standby_parse_cookies(r->pool, header->val, &classes, cookies);
            break;
        default:
            break;
        }
    }
    if (cookies->who == STANDBY_SOMEBODY) {
        if (cookies->stranger && !strcmp(cookies->stranger, STANDBY_FRESH)) {
            return STANDBY_HAS_WRITTEN;
        }
        judged->name = cookies->stranger;
        return STANDBY_COOKIE;
    }
    if (cookies->who == STANDBY_KNOWN) {    /* the page may hold a name */
        judged->needs_known_level = 1;
        judged->storable = 0;
    }
    return STANDBY_MAY;
}

/* ---- key ---- */

/* With its length, so that no two lists of values make the same text */
static void add(apr_pool_t *p, apr_array_header_t *parts, const char *name,
                const char *value)
{
    if (!value) {
        return;
    }
    APR_ARRAY_PUSH(parts, const char *) =
        apr_psprintf(p, "%s=%" APR_SIZE_T_FMT ":%s\n", name, strlen(value),
                     value);
}

const char *standby_base_key(apr_pool_t *p, const char *host, const char *path,
                             const char *query)
{
    apr_array_header_t *parts = apr_array_make(p, 3, sizeof(const char *));
    char *small = apr_pstrdup(p, host ? host : "");

    ap_str_tolower(small);
    add(p, parts, "host", small);
    add(p, parts, "path", path);
    add(p, parts, "query", query);
    return apr_array_pstrcat(p, parts, 0);
}

static int by_key(const void *a, const void *b)
{
    const apr_table_entry_t *first = a, *second = b;
    int order = strcmp(first->key, second->key);

    return order ? order : strcmp(first->val, second->val);
}

static int is_ignored(const standby_dir_t *conf, const standby_server_t *server,
                      const char *name)
{
    int i;

    while (!strncmp(name, "REDIRECT_", 9)) {
        name += 9;
    }
    for (i = 0; ignored_variables[i]; ++i) {
        if (standby_matches(ignored_variables[i], name, 0)) {
            return 1;
        }
    }
    return standby_matches_any(conf->ignored_environment, name, 0)
           || (server->level_from == STANDBY_LEVEL_VARIABLE
               && !strcmp(name, server->level_name));
}

/* What the configuration says of this request (SetEnvIf Remote_Addr, a role in
 * a Location) may make another page */
static void add_environment(request_rec *r, const standby_dir_t *conf,
                            apr_array_header_t *parts)
{
    const apr_array_header_t *all = apr_table_elts(r->subprocess_env);
    apr_array_header_t *used = apr_array_make(r->pool, all->nelts + 1,
                                              sizeof(apr_table_entry_t));
    int i;

    for (i = 0; i < all->nelts; ++i) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(all, i,
                                                        apr_table_entry_t);

        if (entry->key && entry->val
            && !is_ignored(conf, STANDBY_SERVER(r->server), entry->key)) {
            APR_ARRAY_PUSH(used, apr_table_entry_t) = *entry;
        }
    }
    qsort(used->elts, used->nelts, sizeof(apr_table_entry_t), by_key);
    for (i = 0; i < used->nelts; ++i) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(used, i,
                                                        apr_table_entry_t);

        add(r->pool, parts, apr_pstrcat(r->pool, "env ", entry->key, NULL),
            entry->val);
    }
}

static void add_keyed_headers(request_rec *r, apr_array_header_t *parts)
{
    const apr_array_header_t *headers = apr_table_elts(r->headers_in);
    apr_array_header_t *used = apr_array_make(r->pool, 4,
                                              sizeof(apr_table_entry_t));
    int i;

    for (i = 0; i < headers->nelts; ++i) {
        apr_table_entry_t header = APR_ARRAY_IDX(headers, i, apr_table_entry_t);

        header_t kind = kind_of(STANDBY_SERVER(r->server), header.key);

        /* `?0` is what those say who say nothing */
        if (kind == IS_KEYED
            || (kind == IS_HINT && strcmp(header.val, "?0"))) {
            char *small = apr_pstrdup(r->pool, header.key);

            ap_str_tolower(small);
            header.key = small;
            APR_ARRAY_PUSH(used, apr_table_entry_t) = header;
        }
    }
    qsort(used->elts, used->nelts, sizeof(apr_table_entry_t), by_key);
    for (i = 0; i < used->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(used, i,
                                                         apr_table_entry_t);

        add(r->pool, parts, apr_pstrcat(r->pool, "header ", header->key, NULL),
            header->val);
    }
}

/* What a visitor reads best: `de` of `de-AT,de;q=0.9,en;q=0.5`. Applications
 * choose by it and do not always say so. NULL where the configuration says that
 * it makes no other page. */
static const char *language(request_rec *r)
{
    const char *value = apr_table_get(r->headers_in, "Accept-Language");
    char *tag;

    if (!value || kind_of(STANDBY_SERVER(r->server), "Accept-Language")
                  != IS_LANGUAGE) {
        return NULL;
    }
    tag = apr_pstrmemdup(r->pool, value, strcspn(value, "-_,; \t"));
    ap_str_tolower(tag);
    return tag;
}

static void make_key(request_rec *r, const standby_dir_t *conf,
                     const standby_query_t *query, standby_request_t *judged,
                     const char *accept)
{
    apr_pool_t *p = r->pool;
    conn_rec *c = r->connection;
    apr_array_header_t *parts = apr_array_make(p, 24, sizeof(const char *));

    judged->shown = *query->normal ? apr_pstrcat(p, judged->path, "?",
                                                 query->normal, NULL)
                                   : judged->path;
    judged->key.base = standby_base_key(p, r->hostname, judged->path,
                                        query->normal);
    add(p, parts, "server", r->server->server_hostname);
    add(p, parts, "defined", apr_psprintf(p, "%s:%u", r->server->defn_name
                                          ? r->server->defn_name : "",
                                          r->server->defn_line_number));
    add(p, parts, "local", apr_psprintf(p, "%s:%u", c->local_ip,
                                        (unsigned)c->local_addr->port));
    add(p, parts, "scheme", ap_http_scheme(r));
    add(p, parts, "host", apr_table_get(r->headers_in, "Host"));
    add(p, parts, "application", r->filename);
    add(p, parts, "info", r->path_info);
    add(p, parts, "handler", r->handler);
    add(p, parts, "accept", accept);
    add(p, parts, "encoding",
        standby_encoding_class(p, apr_table_get(r->headers_in,
                                                "Accept-Encoding"),
                               has_brotli));
    add(p, parts, "language", language(r));
    add(p, parts, "from", standby_address_class(r->useragent_ip));
    add_keyed_headers(r, parts);
    add_environment(r, conf, parts);
    judged->key.variant = apr_array_pstrcat(p, parts, 0);
    judged->whole = judged->key;
    if (apr_table_get(r->subprocess_env, STANDBY_BROWNOUT)) {
        judged->key.variant = apr_pstrcat(p, judged->key.variant, "brief\n",
                                          NULL);
    }
}

/* ---- what a page must not hold ---- */

/* A header of a list: its entries, too, which may be addresses */
static int add_entries(request_rec *r, apr_array_header_t *needles,
                       const char *value, const char *what)
{
    int count = 0, all = 1;

    if (strlen(value) >= STANDBY_LEAST_NEEDLE) {
        all = standby_add_needle(r->pool, needles, value, what);
    }
    while (*value) {
        apr_size_t length = strcspn(value, " \t,;=&\"[]");
        const char *entry = apr_pstrmemdup(r->pool, value, length);

        if (length && ++count > MOST_ENTRIES) {
            return 0;
        }
        if (length >= STANDBY_LEAST_NEEDLE && !standby_is_common(entry)) {
            all = standby_add_secret(r->pool, needles, entry, what) && all;
        }
        value += length + (value[length] ? 1 : 0);
    }
    return all;
}

/* The address of a page of this site is no secret. *rest: a query that pages of
 * this site do not have, else NULL. */
static int is_own_referer(request_rec *r, const char *referer,
                          const char **rest)
{
    const standby_dir_t *conf = STANDBY_DIR(r);
    const char *host = apr_table_get(r->headers_in, "Host");
    standby_query_t query;
    apr_uri_t uri;

    if (!host || apr_uri_parse(r->pool, referer, &uri) != APR_SUCCESS
        || !uri.hostinfo || strcasecmp(uri.hostinfo, host)) {
        return 0;
    }
    *rest = standby_parse_query(r->pool, uri.query, conf->parameters,
                                standby_builtin_parameters(),
                                conf->harmless_parameters, &query)
            ? NULL : uri.query;
    return 1;
}

static int add_header_needle(request_rec *r, apr_array_header_t *needles,
                             const char *name, const char *value)
{
    const char *what = apr_pstrcat(r->pool, "header ", name, NULL);
    header_t kind = kind_of(STANDBY_SERVER(r->server), name);
    const char *query;

    if (kind == IS_VOLATILE) {
        return add_entries(r, needles, value, what);
    }
    if (kind == IS_REFERER) {
        if (is_own_referer(r, value, &value)) {
            return !value || add_entries(r, needles, value, what);
        }
        query = ap_strchr_c(value, '?');    /* what somebody has searched for */
        if (query && !add_entries(r, needles, query + 1, what)) {
            return 0;
        }
    }
    if (kind != IS_REFERER && kind != IS_LANGUAGE
        && (kind != SEARCHED || standby_is_common(value))) {
        return 1;
    }
    return strlen(value) < STANDBY_LEAST_NEEDLE
           || standby_add_needle(r->pool, needles, value, what);
}

/* An address that stands in the Host header is in the key */
static int add_address(request_rec *r, apr_array_header_t *needles,
                       const char *address)
{
    const char *host = apr_table_get(r->headers_in, "Host");
    apr_size_t length = strlen(address);

    if (host && *host == '[') {
        ++host;
    }
    return (host && !strncasecmp(host, address, length)
            && (!host[length] || host[length] == ']'
                || (host[length] == ':' && !ap_strchr_c(address, ':'))))
           || standby_add_address(needles, address);
}

void standby_find_needles(request_rec *r, standby_request_t *judged)
{
    apr_array_header_t *needles = apr_array_make(r->pool, 32,
                                                 sizeof(standby_needle_t));
    const apr_array_header_t *headers = apr_table_elts(r->headers_in);
    int i, all;

    all = add_address(r, needles, r->useragent_ip)
          && add_address(r, needles, r->connection->client_ip);
    for (i = 0; all && i < headers->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(headers, i,
                                                         apr_table_entry_t);

        all = add_header_needle(r, needles, header->key, header->val);
    }
    for (i = 0; all && i < judged->unkeyed->nelts; ++i) {
        const standby_pair_t *pair = &APR_ARRAY_IDX(judged->unkeyed, i,
                                                    standby_pair_t);

        all = strlen(pair->text) >= STANDBY_LEAST_NEEDLE
              && standby_add_needle(r->pool, needles, pair->text, "parameter");
        if (all && strlen(pair->value) >= STANDBY_LEAST_NEEDLE) {
            all = standby_add_secret(r->pool, needles, pair->value,
                                     "parameter");
        }
    }
    for (i = 0; all && judged->cookies && i < judged->cookies->nelts; ++i) {
        const standby_pair_t *pair = &APR_ARRAY_IDX(judged->cookies, i,
                                                    standby_pair_t);

        if (strlen(pair->value) >= STANDBY_LEAST_NEEDLE) {
            all = standby_add_secret(r->pool, needles, pair->value,
                                     apr_pstrcat(r->pool, "cookie ",
                                                 pair->name, NULL));
        }
    }
    judged->needles = needles;
    judged->storable = judged->storable && all;
}

void standby_judge_request(request_rec *r, standby_request_t *judged)
{
    const standby_server_t *server = STANDBY_SERVER(r->server);
    const standby_dir_t *conf = STANDBY_DIR(r);
    standby_query_t query;
    standby_cookies_t cookies;
    const char *accept;

    memset(judged, 0, sizeof(*judged));
    judged->storable = standby_first(r)->method_number == M_GET
                       && !r->header_only;
    if (!server->store_directory || !*server->store_directory) {
        judged->reason = STANDBY_NO_STORE;
        return;
    }
    if (!conf->pages) {
        judged->reason = STANDBY_NO_PAGES;
        return;
    }
    if ((judged->reason = judge_way(r))
        || (judged->reason = judge_address(r, conf, judged, &query))
        || (judged->reason = judge_headers(r, conf, judged, &cookies))) {
        return;
    }
    accept = standby_accept_class(r->pool, apr_table_get(r->headers_in,
                                                         "Accept"));
    if (!accept) {
        judged->reason = STANDBY_ACCEPT;
        return;
    }
    judged->unkeyed = query.unkeyed;
    judged->cookies = cookies.harmless;
    if (server->client_header) {
        judged->client = apr_table_get(r->headers_in, server->client_header);
    }
    if (!judged->client) {
        judged->client = standby_network(r->pool, r->useragent_ip);
    }
    make_key(r, conf, &query, judged, accept);
}
