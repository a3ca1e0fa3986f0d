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
 * @file  reconfigure_shm.h
 * @brief Online reconfiguration, private to the core: the shared memory
 *
 * One anonymous segment, made once by the parent before it has children.  The
 * parent is single-threaded and the only writer, but for three words a slot and
 * one a thread: the child in the slot acknowledges, counts the connections that
 * wait for a worker, and tells how many workers it owes; each worker tells
 * since when it is busy.  The parent sets these, too: all when it forks a
 * child, what is owed each time it has reckoned with it.
 *
 * A child may be taken over by whoever it serves, so the parent keeps copies
 * of its own of all that it has written, and what it reads here it takes as a
 * hint at most, cut to what is possible.
 */

#ifndef AP_SERVER_RECONFIGURE_SHM_H
#define AP_SERVER_RECONFIGURE_SHM_H

#include "apr_pools.h"
#include "ap_reconfigure.h"

/** The values, written all at once */
typedef struct {
    apr_uint32_t max_workers;
    apr_uint32_t keep_alive_timeout_ms;
    apr_uint32_t reconfigurations;
    apr_uint32_t names_id;      /**< see ap_reconfigure_values_t */
    apr_uint32_t refused;       /**< does ap_reconfigure_refusal() still hold? */
    apr_uint32_t variables[AP_RECONFIGURE_MAX_VARIABLES];
} reconfigure_snapshot_t;

/** The shape of the MPM; 0 before the server can be reconfigured.  Written by
 * the parent at the start of a generation, a child has a copy. */
typedef struct {
    int threads_per_child;
    int server_limit;           /**< number of slots */
} reconfigure_shape_t;

/* By the parent, at the start of a generation */

/** Make the segment, if there is none. It is for the life of the process. */
apr_status_t ap_reconfigure_shm_create(apr_pool_t *process, int server_limit,
                                       int thread_limit);
/** Set the shape */
void ap_reconfigure_shm_set_shape(int threads_per_child, int server_limit);

/* By any thread of any process */

/** Get the shape */
const reconfigure_shape_t *ap_reconfigure_shape(void);
/** Copy the current snapshot; never waits, not even for a parent that was
 * killed while it wrote */
void ap_reconfigure_shm_read(reconfigure_snapshot_t *copy);
/** Workers that the child may use */
int ap_reconfigure_shm_quota(int slot);
/** Children that have not acknowledged */
apr_uint32_t ap_reconfigure_shm_pending(void);
/** Version that the child should apply */
apr_uint32_t ap_reconfigure_shm_wanted(int slot);
/** Version that it has applied */
apr_uint32_t ap_reconfigure_shm_acknowledged(int slot);
/** Seconds for which the worker says to be busy with what it has; 0 if it is
 * not */
apr_uint32_t ap_reconfigure_shm_busy_for(int slot, int thread);

/* By the parent */

void ap_reconfigure_shm_write(const reconfigure_snapshot_t *snapshot);
void ap_reconfigure_shm_set_quota(int slot, int quota);
void ap_reconfigure_shm_set_pending(int pending);
/** Seconds of a clock that nobody sets, for busy workers */
void ap_reconfigure_shm_set_clock(apr_uint32_t seconds);
/** There is something new for the child */
void ap_reconfigure_shm_want(int slot);
/** A child begins with what is there, which it need not acknowledge */
void ap_reconfigure_shm_reset_child(int slot);
/** Connections that the child says to wait for a worker, from 0 to 65535 */
int ap_reconfigure_shm_waiting(int slot);
/** Workers that the child says to have in use beyond its quota, from 0 to
 * 65535 */
int ap_reconfigure_shm_owed(int slot);
/** These were reckoned with */
void ap_reconfigure_shm_clear_owed(int slot);

/* By the child in the slot */

void ap_reconfigure_shm_set_waiting(int slot, apr_uint32_t waiting);
void ap_reconfigure_shm_set_owed(int slot, int owed);
void ap_reconfigure_shm_acknowledge(int slot, apr_uint32_t version);
/** By the thread: it is busy from now on, or not any more */
void ap_reconfigure_shm_set_busy(int slot, int thread, int busy);

#endif /* AP_SERVER_RECONFIGURE_SHM_H */
