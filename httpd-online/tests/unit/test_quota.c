/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of the arithmetic of quotas, with server/reconfigure_quota.c only. Prints each failure. */
#include "quotas.h"

#define ROUNDS 20000

static void fit_by_example(void)
{
    /* lowered: who has most to spare gives */
    begin(12);
    child(0, 10, 8, 0);
    child(1, 10, 1, 0);
    ap_reconfigure_quotas_fit(&quotas);
    check(slots[0].quota == 9 && slots[1].quota == 3, "the idle child gives first, then both in turn");

    /* nobody gives its last one */
    begin(3);
    child(0, 10, 10, 0);
    child(3, 1, 0, 0);
    child(5, 1, 0, 0);
    ap_reconfigure_quotas_fit(&quotas);
    check(slots[0].quota == 1 && slots[3].quota == 1 && slots[5].quota == 1, "each keeps one");

    /* raised: who lacks most gets; somebody who waits counts as much as somebody who is busy */
    begin(13);
    child(0, 5, 2, 7);
    child(1, 5, 5, 0);
    ap_reconfigure_quotas_fit(&quotas);
    check(slots[0].quota == 8 && slots[1].quota == 5, "who waits gets");

    /* more than there are threads */
    begin(70);
    child(2, 3, 0, 0);
    child(6, 4, 0, 0);
    ap_reconfigure_quotas_fit(&quotas);
    check(slots[2].quota == 10 && slots[6].quota == 10, "no more than ThreadsPerChild");

    begin(20);
    ap_reconfigure_quotas_fit(&quotas);
    check(sum() == 0, "no child at all");
}

static void fit_is_exact(void)
{
    reconfigure_share_t before[SLOTS];
    int round, total, active, target;

    for (round = 0; round < ROUNDS; ++round) {
        anything();
        memcpy(before, slots, sizeof(before));
        ap_reconfigure_quotas_fit(&quotas);
        active = ap_reconfigure_quotas_sum(&quotas, &total);
        target = quotas.max_workers < active * THREADS ? quotas.max_workers : active * THREADS;
        check(total == target, "the sum is MaxRequestWorkers, or all threads");
        check(all_in_bounds(before), "fit: bounds");
    }
}

static void new_children(void)
{
    begin(25);
    child(0, 10, 10, 0);
    child(1, 10, 3, 0);
    check(ap_reconfigure_quota_of_new(&quotas, 2) == 5, "what the others leave");
    check(ap_reconfigure_quota_of_new(&quotas, 1) == 10, "the slot itself does not count");
    slots[1].quota = 2;
    slots[1].busy = 7;
    check(ap_reconfigure_quota_of_new(&quotas, 2) == 8, "who is busy still counts");
    quotas.max_workers = 17;
    check(ap_reconfigure_quota_of_new(&quotas, 2) == 1, "at least one");
}

static int steps;

static int can_be_first(const reconfigure_quotas_t *q, const reconfigure_share_t *share)
{
    return share->active && share->waiting;
}

static int waits_more(const reconfigure_share_t *one, const reconfigure_share_t *other)
{
    ++steps;
    return one->waiting > other->waiting;
}

/* The first of the order is who would be found by looking at each slot, whatever changes */
static void order_is_right(void)
{
    order_t order;
    int round, turn, i, first;

    for (round = 0; round < ROUNDS / 20; ++round) {
        anything();
        order_begin(&order, &quotas, memory, can_be_first, waits_more);
        for (turn = 0; turn < 20; ++turn) {
            first = -1;
            for (i = 0; i < SLOTS; ++i) {
                if (can_be_first(&quotas, &slots[i]) && (first < 0 || slots[i].waiting > slots[first].waiting)) {
                    first = i;
                }
            }
            check(order_first(&order) == first, "the first of the order");
            i = rand() % SLOTS;
            slots[i].active = rand() % 4 != 0;
            slots[i].waiting = rand() % 5;
            order_changed(&order, i);
        }
    }
}

