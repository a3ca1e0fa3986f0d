/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slowback [PORT]: an HTTP/1.1 backend with exact delays and an exact count of requests in flight, so that
 * a test knows how many workers of a proxying httpd are busy. Prints the port it got, then serves until
 * its standard input closes.
 *
 *   /d/MS                        answers after MS milliseconds
 *   /mix/LO/HI/SLOW/PERCENT      after LO..HI ms, but PERCENT % of the requests after SLOW ms
 *   /stats                       {"inflight":, "max":, "total":} (not counted itself)
 *   /reset                       the same, then max := inflight and the series is emptied
 *   /series                      one line per 20 ms with arrivals: time, most in flight seen at an arrival, arrivals
 *
 * Times are CLOCK_MONOTONIC seconds.
 */
#include "loop.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUCKET 0.02
#define MOST_FDS 16384

typedef struct {
    int fd;
    size_t have;
    int busy;                   /* a counted request waits for its timer */
    tick_t timer;
    char in[16384];
} conn_t;

typedef struct {
    double when;
    int most;
    int arrivals;
} bucket_t;

static ticks_t ticks;
static int epfd, inflight, most, total;
static conn_t *conns[MOST_FDS];
static bucket_t *series;
static size_t series_len, series_size;
static uint64_t seed = 88172645463325252ULL;

static void drop(conn_t *c)
{
    if (c->busy)
        inflight--;
    tick_stop(&ticks, &c->timer);
    close(c->fd);
    conns[c->fd] = NULL;
    free(c);
}

static int send_all(conn_t *c, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(c->fd, data, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN) {
            usleep(200);
            continue;
        }
        if (n <= 0)
            return -1;
        data += n;
        len -= n;
    }
    return 0;
}

static int answer(conn_t *c, const char *body, size_t len)
{
    char head[256];
    int n = snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                     "Content-Length: %zu\r\n\r\n", len);

    return send_all(c, head, n) || send_all(c, body, len) ? -1 : 0;
}

static int answer_stats(conn_t *c)
{
    char body[128];
    int n = snprintf(body, sizeof(body), "{\"inflight\": %d, \"max\": %d, \"total\": %d}\n", inflight, most, total);

    return answer(c, body, n);
}

static int answer_series(conn_t *c)
{
    size_t size = 64 + series_len * 48, len = 0, i;
    char *body = malloc(size);
    int rv;

    if (!body)
        fail("malloc");
    for (i = 0; i < series_len; i++)
        len += snprintf(body + len, size - len, "%.3f %d %d\n", series[i].when, series[i].most, series[i].arrivals);
    rv = answer(c, body, len);
    free(body);
    return rv;
}

static void count_arrival(double at)
{
    double when = floor(at / BUCKET) * BUCKET;

    inflight++;
    total++;
    if (inflight > most)
        most = inflight;
    if (series_len == 0 || series[series_len - 1].when < when) {
        if (series_len == series_size) {
            series_size = series_size ? 2 * series_size : 1024;
            series = realloc(series, series_size * sizeof(*series));
            if (!series)
                fail("realloc");
        }
        series[series_len++] = (bucket_t){ when, 0, 0 };
    }
    if (inflight > series[series_len - 1].most)
        series[series_len - 1].most = inflight;
    series[series_len - 1].arrivals++;
}

/* 0, or -1 if the connection has to go */
static int serve(conn_t *c, const char *path)
{
    double t = now(), delay;
    int lo, hi, slow, percent;

    if (strncmp(path, "/stats", 6) == 0)
        return answer_stats(c);
    if (strncmp(path, "/series", 7) == 0)
        return answer_series(c);
    if (strncmp(path, "/reset", 6) == 0) {
        int rv = answer_stats(c);

        most = inflight;
        series_len = 0;
        return rv;
    }
    if (sscanf(path, "/mix/%d/%d/%d/%d", &lo, &hi, &slow, &percent) == 4)
        delay = uniform(&seed) * 100 < percent ? slow : lo + (hi - lo) * uniform(&seed);
    else if (sscanf(path, "/d/%d", &lo) == 1)
        delay = lo;
    else
        return -1;
    count_arrival(t);
    c->busy = 1;
    tick_start(&ticks, &c->timer, t + delay / 1000);
    return 0;
}

/* takes one whole request off the input, if there is one and none is being served */
static int take(conn_t *c)
{
    char *end, *path, *space;
    size_t len;

    while (!c->busy && (end = memmem(c->in, c->have, "\r\n\r\n", 4)) != NULL) {
        *end = 0;
        len = end + 4 - c->in;
        path = strchr(c->in, ' ');
        if (!path || !(space = strchr(path + 1, ' ')))
            return -1;
        *space = 0;
        if (serve(c, path + 1))
            return -1;
        memmove(c->in, c->in + len, c->have - len);
        c->have -= len;
    }
    return c->have == sizeof(c->in) ? -1 : 0;
}

static void readable(conn_t *c)
{
    ssize_t n = recv(c->fd, c->in + c->have, sizeof(c->in) - c->have, 0);

    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0) {
        drop(c);
        return;
    }
    c->have += n;
    if (take(c))
        drop(c);
}

static void accept_all(int listener)
{
    int fd, one = 1;

    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        conn_t *c;
        struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

        if (fd >= MOST_FDS) {
            close(fd);
            continue;
        }
        c = calloc(1, sizeof(*c));
        if (!c)
            fail("calloc");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        c->fd = fd;
        c->timer.at = -1;
        c->timer.owner = c;
        conns[fd] = c;
        epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev);
    }
}

static void fire(void)
{
    double t = now();

    while (ticks.count > 0 && ticks.heap[0]->when <= t) {
        conn_t *c = ticks.heap[0]->owner;

        tick_stop(&ticks, &c->timer);
        c->busy = 0;
        inflight--;
        if (answer(c, "ok\n", 3) || take(c))
            drop(c);
    }
}

static int listen_on(int port)
{
    struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(sa);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 4096) || getsockname(fd, (struct sockaddr *)&sa, &len))
        fail("listen");
    printf("%d\n", ntohs(sa.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv)
{
    int listener = listen_on(argc > 1 ? atoi(argv[1]) : 0), i, n;
    struct epoll_event ev = { .events = EPOLLIN, .data.fd = listener }, got[256];

    signal(SIGPIPE, SIG_IGN);
    epfd = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epfd, EPOLL_CTL_ADD, listener, &ev);
    ev.data.fd = 0;
    epoll_ctl(epfd, EPOLL_CTL_ADD, 0, &ev);
    for (;;) {
        n = epoll_wait(epfd, got, 256, tick_wait_ms(&ticks, 1000));
        for (i = 0; i < n; i++) {
            char end[64];

            if (got[i].data.fd == listener)
                accept_all(listener);
            else if (got[i].data.fd == 0) {
                if (read(0, end, sizeof(end)) <= 0)
                    return 0;
            }
            else if (conns[got[i].data.fd])
                readable(conns[got[i].data.fd]);
        }
        fire();
    }
}
