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
 * mod_online_env: environment variables that change while the server runs.
 *
 * ReconfigureVariable declares them, the core's online reconfiguration says
 * when they change.  The parent then writes them as text into shared memory,
 * from where each request reads them: any thread of any child, without
 * waiting.  Nobody else writes.
 */

#include "apr_shm.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "ap_reconfigure.h"
#include "httpd.h"
#include "http_config.h"
#include "http_core.h"
#include "http_log.h"
#include "http_protocol.h"
#include "http_request.h"
#include "reconfigure_shm.h"

module AP_MODULE_DECLARE_DATA online_env_module;

/* What requests are given, as text: written at a change and not for each
 * request */
typedef struct {
    apr_uint32_t names_id;  /* of whose values these are */
    char generation[24];    /* two numbers of 32 bits */
    char values[AP_RECONFIGURE_MAX_VARIABLES][8];
} env_t;

typedef struct {
    apr_uint32_t current;
    env_t envs[2];
} shared_t;

/* As configured, in the parent as running; a child has a copy */
static env_t env;
static shared_t *shared;    /* NULL if nothing can change */
static int is_used;         /* is there anything to give to requests? */

static const char *set_variable(cmd_parms *cmd, void *dummy, const char *name,
                                const char *value)
{
    return ap_reconfigure_declare(cmd, name, value);
}

static void format_env(const ap_reconfigure_values_t *values)
{
    int i;

    env.names_id = values->names_id;
    apr_snprintf(env.generation, sizeof(env.generation), "%u%06u",
                 values->start, values->changes);
    for (i = 0; i < values->count; ++i) {
        apr_snprintf(env.values[i], sizeof(env.values[i]), "%u",
                     values->values[i]);
    }
}

static int online_env_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                   apr_pool_t *ptemp, server_rec *s)
{
    is_used = ap_reconfigure_values()->count || ap_reconfigure_enabled();
    format_env(ap_reconfigure_values());
    return OK;
}

/* Once, by the parent; it is kept over restarts */
static void create_shared(server_rec *s)
{
    static const char key[] = "mod_online_env";
    shared_t **retained = ap_retained_data_get(key);
    apr_status_t rv;
    apr_shm_t *shm;

    if (retained) {
        shared = *retained;
        return;
    }
    rv = apr_shm_create(&shm, sizeof(*shared), NULL, s->process->pool);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, APLOGNO(12006)
                     "no shared memory, variables can't be changed online");
        return;
    }
    shared = apr_shm_baseaddr_get(shm);
    memset(shared, 0, sizeof(*shared));
    retained = ap_retained_data_create(key, sizeof(*retained));
    *retained = shared;
}

static void online_env_publish(server_rec *s,
                               const ap_reconfigure_values_t *values)
{
    if (!shared) {
        create_shared(s);
    }
    format_env(values);
    if (shared) {
        reconfigure_copies_write(&shared->current, shared->envs, sizeof(env),
                                 &env);
    }
}

/* False if the values are those of other names: there was a restart, and this
 * child is told to end */
static int read_env(env_t *copy)
{
    int i;

    reconfigure_copies_read(&shared->current, shared->envs, sizeof(*copy),
                            copy);
    /* The memory is this child's to write, too, and that of one that was taken
     * over by whom it serves: it may hold anything, but not beyond its end */
    copy->generation[sizeof(copy->generation) - 1] = '\0';
    for (i = 0; i < AP_RECONFIGURE_MAX_VARIABLES; ++i) {
        copy->values[i][sizeof(copy->values[i]) - 1] = '\0';
    }
    return copy->names_id == env.names_id;
}

static void copy_env(request_rec *r, const char *name)
{
    const char *value = apr_table_get(r->prev->subprocess_env, name);

    if (value) {
        apr_table_setn(r->subprocess_env, name, value);
    }
}

static int online_env_post_read_request(request_rec *r)
{
    const ap_reconfigure_values_t *declared = ap_reconfigure_values();
    env_t *copy;
    int i;

    if (!is_used) {
        return DECLINED;
    }
    if (r->prev && apr_table_get(r->prev->subprocess_env,
                                 AP_RECONFIGURE_GENERATION)) {
        /* Same request to the client, so the same values; its environment
         * has been renamed to REDIRECT_*. (There is none if it failed before
         * it came here, and this is an ErrorDocument.) */
        for (i = 0; i < declared->count; ++i) {
            copy_env(r, declared->names[i]);
        }
        copy_env(r, AP_RECONFIGURE_GENERATION);
        return DECLINED;
    }
    copy = apr_pmemdup(r->pool, &env, sizeof(*copy));
    if (shared && !read_env(copy)) {
        memcpy(copy->values, env.values, sizeof(copy->values));
    }
    for (i = 0; i < declared->count; ++i) {
        apr_table_setn(r->subprocess_env, declared->names[i],
                       copy->values[i]);
    }
    apr_table_setn(r->subprocess_env, AP_RECONFIGURE_GENERATION,
                   copy->generation);
    return DECLINED;
}

static const command_rec online_env_cmds[] = {
    AP_INIT_TAKE2("ReconfigureVariable", set_variable, NULL, RSRC_CONF,
      "The name and the value (0 to 65535) of an environment variable that can "
      "be changed online"),
    { NULL }
};

static void online_env_register_hooks(apr_pool_t *p)
{
    /* after the core has looked at the time */
    ap_hook_check_config(online_env_check_config, NULL, NULL, APR_HOOK_LAST);
    ap_hook_reconfigure_publish(online_env_publish, NULL, NULL,
                                APR_HOOK_MIDDLE);
    /* first, so that mod_setenvif in the same hook sees the variables */
    ap_hook_post_read_request(online_env_post_read_request, NULL, NULL,
                              APR_HOOK_REALLY_FIRST);
}

AP_DECLARE_MODULE(online_env) = {
    STANDARD20_MODULE_STUFF,
    NULL,                       /* create per-directory config */
    NULL,                       /* merge per-directory config */
    NULL,                       /* create per-server config */
    NULL,                       /* merge per-server config */
    online_env_cmds,            /* directives */
    online_env_register_hooks   /* hooks */
};
