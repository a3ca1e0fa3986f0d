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
 * Online reconfiguration: the running values, who gets which, and when.
 *
 * Threads.  The parent is single-threaded and the only writer of the shared
 * memory, but for three words a slot: a child acknowledges, counts the
 * connections that wait for a worker, and tells how many workers it owes.  The
 * parent sets these, too: all when it forks a child, what is owed each time it
 * has reckoned with it.  In a child, the main thread applies quota and timeout;
 * any thread reads the variables.
 */

#include "apr.h"
#include "apr_atomic.h"
#include "apr_hash.h"
#include "apr_shm.h"
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
#include "http_protocol.h"
#include "scoreboard.h"
#include "ap_mpm.h"
#include "mpm_common.h"
#include "reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE
#include "reconfigure_state.h"
#include "unixd.h"
#endif

/* we know core's module_index is 0 */
#undef APLOG_MODULE_INDEX
#define APLOG_MODULE_INDEX AP_CORE_MODULE_INDEX

/*****************************************************************
 * The configuration, as read last.  In the parent the values follow each
 * reconfiguration, so that a child forked later starts with the running ones.
 */

/* What requests are given, as text: written at a change and not for each
 * request */
typedef struct {
    char generation[24];    /* two numbers of 32 bits */
    char values[AP_RECONFIGURE_MAX_VARIABLES][8];
} env_t;

static struct {
    const char *file;       /* ReconfigureFile, or NULL */
    int nvariables;
    const char *names[AP_RECONFIGURE_MAX_VARIABLES];
    apr_uint32_t values[AP_RECONFIGURE_MAX_VARIABLES];
    apr_uint32_t names_id;  /* tells one list of names from another */
    apr_uint32_t start;     /* see snapshot_t */
    env_t env;
    apr_uint32_t keep_alive_timeout_ms; /* as configured, of a child's MPM */
} conf;

void ap_reconfigure_pre_config(apr_pool_t *pconf)
{
    memset(&conf, 0, sizeof(conf));
}

AP_DECLARE(int) ap_reconfigure_enabled(void)
{
    return conf.file != NULL;
}

const char *reconfigure_file_name(void)
{
    return conf.file;
}

const char *ap_reconfigure_set_file(cmd_parms *cmd, void *dummy,
                                    const char *arg)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);

    if (err) {
        return err;
    }
    conf.file = ap_server_root_relative(cmd->pool, arg);
    return conf.file ? NULL
        : apr_pstrcat(cmd->pool, "invalid path ", arg, NULL);
}

const char *ap_reconfigure_set_variable(cmd_parms *cmd, void *dummy,
                                        const char *name, const char *value)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    int n, i;

    if (err) {
        return err;
    }
    if ((err = reconfigure_check_variable(name))) {
        return apr_psprintf(cmd->pool, "the name of the variable '%s' %s",
                            name, err);
    }
    n = reconfigure_parse_number(value, strlen(value),
                                 AP_RECONFIGURE_MAX_VALUE);
    if (n < 0) {
        return apr_psprintf(cmd->pool, "%s must be an integer from 0 to %d, "
                            "not '%s'", name, AP_RECONFIGURE_MAX_VALUE, value);
    }
    /* The file of tunables says again what httpd.conf has declared */
    for (i = 0; i < conf.nvariables; ++i) {
        if (!strcmp(conf.names[i], name)) {
            conf.values[i] = n;
            return NULL;
        }
        if (!strcasecmp(conf.names[i], name)) {
            return apr_psprintf(cmd->pool, "the variables %s and %s would be "
                                "the same", conf.names[i], name);
        }
    }
    if (conf.nvariables == AP_RECONFIGURE_MAX_VARIABLES) {
        return apr_psprintf(cmd->pool, "there can be at most %d variables",
                            AP_RECONFIGURE_MAX_VARIABLES);
    }
    conf.names[conf.nvariables] = name;
    conf.values[conf.nvariables++] = n;
    return NULL;
}

static void format_env(env_t *env, const apr_uint32_t *values,
                       apr_uint32_t start, apr_uint32_t changes)
{
    int i;

    apr_snprintf(env->generation, sizeof(env->generation), "%u%06u", start,
                 changes);
    for (i = 0; i < conf.nvariables; ++i) {
        apr_snprintf(env->values[i], sizeof(env->values[i]), "%u", values[i]);
    }
}

