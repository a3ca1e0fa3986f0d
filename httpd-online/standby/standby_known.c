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


/* What was found out about addresses, see the header */

#include "standby_known.h"

#include "apr_atomic.h"

static standby_knowledge_t state_of(apr_uint32_t what)
{
    return (standby_knowledge_t)(what & 3);
}

static int holds(apr_uint32_t what, apr_uint32_t minute)
{
    return what >> 2 > minute;
}

static standby_fact_t *set_of(standby_known_t *known, apr_uint64_t who)
{
    return known->sets[who % STANDBY_KNOWN_SETS];
}

static apr_uint32_t name_of(apr_uint64_t who)
{
    return (apr_uint32_t)(who >> 32);
}

standby_knowledge_t standby_known(standby_known_t *known, apr_uint64_t who,
                                  apr_uint32_t minute)
{
    standby_fact_t *set = set_of(known, who);
    int i;

    for (i = 0; i < STANDBY_KNOWN_WAYS; ++i) {
        apr_uint32_t what = apr_atomic_read32(&set[i].what);

        /* it may have become somebody else's between the two looks */
        if (apr_atomic_read32(&set[i].who) == name_of(who)
            && holds(what, minute) && state_of(what)
            && apr_atomic_read32(&set[i].what) == what) {
            return state_of(what);
        }
    }
    return STANDBY_UNKNOWN;
}

/* How dear a place is to those who have it: what holds no longer, least */
static apr_uint32_t worth(apr_uint32_t what, apr_uint32_t minute)
{
    return !holds(what, minute) ? 0
           : what >> 2 | (state_of(what) == STANDBY_YES ? 1u << 31 : 0);
}

int standby_learn(standby_known_t *known, apr_uint64_t who,
                  standby_knowledge_t what, apr_uint32_t minute,
                  apr_uint32_t minutes)
{
    standby_fact_t *set = set_of(known, who), *place = NULL;
    apr_uint32_t before = 0;
    int i;

    for (i = 0; i < STANDBY_KNOWN_WAYS; ++i) {
        apr_uint32_t is = apr_atomic_read32(&set[i].what);

        if (holds(is, minute) && !state_of(is)) {
            continue;
        }
        if (is && apr_atomic_read32(&set[i].who) == name_of(who)) {
            place = &set[i];
            before = is;
            break;
        }
        if (!place || worth(is, minute) < worth(before, minute)) {
            place = &set[i];
            before = is;
        }
    }
    if (!place || (holds(before, minute) && state_of(before) == STANDBY_YES
                   && what != STANDBY_YES
                   && apr_atomic_read32(&place->who) != name_of(who))) {
        return 0;
    }
    /* who writes here takes the place first: what one says must not stand
     * behind the name of another */
    if (apr_atomic_cas32(&place->what, (minute + 1) << 2, before) != before) {
        return 0;
    }
    apr_atomic_set32(&place->who, name_of(who));
    apr_atomic_set32(&place->what, (minute + minutes) << 2 | what);
    return 1;
}
