/* SPDX-License-Identifier: Apache-2.0
 *
 * When the neighbour is on and when it is off. Two kinds: a fixed cycle ("240s on, 240s off") that
 * repeats, and a stochastic one ("on=exp:60s off=exp:120s") that draws each phase from a
 * distribution; the same seed gives the same phases. */
#ifndef IC2_SCHEDULE_H
#define IC2_SCHEDULE_H

#include <stdint.h>

#define SCHEDULE_MAX_PHASES 1024

struct phase {
    int on;           /* 1 = the program runs */
    int64_t duration; /* ns */
};

enum distribution { FIXED, EXPONENTIAL, UNIFORM };

struct law {
    int on;
    enum distribution distribution;
    int64_t a; /* FIXED: the value; EXPONENTIAL: the mean; UNIFORM: the lower bound, ns */
    int64_t b; /* UNIFORM: the upper bound, ns */
};

struct schedule {
    int stochastic;
    int count; /* phases of a fixed cycle, or 2 laws */
    int next;  /* index of the phase that schedule_next() gives */
    struct phase phases[SCHEDULE_MAX_PHASES];
    struct law laws[2];
    uint64_t random; /* generator state, starts as the seed */
};

/* Phases such as "60s off, 240s on"; ends the program with one line if text is not that. */
struct schedule schedule_fixed(const char *text);

/* "on=LAW off=LAW" in either order, the first one begins. LAW is exp:MEAN, uniform:LOW-HIGH or
 * fixed:TIME. Exponential draws are cut at five means, as the load driver's think times are. */
struct schedule schedule_stochastic(const char *text, uint64_t seed);

/* The next phase; never ends. */
struct phase schedule_next(struct schedule *s);

#endif
