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
 * @file  reconfigure_quota.h
 * @brief Online reconfiguration, private to the core: the arithmetic of quotas
 *
 * MaxRequestWorkers is the sum of what each child may use.  Nothing in here
 * knows of processes, shared memory or time: numbers in, numbers out, so that
 * it can be tested as it is.  The structures belong to the caller (the parent,
 * single-threaded), who fills in what he sees and publishes what comes out.
 */

#ifndef AP_SERVER_RECONFIGURE_QUOTA_H
#define AP_SERVER_RECONFIGURE_QUOTA_H

/** One slot of the scoreboard */
typedef struct {
    int active;     /**< is there a child that has to be considered? */
    int published;  /**< the quota that it has */
    int quota;      /**< the quota that it should have; the result */
    int busy;       /**< its busy workers */
    int waiting;    /**< connections that wait for a worker of this child */
    int owed;       /**< workers that it has in use beyond its quota still */
    int had;        /**< the quota that it may use still, as it was lowered just
                     *   now and that is not acknowledged; or 0 */
} reconfigure_share_t;

/** All of them */
typedef struct {
    int max_workers;        /**< MaxRequestWorkers */
    int threads_per_child;  /**< the most that a child can use */
    int own_sockets;        /**< have children listening sockets of their own,
                             *   so that no other accepts what comes there? */
    int nslots;
    reconfigure_share_t *slots;
    int *memory;            /**< 4 x nslots, for the functions that change
                             *   quotas */
} reconfigure_quotas_t;

/** Count the active children, and set the sum of their quotas. */
int ap_reconfigure_quotas_sum(const reconfigure_quotas_t *q, int *sum);

/** Change as little as possible: take from children that need it least until
 * the sum is right, or give to those that need it most.  Each keeps one. */
void ap_reconfigure_quotas_fit(reconfigure_quotas_t *q);

/** The quota of a child that is going to be forked for this slot: what the
 * others leave, but at least one, which the next balance takes from another. */
int ap_reconfigure_quota_of_new(const reconfigure_quotas_t *q, int slot);

/** When all that had to be lowered is published (busy, owed and had are of
 * after that): cut what should be raised to what MaxRequestWorkers allows with
 * all that is still in use, or may be.  What is left follows with the next
 * balance. */
void ap_reconfigure_quotas_cut_raises(reconfigure_quotas_t *q);

/** Move quotas, whose sum stays, to where they are needed: what lies idle to
 * children that lack it, and where nothing does, from those that have many
 * workers for their need to those where somebody waits and that have few.
 * Meant to be called once a second. */
void ap_reconfigure_quotas_share(reconfigure_quotas_t *q);

#endif /* AP_SERVER_RECONFIGURE_QUOTA_H */
