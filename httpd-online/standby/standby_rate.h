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


/* How often somebody may ask: a table of fixed size in memory that processes
 * share. Nothing here knows httpd. */

#ifndef STANDBY_RATE_H
#define STANDBY_RATE_H

#include "apr.h"

#define STANDBY_RATE_SETS 4096
#define STANDBY_RATE_WAYS 4
#define STANDBY_MOST_RATE 60000

typedef struct {
    volatile apr_uint32_t who;      /* 0: free */
    volatile apr_uint32_t next;     /* when the requests so far are paid for */
} standby_rate_t;

/* Begins as zeros. Whoever is not in it has asked for nothing; where there is no
 * place for one more, who has to wait the least is forgotten. */
typedef struct {
    standby_rate_t sets[STANDBY_RATE_SETS][STANDBY_RATE_WAYS];
} standby_rates_t;

/* One more request of somebody (a hash) who may make so many in a minute, a
 * sixth of them at once. 0 if it is granted, else the seconds until one is.
 * now: milliseconds of any clock, which may begin anew at 0. */
int standby_rate_take(standby_rates_t *rates, apr_uint64_t who,
                      int per_minute, apr_uint32_t now);

#endif
