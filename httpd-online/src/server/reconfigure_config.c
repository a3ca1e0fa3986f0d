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
 * Online reconfiguration: the configuration as read last.  In the parent the
 * values follow each reconfiguration, so that a child that is forked later
 * starts with the running ones.
 */

#include "apr_hash.h"
#include "apr_strings.h"
#define APR_WANT_STRFUNC
#define APR_WANT_MEMFUNC
#include "apr_want.h"

#include "ap_config.h"
#include "ap_config_layout.h"
#include "httpd.h"
#include "http_config.h"
#include "http_core.h"
#include "http_log.h"
#include "ap_mpm.h"
#include "mpm_reconfigure.h"
#include "reconfigure_config.h"

/* we know core's module_index is 0 */
#undef APLOG_MODULE_INDEX
#define APLOG_MODULE_INDEX AP_CORE_MODULE_INDEX

APR_HOOK_STRUCT(
    APR_HOOK_LINK(reconfigure_publish)
)
AP_IMPLEMENT_HOOK_VOID(reconfigure_publish,
                       (server_rec *s, const ap_reconfigure_values_t *values),
                       (s, values))

static const char *file;                /* ReconfigureFile, or NULL */
static ap_reconfigure_values_t values;
static const char *refusal;             /* why the server can't be reconfigured
                                         * as it was configured, or NULL */
static int able;                        /* AP_RECONFIGURE_BY_* */
static reconfigure_check_e how_to_check = RECONFIGURE_CHECK_START;

void ap_reconfigure_pre_config(void)
{
    file = NULL;
    refusal = NULL;
    memset(&values, 0, sizeof(values));
}

#ifdef AP_HAVE_RECONFIGURE
/* A restart loads the modules anew */
static apr_status_t forget_able(void *dummy)
{
    able = 0;
    return APR_SUCCESS;
}

AP_DECLARE(void) ap_reconfigure_announce(apr_pool_t *p, int part)
{
    able |= part;
    apr_pool_cleanup_register(p, NULL, forget_able, apr_pool_cleanup_null);
}
#endif

const char *ap_reconfigure_refusal(void)
{
    return refusal;
}

AP_DECLARE(int) ap_reconfigure_enabled(void)
{
    return file != NULL;
}

const char *ap_reconfigure_file_name(void)
{
    return file;
}

void ap_reconfigure_set_check(reconfigure_check_e how)
{
    how_to_check = how;
}

AP_DECLARE(const ap_reconfigure_values_t *) ap_reconfigure_values(void)
{
    return &values;
}

ap_reconfigure_values_t *ap_reconfigure_running_values(void)
{
    return &values;
}

const char *ap_reconfigure_set_file(cmd_parms *cmd, void *dummy,
                                    const char *arg)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);

    if (err) {
        return err;
    }
    file = ap_server_root_relative(cmd->pool, arg);
    return file ? NULL : apr_pstrcat(cmd->pool, "invalid path ", arg, NULL);
}

AP_DECLARE(const char *) ap_reconfigure_declare(cmd_parms *cmd,
                                                const char *name,
                                                const char *value)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    apr_ssize_t len = APR_HASH_KEY_STRING;
    int n, i;

    if (err) {
        return err;
    }
    if ((err = ap_reconfigure_check_variable(name))) {
        return apr_psprintf(cmd->pool, "the name of the variable '%s' %s",
                            name, err);
    }
    n = ap_reconfigure_parse_number(value, strlen(value),
                                    AP_RECONFIGURE_MAX_VALUE);
    if (n < 0) {
        return apr_psprintf(cmd->pool, "%s must be an integer from 0 to %d, "
                            "not '%s'", name, AP_RECONFIGURE_MAX_VALUE, value);
    }
    /* The file of tunables says again what httpd.conf has declared */
    for (i = 0; i < values.count; ++i) {
        if (!strcmp(values.names[i], name)) {
            values.values[i] = n;
            return NULL;
        }
        if (!strcasecmp(values.names[i], name)) {
            return apr_psprintf(cmd->pool, "the variables %s and %s would be "
                                "the same", values.names[i], name);
        }
    }
    if (values.count == AP_RECONFIGURE_MAX_VARIABLES) {
        return apr_psprintf(cmd->pool, "there can be at most %d variables",
                            AP_RECONFIGURE_MAX_VARIABLES);
    }
    values.names_id = values.names_id * 31 + apr_hashfunc_default(name, &len);
    values.names[values.count] = name;
    values.values[values.count++] = n;
    return NULL;
}

