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


/* What requests are made of, see the header */

#include "standby_text.h"

#include "apr_lib.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include <arpa/inet.h>
#include <stdlib.h>

static int fold_case(int c)
{
    return (c >= 'A' && c <= 'Z') ? c + ('a' - 'A') : c;
}

static int same(char a, char b, int fold)
{
    return a == b || (fold && fold_case((unsigned char)a)
                              == fold_case((unsigned char)b));
}

int standby_matches(const char *pattern, const char *text, int fold)
{
    const char *star = NULL, *again = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            again = text;
            if (!*pattern) {
                return 1;
            }
        }
        else if (*pattern && same(*pattern, *text, fold)) {
            ++pattern;
            ++text;
        }
        else if (star) {
            pattern = star;
            text = ++again;
        }
        else {
            return 0;
        }
    }
    while (*pattern == '*') {
        ++pattern;
    }
    return !*pattern;
}

int standby_matches_any(const apr_array_header_t *patterns, const char *text,
                        int fold)
{
    int i;

    for (i = 0; patterns && i < patterns->nelts; ++i) {
        if (standby_matches(APR_ARRAY_IDX(patterns, i, const char *), text,
                            fold)) {
            return 1;
        }
    }
    return 0;
}

static int digit(char c)
{
    return (c >= '0' && c <= '9') ? c - '0'
           : (c >= 'a' && c <= 'f') ? c - 'a' + 10
           : (c >= 'A' && c <= 'F') ? c - 'A' + 10 : -1;
}

/* The byte of `%XX`, -1 if it is none */
static int encoded(const char *at)
{
    int high = digit(at[1]), low = high < 0 ? -1 : digit(at[2]);

    return low < 0 ? -1 : high * 16 + low;
}

static int is_control(int c)
{
    return c < ' ' || c == 0x7f;
}

const char *standby_plain_path(apr_pool_t *p, const char *path)
{
    char *decoded, *to;
    const char *at;

    if (*path != '/') {
        return NULL;
    }
    decoded = to = apr_palloc(p, strlen(path) + 1);
    for (at = path; *at; ++at) {
        int c = (unsigned char)*at;

        if (c == '%') {
            c = encoded(at);
            /* what need not be encoded is another spelling of the same */
            if (c < 0 || apr_isalnum(c) || strchr("-._~/\\;%", c)) {
                return NULL;
            }
            at += 2;
        }
        if (is_control(c) || c == '\\' || c == ';') {
            return NULL;
        }
        *to++ = (char)c;
    }
    *to = '\0';
    if (strstr(decoded, "//") || strstr(decoded, "/./")
        || strstr(decoded, "/../")) {
        return NULL;
    }
    if ((to - decoded >= 2 && !strcmp(to - 2, "/."))
        || (to - decoded >= 3 && !strcmp(to - 3, "/.."))) {
        return NULL;
    }
    return decoded;
}

const char *standby_decoded(apr_pool_t *p, const char *value)
{
    char *decoded = apr_palloc(p, strlen(value) + 1), *to = decoded;

    for (; *value; ++value) {
        int c = (unsigned char)*value;

        if (c == '%') {
            if ((c = encoded(value)) < 0) {
                return NULL;
            }
            value += 2;
        }
        else if (c == '+') {
            c = ' ';
        }
        if (is_control(c)) {
            return NULL;
        }
        *to++ = (char)c;
    }
    *to = '\0';
    return decoded;
}

static void add_pair(apr_array_header_t *pairs, const char *name,
                     const char *value, const char *text)
{
    standby_pair_t *pair = apr_array_push(pairs);

    pair->name = name;
    pair->value = value;
    pair->text = text;
}

/* Takes one part of a list off its beginning, without spaces around it; `*list`
 * is NULL behind the last one */
static const char *next_part(apr_pool_t *p, const char **list,
                             const char *ends)
{
    apr_size_t length = strcspn(*list, ends);
    const char *begin = *list, *end = begin + length;

    *list = *end ? end + 1 : NULL;
    while (begin < end && (*begin == ' ' || *begin == '\t')) {
        ++begin;
    }
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) {
        --end;
    }
    return apr_pstrmemdup(p, begin, end - begin);
}

