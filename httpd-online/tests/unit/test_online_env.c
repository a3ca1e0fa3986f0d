/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of what requests are given of shared memory that any child can write: mod_online_env.c with the few functions
 * of httpd that it calls. */
#include "mod_online_env.c"
#include "apr_general.h"
#include <stdio.h>

static ap_reconfigure_values_t declared;
static shared_t memory;
static int failures;

int ap_reconfigure_enabled(void)
{
    return 1;
}

const ap_reconfigure_values_t *ap_reconfigure_values(void)
{
    return &declared;
}

const char *ap_reconfigure_declare(cmd_parms *cmd, const char *name, const char *value)
{
    return NULL;
}

void ap_hook_check_config(ap_HOOK_check_config_t *hook, const char *const *before, const char *const *after, int order)
{
}

void ap_hook_post_read_request(ap_HOOK_post_read_request_t *hook, const char *const *before, const char *const *after, int order)
{
}

void ap_hook_reconfigure_publish(ap_HOOK_reconfigure_publish_t *hook, const char *const *before, const char *const *after,
                                 int order)
{
}

void *ap_retained_data_get(const char *key)
{
    return NULL;
}

void *ap_retained_data_create(const char *key, apr_size_t size)
{
    return NULL;
}

void ap_log_error_(const char *file, int line, int module_index, int level, apr_status_t status, const server_rec *s,
                   const char *format, ...)
{
}

static void check(request_rec *r, const char *name, const char *expected, apr_size_t most)
{
    const char *value = apr_table_get(r->subprocess_env, name);

    if (!value || (expected && strcmp(value, expected)) || strlen(value) > most) {
        printf("FAILED: %s is '%s'\n", name, value ? value : "(not set)");
        failures++;
    }
}

int main(void)
{
    request_rec r = { 0 };

    apr_initialize();
    apr_pool_create(&r.pool, NULL);
    declared.count = AP_RECONFIGURE_MAX_VARIABLES;
    for (int i = 0; i < declared.count; ++i) {
        declared.names[i] = apr_psprintf(r.pool, "V%d", i);
        declared.values[i] = AP_RECONFIGURE_MAX_VALUE - i;
    }
    declared.start = declared.changes = 4294967295u;
    declared.names_id = 0x78787878;
    online_env_check_config(NULL, NULL, NULL, NULL);
    shared = &memory;

    online_env_publish(NULL, &declared);
    r.subprocess_env = apr_table_make(r.pool, 20);
    online_env_post_read_request(&r);
    check(&r, "V0", "65535", 5);
    check(&r, "V15", "65520", 5);
    check(&r, AP_RECONFIGURE_GENERATION, "42949672954294967295", 20);

    /* a child that was taken over has written all over it */
    memset(memory.envs, 'x', sizeof(memory.envs));
    r.subprocess_env = apr_table_make(r.pool, 20);
    online_env_post_read_request(&r);
    check(&r, "V0", NULL, 7);
    check(&r, "V15", NULL, 7);
    check(&r, AP_RECONFIGURE_GENERATION, NULL, 23);
    apr_pool_destroy(r.pool);
    return failures != 0;
}
