/* SPDX-License-Identifier: Apache-2.0
 *
 * neighbour: starts an interfering program once, lets it touch its memory, then turns it on and
 * off by a schedule (paper, section 5: 240 s on, 240 s off) with SIGCONT and SIGSTOP, because the
 * first touch of fresh memory is slow. Logs each switch with its wall-clock time. */
#include "child.h"
#include "parse.h"
#include "schedule.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

struct options {
    struct schedule schedule;
    uint64_t seed;
    int64_t duration; /* ns; 0 = until a signal comes */
    int64_t start_at; /* ns of wall-clock time at which the first phase begins; 0 = as soon as ready */
    long print;       /* phases to print instead of running */
    const char *log;
    struct child_plan child;
    char program[1024]; /* the command as one string, for the log */
};

struct lateness {
    long switches;
    double sum_ms, max_ms;
};

static void usage(void)
{
    printf(
        "usage: neighbour (-s SCHEDULE | --stochastic LAWS [--seed N]) --log FILE [options] -- PROGRAM ...\n"
        "\nRuns PROGRAM (dcopy, llcprobe, any) as the noisy neighbour: it starts once, touches its memory,\n"
        "and then runs and rests by the schedule.\n\n"
        "  -s, --schedule S   phases that repeat: '240s on, 240s off'\n"
        "  --stochastic L     'on=exp:60s off=exp:120s'; also uniform:10s-50s and fixed:30s\n"
        "  --seed N           seed of --stochastic (default 1)\n"
        "  --log FILE         CSV, appended: time (epoch s), event (start, stop), program, placement,\n"
        "                     lateness_ms (how late the switch was)\n"
        "  --cgroup PATH      cgroup directory that PROGRAM joins; may be repeated\n"
        "  --cpu N            CPU that PROGRAM is pinned to\n"
        "  --nice N           nice value of PROGRAM, -20 to 19 (default 0)\n"
        "  --placement P      same-core or other-core, as written into every result\n"
        "                     (default: same-core with --cgroup, else other-core)\n"
        "  --start-at EPOCH   wall-clock time in seconds at which the first phase begins (default: when\n"
        "                     PROGRAM is ready), so that several programs can share one plan\n"
        "  --duration T       end after this time (default: at SIGTERM or SIGINT)\n"
        "  --ready-timeout T  how long PROGRAM may take to touch its memory (default 60s)\n"
        "  --ready-after T    PROGRAM writes no byte, and is ready when it has run for this time\n"
        "  --print N          only print the first N phases of the schedule\n\n"
        "PROGRAM writes one byte to the descriptor named in NEIGHBOUR_READY_FD when it is ready,\n"
        "or --ready-after says when it is.\n"
        "Exit status: 0 done, 1 failed, 2 usage.\n");
}

/* The command line of the program in one string, as it goes into the log. */
static void join_command(struct options *o)
{
    size_t used = 0;
    for (char **word = o->child.command; *word; word++) {
        const char *text = *word;
        const char *slash = word == o->child.command ? strrchr(text, '/') : NULL;
        int n = snprintf(o->program + used, sizeof o->program - used, "%s%s", used ? " " : "",
                         slash ? slash + 1 : text);
        if (n < 0 || (size_t)n >= sizeof o->program - used)
            die(EXIT_USAGE, "the command line of the program is too long");
        used += (size_t)n;
    }
}

static void add_cgroup(struct child_plan *plan, const char *path)
{
    if (plan->cgroup_count == CHILD_MAX_CGROUPS)
        die(EXIT_USAGE, "--cgroup: more than %d", CHILD_MAX_CGROUPS);
    plan->cgroups[plan->cgroup_count++] = path;
}

static const char *read_placement(const char *text)
{
    if (strcmp(text, "same-core") != 0 && strcmp(text, "other-core") != 0)
        die(EXIT_USAGE, "--placement %s: expected same-core or other-core", text);
    return text;
}

