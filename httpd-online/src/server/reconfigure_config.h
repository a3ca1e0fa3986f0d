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
 * @file  reconfigure_config.h
 * @brief Online reconfiguration, private to the core: what the configuration
 *        and the command line say
 *
 * Owned by whoever reads the configuration: the parent, single-threaded, or a
 * command.  After a fork the child has a copy of its own, which any of its
 * threads may read and none changes.
 */

#ifndef AP_SERVER_RECONFIGURE_CONFIG_H
#define AP_SERVER_RECONFIGURE_CONFIG_H

#include "ap_reconfigure.h"
#include "reconfigure_file.h"

/** Forget all; core's pre_config hook */
void ap_reconfigure_pre_config(void);

/** Check what the file says; core's check_config hook */
int ap_reconfigure_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                apr_pool_t *ptemp, server_rec *s);

/** Tell the error log what is wrong; core's post_config hook */
int ap_reconfigure_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                            apr_pool_t *ptemp, server_rec *s);

/** What was wrong when the configuration was read, or NULL.  The server runs,
 * but does not reconfigure until that is set right. */
const char *ap_reconfigure_refusal(void);

/** Can the MPM that was loaded be reconfigured? NULL or what is wrong */
const char *ap_reconfigure_check_mpm(apr_pool_t *p);

/** Setter of ReconfigureFile */
const char *ap_reconfigure_set_file(cmd_parms *cmd, void *dummy,
                                    const char *arg);

/** What ReconfigureFile says, or NULL */
const char *ap_reconfigure_file_name(void);

/** What becomes of a ReconfigureFile that is not as it should be */
typedef enum {
    RECONFIGURE_CHECK_START,    /**< a warning: a server is not kept down */
    RECONFIGURE_CHECK_RESTART,  /**< what is wrong in it is an error, as it is
                                 *   in a test: a running server has better
                                 *   values */
    RECONFIGURE_CHECK_NOT       /**< nothing: this process only ends the
                                 *   server, or looks at the file itself */
} reconfigure_check_e;

/** What this process is for; before it reads the configuration */
void ap_reconfigure_set_check(reconfigure_check_e how);

/** What the names in the file are checked against; the bounds are unknown */
void ap_reconfigure_set_limits(reconfigure_limits_t *limits);

/** The declared values, for the parent to keep up to date */
ap_reconfigure_values_t *ap_reconfigure_running_values(void);

/** The command line is httpd -k reconfigure [NAME=value ...]; before the
 * configuration is read.  Does not return if it asks for help.
 * @param process Where its programs are
 * @param argc Number of assignments
 * @param argv The assignments
 */
void ap_reconfigure_command(process_rec *process, int argc,
                            const char *const *argv);

/** Let htreconfigure do it, in place of this process.
 * @return Exit status, if there is no htreconfigure */
int ap_reconfigure_run_command(apr_pool_t *p);

#endif /* AP_SERVER_RECONFIGURE_CONFIG_H */
