/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kadriver: HTTP/1.1 keep-alive load on raw sockets that accounts for every request and every connection:
 * who closed it, when, and what was on the wire. A failed request is recorded and sent again on a new connection;
 * the final answer's record keeps the first attempt's start, so that a failure shows as latency too.
 *
 *   kadriver --port P --out FILE [--duration S] [--timeout S] [--seed N] --group SPEC...
 *   SPEC: name=static,conns=200,path=/x.bin[,host=H][,think=MS | think=exp:MS | think=LO:HI | think=hold]
 *         [,spread=S][,once=1]
 *   think=hold: one request, then idle until the server closes; once=1: such a connection is not opened again.
 *   spread: the connections of the group are opened evenly over S seconds (default 0.5).
 *
 * FILE: packed records (see record_t), little endian as the machine; times are CLOCK_MONOTONIC seconds.
 * Standard output: every 100 ms a line "time connections busy ok failed closed". Ends at --duration, or when
 * standard input closes; connections still open are then recorded as LEFT_OPEN.
 */
#include "loop.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum outcome {
    OK = 0,                     /* a whole response */
    FAIL_REUSE = 1,             /* EOF or reset on a used connection, request sent, no byte of the answer */
    FAIL_FRESH = 2,             /* the same on a new connection */
    FAIL_MID = 3,               /* EOF or reset within the response */
    FAIL_REFUSED = 4,           /* no connection */
    FAIL_TIMEOUT = 5,
    IDLE_CLOSED = 6,            /* server closed an idle connection: start = end of the last response */
    LEFT_OPEN = 7               /* still idle when the run ended: start = end of the last response */
};

#define FLAG_CLOSE 1            /* the response announced Connection: close */
#define FLAG_RESET 2            /* ECONNRESET or EPIPE rather than EOF */
#define FLAG_FRESH 4            /* first request of its connection */
#define FLAG_RETRY 8            /* answered only after a failure */

typedef struct {
    double start, end;
    uint32_t bytes;
    uint32_t connection;        /* number of the connection, counted from 0 over the whole run */
    uint16_t status;
    uint16_t keep_alive;        /* seconds of the Keep-Alive header, 65535 = none */
    uint8_t group, outcome, flags, pad;
    uint8_t reserved[8];
} record_t;

typedef struct {
    char name[32], path[256], host[128];
    char *request;
    int conns, hold, once, request_len;
    double think_lo, think_hi, think_mean, spread;
} group_t;

enum state { CLOSED, CONNECTING, BUSY, IDLE, DONE };

typedef struct {
    int fd, group;
    enum state state;
    tick_t timer;
    double start, last_end, deadline;
    uint32_t number, served, bytes;
    int retry, status, keep_alive, close_announced, chunked, head_done;
    long body_left;
    size_t have;
    char head[8192];
} conn_t;

static ticks_t ticks;
static group_t groups[16];
static conn_t *conns;
static int group_count, conn_count, epfd, port;
static FILE *out;
static double timeout = 30, end_at;
static uint64_t seed = 1;
static uint32_t connection_number;
static unsigned long ok_count, fail_count, closed_count;

static void request_again(conn_t *c);

static void record(conn_t *c, enum outcome outcome, double start, double end, int flags)
{
    record_t r = { 0 };

    r.start = start;
    r.end = end;
    r.bytes = c->bytes;
    r.connection = c->number;
    r.status = c->status;
    r.keep_alive = c->keep_alive < 0 ? 65535 : c->keep_alive;
    r.group = c->group;
    r.outcome = outcome;
    r.flags = flags | (c->served == 0 ? FLAG_FRESH : 0) | (c->retry ? FLAG_RETRY : 0)
        | (c->close_announced ? FLAG_CLOSE : 0);
    fwrite(&r, sizeof(r), 1, out);
}

static void hang_up(conn_t *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->state = CLOSED;
    tick_stop(&ticks, &c->timer);
}

