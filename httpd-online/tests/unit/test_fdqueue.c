/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of withholding workers. Linked with the patched server/mpm_fdqueue.c and APR only. */
#include "mpm_fdqueue.h"
#include "apr_general.h"
#include "apr_thread_proc.h"
#include <stdio.h>
#include <stdlib.h>

static fd_queue_info_t *info;
static apr_pool_t *pool;
static int failures;

static void check(const char *what, unsigned idlers, unsigned owed)
{
    if (ap_queue_info_num_idlers(info) != idlers || ap_queue_info_num_owed(info) != owed) {
        printf("FAILED: %s: %u idlers, %u owed; expected %u, %u\n", what, ap_queue_info_num_idlers(info),
               ap_queue_info_num_owed(info), idlers, owed);
        failures++;
    }
}

static void idle(int workers)
{
    while (workers--) {
        ap_queue_info_set_idle(info, NULL);
    }
}

static void by_example(void)
{
    idle(5);
    check("five workers are idle", 5, 0);
    ap_queue_info_withhold(info, 3);
    check("idle ones are withheld at once", 2, 0);
    ap_queue_info_withhold(info, 4);
    check("what no idle one can pay is owed", 0, 2);
    idle(1);
    check("who becomes idle pays", 0, 1);
    if (ap_queue_info_cancel_owed(info, 9) != 1 || ap_queue_info_cancel_owed(info, 9) != 0) {
        check("cancelled: no more than is owed", 0, 99);
    }
    check("nothing is owed", 0, 0);
    ap_queue_info_restore(info, 6);
    check("given back", 6, 0);
    if (ap_queue_info_pay_owed(info)) {
        check("paid what nobody owes", 6, 99);
    }
}

#define TURNS 20000

static void *APR_THREAD_FUNC worker(apr_thread_t *thread, void *data)
{
    int turn;

    for (turn = 0; turn < TURNS; ++turn) {
        if (ap_queue_info_try_get_idler(info) == APR_SUCCESS) {
            ap_queue_info_set_idle(info, NULL);
        }
    }
    return NULL;
}

/* Workers go to and fro while others are withheld and given back: none is lost, none is counted twice */
static void in_parallel(void)
{
    apr_thread_t *threads[3];
    apr_status_t rv;
    int i;

    for (i = 0; i < 3; ++i) {
        apr_thread_create(&threads[i], NULL, worker, NULL, pool);
    }
    for (i = 0; i < TURNS; ++i) {
        unsigned n = 1 + rand() % 6, cancelled;

        ap_queue_info_withhold(info, n);
        cancelled = ap_queue_info_cancel_owed(info, n);
        ap_queue_info_restore(info, n - cancelled);
    }
    for (i = 0; i < 3; ++i) {
        apr_thread_join(&rv, threads[i]);
    }
    check("after all", 6, 0);
}

int main(void)
{
    apr_initialize();
    apr_pool_create(&pool, NULL);
    ap_queue_info_create(&info, pool, 8, -1);
    by_example();
    in_parallel();
    apr_pool_destroy(pool);
    return failures != 0;
}
