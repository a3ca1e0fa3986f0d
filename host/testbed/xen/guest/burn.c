/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burn DUTY PERIOD REPORT: takes the CPU for DUTY percent of each PERIOD milliseconds, as far as it gets it, and sleeps for the
 * rest. Every REPORT seconds a line: time, units of work, units a second, CPU time of the process, the first line of /proc/stat
 * (whose eighth number is the time stolen).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void report(double since_start, double seconds, unsigned long work)
{
    char line[256] = "";
    FILE *stat = fopen("/proc/stat", "r");
    if (stat) {
        if (!fgets(line, sizeof line, stat))
            line[0] = 0;
        fclose(stat);
    }
    line[strcspn(line, "\n")] = 0;
    printf("burn t=%.2f work=%lu rate=%.1f/s cpu=%.2f | %s\n", since_start, work, work / seconds,
           now(CLOCK_PROCESS_CPUTIME_ID), line);
}

int main(int argc, char **argv)
{
    double duty, period, every, start, reported;
    unsigned long work = 0;

    if (argc != 4) {
        fprintf(stderr, "usage: burn DUTY_PERCENT PERIOD_MS REPORT_S\n");
        return 2;
    }
    duty = atof(argv[1]) / 100;
    period = atof(argv[2]) / 1e3;
    every = atof(argv[3]);
    start = reported = now(CLOCK_MONOTONIC);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (;;) {
        double begin = now(CLOCK_MONOTONIC), end = begin + period * duty, rest;
        do {
            for (int i = 0; i < 20000; i++)
                sink += i;
            work++;
        } while (now(CLOCK_MONOTONIC) < end);
        end = now(CLOCK_MONOTONIC);
        rest = begin + period - end;
        if (duty < 1 && rest > 0) {
            struct timespec t = {(time_t)rest, (long)((rest - (time_t)rest) * 1e9)};
            nanosleep(&t, NULL);
        }
        if (end - reported >= every) {
            report(end - start, end - reported, work);
            work = 0;
            reported = end;
        }
    }
}
