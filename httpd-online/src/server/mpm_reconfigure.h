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
 * @file  mpm_reconfigure.h
 * @brief Online reconfiguration, private to httpd: what MPMs and mod_status
 *        call
 */

#ifndef MPM_RECONFIGURE_H
#define MPM_RECONFIGURE_H

#include "ap_reconfigure.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef AP_HAVE_RECONFIGURE

/** The MPM can be reconfigured */
#define AP_RECONFIGURE_BY_MPM    1
/** mod_status takes account of withheld workers */
#define AP_RECONFIGURE_BY_STATUS 2

/**
 * Tell what a module does for online reconfiguration: one that was built for
 * another httpd, which is loaded in its place, does not.
 * @param p    The pool given to the module's register_hooks
 * @param part AP_RECONFIGURE_BY_*
 */
AP_DECLARE(void) ap_reconfigure_announce(apr_pool_t *p, int part);

/** What the parent has to know of an MPM */
typedef struct ap_reconfigure_mpm_t {
    /** ThreadsPerChild */
    int threads_per_child;
    /** ServerLimit */
    int server_limit;
    /** ThreadLimit */
    int thread_limit;
    /** MaxRequestWorkers; updated */
    int *max_workers;
    /** Most children that MaxRequestWorkers needs; updated.  It bounds
     * forking, not the slots that may be in use */
    int *daemons_limit;
    /** Least value for daemons_limit: the number of listeners buckets */
    int min_daemons;
} ap_reconfigure_mpm_t;

/** How a child changes itself.  Both are called by the child's main thread. */
typedef struct ap_reconfigure_child_t {
    /** Use this many of the worker threads.
     * @return How many more than that are in use still */
    int (*set_quota)(int quota);
    /** KeepAliveTimeout of the servers that don't set their own has changed;
     * their server_recs have the new value.  May be NULL. */
    void (*set_keep_alive_timeout)(apr_interval_time_t timeout);
} ap_reconfigure_child_t;

/**
 * Take the values of the configuration just read as the running ones and get
 * ready for AP_SIG_RECONFIGURE.  To be called by the parent, each time it
 * starts a generation and before it starts children of it.
 */
AP_DECLARE(apr_status_t) ap_reconfigure_start(server_rec *s,
                                              const ap_reconfigure_mpm_t *mpm);

/** No child is going to be reconfigured any more; called by the parent before
 * it ends */
AP_DECLARE(void) ap_reconfigure_stop(void);

/**
 * Do what has to be done in the parent's main loop.
 * @return 1 if a signal asked to reconfigure, which may be why the loop turned
 */
AP_DECLARE(int) ap_reconfigure_poll(server_rec *s);

/** Share out MaxRequestWorkers among the children according to their load;
 * called by the parent with the idle server maintenance */
AP_DECLARE(void) ap_reconfigure_balance(server_rec *s);

/** A child is going to be forked for this slot; called by the parent */
AP_DECLARE(void) ap_reconfigure_child_forking(int slot);

/** Number of children of this generation that aren't exiting; called by the
 * parent */
AP_DECLARE(int) ap_reconfigure_active_children(void);

/** Get the quota to start with; called by a child's main thread */
AP_DECLARE(int) ap_reconfigure_child_start(int slot,
                                           const ap_reconfigure_child_t *child);

/** Apply what is new; called by a child's main thread after each return from
 * the pipe of death */
AP_DECLARE(void) ap_reconfigure_child_apply(void);

/** Tell how many connections wait for a worker of this child; called by its
 * listener */
AP_DECLARE(void) ap_reconfigure_child_waiting(int slot, apr_uint32_t waiting);

/** A worker begins with a connection, or with another request of the one it
 * has (busy is 1), or it is through with the connection (0); called by that
 * thread */
AP_DECLARE(void) ap_reconfigure_worker_busy(int slot, int thread, int busy);

/** Was MaxRequestWorkers lowered online since the configuration was read?
 * Then it is no news that there are no spare threads; called by the parent */
AP_DECLARE(int) ap_reconfigure_lowered(void);

/** Catch AP_SIG_RECONFIGURE from now on, for ap_reconfigure_poll() */
AP_DECLARE(void) ap_reconfigure_catch_signal(void);

#endif /* AP_HAVE_RECONFIGURE */

#ifdef __cplusplus
}
#endif

#endif /* MPM_RECONFIGURE_H */
