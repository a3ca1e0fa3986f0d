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


/**
 * @file  reconfigure_order.h
 * @brief Online reconfiguration, private to the core: the first of many slots
 *
 * Quotas go from one child to another one by one, and each time the child is
 * looked for that has most, or least.  These are a heap's steps, not a look at
 * each slot: MaxRequestWorkers x ServerLimit of those would be too many for the
 * parent.  Arithmetic like reconfigure_quota.h, with the same ownership.
 */

#ifndef AP_SERVER_RECONFIGURE_ORDER_H
#define AP_SERVER_RECONFIGURE_ORDER_H

#include "reconfigure_quota.h"

/** Can the slot be the first at all? */
typedef int reconfigure_eligible_fn(const reconfigure_quotas_t *q,
                                    const reconfigure_share_t *share);

/** Does one come before the other? Both are eligible. Of two that neither
 * comes before the other, the lower slot does. */
typedef int reconfigure_better_fn(const reconfigure_share_t *one,
                                  const reconfigure_share_t *other);

/** All slots, the first of them first */
typedef struct {
    const reconfigure_quotas_t *quotas;
    reconfigure_eligible_fn *eligible;
    reconfigure_better_fn *better;
    int *heap;      /**< slots */
    int *places;    /**< where in it each slot is */
} reconfigure_order_t;

/** Order the slots.
 * @param memory 2 x nslots, the order's as long as it is used */
void ap_reconfigure_order_begin(reconfigure_order_t *o,
                                const reconfigure_quotas_t *q, int *memory,
                                reconfigure_eligible_fn *eligible,
                                reconfigure_better_fn *better);

/** The first slot; -1 if none is eligible */
int ap_reconfigure_order_first(const reconfigure_order_t *o);

/** To be called for each slot that has changed, before the next one does */
void ap_reconfigure_order_changed(reconfigure_order_t *o, int slot);

/** Children that have more than the one worker that each keeps, first those
 * with the most of quota beyond their need; in the first half of q's memory */
void ap_reconfigure_order_donors(reconfigure_order_t *o,
                                 const reconfigure_quotas_t *q);

/** Children that have more threads than quota, first those with the least of
 * quota beyond their need; in the second half of q's memory */
void ap_reconfigure_order_receivers(reconfigure_order_t *o,
                                    const reconfigure_quotas_t *q);

#endif /* AP_SERVER_RECONFIGURE_ORDER_H */
