/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer target for what a request and a page are made of. The first byte chooses the part. Beside "no crash" it checks what the
 * module relies on: a path that is taken has no second spelling; a query that is taken has each parameter once, in order; a cookie
 * that no list knows makes somebody; a text that is looked for is found where it stands; two pages that differ outside of what is
 * masked have other hashes.
 */
#include "standby_known.h"
#include "standby_look.h"
#include "standby_pass.h"
#include "standby_rate.h"
#include "standby_store.h"
#include "standby_text.h"

#include "apr_general.h"
#include "apr_strings.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) do { if (!(condition)) __builtin_trap(); } while (0)

static apr_pool_t *global;
static const unsigned char key[16] = "0123456789abcde";

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    apr_initialize();
    return apr_pool_create(&global, NULL) == APR_SUCCESS ? 0 : -1;
}

static apr_array_header_t *words(apr_pool_t *p, const char *first, const char *second)
{
    apr_array_header_t *array = apr_array_make(p, 2, sizeof(const char *));

    APR_ARRAY_PUSH(array, const char *) = first;
    APR_ARRAY_PUSH(array, const char *) = second;
    return array;
}

static void check_path(apr_pool_t *p, const char *text)
{
    const char *path = standby_plain_path(p, text), *at;

    if (!path) {
        return;
    }
    REQUIRE(*path == '/' && !strstr(path, "//") && !strstr(path, "/../") && !strstr(path, "/./"));
    for (at = path; *at; ++at) {
        REQUIRE((unsigned char)*at >= ' ' && *at != 0x7f && *at != '\\' && *at != ';');
    }
    for (at = text; (at = strchr(at, '%')); ++at) {     /* nothing that need not be encoded */
        REQUIRE(strncasecmp(at, "%2f", 3) && strncasecmp(at, "%41", 3) && strncasecmp(at, "%00", 3));
    }
}

static void check_query(apr_pool_t *p, const char *text)
{
    standby_query_t query;
    int i;

    if (!standby_parse_query(p, text, words(p, "p*", "title"), words(p, "utm_source", "fbclid"), NULL, &query)) {
        return;
    }
    REQUIRE(query.keyed->nelts <= STANDBY_MOST_KEYED
            && query.keyed->nelts + query.unkeyed->nelts <= STANDBY_MOST_PARAMETERS);
    for (i = 0; i < query.keyed->nelts; ++i) {
        const standby_pair_t *pair = &APR_ARRAY_IDX(query.keyed, i, standby_pair_t);

        REQUIRE(pair->name[0] == 'p' || !strcmp(pair->name, "title"));
        REQUIRE(!i || strcmp(pair[-1].name, pair->name) < 0);
        REQUIRE(strstr(query.normal, pair->text));
        standby_in_namespace(p, standby_decoded(p, pair->value), words(p, "Talk", "User"));
    }
}

static void check_cookies(apr_pool_t *p, const char *text)
{
    standby_cookie_classes_t classes = { words(p, "_ga", "_ga_*"), NULL, words(p, "author_*", "author"), NULL };
    standby_cookies_t cookies = { STANDBY_NO_COOKIE, NULL, 0, NULL };
    int i;

    standby_parse_cookies(p, text, &classes, &cookies);
    for (i = 0; i < cookies.harmless->nelts; ++i) {
        REQUIRE(!strncmp(APR_ARRAY_IDX(cookies.harmless, i, standby_pair_t).name, "_ga", 3));
    }
    REQUIRE(!cookies.stranger || cookies.who == STANDBY_SOMEBODY);
    REQUIRE(cookies.who != STANDBY_SOMEBODY || !strstr(text, "session=") || cookies.member);
    if (strstr(text, "; session=1")) {
        REQUIRE(cookies.who == STANDBY_SOMEBODY);
    }
}

static void check_headers(apr_pool_t *p, const char *text)
{
    const char *class = standby_accept_class(p, text), *encoding = standby_encoding_class(p, text, 1);

    REQUIRE(!class || strlen(class) < 32);
    REQUIRE(strlen(encoding) <= 2);
    standby_is_common(text);
    standby_address_class(text);
    standby_network(p, text);
    REQUIRE(standby_seconds(text, "max-age") < 0 || standby_has_word(text, "max-age"));
}

