/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The little that both tools share: a monotonic clock, a heap of timers, a growing byte buffer.
 * Single-threaded; nothing here is safe to share between threads.
 */
#ifndef TOOLS_LOOP_H
#define TOOLS_LOOP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* seconds, CLOCK_MONOTONIC: the same clock as Python's time.monotonic() */
static inline double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* A timer belongs to its owner's struct; `at` is its place in the heap or -1. */
typedef struct {
    double when;
    int at;
    void *owner;
} tick_t;

typedef struct {
    tick_t **heap;
    int count, size;
} ticks_t;

static inline void tick_place(ticks_t *t, int i, tick_t *tick)
{
    t->heap[i] = tick;
    tick->at = i;
}

static inline void tick_up(ticks_t *t, int i)
{
    tick_t *tick = t->heap[i];

    while (i > 0 && t->heap[(i - 1) / 2]->when > tick->when) {
        tick_place(t, i, t->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    tick_place(t, i, tick);
}

static inline void tick_down(ticks_t *t, int i)
{
    tick_t *tick = t->heap[i];

    for (;;) {
        int child = 2 * i + 1;

        if (child >= t->count)
            break;
        if (child + 1 < t->count && t->heap[child + 1]->when < t->heap[child]->when)
            child++;
        if (t->heap[child]->when >= tick->when)
            break;
        tick_place(t, i, t->heap[child]);
        i = child;
    }
    tick_place(t, i, tick);
}

static inline void tick_stop(ticks_t *t, tick_t *tick)
{
    int i = tick->at;
    tick_t *last;

    if (i < 0)
        return;
    tick->at = -1;
    last = t->heap[--t->count];
    if (last == tick)
        return;
    tick_place(t, i, last);
    tick_up(t, i);
    tick_down(t, last->at);
}

static inline void tick_start(ticks_t *t, tick_t *tick, double when)
{
    tick_stop(t, tick);
    tick->when = when;
    if (t->count == t->size) {
        t->size = t->size ? 2 * t->size : 64;
        t->heap = realloc(t->heap, t->size * sizeof(*t->heap));
        if (!t->heap)
            fail("realloc");
    }
    t->heap[t->count] = tick;
    t->count++;
    tick_up(t, t->count - 1);
}

/* milliseconds for epoll_wait until the first timer; at most `most` */
static inline int tick_wait_ms(const ticks_t *t, int most)
{
    double left;

    if (t->count == 0)
        return most;
    left = (t->heap[0]->when - now()) * 1000;
    if (left <= 0)
        return 0;
    return left + 1 > most ? most : (int)left + 1;
}

/* xorshift64*: the same seed gives the same load */
static inline double uniform(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (double)((x * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

#endif
