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
 * Online reconfiguration: what an MPM calls in its parent and in its children.
 *
 * The parent, which is single-threaded, reads, checks, publishes, signals the
 * children and waits for them, and shares out MaxRequestWorkers.  A child
 * applies and acknowledges, all by its main thread, but for the number of
 * waiting connections, which its listener tells, and for what each worker tells
 * of itself.
 */

#include "mpm_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE

#include "apr_signal.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "httpd.h"
#include "http_core.h"
#include "http_log.h"
#include "http_main.h"
#include "scoreboard.h"
#include "mpm_common.h"
#include "unixd.h"
#include "reconfigure_config.h"
#include "reconfigure_file.h"
#include "reconfigure_quota.h"
#include "reconfigure_shm.h"

#include <sys/wait.h>
#include <time.h>

/* we know core's module_index is 0 */
#undef APLOG_MODULE_INDEX
#define APLOG_MODULE_INDEX AP_CORE_MODULE_INDEX

/* What the parent keeps over restarts. It believes nothing that a child could
 * have written, so this is what counts. */
static struct {
    int *max_workers;       /* of the MPM, as the following */
    int *daemons_limit;
    int min_daemons;
    reconfigure_snapshot_t snapshot;    /* what was published last */
    reconfigure_quotas_t quotas;        /* .slots[].published likewise; the
                                         * rest is scratch */
    apr_uint32_t configured_timeout_ms; /* KeepAliveTimeout of the start */
    apr_uint32_t configured_max_workers;
    const char *state_name;
    reconfigure_state_t state;
} rt;
static int state_fd = -1;   /* -1: there is no state file */

/*****************************************************************
 * The signal: the handler sets a flag, no more
 */

static volatile sig_atomic_t signalled;

static void sig_reconfigure(int sig)
{
    signalled = 1;
}

AP_DECLARE(void) ap_reconfigure_catch_signal(void)
{
    apr_signal(AP_SIG_RECONFIGURE, sig_reconfigure);
}

/* Has it come since the last call? One that comes after the call is for the
 * next one. */
static int was_signalled(void)
{
    if (!signalled) {
        return 0;
    }
    signalled = 0;
    return 1;
}

/*****************************************************************
 * The parent
 */

static int is_started(void)
{
    return rt.max_workers != NULL;
}

static void publish(server_rec *s, const reconfigure_snapshot_t *snapshot)
{
    rt.snapshot = *snapshot;
    ap_reconfigure_shm_write(snapshot);
    ap_run_reconfigure_publish(s, ap_reconfigure_values());
}

static void set_quota(int slot, int quota)
{
    rt.quotas.slots[slot].published = quota;
    ap_reconfigure_shm_set_quota(slot, quota);
}

/*****************************************************************
 * Children: signal them and wait for them
 */

AP_DECLARE(int) ap_reconfigure_active_children(void)
{
    int i, n = 0;

    for (i = 0; i < ap_reconfigure_shape()->server_limit; ++i) {
        n += ap_reconfigure_is_active(i);
    }
    return n;
}

static int is_pending(int slot)
{
    return ap_reconfigure_is_active(slot)
           && ap_reconfigure_shm_acknowledged(slot)
              != ap_reconfigure_shm_wanted(slot);
}

/* Publish the number of children that still have to acknowledge; if they
 * should be reminded, a signal that came between a child's check and its
 * read() makes no difference. */
static int count_pending(int remind)
{
    int i, n = 0;

    for (i = 0; i < rt.quotas.nslots; ++i) {
        if (is_pending(i)) {
            ++n;
            if (remind) {
                ap_mpm_safe_kill(ap_scoreboard_image->parent[i].pid,
                                 AP_SIG_RECONFIGURE);
            }
        }
    }
    ap_reconfigure_shm_set_pending(n);
    return n;
}

/* Is there a process to reap? */
static int somebody_has_ended(void)
{
#ifdef WNOWAIT
    siginfo_t info;

    info.si_pid = 0;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0
           && info.si_pid != 0;
#else
    return 0;
#endif
}

/* Wait, not for long, and not when there is something else to do.  Children
 * that take longer are reminded each turn of the main loop. */