static void set_limits(reconfigure_limits_t *limits)
{
    memset(limits, 0, sizeof(*limits));
    limits->nvariables = conf.nvariables;
    memcpy(limits->names, conf.names, sizeof(limits->names));
}

int ap_reconfigure_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                apr_pool_t *ptemp, server_rec *s)
{
    apr_ssize_t len = APR_HASH_KEY_STRING;
    int i;

    conf.names_id = 0;
    for (i = 0; i < conf.nvariables; ++i) {
        conf.names_id = conf.names_id * 31
                        + apr_hashfunc_default(conf.names[i], &len);
        len = APR_HASH_KEY_STRING;
    }
    conf.start = (apr_uint32_t)apr_time_sec(apr_time_now());
    format_env(&conf.env, conf.values, conf.start, 0);

#ifdef AP_HAVE_RECONFIGURE
    if (conf.file && !reconfigure_check_is_off()) {
        reconfigure_limits_t limits;
        reconfigure_values_t values;
        const char *text, *err;
        apr_size_t size;

        set_limits(&limits);
        err = reconfigure_read(ptemp, conf.file, geteuid(), &text, &size);
        if (!err) {
            err = reconfigure_parse(ptemp, conf.file, text, size, &limits,
                                    &values);
        }
        if (err) {
            /* A server that runs already is not brought down by this */
            int startup = ap_state_query(AP_SQ_MAIN_STATE)
                          == AP_SQ_MS_CREATE_PRE_CONFIG;

            ap_log_error(APLOG_MARK, startup ? APLOG_ERR | APLOG_STARTUP
                                             : APLOG_ERR,
                         0, startup ? NULL : s, APLOGNO(12001)
                         "ReconfigureFile: %s", err);
            return startup ? !OK : OK;
        }
    }
#endif
    return OK;
}

#ifdef AP_HAVE_RECONFIGURE

/*****************************************************************
 * The shared memory
 */

typedef struct {
    apr_uint32_t max_workers;
    apr_uint32_t keep_alive_timeout_ms;
    apr_uint32_t reconfigurations;
    /* RECONFIGURE_GENERATION: the second of the start or restart, and the
     * number of changes since */
    apr_uint32_t start;
    apr_uint32_t changes;
    apr_uint32_t names_id;
    apr_uint32_t variables[AP_RECONFIGURE_MAX_VARIABLES];
    env_t env;              /* of the above */
} snapshot_t;

/* More connections than any child can have, for those that say how many */
#define MAX_WAITING 65535

typedef struct {
    apr_uint32_t want;      /* version that the child should apply */
    apr_uint32_t ack;       /* version it has applied; the child writes, too */
    apr_uint32_t quota;     /* workers it may use */
    apr_uint32_t waiting;   /* connections that wait; the child writes, too */
    apr_uint32_t owed;      /* workers in use beyond the quota, when it was
                             * applied; the child writes, too */
} slot_t;

typedef struct {
    /* The snapshot of an odd or of an even number is the current one; the
     * other is written next.  So a reader that finds the number unchanged
     * after it has copied has a consistent copy, and it never waits for a
     * parent that was killed in the middle. */
    apr_uint32_t current;
    apr_uint32_t pending;
    snapshot_t snapshots[2];
    slot_t slots[1];
} shared_t;

/* What the parent keeps over restarts; children have a copy */
typedef struct {
    shared_t *shared;
    int threads_per_child;
    int server_limit;
    int *max_workers;
    int *daemons_limit;
    int min_daemons;
    snapshot_t snapshot;    /* what was written last; the parent believes */
    int *published;         /* nothing that a child could have written */
    int *quotas;            /* scratch, one for each slot; -1: not active */
    int *needs;
    int state_fd;
    const char *state_name;
    reconfigure_state_t state;
} runtime_t;
static runtime_t *rt;

/* Set by the handler, cleared before the file is read: what comes in between
 * is not lost */
static volatile sig_atomic_t signalled;

static void sig_reconfigure(int sig)
{
    signalled = 1;
}

AP_DECLARE(void) ap_reconfigure_catch_signal(void)
{
    apr_signal(AP_SIG_RECONFIGURE, sig_reconfigure);
}

