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


/* A look at a whole page as the application built it: does it hold something
 * of the request, and is it the same as another visitor's? Nothing here knows
 * httpd. One pass over the page, whatever is looked for. */

#ifndef STANDBY_LOOK_H
#define STANDBY_LOOK_H

#include "apr_pools.h"
#include "apr_tables.h"

/* Shorter texts are in every page by chance */
#define STANDBY_LEAST_NEEDLE 6
/* Nobody's browser sends longer ones; what is built for them is not stored */
#define STANDBY_LONGEST_NEEDLE 1024
/* More of them, and the page is not stored */
#define STANDBY_MOST_NEEDLES 250
/* Letters of one that are written in other ways here and there; with more, the
 * page is not stored */
#define STANDBY_MOST_ESCAPED 128
/* Of a configuration */
#define STANDBY_MOST_MASKS 32
/* Bytes that the texts around a mask have at least */
#define STANDBY_LEAST_MASK 3
/* Bytes of a page, without what is masked, that one hash stands for */
#define STANDBY_BLOCK 512
/* A mask is not longer: what does not end by then is no mask */
#define STANDBY_LONGEST_MASK 32768
#define STANDBY_LONGEST_COMMENT 512

/* What a page must not hold */
typedef struct {
    const char *text;
    apr_size_t length;
    const char *what;       /* for people: "address", "header User-Agent" */
    int whole;              /* an address: not as a part of a longer one */
} standby_needle_t;

typedef struct {
    const char *begin;
    const char *end;
} standby_mask_t;

typedef struct {
    apr_uint64_t hash;      /* of the block without what is masked */
    apr_uint32_t offset;    /* in the page */
    apr_uint32_t reserved;
} standby_block_t;

typedef struct {
    const standby_needle_t *found;  /* NULL: nothing of the request */
    apr_array_header_t *blocks;     /* of standby_block_t */
} standby_look_t;

/* Adds a text to look for as it was sent, and as it would stand in HTML, in
 * JSON, in a script and in an address, decoded or not. False for what is too
 * short, too long or too strange to be looked for, and if there are too many. */
int standby_add_needle(apr_pool_t *p, apr_array_header_t *needles,
                       const char *text, const char *what);

/* The same for what only this request has, a parameter or a cookie: of its
 * longest piece of letters and figures, which no way to write it changes, or,
 * if that is short, of the whole */
int standby_add_secret(apr_pool_t *p, apr_array_header_t *needles,
                       const char *text, const char *what);

/* An address, which is looked for as a whole. False if there are too many. */
int standby_add_address(apr_array_header_t *needles, const char *address);

/* Looks at a page. Figures within HTML comments, and what the masks (an array
 * of standby_mask_t, or NULL) stand around, is not compared; needles are
 * looked for everywhere. Takes time in proportion to the page. key: 16 bytes for
 * the hashes. */
void standby_look(apr_pool_t *p, const char *page, apr_size_t length,
                  const apr_array_header_t *needles,
                  const apr_array_header_t *masks,
                  const unsigned char *key, standby_look_t *look);

#endif
