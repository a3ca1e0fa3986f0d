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
 * @file  ap_reconfigure.h
 * @brief Online reconfiguration: values that change while the server runs
 *
 * @defgroup APACHE_CORE_RECONFIGURE Online reconfiguration
 * @ingroup  APACHE_CORE
 * @{
 *
 * The parent process re-reads the file named by ReconfigureFile when it gets
 * AP_SIG_RECONFIGURE, checks it, all or nothing, and publishes the values in
 * shared memory, where the parent is the only writer:
 *
 * - MaxRequestWorkers becomes one quota a child, KeepAliveTimeout one value
 *   for all.  The parent signals the children concerned; each one's main
 *   thread applies what is new through the MPM's functions and acknowledges;
 * - values that a module has declared are handed to it in the parent, by the
 *   hook reconfigure_publish.
 */

#ifndef AP_RECONFIGURE_H
#define AP_RECONFIGURE_H

#include "httpd.h"
#include "http_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(WIN32) && !defined(NETWARE)
/** Defined where a running server can be reconfigured */
#define AP_HAVE_RECONFIGURE 1
#endif

/** Number of values that modules can declare */
#define AP_RECONFIGURE_MAX_VARIABLES 16
/** Largest of these values */
#define AP_RECONFIGURE_MAX_VALUE 65535
/** Longest of their names */
#define AP_RECONFIGURE_MAX_NAME 63
/** A name that none of them can have: the environment variable that moves with
 * each change of any value */
#define AP_RECONFIGURE_GENERATION "RECONFIGURE_GENERATION"

/** After how many seconds without another request on its connection a worker
 * is said to be held */
#define AP_RECONFIGURE_HELD_AFTER 5

/** The running values, as one consistent picture */
typedef struct ap_reconfigure_status_t {
    /** MaxRequestWorkers */
    apr_uint32_t max_workers;
    /** KeepAliveTimeout in ms, of the servers that don't set their own */
    apr_uint32_t keep_alive_timeout_ms;
    /** Number of reconfigurations since the server was started */
    apr_uint32_t reconfigurations;
    /** Children that have not acknowledged the last change yet */
    apr_uint32_t pending;
    /** Workers that MaxRequestWorkers keeps from being used */
    apr_uint32_t withheld;
    /** Of these, those that are still busy with what they had when
     * MaxRequestWorkers was lowered */
    apr_uint32_t owed;
    /** Workers that one request or connection each has held for more than
     * AP_RECONFIGURE_HELD_AFTER seconds: they may be busy for as long again */
    apr_uint32_t held;
    /** Number of variables */
    int nvariables;
    /** Values that modules have declared */
    struct {
        const char *name;
        apr_uint32_t value;
    } variables[AP_RECONFIGURE_MAX_VARIABLES];
    /** Why the server, as it was started, can't be reconfigured, or NULL */
    const char *refusal;
} ap_reconfigure_status_t;

/**
 * Get the running values.
 * @param status Filled in
 * @return 1, or 0 if this MPM can't be reconfigured online
 * @remark May be called by any thread of the parent and of the children.
 */
AP_DECLARE(int) ap_reconfigure_status(ap_reconfigure_status_t *status);

/**
 * Get the number of workers that a child must not use.
 * @param slot Slot of the child in the scoreboard
 * @return The number, of ThreadsPerChild
 * @remark May be called by any thread of the parent and of the children.
 */
AP_DECLARE(int) ap_reconfigure_withheld(int slot);

/** Is there a ReconfigureFile, so that MPMs should keep to the exact
 * MaxRequestWorkers instead of a multiple of ThreadsPerChild? */
AP_DECLARE(int) ap_reconfigure_enabled(void);

/** The values that modules have declared.  In the parent they follow each
 * reconfiguration; a child keeps those of the moment it was forked. */
typedef struct ap_reconfigure_values_t {
    /** With changes: the generation of all values, MaxRequestWorkers and
     * KeepAliveTimeout included.  The second of the start or restart; none
     * comes twice unless the clock is set back */
    apr_uint32_t start;
    /** Number of changes since */
    apr_uint32_t changes;
    /** Tells one list of names from another, as of the configuration that was
     * read before a restart */
    apr_uint32_t names_id;
    /** Number of values */
    int count;
    /** Names, in the order in which they were declared */
    const char *names[AP_RECONFIGURE_MAX_VARIABLES];
    /** Values, 0 to AP_RECONFIGURE_MAX_VALUE */
    apr_uint32_t values[AP_RECONFIGURE_MAX_VARIABLES];
} ap_reconfigure_values_t;

/**
 * Declare a value that the ReconfigureFile can change, or give it another
 * value; to be called while the configuration is read.
 * @param cmd   The directive, which must be outside of any section
 * @param name  Name of the value; must live as long as the configuration
 * @param value Digits
 * @return NULL or what is wrong
 */
AP_DECLARE(const char *) ap_reconfigure_declare(cmd_parms *cmd,
                                                const char *name,
                                                const char *value);

/** Get the declared values. */
AP_DECLARE(const ap_reconfigure_values_t *) ap_reconfigure_values(void);

/**
 * Called in the parent when the values are published: at each start of a
 * generation, before it has children, and after each reconfiguration.
 * @param s      The main server
 * @param values The values
 */
AP_DECLARE_HOOK(void, reconfigure_publish,
                (server_rec *s, const ap_reconfigure_values_t *values))

#ifdef __cplusplus
}
#endif

#endif /* AP_RECONFIGURE_H */
/** @} */
