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


/* Online reconfiguration: sharing out by load, see the header */

#include "apr.h"
#include "reconfigure_order.h"
#include "reconfigure_share.h"

#include <stddef.h>

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
    reconfigure_order_t donors, receivers;
    int from, to;

    ap_reconfigure_order_donors(&donors, q);
    ap_reconfigure_order_receivers(&receivers, q);
    while ((to = ap_reconfigure_order_first(&receivers)) >= 0
           && ap_reconfigure_share_slack(&q->slots[to]) <= 0) {
        int idle = (q->slots[to].waiting && !q->own_sockets) ? 0 : 1;
        int left;

        from = ap_reconfigure_order_first(&donors);
        if (from < 0 || from == to
            || (left = ap_reconfigure_share_slack(&q->slots[from]) - 1)
               < idle) {
            break;
        }
        /* If somebody waits in the giver, too, it would get it back at once,
         * and so on for ever */
        if (left == ap_reconfigure_share_slack(&q->slots[to])
            && q->slots[from].waiting) {
            break;
        }
        --q->slots[from].quota;
        ap_reconfigure_order_changed(&donors, from);
        ap_reconfigure_order_changed(&receivers, from);
        ++q->slots[to].quota;
        ap_reconfigure_order_changed(&donors, to);
        ap_reconfigure_order_changed(&receivers, to);
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
           && (!q->own_sockets || ap_reconfigure_share_slack(s) <= 0);
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
    reconfigure_order_t givers, takers;
    int left = q->max_workers / EVEN_PART;

    ap_reconfigure_order_begin(&givers, q, q->memory, can_even_out,
                               would_need_less);
    ap_reconfigure_order_begin(&takers, q, q->memory + 2 * q->nslots,
                               has_somebody_waiting, needs_more);
    do {
        int i = ap_reconfigure_order_first(&givers);
        int j = ap_reconfigure_order_first(&takers);
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
        ap_reconfigure_order_changed(&givers, i);
        ap_reconfigure_order_changed(&takers, i);
        ++to->quota;
        ap_reconfigure_order_changed(&givers, j);
        ap_reconfigure_order_changed(&takers, j);
    } while (--left > 0);
}

void ap_reconfigure_quotas_share(reconfigure_quotas_t *q)
{
    move_idle(q);
    even_out(q);
}
