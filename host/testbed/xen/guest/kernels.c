/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels KERNEL THREADS UNITS PHASES RUNS [told]: what the kernels of the NAS benchmarks are to a scheduler. Each of THREADS threads,
 * one for each CPU, computes PHASES phases of UNITS thousand additions in the mean, and waits between them for those that the
 * kernel names, as the simulator of ic2-host-lab has them (org.ic2.host.lab.sim.Exchange): for nobody (ep), for all (spin, block), or for
 * some (cg, lu, sp, bt, mg, ft). It waits turning; asleep in block, and in a kernel whose name ends with -block.
 * A line a run (RES), one at the end (SUM: mean, sample deviation, deviation / mean); then it keeps one CPU busy, so that
 * another guest's last run does not find an empty machine. With the word told it says READY, keeps a CPU busy until a line comes to its
 * standard input, and ends after SUM, so that kernels one after another begin together in two guests.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64, BETWEEN_LOOKS = 500, PLANES = 62, DIRECTIONS = 3, PIECES = 16, GRIDS = 7, PRODUCTS = 5 };

static const double FT_PIECE = 0.001;
static const double CG_WORK[PRODUCTS] = {1, 0.02, 0.02, 0.02, 0.02};
static const double MG_WORK[GRIDS] = {1, 1 / 8., 1 / 64., 1 / 512., 1 / 64., 1 / 8., 1};

static int threads, side, bits, phases, asleep;
static double units;
/* Phases that each thread has ended in this run. */
static atomic_int ended[MOST_THREADS];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void end_phase(int me)
{
    atomic_fetch_add(&ended[me], 1);
    if (asleep)
        syscall(SYS_futex, &ended[me], FUTEX_WAKE_PRIVATE, MOST_THREADS, NULL, NULL, 0);
}

static void add(long times)
{
    volatile unsigned long sink = 0;
    for (long i = 0; i < times; i++)
        sink += i;
}

/* Who turns looks now and then, as MPI does; at a pause an interpreted CPU makes way for the next one, which takes its time. */
static void await(int other, int phase)
{
    int seen;
    while ((seen = atomic_load(&ended[other])) < phase) {
        if (asleep) {
            syscall(SYS_futex, &ended[other], FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        } else {
            add(BETWEEN_LOOKS);
            __builtin_ia32_pause();
        }
    }
}

static void await_all(int me, int phase)
{
    for (int other = 0; other < threads; other++)
        if (other != me)
            await(other, phase);
}

/* Each of these waits for what a phase needs of the phases before. */

static void nobody(int me, int phase)
{
    (void)me;
    (void)phase;
}

static void pairs(int me, int phase)
{
    int stage = (phase - 1) % PRODUCTS;
    if (phase > 0)
        await(stage == 2 ? me % side * side + me / side : me ^ 1 << stage % 2 * (side >= 4), phase);
}

static void sweeps(int me, int phase)
{
    int direction = phase / side % (2 * DIRECTIONS);
    int by = direction % 2 == 0 ? side - 1 : 1;
    int row = direction / 2 != 0 ? (me / side + by) % side : me / side;
    int column = direction / 2 != 1 ? (me % side + by) % side : me % side;
    await(row * side + column, phase);
}

/* In the same plane: the neighbours must have ended this phase, not the one before. */
static void wavefront(int me, int phase)
{
    int by = phase / PLANES % 2 == 0 ? -1 : 1;
    int row = me / side + by, column = me % side + by;
    if (row >= 0 && row < side)
        await(row * side + me % side, phase + 1);
    if (column >= 0 && column < side)
        await(me / side * side + column, phase + 1);
}

static void neighbours(int me, int phase)
{
    int shift = 0, length = 1;
    for (int i = 0; i <= phase % DIRECTIONS; i++) {
        int wide = (bits + DIRECTIONS - 1 - i) / DIRECTIONS;
        shift += i < phase % DIRECTIONS ? wide : 0;
        length = 1 << wide;
    }
    int place = me >> shift & (length - 1), rest = me & ~((length - 1) << shift);
    await(rest | (place + 1) % length << shift, phase);
    await(rest | (place + length - 1) % length << shift, phase);
}

static void transposition(int me, int phase)
{
    int step = phase % (1 + (threads - 1) * PIECES);
    if (step > 0)
        await(me ^ (1 + (step - 1) / PIECES), phase);
}

/* How much of the mean work a phase has. */

static double even(int phase)
{
    (void)phase;
    return 1;
}

static double share(const double *works, int count, int which)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += works[i];
    return works[which] * count / sum;
}

