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

#include "apr_hash.h"
#include "apr_lib.h"
#include "apr_optional.h"
#include "apr_strings.h"
#include "http_core.h"
#include "http_log.h"
#include "http_protocol.h"
#include "http_request.h"

#include <arpa/inet.h>
#include <stdlib.h>

/* Longer ones pass the store by: browsers send none, and the work for a request
 * stays small */
#define LONGEST_URI 4096
#define LONGEST_HEADERS 4096
#define MOST_HEADERS 60
/* A header that is a list, which is taken apart: ten times what browsers send.
 * Cookies of analytics are longer. */
#define LONGEST_LIST 512
#define LONGEST_COOKIE 2048

APR_DECLARE_OPTIONAL_FN(char *, ssl_var_lookup,
                        (apr_pool_t *, server_rec *, conn_rec *, request_rec *,
                         char *));
static APR_OPTIONAL_FN_TYPE(ssl_var_lookup) *ssl_lookup;
static apr_hash_t *fastcgi_hosts;       /* of server_rec * */

const char *const standby_reasons[STANDBY_REASONS] = {
    "none", "store", "pages", "method", "inner", "body", "authorization",
    "user", "certificate", "header", "range", "accept", "cookie", "has-written",
    "path", "page", "exception", "query", "long", "long-list", "fastcgi"
};

