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


/* Online reconfiguration: what any process can tell */

#include "ap_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_optional_hooks.h"
#include "ap_config.h"
#include "httpd.h"
#include "http_protocol.h"
#include "mod_status.h"
#include "scoreboard.h"
#include "reconfigure_config.h"
#include "reconfigure_shm.h"
#include "reconfigure_status.h"

int ap_reconfigure_is_active(int slot)
{
    process_score *ps = &ap_scoreboard_image->parent[slot];

    return ps->pid != 0 && !ps->quiescing
           && ps->generation == ap_scoreboard_image->global->running_generation;
}

static int worker_is_busy(int status)
{
    switch (status) {
    case SERVER_DEAD:
    case SERVER_STARTING:
    case SERVER_READY:
    case SERVER_GRACEFUL:
    case SERVER_IDLE_KILL:
        return 0;
    default:
        return 1;
    }
}

int ap_reconfigure_count_busy(int slot)
{
    int j, n = 0;

    for (j = 0; j < ap_reconfigure_shape()->threads_per_child; ++j) {
        n += worker_is_busy(ap_scoreboard_image->servers[slot][j].status);
    }
    return n;
}

int ap_reconfigure_count_held(int slot)
{
    int j, n = 0;

    for (j = 0; j < ap_reconfigure_shape()->threads_per_child; ++j) {
        /* (the clock's seconds are whole ones, so this is from 5 to 7) */
        n += ap_reconfigure_shm_busy_for(slot, j) > AP_RECONFIGURE_HELD_AFTER;
    }
    return n;
}

int ap_reconfigure_count_owed(int slot)
{
    int over = ap_reconfigure_count_busy(slot) - ap_reconfigure_shm_quota(slot);

    return over > 0 ? over : 0;
}

AP_DECLARE(int) ap_reconfigure_withheld(int slot)
{
    int withheld = 0;

    if (slot >= 0 && slot < ap_reconfigure_shape()->server_limit) {
        withheld = ap_reconfigure_shape()->threads_per_child
                   - ap_reconfigure_shm_quota(slot);
    }
    return withheld > 0 ? withheld : 0;
}

AP_DECLARE(int) ap_reconfigure_status(ap_reconfigure_status_t *status)
{
    const ap_reconfigure_values_t *declared = ap_reconfigure_values();
    reconfigure_snapshot_t snapshot;
    int i;

    if (!ap_reconfigure_shape()->server_limit) {
        return 0;
    }
    ap_reconfigure_shm_read(&snapshot);
    status->max_workers = snapshot.max_workers;
    status->keep_alive_timeout_ms = snapshot.keep_alive_timeout_ms;
    status->reconfigurations = snapshot.reconfigurations;
    status->pending = ap_reconfigure_shm_pending();
    status->withheld = 0;
    status->owed = 0;
    status->held = 0;
    for (i = 0; i < ap_reconfigure_shape()->server_limit; ++i) {
        if (ap_reconfigure_is_active(i)) {
            status->withheld += ap_reconfigure_withheld(i);
            status->owed += ap_reconfigure_count_owed(i);
            status->held += ap_reconfigure_count_held(i);
        }
    }
    status->nvariables = declared->count;
    for (i = 0; i < declared->count; ++i) {
        status->variables[i].name = declared->names[i];
        /* (a child that a restart has told to end may have other names) */
        status->variables[i].value = snapshot.names_id == declared->names_id
            ? snapshot.variables[i] : declared->values[i];
    }
    status->refusal = snapshot.refused ? ap_reconfigure_refusal() : NULL;
    return 1;
}

/* On the page for machines */
static void show_short(request_rec *r, const ap_reconfigure_status_t *st)
{
    const reconfigure_shape_t *shape = ap_reconfigure_shape();
    int i;

    ap_rprintf(r, "MaxRequestWorkers: %u\nWithheldWorkers: %u\n"
               "OwedWorkers: %u\nHeldWorkers: %u\nKeepAliveTimeoutMs: %u\n",
               st->max_workers, st->withheld, st->owed, st->held,
               st->keep_alive_timeout_ms);
    for (i = 0; i < st->nvariables; ++i) {
        ap_rprintf(r, "ReconfigureVariable: %s=%u\n",
                   st->variables[i].name, st->variables[i].value);
    }
    ap_rprintf(r, "MaxRequestWorkersLeast: %d\nMaxRequestWorkersMost: %d\n",
               shape->threads_per_child,
               shape->threads_per_child * shape->server_limit);
    ap_rprintf(r, "Reconfigurations: %u\nReconfigurePending: %u\n",
               st->reconfigurations, st->pending);
}

static void show_long(request_rec *r, const ap_reconfigure_status_t *st)
{
    int i;

    ap_rprintf(r, "<dt>MaxRequestWorkers %u (%u workers withheld, %u of them "
               "still busy; %u workers held for long), KeepAliveTimeout %u ms",
               st->max_workers, st->withheld, st->owed, st->held,
               st->keep_alive_timeout_ms);
    for (i = 0; i < st->nvariables; ++i) {
        ap_rprintf(r, ", %s=%u", st->variables[i].name,
                   st->variables[i].value);
    }
    ap_rprintf(r, " - %u online reconfigurations, %u children pending</dt>\n",
               st->reconfigurations, st->pending);
}

static int show_status(request_rec *r, int flags)
{
    ap_reconfigure_status_t st;
    int is_short = flags & AP_STATUS_SHORT, running;

    st.refusal = ap_reconfigure_refusal();
    running = ap_reconfigure_status(&st);
    if (!running && !ap_reconfigure_file_name()) {
        return DECLINED;
    }
    if (!is_short) {
        ap_rputs("<hr />\n<h2>Online Reconfiguration</h2>\n<dl>\n", r);
    }
    if (running) {
        (is_short ? show_short : show_long)(r, &st);
    }
    if (st.refusal) {
        ap_rprintf(r, is_short ? "ReconfigureRefused: %s\n"
                   : "<dt>Refused: %s</dt>\n",
                   is_short ? st.refusal
                            : ap_escape_html(r->pool, st.refusal));
    }
    if (!is_short) {
        ap_rputs("</dl>\n", r);
    }
    return OK;
}

void ap_reconfigure_register_status(void)
{
    APR_OPTIONAL_HOOK(ap, status_hook, show_status, NULL, NULL,
                      APR_HOOK_MIDDLE);
}

#endif /* AP_HAVE_RECONFIGURE */