/* For children */
static void read_snapshot(snapshot_t *copy)
{
    apr_uint32_t n;

    do {
        n = apr_atomic_read32(&rt->shared->current);
        *copy = rt->shared->snapshots[n & 1];
    } while (apr_atomic_read32(&rt->shared->current) != n);
}

/* For children, in a request: false if the values are those of other names */
static int read_env(env_t *copy)
{
    apr_uint32_t n, names_id;

    do {
        const snapshot_t *snapshot;

        n = apr_atomic_read32(&rt->shared->current);
        snapshot = &rt->shared->snapshots[n & 1];
        names_id = snapshot->names_id;
        *copy = snapshot->env;
    } while (apr_atomic_read32(&rt->shared->current) != n);
    return names_id == conf.names_id;
}

static void write_snapshot(const snapshot_t *snapshot)
{
    apr_uint32_t n = apr_atomic_read32(&rt->shared->current) + 1;

    rt->snapshot = *snapshot;
    format_env(&rt->snapshot.env, snapshot->variables, snapshot->start,
               snapshot->changes);
    rt->shared->snapshots[n & 1] = rt->snapshot;
    apr_atomic_inc32(&rt->shared->current);
}

static void set_quota(int slot, int quota)
{
    rt->published[slot] = quota;
    apr_atomic_set32(&rt->shared->slots[slot].quota, quota);
}

static APR_INLINE slot_t *get_slot(int i)
{
    return &rt->shared->slots[i];
}

/* For children */
static APR_INLINE int get_quota(int i)
{
    return (int)apr_atomic_read32(&get_slot(i)->quota);
}

/*****************************************************************
 * Read by any process
 */

AP_DECLARE(int) ap_reconfigure_withheld(int slot)
{
    int withheld = 0;

    if (rt && slot >= 0 && slot < rt->server_limit) {
        withheld = rt->threads_per_child - get_quota(slot);
    }
    return withheld > 0 ? withheld : 0;
}

static int is_active(int slot)
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

static int count_busy(int slot)
{
    int j, n = 0;

    for (j = 0; j < rt->threads_per_child; ++j) {
        n += worker_is_busy(ap_scoreboard_image->servers[slot][j].status);
    }
    return n;
}

AP_DECLARE(int) ap_reconfigure_status(ap_reconfigure_status_t *status)
{
    snapshot_t snapshot;
    int i;

    if (!rt) {
        return 0;
    }
    read_snapshot(&snapshot);
    status->max_workers = snapshot.max_workers;
    status->keep_alive_timeout_ms = snapshot.keep_alive_timeout_ms;
    status->reconfigurations = snapshot.reconfigurations;
    status->pending = apr_atomic_read32(&rt->shared->pending);
    status->withheld = 0;
    status->owed = 0;
    for (i = 0; i < rt->server_limit; ++i) {
        if (is_active(i)) {
            int over = count_busy(i) - get_quota(i);

            status->withheld += ap_reconfigure_withheld(i);
            status->owed += over > 0 ? over : 0;
        }
    }
    status->nvariables = conf.nvariables;
    for (i = 0; i < conf.nvariables; ++i) {
        status->variables[i].name = conf.names[i];
        status->variables[i].value = snapshot.names_id == conf.names_id
            ? snapshot.variables[i] : conf.values[i];
    }
    return 1;
}
#else /* AP_HAVE_RECONFIGURE */
AP_DECLARE(int) ap_reconfigure_withheld(int slot)
{
    return 0;
}

AP_DECLARE(int) ap_reconfigure_status(ap_reconfigure_status_t *status)
{
    return 0;
}
#endif /* AP_HAVE_RECONFIGURE */

static void copy_env(request_rec *r, const char *name)
{
    const char *value = apr_table_get(r->prev->subprocess_env, name);

    if (value) {
        apr_table_setn(r->subprocess_env, name, value);
    }
}

