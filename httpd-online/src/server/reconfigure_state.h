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
 * @file  reconfigure_state.h
 * @brief Online reconfiguration, private to the core: the state file
 *
 * <PidFile>.reconfigure tells httpd -k reconfigure about the running server.
 * The parent process holds a lock on it as long as it lives, so that neither
 * a stale file nor a stale or foreign pid is ever mistaken for a server that
 * takes the signal.
 */

#ifndef AP_SERVER_RECONFIGURE_STATE_H
#define AP_SERVER_RECONFIGURE_STATE_H

#include "apr.h"
#include "apr_pools.h"
#include "ap_reconfigure.h"

#if APR_HAVE_UNISTD_H
#include <unistd.h>
#endif

/** What the parent tells */
typedef struct {
    pid_t pid;
    int threads_per_child;
    int server_limit;
    int children;           /**< running children */
    apr_uint32_t handled;   /**< signals, accepted or refused */
    apr_uint32_t accepted;  /**< reconfigurations */
    apr_uint32_t pending;   /**< children that have not acknowledged */
    int refused;            /**< was the last one refused? */
    char message[400];      /**< why */
    char file[1024];        /**< ReconfigureFile */
    apr_uint32_t max_workers;
    apr_uint32_t keep_alive_timeout_ms;
    int nvariables;
    struct {
        char name[AP_RECONFIGURE_MAX_NAME + 1];
        apr_uint32_t value;
    } variables[AP_RECONFIGURE_MAX_VARIABLES];
} reconfigure_state_t;

/** The name of the state file, from PidFile */
const char *reconfigure_state_name(apr_pool_t *p);

/** Create and lock the file; NULL or what is wrong. The parent, once. */
const char *reconfigure_state_create(apr_pool_t *p, const char *name, int *fd);

/** Write the file; the parent */
void reconfigure_state_write(int fd, const reconfigure_state_t *state);

/** Remove and close the file; the parent */
void reconfigure_state_remove(int fd, const char *name);

/** Open the file if the process pid has locked it; NULL or what is wrong */
const char *reconfigure_state_open(apr_pool_t *p, const char *name, pid_t pid,
                                   int *fd, uid_t *owner);

/** Is this still the file of that name? */
int reconfigure_state_is_named(int fd, const char *name);

/** Read the file. @return NULL or what is wrong */
const char *reconfigure_state_read(int fd, reconfigure_state_t *state);

/** Signal the server if it still holds its lock. @return 0, or -1 */
int reconfigure_state_signal(int fd, pid_t pid);

/** Wait until no other command reconfigures this server.
 * @return 1, or 0 if that took too long */
int reconfigure_state_lock(int fd, apr_interval_time_t timeout);

#endif /* AP_SERVER_RECONFIGURE_STATE_H */
