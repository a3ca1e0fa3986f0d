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


/* A look at a whole page, see the header */

#include "standby_look.h"
#include "standby_text.h"

#include "apr_lib.h"
#include "apr_siphash.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include <stdlib.h>

#define COMMENT_BEGIN "<!--"
#define COMMENT_END "-->"
/* No text is stepped over by more than this */
#define INDEX_LONGEST 64
/* Texts are looked for by blocks of three bytes: most of a page is stepped over,
 * as no text has that block where it would have to be (after Wu and Manber) */
#define INDEX_BITS 13
#define BLOCK 3

typedef struct {
    apr_size_t least;                       /* length of the shortest text */
    unsigned char step[1 << INDEX_BITS];    /* 0: a text may end its first
                                             * `least` bytes here */
    unsigned char first[1 << INDEX_BITS];   /* number of a text, from 1 on */
    unsigned char next[STANDBY_MOST_NEEDLES + 1];
} text_index_t;

static unsigned int hash_block(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;

    return (((unsigned int)b[0] << 16 | b[1] << 8 | b[2]) * 2654435761u)
           >> (32 - INDEX_BITS);
}

static void fill_index(text_index_t *index, const apr_array_header_t *needles)
{
    apr_size_t step;
    int i;

    index->least = 1 + INDEX_LONGEST;
    for (i = 0; i < needles->nelts; ++i) {
        apr_size_t length = APR_ARRAY_IDX(needles, i, standby_needle_t).length;

        index->least = length < index->least ? length : index->least;
    }
    memset(index->step, (int)(index->least - BLOCK + 1), sizeof(index->step));
    for (i = 0; i < needles->nelts; ++i) {
        const char *text = APR_ARRAY_IDX(needles, i, standby_needle_t).text;
        unsigned int hash = 0;

        for (step = index->least - BLOCK + 1; step-- > 0; ++text) {
            hash = hash_block(text);
            if (step < index->step[hash]) {
                index->step[hash] = (unsigned char)step;
            }
        }
        index->next[i + 1] = index->first[hash];
        index->first[hash] = (unsigned char)(i + 1);
    }
}

/* False if there are too many */
static int push_needle(apr_array_header_t *needles, const char *text,
                       const char *what)
{
    apr_size_t length = strlen(text);
    standby_needle_t *needle;
    int i;

    for (i = 0; i < needles->nelts; ++i) {
        needle = &APR_ARRAY_IDX(needles, i, standby_needle_t);
        if (needle->length == length && !memcmp(needle->text, text, length)) {
            return 1;
        }
    }
    if (needles->nelts == STANDBY_MOST_NEEDLES) {
        return 0;
    }
    needle = apr_array_push(needles);
    needle->text = text;
    needle->length = length;
    needle->what = what;
    needle->whole = 0;
    return 1;
}

/* How languages and libraries write a letter that means something where it
 * stands; NULL: as it is. room: for what is written, if it is no constant */
typedef const char *escape_t(char *room, unsigned char c);

static const char *as_is(char *room, unsigned char c)
{
    (void)room;
    (void)c;
    return NULL;
}

static const char *in_html_text(char *room, unsigned char c)
{
    (void)room;
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}

static const char *in_html(char *room, unsigned char c)         /* PHP */
{
    return c == '"' ? "&quot;" : c == '\'' ? "&#039;" : in_html_text(room, c);
}

static const char *in_html_go(char *room, unsigned char c)      /* Go, Ruby */
{
    return c == '"' ? "&#34;" : c == '\'' ? "&#39;" : in_html_text(room, c);
}

static const char *in_html_python(char *room, unsigned char c)
{
    return c == '\'' ? "&#x27;" : in_html(room, c);
}

static const char *in_json(char *room, unsigned char c)
{
    (void)room;
    return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
}

static const char *in_json_php(char *room, unsigned char c)
{
    return c == '/' ? "\\/" : in_json(room, c);
}

static const char *with_slashes(char *room, unsigned char c)
{
    return c == '\'' ? "\\'" : in_json(room, c);
}

#define LOWER "0123456789abcdef"
#define UPPER "0123456789ABCDEF"

static const char *as_figures(char *room, const char *begin, unsigned char c,
                              const char *figures)
{
    apr_size_t length = strlen(begin);

    memcpy(room, begin, length);
    room[length] = figures[c >> 4];
    room[length + 1] = figures[c & 15];
    room[length + 2] = '\0';
    return room;
}