static struct options read_options(int argc, char **argv)
{
    enum { STOCHASTIC = 256, SEED, LOG, CGROUP, CPU, NICE, PLACEMENT, DURATION, START, READY, READY_AFTER, PRINT };
    static const struct option LONG[] = {
        {"schedule", required_argument, NULL, 's'},         {"stochastic", required_argument, NULL, STOCHASTIC},
        {"seed", required_argument, NULL, SEED},            {"log", required_argument, NULL, LOG},
        {"cgroup", required_argument, NULL, CGROUP},        {"cpu", required_argument, NULL, CPU},
        {"nice", required_argument, NULL, NICE},            {"placement", required_argument, NULL, PLACEMENT},
        {"duration", required_argument, NULL, DURATION},    {"ready-timeout", required_argument, NULL, READY},
        {"ready-after", required_argument, NULL, READY_AFTER},
        {"print", required_argument, NULL, PRINT},          {"start-at", required_argument, NULL, START},
        {"help", no_argument, NULL, 'h'},                   {NULL, 0, NULL, 0},
    };
    struct options o = {.seed = 1, .child = {.cpu = -1, .ready_timeout = 60000000000}};
    const char *fixed = NULL, *stochastic = NULL;
    int c, seeded = 0;

    while ((c = getopt_long(argc, argv, "+s:h", LONG, NULL)) != -1) {
        switch (c) {
        case 's': fixed = optarg; break;
        case STOCHASTIC: stochastic = optarg; break;
        case SEED: o.seed = (uint64_t)parse_number("--seed", optarg, 0, INT64_MAX); seeded = 1; break;
        case LOG: o.log = optarg; break;
        case CGROUP: add_cgroup(&o.child, optarg); break;
        case CPU: o.child.cpu = (int)parse_number("--cpu", optarg, 0, CPU_SETSIZE - 1); break;
        case NICE: o.child.nice = (int)parse_number("--nice", optarg, -20, 19); break;
        case PLACEMENT: o.child.placement = read_placement(optarg); break;
        case DURATION: o.duration = parse_duration("--duration", optarg); break;
        case START: o.start_at = parse_epoch("--start-at", optarg); break;
        case READY: o.child.ready_timeout = parse_duration("--ready-timeout", optarg); break;
        case READY_AFTER: o.child.ready_after = parse_duration("--ready-after", optarg); break;
        case PRINT: o.print = parse_number("--print", optarg, 1, 100000); break;
        case 'h': usage(); exit(EXIT_DONE);
        default: exit(EXIT_USAGE); /* getopt has said what is wrong */
        }
    }
    if (!fixed == !stochastic)
        die(EXIT_USAGE, "give either -s SCHEDULE or --stochastic LAWS; see --help");
    if (fixed && seeded)
        die(EXIT_USAGE, "--seed belongs to --stochastic; a fixed schedule draws nothing");
    o.schedule = fixed ? schedule_fixed(fixed) : schedule_stochastic(stochastic, o.seed);
    o.child.command = argv + optind;
    if (!o.child.placement)
        o.child.placement = o.child.cgroup_count ? "same-core" : "other-core";
    if (!o.print && !o.log)
        die(EXIT_USAGE, "give --log FILE for the start and stop times");
    if (!o.print && optind == argc)
        die(EXIT_USAGE, "give the program after --, such as: -- dcopy --size 20MB");
    join_command(&o);
    return o;
}

static void print_schedule(struct options *o)
{
    int64_t at = 0;
    for (long i = 0; i < o->print; i++) {
        struct phase p = schedule_next(&o->schedule);
        printf("%.3f %s %.3f\n", (double)at / 1e9, p.on ? "on" : "off", (double)p.duration / 1e9);
        at += p.duration;
    }
}

static FILE *open_log(const char *path)
{
    FILE *log = fopen(path, "ae");
    if (!log)
        die(EXIT_FAILED, "--log %s: %s", path, strerror(errno));
    if (fseek(log, 0, SEEK_END) == 0 && ftell(log) == 0)
        fprintf(log, "time,event,program,placement,lateness_ms\n");
    if (fflush(log))
        die(EXIT_FAILED, "--log %s: %s", path, strerror(errno));
    return log;
}

