/* SPDX-License-Identifier: Apache-2.0
 *
 * ic2-counters: what the processor's counters say of one control group, on all CPUs.
 *
 * Counts for each CPU while a process of the group runs there (perf_event_open with PERF_FLAG_PID_CGROUP), and prints each
 * INTERVAL_MS what came since the last time, one line an event, in the form of `perf stat -x,`. perf does the same with
 * --for-each-cgroup, for about twice the CPU and eight times the memory, and goes on counting a group that was removed: this
 * one ends when the group is gone or another one has its name. Events are counted in pairs, so that the two of a ratio are
 * of the same time.
 *
 * usage: ic2-counters GROUP_DIRECTORY INTERVAL_MS EVENT...
 * exit status: 1 it failed, 2 usage, 3 the group is gone; with one line that says why
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_EVENTS 16
#define FAILED 1
#define USAGE 2
#define GONE 3

struct kind {
    const char *name;
    uint32_t type;
    uint64_t config;
};

static const struct kind KINDS[] = {
    { "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
    { "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
    { "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
    { "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
    { "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
    { "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
    { "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
};

struct counts {
    double value;
    uint64_t enabled, running; /* ns */
};

struct event {
    const struct kind *kind;
    int supported;
    int *fds;            /* one a CPU, -1 where there is none */
    struct counts *last; /* one a CPU */
};

static void end(int status, const char *subject, const char *problem)
{
    fprintf(stderr, "ic2-counters: %s: %s\n", subject, problem);
    exit(status);
}

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (strcmp(name, KINDS[i].name) == 0)
            return &KINDS[i];
    fprintf(stderr, "ic2-counters: %s: no such event; there are", name);
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        fprintf(stderr, " %s", KINDS[i].name);
    fputc('\n', stderr);
    exit(USAGE);
}

/* The descriptor; -1 if this CPU is off; sets supported to 0 if no CPU can count this. */
static int open_one(struct event *event, int group, int cpu, int leader)
{
    struct perf_event_attr attr;
    int fd;

    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = event->kind->type;
    attr.config = event->kind->config;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    fd = (int) syscall(SYS_perf_event_open, &attr, group, cpu, leader, PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 || errno == ENODEV)
        return fd;
    if (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL)
        event->supported = 0;
    else if (errno == EACCES || errno == EPERM)
        end(FAILED, "counting a control group", "not permitted; it needs CAP_PERFMON, or root");
    else if (errno == EBADF)
        end(FAILED, "counting a control group", "this directory is not of the hierarchy by which the machine counts: version 2,"
            " or version 1's perf_event where that is mounted");
    else
        end(FAILED, event->kind->name, strerror(errno));
    return -1;
}

static void open_all(struct event *events, int count, int group, int cpus)
{
    for (int i = 0; i < count; i++) {
        events[i].supported = 1;
        events[i].fds = calloc((size_t) cpus, sizeof(int));
        events[i].last = calloc((size_t) cpus, sizeof(struct counts));
        if (events[i].fds == NULL || events[i].last == NULL)
            end(FAILED, "start", "no memory");
        for (int cpu = 0; cpu < cpus; cpu++) {
            int leader = i % 2 == 1 && events[i - 1].supported ? events[i - 1].fds[cpu] : -1;
            events[i].fds[cpu] = events[i].supported ? open_one(&events[i], group, cpu, leader) : -1;
        }
    }
}

/* What came on all CPUs since the last time, scaled to the time in which the counter had to wait for others. */
static struct counts taken(struct event *event, int cpus)
{
    struct counts sum = { 0, 0, 0 };

    for (int cpu = 0; cpu < cpus; cpu++) {
        uint64_t now[3];
        struct counts *last = &event->last[cpu];
        uint64_t enabled, running;

        if (event->fds[cpu] < 0 || read(event->fds[cpu], now, sizeof(now)) != (ssize_t) sizeof(now))
            continue;
        enabled = now[1] - last->enabled;
        running = now[2] - last->running;
        if (running > 0)
            sum.value += ((double) now[0] - last->value) * (double) enabled / (double) running;
        sum.enabled += enabled;
        sum.running += running;
        last->value = (double) now[0];
        last->enabled = now[1];
        last->running = now[2];
    }
    return sum;
}

static void print(struct event *event, int cpus)
{
    struct counts now = taken(event, cpus);

    if (!event->supported)
        printf("<not supported>,,%s,0,100.00,,\n", event->kind->name);
    else if (now.running == 0)
        printf("<not counted>,,%s,0,100.00,,\n", event->kind->name);
    else
        printf("%.0f,,%s,%" PRIu64 ",%.2f,,\n", now.value, event->kind->name, now.running,
               100.0 * (double) now.running / (double) now.enabled);
}

static void check_group(const char *path, const struct stat *before)
{
    struct stat now;

    if (stat(path, &now) != 0 || now.st_ino != before->st_ino || now.st_dev != before->st_dev)
        end(GONE, path, "the control group is gone");
}

static void allow_descriptors(int count)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t) count + 64) {
        limit.rlim_cur = limit.rlim_max;
        (void) setrlimit(RLIMIT_NOFILE, &limit); /* opening says what is missing */
    }
}

int main(int argc, char **argv)
{
    struct event events[MOST_EVENTS];
    int count = argc - 3, cpus = (int) sysconf(_SC_NPROCESSORS_CONF), group;
    struct stat identity;
    struct timespec next;
    char *rest = argc > 2 ? argv[2] : "";
    long interval = strtol(rest, &rest, 10);

    if (count < 1 || count > MOST_EVENTS || *rest != '\0' || interval < 10 || interval > 60000) {
        fprintf(stderr, "usage: ic2-counters GROUP_DIRECTORY INTERVAL_MS EVENT...   10 to 60000 ms, 1 to %d events\n",
                MOST_EVENTS);
        return USAGE;
    }
    for (int i = 0; i < count; i++)
        events[i].kind = kind_of(argv[3 + i]);
    group = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group < 0 || fstat(group, &identity) != 0)
        end(errno == ENOENT ? GONE : FAILED, argv[1], strerror(errno));
    allow_descriptors(count * cpus);
    open_all(events, count, group, cpus);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        next.tv_nsec += interval * 1000000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        check_group(argv[1], &identity);
        for (int i = 0; i < count; i++)
            print(&events[i], cpus);
        if (fflush(stdout) != 0)
            return FAILED; /* whoever read us is gone */
    }
}
