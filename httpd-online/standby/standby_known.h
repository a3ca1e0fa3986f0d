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


/* What was found out about addresses, for a while: a table of fixed size in
 * memory that processes share. Nothing here knows httpd. */

#ifndef STANDBY_KNOWN_H
#define STANDBY_KNOWN_H

#include "apr.h"

#define STANDBY_KNOWN_SETS 1024
#define STANDBY_KNOWN_WAYS 4

/* Asked for and not answered yet, denied, confirmed */
typedef enum {
    STANDBY_UNKNOWN, STANDBY_ASKED, STANDBY_NO, STANDBY_YES
} standby_knowledge_t;

/* The minute until which it holds, and in the last two bits what; unknown until
 * a minute: somebody writes here just now */
typedef struct {
    volatile apr_uint32_t who;
    volatile apr_uint32_t what;
} standby_fact_t;

/* Begins as zeros */
typedef struct {
    standby_fact_t sets[STANDBY_KNOWN_SETS][STANDBY_KNOWN_WAYS];
} standby_known_t;

/* What is known of somebody (a hash) in this minute */
standby_knowledge_t standby_known(standby_known_t *known, apr_uint64_t who,
                                  apr_uint32_t minute);

/* Keeps it for so many minutes. False where there is no place: what is confirmed
 * gives way only to what is confirmed, so that nobody is forgotten for those who
 * lie. */
int standby_learn(standby_known_t *known, apr_uint64_t who,
                  standby_knowledge_t what, apr_uint32_t minute,
                  apr_uint32_t minutes);

#endif
