/* SPDX-License-Identifier: Apache-2.0 */
/* What the unit tests of quotas have in common. */
#ifndef QUOTAS_H
#define QUOTAS_H

#include "reconfigure_quota.c"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 8
#define THREADS 10

static int failures;
static reconfigure_share_t slots[SLOTS];
static int memory[4 * SLOTS];
static reconfigure_quotas_t quotas = { .threads_per_child = THREADS, .nslots = SLOTS, .slots = slots, .memory = memory };

static void check(int ok, const char *what)
{
    int i;

    if (ok) {
        return;
    }
    printf("FAILED: %s (MaxRequestWorkers %d; quota<published busy+waiting owed:", what, quotas.max_workers);
    for (i = 0; i < SLOTS; ++i) {
        if (slots[i].active) {
            printf("  [%d] %d<%d %d+%d %d", i, slots[i].quota, slots[i].published, slots[i].busy, slots[i].waiting, slots[i].owed);
        }
    }
    printf(")\n");
    failures++;
}

static void begin(int max_workers)
{
    memset(slots, 0, sizeof(slots));
    quotas.max_workers = max_workers;
    quotas.own_sockets = 0;
}

/* A child with this quota, so many busy workers and so many waiting connections */
static void child(int slot, int quota, int busy, int waiting)
{
    slots[slot].active = 1;
    slots[slot].published = slots[slot].quota = quota;
    slots[slot].busy = busy;
    slots[slot].waiting = waiting;
}

static int sum(void)
{
    int total;

    ap_reconfigure_quotas_sum(&quotas, &total);
    return total;
}

/* Anything that may happen: some children, with any load */
static void anything(void)
{
    int i;

    begin(SLOTS + rand() % (SLOTS * THREADS - SLOTS + 1));
    quotas.own_sockets = rand() % 4 == 0;
    for (i = 0; i < SLOTS; ++i) {
        if (rand() % 3) {
            child(i, 1 + rand() % THREADS, rand() % (THREADS + 1), rand() % 2 ? 0 : rand() % 20);
            slots[i].owed = rand() % 3 ? 0 : rand() % THREADS;
        }
        else {
            slots[i].quota = slots[i].published = rand() % THREADS;  /* of who was there before */
        }
    }
}

/* Does each child have from 1 to ThreadsPerChild, and was nobody else touched? */
static int all_in_bounds(const reconfigure_share_t *before)
{
    int i;

    for (i = 0; i < SLOTS; ++i) {
        if (slots[i].active ? slots[i].quota < 1 || slots[i].quota > THREADS : slots[i].quota != before[i].quota) {
            return 0;
        }
    }
    return 1;
}

#endif
