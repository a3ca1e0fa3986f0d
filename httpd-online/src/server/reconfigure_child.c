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


/*
 * Online reconfiguration: a child.  All by its main thread, but for the number
 * of waiting connections, which its listener tells, and for what each worker
 * tells of itself.
 */

#include "mpm_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE

#include "httpd.h"
#include "reconfigure_parent.h"
#include "reconfigure_shm.h"

static struct {
    int slot;
    const ap_reconfigure_child_t *mpm;
    int quota;
    apr_uint32_t keep_alive_timeout_ms;
} self;

static void apply_version(apr_uint32_t want)
{
    int quota = ap_reconfigure_shm_quota(self.slot);
    reconfigure_snapshot_t snapshot;

    ap_reconfigure_shm_read(&snapshot);
    if (quota != self.quota) {
        ap_reconfigure_shm_set_owed(self.slot, self.mpm->set_quota(quota));
        self.quota = quota;
    }
    if (snapshot.keep_alive_timeout_ms != self.keep_alive_timeout_ms) {
        self.keep_alive_timeout_ms = snapshot.keep_alive_timeout_ms;
        ap_reconfigure_set_keep_alive_timeout(self.keep_alive_timeout_ms);
        if (self.mpm->set_keep_alive_timeout) {
            self.mpm->set_keep_alive_timeout(
                apr_time_from_msec(self.keep_alive_timeout_ms));
        }
    }
    ap_reconfigure_shm_acknowledge(self.slot, want);
}

AP_DECLARE(int) ap_reconfigure_child_start(int slot,
                                           const ap_reconfigure_child_t *child)
{
    if (!ap_reconfigure_shape()->server_limit) {
        return 0;
    }
    self.keep_alive_timeout_ms = ap_reconfigure_parent_forget();
    self.slot = slot;
    self.mpm = child;
    self.quota = ap_reconfigure_shape()->threads_per_child;
    apply_version(ap_reconfigure_shm_wanted(slot));
    return self.quota;
}

AP_DECLARE(void) ap_reconfigure_child_apply(void)
{
    if (self.mpm) {
        apr_uint32_t want = ap_reconfigure_shm_wanted(self.slot);

        if (want != ap_reconfigure_shm_acknowledged(self.slot)) {
            apply_version(want);
        }
    }
}

AP_DECLARE(void) ap_reconfigure_child_waiting(int slot, apr_uint32_t waiting)
{
    if (ap_reconfigure_shape()->server_limit) {
        ap_reconfigure_shm_set_waiting(slot, waiting);
    }
}

AP_DECLARE(void) ap_reconfigure_worker_busy(int slot, int thread, int busy)
{
    if (ap_reconfigure_shape()->server_limit) {
        ap_reconfigure_shm_set_busy(slot, thread, busy);
    }
}

#endif /* AP_HAVE_RECONFIGURE */
