/* SPDX-License-Identifier: Apache-2.0
 *
 * ic2-share: tells a load balancer how much of its share this server wants, and outlives the agent that decides it.
 *
 * HAProxy asks (agent-check), and keeps what it was told last: an agent that dies while its server is cut would leave it cut
 * for ever. So another process answers: this one. The agent tells it a share each second; when it has not for HEARTBEAT_MS,
 * or has gone, the answer is the whole share. An answer is always complete ("62% maxconn:124"), as HAProxy keeps what the
 * last one left out, and never a word such as up, ready or drain, which would overrule people.
 *
 * usage: ic2-share CONTROL STATE
 * CONTROL: the socket of the agent; with socket activation (LISTEN_FDS=1) the one that systemd gives, and then its name is
 * only for messages. STATE: a file in which the latest "serve" is kept, so that a restart listens again at once.
 *
 * Lines on the control socket, each answered by "ok ..." or "error WHY":
 *   serve ADDRESS PORT NETWORKS FULL   listens there, for callers of NETWORKS (a,b/24, "any"); FULL connections at 100 %, 0:
 *                                      nothing is said of them
 *   share PERCENT                      5 to 100; who says this is the agent, until he goes or another says it
 *   asked                              changes nothing
 * The latter two are answered by "ok CALLERS ASKED_MS TOLD SHARE": how many balancers asked within ASKERS_MS; how long ago that
 * one asked whose last question is the oldest, and what it was told; the share that holds. All but the last are 0 if none did.
 * exit status: 1 it failed, 2 usage; with one line that says why
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HEARTBEAT_MS 5000
#define ASKERS_MS 30000
#define LINGER_MS 1000
#define LEAST_SHARE 5
#define WHOLE_SHARE 100
#define MOST_CONNECTIONS 1000000
#define MOST_NETWORKS 32
#define MOST_ASKERS 16
#define MOST_CLIENTS 64
#define MOST_TALKERS 8
#define LINE 2048
#define FIRST_PASSED_FD 3

struct network {
    unsigned char address[16]; /* IPv4 as ::ffff:a.b.c.d */
    int bits;
};

struct asker {
    unsigned char address[16];
    long long asked; /* ms */
    int told;
};

struct client {
    int fd;
    long long until; /* ms */
};

/* A connection of the control socket, and what it has said of a line. */
struct talker {
    int fd;
    size_t said;
    char line[LINE];
};

static struct network networks[MOST_NETWORKS];
static int network_count;
static struct asker askers[MOST_ASKERS];
static int asker_count;
static struct client clients[MOST_CLIENTS];
static int client_count;
static struct talker talkers[MOST_TALKERS];
static int talker_count;
static int listener = -1;
static int agent = -1;        /* the talker's descriptor; -1: there is no agent */
static int full;              /* connections at the whole share; 0: nothing is said of them */
static int share = WHOLE_SHARE;
static long long beat;        /* ms */
static char serving[LINE];    /* the latest "serve" that was obeyed */
static const char *state_file;

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void end(int status, const char *subject, const char *problem)
{
    fprintf(stderr, "ic2-share: %s: %s\n", subject, problem);
    exit(status);
}

/* IPv4 as the mapped IPv6 address, so that there is one kind. */
static int mapped(const char *text, unsigned char *to, int *is_four)
{
    static const unsigned char prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    *is_four = inet_pton(AF_INET, text, to + 12) == 1;
    if (*is_four)
        memcpy(to, prefix, sizeof(prefix));
    return *is_four || inet_pton(AF_INET6, text, to) == 1;
}

static void address_of(const struct sockaddr_storage *from, unsigned char *to)
{
    char text[INET6_ADDRSTRLEN] = "";
    int four;
    if (from->ss_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)from)->sin_addr, text, sizeof(text));
    else
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)from)->sin6_addr, text, sizeof(text));
    if (!mapped(text, to, &four))
        memset(to, 0, 16);
}

/* "10.0.0.7", "10.0.0.0/8" or "fd00::/8"; 0 if it is none */
static int read_network(char *text, struct network *network)
{
    char *slash = strchr(text, '/'), *rest = NULL;
    int four, most;
    long bits;
    if (slash)
        *slash++ = '\0';
    if (!mapped(text, network->address, &four))
        return 0;
    most = four ? 32 : 128;
    bits = slash && *slash >= '0' && *slash <= '9' ? strtol(slash, &rest, 10) : most;
    if (slash && (!rest || *rest || bits > most))
        return 0;
    network->bits = (int)bits + (four ? 96 : 0);
    return 1;
}

static int is_within(const unsigned char *address, const struct network *network)
{
    int bytes = network->bits / 8, rest = network->bits % 8;
    unsigned char mask = rest ? (unsigned char)(0xff << (8 - rest)) : 0;
    return memcmp(address, network->address, (size_t)bytes) == 0
        && (rest == 0 || ((address[bytes] ^ network->address[bytes]) & mask) == 0);
}

static int is_allowed(const unsigned char *address)
{
    for (int i = 0; i < network_count; i++)
        if (is_within(address, &networks[i]))
            return 1;
    return 0;
}

