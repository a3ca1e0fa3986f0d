/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TERM_PATIENCE_NS 5000000000
#define READY_POLL_MS 100
#define STOP_POLL_NS 5000000
#define STOP_FIRST_NS 20000000
#define STOP_LAST_NS 640000000

static void join_cgroup(const char *directory)
{
    char path[4096];
    int fd;

    if (snprintf(path, sizeof path, "%s/cgroup.procs", directory) >= (int)sizeof path)
        die(EXIT_FAILED, "--cgroup %.60s...: path too long", directory);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1)
        die(EXIT_FAILED, "--cgroup %s: cannot join: %s", directory, strerror(errno));
    close(fd);
}

/* Between fork and exec: everything that must hold before the program's first instruction. */
static _Noreturn void become(const struct child_plan *plan, pid_t parent, int ready_fd)
{
    char text[16];
    sigset_t none;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
        die(EXIT_FAILED, "the parent is gone");
    if (plan->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)plan->cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set))
            die(EXIT_FAILED, "--cpu %d: %s", plan->cpu, strerror(errno));
    }
    /* after the CPU: where a cgroup has CPUs of its own, these count */
    for (int i = 0; i < plan->cgroup_count; i++)
        join_cgroup(plan->cgroups[i]);
    if (setpriority(PRIO_PROCESS, 0, plan->nice))
        die(EXIT_FAILED, "--nice %d: %s", plan->nice, strerror(errno));
    setpgid(0, 0); /* as the parent does, whoever comes first; a terminal's Ctrl-C reaches the child only through the parent */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(text, sizeof text, "%d", ready_fd);
    setenv("NEIGHBOUR_READY_FD", text, 1);
    setenv("NEIGHBOUR_PLACEMENT", plan->placement, 1);
    execvp(plan->command[0], plan->command);
    die(errno == ENOENT ? 127 : 126, "%s: %s", plan->command[0], strerror(errno));
}

/* The end signals are blocked (the main loop waits for them), so they are asked for here. */
static int must_end(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
           sigismember(&pending, SIGHUP);
}

/* NULL when the readiness byte came, else why not. */
static const char *wait_ready(int fd, const struct child_plan *plan)
{
    int64_t begin = now_ns(), deadline = begin + plan->ready_timeout;
    char byte;

    while (now_ns() < deadline) {
        if (plan->ready_after && now_ns() - begin >= plan->ready_after)
            return NULL;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, READY_POLL_MS) > 0) {
            if (read(fd, &byte, 1) == 1)
                return NULL;
            if (!plan->ready_after)
                return "ended before it was ready";
            nanosleep(&(struct timespec){.tv_nsec = READY_POLL_MS * 1000000L}, NULL); /* or has closed it */
        }
        if (must_end())
            return "was interrupted before it was ready";
    }
    return "did not report ready in time (--ready-timeout)";
}

/* What waitpid() says of a stop or an end of pid within ns, 0 if nothing. */
static pid_t await_change(pid_t pid, int *status, int64_t ns)
{
    int64_t deadline = now_ns() + ns;
    pid_t changed;

    while ((changed = waitpid(pid, status, WUNTRACED | WNOHANG)) == 0 && now_ns() < deadline)
        nanosleep(&(struct timespec){.tv_nsec = STOP_POLL_NS}, NULL);
    return changed;
}

/* Stops the whole group. NULL when its leader has stopped, else why not; it is reaped then if *status is its end.
 * A shell that waits in vfork() for a stopped child cannot stop, so both go on after a time, which is longer at each turn, two thirds of a second at most. */
static const char *stop(pid_t pid, int64_t patience, int *status, int *reaped)
{
    int64_t deadline = now_ns() + patience;

    for (int64_t turn = STOP_FIRST_NS;; turn = turn < STOP_LAST_NS ? turn * 2 : turn) {
        int ending = must_end(); /* asked before: who has seen the child stop may end us, and that is no failure */
        kill(-pid, SIGSTOP);
        pid_t changed = await_change(pid, status, turn);
        if (changed == pid && WIFSTOPPED(*status))
            return NULL;
        *reaped = changed == pid;
        if (changed)
            return "ended before it could be stopped";
        if (ending)
            return "was interrupted before it could be stopped";
        if (now_ns() > deadline)
            return "could not be stopped in time (--ready-timeout)";
        kill(-pid, SIGCONT);
        nanosleep(&(struct timespec){.tv_nsec = STOP_POLL_NS}, NULL);
    }
}

pid_t child_start(const struct child_plan *plan)
{
    int pipe_fds[2], status = 0, reaped = 0;
    pid_t parent = getpid(), pid;

    if (pipe(pipe_fds) || fcntl(pipe_fds[0], F_SETFD, FD_CLOEXEC) || (pid = fork()) < 0)
        die(EXIT_FAILED, "cannot start %s: %s", plan->command[0], strerror(errno));
    if (!pid)
        become(plan, parent, pipe_fds[1]);
    setpgid(pid, pid); /* on a busy machine the child may be ready by its time before it ran; refused if it has called exec */
    close(pipe_fds[1]);
    const char *problem = wait_ready(pipe_fds[0], plan);
    if (!problem)
        problem = stop(pid, plan->ready_timeout, &status, &reaped);
    if (problem) {
        if (!reaped)
            status = child_end(pid);
        die(EXIT_FAILED, "%s %s (%s)", plan->command[0], problem, child_status_text(status));
    }
    close(pipe_fds[0]);
    return pid;
}

int child_gate(pid_t pid, int on)
{
    return kill(-pid, on ? SIGCONT : SIGSTOP);
}

int child_end(pid_t pid)
{
    int64_t deadline = now_ns() + TERM_PATIENCE_NS;
    struct timespec pause = {.tv_nsec = 5000000};
    int status = 0;

    /* the group may not exist yet if the child failed early; hence also the pid itself */
    kill(pid, SIGTERM);
    kill(-pid, SIGTERM);
    kill(-pid, SIGCONT);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (now_ns() > deadline) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            break;
        }
        nanosleep(&pause, NULL);
    }
    kill(-pid, SIGKILL); /* what the program may have left in its group */
    return status;
}

const char *child_status_text(int status)
{
    static char text[80];
    if (WIFEXITED(status))
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    else
        snprintf(text, sizeof text, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return text;
}