/* As it is safe within a script */
static const char *in_script(char *room, unsigned char c)
{
    return strchr("<>&'", c) ? as_figures(room, "\\u00", c, LOWER)
                             : in_json(room, c);
}

static const char *in_script_go(char *room, unsigned char c)
{
    return strchr("<>&", c) ? as_figures(room, "\\u00", c, LOWER)
                            : in_json(room, c);
}

static const char *in_script_django(char *room, unsigned char c)
{
    return strchr("<>&", c) ? as_figures(room, "\\u00", c, UPPER)
                            : in_json(room, c);
}

static const char *in_script_upper(char *room, unsigned char c)
{
    return strchr("<>&'", c) ? as_figures(room, "\\u00", c, UPPER)
                             : in_json(room, c);
}

static const char *in_script_php(char *room, unsigned char c)
{
    return strchr("<>&'\"", c) ? as_figures(room, "\\u00", c, UPPER)
                               : in_json_php(room, c);
}

static const char *in_url(char *room, unsigned char c)
{
    return apr_isalnum(c) || strchr("-._~", c) ? NULL
           : as_figures(room, "%", c, UPPER);
}

static const char *in_url_lower(char *room, unsigned char c)
{
    return apr_isalnum(c) || strchr("-._~", c) ? NULL
           : as_figures(room, "%", c, LOWER);
}

static const char *in_path(char *room, unsigned char c)
{
    return c == '/' ? NULL : in_url(room, c);
}

static const char *in_path_lower(char *room, unsigned char c)
{
    return c == '/' ? NULL : in_url_lower(room, c);
}

static const char *in_form(char *room, unsigned char c)
{
    return c == ' ' ? "+" : in_url(room, c);
}

static const char *in_uri_javascript(char *room, unsigned char c)
{
    return strchr(";,/?:@&=+$!*'()#", c) ? NULL : in_url(room, c);
}

/* No letter of these is written in another way */
static int is_plain(unsigned char c)
{
    return apr_isalnum(c) || (c && strchr("-._", c));
}

/* The longest piece of plain letters */
static const char *plain_piece(apr_pool_t *p, const char *text)
{
    const char *best = "";
    apr_size_t longest = 0;

    while (*text) {
        apr_size_t length = 0;

        while (is_plain((unsigned char)text[length])) {
            ++length;
        }
        if (length > longest) {
            longest = length;
            best = text;
        }
        text += length + (text[length] ? 1 : 0);
    }
    return apr_pstrmemdup(p, best, longest);
}

/* More is refused: each is written in many ways */
static int has_too_many_to_escape(const char *text)
{
    int count = 0;

    for (; *text; ++text) {
        count += !is_plain((unsigned char)*text);
    }
    return count > STANDBY_MOST_ESCAPED;
}

static const char *escaped(apr_pool_t *p, const char *text, escape_t *escape)
{
    char room[8];
    const char *at, *other;
    apr_size_t length = 0;
    int same = 1;
    char *all, *to;

    for (at = text; *at; ++at) {
        other = escape(room, (unsigned char)*at);
        same = same && !other;
        length += other ? strlen(other) : 1;
    }
    if (same) {
        return text;
    }
    all = to = apr_palloc(p, length + 1);
    for (at = text; *at; ++at) {
        other = escape(room, (unsigned char)*at);
        if (!other) {
            *to++ = *at;
            continue;
        }
        length = strlen(other);
        memcpy(to, other, length);
        to += length;
    }
    *to = '\0';
    return all;
}

