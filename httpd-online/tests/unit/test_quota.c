/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of the arithmetic of quotas. Linked with server/reconfigure_quota.c only. Prints each failure. */
#include "quotas.h"

#define ROUNDS 20000

static void fit_by_example(void)
{
    /* lowered: who has most to spare gives */
    begin(12);
    child(0, 10, 8, 0);
    child(1, 10, 1, 0);
    reconfigure_quotas_fit(&quotas);
    check(slots[0].quota == 9 && slots[1].quota == 3, "the idle child gives first, then both in turn");

    /* nobody gives its last one */
    begin(3);
    child(0, 10, 10, 0);
    child(3, 1, 0, 0);
    child(5, 1, 0, 0);
    reconfigure_quotas_fit(&quotas);
    check(slots[0].quota == 1 && slots[3].quota == 1 && slots[5].quota == 1, "each keeps one");

    /* raised: who lacks most gets; somebody who waits counts as much as somebody who is busy */
    begin(13);
    child(0, 5, 2, 7);
    child(1, 5, 5, 0);
    reconfigure_quotas_fit(&quotas);
    check(slots[0].quota == 8 && slots[1].quota == 5, "who waits gets");

    /* more than there are threads */
    begin(70);
    child(2, 3, 0, 0);
    child(6, 4, 0, 0);
    reconfigure_quotas_fit(&quotas);
    check(slots[2].quota == 10 && slots[6].quota == 10, "no more than ThreadsPerChild");

    begin(20);
    reconfigure_quotas_fit(&quotas);
    check(sum() == 0, "no child at all");
}

static void fit_is_exact(void)
{
    reconfigure_share_t before[SLOTS];
    int round, total, active, target;

    for (round = 0; round < ROUNDS; ++round) {
        anything();
        memcpy(before, slots, sizeof(before));
        reconfigure_quotas_fit(&quotas);
        active = reconfigure_quotas_sum(&quotas, &total);
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
    check(reconfigure_quota_of_new(&quotas, 2) == 5, "what the others leave");
    check(reconfigure_quota_of_new(&quotas, 1) == 10, "the slot itself does not count");
    slots[1].quota = 2;
    slots[1].busy = 7;
    check(reconfigure_quota_of_new(&quotas, 2) == 8, "who is busy still counts");
    quotas.max_workers = 17;
    check(reconfigure_quota_of_new(&quotas, 2) == 1, "at least one");
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
    reconfigure_quotas_cut_raises(&quotas);
    check(slots[0].quota == 2 && slots[1].quota == 6, "what is in use is not given away yet");
    slots[0].busy = 2;
    slots[1].published = slots[1].quota;
    slots[1].quota = 10;
    reconfigure_quotas_cut_raises(&quotas);
    check(slots[1].quota == 10, "then it is");

    /* what a child says to owe counts, though the scoreboard shows nobody busy */
    begin(12);
    child(0, 2, 2, 0);
    child(1, 2, 2, 0);
    slots[0].owed = 5;
    slots[1].quota = 10;
    reconfigure_quotas_cut_raises(&quotas);
    check(slots[1].quota == 5, "what is owed is not given away");
}

static void raises_never_exceed(void)
{
    int round, i, before, after, lowered;

    for (round = 0; round < ROUNDS; ++round) {
        anything();
        reconfigure_quotas_fit(&quotas);
        for (i = 0; i < SLOTS; ++i) {      /* what was to be lowered has been published */
            if (slots[i].active && slots[i].quota < slots[i].published) {
                slots[i].published = slots[i].quota;
            }
        }
        for (before = lowered = i = 0; i < SLOTS; ++i) {
            before += slots[i].active ? in_use(&slots[i], slots[i].published + slots[i].owed) : 0;
        }
        reconfigure_quotas_cut_raises(&quotas);
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
    raises_by_example();
    raises_never_exceed();
    return failures != 0;
}
