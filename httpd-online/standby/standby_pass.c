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


/* The pass of a visitor, see the header */

#include "standby_pass.h"

#include "apr_siphash.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#include "apr_want.h"

/* A client's name that is longer is cut: it comes from a header then */
#define LONGEST 512

apr_uint64_t standby_pass_hash(const char *kind, const char *text,
                               const unsigned char *secret)
{
    char all[LONGEST];
    apr_size_t length;

    apr_snprintf(all, sizeof(all), "%s %s", kind, text);
    length = strlen(all);
    return apr_siphash24(all, length, secret);
}

static apr_uint64_t sign(apr_uint32_t since, apr_uint64_t number,
                         const char *client, const unsigned char *secret)
{
    char text[LONGEST];

    apr_snprintf(text, sizeof(text), "%08x-%016" APR_UINT64_T_HEX_FMT "-%s",
                 since, number, client);
    return standby_pass_hash("pass", text, secret);
}

const char *standby_pass_make(apr_pool_t *p, apr_uint32_t now,
                              apr_uint64_t number, const char *client,
                              const unsigned char *secret)
{
    return apr_psprintf(p, "%08x-%016" APR_UINT64_T_HEX_FMT
                        "-%016" APR_UINT64_T_HEX_FMT, now, number,
                        sign(now, number, client, secret));
}

/* Takes a number of just so many figures off the text's beginning */
static int take_number(const char **text, int figures, apr_uint64_t *number)
{
    *number = 0;
    for (; figures; --figures, ++*text) {
        char c = **text;
        int value = c >= '0' && c <= '9' ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (value < 0) {
            return 0;
        }
        *number = *number << 4 | (apr_uint64_t)value;
    }
    return 1;
}

int standby_pass_holds(const char *text, apr_uint32_t now,
                       apr_uint32_t lifetime, const char *client,
                       const unsigned char *secret, apr_uint64_t *number)
{
    apr_uint64_t since, signature;

    return take_number(&text, 8, &since) && *text++ == '-'
           && take_number(&text, 16, number) && *text++ == '-'
           && take_number(&text, 16, &signature) && !*text
           && signature == sign((apr_uint32_t)since, *number, client, secret)
           && since <= now && now - since <= lifetime;
}
