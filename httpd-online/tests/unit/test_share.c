/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of sharing out by load, with server/reconfigure_quota.c only. */
#include "quotas.h"

#define ROUNDS 20000

static void idle_ones_move(void)
{
    begin(12);
    child(0, 6, 1, 0);
    child(1, 6, 6, 0);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 5 && slots[1].quota == 7, "until the other has one idle, too");

    begin(12);
    child(0, 6, 0, 0);
    child(1, 6, 6, 9);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 2 && slots[1].quota == THREADS, "no more than the other has threads");

    begin(8);
    child(0, 4, 0, 0);
    child(1, 4, 4, 4);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 1 && slots[1].quota == 7, "where somebody waits the last idle one is lent, the last one not");

    begin(8);
    child(0, 4, 3, 0);
    child(1, 4, 4, 0);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 4 && slots[1].quota == 4, "the last idle one stays where nobody waits");

    begin(8);
    quotas.own_sockets = 1;
    child(0, 4, 3, 0);
    child(1, 4, 4, 4);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 4 && slots[1].quota == 4, "sockets of one's own need an idle one");
}

static void one_idle_worker_is_not_thrown_to_and_fro(void)
{
    begin(9);
    child(0, 5, 3, 1);
    child(1, 4, 3, 1);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 5 && slots[1].quota == 4, "both have somebody waiting and one has one idle: it stays");
}

static void busy_ones_even_out(void)
{
    /* 16 workers, an eighth of them a call: 2 */
    begin(16);
    child(0, 10, 10, 0);
    child(1, 6, 6, 30);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 8 && slots[1].quota == 8, "an eighth of all at a time");

    begin(16);
    child(0, 8, 8, 8);
    child(1, 8, 8, 12);
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota == 8 && slots[1].quota == 8, "nothing for a difference that comes and goes");

    begin(16);
    child(0, 8, 8, 8);
    child(1, 8, 8, 0);
    slots[1].busy = 8;
    ap_reconfigure_quotas_share(&quotas);
    check(slots[0].quota > 8, "who waits gets of who has nobody waiting");
}

static void sum_and_bounds_stay(void)
{
    reconfigure_share_t before[SLOTS];
    int round, total;

    for (round = 0; round < ROUNDS; ++round) {
        anything();
        ap_reconfigure_quotas_fit(&quotas);
        memcpy(before, slots, sizeof(before));
        total = sum();
        ap_reconfigure_quotas_share(&quotas);
        check(sum() == total, "the sum stays");
        check(all_in_bounds(before), "share: bounds");
    }
}

/* Called each second with a load that stays, it comes to rest, and where it rests nobody has idle ones to spare
 * while somebody waits. */
static void it_comes_to_rest(void)
{
    reconfigure_share_t before[SLOTS];
    order_t receivers;
    int round, turn, i, to, idle;

    for (round = 0; round < ROUNDS / 10; ++round) {
        anything();
        ap_reconfigure_quotas_fit(&quotas);
        for (turn = 0; turn < 50; ++turn) {
            memcpy(before, slots, sizeof(before));
            ap_reconfigure_quotas_share(&quotas);
            if (!memcmp(before, slots, sizeof(before))) {
                break;
            }
        }
        check(turn < 50, "it comes to rest");
        order_receivers(&receivers, &quotas);
        to = order_first(&receivers);
        for (idle = i = 0; i < SLOTS; ++i) {
            idle += slots[i].active && slots[i].quota > 1 && slack_of(&slots[i]) > 1;
        }
        check(to < 0 || slack_of(&slots[to]) > 0 || !idle, "nothing lies idle while somebody lacks it");
    }
}

/* As many children and threads as httpd allows are shared out in a moment: each worker that moves costs a few steps and
 * not a look at each child, which would be some 10^9 here. */
static void many_children(void)
{
    enum { CHILDREN = 20000, EACH = 16 };
    reconfigure_quotas_t all = { .threads_per_child = EACH, .nslots = CHILDREN, .max_workers = CHILDREN * EACH / 2 };
    int i, total, lacking = 0;

    all.slots = calloc(CHILDREN, sizeof(*all.slots));
    all.memory = calloc(4 * CHILDREN, sizeof(*all.memory));
    for (i = 0; i < CHILDREN; ++i) {
        all.slots[i].active = 1;
        all.slots[i].published = all.slots[i].quota = EACH;
        all.slots[i].busy = i % 2 ? EACH : 0;
    }
    ap_reconfigure_quotas_fit(&all);
    ap_reconfigure_quotas_sum(&all, &total);
    check(total == all.max_workers, "many: the sum is MaxRequestWorkers");
    for (i = 0; i < CHILDREN; ++i) {
        all.slots[i].quota = EACH / 2;
    }
    ap_reconfigure_quotas_share(&all);
    ap_reconfigure_quotas_sum(&all, &total);
    check(total == all.max_workers, "many: the sum stays");
    for (i = 1; i < CHILDREN; i += 2) {
        lacking += all.slots[i].quota < EACH - 1;
    }
    check(!lacking, "many: what lies idle went where it is lacked");
    free(all.slots);
    free(all.memory);
}

int main(void)
{
    srand(11);
    many_children();
    idle_ones_move();
    one_idle_worker_is_not_thrown_to_and_fro();
    busy_ones_even_out();
    sum_and_bounds_stay();
    it_comes_to_rest();
    return failures != 0;
}