static void split(apr_pool_t *p, const char *text, const char **name,
                  const char **value)
{
    const char *equals = strchr(text, '=');

    *name = equals ? apr_pstrmemdup(p, text, equals - text) : text;
    *value = equals ? equals + 1 : "";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const standby_pair_t *)a)->name,
                  ((const standby_pair_t *)b)->name);
}

static int is_plain(const char *text, const char *more)
{
    for (; *text; ++text) {
        if (!apr_isalnum(*text) && !(*text & 0x80) && !strchr(more, *text)) {
            return 0;
        }
    }
    return 1;
}

/* A value of a parameter that changes nothing, decoded. NULL if it has a letter
 * by which some applications begin another parameter. */
static const char *decoded_plain(apr_pool_t *p, const char *value)
{
    const char *decoded = standby_decoded(p, value);

    return decoded && is_plain(decoded, "-_.~*+:,!|@/ ") ? decoded : NULL;
}

int standby_parse_query(apr_pool_t *p, const char *query,
                        const apr_array_header_t *keyed,
                        const apr_array_header_t *harmless,
                        const apr_array_header_t *more_harmless,
                        standby_query_t *parsed)
{
    int i, count = 0;

    parsed->normal = "";
    parsed->keyed = apr_array_make(p, 2, sizeof(standby_pair_t));
    parsed->unkeyed = apr_array_make(p, 2, sizeof(standby_pair_t));
    while (query) {
        const char *name, *value, *end = strchr(query, '&');
        const char *text = end ? apr_pstrmemdup(p, query, end - query) : query;

        query = end ? end + 1 : NULL;
        split(p, text, &name, &value);
        if (!*name || ++count > STANDBY_MOST_PARAMETERS) {
            return 0;
        }
        if (standby_matches_any(keyed, name, 0)) {
            if (!standby_decoded(p, value)
                || parsed->keyed->nelts == STANDBY_MOST_KEYED) {
                return 0;
            }
            add_pair(parsed->keyed, name, value, text);
        }
        else if ((standby_matches_any(harmless, name, 0)
                  || standby_matches_any(more_harmless, name, 0))
                 && is_plain(name, "_.-")
                 && (value = decoded_plain(p, value))) {
            value = text + strlen(name) + (text[strlen(name)] ? 1 : 0);
            add_pair(parsed->unkeyed, name, value, text);
        }
        else {
            return 0;
        }
    }
    qsort(parsed->keyed->elts, parsed->keyed->nelts, sizeof(standby_pair_t),
          by_name);
    for (i = 0; i < parsed->keyed->nelts; ++i) {
        const standby_pair_t *pair = &APR_ARRAY_IDX(parsed->keyed, i,
                                                    standby_pair_t);

        if (i && !strcmp(pair[-1].name, pair->name)) {
            return 0;
        }
        parsed->normal = apr_pstrcat(p, parsed->normal, i ? "&" : "",
                                     pair->text, NULL);
    }
    return 1;
}

static void somebody(standby_cookies_t *cookies,
                     const standby_cookie_classes_t *classes)
{
    cookies->who = STANDBY_SOMEBODY;
    cookies->member = cookies->member || !classes->session;
    cookies->unread = 1;
}

void standby_parse_cookies(apr_pool_t *p, const char *header,
                           const standby_cookie_classes_t *classes,
                           standby_cookies_t *cookies)
{
    int count = 0;

    if (!cookies->harmless) {
        cookies->harmless = apr_array_make(p, 4, sizeof(standby_pair_t));
        cookies->others = apr_array_make(p, 4, sizeof(standby_pair_t));
    }
    while (header) {
        const char *text, *name, *value;

        if (++count > STANDBY_MOST_COOKIES) {
            somebody(cookies, classes);
            return;
        }
        text = next_part(p, &header, ";,");
        if (!*text) {
            continue;
        }
        if (!strchr(text, '=')) {
            somebody(cookies, classes);
            return;
        }
        split(p, text, &name, &value);
        if (strcmp(name, STANDBY_FRESH)
            && (standby_matches_any(classes->builtin, name, 0)
                || standby_matches_any(classes->harmless, name, 0))) {
            add_pair(cookies->harmless, name, value, text);
            continue;
        }
        add_pair(cookies->others, name, value, text);
        if (standby_matches_any(classes->known, name, 0)) {
            if (cookies->who < STANDBY_KNOWN) {
                cookies->who = STANDBY_KNOWN;
            }
            continue;
        }
        cookies->who = STANDBY_SOMEBODY;
        if (classes->session
            && standby_matches_any(classes->session, name, 0)) {
            cookies->member = 1;
            continue;
        }
        cookies->member = cookies->member || !classes->session;
        if (!cookies->stranger) {
            cookies->stranger = name;
        }
    }
}

