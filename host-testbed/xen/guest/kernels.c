/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels MODE THREADS UNITS PHASES RUNS: what the kernels of the NAS benchmarks are to a scheduler. THREADS threads
 * compute PHASES phases of UNITS units each; between phases they do not meet at all (ep), sleep at a barrier (block) or
 * turn at it (spin).
 * A line a run (RES), one at the end (SUM: mean, sample deviation, deviation / mean); then it keeps one CPU busy, so that
 * another guest's last run does not find an empty machine.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 64 };

static int threads, units, phases;
static char mode;
static pthread_barrier_t barrier;
static atomic_int arrived, generation;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void meet(void)
{
    if (mode == 'b') {
        pthread_barrier_wait(&barrier);
    } else if (mode == 's') {
        int mine = atomic_load(&generation);
        if (atomic_fetch_add(&arrived, 1) == threads - 1) {
            atomic_store(&arrived, 0);
            atomic_fetch_add(&generation, 1);
        } else {
            while (atomic_load(&generation) == mine)
                __builtin_ia32_pause();
        }
    }
}

static void *work(void *unused)
{
    volatile unsigned long sink = 0;
    (void)unused;
    for (int phase = 0; phase < phases; phase++) {
        for (int unit = 0; unit < units; unit++)
            for (int i = 0; i < 20000; i++)
                sink += i;
        meet();
    }
    return NULL;
}

static double run(void)
{
    pthread_t started[MOST_THREADS];
    double begin = now();
    for (int i = 0; i < threads; i++)
        if (pthread_create(started + i, NULL, work, NULL) != 0)
            exit(1);
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    return now() - begin;
}

int main(int argc, char **argv)
{
    double sum = 0, squares = 0, mean, deviation;
    int runs;

    if (argc != 6 || !strchr("ebs", argv[1][0]) || atoi(argv[2]) < 1 || atoi(argv[2]) > MOST_THREADS || atoi(argv[5]) < 2) {
        fprintf(stderr, "usage: kernels ep|block|spin THREADS(1-%d) UNITS PHASES RUNS(2-)\n", MOST_THREADS);
        return 2;
    }
    mode = argv[1][0];
    threads = atoi(argv[2]);
    units = atoi(argv[3]);
    phases = atoi(argv[4]);
    runs = atoi(argv[5]);
    pthread_barrier_init(&barrier, NULL, threads);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < runs; i++) {
        double seconds = run();
        sum += seconds;
        squares += seconds * seconds;
        printf("RES %s rep %d %.3f s\n", argv[1], i, seconds);
    }
    mean = sum / runs;
    deviation = sqrt(fmax(0, (squares - runs * mean * mean) / (runs - 1)));
    printf("SUM %s mean %.3f sd %.3f cv %.3f\n", argv[1], mean, deviation, deviation / mean);
    for (volatile unsigned long sink = 0;;)
        sink++;
}