int ap_reconfigure_set_env(request_rec *r)
{
    env_t *env;
    int i;

    if (!conf.nvariables && !conf.file) {
        return DECLINED;
    }
    if (r->prev && apr_table_get(r->prev->subprocess_env,
                                 AP_RECONFIGURE_GENERATION)) {
        /* Same request to the client, so the same values; its environment
         * has been renamed to REDIRECT_*. (There is none if it failed before
         * it came here, and this is an ErrorDocument.) */
        for (i = 0; i < conf.nvariables; ++i) {
            copy_env(r, conf.names[i]);
        }
        copy_env(r, AP_RECONFIGURE_GENERATION);
        return DECLINED;
    }
    env = apr_pmemdup(r->pool, &conf.env, sizeof(*env));
#ifdef AP_HAVE_RECONFIGURE
    if (rt && !read_env(env)) {
        /* A child that outlives a restart may have other names */
        memcpy(env->values, conf.env.values, sizeof(env->values));
    }
#endif
    for (i = 0; i < conf.nvariables; ++i) {
        apr_table_setn(r->subprocess_env, conf.names[i], env->values[i]);
    }
    apr_table_setn(r->subprocess_env, AP_RECONFIGURE_GENERATION,
                   env->generation);
    return DECLINED;
}

#ifdef AP_HAVE_RECONFIGURE

/*****************************************************************
 * The parent: signal children and wait for them
 */

AP_DECLARE(int) ap_reconfigure_active_children(void)
{
    int i, n = 0;

    for (i = 0; rt && i < rt->server_limit; ++i) {
        n += is_active(i);
    }
    return n;
}

static int is_pending(int slot)
{
    return is_active(slot) && apr_atomic_read32(&get_slot(slot)->ack)
                              != apr_atomic_read32(&get_slot(slot)->want);
}

/* Publish the number of children that still have to acknowledge; if they
 * should be reminded, a signal that came between a child's check and its
 * read() makes no difference. */
static int count_pending(int remind)
{
    int i, n = 0;

    for (i = 0; i < rt->server_limit; ++i) {
        if (is_pending(i)) {
            ++n;
            if (remind) {
                ap_mpm_safe_kill(ap_scoreboard_image->parent[i].pid,
                                 AP_SIG_RECONFIGURE);
            }
        }
    }
    apr_atomic_set32(&rt->shared->pending, n);
    return n;
}

/* Wait, not for long: the parent has other things to do.  Children that take
 * longer are reminded each turn of the main loop. */
#define ACK_POLL     apr_time_from_msec(1)
#define ACK_REMIND   10     /* polls */
#define ACK_POLLS    300

static void wait_for_children(void)
{
    ap_unixd_mpm_retained_data *mpm = ap_unixd_mpm_get_retained_data();
    int i;

    for (i = 0; i < ACK_POLLS && count_pending(i % ACK_REMIND == 0); ++i) {
        if (mpm->restart_pending || mpm->shutdown_pending) {
            break;
        }
        apr_sleep(ACK_POLL);
    }
}

static void want_version(int slot)
{
    apr_atomic_inc32(&get_slot(slot)->want);
}

static void write_state(void)
{
    const snapshot_t *snapshot = &rt->snapshot;
    reconfigure_state_t *state = &rt->state;
    int i;

    if (rt->state_fd < 0) {
        return;
    }
    state->threads_per_child = rt->threads_per_child;
    state->server_limit = rt->server_limit;
    state->children = ap_reconfigure_active_children();
    apr_cpystrn(state->file, conf.file, sizeof(state->file));
    state->accepted = snapshot->reconfigurations;
    state->pending = apr_atomic_read32(&rt->shared->pending);
    state->max_workers = snapshot->max_workers;
    state->keep_alive_timeout_ms = snapshot->keep_alive_timeout_ms;
    state->nvariables = conf.nvariables;
    for (i = 0; i < conf.nvariables; ++i) {
        apr_cpystrn(state->variables[i].name, conf.names[i],
                    sizeof(state->variables[i].name));
        state->variables[i].value = snapshot->variables[i];
    }
    reconfigure_state_write(rt->state_fd, state);
}

/*****************************************************************
 * The parent: quotas
 */

/* Connections that wait for a worker of this child */
static int get_waiting(int slot)
{
    apr_uint32_t n = apr_atomic_read32(&get_slot(slot)->waiting);

    return n < MAX_WAITING ? (int)n : MAX_WAITING;
}

static int get_slack(int slot)
{
    return rt->quotas[slot] - rt->needs[slot];
}

/* The active child with the most of quota beyond its need, that has more than
 * the one worker that each child keeps; -1 for none */
static int find_donor(void)
{
    int i, found = -1;

    for (i = 0; i < rt->server_limit; ++i) {
        if (rt->quotas[i] > 1
            && (found < 0 || get_slack(i) > get_slack(found))) {
            found = i;
        }
    }
    return found;
}

