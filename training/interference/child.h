/* SPDX-License-Identifier: Apache-2.0
 *
 * The interfering program as a child process: started in its cgroups and on its CPU, waited for
 * until all its memory is touched, then stopped and continued by signals, and always reaped. */
#ifndef IC2_CHILD_H
#define IC2_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#define CHILD_MAX_CGROUPS 8

struct child_plan {
    char **command;                         /* argv of the program, NULL at the end */
    const char *cgroups[CHILD_MAX_CGROUPS]; /* directories that the child joins */
    int cgroup_count;
    int cpu;               /* CPU that it is pinned to, or -1 */
    int nice;              /* its nice value */
    const char *placement; /* handed on in NEIGHBOUR_PLACEMENT */
    int64_t ready_timeout; /* ns to wait for the readiness byte */
    int64_t ready_after;   /* ns after which a program that writes none is ready, or 0 */
};

/* Starts the program and returns its pid when it is ready and stopped. Ends this program with one
 * line, child reaped, if it ends early or stays silent. The child gets SIGKILL when this process
 * dies, however it dies. */
pid_t child_start(const struct child_plan *plan);

/* Continues (on) or stops (off) the child with all its threads; returns -1 if it is gone. */
int child_gate(pid_t pid, int on);

/* SIGTERM, then SIGKILL after five seconds; reaps. Returns the wait status. */
int child_end(pid_t pid);

/* "exit status 3" or "signal 9 (Killed)". */
const char *child_status_text(int status);

#endif
