/* SPDX-License-Identifier: Apache-2.0 */
#include "gradient.h"

#include <string.h>

#define LEAST 20.0
#define MOST 200.0
#define QUEUE 4.0
#define SMOOTHING 0.2
#define LONG_WINDOWS 600
#define FIRST_WINDOWS 10
#define LEAST_SAMPLES 10
#define WINDOW 1.0          /* seconds */
#define TOO_SHORT 0.0001    /* seconds: says nothing of the load */
#define FORGETS 0.9         /* of a long mean that is far above what is now */
#define FAR 2.0
#define FORGOTTEN 10.0      /* seconds without a request: the limit begins again */

void gradient_init(gradient *g)
{
    memset(g, 0, sizeof *g);
    g->limit = LEAST;
}

static double add_to_usual(gradient *g, double now)
{
    if (g->first_count < FIRST_WINDOWS) {
        g->first_sum += now;
        g->usual = g->first_sum / ++g->first_count;
    }
    else {
        double share = 2.0 / (LONG_WINDOWS + 1);
        g->usual = g->usual * (1 - share) + now * share;
    }
    return g->usual;
}

static double between(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

static void update(gradient *g, double now, unsigned most)
{
    double usual = add_to_usual(g, now);

    if (usual / now > FAR) {
        g->usual *= FORGETS;
    }
    if (most < g->limit / 2) {
        return;             /* fewer requests than the limit: this says nothing of the limit */
    }
    g->limit = between(LEAST, g->limit * (1 - SMOOTHING) + (g->limit * between(0.5, usual / now, 1.0) + QUEUE) * SMOOTHING, MOST);
}

void gradient_add(gradient *g, double now, double took, unsigned at_a_time)
{
    if (took < TOO_SHORT) {
        return;
    }
    if (g->window_end > 0 && now > g->window_end + FORGOTTEN) {
        gradient_init(g);
    }
    g->window_sum += took;
    g->window_count++;
    if (at_a_time > g->window_most) {
        g->window_most = at_a_time;
    }
    if (now <= g->window_end) {
        return;
    }
    if (g->window_count >= LEAST_SAMPLES) {
        update(g, g->window_sum / g->window_count, g->window_most);
    }
    g->window_end = now + WINDOW;
    g->window_sum = 0;
    g->window_count = g->window_most = 0;
}

unsigned gradient_limit(const gradient *g)
{
    return (unsigned)g->limit;
}