static void reset_response(conn_t *c)
{
    c->have = 0;
    c->bytes = 0;
    c->status = 0;
    c->keep_alive = -1;
    c->close_announced = c->chunked = c->head_done = 0;
    c->body_left = -1;
}

static void failed(conn_t *c, enum outcome outcome, int flags)
{
    double t = now();

    record(c, outcome, c->start, t, flags);
    fail_count++;
    hang_up(c);
    c->retry = 1;
    /* a refused connection must not become a busy loop */
    tick_start(&ticks, &c->timer, outcome == FAIL_REFUSED ? t + 0.05 : t);
}

static void send_request(conn_t *c)
{
    group_t *g = &groups[c->group];

    reset_response(c);
    c->state = BUSY;
    if (send(c->fd, g->request, g->request_len, MSG_NOSIGNAL) != g->request_len) {
        failed(c, c->served ? FAIL_REUSE : FAIL_FRESH, FLAG_RESET);
        return;
    }
    tick_start(&ticks, &c->timer, c->deadline);
}

static void open_connection(conn_t *c)
{
    struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP, .data.ptr = c };
    int one = 1;

    reset_response(c);
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        fail("socket");
    c->number = connection_number++;
    c->served = 0;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (connect(c->fd, (struct sockaddr *)&sa, sizeof(sa)) && errno != EINPROGRESS) {
        failed(c, FAIL_REFUSED, 0);
        return;
    }
    c->state = CONNECTING;
    epoll_ctl(epfd, EPOLL_CTL_ADD, c->fd, &ev);
    tick_start(&ticks, &c->timer, c->deadline);
}

static void request_again(conn_t *c)
{
    double t = now();

    if (!c->retry)
        c->start = t;
    c->deadline = t + timeout;
    if (c->fd < 0)
        open_connection(c);
    else
        send_request(c);
}

static double think(const group_t *g)
{
    if (g->think_mean > 0)
        return -log(1 - uniform(&seed)) * g->think_mean;
    return g->think_lo + (g->think_hi - g->think_lo) * uniform(&seed);
}

static void answered(conn_t *c)
{
    group_t *g = &groups[c->group];
    int closing = c->close_announced;

    c->last_end = now();
    record(c, OK, c->start, c->last_end, 0);
    ok_count++;
    c->served++;
    c->retry = 0;
    if (closing) {
        closed_count++;
        hang_up(c);
    }
    else {
        c->state = IDLE;
        tick_stop(&ticks, &c->timer);
    }
    if (g->hold) {
        if (closing)
            c->state = DONE;
    }
    else if (g->think_mean == 0 && g->think_hi == 0)
        request_again(c);
    else
        tick_start(&ticks, &c->timer, c->last_end + think(g));
}

/* the server closed: what was on the wire decides what it means */
static void closed(conn_t *c, int reset)
{
    group_t *g = &groups[c->group];
    int flags = reset ? FLAG_RESET : 0;

    switch (c->state) {
    case CONNECTING:
        failed(c, FAIL_REFUSED, flags);
        break;
    case BUSY:
        failed(c, c->have > 0 || c->head_done ? FAIL_MID : c->served ? FAIL_REUSE : FAIL_FRESH, flags);
        break;
    case IDLE: {
            double next = c->timer.at >= 0 ? c->timer.when : 0;

            record(c, IDLE_CLOSED, c->last_end, now(), flags);
            closed_count++;
            hang_up(c);
            if (!g->hold)
                tick_start(&ticks, &c->timer, next);
            else if (g->once)
                c->state = DONE;
            else
                tick_start(&ticks, &c->timer, now());
            break;
        }
    default:
        break;
    }
}

static const char *header(const char *head, const char *name)
{
    size_t len = strlen(name);
    const char *line = head;

    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            line += len + 1;
            while (*line == ' ')
                line++;
            return line;
        }
    }
    return NULL;
}