/* The active child with the least of it, that has more threads; -1 for none */
static int find_receiver(void)
{
    int i, found = -1;

    for (i = 0; i < rt->server_limit; ++i) {
        if (rt->quotas[i] >= 0 && rt->quotas[i] < rt->threads_per_child
            && (found < 0 || get_slack(i) < get_slack(found))) {
            found = i;
        }
    }
    return found;
}

static void read_quotas(int *active, int *sum)
{
    int i;

    *active = *sum = 0;
    for (i = 0; i < rt->server_limit; ++i) {
        rt->quotas[i] = -1;
        if (is_active(i)) {
            rt->quotas[i] = rt->published[i];
            rt->needs[i] = count_busy(i) + get_waiting(i);
            *sum += rt->quotas[i];
            ++*active;
        }
    }
}

/* Change as little as possible: take from children that need it least until
 * the sum is right, or give to those that need it most. */
static void fit_quotas(int active, int sum)
{
    int target = *rt->max_workers, i;

    if (target > active * rt->threads_per_child) {
        target = active * rt->threads_per_child;
    }
    while (sum > target && (i = find_donor()) >= 0) {
        --rt->quotas[i];
        --sum;
    }
    while (sum < target && (i = find_receiver()) >= 0) {
        ++rt->quotas[i];
        ++sum;
    }
}

/* Move what lies idle in one child to another one that lacks it. A child keeps
 * one idle worker, unless somebody waits for one in the other child: then that
 * one is lent, too. (Not if children have listening sockets of their own:
 * nobody else would accept what comes there.)
 *
 * But each child keeps one worker, idle or not. Without any it could neither
 * read the requests of its connections nor go on with its responses, and what
 * it has not read it can't report as waiting: nothing would tell that it needs
 * a worker, for as long as others can use all there are.
 */
static void move_quotas(void)
{
    int from, to;

    while ((to = find_receiver()) >= 0 && get_slack(to) <= 0) {
        int idle = (get_waiting(to) && rt->min_daemons <= 1) ? 0 : 1;

        from = find_donor();
        if (from < 0 || from == to || get_slack(from) <= idle) {
            break;
        }
        --rt->quotas[from];
        ++rt->quotas[to];
    }
}

/* Is the first child's need, for each of its workers, the greater one? */
static int is_greater(int need1, int quota1, int need2, int quota2)
{
    return (apr_int64_t)need1 * quota2 > (apr_int64_t)need2 * quota1;
}

/* When nothing lies idle, who waits in a child with few workers waits longer
 * than in one with many, and that would stay so for as long as all go on. So
 * workers go from the child where the need for each worker is least to the one
 * where somebody waits and it is greatest.
 *
 * A busy worker can be given only when it has finished, and lies idle until the
 * next balance gives it to the other child. Hence only an eighth of all moves
 * at a time, and nothing as long as the need that the giver is left with is two
 * thirds of the receiver's, or more: needs go up and down by themselves.
 */
#define EVEN_PART 8

static void even_quotas(void)
{
    int left = *rt->max_workers / EVEN_PART;

    do {
        const int *quotas = rt->quotas, *needs = rt->needs;
        int from = -1, to = -1, i;

        for (i = 0; i < rt->server_limit; ++i) {
            /* (children with listening sockets of their own keep what lies
             * idle, see above) */
            if (quotas[i] > 1 && (rt->min_daemons <= 1 || get_slack(i) <= 0)
                && (from < 0 || is_greater(needs[from], quotas[from] - 1,
                                           needs[i], quotas[i] - 1))) {
                from = i;
            }
            if (quotas[i] > 0 && quotas[i] < rt->threads_per_child
                && get_waiting(i)
                && (to < 0 || is_greater(needs[i], quotas[i],
                                         needs[to], quotas[to]))) {
                to = i;
            }
        }
        if (from < 0 || to < 0
            || !is_greater(2 * needs[to], quotas[to],
                           3 * needs[from], quotas[from] - 1)) {
            break;
        }
        --rt->quotas[from];
        ++rt->quotas[to];
    } while (--left > 0);
}

/* Workers that a child may have in use */
static int get_use(int slot, int quota)
{
    int busy = count_busy(slot);

    return busy > quota ? busy : quota;
}

