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


/* Online reconfiguration: the arithmetic of quotas, see the header */

#include "apr.h"
#include "reconfigure_quota.h"

#include <stddef.h>

/*****************************************************************
 * The first of many slots
 *
 * Quotas go from one child to another one by one, and each time the child is
 * looked for that has most, or least.  These are a heap's steps, not a look at
 * each slot: MaxRequestWorkers x ServerLimit of those would be too many for the
 * parent.
 */

/* Can the slot be the first at all? */
typedef int eligible_fn(const reconfigure_quotas_t *q,
                        const reconfigure_share_t *share);

/* Does one come before the other? Both are eligible. Of two that neither
 * comes before the other, the lower slot does. */
typedef int better_fn(const reconfigure_share_t *one,
                      const reconfigure_share_t *other);

/* All slots, the first of them first */
typedef struct {
    const reconfigure_quotas_t *quotas;
    eligible_fn *eligible;
    better_fn *better;
    int *heap;      /* slots */
    int *places;    /* where in it each slot is */
} order_t;

static int comes_before(const order_t *o, int a, int b)
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

static void put(order_t *o, int place, int slot)
{
    o->heap[place] = slot;
    o->places[slot] = place;
}

/* Let the slot take its place among those that come after what is there */
static void sift_down(order_t *o, int place, int slot)
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

/* Order the slots; memory, 2 x nslots, is the order's as long as it is used */
static void order_begin(order_t *o, const reconfigure_quotas_t *q, int *memory,
                        eligible_fn *eligible, better_fn *better)
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

/* The first slot; -1 if none is eligible */
static int order_first(const order_t *o)
{
    int slot = o->quotas->nslots > 0 ? o->heap[0] : -1;

    return slot >= 0 && o->eligible(o->quotas, &o->quotas->slots[slot])
        ? slot : -1;
}

