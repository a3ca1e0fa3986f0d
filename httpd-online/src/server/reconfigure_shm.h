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

#include "apr.h"
#include "apr_atomic.h"
#include "apr_pools.h"
#define APR_WANT_MEMFUNC
#include "apr_want.h"
#include "ap_reconfigure.h"

/*****************************************************************
 * Something in shared memory that one process changes and any thread of any
 * process reads
 *
 * There are two copies of it and a number.  The copy of an odd or of an even
 * number is the current one; the other is written next.  So a reader that finds
 * the number unchanged after it has copied has a consistent copy, and it never
 * waits for a writer that was killed in the middle.
 */

/* What is not atomic may be read and written by the processor in another order
 * than it is written here, where nothing forbids that; on ARM it is.  Reads
 * before an acquire fence happen before what comes after it, writes after a
 * release fence happen after what came before it.
 */
#if defined(__GNUC__) || defined(__clang__)
#define RECONFIGURE_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define RECONFIGURE_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#else
#define RECONFIGURE_ACQUIRE() reconfigure_fence()
#define RECONFIGURE_RELEASE() reconfigure_fence()
static APR_INLINE void reconfigure_fence(void)
{
    apr_uint32_t word = 0;

    apr_atomic_inc32(&word); /* a barrier wherever APR has atomics */
}
#endif

/** Copy the current one */
static APR_INLINE void reconfigure_copies_read(apr_uint32_t *number,
                                               const void *copies,
                                               apr_size_t size, void *to)
{
    apr_uint32_t n;

    do {
        n = apr_atomic_read32(number);
        RECONFIGURE_ACQUIRE();
        memcpy(to, (const char *)copies + (n & 1) * size, size);
        RECONFIGURE_ACQUIRE();
    } while (apr_atomic_read32(number) != n);
}

/** Make this the current one; by one process, and one thread of it */
static APR_INLINE void reconfigure_copies_write(apr_uint32_t *number,
                                                void *copies, apr_size_t size,
                                                const void *from)
{
    apr_uint32_t n = apr_atomic_read32(number) + 1;

    /* Who sees anything of this sees that the number before is gone */
    RECONFIGURE_RELEASE();
    memcpy((char *)copies + (n & 1) * size, from, size);
    RECONFIGURE_RELEASE();
    apr_atomic_inc32(number);
}

/*****************************************************************
 * The segment
 */

/** The values, written all at once */
typedef struct {
    apr_uint32_t max_workers;
    apr_uint32_t keep_alive_timeout_ms;
    apr_uint32_t reconfigurations;
    apr_uint32_t names_id;      /**< see ap_reconfigure_values_t */
    apr_uint32_t refused;       /**< is there an ap_reconfigure_refusal()? */
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

/*****************************************************************
 * What it tells together with the scoreboard: any thread of any process, once
 * there is a scoreboard
 */

/** Is there a child of this generation in the slot that isn't exiting? */
int ap_reconfigure_is_active(int slot);

/** Number of busy workers of the child in the slot */
int ap_reconfigure_count_busy(int slot);

/** Of these, those beyond its quota */
int ap_reconfigure_count_owed(int slot);

/** Number of its workers that one request or connection each has held for more
 * than AP_RECONFIGURE_HELD_AFTER seconds */
int ap_reconfigure_count_held(int slot);

/** Let mod_status, whosever it is, show ap_reconfigure_status(); from core's
 * register_hooks */
void ap_reconfigure_register_status(void);

#endif /* AP_SERVER_RECONFIGURE_SHM_H */
