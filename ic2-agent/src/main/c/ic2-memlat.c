/* SPDX-License-Identifier: Apache-2.0
 *
 * ic2-memlat: how long a dependent load takes here and now.
 *
 * Walks a random cycle through a buffer once, so that the buffer is in the cache if the cache can hold it, and then
 * times the next loads. A neighbour that thrashes the shared cache turns these hits into memory accesses, and the
 * figure multiplies. Without the first walk nothing would show: while a probe sleeps, whoever else works on the
 * machine evicts its buffer, neighbour or not. Prints the median nanoseconds per load, each INTERVAL_MS or as seldom
 * as DUTY_PER_MILLE of one CPU demands: a walk of 4 MiB takes about 10 ms, so 1 per mille allows one in 10 s.
 *
 * usage: ic2-memlat [SIZE_KIB [INTERVAL_MS [DUTY_PER_MILLE]]]      defaults: 4096 1000 1
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define LINE_BYTES 64
#define HUGE_PAGE_BYTES (2ul * 1024 * 1024)
#define LOADS_PER_CHUNK 64
#define CHUNKS 128

struct node {
    struct node *next;
    char padding[LINE_BYTES - sizeof(struct node *)];
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
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
    size_t bytes = (count * sizeof(struct node) + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    struct node *nodes = aligned_alloc(HUGE_PAGE_BYTES, bytes);
    size_t *order = malloc(count * sizeof(*order));
    uint64_t state = 88172645463325252ull;

    if (nodes == NULL || order == NULL) {
        fprintf(stderr, "ic2-memlat: no memory for %zu lines\n", count);
        exit(1);
    }
    /* Misses of the address translation would hide those of the cache; where it is refused, it must do without. */
    (void) madvise(nodes, bytes, MADV_HUGEPAGE);
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

static int compare(const void *a, const void *b)
{
    double left = *(const double *) a, right = *(const double *) b;
    return (left > right) - (left < right);
}

/* Walks the cycle once and returns the median nanoseconds per load of what follows. */
static double measure(struct node *volatile *position, size_t count)
{
    struct node *node = *position;
    double chunks[CHUNKS];
    int64_t start, end;

    for (size_t i = 0; i < count; i++)
        node = node->next;
    *position = node; /* or the compiler would leave the walk out */
    start = now_ns(CLOCK_MONOTONIC);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        for (int i = 0; i < LOADS_PER_CHUNK; i++)
            node = node->next;
        *position = node;
        end = now_ns(CLOCK_MONOTONIC);
        chunks[chunk] = (double) (end - start) / LOADS_PER_CHUNK;
        start = end;
    }
    qsort(chunks, CHUNKS, sizeof(chunks[0]), compare);
    return (chunks[CHUNKS / 2 - 1] + chunks[CHUNKS / 2]) / 2;
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
    long kib = argument(argc, argv, 1, 4096, 64, 1048576, "SIZE_KIB");
    long interval_ms = argument(argc, argv, 2, 1000, 100, 60000, "INTERVAL_MS");
    long duty = argument(argc, argv, 3, 1, 1, 100, "DUTY_PER_MILLE");
    size_t count = (size_t) kib * 1024 / LINE_BYTES;
    struct node *volatile position = make_cycle(count);

    for (;;) {
        int64_t used = now_ns(CLOCK_THREAD_CPUTIME_ID);
        double nanos = measure(&position, count);
        int64_t pause;

        used = now_ns(CLOCK_THREAD_CPUTIME_ID) - used;
        if (printf("%.1f\n", nanos) < 0 || fflush(stdout) != 0)
            return 1; /* whoever read us is gone */
        pause = used * (1000 - duty) / duty;
        if (pause < interval_ms * 1000000 - used)
            pause = interval_ms * 1000000 - used;
        struct timespec rest = { pause / 1000000000, pause % 1000000000 };
        nanosleep(&rest, NULL);
    }
}