static double of_product(int phase)
{
    return share(CG_WORK, PRODUCTS, phase % PRODUCTS);
}

static double of_grid(int phase)
{
    return share(MG_WORK, GRIDS, phase / DIRECTIONS % GRIDS);
}

static double of_piece(int phase)
{
    int round = 1 + (threads - 1) * PIECES;
    return (phase % round == 0 ? 1 : FT_PIECE) * round / (1 + FT_PIECE * (round - 1));
}

static const struct kernel {
    const char *name;
    void (*meet)(int me, int phase);
    double (*work)(int phase);
    /* How much a phase's work differs from what it should be, at most. */
    double spread;
} KERNELS[] = {{"ep", nobody, even, 0},
               {"spin", await_all, even, 0},
               {"block", await_all, even, 0},
               {"cg", pairs, of_product, 0.2},
               {"lu", wavefront, even, 0.2},
               {"sp", sweeps, even, 0.2},
               {"bt", sweeps, even, 0.2},
               {"mg", neighbours, of_grid, 0.2},
               {"ft", transposition, of_piece, 0.2}};

static const struct kernel *kernel;

static void *work(void *number)
{
    int me = (int)(long)number;
    unsigned drawn = me + 1;
    cpu_set_t mine;

    CPU_ZERO(&mine);
    CPU_SET(me % (int)sysconf(_SC_NPROCESSORS_ONLN), &mine);
    sched_setaffinity(0, sizeof mine, &mine);
    for (int phase = 0; phase < phases; phase++) {
        kernel->meet(me, phase);
        double by = 1 + kernel->spread * (2. * rand_r(&drawn) / RAND_MAX - 1);
        add(lround(1000 * units * kernel->work(phase) * by));
        end_phase(me);
    }
    if (kernel->meet != nobody)
        await_all(me, phases);
    return NULL;
}

static double run(void)
{
    pthread_t started[MOST_THREADS];
    double begin = now();
    for (int i = 0; i < threads; i++)
        atomic_store(&ended[i], 0);
    for (long i = 0; i < threads; i++)
        if (pthread_create(started + i, NULL, work, (void *)i) != 0)
            exit(1);
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    return now() - begin;
}

/* False if there is no such kernel, or not with so many threads: what names partners wants a square of a power of two. */
static int choose(const char *name)
{
    size_t length = strcspn(name, "-");
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (strlen(KERNELS[i].name) == length && strncmp(name, KERNELS[i].name, length) == 0)
            kernel = KERNELS + i;
    if (!kernel || threads < 1 || threads > MOST_THREADS || (name[length] && strcmp(name + length, "-block") != 0))
        return 0;
    asleep = name[length] || strcmp(name, "block") == 0;
    bits = ffs(threads) - 1;
    side = 1 << bits / 2;
    return kernel->meet == nobody || kernel->meet == await_all || (side > 1 && side * side == threads);
}

/* False when its standard input has ended. */
static int await_line(void)
{
    char line[64];
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};

    while (poll(&input, 1, 0) == 0)
        add(100000);
    return fgets(line, sizeof line, stdin) != NULL;
}

int main(int argc, char **argv)
{
    double sum = 0, squares = 0, mean, deviation;
    int told = argc == 7 && strcmp(argv[6], "told") == 0;
    int enough = argc == 6 || told;
    int runs = enough ? atoi(argv[5]) : 0;

    threads = enough ? atoi(argv[2]) : 0;
    if (runs < 2 || !choose(argv[1])) {
        fprintf(stderr, "usage: kernels ep|spin|block|KERNEL|KERNEL-block THREADS(1-%d) UNITS PHASES RUNS(2-) [told]; "
                "KERNEL, with 4, 16 or 64 threads: cg, lu, sp, bt, mg or ft\n", MOST_THREADS);
        return 2;
    }
    units = atof(argv[3]);
    phases = atoi(argv[4]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (told) {
        printf("READY %s\n", argv[1]);
        if (!await_line()) {
            fprintf(stderr, "kernels: %s was not told to begin: its standard input has ended\n", argv[1]);
            return 1;
        }
    }
    for (int i = 0; i < runs; i++) {
        double seconds = run();
        sum += seconds;
        squares += seconds * seconds;
        printf("RES %s rep %d %.6f s\n", argv[1], i, seconds);
    }
    mean = sum / runs;
    deviation = sqrt(fmax(0, (squares - runs * mean * mean) / (runs - 1)));
    printf("SUM %s mean %.3f sd %.3f cv %.3f\n", argv[1], mean, deviation, deviation / mean);
    while (!told)
        add(1000);
    return 0;
}
