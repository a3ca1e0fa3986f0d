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


/* mod_standby: which copy is a request's, and what of the request must not stand
 * in what is built for it? */

#include "standby.h"

#include "apr_strings.h"
#include "apr_uri.h"
#include "http_core.h"
#include "http_protocol.h"

#include <stdlib.h>

/* Entries of a list such as X-Forwarded-For; with more of them nothing is
 * stored */
#define MOST_ENTRIES 16

/* What httpd and we set for each request, or what tells nothing that a page
 * could hold; all else that the configuration sets is in the key */
static const char *const ignored_variables[] = {
    "UNIQUE_ID", "MITIGATION", "MITIGATION_BROWNOUT", "MITIGATION_WALL",
    "RECONFIGURE_GENERATION", "deflate-level", "cache-status", "ic2_member", "crawler", "H2_*", "H2PUSH",
    "HTTP2", "SSL_SESSION_*", "SSL_CIPHER*", "SSL_PROTOCOL", "SSL_VERSION_*",
    "SSL_SERVER_*", "SSL_COMPRESS_METHOD", "SSL_SECURE_RENEG", NULL
};

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
static const char *environment(request_rec *r)
{
    const apr_array_header_t *all = apr_table_elts(r->subprocess_env);
    apr_array_header_t *used = apr_array_make(r->pool, all->nelts + 1,
                                              sizeof(apr_table_entry_t));
    apr_array_header_t *parts = apr_array_make(r->pool, 8,
                                               sizeof(const char *));
    int i;

    for (i = 0; i < all->nelts; ++i) {
        const apr_table_entry_t *entry = &APR_ARRAY_IDX(all, i,
                                                        apr_table_entry_t);

        if (entry->key && entry->val
            && !is_ignored(STANDBY_DIR(r), STANDBY_SERVER(r->server),
                           entry->key)) {
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
    return apr_array_pstrcat(r->pool, parts, 0);
}

static void add_keyed_headers(request_rec *r, apr_array_header_t *parts)
{
    const apr_array_header_t *headers = apr_table_elts(r->headers_in);
    apr_array_header_t *used = apr_array_make(r->pool, 4,
                                              sizeof(apr_table_entry_t));
    int i;

    for (i = 0; i < headers->nelts; ++i) {
        apr_table_entry_t header = APR_ARRAY_IDX(headers, i, apr_table_entry_t);

        standby_header_t kind = standby_kind_of(STANDBY_SERVER(r->server), header.key);

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

/* Applications choose by it and do not always say so. NULL where the
 * configuration says that it makes no other page. */
static const char *language(request_rec *r)
{
    const char *value = apr_table_get(r->headers_in, "Accept-Language");

    return value && standby_kind_of(STANDBY_SERVER(r->server),
                                    "Accept-Language") == IS_LANGUAGE
           ? standby_language_class(r->pool, value) : NULL;
}

void standby_make_key(request_rec *r, const standby_query_t *query,
                      const char *accept, standby_request_t *judged)
{
    static int has_brotli = -1;     /* does not change while httpd runs */
    apr_pool_t *p = r->pool;
    conn_rec *c = r->connection;
    apr_array_header_t *parts = apr_array_make(p, 24, sizeof(const char *));

    if (has_brotli < 0) {
        has_brotli = ap_find_linked_module(STANDBY_BROTLI) != NULL;
    }
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
    judged->encodings = standby_encoding_class(
        p, apr_table_get(r->headers_in, "Accept-Encoding"), has_brotli);
    add(p, parts, "encoding", judged->encodings);
    add(p, parts, "language", language(r));
    add(p, parts, "device",
        standby_device(apr_table_get(r->headers_in, "User-Agent")));
    add(p, parts, "from", standby_address_class(r->useragent_ip));
    add_keyed_headers(r, parts);
    APR_ARRAY_PUSH(parts, const char *) = environment(r);
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
    standby_header_t kind = standby_kind_of(STANDBY_SERVER(r->server), name);
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