/* Types that browsers name, with the letter that they have in the class */
static const struct {
    const char *type;
    char letter;
} known_types[] = {
    { "text/html", 'h' }, { "application/xhtml+xml", 'x' },
    { "application/xml", 'm' }, { "*/*", 'w' }, { "text/*", 't' },
    { "image/webp", 'p' }, { "image/avif", 'a' }, { "image/apng", 'g' },
    { "image/jxl", 'j' }, { "image/svg+xml", 's' }, { "image/png", 'n' },
    { "image/*", 'i' }, { "application/signed-exchange", 'e' },
    { "text/css", 'c' }, { "audio/*", 'o' }, { "video/*", 'v' },
    { "font/*", 'f' }, { "application/rss+xml", 'r' },
    { "application/atom+xml", 'k' }
};

/* The quality of an entry of Accept or Accept-Encoding in thousandths, -1 if
 * there is a parameter that browsers do not send, or two qualities */
static int quality(apr_pool_t *p, const char *parameters)
{
    int thousandths = 1000, found = 0;

    while (parameters) {
        const char *one = next_part(p, &parameters, ";");
        char *end;
        double value;

        if (!*one || !strcmp(one, "v=b3")) {
            continue;
        }
        if (found++ || (one[0] != 'q' && one[0] != 'Q') || one[1] != '='
            || !apr_isdigit(one[2])) {
            return -1;
        }
        value = strtod(one + 2, &end);
        if (*end || !(value >= 0 && value <= 1)) {
            return -1;
        }
        thousandths = (int)(value * 1000 + 0.5);
    }
    return thousandths;
}

/* The tag as far as another page is written: `de` of `de-AT`, `sr-latn` of
 * `sr-Latn-RS`; of Chinese all, since its regions have scripts of their own */
static const char *written_language(apr_pool_t *p, const char *tag)
{
    apr_size_t first = strcspn(tag, "-_"), more = 0;
    char *small;

    if (tag[first]) {
        more = strcspn(tag + first + 1, "-_");
    }
    if (first == 2 && !strncasecmp(tag, "zh", 2)) {
        small = apr_pstrdup(p, tag);
    }
    else {
        small = apr_pstrmemdup(p, tag, more == 4 ? first + 1 + more : first);
    }
    for (tag = small; *small; ++small) {
        *small = *small == '_' ? '-' : (char)fold_case((unsigned char)*small);
    }
    return tag;
}

static int has_language(const apr_array_header_t *tags, const char *tag)
{
    int i;

    for (i = 0; i < tags->nelts; ++i) {
        const char *one = APR_ARRAY_IDX(tags, i, const char *);

        if (!strcmp(one + (*one == '='), tag)) {
            return 1;
        }
    }
    return 0;
}

const char *standby_language_class(apr_pool_t *p, const char *header)
{
    apr_array_header_t *languages = apr_array_make(p, 4, sizeof(const char *));
    const char *list = header;
    int before = 1000;

    while (list) {
        const char *parameters = next_part(p, &list, ","), *tag;
        int q;

        if (!*parameters) {
            continue;
        }
        tag = next_part(p, &parameters, ";");
        q = quality(p, parameters);
        /* no browser writes it so, and applications read it in several ways: all
         * of it counts */
        if (q <= 0 || q > before || *tag == '=') {
            return apr_pstrcat(p, "as sent: ", header, NULL);
        }
        tag = written_language(p, tag);
        if (!has_language(languages, tag)) {
            /* of two that are liked the same, the application chooses */
            APR_ARRAY_PUSH(languages, const char *) =
                languages->nelts && q == before ? apr_pstrcat(p, "=", tag, NULL)
                                                : tag;
        }
        before = q;
    }
    return apr_array_pstrcat(p, languages, ',');
}