/* A change costs steps by the logarithm of the number of slots, two comparisons for each of at most two ways */
static void order_takes_few_steps(void)
{
    enum { MANY = 1 << 14, LOG = 14, CHANGES = 1000 };
    reconfigure_quotas_t all = { .nslots = MANY };
    order_t order;
    int turn, i, *room = calloc(2 * MANY, sizeof(*room));

    all.slots = calloc(MANY, sizeof(*all.slots));
    for (i = 0; i < MANY; ++i) {
        all.slots[i].active = 1;
        all.slots[i].waiting = 1 + rand() % 1000;
    }
    order_begin(&order, &all, room, can_be_first, waits_more);
    steps = 0;
    for (turn = 0; turn < CHANGES; ++turn) {
        i = order_first(&order);
        all.slots[i].waiting = 1 + rand() % 1000;
        order_changed(&order, i);
    }
    check(steps <= CHANGES * 4 * (LOG + 1), "few steps for a change");
    free(all.slots);
    free(room);
}

static int in_use(const reconfigure_share_t *s, int quota)
{
    return s->busy > quota ? s->busy : quota;
}

static void raises_by_example(void)
{
    /* 10 of 12 may be raised, and 4 are still busy beyond the quota of the one who gave */
    begin(12);
    child(0, 2, 6, 0);
    child(1, 2, 2, 0);
    slots[1].quota = 10;
    ap_reconfigure_quotas_cut_raises(&quotas);
    check(slots[0].quota == 2 && slots[1].quota == 6, "what is in use is not given away yet");
    slots[0].busy = 2;
    slots[1].published = slots[1].quota;
    slots[1].quota = 10;
    ap_reconfigure_quotas_cut_raises(&quotas);
    check(slots[1].quota == 10, "then it is");

    /* what a child says to owe counts, though the scoreboard shows nobody busy */
    begin(12);
    child(0, 2, 2, 0);
    child(1, 2, 2, 0);
    slots[0].owed = 5;
    slots[1].quota = 10;
    ap_reconfigure_quotas_cut_raises(&quotas);
    check(slots[1].quota == 5, "what is owed is not given away");

    /* nor what a child may use that has not acknowledged yet, idle or not */
    begin(12);
    child(0, 2, 0, 0);
    child(1, 2, 2, 0);
    slots[0].had = 8;
    slots[1].quota = 10;
    ap_reconfigure_quotas_cut_raises(&quotas);
    check(slots[1].quota == 4, "what may be used still is not given away");
}

static void raises_never_exceed(void)
{
    int round, i, before, after, lowered;

    for (round = 0; round < ROUNDS; ++round) {
        anything();
        ap_reconfigure_quotas_fit(&quotas);
        for (i = 0; i < SLOTS; ++i) {      /* what was to be lowered has been published */
            if (slots[i].active && slots[i].quota < slots[i].published) {
                slots[i].published = slots[i].quota;
            }
        }
        for (before = lowered = i = 0; i < SLOTS; ++i) {
            before += slots[i].active ? in_use(&slots[i], slots[i].published + slots[i].owed) : 0;
        }
        ap_reconfigure_quotas_cut_raises(&quotas);
        for (after = i = 0; i < SLOTS; ++i) {
            if (slots[i].active) {
                int owed = in_use(&slots[i], slots[i].published + slots[i].owed) - in_use(&slots[i], slots[i].published);

                lowered += slots[i].quota < slots[i].published;
                after += in_use(&slots[i], slots[i].quota) + owed;
            }
        }
        check(lowered == 0, "nothing is lowered here");
        check(after <= (before > quotas.max_workers ? before : quotas.max_workers), "no raise goes beyond MaxRequestWorkers");
    }
}

int main(void)
{
    srand(7);
    fit_by_example();
    fit_is_exact();
    new_children();
    order_is_right();
    order_takes_few_steps();
    raises_by_example();
    raises_never_exceed();
    return failures != 0;
}