static int lower_quotas(void)
{
    int i, n = 0;

    for (i = 0; i < rt->server_limit; ++i) {
        if (rt->quotas[i] >= 0 && rt->quotas[i] < rt->published[i]) {
            apr_atomic_set32(&get_slot(i)->owed, 0);
            set_quota(i, rt->quotas[i]);
            want_version(i);
            ++n;
        }
    }
    return n;
}

/* Raise as far as MaxRequestWorkers allows with what is in use; what is left
 * follows with the next balance. */
static void raise_quotas(void)
{
    int room = *rt->max_workers, i;

    for (i = 0; i < rt->server_limit; ++i) {
        if (rt->quotas[i] >= 0) {
            apr_uint32_t owed = apr_atomic_read32(&get_slot(i)->owed);

            room -= get_use(i, rt->published[i]
                               + (owed < MAX_WAITING ? (int)owed : 0));
            apr_atomic_set32(&get_slot(i)->owed, 0);
        }
    }
    for (i = 0; i < rt->server_limit; ++i) {
        int quota = rt->published[i], cost;

        if (rt->quotas[i] <= quota) {
            continue;
        }
        cost = get_use(i, rt->quotas[i]) - get_use(i, quota);
        if (cost > room) {
            cost = room > 0 ? room : 0;
        }
        quota = get_use(i, quota) + cost;
        if (quota > rt->quotas[i]) {
            quota = rt->quotas[i];
        }
        if (quota > rt->published[i]) {
            room -= cost;
            set_quota(i, quota);
            want_version(i);
        }
    }
}

/* First those that have to do with less, then, when they have acknowledged,
 * those that get more, so that the sum is never exceeded. */
static void apply_quotas(void)
{
    if (lower_quotas()) {
        wait_for_children();
    }
    raise_quotas();
}

AP_DECLARE(void) ap_reconfigure_balance(server_rec *s)
{
    int active, sum;

    if (!rt || !ap_reconfigure_enabled()) {
        return;
    }
    read_quotas(&active, &sum);
    if (sum == active * rt->threads_per_child && sum <= *rt->max_workers) {
        return; /* nothing is withheld */
    }
    fit_quotas(active, sum);
    move_quotas();
    even_quotas();
    apply_quotas();
    if (count_pending(1) != (int)rt->state.pending) {
        write_state();
    }
}

AP_DECLARE(void) ap_reconfigure_child_forking(int slot)
{
    int quota, active, sum, i;

    if (!rt) {
        return;
    }
    read_quotas(&active, &sum);
    sum = 0;
    for (i = 0; i < rt->server_limit; ++i) {
        if (i != slot && rt->quotas[i] >= 0) {
            sum += get_use(i, rt->quotas[i]);
        }
    }
    quota = *rt->max_workers - sum;
    if (quota > rt->threads_per_child || !ap_reconfigure_enabled()) {
        quota = rt->threads_per_child;
    }
    if (quota < 1) {
        quota = 1; /* the next balance takes it from another */
    }
    set_quota(slot, quota);
    apr_atomic_set32(&get_slot(slot)->waiting, 0);
    apr_atomic_set32(&get_slot(slot)->owed, 0);
    /* It begins with what is there, which it need not acknowledge */
    apr_atomic_set32(&get_slot(slot)->ack,
                     apr_atomic_read32(&get_slot(slot)->want));
}

/*****************************************************************
 * The parent: a reconfiguration
 */