/* To be called for each slot that has changed, before the next one does */
static void order_changed(order_t *o, int slot)
{
    int place = o->places[slot];

    while (place > 0 && comes_before(o, slot, o->heap[(place - 1) / 2])) {
        put(o, place, o->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    sift_down(o, place, slot);
}

/*****************************************************************
 * The sum of all quotas
 */

/* Quota beyond busy workers and waiting connections; may be negative */
static int slack_of(const reconfigure_share_t *share)
{
    return share->quota - (share->busy + share->waiting);
}

static int can_give(const reconfigure_quotas_t *q,
                    const reconfigure_share_t *share)
{
    return share->active && share->quota > 1;
}

static int has_more(const reconfigure_share_t *one,
                    const reconfigure_share_t *other)
{
    return slack_of(one) > slack_of(other);
}

static int can_get(const reconfigure_quotas_t *q,
                   const reconfigure_share_t *share)
{
    return share->active && share->quota < q->threads_per_child;
}

static int has_less(const reconfigure_share_t *one,
                    const reconfigure_share_t *other)
{
    return slack_of(one) < slack_of(other);
}

/* Children that have more than the one worker that each keeps, first those
 * with the most of quota beyond their need; in the first half of q's memory */
static void order_donors(order_t *o, const reconfigure_quotas_t *q)
{
    order_begin(o, q, q->memory, can_give, has_more);
}

/* Children that have more threads than quota, first those with the least of
 * quota beyond their need; in the second half of q's memory */
static void order_receivers(order_t *o, const reconfigure_quotas_t *q)
{
    order_begin(o, q, q->memory + 2 * q->nslots, can_get, has_less);
}

int ap_reconfigure_quotas_sum(const reconfigure_quotas_t *q, int *sum)
{
    int i, active = 0;

    *sum = 0;
    for (i = 0; i < q->nslots; ++i) {
        if (q->slots[i].active) {
            *sum += q->slots[i].quota;
            ++active;
        }
    }
    return active;
}

void ap_reconfigure_quotas_fit(reconfigure_quotas_t *q)
{
    int sum, active = ap_reconfigure_quotas_sum(q, &sum), i;
    int target = q->max_workers;
    order_t order;

    if (target > active * q->threads_per_child) {
        target = active * q->threads_per_child;
    }
    if (sum > target) {
        order_donors(&order, q);
        while (sum > target && (i = order_first(&order)) >= 0) {
            --q->slots[i].quota;
            --sum;
            order_changed(&order, i);
        }
    }
    else if (sum < target) {
        order_receivers(&order, q);
        while (sum < target && (i = order_first(&order)) >= 0) {
            ++q->slots[i].quota;
            ++sum;
            order_changed(&order, i);
        }
    }
}

/* Workers that the child may have in use */
static int use_of(const reconfigure_share_t *s, int quota)
{
    return s->busy > quota ? s->busy : quota;
}

int ap_reconfigure_quota_of_new(const reconfigure_quotas_t *q, int slot)
{
    int quota = q->max_workers, i;

    for (i = 0; i < q->nslots; ++i) {
        if (i != slot && q->slots[i].active) {
            quota -= use_of(&q->slots[i], q->slots[i].quota);
        }
    }
    if (quota > q->threads_per_child) {
        quota = q->threads_per_child;
    }
    return quota < 1 ? 1 : quota;
}

void ap_reconfigure_quotas_cut_raises(reconfigure_quotas_t *q)
{
    int room = q->max_workers, i;

    for (i = 0; i < q->nslots; ++i) {
        const reconfigure_share_t *s = &q->slots[i];
        int quota = s->published + s->owed;

        if (s->active) {
            room -= use_of(s, quota > s->had ? quota : s->had);
        }
    }
    for (i = 0; i < q->nslots; ++i) {
        reconfigure_share_t *s = &q->slots[i];
        int cost, quota;

        if (!s->active || s->quota <= s->published) {
            continue;
        }
        cost = use_of(s, s->quota) - use_of(s, s->published);
        if (cost > room) {
            cost = room > 0 ? room : 0;
        }
        quota = use_of(s, s->published) + cost;
        if (quota > s->quota) {
            quota = s->quota;
        }
        if (quota > s->published) {
            room -= cost;
            s->quota = quota;
        }
        else {
            s->quota = s->published;
        }
    }
}

/*****************************************************************
 * Sharing out by load
 */

/* Move what lies idle in one child to another one that lacks it. A child keeps
 * one idle worker, unless somebody waits for one in the other child: then that
 * one is lent, too. (Not if children have listening sockets of their own:
 * nobody else would accept what comes there.)
 *
 * But each child keeps one worker, idle or not. Without any it could neither
 * read the requests of its connections nor go on with its responses, and what
 * it has not read it can't report as waiting: nothing would tell that it needs
 * a worker, for as long as others can use all there are.
 */
static void move_idle(reconfigure_quotas_t *q)
{
    order_t donors, receivers;
    int from, to;

    order_donors(&donors, q);
    order_receivers(&receivers, q);
    while ((to = order_first(&receivers)) >= 0
           && slack_of(&q->slots[to]) <= 0) {
        int idle = (q->slots[to].waiting && !q->own_sockets) ? 0 : 1;
        int left;

        from = order_first(&donors);
        if (from < 0 || from == to
            || (left = slack_of(&q->slots[from]) - 1) < idle) {
            break;
        }
        /* If somebody waits in the giver, too, it would get it back at once,
         * and so on for ever */
        if (left == slack_of(&q->slots[to])
            && q->slots[from].waiting) {
            break;
        }
        --q->slots[from].quota;
        order_changed(&donors, from);
        order_changed(&receivers, from);
        ++q->slots[to].quota;
        order_changed(&donors, to);
        order_changed(&receivers, to);
    }
}

static int need_of(const reconfigure_share_t *s)
{
    return s->busy + s->waiting;
}

/* Is the first child's need, for each of its workers, the greater one? */
static int is_greater(int need1, int quota1, int need2, int quota2)
{
    return (apr_int64_t)need1 * quota2 > (apr_int64_t)need2 * quota1;
}

/* When nothing lies idle, who waits in a child with few workers waits longer
 * than in one with many, and that would stay so for as long as all go on. So
 * workers go from the child where the need for each worker is least to the one
 * where somebody waits and it is greatest.
 *
 * A busy worker can be given only when it has finished, and lies idle until the
 * next balance gives it to the other child. Hence only an eighth of all moves
 * at a time, and nothing as long as the need that the giver is left with is two
 * thirds of the receiver's, or more: needs go up and down by themselves.
 */
#define EVEN_PART 8

/* (children with listening sockets of their own keep what lies idle, see above)
 */
static int can_even_out(const reconfigure_quotas_t *q,
                        const reconfigure_share_t *s)
{
    return s->active && s->quota > 1
           && (!q->own_sockets || slack_of(s) <= 0);
}

static int would_need_less(const reconfigure_share_t *one,
                           const reconfigure_share_t *other)
{
    return is_greater(need_of(other), other->quota - 1,
                      need_of(one), one->quota - 1);
}

static int has_somebody_waiting(const reconfigure_quotas_t *q,
                                const reconfigure_share_t *s)
{
    return s->active && s->quota > 0 && s->quota < q->threads_per_child
           && s->waiting;
}

static int needs_more(const reconfigure_share_t *one,
                      const reconfigure_share_t *other)
{
    return is_greater(need_of(one), one->quota, need_of(other), other->quota);
}

static void even_out(reconfigure_quotas_t *q)
{
    order_t givers, takers;
    int left = q->max_workers / EVEN_PART;

    order_begin(&givers, q, q->memory, can_even_out, would_need_less);
    order_begin(&takers, q, q->memory + 2 * q->nslots, has_somebody_waiting,
                needs_more);
    do {
        int i = order_first(&givers);
        int j = order_first(&takers);
        reconfigure_share_t *from, *to;

        if (i < 0 || j < 0) {
            break;
        }
        from = &q->slots[i];
        to = &q->slots[j];
        if (!is_greater(2 * need_of(to), to->quota,
                        3 * need_of(from), from->quota - 1)) {
            break;
        }
        --from->quota;
        order_changed(&givers, i);
        order_changed(&takers, i);
        ++to->quota;
        order_changed(&givers, j);
        order_changed(&takers, j);
    } while (--left > 0);
}

void ap_reconfigure_quotas_share(reconfigure_quotas_t *q)
{
    move_idle(q);
    even_out(q);
}