#define ACK_POLL     apr_time_from_msec(1)
#define ACK_REMIND   10     /* polls */
#define ACK_POLLS    300    /* when somebody waits for the change */
#define BALANCE_POLLS 20    /* once a second */

static void wait_for_children(int polls)
{
    ap_unixd_mpm_retained_data *mpm = ap_unixd_mpm_get_retained_data();
    int i;

    for (i = 0; i < polls && count_pending(i % ACK_REMIND == 0); ++i) {
        if (mpm->restart_pending || mpm->shutdown_pending
            || somebody_has_ended()) {
            break;
        }
        apr_sleep(ACK_POLL);
    }
}

static void write_state(void)
{
    const ap_reconfigure_values_t *declared = ap_reconfigure_values();
    reconfigure_state_t *state = &rt.state;
    int i;

    if (state_fd < 0) {
        return;
    }
    state->threads_per_child = rt.quotas.threads_per_child;
    state->server_limit = rt.quotas.nslots;
    state->children = ap_reconfigure_active_children();
    state->owed = 0;
    for (i = 0; i < rt.quotas.nslots; ++i) {
        if (ap_reconfigure_is_active(i)) {
            state->owed += ap_reconfigure_count_owed(i);
        }
    }
    apr_cpystrn(state->file, ap_reconfigure_file_name(), sizeof(state->file));
    state->accepted = rt.snapshot.reconfigurations;
    state->pending = ap_reconfigure_shm_pending();
    state->max_workers = rt.snapshot.max_workers;
    state->keep_alive_timeout_ms = rt.snapshot.keep_alive_timeout_ms;
    state->nvariables = declared->count;
    for (i = 0; i < declared->count; ++i) {
        apr_cpystrn(state->variables[i].name, declared->names[i],
                    sizeof(state->variables[i].name));
        state->variables[i].value = rt.snapshot.variables[i];
    }
    ap_reconfigure_state_write(state_fd, state);
}

/*****************************************************************
 * Quotas
 */

/* What the children have, and what they need */
static void read_quotas(void)
{
    int i;

    rt.quotas.max_workers = *rt.max_workers;
    for (i = 0; i < rt.quotas.nslots; ++i) {
        reconfigure_share_t *share = &rt.quotas.slots[i];

        share->active = ap_reconfigure_is_active(i);
        if (share->active) {
            share->quota = share->published;
            share->busy = ap_reconfigure_count_busy(i);
            share->waiting = ap_reconfigure_shm_waiting(i);
            share->had = 0; /* that was a second ago: it may hang */
        }
    }
}

static int lower_quotas(void)
{
    int i, n = 0;

    for (i = 0; i < rt.quotas.nslots; ++i) {
        reconfigure_share_t *share = &rt.quotas.slots[i];

        if (share->active && share->quota < share->published) {
            share->had = share->published;
            ap_reconfigure_shm_clear_owed(i);
            set_quota(i, share->quota);
            ap_reconfigure_shm_want(i);
            ++n;
        }
    }
    return n;
}

static void raise_quotas(void)
{
    int i;

    for (i = 0; i < rt.quotas.nslots; ++i) {
        reconfigure_share_t *share = &rt.quotas.slots[i];

        if (share->active) {
            share->busy = ap_reconfigure_count_busy(i);
            share->owed = ap_reconfigure_shm_owed(i);
            ap_reconfigure_shm_clear_owed(i);
            if (!is_pending(i)) {
                share->had = 0;
            }
        }
    }
    ap_reconfigure_quotas_cut_raises(&rt.quotas);
    for (i = 0; i < rt.quotas.nslots; ++i) {
        const reconfigure_share_t *share = &rt.quotas.slots[i];

        if (share->active && share->quota > share->published) {
            set_quota(i, share->quota);
            ap_reconfigure_shm_want(i);
        }
    }
}

/* First those that have to do with less, then, when they have acknowledged,
 * those that get more, so that the sum is not exceeded.  What cannot be given
 * yet because somebody has not acknowledged is left to the next balance. */
static void apply_quotas(int polls)
{
    if (lower_quotas()) {
        wait_for_children(polls);
    }
    raise_quotas();
}