/* What holds now: the agent's share while it is alive. */
static int share_now(long long now)
{
    return agent >= 0 && now - beat <= HEARTBEAT_MS ? share : WHOLE_SHARE;
}

static int open_listener(const char *host, const char *port)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
                              .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV };
    struct addrinfo *found;
    int one = 1, fd;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        errno = EINVAL;
        return -1;
    }
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0
                    || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 1024) != 0)) {
        int why = errno;
        close(fd);
        errno = why;
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

/* Kept for a restart. What cannot be written costs the restart, not the service. */
static void keep_state(void)
{
    char beside[4096];
    int fd, length = snprintf(beside, sizeof(beside), "%s.new", state_file);
    if (length >= (int)sizeof(beside))
        return;
    fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || dprintf(fd, "%s\n", serving) < 0 || rename(beside, state_file) != 0)
        fprintf(stderr, "ic2-share: %s: %s; a restart would not know where to listen\n", state_file, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* In place of the present listener, which stays if that can't be had. */
static const char *listen_at(const char *host, const char *port)
{
    char old_host[64], old_port[8];
    int fd = open_listener(host, port);
    if (fd < 0 && errno == EADDRINUSE && listener >= 0) {
        close(listener); /* the same port at another address, perhaps */
        fd = open_listener(host, port);
        listener = fd < 0 && sscanf(serving, "%63s %7s", old_host, old_port) == 2 ? open_listener(old_host, old_port) : -1;
        if (fd < 0)
            return strerror(EADDRINUSE);
    }
    if (fd < 0)
        return strerror(errno);
    if (listener >= 0)
        close(listener);
    listener = fd;
    return NULL;
}

/* Reads a "serve" without its first word, and obeys all of it or nothing. Returns what is wrong, or NULL. */
static const char *serve(const char *words)
{
    struct network fresh[MOST_NETWORKS];
    char text[LINE], host[64], port[8], list[LINE], *next = list, *one;
    int count = 0, most, end_of = 0;
    if (sscanf(words, "%63s %7s %2047s %d%n", host, port, list, &most, &end_of) != 4 || words[end_of])
        return "expected serve ADDRESS PORT NETWORKS FULL";
    if (atoi(port) < 1 || atoi(port) > 65535)
        return "expected a port of 1 to 65535";
    if (most < 0 || most > MOST_CONNECTIONS)
        return "expected 0 to 1000000 connections";
    snprintf(text, sizeof(text), "%s", words);
    if (strcmp(list, "any") == 0)
        snprintf(list, sizeof(list), "::/0");
    while ((one = strsep(&next, ",")) != NULL)
        if (count == MOST_NETWORKS || !read_network(one, &fresh[count++]))
            return "expected up to 32 networks such as 10.0.0.0/8, with commas between them, or any";
    if (listener < 0 || strncmp(serving, words, strcspn(words, " ") + 1 + strlen(port) + 1) != 0) {
        const char *problem = listen_at(host, port);
        if (problem)
            return problem;
    }
    memcpy(networks, fresh, sizeof(networks));
    network_count = count;
    full = most;
    if (strcmp(serving, text) != 0) {
        snprintf(serving, sizeof(serving), "%s", text);
        keep_state();
    }
    return NULL;
}

static void take_up_state(void)
{
    char text[LINE] = "";
    const char *problem;
    FILE *file = fopen(state_file, "re");
    if (!file)
        return;
    if (fgets(text, sizeof(text), file)) {
        text[strcspn(text, "\n")] = '\0';
        problem = serve(text);
        if (problem)
            fprintf(stderr, "ic2-share: %s: \"%.100s\": %s; the agent will say it again\n", state_file, text, problem);
    }
    fclose(file);
}

/* Of the balancers that ask at all the one that asked longest ago: when a share has come there, it has come everywhere. */
static void report(char *to, size_t size, long long now)
{
    int count = 0, told = 0;
    long long oldest = 0;
    for (int i = 0; i < asker_count; i++) {
        long long age = now - askers[i].asked;
        if (age > ASKERS_MS)
            continue;
        if (count++ == 0 || age > oldest) {
            oldest = age;
            told = askers[i].told;
        }
    }
    snprintf(to, size, "ok %d %lld %d %d\n", count, oldest, told, share_now(now));
}

static void obey(int talker, const char *words, char *answer, size_t size)
{
    const char *problem = NULL;
    int percent, end_of = 0;
    if (strncmp(words, "serve ", 6) == 0) {
        problem = serve(words + 6);
        snprintf(answer, size, "ok\n");
    } else if (sscanf(words, "share %d%n", &percent, &end_of) == 1 && !words[end_of]) {
        if (percent < LEAST_SHARE || percent > WHOLE_SHARE) {
            problem = "expected a share of 5 to 100";
        } else {
            agent = talker;
            share = percent;
            beat = now_ms();
            report(answer, size, beat);
        }
    } else if (strcmp(words, "asked") == 0) {
        report(answer, size, now_ms());
    } else {
        problem = "expected serve, share or asked";
    }
    if (problem)
        snprintf(answer, size, "error %s\n", problem);
}

static void let_go(int place)
{
    if (talkers[place].fd == agent)
        agent = -1;
    close(talkers[place].fd);
    talkers[place] = talkers[--talker_count];
}

static void hear(int place)
{
    struct talker *talker = &talkers[place];
    char answer[256], *newline;
    ssize_t got = read(talker->fd, talker->line + talker->said, LINE - 1 - talker->said);
    if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            let_go(place);
        return;
    }
    talker->said += (size_t)got;
    while ((newline = memchr(talker->line, '\n', talker->said)) != NULL) {
        size_t length = (size_t)(newline - talker->line) + 1;
        *newline = '\0';
        obey(talker->fd, talker->line, answer, sizeof(answer));
        memmove(talker->line, talker->line + length, talker->said - length);
        talker->said -= length;
        if (send(talker->fd, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            let_go(place);
            return;
        }
    }
    if (talker->said == LINE - 1)
        let_go(place); /* no line is as long */
}

static void remember(const unsigned char *address, int told, long long now)
{
    int place = 0;
    for (int i = 0; i < asker_count; i++) {
        if (memcmp(askers[i].address, address, 16) == 0) {
            place = i;
            goto found;
        }
        if (askers[i].asked < askers[place].asked)
            place = i;
    }
    if (asker_count < MOST_ASKERS)
        place = asker_count++;
    memcpy(askers[place].address, address, 16);
found:
    askers[place].asked = now;
    askers[place].told = told;
}

static void drop_client(int place)
{
    close(clients[place].fd);
    clients[place] = clients[--client_count];
}

/* Answers at once, and waits a moment for the caller's end: to close before it would take the answer back (RST). */
static void answer_caller(void)
{
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    unsigned char address[16];
    char text[64];
    long long now = now_ms();
    int told = share_now(now), length;
    int fd = accept4(listener, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    address_of(&from, address);
    if (!is_allowed(address)) {
        close(fd);
        return;
    }
    if (full > 0)
        length = snprintf(text, sizeof(text), "%d%% maxconn:%d\n", told, (full * told + 99) / 100);
    else
        length = snprintf(text, sizeof(text), "%d%%\n", told);
    if (send(fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) != length) {
        close(fd);
        return;
    }
    remember(address, told, now);
    shutdown(fd, SHUT_WR);
    if (client_count == MOST_CLIENTS)
        drop_client(0);
    clients[client_count].fd = fd;
    clients[client_count++].until = now + LINGER_MS;
}

static void welcome(int control)
{
    int fd = accept4(control, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (talker_count == MOST_TALKERS) {
        for (int i = 0; i < talker_count; i++)
            if (talkers[i].fd != agent) {
                let_go(i);
                break;
            }
    }
    talkers[talker_count].fd = fd;
    talkers[talker_count++].said = 0;
}

static int open_control(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *passed = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
    int fd;
    if (passed && pid && atoi(pid) == getpid()) {
        if (strcmp(passed, "1") != 0)
            end(2, "LISTEN_FDS", "expected one socket");
        return FIRST_PASSED_FD;
    }
    if (strlen(path) >= sizeof(address.sun_path))
        end(2, path, "a socket's path has up to 107 characters");
    strcpy(address.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    unlink(path);
    umask(0077);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 8) != 0)
        end(1, path, strerror(errno));
    return fd;
}

/* The callers' ends; what they say is read and dropped. */
static void see_callers_off(const struct pollfd *polled, int count)
{
    char rest[512];
    long long now = now_ms();
    for (int i = count - 1; i >= 0; i--) {
        int over = now >= clients[i].until;
        if (polled[i].revents) {
            ssize_t got = read(clients[i].fd, rest, sizeof(rest));
            over |= got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
        }
        if (over)
            drop_client(i);
    }
}

static void turn(int control)
{
    struct pollfd polled[2 + MOST_TALKERS + MOST_CLIENTS] = {
        { .fd = control, .events = POLLIN }, { .fd = listener, .events = POLLIN }
    };
    int hearing = talker_count, waiting = client_count;
    for (int i = 0; i < hearing; i++)
        polled[2 + i] = (struct pollfd){ .fd = talkers[i].fd, .events = POLLIN };
    for (int i = 0; i < waiting; i++)
        polled[2 + hearing + i] = (struct pollfd){ .fd = clients[i].fd, .events = POLLIN };
    if (poll(polled, (nfds_t)(2 + hearing + waiting), waiting ? LINGER_MS : -1) < 0) {
        if (errno != EINTR)
            end(1, "poll", strerror(errno));
        return;
    }
    see_callers_off(polled + 2 + hearing, waiting);
    for (int i = hearing - 1; i >= 0; i--)
        if (polled[2 + i].revents)
            hear(i);
    if (polled[0].revents)
        welcome(control);
    if (polled[1].revents && listener >= 0)
        answer_caller();
}

int main(int argc, char **argv)
{
    int control;
    if (argc != 3) {
        fprintf(stderr, "usage: ic2-share CONTROL STATE\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    state_file = argv[2];
    control = open_control(argv[1]);
    take_up_state();
    for (;;)
        turn(control);
}
