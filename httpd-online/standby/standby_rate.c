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


/* How often somebody may ask, see the header */

#include "standby_rate.h"

#include "apr_atomic.h"

#define MINUTE 60000
/* Nobody has to wait as long: what says so was written long ago */
#define LONGEST_WAIT (2 * MINUTE)

/* Milliseconds until the requests so far are paid for */
static apr_int32_t debt(const standby_rate_t *rate, apr_uint32_t now)
{
    apr_int32_t left = (apr_int32_t)(apr_atomic_read32(
        (volatile apr_uint32_t *)&rate->next) - now);

    return left < 0 || left > LONGEST_WAIT ? 0 : left;
}

/* The place of somebody. Two who take the same place at the same time share
 * it for once. */
static standby_rate_t *place_of(standby_rates_t *rates, apr_uint64_t who,
                                apr_uint32_t now)
{
    standby_rate_t *set = rates->sets[who % STANDBY_RATE_SETS];
    apr_uint32_t name = (apr_uint32_t)(who >> 32) | 1;
    int i, least = 0;

    for (i = 0; i < STANDBY_RATE_WAYS; ++i) {
        apr_uint32_t found = apr_atomic_read32(&set[i].who);

        if (found == name) {
            return &set[i];
        }
        if (!found) {       /* none is behind it */
            least = i;
            break;
        }
        if (debt(&set[i], now) < debt(&set[least], now)) {
            least = i;
        }
    }
    apr_atomic_set32(&set[least].next, now);
    apr_atomic_set32(&set[least].who, name);
    return &set[least];
}

int standby_rate_take(standby_rates_t *rates, apr_uint64_t who,
                      int per_minute, apr_uint32_t now)
{
    standby_rate_t *rate;
    apr_int32_t period, at_once;

    if (per_minute < 1) {
        return MINUTE / 1000;
    }
    period = MINUTE / per_minute;
    at_once = per_minute < 12 ? 0 : period * (per_minute / 6 - 1);
    rate = place_of(rates, who, now);
    for (;;) {
        apr_uint32_t before = apr_atomic_read32(&rate->next);
        apr_int32_t owed = debt(rate, now);

        if (owed > at_once) {
            return (owed - at_once + 999) / 1000;
        }
        if (apr_atomic_cas32(&rate->next, now + owed + period, before)
            == before) {
            return 0;
        }
    }
}