AP_DECLARE(void) ap_reconfigure_balance(server_rec *s)
{
    int active, sum;

    if (!is_started() || !ap_reconfigure_enabled()) {
        return;
    }
    read_quotas();
    active = ap_reconfigure_quotas_sum(&rt.quotas, &sum);
    if (sum == active * rt.quotas.threads_per_child
        && sum <= rt.quotas.max_workers) {
        return; /* nothing is withheld */
    }
    ap_reconfigure_quotas_fit(&rt.quotas);
    ap_reconfigure_quotas_share(&rt.quotas);
    apply_quotas(BALANCE_POLLS);
    if (count_pending(1) != (int)rt.state.pending) {
        write_state();
    }
}

AP_DECLARE(void) ap_reconfigure_child_forking(int slot)
{
    int quota;

    if (!is_started()) {
        return;
    }
    quota = rt.quotas.threads_per_child;
    if (ap_reconfigure_enabled()) {
        read_quotas();
        quota = ap_reconfigure_quota_of_new(&rt.quotas, slot);
    }
    set_quota(slot, quota);
    ap_reconfigure_shm_reset_child(slot);
}

/*****************************************************************
 * A reconfiguration
 */

/* Into each server that doesn't set its own; by the parent or by a child's main
 * thread.  Other threads read it meanwhile: one aligned word whose upper half
 * never changes. */
static void store_keep_alive_timeout(apr_uint32_t ms)
{
    server_rec *s;

    for (s = ap_server_conf; s; s = s->next) {
        if (!s->is_virtual || !s->keep_alive_timeout_set) {
            s->keep_alive_timeout = apr_time_from_msec(ms);
        }
    }
}

/* Append a change to the message, and count it */
static int note_change(apr_pool_t *p, const char **message, const char *name,
                       apr_uint32_t from, apr_uint32_t to, const char *unit)
{
    if (from == to) {
        return 0;
    }
    *message = apr_psprintf(p, "%s%s%s %u%s -> %u%s", *message,
                            **message ? ", " : "", name, from, unit, to, unit);
    return 1;
}

static void apply_keep_alive_timeout(void)
{
    int i;

    store_keep_alive_timeout(rt.snapshot.keep_alive_timeout_ms);
    for (i = 0; i < rt.quotas.nslots; ++i) {
        ap_reconfigure_shm_want(i);
    }
}

static void apply_max_workers(void)
{
    int per_child = rt.quotas.threads_per_child;

    *rt.max_workers = rt.snapshot.max_workers;
    *rt.daemons_limit = (*rt.max_workers + per_child - 1) / per_child;
    if (*rt.daemons_limit < rt.min_daemons) {
        *rt.daemons_limit = rt.min_daemons;
    }
    read_quotas();
    ap_reconfigure_quotas_fit(&rt.quotas);
    apply_quotas(ACK_POLLS);
}

static void apply_values(apr_pool_t *p, server_rec *s,
                         const reconfigure_values_t *values)
{
    ap_reconfigure_values_t *declared = ap_reconfigure_running_values();
    reconfigure_snapshot_t old = rt.snapshot, new = old;
    int i, workers_change, timeout_change, changes = 0;
    const char *message = "";

    if (values->max_workers >= 0) {
        new.max_workers = values->max_workers;
    }
    if (values->keep_alive_timeout_ms >= 0) {
        new.keep_alive_timeout_ms = values->keep_alive_timeout_ms;
    }
    workers_change = note_change(p, &message, "MaxRequestWorkers",
                                 old.max_workers, new.max_workers, "");
    timeout_change = note_change(p, &message, "KeepAliveTimeout",
                                 old.keep_alive_timeout_ms,
                                 new.keep_alive_timeout_ms, "ms");
    for (i = 0; i < declared->count; ++i) {
        if (values->variables[i] >= 0) {
            declared->values[i] = new.variables[i] = values->variables[i];
            changes += note_change(p, &message, declared->names[i],
                                   old.variables[i], new.variables[i], "");
        }
    }
    changes += workers_change + timeout_change;
    declared->changes += changes ? 1 : 0;
    ++new.reconfigurations;
    new.refused = 0;
    publish(s, &new);

    if (timeout_change) {
        apply_keep_alive_timeout();
    }
    if (workers_change) {
        apply_max_workers();
    }
    if (workers_change || timeout_change) {
        wait_for_children(ACK_POLLS);
    }
    else {
        count_pending(1); /* what requests read themselves is live already */
    }
    ap_log_error(APLOG_MARK, changes ? APLOG_NOTICE : APLOG_INFO, 0, s,
                 APLOGNO(12002) "reconfigured: %s",
                 changes ? message : "no value has changed");
}

