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

#include "reconfigure_order.h"
#include "reconfigure_quota.h"

int ap_reconfigure_share_slack(const reconfigure_share_t *share)
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
    return ap_reconfigure_share_slack(one) > ap_reconfigure_share_slack(other);
}

static int can_get(const reconfigure_quotas_t *q,
                   const reconfigure_share_t *share)
{
    return share->active && share->quota < q->threads_per_child;
}

static int has_less(const reconfigure_share_t *one,
                    const reconfigure_share_t *other)
{
    return ap_reconfigure_share_slack(one) < ap_reconfigure_share_slack(other);
}

void ap_reconfigure_order_donors(reconfigure_order_t *o,
                                 const reconfigure_quotas_t *q)
{
    ap_reconfigure_order_begin(o, q, q->memory, can_give, has_more);
}

void ap_reconfigure_order_receivers(reconfigure_order_t *o,
                                    const reconfigure_quotas_t *q)
{
    ap_reconfigure_order_begin(o, q, q->memory + 2 * q->nslots, can_get,
                               has_less);
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
    reconfigure_order_t order;

    if (target > active * q->threads_per_child) {
        target = active * q->threads_per_child;
    }
    if (sum > target) {
        ap_reconfigure_order_donors(&order, q);
        while (sum > target && (i = ap_reconfigure_order_first(&order)) >= 0) {
            --q->slots[i].quota;
            --sum;
            ap_reconfigure_order_changed(&order, i);
        }
    }
    else if (sum < target) {
        ap_reconfigure_order_receivers(&order, q);
        while (sum < target && (i = ap_reconfigure_order_first(&order)) >= 0) {
            ++q->slots[i].quota;
            ++sum;
            ap_reconfigure_order_changed(&order, i);
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