/* text, NUL, page */
static void check_look(apr_pool_t *p, const char *data, size_t size)
{
    apr_array_header_t *needles = apr_array_make(p, 4, sizeof(standby_needle_t));
    apr_array_header_t *masks = apr_array_make(p, 1, sizeof(standby_mask_t));
    standby_mask_t *mask = apr_array_push(masks);
    const char *page = memchr(data, 0, size);
    standby_look_t look, other;
    size_t length, i;
    char *changed;

    if (!page) {
        return;
    }
    ++page;
    length = data + size - page;
    mask->begin = "\"time\":";
    mask->end = ",";
    if (standby_add_needle(p, needles, data, "text")) {
        standby_look(p, page, length, needles, masks, key, &look);
        REQUIRE((memmem(page, length, data, strlen(data)) != NULL) <= (look.found != NULL));
    }
    apr_array_clear(needles);
    standby_look(p, page, length, needles, masks, key, &look);
    REQUIRE(!look.found);
    if (!length || memmem(page, length, "<!--", 4) || memmem(page, length, mask->begin, 7)) {
        return;
    }
    changed = apr_pmemdup(p, page, length);
    i = (unsigned char)page[0] % length;
    changed[i] ^= 1;
    if (memmem(changed, length, "<!--", 4) || memmem(changed, length, mask->begin, 7)) {
        return;
    }
    standby_look(p, changed, length, needles, masks, key, &other);
    REQUIRE(other.blocks->nelts == look.blocks->nelts);
    REQUIRE(APR_ARRAY_IDX(other.blocks, i / STANDBY_BLOCK, standby_block_t).hash
            != APR_ARRAY_IDX(look.blocks, i / STANDBY_BLOCK, standby_block_t).hash);
}

/* Each byte a build: two bits who, two bits what, four bits when */
static void check_builds(const unsigned char *data, size_t size)
{
    standby_facts_t facts, next, *before = NULL;
    standby_page_t page;
    apr_time_t now = apr_time_from_sec(1000000);
    int who[4] = { 0, 0, 0, 0 };    /* visitors who got the digest, as bits, since it was another one */
    size_t i;
    int last = -1;

    memset(&page, 0, sizeof(page));
    page.secret = key;
    page.window = apr_time_from_sec(100);
    page.lifetime = apr_time_from_sec(200);
    for (i = 0; i < size; ++i) {
        int client = data[i] & 3, what = data[i] >> 2 & 3;

        now += apr_time_from_sec(data[i] >> 4);
        page.client = client + 1;
        page.built = now;
        standby_judge_build(before, &page, what + 10, &next);
        facts = next;
        before = &facts;
        if (what != last) {
            memset(who, 0, sizeof(who));
        }
        last = what;
        who[what] |= 1 << client;
        if (standby_may_serve(&facts, now, apr_time_from_sec(1))) {
            /* at least two visitors have got just this */
            REQUIRE(who[what] & (who[what] - 1));
        }
    }
}

/* A text that nobody made is no pass; one that was made is one in its time, for its client, and no longer when a letter of it is
 * another one. client, NUL, text */
static void check_pass(apr_pool_t *p, const char *text, size_t size)
{
    const char *end = memchr(text, 0, size), *made;
    apr_uint64_t number = 0;
    char *changed;

    REQUIRE(!standby_pass_holds(end ? end + 1 : text, 1000, 100, text, key, &number));
    made = standby_pass_make(p, 950, size * 0x9e3779b97f4a7c15, text, key);
    REQUIRE(strlen(made) == STANDBY_PASS_LENGTH);
    REQUIRE(standby_pass_holds(made, 1000, 100, text, key, &number) && number == size * 0x9e3779b97f4a7c15);
    REQUIRE(!standby_pass_holds(made, 1051, 100, text, key, &number) && !standby_pass_holds(made, 949, 100, text, key, &number));
    REQUIRE(!standby_pass_holds(made, 1000, 100, "another", key, &number) || !strcmp(text, "another"));
    changed = apr_pstrdup(p, made);
    changed[size % STANDBY_PASS_LENGTH] ^= 1;
    REQUIRE(!standby_pass_holds(changed, 1000, 100, text, key, &number));
}

