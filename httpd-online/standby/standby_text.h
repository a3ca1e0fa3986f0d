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


/* What requests are made of: queries, cookies, lists of words. Nothing here
 * knows httpd. Each function takes time in proportion to what it is given,
 * times the number of patterns. */

#ifndef STANDBY_TEXT_H
#define STANDBY_TEXT_H

#include "apr_pools.h"
#include "apr_tables.h"

/* More of them, and the request passes the store by: nobody's browser sends
 * that many, and each one is compared with each pattern */
#define STANDBY_MOST_PARAMETERS 16
#define STANDBY_MOST_KEYED 4
#define STANDBY_MOST_COOKIES 64

/* True if the text is of the pattern, in which `*` stands for any letters.
 * fold: letters of ASCII in any case. */
int standby_matches(const char *pattern, const char *text, int fold);

/* True if it is of one of the patterns (an array of const char *, or NULL) */
int standby_matches_any(const apr_array_header_t *patterns, const char *text,
                        int fold);

/* The decoded path, or NULL if the path is spelled in a way that httpd, a
 * proxy and an application could understand differently: //, /../, %2F, %41,
 * a control character, `;`, a backslash, a percent sign without two digits */
const char *standby_plain_path(apr_pool_t *p, const char *path);

/* The decoded value of a parameter (a plus is a space), or NULL if it holds a
 * control character or is not encoded well */
const char *standby_decoded(apr_pool_t *p, const char *value);

/* One parameter of a query or one cookie, as it was sent */
typedef struct {
    const char *name;
    const char *value;      /* "" without one */
    const char *text;       /* both, as sent */
} standby_pair_t;

/* What a query is made of */
typedef struct {
    const char *normal;                 /* those that make another page, in the
                                         * order of their names; "" if none */
    apr_array_header_t *keyed;          /* of standby_pair_t */
    apr_array_header_t *unkeyed;        /* those that change nothing */
} standby_query_t;

/* Takes a query apart. False if there is a parameter that is in none of the
 * lists of patterns, one without a name, the same one twice, or too many, or
 * one that changes nothing whose value an application could take for further
 * parameters. A NULL query has no parameters. */
int standby_parse_query(apr_pool_t *p, const char *query,
                        const apr_array_header_t *keyed,
                        const apr_array_header_t *harmless,
                        const apr_array_header_t *more_harmless,
                        standby_query_t *parsed);

/* Whose cookies somebody has, from the least to the most */
typedef enum {
    STANDBY_NO_COOKIE,      /* or harmless ones alone */
    STANDBY_KNOWN,          /* one of a visitor who is known by name only */
    STANDBY_SOMEBODY        /* any other */
} standby_who_t;

/* The cookie of who has just written; no list can make it harmless */
#define STANDBY_FRESH "ic2_fresh"

typedef struct {
    standby_who_t who;
    const char *stranger;           /* the name that no list knows, or NULL */
    int member;                     /* one of the session's cookies is there */
    apr_array_header_t *harmless;   /* of standby_pair_t */
    apr_array_header_t *others;     /* all that are not harmless */
    int unread;                     /* there are more, or something else */
} standby_cookies_t;

typedef struct {
    const apr_array_header_t *builtin;  /* harmless on each site */
    const apr_array_header_t *harmless;
    const apr_array_header_t *known;
    const apr_array_header_t *session;
} standby_cookie_classes_t;

/* Adds what one Cookie header holds; begin with a structure of zeros */
void standby_parse_cookies(apr_pool_t *p, const char *header,
                           const standby_cookie_classes_t *classes,
                           standby_cookies_t *cookies);

/* The languages of Accept-Language in their order, without regions and
 * qualities: `de,en` of `de-AT,de;q=0.9,en-US;q=0.8`; `de,=en` of `de,en`, which
 * have one quality */
const char *standby_language_class(apr_pool_t *p, const char *header);

/* The class of an Accept header, of those that take a page of HTML; NULL for
 * those that prefer something else or name a type that no browser names.
 * NULL as header: there is none. */
const char *standby_accept_class(apr_pool_t *p, const char *header);

/* The same of whatever browsers ask for */
const char *standby_public_class(apr_pool_t *p, const char *header);

/* The class of an Accept-Encoding header: "b", "g", "bg" or "". brotli: the
 * server can compress so. */
const char *standby_encoding_class(apr_pool_t *p, const char *header,
                                   int brotli);

/* True if each client of a class can read an answer with this Content-Encoding;
 * NULL: it has none */
int standby_class_reads(const char *class, const char *encoding);

/* True if a value consists of words that browsers send and figures alone: it
 * tells nothing of anybody */
int standby_is_common(const char *value);

/* Whose an address is: on loopback and in private networks each address is a
 * visitor's; a public one's network is (IPv4 /24, IPv6 /48), as one house has
 * many of them and an application may show it what others do not see */
const char *standby_network(apr_pool_t *p, const char *address);

/* "mobile", "tablet" or "other", by a User-Agent header: applications choose by
 * it and do not always say so */
const char *standby_device(const char *agent);

/* "loopback", "private" or "public" */
const char *standby_address_class(const char *address);

/* True if the list of a header's value (`a, b=c`) has the word, in any case */
int standby_has_word(const char *list, const char *word);

/* The least whole number after `word=` in such a list, -1 without one */
long standby_seconds(const char *list, const char *word);

/* False if the part of the text before its first colon (after the last slash
 * before it, spaces as underscores) is there and is not one of the names */
int standby_in_namespace(apr_pool_t *p, const char *text,
                         const apr_array_header_t *names);

#endif