typedef struct {
    const char *name;
    standby_header_t is;
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

/* ProxyFCGISetEnvIf with a condition tells the application of some visitors what
 * it does not tell it of others, behind all that can be seen here. Marks the
 * virtual hosts that have one; host: NULL for what is in none. */
static void find_fastcgi_conditions(apr_pool_t *p, const ap_directive_t *each,
                                    server_rec *all, server_rec *host)
{
    for (; each; each = each->next) {
        const char *args = each->args;
        server_rec *s, *inner = host;

        if (!strcasecmp(each->directive, "<VirtualHost")) {
            for (s = all; s; s = s->next) {
                if (s->defn_name && !strcmp(s->defn_name, each->filename)
                    && (int)s->defn_line_number == each->line_num) {
                    inner = s;
                }
            }
        }
        if (!strcasecmp(each->directive, "ProxyFCGISetEnvIf")
            && strncasecmp(args + strspn(args, " \t\"'"), "true", 4)) {
            for (s = all; s; s = s->next) {
                if (!host || s == host) {
                    apr_hash_set(fastcgi_hosts, apr_pmemdup(p, &s, sizeof(s)),
                                 sizeof(s), "");
                }
            }
        }
        find_fastcgi_conditions(p, each->first_child, all, inner);
    }
}

void standby_request_init(apr_pool_t *p, server_rec *s)
{
    fastcgi_hosts = apr_hash_make(p);
    find_fastcgi_conditions(p, ap_conftree, s, NULL);
    ssl_lookup = APR_RETRIEVE_OPTIONAL_FN(ssl_var_lookup);
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

standby_header_t standby_kind_of(const standby_server_t *conf, const char *name)
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

void standby_read_cookies(request_rec *r, standby_cookies_t *cookies)
{
    const apr_array_header_t *headers = apr_table_elts(r->headers_in);
    standby_cookie_classes_t classes;
    int i;

    memset(cookies, 0, sizeof(*cookies));
    standby_cookie_classes(STANDBY_DIR(r), &classes);
    for (i = 0; i < headers->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(headers, i,
                                                         apr_table_entry_t);

        if (!strcasecmp(header->key, "Cookie")) {
            standby_parse_cookies(r->pool, header->val, &classes, cookies);
        }
    }
}

/* ---- the request itself ---- */

/* Who was let in, or showed a certificate */
standby_reason_t standby_is_person(request_rec *r)
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
        if ((reason = standby_is_person(each))) {
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
    judged->is_public = standby_matches_any(conf->public_paths, path, 0);
    if (!judged->is_public && !standby_matches_any(conf->pages, path, 0)) {
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
                           && query->unkeyed->nelts <= STANDBY_MOST_PARAMETERS;
    }
    return STANDBY_MAY;
}

/* ---- headers ---- */

/* By its kind and length alone */
static int is_long_list(const apr_table_entry_t *header, apr_size_t length)
{
    static const char *const lists[] = {
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language",
        "Cache-Control", "Connection", "Keep-Alive", "Pragma", "Priority", "TE",
        NULL
    };
    int i;

    if (length <= LONGEST_LIST) {
        return 0;
    }
    if (!strcasecmp(header->key, "Cookie")) {
        return length > LONGEST_COOKIE;
    }
    for (i = 0; lists[i]; ++i) {
        if (!strcasecmp(header->key, lists[i])) {
            return 1;
        }
    }
    return 0;
}

static standby_reason_t judge_cookies(standby_request_t *judged,
                                      const standby_cookies_t *cookies)
{
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

/* What the application calls public is for members, too, but for who has just
 * written; each cookie is looked for in the answer */
static standby_reason_t judge_cookies_of_all(const standby_cookies_t *cookies)
{
    int i;

    for (i = 0; cookies->others && i < cookies->others->nelts; ++i) {
        if (!strcmp(APR_ARRAY_IDX(cookies->others, i, standby_pair_t).name,
                    STANDBY_FRESH)) {
            return STANDBY_HAS_WRITTEN;
        }
    }
    return cookies->unread ? STANDBY_COOKIE : STANDBY_MAY;
}

static standby_reason_t judge_headers(request_rec *r, const standby_dir_t *conf,
                                      standby_request_t *judged,
                                      standby_cookies_t *cookies)
{
    const standby_server_t *server = STANDBY_SERVER(r->server);
    const apr_array_header_t *headers = apr_table_elts(r->headers_in);
    standby_cookie_classes_t classes;
    apr_size_t length = 0;
    int i, long_list = 0;

    for (i = 0; i < headers->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(headers, i,
                                                         apr_table_entry_t);
        apr_size_t one = strlen(header->val);

        length += one;
        long_list = long_list || is_long_list(header, one);
    }
    if (length > LONGEST_HEADERS || headers->nelts > MOST_HEADERS) {
        return STANDBY_LONG;
    }
    if (long_list) {
        return STANDBY_LONG_LIST;
    }
    standby_cookie_classes(conf, &classes);
    memset(cookies, 0, sizeof(*cookies));
    for (i = 0; i < headers->nelts; ++i) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(headers, i,
                                                         apr_table_entry_t);

        switch (standby_kind_of(server, header->key)) {
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
            if (!judged->is_public && strcmp(header->val, "document")
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
    return judged->is_public ? judge_cookies_of_all(cookies)
                             : judge_cookies(judged, cookies);
}

/* Headers in which a proxy names the client */
static const char *const forwarding[] = {
    "X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP",
    "True-Client-IP", NULL
};

/* The network of the visitor. All whose network is not known are one visitor,
 * as each of a proxy's addresses may have the same visitor behind it: two of
 * them prove nothing. */
const char *standby_client(request_rec *r)
{
    const standby_server_t *server = STANDBY_SERVER(r->server);
    const char *name = server->client_header;
    const char *client = name ? apr_table_get(r->headers_in, name) : NULL;
    unsigned char bits[16];
    int i;

    if (client) {
        return inet_pton(AF_INET, client, bits) == 1
               || inet_pton(AF_INET6, client, bits) == 1
               ? standby_network(r->pool, client) : "unknown";
    }
    if (!name && !strcmp(r->useragent_ip, r->connection->client_ip)) {
        for (i = 0; forwarding[i]; ++i) {
            if (apr_table_get(r->headers_in, forwarding[i])
                && !standby_matches_any(server->keyed_headers, forwarding[i],
                                        1)) {
                return "unknown";
            }
        }
    }
    return standby_network(r->pool, r->useragent_ip);
}

/* What is too short to be looked for in the answer */
static int has_short(const apr_array_header_t *cookies)
{
    int i;

    for (i = 0; i < cookies->nelts; ++i) {
        apr_size_t length = strlen(APR_ARRAY_IDX(cookies, i,
                                                 standby_pair_t).value);

        if (length && length < STANDBY_LEAST_NEEDLE) {
            return 1;
        }
    }
    return 0;
}

static const char *said(request_rec *r, const char *name)
{
    const char *value = apr_table_get(r->headers_in, name);

    return value ? value : "";
}

/* Who shows a picture on another site may get another one, or none */
static const char *referer_class(request_rec *r)
{
    const char *referer = said(r, "Referer");
    apr_uri_t uri;

    return !*referer ? "none"
           : apr_uri_parse(r->pool, referer, &uri) == APR_SUCCESS && uri.hostinfo
             && !strcasecmp(uri.hostinfo, said(r, "Host")) ? "own" : "other";
}

/* For what is no page: all by which it is chosen. NULL for words that no browser
 * sends, as each of them would be a copy of its own. */
static const char *accept_of_all(request_rec *r)
{
    static const char *const words[][16] = {
        { "Sec-Fetch-Dest", "", "audio", "document", "embed", "empty", "font",
          "frame", "iframe", "image", "object", "script", "style", "track",
          "video", NULL },
        { "Sec-Fetch-Mode", "", "cors", "navigate", "no-cors", "same-origin",
          NULL },
        { "Sec-Fetch-Site", "", "cross-site", "none", "same-origin",
          "same-site", NULL }
    };
    const char *all = standby_public_class(r->pool,
                                           apr_table_get(r->headers_in,
                                                         "Accept"));
    apr_size_t i;

    if (!all) {
        return NULL;
    }
    all = apr_pstrcat(r->pool, "public ", all, " ", referer_class(r), NULL);
    for (i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
        const char *const *word = words[i] + 1;

        while (*word && strcmp(*word, said(r, words[i][0]))) {
            ++word;
        }
        if (!*word) {
            return NULL;
        }
        all = apr_pstrcat(r->pool, all, " ", *word, NULL);
    }
    return all;
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
    if (!conf->pages && !conf->public_paths) {
        judged->reason = STANDBY_NO_PAGES;
        return;
    }
    if (apr_hash_get(fastcgi_hosts, &r->server, sizeof(r->server))
        && r->handler && strstr(r->handler, "fcgi:")) {
        judged->reason = STANDBY_FASTCGI;
        return;
    }
    if ((judged->reason = judge_way(r))
        || (judged->reason = judge_address(r, conf, judged, &query))
        || (judged->reason = judge_headers(r, conf, judged, &cookies))) {
        return;
    }
    accept = judged->is_public ? accept_of_all(r)
             : standby_accept_class(r->pool, apr_table_get(r->headers_in,
                                                           "Accept"));
    if (!accept) {
        judged->reason = STANDBY_ACCEPT;
        return;
    }
    judged->unkeyed = query.unkeyed;
    judged->cookies = cookies.harmless;
    if (judged->is_public && cookies.others) {
        judged->cookies = apr_array_append(r->pool, cookies.harmless,
                                           cookies.others);
        judged->storable = judged->storable && !has_short(cookies.others);
    }
    judged->client = standby_client(r);
    standby_make_key(r, &query, accept, judged);
}