static const char *accept_class(apr_pool_t *p, const char *header, int of_all)
{
    char letters[sizeof(known_types) / sizeof(known_types[0]) + 1];
    int html = -1, any = -1, best = 0, i;
    int count = sizeof(known_types) / sizeof(known_types[0]);

    if (!header || !*header) {
        return "none";
    }
    memset(letters, '-', count);
    letters[count] = '\0';
    while (header) {
        const char *entry = next_part(p, &header, ","), *parameters;
        const char *type;
        int q;

        if (!*entry) {
            continue;
        }
        parameters = entry;
        type = next_part(p, &parameters, ";");
        for (i = 0; i < count; ++i) {
            if (!apr_strnatcasecmp(type, known_types[i].type)) {
                break;
            }
        }
        if (i == count || (q = quality(p, parameters)) < 0) {
            return NULL;
        }
        if (q) {
            letters[i] = known_types[i].letter;
        }
        if (known_types[i].letter == 'h') {
            html = q;
        }
        else if (known_types[i].letter == 'w' || known_types[i].letter == 't') {
            any = q > any ? q : any;
        }
        else if (strchr("xm", known_types[i].letter) && q > best) {
            best = q;
        }
    }
    html = html >= 0 ? html : any;
    return of_all || (html > 0 && html >= best) ? apr_pstrdup(p, letters)
                                                 : NULL;
}

const char *standby_accept_class(apr_pool_t *p, const char *header)
{
    return accept_class(p, header, 0);
}

const char *standby_public_class(apr_pool_t *p, const char *header)
{
    return accept_class(p, header, 1);
}

const char *standby_encoding_class(apr_pool_t *p, const char *header,
                                   int brotli)
{
    int gzip = 0, br = 0;

    while (header) {
        const char *entry = next_part(p, &header, ","), *parameters = entry;
        const char *coding = next_part(p, &parameters, ";");
        int q = parameters ? quality(p, parameters) : 1000;

        if (q <= 0) {
            continue;
        }
        if (!apr_strnatcasecmp(coding, "gzip")
            || !apr_strnatcasecmp(coding, "x-gzip")) {
            gzip = 1;
        }
        else if (brotli && !apr_strnatcasecmp(coding, "br")) {
            br = 1;
        }
    }
    return br ? (gzip ? "bg" : "b") : (gzip ? "g" : "");
}

int standby_class_reads(const char *class, const char *encoding)
{
    return !encoding
           || (!strcasecmp(encoding, "gzip") && strchr(class, 'g'))
           || (!strcasecmp(encoding, "br") && strchr(class, 'b'));
}

static int by_text(const void *word, const void *entry)
{
    return strcmp(word, *(const char *const *)entry);
}

int standby_is_common(const char *value)
{
    /* in the order of strcmp */
    static const char *const words[] = {
        "*/*", "?", "android", "application/signed-exchange",
        "application/xhtml+xml", "application/xml", "audio", "b", "br",
        "chrome", "close", "compress", "cookies", "cors", "cross-site",
        "deflate", "document", "empty", "exchange", "frame", "gzip", "i",
        "identity", "iframe", "image", "image/*", "image/apng", "image/avif",
        "image/jxl", "image/png", "image/svg+xml", "image/webp", "ios",
        "keep-alive", "linux", "macos", "max-age", "max-stale", "min-fresh",
        "navigate", "nested-navigate", "no-cache", "no-cors", "no-store",
        "none", "object", "on", "only-if-cached", "os", "prefetch", "prerender",
        "q", "same-origin", "same-site", "script", "style", "text/*",
        "text/html", "trailers", "u", "v", "video", "websocket", "windows",
        "worker", "x-gzip", "zstd"
    };
    char word[32];

    while (*value) {
        apr_size_t length = strcspn(value, " \t,;=\""), i;
        int figures = 1;

        if (length >= sizeof(word)) {
            return 0;
        }
        for (i = 0; i < length; ++i) {
            word[i] = (char)fold_case((unsigned char)value[i]);
            figures = figures && (apr_isdigit(word[i]) || word[i] == '.'
                                  || word[i] == '?');
        }
        word[length] = '\0';
        if (length && !(figures && length <= 5)
            && !(length == 2 && word[0] == 'b' && apr_isdigit(word[1]))
            && !bsearch(word, words, sizeof(words) / sizeof(words[0]),
                        sizeof(words[0]), by_text)) {
            return 0;
        }
        value += length + (value[length] ? 1 : 0);
    }
    return 1;
}

