/* SPDX-License-Identifier: Apache-2.0
 * The limit of a gradient concurrency limiter, without clock, memory or threads of its own.
 *
 * After the rule that is known as gradient2 (Netflix' concurrency-limits, with its usual values): once a second the mean time that
 * requests took is put against a mean over ten minutes; where requests take longer than that, the limit falls by as much, at most by
 * half, and where they do not it may grow by 4; a fifth of the difference counts. Not below 20, not above 200. */
#ifndef GRADIENT_H
#define GRADIENT_H

typedef struct {
    double limit;           /* requests at a time */
    double usual;           /* seconds: the long mean */
    double first_sum;       /* of the first windows, which the long mean begins with */
    unsigned first_count;
    double window_end;      /* seconds; 0 before the first request */
    double window_sum;
    unsigned window_count;
    unsigned window_most;   /* requests at a time */
} gradient;

/* The state before anything was seen. */
void gradient_init(gradient *g);

/* A request that was let in ended at `now`, after `took` seconds; `at_a_time` were inside when it came, with it. */
void gradient_add(gradient *g, double now, double took, unsigned at_a_time);

/* How many may be inside now. */
unsigned gradient_limit(const gradient *g);

#endif