/* -1: broken; 0: head incomplete; 1: head parsed, the rest of the buffer is body */
static int parse_head(conn_t *c)
{
    char *end = memmem(c->head, c->have, "\r\n\r\n", 4);
    const char *value;
    size_t len;

    if (!end)
        return c->have == sizeof(c->head) ? -1 : 0;
    end[2] = 0;
    len = end + 4 - c->head;
    if (sscanf(c->head, "HTTP/1.%*d %d", &c->status) != 1)
        return -1;
    if ((value = header(c->head, "Content-Length")) != NULL)
        c->body_left = atol(value);
    if ((value = header(c->head, "Transfer-Encoding")) != NULL)
        c->chunked = strncasecmp(value, "chunked", 7) == 0;
    if ((value = header(c->head, "Keep-Alive")) != NULL && (value = strstr(value, "timeout=")) != NULL)
        c->keep_alive = atoi(value + 8);
    if ((value = header(c->head, "Connection")) != NULL)
        c->close_announced = strncasecmp(value, "close", 5) == 0;
    if (c->status == 304 || c->status == 204)
        c->body_left = 0;
    memmove(c->head, c->head + len, c->have - len);
    c->have -= len;
    c->head_done = 1;
    return 1;
}

/* Chunked bodies: the buffer keeps the last five bytes, enough to see the final "0 CRLF CRLF". */
static int body_done(conn_t *c)
{
    if (!c->chunked) {
        c->bytes += c->have;
        c->body_left -= c->have;
        c->have = 0;
        return c->body_left <= 0;
    }
    c->bytes += c->have;
    if (c->have >= 5 && memcmp(c->head + c->have - 5, "0\r\n\r\n", 5) == 0)
        return 1;
    if (c->have > 5) {
        memmove(c->head, c->head + c->have - 5, 5);
        c->bytes -= 5;
        c->have = 5;
    }
    return 0;
}

static void readable(conn_t *c)
{
    for (;;) {
        ssize_t n = recv(c->fd, c->head + c->have, sizeof(c->head) - c->have, 0);

        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            closed(c, n < 0);
            return;
        }
        if (c->state != BUSY) {     /* a server that talks unasked */
            closed(c, 0);
            return;
        }
        c->have += n;
        if (!c->head_done) {
            int rv = parse_head(c);

            if (rv < 0) {
                failed(c, FAIL_MID, 0);
                return;
            }
            if (rv == 0)
                continue;
        }
        if (body_done(c)) {
            answered(c);
            return;
        }
    }
}

static void event(conn_t *c, uint32_t events)
{
    struct epoll_event ev = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = c };
    int error = 0;
    socklen_t len = sizeof(error);

    if (c->fd < 0)
        return;
    if (c->state == CONNECTING) {
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len);
        if (error) {
            failed(c, FAIL_REFUSED, 0);
            return;
        }
        if (events & EPOLLOUT) {
            epoll_ctl(epfd, EPOLL_CTL_MOD, c->fd, &ev);
            send_request(c);
        }
        return;
    }
    readable(c);
}

static void fire(void)
{
    double t = now();

    while (ticks.count > 0 && ticks.heap[0]->when <= t) {
        conn_t *c = ticks.heap[0]->owner;

        tick_stop(&ticks, &c->timer);
        if (c->state == BUSY || c->state == CONNECTING)
            failed(c, FAIL_TIMEOUT, 0);
        else
            request_again(c);
    }
}

static void parse_think(group_t *g, const char *v)
{
    if (strcmp(v, "hold") == 0)
        g->hold = 1;
    else if (strncmp(v, "exp:", 4) == 0)
        g->think_mean = atof(v + 4) / 1000;
    else if (strchr(v, ':')) {
        g->think_lo = atof(v) / 1000;
        g->think_hi = atof(strchr(v, ':') + 1) / 1000;
    }
    else
        g->think_lo = g->think_hi = atof(v) / 1000;
}

