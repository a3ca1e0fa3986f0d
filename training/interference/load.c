/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include "parse.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 256
#define MAX_ARRAYS 2
#define DUTY_PERIOD_NS 10000000 /* busy for duty % of each 10 ms */

struct options {
    size_t size;      /* bytes of one array */
    long threads;
    long duty;        /* per cent */
    int64_t duration; /* ns; 0 = until a signal comes */
};

struct worker {
    pthread_t thread;
    const struct kernel *kernel;
    const struct options *options;
    pthread_barrier_t *ready;
    atomic_int *stop;
    char *arrays[MAX_ARRAYS];
    uint64_t done;
    int64_t cpu_ns;
};

static void usage(const struct kernel *kernel)
{
    printf("usage: %s --size SIZE [--threads N] [--duty PERCENT] [--duration TIME]\n\n%s\n\n"
           "  --size SIZE      bytes of each array, with unit: 20MB, 32MiB, 1.5GB\n"
           "                   (%zu per thread); default: the last-level cache of this machine\n"
           "  --threads N      1 to %d threads, each with arrays of its own (default 1)\n"
           "  --duty PERCENT   share of each 10 ms that is spent working, 0 to 100 (default 100)\n"
           "  --duration TIME  stop after this wall-clock time: 500ms, 30s, 4m (default: at\n"
           "                   SIGTERM or SIGINT)\n\n"
           "On exit a JSON report goes to standard output. Exit status: 0 done, 1 failed, 2 usage.\n",
           program_name(), kernel->summary, kernel->arrays_per_thread, MAX_THREADS);
}

/* Size of the largest cache that the kernel lists for CPU 0, or 0. */
static size_t last_level_cache(void)
{
    size_t largest = 0;
    for (int index = 0; index < 8; index++) {
        char path[80];
        unsigned long kib;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *f = fopen(path, "r");
        if (!f)
            break;
        if (fscanf(f, "%luK", &kib) == 1 && (size_t)kib * 1024 > largest)
            largest = (size_t)kib * 1024;
        fclose(f);
    }
    return largest;
}

/* MemAvailable of /proc/meminfo in bytes. */
static size_t available_memory(void)
{
    char line[160];
    unsigned long kib = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lu kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    if (!kib)
        die(EXIT_FAILED, "/proc/meminfo: no MemAvailable line, cannot tell how much memory is free");
    return (size_t)kib * 1024;
}

