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
 * @file  reconfigure_status.h
 * @brief Online reconfiguration, private to the core: what the scoreboard says
 *
 * May be called by any thread of any process, once there is a scoreboard.
 */

#ifndef AP_SERVER_RECONFIGURE_STATUS_H
#define AP_SERVER_RECONFIGURE_STATUS_H

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

#endif /* AP_SERVER_RECONFIGURE_STATUS_H */
