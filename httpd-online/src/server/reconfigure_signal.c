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


/* Online reconfiguration: the signal.  The handler sets a flag, no more. */

#include "mpm_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_signal.h"
#include "mpm_common.h"
#include "reconfigure_signal.h"

static volatile sig_atomic_t signalled;

static void sig_reconfigure(int sig)
{
    signalled = 1;
}

AP_DECLARE(void) ap_reconfigure_catch_signal(void)
{
    apr_signal(AP_SIG_RECONFIGURE, sig_reconfigure);
}

int ap_reconfigure_was_signalled(void)
{
    if (!signalled) {
        return 0;
    }
    signalled = 0;
    return 1;
}

#endif /* AP_HAVE_RECONFIGURE */