static struct options read_options(int argc, char **argv, const struct kernel *kernel)
{
    static const struct option LONG[] = {
        {"size", required_argument, NULL, 's'},     {"threads", required_argument, NULL, 't'},
        {"duty", required_argument, NULL, 'd'},     {"duration", required_argument, NULL, 'T'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    struct options o = {.threads = 1, .duty = 100};
    int c;

    while ((c = getopt_long(argc, argv, "h", LONG, NULL)) != -1) {
        switch (c) {
        case 's': o.size = parse_size("--size", optarg); break;
        case 't': o.threads = parse_number("--threads", optarg, 1, MAX_THREADS); break;
        case 'd': o.duty = parse_number("--duty", optarg, 0, 100); break;
        case 'T': o.duration = parse_duration("--duration", optarg); break;
        case 'h': usage(kernel); exit(EXIT_DONE);
        default: exit(EXIT_USAGE); /* getopt has said what is wrong */
        }
    }
    if (optind < argc)
        die(EXIT_USAGE, "%s: unexpected argument; see --help", argv[optind]);
    if (!o.size && !(o.size = last_level_cache()))
        die(EXIT_USAGE, "this machine does not tell the size of its last-level cache; give --size");
    return o;
}

/* Refuses what would push the machine into reclaim or the OOM killer. */
static void check_memory(struct options *o, const struct kernel *kernel)
{
    size_t arrays = kernel->arrays_per_thread * (size_t)o->threads, total;
    size_t available = available_memory();

    o->size -= o->size % kernel->granule;
    if (!o->size)
        die(EXIT_USAGE, "--size: at least %zu bytes are needed", kernel->granule);
    if (__builtin_mul_overflow(arrays, o->size, &total) || total > available / 10 * 9)
        die(EXIT_USAGE, "--size: %zu arrays of %zu bytes are more than nine tenths of the %zu MB of "
                        "available memory", arrays, o->size, available / 1000000);
}

static char *allocate(size_t size)
{
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        die(EXIT_FAILED, "cannot allocate %zu bytes: %s", size, strerror(errno));
    return p;
}

/* Works one slice of a duty period; returns false when the stop flag was seen. */
static int work_until(struct worker *w, int64_t deadline, size_t *offset)
{
    do {
        size_t left = w->options->size - *offset;
        size_t length = left < LOAD_CHUNK ? left : LOAD_CHUNK;
        w->done += w->kernel->step(w->arrays, *offset, length);
        *offset = length == left ? 0 : *offset + length;
        if (atomic_load_explicit(w->stop, memory_order_relaxed))
            return 0;
    } while (w->options->duty == 100 || now_ns() < deadline);
    return 1;
}

static void sleep_until(int64_t deadline)
{
    struct timespec t = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int64_t thread_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    int64_t busy = DUTY_PERIOD_NS / 100 * w->options->duty;
    size_t offset = 0;

    for (size_t a = 0; a < w->kernel->arrays_per_thread; a++)
        memset(w->arrays[a], (int)(a + 1), w->options->size);
    pthread_barrier_wait(w->ready);
    int64_t cpu = thread_cpu_ns(); /* without the first touch */
    while (!atomic_load_explicit(w->stop, memory_order_relaxed)) {
        int64_t begin = now_ns();
        if (busy && !work_until(w, begin + busy, &offset))
            break;
        if (w->options->duty < 100)
            sleep_until(begin + DUTY_PERIOD_NS);
    }
    w->cpu_ns = thread_cpu_ns() - cpu;
    return NULL;
}

/* Tells the parent that all memory is touched. */
static void report_ready(void)
{
    const char *text = getenv("NEIGHBOUR_READY_FD");
    if (!text)
        return;
    int fd = (int)parse_number("NEIGHBOUR_READY_FD", text, 0, 1 << 20);
    if (write(fd, "r", 1) != 1)
        die(EXIT_FAILED, "NEIGHBOUR_READY_FD %d: %s", fd, strerror(errno));
    close(fd);
}

static void wait_for_end(const sigset_t *signals, int64_t duration)
{
    int64_t deadline = now_ns() + duration;
    for (;;) {
        int64_t left = deadline - now_ns();
        struct timespec t = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (duration && left <= 0)
            return;
        if (sigtimedwait(signals, NULL, duration ? &t : NULL) > 0)
            return;
    }
}

static void print_report(const struct options *o, const struct kernel *kernel,
                         const struct worker *workers, int64_t elapsed)
{
    const char *placement = getenv("NEIGHBOUR_PLACEMENT");
    uint64_t done = 0;
    double cpu = 0, wall = (double)elapsed / 1e9;

    for (long i = 0; i < o->threads; i++) {
        done += workers[i].done;
        cpu += (double)workers[i].cpu_ns / 1e9;
    }
    printf("{\"program\": ");
    print_json_string(program_name());
    printf(", \"placement\": ");
    print_json_string(placement ? placement : "unspecified");
    printf(", \"size_bytes\": %zu, \"threads\": %ld, \"duty_percent\": %ld, \"elapsed_s\": %.3f, "
           "\"cpu_s\": %.3f, \"%s\": %llu, \"%s\": %.0f, \"%s_of_cpu\": %.0f}\n",
           o->size, o->threads, o->duty, wall, cpu, kernel->unit, (unsigned long long)done,
           kernel->rate, wall > 0 ? (double)done / wall : 0, kernel->rate,
           cpu > 0 ? (double)done / cpu : 0);
}

int load_main(int argc, char **argv, const struct kernel *kernel)
{
    parse_program_name(argv[0]);
    struct options o = read_options(argc, argv, kernel);
    check_memory(&o, kernel);

    struct worker *workers = calloc((size_t)o.threads, sizeof *workers);
    pthread_barrier_t ready;
    atomic_int stop = 0;
    sigset_t signals;
    if (!workers || pthread_barrier_init(&ready, NULL, (unsigned)o.threads + 1))
        die(EXIT_FAILED, "out of memory");

    /* blocked before the first thread exists, so that only sigtimedwait() below takes them */
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    for (long i = 0; i < o.threads; i++) {
        struct worker *w = &workers[i];
        *w = (struct worker){.kernel = kernel, .options = &o, .ready = &ready, .stop = &stop};
        for (size_t a = 0; a < kernel->arrays_per_thread; a++)
            w->arrays[a] = allocate(o.size);
        if (pthread_create(&w->thread, NULL, work, w))
            die(EXIT_FAILED, "cannot start thread %ld of %ld: %s", i + 1, o.threads, strerror(errno));
    }
    pthread_barrier_wait(&ready);
    int64_t begin = now_ns();
    report_ready();
    wait_for_end(&signals, o.duration);
    atomic_store(&stop, 1);
    for (long i = 0; i < o.threads; i++)
        pthread_join(workers[i].thread, NULL);
    print_report(&o, kernel, workers, now_ns() - begin);
    return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}
