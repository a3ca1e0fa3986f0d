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
 * <PidFile>.reconfigure tells a command about the running server: that it takes
 * AP_SIG_RECONFIGURE, and what became of it.
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
    apr_uint32_t owed;      /**< workers that are busy beyond MaxRequestWorkers
                             *   since it was lowered */
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

/** What the state file has after the name of the PidFile */
#define RECONFIGURE_STATE_SUFFIX ".reconfigure"

/** Most bytes of a state file */
#define RECONFIGURE_STATE_MAX 8192

/* Bytes of the file are locked, not for what they hold: */
#define RECONFIGURE_SERVER_BYTE  0  /**< by the parent while it lives */
#define RECONFIGURE_COMMAND_BYTE 1  /**< by a command while it works */
#define RECONFIGURE_FORCE_BYTE   2  /**< by a command whose change is to be made
                                     *   although workers are held */

/** Lock a byte, or (F_GETLK) ask who has. @return As fcntl(); *holder, if not
 * NULL, is set to the process that has it, or 0 */
int ap_reconfigure_state_try_lock(int fd, int cmd, off_t byte, pid_t *holder);

/** Create and lock the file; NULL or what is wrong. The parent, once. */
const char *ap_reconfigure_state_create(apr_pool_t *p, const char *name,
                                        int *fd);

/** Write the file; the parent */
void ap_reconfigure_state_write(int fd, const reconfigure_state_t *state);

/** Remove and close the file; the parent */
void ap_reconfigure_state_remove(int fd, const char *name);

/** Is this still the file of that name? */
int ap_reconfigure_state_is_named(int fd, const char *name);

#endif /* AP_SERVER_RECONFIGURE_STATE_H */
