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
 * @file  reconfigure_command.h
 * @brief Online reconfiguration, private to the core: httpd -k reconfigure
 */

#ifndef AP_SERVER_RECONFIGURE_COMMAND_H
#define AP_SERVER_RECONFIGURE_COMMAND_H

#include "apr_pools.h"

/** The command line is httpd -k reconfigure [NAME=value ...]; before the
 * configuration is read.
 * @param argc Number of assignments
 * @param argv The assignments
 */
void ap_reconfigure_command(int argc, const char *const *argv);

/** Let htreconfigure do it, in place of this process.
 * @return Exit status, if there is no htreconfigure */
int ap_reconfigure_run_command(apr_pool_t *p);

#endif /* AP_SERVER_RECONFIGURE_COMMAND_H */