int standby_add_needle(apr_pool_t *p, apr_array_header_t *needles,
                       const char *text, const char *what)
{
    static escape_t *const escapes[] = {
        as_is, in_html_text, in_html, in_html_go, in_html_python, in_json,
        in_json_php, with_slashes, in_script, in_script_go, in_script_django,
        in_script_upper, in_script_php,
        in_url, in_url_lower, in_path, in_path_lower, in_form,
        in_uri_javascript
    };
    const char *decoded = standby_decoded(p, text);
    const char *forms[2];
    apr_size_t i, j;

    if (strlen(text) < STANDBY_LEAST_NEEDLE
        || strlen(text) > STANDBY_LONGEST_NEEDLE
        || has_too_many_to_escape(text)) {
        return 0;
    }
    forms[0] = text;
    forms[1] = decoded ? decoded : text;
    for (i = 0; i < (strcmp(forms[0], forms[1]) ? 2 : 1); ++i) {
        if (strlen(forms[i]) < STANDBY_LEAST_NEEDLE) {
            continue;
        }
        for (j = 0; j < sizeof(escapes) / sizeof(escapes[0]); ++j) {
            if (!push_needle(needles, escaped(p, forms[i], escapes[j]), what)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Each way to write a text leaves its plain pieces as they are: to look for one
 * is enough, if it is long enough. Of a text that is encoded as it came, one of
 * that and one of what it means. */
int standby_add_secret(apr_pool_t *p, apr_array_header_t *needles,
                       const char *text, const char *what)
{
    const char *decoded = standby_decoded(p, text);
    const char *piece = plain_piece(p, text);
    const char *meant = decoded ? plain_piece(p, decoded) : piece;

    if (strlen(text) > STANDBY_LONGEST_NEEDLE) {
        return 0;
    }
    if (strlen(piece) < STANDBY_LEAST_NEEDLE
        || strlen(meant) < STANDBY_LEAST_NEEDLE) {
        return standby_add_needle(p, needles, text, what);
    }
    return push_needle(needles, piece, what)
           && push_needle(needles, meant, what);
}

int standby_add_address(apr_array_header_t *needles, const char *address)
{
    if (!strncasecmp(address, "::ffff:", 7)) {
        address += 7;
    }
    if (strlen(address) < BLOCK) {
        return 0;
    }
    if (!push_needle(needles, address, "the client's address")) {
        return 0;
    }
    APR_ARRAY_IDX(needles, needles->nelts - 1, standby_needle_t).whole = 1;
    return 1;
}

/* An address goes on with figures, letters of hexadecimal figures, dots and
 * colons */
static int is_address(const char *page, apr_size_t length, apr_size_t at)
{
    return at < length && (apr_isxdigit(page[at]) || page[at] == ':'
                           || (page[at] == '.' && at + 1 < length
                               && apr_isdigit(page[at + 1])));
}

static int stands_at(const standby_needle_t *needle, const char *page,
                     apr_size_t length, apr_size_t at)
{
    if (length - at < needle->length
        || memcmp(page + at, needle->text, needle->length)) {
        return 0;
    }
    return !needle->whole
           || (!is_address(page, length, at + needle->length)
               && (!at || (!apr_isdigit(page[at - 1]) && page[at - 1] != '.')));
}

/* The first text of the request in a page, NULL if there is none */
static const standby_needle_t *find_needle(apr_pool_t *p, const char *page,
                                           apr_size_t length,
                                           const apr_array_header_t *needles)
{
    text_index_t *index;
    apr_size_t at;

    if (!needles->nelts) {
        return NULL;
    }
    index = apr_pcalloc(p, sizeof(*index));
    fill_index(index, needles);
    for (at = index->least; at <= length; ) {   /* behind the block */
        unsigned int hash = hash_block(page + at - BLOCK);
        int number;

        if (index->step[hash]) {
            at += index->step[hash];
            continue;
        }
        for (number = index->first[hash]; number;
             number = index->next[number]) {
            const standby_needle_t *needle =
                &APR_ARRAY_IDX(needles, number - 1, standby_needle_t);

            if (stands_at(needle, page, length, at - index->least)) {
                return needle;
            }
        }
        ++at;
    }
    return NULL;
}

/* What is not compared of a page */
typedef struct {
    apr_size_t from;
    apr_size_t to;
    int figures_only;       /* all of a comment but its figures is compared */
} gap_t;

static int by_place(const void *a, const void *b)
{
    const gap_t *first = a, *second = b;

    return first->from < second->from ? -1 : first->from > second->from;
}

/* As memmem. Pages have few exclamation marks and the like, and memchr is the
 * fastest of all searches. */
static const char *find_text(const char *page, apr_size_t length,
                             const char *text, apr_size_t text_length)
{
    apr_size_t rare = strcspn(text, "!#$%&()*:;?@[]^_`{|}~");
    const char *end = page + length, *at = page;

    if (rare == text_length) {
        return memmem(page, length, text, text_length);
    }
    while ((apr_size_t)(end - at) >= text_length
           && (at = memchr(at + rare, text[rare],
                           end - at - text_length + 1))) {
        at -= rare;
        if (!memcmp(at, text, text_length)) {
            return at;
        }
        ++at;
    }
    return NULL;
}

/* Each byte is looked at once for the beginning and once for the end, however
 * many begin without an end */
static void find_gaps(const char *page, apr_size_t length,
                      const standby_mask_t *mask, int figures_only,
                      apr_array_header_t *gaps)
{
    apr_size_t begin_length = strlen(mask->begin);
    apr_size_t end_length = strlen(mask->end), at = 0, searched = 0;
    const char *found;

    while ((found = find_text(page + at, length - at, mask->begin,
                              begin_length))) {
        apr_size_t from = found - page, begin = from + begin_length;
        apr_size_t last = begin + (figures_only ? STANDBY_LONGEST_COMMENT
                                                : STANDBY_LONGEST_MASK);
        const char *end;

        last = last < length ? last : length;
        begin = begin > searched ? begin : searched;
        end = begin < last ? memmem(page + begin, last - begin, mask->end,
                                    end_length) : NULL;
        at = from + begin_length;
        if (end) {
            gap_t *gap = apr_array_push(gaps);

            gap->from = at;
            gap->to = end - page;
            gap->figures_only = figures_only;
            at = gap->to;
        }
        else if (last >= end_length) {
            searched = last - end_length + 1;
        }
    }
}

/* What is compared of a page, block by block */
typedef struct {
    char text[STANDBY_BLOCK];
    apr_size_t length;
    apr_uint32_t offset;
    const unsigned char *key;
    apr_array_header_t *blocks;
} writer_t;

static void end_block(writer_t *writer, const char *text, apr_size_t length)
{
    standby_block_t *block = apr_array_push(writer->blocks);

    block->hash = apr_siphash24(text, length, writer->key);
    block->offset = writer->offset;
    block->reserved = 0;
    writer->length = 0;
}

/* A piece of the page; at: where it stands */
static void put(writer_t *writer, const char *text, apr_size_t length,
                apr_size_t at)
{
    while (length) {
        apr_size_t size = STANDBY_BLOCK - writer->length;

        if (!writer->length) {
            writer->offset = (apr_uint32_t)at;
            if (length >= STANDBY_BLOCK) {
                end_block(writer, text, STANDBY_BLOCK);
                text += STANDBY_BLOCK;
                at += STANDBY_BLOCK;
                length -= STANDBY_BLOCK;
                continue;
            }
        }
        size = size < length ? size : length;
        memcpy(writer->text + writer->length, text, size);
        writer->length += size;
        text += size;
        at += size;
        length -= size;
        if (writer->length == STANDBY_BLOCK) {
            end_block(writer, writer->text, writer->length);
        }
    }
}

static void put_without_figures(writer_t *writer, const char *page,
                                apr_size_t from, apr_size_t to)
{
    while (from < to) {
        apr_size_t end = from;

        while (end < to && !apr_isdigit(page[end]) && page[end] != '.') {
            ++end;
        }
        put(writer, page + from, end - from, from);
        from = end;
        while (from < to && (apr_isdigit(page[from]) || page[from] == '.')) {
            ++from;
        }
    }
}

static void put_page(writer_t *writer, const char *page, apr_size_t length,
                     const apr_array_header_t *gaps)
{
    apr_size_t at = 0;
    int i;

    for (i = 0; i < gaps->nelts; ++i) {
        const gap_t *gap = &APR_ARRAY_IDX(gaps, i, gap_t);

        if (gap->to <= at) {    /* within another one */
            continue;
        }
        if (gap->from > at) {
            put(writer, page + at, gap->from - at, at);
            at = gap->from;
        }
        if (gap->figures_only) {
            put_without_figures(writer, page, at, gap->to);
        }
        at = gap->to;
    }
    put(writer, page + at, length - at, at);
    if (writer->length) {
        end_block(writer, writer->text, writer->length);
    }
}

void standby_look(apr_pool_t *p, const char *page, apr_size_t length,
                  const apr_array_header_t *needles,
                  const apr_array_header_t *masks,
                  const unsigned char *key, standby_look_t *look)
{
    static const standby_mask_t comment = { COMMENT_BEGIN, COMMENT_END };
    apr_array_header_t *gaps = apr_array_make(p, 16, sizeof(gap_t));
    writer_t *writer = apr_palloc(p, sizeof(*writer));
    int i;

    look->blocks = apr_array_make(p, (int)(length / STANDBY_BLOCK) + 1,
                                  sizeof(standby_block_t));
    look->found = find_needle(p, page, length, needles);
    if (look->found) {
        return;
    }
    find_gaps(page, length, &comment, 1, gaps);
    for (i = 0; masks && i < masks->nelts; ++i) {
        find_gaps(page, length, &APR_ARRAY_IDX(masks, i, standby_mask_t), 0,
                  gaps);
    }
    qsort(gaps->elts, gaps->nelts, sizeof(gap_t), by_place);
    writer->length = 0;
    writer->offset = 0;
    writer->key = key;
    writer->blocks = look->blocks;
    put_page(writer, page, length, gaps);
}