/* The command's lock on the byte says that it is to be done whatever is held */
static int is_forced(void)
{
    pid_t holder = 0;

    return state_fd >= 0
           && ap_reconfigure_state_try_lock(state_fd, F_GETLK,
                                            RECONFIGURE_FORCE_BYTE,
                                            &holder) == 0
           && holder != 0;
}

static int count_held(void)
{
    int i, n = 0;

    for (i = 0; i < rt.quotas.nslots; ++i) {
        n += ap_reconfigure_is_active(i) ? ap_reconfigure_count_held(i) : 0;
    }
    return n;
}

static void reconfigure(server_rec *s)
{
    const char *file = ap_reconfigure_file_name(), *text, *err;
    reconfigure_limits_t limits;
    reconfigure_values_t values;
    apr_size_t size;
    apr_pool_t *p;

    apr_pool_create(&p, s->process->pool);
    apr_pool_tag(p, "reconfigure");
    ap_reconfigure_set_limits(&limits);
    limits.threads_per_child = rt.quotas.threads_per_child;
    limits.server_limit = rt.quotas.nslots;
    limits.children = ap_reconfigure_active_children();
    limits.max_workers = rt.snapshot.max_workers;
    limits.held = is_forced() ? 0 : count_held();
    err = file ? ap_reconfigure_read(p, file, geteuid(), &text, &size)
               : "there is no ReconfigureFile in the configuration";
    if (!err) {
        err = ap_reconfigure_parse(p, file, text, size, &limits, &values);
    }
    if (err) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, s, APLOGNO(12003)
                     "reconfiguration refused: %s; nothing was changed", err);
    }
    else {
        apply_values(p, s, &values);
    }
    rt.state.refused = (err != NULL);
    apr_cpystrn(rt.state.message, err ? err : "", sizeof(rt.state.message));
    ++rt.state.handled;
    write_state();
    apr_pool_destroy(p);
}

static void set_clock(void)
{
    apr_time_t now = apr_time_now();
#ifdef CLOCK_MONOTONIC
    struct timespec ts;

    /* A clock that is set would make all workers held, or none */
    if (clock_gettime(CLOCK_MONOTONIC, &ts) == 0) {
        now = apr_time_from_sec(ts.tv_sec);
    }
#endif
    ap_reconfigure_shm_set_clock((apr_uint32_t)apr_time_sec(now) + 1);
}

AP_DECLARE(int) ap_reconfigure_poll(server_rec *s)
{
    if (is_started()) {
        set_clock();
    }
    /* The flag is cleared before the file is read: what comes in between is
     * not lost */
    if (!was_signalled()) {
        /* The command has to know the number of children */
        if (is_started()
            && (ap_reconfigure_shm_pending()
                || (state_fd >= 0 && rt.state.children
                                        != ap_reconfigure_active_children()))) {
            count_pending(1);
            write_state();
        }
        return 0;
    }
    if (is_started()) {
        reconfigure(s);
    }
    return 1;
}

/*****************************************************************
 * Start and stop
 */

static void open_state(server_rec *s)
{
    apr_pool_t *p = s->process->pconf;
    const char *name = apr_pstrcat(p, ap_server_root_relative(p, ap_pid_fname),
                                   RECONFIGURE_STATE_SUFFIX, NULL), *err;

    if (state_fd >= 0 && !strcmp(name, rt.state_name)
        && ap_reconfigure_state_is_named(state_fd, name)) {
        return;
    }
    ap_reconfigure_stop(); /* the PidFile may have got another name */
    err = ap_reconfigure_state_create(p, name, &state_fd);
    if (err) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s, APLOGNO(12005)
                     "%s; httpd -k reconfigure will not find this server",
                     err);
        return;
    }
    rt.state_name = apr_pstrdup(s->process->pool, name);
}

