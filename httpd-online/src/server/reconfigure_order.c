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


/* Online reconfiguration: the first of many slots, see the header */

#include "reconfigure_order.h"

static int comes_before(const reconfigure_order_t *o, int a, int b)
{
    int first = o->eligible(o->quotas, &o->quotas->slots[a]);
    int second = o->eligible(o->quotas, &o->quotas->slots[b]);

    if (first && second) {
        if (o->better(&o->quotas->slots[a], &o->quotas->slots[b])) {
            return 1;
        }
        if (o->better(&o->quotas->slots[b], &o->quotas->slots[a])) {
            return 0;
        }
    }
    else if (first || second) {
        return first;
    }
    return a < b;
}

static void put(reconfigure_order_t *o, int place, int slot)
{
    o->heap[place] = slot;
    o->places[slot] = place;
}

/* Let the slot take its place among those that come after what is there */
static void sift_down(reconfigure_order_t *o, int place, int slot)
{
    int n = o->quotas->nslots, child;

    while ((child = 2 * place + 1) < n) {
        if (child + 1 < n
            && comes_before(o, o->heap[child + 1], o->heap[child])) {
            ++child;
        }
        if (!comes_before(o, o->heap[child], slot)) {
            break;
        }
        put(o, place, o->heap[child]);
        place = child;
    }
    put(o, place, slot);
}

void ap_reconfigure_order_begin(reconfigure_order_t *o,
                                const reconfigure_quotas_t *q, int *memory,
                                reconfigure_eligible_fn *eligible,
                                reconfigure_better_fn *better)
{
    int i;

    o->quotas = q;
    o->eligible = eligible;
    o->better = better;
    o->heap = memory;
    o->places = memory + q->nslots;
    for (i = 0; i < q->nslots; ++i) {
        put(o, i, i);
    }
    for (i = q->nslots / 2 - 1; i >= 0; --i) {
        sift_down(o, i, o->heap[i]);
    }
}

int ap_reconfigure_order_first(const reconfigure_order_t *o)
{
    int slot = o->quotas->nslots > 0 ? o->heap[0] : -1;

    return slot >= 0 && o->eligible(o->quotas, &o->quotas->slots[slot])
        ? slot : -1;
}

void ap_reconfigure_order_changed(reconfigure_order_t *o, int slot)
{
    int place = o->places[slot];

    while (place > 0 && comes_before(o, slot, o->heap[(place - 1) / 2])) {
        put(o, place, o->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    sift_down(o, place, slot);
}