/* Each byte a request: two bits who, the others how much later. Nobody gets more than the rate and what it grants at once. */
static void check_rate(apr_pool_t *p, const unsigned char *data, size_t size)
{
    standby_rates_t *rates = apr_pcalloc(p, sizeof(*rates));
    apr_uint32_t now = 0, granted[4] = { 0, 0, 0, 0 };
    int per_minute = size ? data[0] : 0, at_once = per_minute < 12 ? 1 : per_minute / 6;
    size_t i;

    now -= 10000;       /* the clock begins anew */
    for (i = 1; i < size; ++i) {
        int who = data[i] & 3, wait;

        now += (data[i] >> 2) * 50;
        wait = standby_rate_take(rates, (apr_uint64_t)(who + 1) << 40 | (apr_uint64_t)who * STANDBY_RATE_SETS, per_minute, now);
        REQUIRE(wait >= 0 && wait <= 60);
        granted[who] += !wait;
        REQUIRE(granted[who] <= (per_minute ? at_once + 1 + (now + 10000) / (60000 / per_minute) : 0));
        REQUIRE(granted[who] || !per_minute);
    }
}

/* Each byte something found out about one of 16 who have one set: four bits who, two bits what, two bits how many minutes later. Who is
 * confirmed stays so, however many others are asked for or denied; what is known is what was last said, and not beyond its time. */
static void check_known(apr_pool_t *p, const unsigned char *data, size_t size)
{
    standby_known_t *known = apr_pcalloc(p, sizeof(*known));
    apr_uint32_t minute = 29000000, until[16] = { 0 };
    int said[16] = { 0 }, confirmed = 0, all = 0;
    size_t i;

    for (i = 0; i < size; ++i) {
        int who = data[i] & 15, what = (data[i] >> 4) & 3, each, ready = 0;

        minute += data[i] >> 6;
        if (what) {
            for (each = 0; each < 16; ++each) {     /* who must keep a place */
                ready += said[each] == STANDBY_YES && until[each] > minute;
            }
            confirmed = said[who] == STANDBY_YES && until[who] > minute;
            all = ready == STANDBY_KNOWN_WAYS;
            REQUIRE(standby_learn(known, (apr_uint64_t)who << 32, what, minute, 10) || (all && !confirmed && what != STANDBY_YES));
            if (!all || confirmed || what == STANDBY_YES) {
                said[who] = what;
                until[who] = minute + 10;
            }
        }
        for (each = 0, ready = 0; each < 16; ++each) {
            standby_knowledge_t is = standby_known(known, (apr_uint64_t)each << 32, minute);

            REQUIRE(is == STANDBY_UNKNOWN || (is == (standby_knowledge_t)said[each] && until[each] > minute));
            if (is == STANDBY_UNKNOWN && said[each] == STANDBY_YES && until[each] > minute) {
                REQUIRE(all && what == STANDBY_YES && !confirmed);   /* it gave way to another who is confirmed */
                said[each] = 0;
            }
        }
        REQUIRE(!what || standby_known(known, (apr_uint64_t)who << 32, minute) == (standby_knowledge_t)what
                || (all && !confirmed && what != STANDBY_YES));
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    apr_pool_t *p;
    char *text;

    if (!size) {
        return 0;
    }
    apr_pool_create(&p, global);
    text = apr_pstrmemdup(p, (const char *)data + 1, size - 1);
    switch (data[0] % 9) {
    case 0:
        check_path(p, text);
        break;
    case 1:
        check_query(p, text);
        break;
    case 2:
        check_cookies(p, text);
        break;
    case 3:
        check_headers(p, text);
        break;
    case 4:
        check_look(p, text, size - 1);
        break;
    case 5:
        check_builds(data + 1, size - 1);
        break;
    case 6:
        check_pass(p, text, size - 1);
        break;
    case 7:
        check_rate(p, data + 1, size - 1);
        break;
    default:
        check_known(p, data + 1, size - 1);
    }
    apr_pool_destroy(p);
    return 0;
}