static void write_event(FILE *log, const struct options *o, const char *event, double late_ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    fprintf(log, "%lld.%03ld,%s,\"", (long long)t.tv_sec, t.tv_nsec / 1000000, event);
    for (const char *p = o->program; *p; p++) {
        if (*p == '"')
            fputc('"', log);
        fputc(*p, log);
    }
    fprintf(log, "\",%s,%.1f\n", o->child.placement, late_ms);
    if (fflush(log))
        fprintf(stderr, "%s: --log %s: %s\n", program_name(), o->log, strerror(errno));
}

/* Waits until deadline. Returns 0 when it has come, a signal number when we must end. */
static int wait_until(int64_t deadline, const sigset_t *signals, pid_t child)
{
    for (;;) {
        int64_t left = deadline - now_ns();
        struct timespec t = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        siginfo_t info;
        if (left <= 0)
            return 0;
        int signal_number = sigtimedwait(signals, &info, &t);
        /* SIGCHLD also tells of stops and continues: only an end of the child matters */
        if (signal_number == SIGCHLD) {
            siginfo_t state = {0};
            if (waitid(P_PID, (id_t)child, &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_pid)
                return SIGCHLD;
        } else if (signal_number > 0) {
            return signal_number;
        }
    }
}

static int64_t wall_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void note_lateness(struct lateness *l, double ms)
{
    l->switches++;
    l->sum_ms += ms;
    l->max_ms = ms > l->max_ms ? ms : l->max_ms;
}

/* The schedule itself. Returns the signal that ended it, or 0 at the end of --duration. */
static int run(struct options *o, FILE *log, pid_t child, const sigset_t *signals, struct lateness *late)
{
    int64_t due = o->start_at ? now_ns() + o->start_at - wall_clock_ns() : now_ns();
    int64_t end = o->duration ? due + o->duration : INT64_MAX;
    int on = 0, ended_by = wait_until(due, signals, child);

    while (!ended_by && due < end) {
        struct phase p = schedule_next(&o->schedule);
        if (p.on != on) {
            double ms = (double)(now_ns() - due) / 1e6;
            if (child_gate(child, p.on))
                break;
            on = p.on;
            write_event(log, o, on ? "start" : "stop", ms);
            note_lateness(late, ms);
        }
        due += p.duration;
        ended_by = wait_until(due < end ? due : end, signals, child);
    }
    if (on) {
        double ms = ended_by ? 0 : (double)(now_ns() - end) / 1e6;
        child_gate(child, 0);
        write_event(log, o, "stop", ms);
        note_lateness(late, ms);
    }
    return ended_by;
}

static void print_report(const struct options *o, const struct lateness *l)
{
    printf("{\"program\": \"neighbour\", \"runs\": ");
    print_json_string(o->program);
    printf(", \"placement\": \"%s\", \"seed\": ", o->child.placement);
    if (o->schedule.stochastic)
        printf("%" PRIu64, o->seed);
    else
        printf("null");
    printf(", \"switches\": %ld, \"lateness_ms_mean\": %.2f, \"lateness_ms_max\": %.2f}\n", l->switches,
           l->switches ? l->sum_ms / (double)l->switches : 0, l->max_ms);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    parse_program_name(argv[0]);
    struct options o = read_options(argc, argv);
    struct lateness late = {0};
    sigset_t signals;

    if (o.print) {
        print_schedule(&o);
        return EXIT_DONE;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    FILE *log = open_log(o.log);
    pid_t child = child_start(&o.child);
    if (o.start_at && o.start_at < wall_clock_ns())
        fprintf(stderr, "%s: ready only after --start-at; the first switches come late\n", program_name());
    int ended_by = run(&o, log, child, &signals, &late);
    int status = child_end(child);
    print_report(&o, &late);
    if (fclose(log))
        die(EXIT_FAILED, "--log %s: %s", o.log, strerror(errno));
    /* one that does not know us may take SIGTERM as it likes */
    if (ended_by == SIGCHLD || (!o.child.ready_after && (!WIFEXITED(status) || WEXITSTATUS(status))))
        die(EXIT_FAILED, "%s: %s (%s)", o.child.command[0],
            ended_by == SIGCHLD ? "ended by itself" : "did not end cleanly", child_status_text(status));
    return EXIT_DONE;
}
