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
 * @file  reconfigure_signal.h
 * @brief Online reconfiguration, private to the core: AP_SIG_RECONFIGURE
 */

#ifndef AP_SERVER_RECONFIGURE_SIGNAL_H
#define AP_SERVER_RECONFIGURE_SIGNAL_H

/** Has the signal come since the last call? By the parent; a signal that comes
 * after the call is for the next one. */
int ap_reconfigure_was_signalled(void);

#endif /* AP_SERVER_RECONFIGURE_SIGNAL_H */
