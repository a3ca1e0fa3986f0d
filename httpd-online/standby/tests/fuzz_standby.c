/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer target for what a request and a page are made of. The first byte chooses the part. Beside "no crash" it checks what the
 * module relies on: a path that is taken has no second spelling; a query that is taken has each parameter once, in order; a cookie
 * that no list knows makes somebody; a text that is looked for is found where it stands; two pages that differ outside of what is
 * masked have other hashes.
 */
#include "standby_look.h"
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

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    apr_pool_t *p;
    char *text;

    if (!size) {
        return 0;
    }
    apr_pool_create(&p, global);
    text = apr_pstrmemdup(p, (const char *)data + 1, size - 1);
    switch (data[0] % 6) {
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
    default:
        check_builds(data + 1, size - 1);
    }
    apr_pool_destroy(p);
    return 0;
}
