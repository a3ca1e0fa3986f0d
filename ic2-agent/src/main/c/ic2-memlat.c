/* SPDX-License-Identifier: Apache-2.0
 *
 * ic2-memlat: how long a dependent load takes here and now.
 *
 * Walks a random cycle through a buffer, in short bursts spread over an interval, and prints the median burst's
 * nanoseconds per load once per interval. A neighbour that thrashes the shared cache turns cache hits into memory
 * accesses, and the figure multiplies. The bursts take at most DUTY of one CPU; with the defaults, 1 ms per second.
 *
 * usage: ic2-memlat [SIZE_KIB [INTERVAL_MS [DUTY_PER_MILLE]]]      defaults: 6144 1000 1
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_BYTES 64
#define BURSTS 10
#define LOADS_PER_CHECK 64

struct node {
    struct node *next;
    char padding[LINE_BYTES - sizeof(struct node *)];
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One cycle through all nodes in random order, so that no prefetcher can follow. */
static struct node *make_cycle(size_t count)
{
    struct node *nodes = aligned_alloc(LINE_BYTES, count * sizeof(*nodes));
    size_t *order = malloc(count * sizeof(*order));
    uint64_t state = 88172645463325252ull;

    if (nodes == NULL || order == NULL) {
        fprintf(stderr, "ic2-memlat: no memory for %zu lines\n", count);
        exit(1);
    }
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = random_next(&state) % (i + 1);
        size_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (size_t i = 0; i < count; i++)
        nodes[order[i]].next = &nodes[order[(i + 1) % count]];
    free(order);
    return nodes;
}

/* Chases for about budget_ns and returns nanoseconds per load. */
static double burst(struct node *volatile *position, int64_t budget_ns)
{
    struct node *node = *position;
    int64_t start = now_ns(), end;
    long loads = 0;

    do {
        for (int i = 0; i < LOADS_PER_CHECK; i++)
            node = node->next;
        loads += LOADS_PER_CHECK;
        end = now_ns();
    } while (end - start < budget_ns);
    *position = node;
    return (double) (end - start) / (double) loads;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *) a, right = *(const double *) b;
    return (left > right) - (left < right);
}

static long argument(int argc, char **argv, int index, long otherwise, long least, long most, const char *name)
{
    char *end;
    long value;

    if (argc <= index)
        return otherwise;
    value = strtol(argv[index], &end, 10);
    if (*argv[index] == '\0' || *end != '\0' || value < least || value > most) {
        fprintf(stderr, "ic2-memlat: %s: expected a number from %ld to %ld, got \"%s\"\n", name, least, most,
                argv[index]);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    long kib = argument(argc, argv, 1, 6144, 64, 1048576, "SIZE_KIB");
    long interval_ms = argument(argc, argv, 2, 1000, 100, 60000, "INTERVAL_MS");
    long duty = argument(argc, argv, 3, 1, 1, 100, "DUTY_PER_MILLE");
    int64_t step_ns = interval_ms * 1000000 / BURSTS;
    int64_t budget_ns = step_ns * duty / 1000;
    struct node *volatile position = make_cycle((size_t) kib * 1024 / LINE_BYTES);
    double results[BURSTS];

    for (;;) {
        for (int i = 0; i < BURSTS; i++) {
            struct timespec pause = { step_ns / 1000000000, step_ns % 1000000000 };
            nanosleep(&pause, NULL);
            results[i] = burst(&position, budget_ns);
        }
        qsort(results, BURSTS, sizeof(results[0]), compare);
        if (printf("%.1f\n", (results[BURSTS / 2 - 1] + results[BURSTS / 2]) / 2) < 0 || fflush(stdout) != 0)
            return 1; /* whoever read us is gone */
    }
}
