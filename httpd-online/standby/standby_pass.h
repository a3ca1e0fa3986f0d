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


/* The pass of a visitor: a cookie that says when it was given and to whom, and
 * that nobody else can make. Nothing here knows httpd. */

#ifndef STANDBY_PASS_H
#define STANDBY_PASS_H

#include "apr.h"
#include "apr_pools.h"

/* Figures of three numbers with a dash between them */
#define STANDBY_PASS_LENGTH (8 + 1 + 16 + 1 + 16)

/* A pass for a client (its network), given now (seconds). secret: 16 bytes;
 * number: another one for each pass. */
const char *standby_pass_make(apr_pool_t *p, apr_uint32_t now,
                              apr_uint64_t number, const char *client,
                              const unsigned char *secret);

/* True if the text is a pass that was given to this client, not longer ago than
 * its lifetime (seconds) */
int standby_pass_holds(const char *text, apr_uint32_t now,
                       apr_uint32_t lifetime, const char *client,
                       const unsigned char *secret, apr_uint64_t *number);

/* A hash that nobody can foretell; kind: of what, so that no two kinds of text
 * have the same */
apr_uint64_t standby_pass_hash(const char *kind, const char *text,
                               const unsigned char *secret);

#endif