static void set_keep_alive_timeout(apr_uint32_t ms)
{
    server_rec *s;

    /* Those that set their own keep it */
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

static void apply_values(apr_pool_t *p, server_rec *s,
                         const reconfigure_values_t *values)
{
    const char *message = "";
    snapshot_t old, new;
    int i, workers_change, timeout_change, changes = 0;

    new = old = rt->snapshot;
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
    for (i = 0; i < conf.nvariables; ++i) {
        if (values->variables[i] >= 0) {
            conf.values[i] = new.variables[i] = values->variables[i];
            changes += note_change(p, &message, conf.names[i],
                                   old.variables[i], new.variables[i], "");
        }
    }
    changes += workers_change + timeout_change;
    new.changes += changes ? 1 : 0;
    ++new.reconfigurations;
    write_snapshot(&new);
    conf.env = rt->snapshot.env;

    if (timeout_change) {
        set_keep_alive_timeout(new.keep_alive_timeout_ms);
        for (i = 0; i < rt->server_limit; ++i) {
            want_version(i);
        }
    }
    if (workers_change) {
        int active, sum;

        *rt->max_workers = new.max_workers;
        *rt->daemons_limit = (new.max_workers + rt->threads_per_child - 1)
                             / rt->threads_per_child;
        if (*rt->daemons_limit < rt->min_daemons) {
            *rt->daemons_limit = rt->min_daemons;
        }
        read_quotas(&active, &sum);
        fit_quotas(active, sum);
        apply_quotas();
    }
    if (workers_change || timeout_change) {
        wait_for_children();
    }
    else {
        count_pending(1); /* what requests read themselves is live already */
    }
    ap_log_error(APLOG_MARK, changes ? APLOG_NOTICE : APLOG_INFO, 0, s,
                 APLOGNO(12002) "reconfigured: %s",
                 changes ? message : "no value has changed");
}

static void reconfigure(server_rec *s)
{
    reconfigure_limits_t limits;
    reconfigure_values_t values;
    const char *text, *err;
    apr_size_t size;
    apr_pool_t *p;

    apr_pool_create(&p, s->process->pool);
    apr_pool_tag(p, "reconfigure");
    set_limits(&limits);
    limits.threads_per_child = rt->threads_per_child;
    limits.server_limit = rt->server_limit;
    limits.children = ap_reconfigure_active_children();
    err = conf.file ? reconfigure_read(p, conf.file, geteuid(), &text, &size)
                    : "there is no ReconfigureFile in the configuration";
    if (!err) {
        err = reconfigure_parse(p, conf.file, text, size, &limits, &values);
    }
    if (err) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, s, APLOGNO(12003)
                     "reconfiguration refused: %s; nothing was changed", err);
    }
    else {
        apply_values(p, s, &values);
    }
    rt->state.refused = (err != NULL);
    apr_cpystrn(rt->state.message, err ? err : "", sizeof(rt->state.message));
    ++rt->state.handled;
    write_state();
    apr_pool_destroy(p);
}

AP_DECLARE(int) ap_reconfigure_poll(server_rec *s)
{
    if (!signalled) {
        /* The command has to know the number of children */
        if (rt && (apr_atomic_read32(&rt->shared->pending)
                   || (rt->state_fd >= 0 && rt->state.children
                                        != ap_reconfigure_active_children()))) {
            count_pending(1);
            write_state();
        }
        return 0;
    }
    signalled = 0;
    if (rt) {
        reconfigure(s);
    }
    return 1;
}

/*****************************************************************
 * The parent: start and stop
 */

static apr_status_t create_runtime(server_rec *s,
                                   const ap_reconfigure_mpm_t *mpm)
{
    static const char key[] = "ap_reconfigure_runtime";
    runtime_t *r = ap_retained_data_get(key);
    apr_pool_t *p = s->process->pool;
    apr_size_t size;
    apr_status_t rv;
    apr_shm_t *shm;

    if (r) { /* ServerLimit can't change over restarts */
        rt = r;
        return APR_SUCCESS;
    }
    size = sizeof(shared_t) + (mpm->server_limit - 1) * sizeof(slot_t);
    if ((rv = apr_shm_create(&shm, size, NULL, p)) != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, APLOGNO(12004)
                     "no shared memory, the server can't be reconfigured "
                     "online");
        return rv;
    }
    r = ap_retained_data_create(key, sizeof(*r));
    r->shared = apr_shm_baseaddr_get(shm);
    memset(r->shared, 0, size);
    r->server_limit = mpm->server_limit;
    r->published = apr_pcalloc(p, mpm->server_limit * sizeof(int));
    r->quotas = apr_pcalloc(p, mpm->server_limit * sizeof(int));
    r->needs = apr_pcalloc(p, mpm->server_limit * sizeof(int));
    r->state_fd = -1;
    rt = r;
    return APR_SUCCESS;
}

static void open_state(server_rec *s)
{
    apr_pool_t *p = s->process->pconf;
    const char *name = reconfigure_state_name(p), *err;

    if (rt->state_fd >= 0 && !strcmp(name, rt->state_name)
        && reconfigure_state_is_named(rt->state_fd, name)) {
        return;
    }
    ap_reconfigure_stop(); /* the PidFile may have got another name */
    err = reconfigure_state_create(p, name, &rt->state_fd);
    if (err) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s, APLOGNO(12005)
                     "%s; httpd -k reconfigure will not find this server",
                     err);
        return;
    }
    rt->state_name = apr_pstrdup(s->process->pool, name);
}

