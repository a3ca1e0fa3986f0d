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


/* Online reconfiguration: the shared memory, see the header, and what it tells
 * together with the scoreboard */

#include "reconfigure_shm.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_atomic.h"
#include "apr_optional_hooks.h"
#include "apr_shm.h"
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "httpd.h"
#include "http_protocol.h"
#include "mod_status.h"
#include "scoreboard.h"
#include "reconfigure_config.h"

/* More connections than any child can have, for those that say how many */
#define MAX_HINT 65535

typedef struct {
    apr_uint32_t want;      /* version that the child should apply */
    apr_uint32_t ack;       /* version it has applied; the child writes, too */
    apr_uint32_t quota;     /* workers it may use */
    apr_uint32_t waiting;   /* connections that wait; the child writes, too */
    apr_uint32_t owed;      /* workers in use beyond the quota, when it was
                             * applied; the child writes, too */
} slot_t;

typedef struct {
    apr_uint32_t current;
    reconfigure_snapshot_t snapshots[2];
    apr_uint32_t pending;
    apr_uint32_t clock;
    slot_t slots[1];
} shared_t;

static shared_t *shared;
static apr_uint32_t *busy_since;    /* for each thread of each slot, by the
                                     * clock; 0: it is not busy */
static int threads;                 /* of each slot */
static reconfigure_shape_t shape;

apr_status_t ap_reconfigure_shm_create(apr_pool_t *process, int server_limit,
                                       int thread_limit)
{
    apr_size_t slots = sizeof(shared_t) + (server_limit - 1) * sizeof(slot_t);
    apr_size_t size = slots + (apr_size_t)server_limit * thread_limit
                              * sizeof(apr_uint32_t);
    apr_status_t rv;
    apr_shm_t *shm;

    if (shared) { /* neither limit can change over restarts */
        return APR_SUCCESS;
    }
    rv = apr_shm_create(&shm, size, NULL, process);
    if (rv == APR_SUCCESS) {
        shared = apr_shm_baseaddr_get(shm);
        memset(shared, 0, size);
        busy_since = (apr_uint32_t *)((char *)shared + slots);
        threads = thread_limit;
    }
    return rv;
}

void ap_reconfigure_shm_set_shape(int threads_per_child, int server_limit)
{
    shape.threads_per_child = threads_per_child;
    shape.server_limit = server_limit;
}

const reconfigure_shape_t *ap_reconfigure_shape(void)
{
    return &shape;
}

void ap_reconfigure_shm_read(reconfigure_snapshot_t *copy)
{
    reconfigure_copies_read(&shared->current, shared->snapshots, sizeof(*copy),
                            copy);
}

void ap_reconfigure_shm_write(const reconfigure_snapshot_t *snapshot)
{
    reconfigure_copies_write(&shared->current, shared->snapshots,
                             sizeof(*snapshot), snapshot);
}

int ap_reconfigure_shm_quota(int slot)
{
    return (int)apr_atomic_read32(&shared->slots[slot].quota);
}

void ap_reconfigure_shm_set_quota(int slot, int quota)
{
    apr_atomic_set32(&shared->slots[slot].quota, quota);
}

apr_uint32_t ap_reconfigure_shm_pending(void)
{
    return apr_atomic_read32(&shared->pending);
}

void ap_reconfigure_shm_set_pending(int pending)
{
    apr_atomic_set32(&shared->pending, pending);
}

apr_uint32_t ap_reconfigure_shm_wanted(int slot)
{
    return apr_atomic_read32(&shared->slots[slot].want);
}

void ap_reconfigure_shm_want(int slot)
{
    apr_atomic_inc32(&shared->slots[slot].want);
}

apr_uint32_t ap_reconfigure_shm_acknowledged(int slot)
{
    return apr_atomic_read32(&shared->slots[slot].ack);
}

void ap_reconfigure_shm_acknowledge(int slot, apr_uint32_t version)
{
    apr_atomic_set32(&shared->slots[slot].ack, version);
}

void ap_reconfigure_shm_reset_child(int slot)
{
    slot_t *s = &shared->slots[slot];
    int i;

    for (i = 0; i < threads; ++i) {
        ap_reconfigure_shm_set_busy(slot, i, 0);
    }
    apr_atomic_set32(&s->waiting, 0);
    apr_atomic_set32(&s->owed, 0);
    apr_atomic_set32(&s->ack, apr_atomic_read32(&s->want));
}

static int read_hint(apr_uint32_t *word)
{
    apr_uint32_t n = apr_atomic_read32(word);

    return n < MAX_HINT ? (int)n : MAX_HINT;
}

int ap_reconfigure_shm_waiting(int slot)
{
    return read_hint(&shared->slots[slot].waiting);
}

void ap_reconfigure_shm_set_waiting(int slot, apr_uint32_t waiting)
{
    apr_atomic_set32(&shared->slots[slot].waiting, waiting);
}

int ap_reconfigure_shm_owed(int slot)
{
    apr_uint32_t n = apr_atomic_read32(&shared->slots[slot].owed);

    return n < MAX_HINT ? (int)n : 0;
}

void ap_reconfigure_shm_set_owed(int slot, int owed)
{
    apr_atomic_set32(&shared->slots[slot].owed, owed);
}

void ap_reconfigure_shm_clear_owed(int slot)
{
    apr_atomic_set32(&shared->slots[slot].owed, 0);
}

void ap_reconfigure_shm_set_clock(apr_uint32_t seconds)
{
    apr_atomic_set32(&shared->clock, seconds);
}

static apr_uint32_t *word_of(int slot, int thread)
{
    return &busy_since[(apr_size_t)slot * threads + thread];
}

void ap_reconfigure_shm_set_busy(int slot, int thread, int busy)
{
    apr_atomic_set32(word_of(slot, thread),
                     busy ? apr_atomic_read32(&shared->clock) : 0);
}

/* Seconds for which the worker says to be busy with what it has; 0 if it is
 * not */
static apr_uint32_t busy_for(int slot, int thread)
{
    apr_uint32_t since = apr_atomic_read32(word_of(slot, thread));
    apr_uint32_t now = apr_atomic_read32(&shared->clock);

    return since && since < now ? now - since : 0;
}

/*****************************************************************
 * What any process can tell
 */

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
        n += busy_for(slot, j) > AP_RECONFIGURE_HELD_AFTER;
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