static void start_quotas(apr_pool_t *process, const ap_reconfigure_mpm_t *mpm)
{
    int i;

    if (!is_started()) { /* ServerLimit can't change over restarts */
        rt.quotas.nslots = mpm->server_limit;
        rt.quotas.slots = apr_pcalloc(process, mpm->server_limit
                                               * sizeof(reconfigure_share_t));
        rt.quotas.memory = apr_pcalloc(process, mpm->server_limit
                                                * 4 * sizeof(int));
    }
    rt.quotas.threads_per_child = mpm->threads_per_child;
    rt.quotas.own_sockets = mpm->min_daemons > 1;
    rt.max_workers = mpm->max_workers;
    rt.daemons_limit = mpm->daemons_limit;
    rt.min_daemons = mpm->min_daemons;
    ap_reconfigure_shm_set_shape(mpm->threads_per_child, rt.quotas.nslots);
    for (i = 0; i < rt.quotas.nslots; ++i) {
        set_quota(i, rt.quotas.threads_per_child);
    }
}

static void start_values(server_rec *s)
{
    static apr_uint32_t last_start;
    ap_reconfigure_values_t *declared = ap_reconfigure_running_values();
    apr_uint32_t now = (apr_uint32_t)apr_time_sec(apr_time_now());
    reconfigure_snapshot_t snapshot = rt.snapshot;

    rt.configured_max_workers = snapshot.max_workers = *rt.max_workers;
    snapshot.keep_alive_timeout_ms = (apr_uint32_t)
        apr_time_as_msec(s->keep_alive_timeout);
    rt.configured_timeout_ms = snapshot.keep_alive_timeout_ms;
    snapshot.names_id = declared->names_id;
    snapshot.refused = ap_reconfigure_refusal() != NULL;
    memcpy(snapshot.variables, declared->values, sizeof(snapshot.variables));
    /* Not to come back in another life of the server: what was cached on disk
     * then is not found */
    last_start = last_start < now ? now : last_start + 1;
    declared->start = last_start;
    declared->changes = 0;
    publish(s, &snapshot);
}

AP_DECLARE(apr_status_t) ap_reconfigure_start(server_rec *s,
                                              const ap_reconfigure_mpm_t *mpm)
{
    apr_status_t rv = ap_reconfigure_shm_create(s->process->pool,
                                                mpm->server_limit,
                                                mpm->thread_limit);

    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, APLOGNO(12004)
                     "no shared memory, the server can't be reconfigured "
                     "online");
        return rv;
    }
    start_quotas(s->process->pool, mpm);
    start_values(s);
    set_clock();
    ap_reconfigure_shm_set_pending(0);
    ap_reconfigure_catch_signal();
    if (ap_reconfigure_enabled()) {
        rt.state.pid = getpid();
        open_state(s);
        write_state();
    }
    else {
        ap_reconfigure_stop();
    }
    return APR_SUCCESS;
}

AP_DECLARE(int) ap_reconfigure_lowered(void)
{
    return is_started()
           && rt.snapshot.max_workers < rt.configured_max_workers;
}

AP_DECLARE(void) ap_reconfigure_stop(void)
{
    if (state_fd >= 0) {
        ap_reconfigure_state_remove(state_fd, rt.state_name);
        state_fd = -1;
    }
}

/*****************************************************************
 * A child
 */

static struct {
    int slot;
    const ap_reconfigure_child_t *mpm;
    int quota;
    apr_uint32_t keep_alive_timeout_ms;
} self;

/* In a child that was just forked: let go of what is the parent's alone */
static void forget_parent(void)
{
    /* A command believes what this file says; the parent's lock on it stays */
    if (state_fd >= 0) {
        close(state_fd);
        state_fd = -1;
    }
}

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
        store_keep_alive_timeout(self.keep_alive_timeout_ms);
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
    forget_parent();
    self.keep_alive_timeout_ms = rt.configured_timeout_ms;
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
