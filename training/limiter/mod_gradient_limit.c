/* SPDX-License-Identifier: Apache-2.0
 * mod_gradient_limit: a gradient concurrency limiter, to compare IC2 with. For experiments, not for a server of yours.
 *
 * A request with the environment variable gradient-limit is counted from its fixups to its end. While more are inside than the
 * limit says, the next one is answered by 503. All processes share one limit. */
#include "httpd.h"
#include "http_config.h"
#include "http_log.h"
#include "http_request.h"
#include "apr_atomic.h"
#include "apr_shm.h"

#include "gradient.h"

#define SWITCH "gradient-limit"

typedef struct {
    apr_uint32_t inside;
    apr_uint32_t limit;
    apr_uint32_t busy;      /* a thread works on what follows */
    gradient gradient;
} shared_state;

typedef struct {
    apr_time_t came;
    apr_uint32_t at_a_time;
} episode;

static shared_state *state;

/* Does not wait: a sample that comes while another one is added is left out. */
static apr_status_t leave(void *data)
{
    const episode *one = data;
    apr_time_t now = apr_time_now();

    apr_atomic_dec32(&state->inside);
    if (apr_atomic_cas32(&state->busy, 1, 0) == 0) {
        gradient_add(&state->gradient, now / (double)APR_USEC_PER_SEC, (now - one->came) / (double)APR_USEC_PER_SEC, one->at_a_time);
        apr_atomic_set32(&state->limit, gradient_limit(&state->gradient));
        apr_atomic_set32(&state->busy, 0);
    }
    return APR_SUCCESS;
}

static int enter(request_rec *r)
{
    apr_uint32_t at_a_time;
    episode *one;

    if (!ap_is_initial_req(r) || !apr_table_get(r->subprocess_env, SWITCH)) {
        return DECLINED;
    }
    at_a_time = apr_atomic_inc32(&state->inside) + 1;
    if (at_a_time > apr_atomic_read32(&state->limit)) {
        apr_atomic_dec32(&state->inside);
        return HTTP_SERVICE_UNAVAILABLE;
    }
    one = apr_palloc(r->pool, sizeof *one);
    one->came = r->request_time;
    one->at_a_time = at_a_time;
    apr_pool_cleanup_register(r->pool, one, leave, apr_pool_cleanup_null);
    return DECLINED;
}

static int share(apr_pool_t *conf, apr_pool_t *log, apr_pool_t *temp, server_rec *s)
{
    apr_shm_t *memory;
    apr_status_t rv = apr_shm_create(&memory, sizeof *state, NULL, conf);

    (void)log;
    (void)temp;
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, rv, s, "mod_gradient_limit: no shared memory");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    state = apr_shm_baseaddr_get(memory);
    state->inside = state->busy = 0;
    gradient_init(&state->gradient);
    state->limit = gradient_limit(&state->gradient);
    return OK;
}

static void hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_post_config(share, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_fixups(enter, NULL, NULL, APR_HOOK_REALLY_FIRST);
}

AP_DECLARE_MODULE(gradient_limit) = {
    STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, hooks
};
