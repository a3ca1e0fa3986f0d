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
 * @file  reconfigure_parent.h
 * @brief Online reconfiguration, private to the core: what a child needs of
 *        the parent that it was
 */

#ifndef AP_SERVER_RECONFIGURE_PARENT_H
#define AP_SERVER_RECONFIGURE_PARENT_H

#include "apr.h"

/** In a child that was just forked, by its main thread: let go of what is the
 * parent's alone.
 * @return KeepAliveTimeout as configured, in ms, which the MPM begins with */
apr_uint32_t ap_reconfigure_parent_forget(void);

/** Store KeepAliveTimeout into each server that doesn't set its own; by the
 * parent or by a child's main thread.  Other threads read it meanwhile: one
 * aligned word whose upper half never changes. */
void ap_reconfigure_set_keep_alive_timeout(apr_uint32_t ms);

#endif /* AP_SERVER_RECONFIGURE_PARENT_H */