void ap_reconfigure_set_limits(reconfigure_limits_t *limits)
{
    memset(limits, 0, sizeof(*limits));
    limits->nvariables = values.count;
    memcpy(limits->names, values.names, sizeof(limits->names));
}

#ifdef AP_HAVE_RECONFIGURE
const char *ap_reconfigure_check_mpm(apr_pool_t *p)
{
    const char *mpm = ap_show_mpm();

    if (able & AP_RECONFIGURE_BY_MPM) {
        return NULL;
    }
    if (strcmp(mpm, "worker") && strcmp(mpm, "event")) {
        return apr_psprintf(p, "the MPM %s can't be reconfigured online, only "
                            "worker and event can", mpm);
    }
    return apr_psprintf(p, "the MPM %s that is loaded can't be reconfigured "
                        "online, that of this httpd is %s/mod_mpm_%s.so", mpm,
                        DEFAULT_EXP_LIBEXECDIR, mpm);
}

static const char *check_file(apr_pool_t *p, int *is_content)
{
    reconfigure_limits_t limits;
    reconfigure_values_t found;
    const char *text, *err;
    apr_size_t size;

    ap_reconfigure_set_limits(&limits);
    err = ap_reconfigure_read(p, file, geteuid(), &text, &size);
    if (!err) {
        err = ap_reconfigure_parse(p, file, text, size, &limits, &found);
        *is_content = (err != NULL);
    }
    return err;
}
#endif

#ifdef AP_HAVE_RECONFIGURE
static const char *find_refusal(apr_pool_t *pconf, int *is_content)
{
    const char *err = ap_reconfigure_check_mpm(pconf);

    if (!err && !file) {
        err = "there is no ReconfigureFile in the configuration";
    }
    return err ? err : check_file(pconf, is_content);
}

/* To the terminal when the configuration is read for the first time, or tested;
 * to the error log when that is open.  The server runs, as it is configured. */
static void report(int startup, server_rec *s)
{
    if (file && refusal) {
        ap_log_error(APLOG_MARK, APLOG_WARNING | startup, 0, s, APLOGNO(12001)
                     "ReconfigureFile: %s; the server can't be reconfigured "
                     "online until that is set right", refusal);
    }
    if (file && !(able & AP_RECONFIGURE_BY_STATUS)
        && ap_find_linked_module("mod_status.c")) {
        ap_log_error(APLOG_MARK, APLOG_WARNING | startup, 0, s, APLOGNO(12007)
                     "the mod_status that is loaded counts withheld workers "
                     "as idle, that of this httpd is %s/mod_status.so",
                     DEFAULT_EXP_LIBEXECDIR);
    }
}

static int is_startup(void)
{
    return ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG;
}

static int is_test(void)
{
    return how_to_check == RECONFIGURE_CHECK_RESTART
           || ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_CONFIG_TEST;
}
#endif

int ap_reconfigure_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                apr_pool_t *ptemp, server_rec *s)
{
    values.start = (apr_uint32_t)apr_time_sec(apr_time_now());
#ifdef AP_HAVE_RECONFIGURE
    if (how_to_check != RECONFIGURE_CHECK_NOT) {
        int is_content = 0;

        refusal = find_refusal(pconf, &is_content);
        if (is_startup() && is_content && is_test()) {
            ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_ERR, 0, NULL,
                         APLOGNO(12001) "ReconfigureFile: %s", refusal);
            return !OK;
        }
        if (is_startup()) {
            report(APLOG_STARTUP, NULL);
        }
    }
#endif
    return OK;
}

int ap_reconfigure_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                            apr_pool_t *ptemp, server_rec *s)
{
#ifdef AP_HAVE_RECONFIGURE
    if (!is_startup()) {
        report(0, s);
    }
#endif
    return OK;
}

#ifndef AP_HAVE_RECONFIGURE
AP_DECLARE(int) ap_reconfigure_withheld(int slot)
{
    return 0;
}

AP_DECLARE(int) ap_reconfigure_status(ap_reconfigure_status_t *status)
{
    return 0;
}
#endif
