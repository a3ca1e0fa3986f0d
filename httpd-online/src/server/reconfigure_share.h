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
 * @file  reconfigure_share.h
 * @brief Online reconfiguration, private to the core: sharing out by load
 *
 * Arithmetic like reconfigure_quota.h, with the same ownership.
 */

#ifndef AP_SERVER_RECONFIGURE_SHARE_H
#define AP_SERVER_RECONFIGURE_SHARE_H

#include "reconfigure_quota.h"

/** Move quotas, whose sum stays, to where they are needed: what lies idle to
 * children that lack it, and where nothing does, from those that have many
 * workers for their need to those where somebody waits and that have few.
 * Meant to be called once a second. */
void ap_reconfigure_quotas_share(reconfigure_quotas_t *q);

#endif /* AP_SERVER_RECONFIGURE_SHARE_H */