const char *standby_address_class(const char *address)
{
    int second;

    if (!strncasecmp(address, "::ffff:", 7)) {
        address += 7;
    }
    if (!strncmp(address, "127.", 4) || !strcmp(address, "::1")) {
        return "loopback";
    }
    if (!strncmp(address, "10.", 3) || !strncmp(address, "192.168.", 8)
        || !strncmp(address, "169.254.", 8)) {
        return "private";
    }
    if (!strncmp(address, "172.", 4) && (second = atoi(address + 4)) >= 16
        && second <= 31) {
        return "private";
    }
    if (strchr(address, ':')
        && (!strncasecmp(address, "fc", 2) || !strncasecmp(address, "fd", 2)
            || !strncasecmp(address, "fe8", 3) || !strncasecmp(address, "fe9", 3)
            || !strncasecmp(address, "fea", 3)
            || !strncasecmp(address, "feb", 3))) {
        return "private";
    }
    return "public";
}

const char *standby_network(apr_pool_t *p, const char *address)
{
    unsigned char bits[16];
    const char *plain = strncasecmp(address, "::ffff:", 7) ? address
                                                           : address + 7;

    if (strcmp(standby_address_class(plain), "public")) {
        return plain;
    }
    if (inet_pton(AF_INET, plain, bits) == 1) {
        return apr_psprintf(p, "%d.%d.%d.0/24", bits[0], bits[1], bits[2]);
    }
    if (inet_pton(AF_INET6, plain, bits) == 1) {
        return apr_psprintf(p, "%02x%02x:%02x%02x:%02x%02x::/48", bits[0],
                            bits[1], bits[2], bits[3], bits[4], bits[5]);
    }
    return address;
}

const char *standby_device(const char *agent)
{
    return !agent ? "other" : strstr(agent, "Mobi") ? "mobile"
           : strstr(agent, "iPad") || strstr(agent, "Android")
             || strstr(agent, "Tablet") ? "tablet" : "other";
}

/* Where the word begins in a list, alone or before `=`; NULL if it is not
 * there */
static const char *find_word(const char *list, const char *word)
{
    apr_size_t length = strlen(word);

    while (*list) {
        apr_size_t skip = strspn(list, " \t,;");

        list += skip;
        if (!strncasecmp(list, word, length)
            && strchr(" \t,;=", list[length])) {    /* the end of it, too */
            return list;
        }
        list += strcspn(list, " \t,;");
    }
    return NULL;
}

int standby_has_word(const char *list, const char *word)
{
    return find_word(list, word) != NULL;
}

/* The number behind `word=`, -1 if there is none */
static long seconds_at(const char *at)
{
    long seconds = 0;

    at += strspn(at, " \t");
    if (*at != '=') {
        return -1;
    }
    ++at;
    at += strspn(at, " \t\"");
    if (!apr_isdigit(*at)) {
        return -1;
    }
    for (; apr_isdigit(*at); ++at) {
        seconds = seconds > 100000000 ? seconds : seconds * 10 + (*at - '0');
    }
    return seconds;
}

long standby_seconds(const char *list, const char *word)
{
    apr_size_t length = strlen(word);
    long least = -1;

    while ((list = find_word(list, word))) {
        long seconds = seconds_at(list += length);

        if (seconds >= 0 && (least < 0 || seconds < least)) {
            least = seconds;
        }
    }
    return least;
}

int standby_in_namespace(apr_pool_t *p, const char *text,
                         const apr_array_header_t *names)
{
    const char *colon = strchr(text, ':'), *begin, *at;
    char *word;
    int i;

    if (!colon) {
        return 1;
    }
    for (begin = at = text; at < colon; ++at) {
        if (*at == '/') {
            begin = at + 1;
        }
    }
    word = apr_pstrmemdup(p, begin, colon - begin);
    for (i = 0; word[i]; ++i) {
        if (word[i] == ' ') {
            word[i] = '_';
        }
    }
    for (i = 0; i < names->nelts; ++i) {
        if (!strcmp(word, APR_ARRAY_IDX(names, i, const char *))) {
            return 1;
        }
    }
    return 0;
}