static void parse_group(char *spec)
{
    group_t *g = &groups[group_count++];
    char *save = NULL, *item;

    g->conns = 1;
    g->spread = 0.5;
    strcpy(g->name, "group");
    strcpy(g->path, "/");
    strcpy(g->host, "localhost");
    for (item = strtok_r(spec, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        char *v = strchr(item, '=');

        if (!v) {
            fprintf(stderr, "kadriver: --group: %s is not name=value\n", item);
            exit(2);
        }
        *v++ = 0;
        if (strcmp(item, "name") == 0)
            snprintf(g->name, sizeof(g->name), "%s", v);
        else if (strcmp(item, "conns") == 0)
            g->conns = atoi(v);
        else if (strcmp(item, "path") == 0)
            snprintf(g->path, sizeof(g->path), "%s", v);
        else if (strcmp(item, "host") == 0)
            snprintf(g->host, sizeof(g->host), "%s", v);
        else if (strcmp(item, "think") == 0)
            parse_think(g, v);
        else if (strcmp(item, "spread") == 0)
            g->spread = atof(v);
        else if (strcmp(item, "once") == 0)
            g->once = atoi(v);
        else {
            fprintf(stderr, "kadriver: --group: unknown key %s\n", item);
            exit(2);
        }
    }
    g->request_len = asprintf(&g->request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: keep-alive\r\n\r\n",
                              g->path, g->host);
    if (g->request_len < 0)
        fail("asprintf");
    conn_count += g->conns;
}

static void open_all(double t)
{
    int g, i, n = 0;

    conns = calloc(conn_count, sizeof(*conns));
    if (!conns)
        fail("calloc");
    for (g = 0; g < group_count; g++) {
        for (i = 0; i < groups[g].conns; i++, n++) {
            conns[n].fd = -1;
            conns[n].group = g;
            conns[n].timer.at = -1;
            conns[n].timer.owner = &conns[n];
            tick_start(&ticks, &conns[n].timer, t + groups[g].spread * i / groups[g].conns);
        }
    }
}

static void status_line(double t)
{
    int i, open = 0, busy = 0;

    for (i = 0; i < conn_count; i++) {
        open += conns[i].state == IDLE || conns[i].state == BUSY;
        busy += conns[i].state == BUSY || conns[i].state == CONNECTING;
    }
    printf("%.3f %d %d %lu %lu %lu\n", t, open, busy, ok_count, fail_count, closed_count);
    fflush(stdout);
}

static void parse_arguments(int argc, char **argv)
{
    int i;

    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--port") == 0)
            port = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--out") == 0)
            out = fopen(argv[i + 1], "wb");
        else if (strcmp(argv[i], "--duration") == 0)
            end_at = now() + atof(argv[i + 1]);
        else if (strcmp(argv[i], "--timeout") == 0)
            timeout = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10) * 2654435761ULL + 1;
        else if (strcmp(argv[i], "--group") == 0 && group_count < 16)
            parse_group(argv[i + 1]);
        else
            i = argc;
    }
    if (!out || !port || !group_count || i != argc) {
        fprintf(stderr, "usage: kadriver --port P --out FILE [--duration S] [--timeout S] [--seed N] --group SPEC...\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct epoll_event ev = { .events = EPOLLIN, .data.ptr = NULL }, got[512];
    double next_line;
    int i, n, running = 1;
    char drain[64];

    parse_arguments(argc, argv);
    signal(SIGPIPE, SIG_IGN);
    epfd = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epfd, EPOLL_CTL_ADD, 0, &ev);
    next_line = now();
    open_all(next_line);
    while (running && (end_at == 0 || now() < end_at)) {
        n = epoll_wait(epfd, got, 512, tick_wait_ms(&ticks, 50));
        for (i = 0; i < n; i++) {
            if (got[i].data.ptr)
                event(got[i].data.ptr, got[i].events);
            else if (read(0, drain, sizeof(drain)) <= 0)
                running = 0;
        }
        fire();
        if (now() >= next_line) {
            status_line(now());
            next_line += 0.1;
        }
    }
    for (i = 0; i < conn_count; i++)
        if (conns[i].state == IDLE)
            record(&conns[i], LEFT_OPEN, conns[i].last_end, now(), 0);
    status_line(now());
    return fclose(out) ? 2 : 0;
}