AP_DECLARE(apr_status_t) ap_reconfigure_start(server_rec *s,
                                              const ap_reconfigure_mpm_t *mpm)
{
    snapshot_t snapshot;
    apr_status_t rv = create_runtime(s, mpm);
    apr_uint32_t now = (apr_uint32_t)apr_time_sec(apr_time_now());
    int i;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rt->threads_per_child = mpm->threads_per_child;
    rt->max_workers = mpm->max_workers;
    rt->daemons_limit = mpm->daemons_limit;
    rt->min_daemons = mpm->min_daemons;

    snapshot = rt->snapshot;
    snapshot.max_workers = *mpm->max_workers;
    snapshot.keep_alive_timeout_ms = (apr_uint32_t)
        apr_time_as_msec(s->keep_alive_timeout);
    conf.keep_alive_timeout_ms = snapshot.keep_alive_timeout_ms;
    snapshot.names_id = conf.names_id;
    for (i = 0; i < conf.nvariables; ++i) {
        snapshot.variables[i] = conf.values[i];
    }
    /* Not to come back in another life of the server: what was cached on disk
     * then is not found */
    snapshot.start = snapshot.start < now ? now : snapshot.start + 1;
    snapshot.changes = 0;
    write_snapshot(&snapshot);

    for (i = 0; i < rt->server_limit; ++i) {
        set_quota(i, rt->threads_per_child);
    }
    apr_atomic_set32(&rt->shared->pending, 0);
    ap_reconfigure_catch_signal();
    if (conf.file) {
        rt->state.pid = getpid();
        open_state(s);
        write_state();
    }
    else {
        ap_reconfigure_stop();
    }
    return APR_SUCCESS;
}

AP_DECLARE(void) ap_reconfigure_stop(void)
{
    if (rt && rt->state_fd >= 0) {
        reconfigure_state_remove(rt->state_fd, rt->state_name);
        rt->state_fd = -1;
    }
}

/*****************************************************************
 * Children
 */

static struct {
    int slot;
    const ap_reconfigure_child_t *mpm;
    int quota;
    apr_uint32_t keep_alive_timeout_ms;
} self;

static void apply_version(apr_uint32_t want)
{
    slot_t *slot = get_slot(self.slot);
    int quota = get_quota(self.slot);
    snapshot_t snapshot;

    read_snapshot(&snapshot);
    if (quota != self.quota) {
        apr_atomic_set32(&slot->owed, self.mpm->set_quota(quota));
        self.quota = quota;
    }
    if (snapshot.keep_alive_timeout_ms != self.keep_alive_timeout_ms) {
        self.keep_alive_timeout_ms = snapshot.keep_alive_timeout_ms;
        set_keep_alive_timeout(self.keep_alive_timeout_ms);
        if (self.mpm->set_keep_alive_timeout) {
            self.mpm->set_keep_alive_timeout(
                apr_time_from_msec(self.keep_alive_timeout_ms));
        }
    }
    apr_atomic_set32(&slot->ack, want);
}

AP_DECLARE(int) ap_reconfigure_child_start(int slot,
                                           const ap_reconfigure_child_t *child)
{
    if (!rt) {
        return 0;
    }
    /* A command believes what this file says; the parent's lock on it stays */
    if (rt->state_fd >= 0) {
        close(rt->state_fd);
        rt->state_fd = -1;
    }
    self.slot = slot;
    self.mpm = child;
    self.quota = rt->threads_per_child;
    self.keep_alive_timeout_ms = conf.keep_alive_timeout_ms;
    apply_version(apr_atomic_read32(&get_slot(slot)->want));
    return self.quota;
}

AP_DECLARE(void) ap_reconfigure_child_apply(void)
{
    apr_uint32_t want;

    if (!rt || !self.mpm) {
        return;
    }
    want = apr_atomic_read32(&get_slot(self.slot)->want);
    if (want != apr_atomic_read32(&get_slot(self.slot)->ack)) {
        apply_version(want);
    }
}

AP_DECLARE(void) ap_reconfigure_child_waiting(int slot, apr_uint32_t waiting)
{
    if (rt) {
        apr_atomic_set32(&get_slot(slot)->waiting, waiting);
    }
}

#endif /* AP_HAVE_RECONFIGURE */
