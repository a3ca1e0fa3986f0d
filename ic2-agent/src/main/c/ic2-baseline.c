/* SPDX-License-Identifier: Apache-2.0
 *
 * ic2-baseline: restores the baseline after the agent's death, without Java.
 *
 * A JVM takes seconds to start on an idle machine and half a minute on a busy one. So the agent writes with each change what
 * another program needs to take it back: the plan. This one sends it. It sends a value only where the one in force is one of
 * the agent's, or unknown: what somebody else has set since stays. What it did is in a file, which the next start of the agent
 * writes into the journal. What it cannot do is left to COMMAND, "ic2 restore --if-left", and at the latest to that start.
 *
 * usage: ic2-baseline DIRECTORY [COMMAND...]
 * DIRECTORY: where the agent's journal is; baseline.plan is read there, baseline.outcome written.
 *
 * baseline.plan, lines of words with one space between them:
 *   ic2-baseline 1                the form
 *   id ID                         of this plan; the outcome says it again
 *   state baseline | away         "baseline": there is nothing to do
 *   open                          a change has no outcome, so its command may still run: the baseline is sent whatever is in force
 *   lock FILE                     who runs and manages the server holds it; then nothing is done
 *   helper LABEL SOCKET URL       an actuator: an order through the socket of ic2-reconfigure, read back from the status page
 *   map LABEL FILE URL            the mitigation level, and the wall's flag, in a file, read back from headers of the status page
 *   share LABEL SOCKET            ic2-share: says the whole share by itself, which is only looked at
 *   rest LABEL                    one that only the agent can restore
 *   knob KEY BASELINE NAME UNIT FIELD VALUES   of the actuator before it: the order is NAME=BASELINE and UNIT ("-": none);
 *                                 FIELD of the page says what runs ("variable": it is an online variable); VALUES: the agent's.
 *                                 Of a map NAME begins the line and FIELD is a header; "-": MITIGATION and IC2-Mitigation
 *   end
 * exit status: 0 the baseline is in force, or what is not is somebody else's; 1 something is left and there is no COMMAND; 2 usage
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ALL_MS 15000        /* for everything; then COMMAND gets its turn */
#define LOOK_MS 2000        /* for the first look: an order does not wait for a server whose threads are all busy */
#define ORDER_MS 12000      /* the helper's command ends within that */
#define SETTLE_MS 3000
#define SHARE_MS 7000       /* ic2-share waits 5 s for a silent agent */
#define POLL_MS 25
#define MOST_ACTUATORS 16
#define MOST_KNOBS 32
#define MOST_VALUES 32
#define MOST_LOCKS 16
#define FILE_BYTES 65536
#define PAGE_BYTES 262144
#define UNKNOWN (-1)
#define LATE 3              /* the helper's status for an order that comes after a later one */

enum kind { HELPER, MAP, SHARE, REST };
enum outcome { OPEN, SAME, RESTORED, FOREIGN };

struct knob {
    char *key, *name, *unit, *field;
    int baseline, values[MOST_VALUES], count, runs;
    enum outcome outcome;
};

struct actuator {
    enum kind kind;
    char *label, *place, *url;
    struct knob *knobs;
    int count;
    char problem[512];
};

static struct actuator actuators[MOST_ACTUATORS];
static int actuator_count;
static struct knob knobs[MOST_KNOBS];
static int knob_count;
static char *locks[MOST_LOCKS];
static int lock_count;
static char *plan_id;
static int has_state, away, is_open;
static long long end_ms;
static char page[PAGE_BYTES];

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long within(long long millis)
{
    long long until = now_ms() + millis;
    return until < end_ms ? until : end_ms;
}

static void pause_ms(long long millis)
{
    struct timespec span = { millis / 1000, millis % 1000 * 1000000 };
    nanosleep(&span, NULL);
}

__attribute__((format(printf, 2, 3))) static void trouble(struct actuator *actuator, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(actuator->problem, sizeof(actuator->problem), format, words);
    va_end(words);
    for (char *at = actuator->problem; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = ' ';
}

/* -- the plan ------------------------------------------------------------------------------------------------------- */

/* A small file that nobody but us can have written; NULL, with why. */
static char *read_own(const char *path, const char **why)
{
    struct stat found;
    ssize_t got, length = 0;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *why = NULL;
    if (fd < 0 || fstat(fd, &found) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(found.st_mode))
        *why = "expected a regular file";
    else if (found.st_uid != geteuid() || (found.st_mode & 022))
        *why = "expected a file that this user alone may write";
    else if (found.st_size >= FILE_BYTES)
        *why = "expected less than 64 KiB";
    else if ((text = calloc(1, FILE_BYTES)) == NULL)
        *why = strerror(errno);
    while (!*why && (got = read(fd, text + length, (size_t)(FILE_BYTES - 1 - length))) != 0) {
        if (got < 0 && errno != EINTR)
            *why = strerror(errno);
        length += got > 0 ? got : 0;
    }
    if (!*why && strlen(text) != (size_t)length)
        *why = "expected text";
    if (fd >= 0)
        close(fd);
    return *why ? NULL : text;
}

/* The next word of a line; NULL if there is none. */
static char *word(char **rest)
{
    char *found = *rest ? strsep(rest, " ") : NULL;
    return found && *found ? found : NULL;
}

static int read_number(const char *text, int *to)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (digits == 0 || digits > 9 || text[digits])
        return 0;
    *to = atoi(text);
    return 1;
}

static int read_knob(char *rest)
{
    struct knob *knob = &knobs[knob_count];
    char *baseline, *list, *value;
    if (knob_count == MOST_KNOBS || actuator_count == 0)
        return 0;
    knob->key = word(&rest);
    baseline = word(&rest);
    knob->name = word(&rest);
    knob->unit = word(&rest);
    knob->field = word(&rest);
    list = word(&rest);
    if (!list || rest || !read_number(baseline, &knob->baseline))
        return 0;
    while ((value = strsep(&list, ",")) != NULL)
        if (knob->count == MOST_VALUES || !read_number(value, &knob->values[knob->count++]))
            return 0;
    knob->runs = UNKNOWN;
    if (actuators[actuator_count - 1].count++ == 0)
        actuators[actuator_count - 1].knobs = knob;
    knob_count++;
    return 1;
}

static int read_actuator(enum kind kind, char *rest)
{
    struct actuator *actuator = &actuators[actuator_count];
    if (actuator_count == MOST_ACTUATORS)
        return 0;
    actuator->kind = kind;
    actuator->label = word(&rest);
    actuator->place = kind == REST ? "" : word(&rest);
    actuator->url = kind == HELPER || kind == MAP ? word(&rest) : "";
    actuator_count++;
    return actuator->label && actuator->place && actuator->url && !rest;
}

static int read_line(char *rest)
{
    char *first = word(&rest);
    if (!first)
        return 0;
    if (strcmp(first, "id") == 0)
        return (plan_id = word(&rest)) != NULL && !rest;
    if (strcmp(first, "state") == 0) {
        away = rest && strcmp(rest, "away") == 0;
        return has_state = rest && (away || strcmp(rest, "baseline") == 0);
    }
    if (strcmp(first, "open") == 0)
        return is_open = !rest;
    if (strcmp(first, "lock") == 0 && lock_count < MOST_LOCKS)
        return (locks[lock_count++] = word(&rest)) != NULL && !rest;
    if (strcmp(first, "knob") == 0)
        return read_knob(rest);
    return strcmp(first, "helper") == 0 ? read_actuator(HELPER, rest)
        : strcmp(first, "map") == 0 ? read_actuator(MAP, rest)
        : strcmp(first, "share") == 0 ? read_actuator(SHARE, rest)
        : strcmp(first, "rest") == 0 && read_actuator(REST, rest);
}

/* What is wrong with the plan; NULL if nothing is. */
static const char *read_plan(const char *path)
{
    static char why[128];
    const char *problem;
    char *line, *text = read_own(path, &problem);
    if (!text)
        return problem;
    line = strsep(&text, "\n");
    if (strcmp(line, "ic2-baseline 1") != 0)
        return "expected the first line \"ic2-baseline 1\"";
    for (int number = 2; (line = strsep(&text, "\n")) != NULL; number++) {
        if (strcmp(line, "end") == 0)
            return plan_id && has_state && text && !*text ? NULL : "expected an id, a state, and nothing after the line \"end\"";
        snprintf(why, sizeof(why), "line %d: cannot make sense of \"%.60s\"", number, line);
        if (!read_line(line))
            return why;
    }
    return "expected a last line \"end\"; it was cut short";
}

/* Holds the locks of the agent's until the end; says which one somebody has. */
static const char *take_locks(void)
{
    for (int i = 0; i < lock_count; i++) {
        struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        int fd = open(locks[i], O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && fcntl(fd, F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES))
            return locks[i];
    }
    return NULL;
}

/* -- connections ---------------------------------------------------------------------------------------------------- */

static int wait_for(int fd, short events, long long until)
{
    struct pollfd polled = { .fd = fd, .events = events };
    long long left;
    while ((left = until - now_ms()) > 0) {
        int count = poll(&polled, 1, (int)left);
        if (count > 0)
            return 1;
        if (count < 0 && errno != EINTR)
            return 0;
    }
    errno = ETIMEDOUT;
    return 0;
}

static int connect_to(int family, const struct sockaddr *address, socklen_t size, long long until)
{
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), problem = 0;
    socklen_t length = sizeof(problem);
    if (fd < 0)
        return -1;
    while (connect(fd, address, size) != 0) {
        if (errno == EAGAIN && now_ms() < until) {      /* a Unix socket whose queue is full */
            pause_ms(POLL_MS);
            continue;
        }
        if (errno == EINPROGRESS && wait_for(fd, POLLOUT, until))
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &length);
        else
            problem = errno;
        break;
    }
    if (problem) {
        close(fd);
        errno = problem;
        return -1;
    }
    return fd;
}

/* Says a text and hears the answer to its end, or to the end of its first line. Returns 0 when that was not to be had. */
static int converse(int fd, const char *text, int whole, char *answer, size_t size, long long until)
{
    size_t said = 0, heard = 0, length = strlen(text);
    ssize_t got = 1;
    while (said < length && wait_for(fd, POLLOUT, until)) {
        ssize_t count = send(fd, text + said, length - said, MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            break;
        said += count > 0 ? (size_t)count : 0;
    }
    if (said < length)
        return 0;
    if (whole)
        shutdown(fd, SHUT_WR);
    while (got != 0 && heard < size - 1 && (whole || !memchr(answer, '\n', heard)) && wait_for(fd, POLLIN, until)) {
        got = read(fd, answer + heard, size - 1 - heard);
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            break;
        heard += got > 0 ? (size_t)got : 0;
    }
    answer[heard] = '\0';
    return whole ? got == 0 : memchr(answer, '\n', heard) != NULL;
}

static int ask_socket(const char *path, const char *text, int whole, char *answer, size_t size, long long until)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd, heard;
    answer[0] = '\0';
    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return 0;
    }
    strcpy(address.sun_path, path);
    fd = connect_to(AF_UNIX, (struct sockaddr *)&address, sizeof(address), until);
    if (fd < 0)
        return 0;
    heard = converse(fd, text, whole, answer, size, until);
    close(fd);
    return heard;
}

/* Fetches http://ADDRESS:PORT/PATH, header and all. Returns 0 when it is not to be had. */
static int fetch(const char *url, long long until)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV }, *found;
    char authority[256], host[256], request[1024], *port;
    const char *path;
    size_t length;
    int fd, heard;
    page[0] = '\0';
    if (strncmp(url, "http://", 7) != 0)
        return 0;
    length = strcspn(url + 7, "/?");
    path = url + 7 + length;
    snprintf(authority, sizeof(authority), "%.*s", (int)length, url + 7);
    snprintf(host, sizeof(host), "%s", authority);
    port = strrchr(host, ':');
    if (port && !strchr(port, ']'))
        *port++ = '\0';
    else
        port = "80";
    if (host[0] == '[')
        snprintf(host, sizeof(host), "%.*s", (int)strcspn(authority + 1, "]"), authority + 1);
    if (getaddrinfo(strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, port, &hints, &found) != 0)
        return 0;
    fd = connect_to(found->ai_family, found->ai_addr, found->ai_addrlen, until);
    freeaddrinfo(found);
    if (fd < 0)
        return 0;
    length = (size_t)snprintf(request, sizeof(request), "GET %s%s HTTP/1.0\r\nHost: %s\r\nUser-Agent: ic2-baseline\r\nConnection: close\r\n\r\n",
                              *path == '/' ? "" : "/", path, authority);
    heard = length < sizeof(request) && converse(fd, request, 1, page, sizeof(page), until);
    close(fd);
    return heard && strncmp(page, "HTTP/1.", 7) == 0 && strncmp(page + 8, " 200", 4) == 0;
}

/* The number of the page's line that begins with these words; UNKNOWN if there is none. */
static int page_number(const char *begin, const char *name, const char *between)
{
    size_t first = strlen(begin), second = strlen(name), third = strlen(between);
    for (const char *line = page; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, begin, first) == 0 && strncasecmp(line + first, name, second) == 0
            && strncmp(line + first + second, between, third) == 0) {
            char digits[16];
            int value;
            snprintf(digits, sizeof(digits), "%.*s", (int)strcspn(line + first + second + third, "\r\n"), line + first + second + third);
            if (read_number(digits, &value))
                return value;
        }
    }
    return UNKNOWN;
}

/* -- what may be sent ----------------------------------------------------------------------------------------------- */

static int is_ours(const struct knob *knob)
{
    for (int i = 0; i < knob->count; i++)
        if (knob->runs == knob->values[i])
            return 1;
    return 0;
}

/* Whether the baseline is to be sent, now that it is known what runs, or is not to be known. */
static int is_due(struct actuator *actuator, struct knob *knob)
{
    if (knob->runs == knob->baseline && !is_open) {
        knob->outcome = SAME;
    } else if (knob->runs != UNKNOWN && knob->runs != knob->baseline && !is_ours(knob)) {
        if (is_open)
            trouble(actuator, "%s is %d, which is not the agent's, while a change has no outcome", knob->key, knob->runs);
        else
            knob->outcome = FOREIGN;
    }
    return knob->outcome == OPEN && !actuator->problem[0];
}

/* -- httpd behind the root helper ----------------------------------------------------------------------------------- */

static int look_at_httpd(struct actuator *actuator, long long until)
{
    if (!fetch(actuator->url, until))
        return 0;
    for (int i = 0; i < actuator->count; i++) {
        struct knob *knob = &actuator->knobs[i];
        knob->runs = strcmp(knob->field, "variable") == 0 ? page_number("ReconfigureVariable: ", knob->name, "=")
            : page_number("", knob->field, ": ");
    }
    return 1;
}

/* Long requests hold workers, and httpd refuses to have fewer: then the agent lowers as far as it goes, and tries again. */
static int is_held(const struct knob *knob)
{
    int held = page_number("", "HeldWorkers", ": ");
    return strcmp(knob->name, "MaxRequestWorkers") == 0 && knob->runs != UNKNOWN && knob->baseline < knob->runs
        && knob->baseline <= (held < knob->runs - 1 ? held : knob->runs - 1);
}

/* Sends an order with this number; says how the helper's command ended, -1 if that is not known. */
static int order(struct actuator *actuator, long long number, const char *words, char *answer, size_t size)
{
    char line[1024], *last;
    int status;
    snprintf(line, sizeof(line), "order=%lld%s\n", number, words);
    if (!ask_socket(actuator->place, line, 1, answer, size, within(ORDER_MS))) {
        trouble(actuator, "%s: no answer: %s", actuator->place, strerror(errno));
        return -1;
    }
    while ((last = strrchr(answer, '\n')) != NULL && !last[1])
        *last = '\0';
    last = last ? last + 1 : answer;
    if (strncmp(last, "status ", 7) != 0 || !read_number(last + 7, &status)) {
        trouble(actuator, "%s did not say how it went", actuator->place);
        return -1;
    }
    if (status != 0)
        trouble(actuator, "%s refused%s: %.200s", actuator->place, words, answer);
    return status;
}

static void restore_httpd(struct actuator *actuator)
{
    char words[768] = "", answer[8192], *last;
    struct timespec now;
    long long until, number;
    int sent = 0;
    look_at_httpd(actuator, within(LOOK_MS));
    for (int i = 0; i < actuator->count && !actuator->problem[0]; i++) {
        struct knob *knob = &actuator->knobs[i];
        size_t length = strlen(words);
        if (is_due(actuator, knob) && is_held(knob))
            trouble(actuator, "MaxRequestWorkers %d: long requests or idle connections hold workers", knob->baseline);
        else if (knob->outcome == OPEN)
            sent += snprintf(words + length, sizeof(words) - length, " %s=%d%s", knob->name, knob->baseline,
                             strcmp(knob->unit, "-") == 0 ? "" : knob->unit) > 0;
    }
    if (actuator->problem[0] || !sent)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    number = now.tv_sec * 1000000LL + now.tv_nsec / 1000;       /* as the agent numbers its orders */
    if (order(actuator, number, words, answer, sizeof(answer)) == LATE && (last = strstr(answer, "the last one was ")) != NULL) {
        actuator->problem[0] = '\0';
        order(actuator, strtoll(last + 17, NULL, 10) + 1, words, answer, sizeof(answer));
    }
    if (actuator->problem[0])
        return;
    until = within(SETTLE_MS);
    do {
        int differ = !look_at_httpd(actuator, until);
        for (int i = 0; i < actuator->count; i++)
            differ += actuator->knobs[i].outcome == OPEN && actuator->knobs[i].runs != actuator->knobs[i].baseline;
        if (!differ) {
            for (int i = 0; i < actuator->count; i++)
                if (actuator->knobs[i].outcome == OPEN)
                    actuator->knobs[i].outcome = RESTORED;
            return;
        }
        pause_ms(POLL_MS);
    } while (now_ms() < until);
    trouble(actuator, "%s does not show that%s is in force", actuator->url, words);
}

/* -- the level and the wall in a file ----------------------------------------------------------------------------------- */

static const char *line_of(const struct knob *knob)
{
    return strcmp(knob->name, "-") == 0 ? "MITIGATION" : knob->name;
}

/* True if a line begins with this name, as httpd and the agent find it. */
static int is_named(const char *line, const char *name)
{
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '\t');
}

/* The value as httpd takes it: of the first line of this name, 0 where there is none. */
static int level_in(const char *path, const char *name)
{
    char line[256], level[16];
    int value = 0;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        if (is_named(line, name) && sscanf(line + strlen(name), "%15s", level) == 1) {
            value = read_number(level, &value) && strlen(level) <= 5 && (level[0] != '0' || !level[1]) ? value : 0;
            break;
        }
    if (file)
        fclose(file);
    return value;
}

/* Why the file may not be written; NULL if it may. */
static const char *unsafe(const char *path, struct stat *file)
{
    struct stat directory;
    char parent[1024];
    snprintf(parent, sizeof(parent), "%s", path);
    *strrchr(parent, '/') = '\0';
    if (stat(*parent ? parent : "/", &directory) != 0)
        return strerror(errno);
    if (directory.st_mode & 02)
        return "everybody may write in its directory, so anybody could set the level";
    if (lstat(path, file) != 0) {
        memset(file, 0, sizeof(*file));
        return errno == ENOENT ? NULL : strerror(errno);
    }
    return !S_ISREG(file->st_mode) ? "expected a regular file" : file->st_uid != geteuid() ? "it belongs to somebody else" : NULL;
}

/* The lines of the file that are not of the actuator's knobs, each with its end; of a file beyond 64 KiB only its whole first lines.
 * *all_zero becomes 0 where one of them sets more than 0. */
static char *other_lines(const char *path, const struct actuator *actuator, int *all_zero)
{
    char *text = calloc(1, FILE_BYTES + 1), *others = calloc(1, FILE_BYTES + 1), *rest = text, *line, level[16];
    FILE *file = fopen(path, "re");
    size_t length = file && text ? fread(text, 1, FILE_BYTES, file) : 0, kept = 0;
    if (file)
        fclose(file);
    if (length == FILE_BYTES && strrchr(text, '\n'))
        strrchr(text, '\n')[1] = '\0';
    while (others && rest && (line = strsep(&rest, "\n")) != NULL) {
        int own = *line == '\0' && !rest;      /* what is after the last end of a line */
        for (int i = 0; i < actuator->count; i++)
            own = own || is_named(line, line_of(&actuator->knobs[i]));
        if (own)
            continue;
        if (kept + strlen(line) + 1 <= FILE_BYTES)
            kept += (size_t)sprintf(others + kept, "%s\n", line);
        if (strncmp(line, "MITIGATION", 10) == 0 && sscanf(line, "%*s %15s", level) == 1 && strcmp(level, "0") != 0)
            *all_zero = 0;
    }
    free(text);
    return others;
}

/* Another file in its place, of a time that it never had: httpd looks at that alone. On a full disk all zeros are an empty file.
 * What is somebody else's stays, a value in force and any other line. */
static int write_levels(const char *path, const struct actuator *actuator, const struct stat *old)
{
    struct timespec times[2];
    char fresh[1024];
    int fd, written, all_zero = 1;
    char *others = other_lines(path, actuator, &all_zero);
    clock_gettime(CLOCK_REALTIME, &times[1]);
    if (times[1].tv_sec <= old->st_mtim.tv_sec)
        times[1].tv_sec = old->st_mtim.tv_sec + 1;
    times[0] = times[1];
    snprintf(fresh, sizeof(fresh), "%s.ic2-new", path);
    unlink(fresh);
    fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    written = fd >= 0 && others;
    for (int i = 0; i < actuator->count; i++) {
        const struct knob *knob = &actuator->knobs[i];
        int value = knob->outcome == OPEN ? knob->baseline : knob->runs;
        written = written && dprintf(fd, "%s %d\n", line_of(knob), value) > 0;
        all_zero = all_zero && value == 0;
    }
    written = written && dprintf(fd, "%s", others) >= 0 && fchmod(fd, 0644) == 0 && futimens(fd, times) == 0 && rename(fresh, path) == 0;
    if (fd >= 0)
        close(fd);
    if (!written)
        unlink(fresh);
    if (!written && all_zero) {
        fd = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
        written = fd >= 0 && futimens(fd, times) == 0;
        if (fd >= 0)
            close(fd);
    }
    free(others);
    return written;
}

/* True if httpd says the baseline of all that is not somebody else's. */
static int shows_levels(const struct actuator *actuator)
{
    for (int i = 0; i < actuator->count; i++) {
        const struct knob *knob = &actuator->knobs[i];
        const char *header = strcmp(knob->field, "-") == 0 ? "IC2-Mitigation" : knob->field;
        if (knob->outcome != FOREIGN && page_number("", header, ": ") != knob->baseline)
            return 0;
    }
    return 1;
}

static void restore_levels(struct actuator *actuator)
{
    struct stat old;
    const char *problem = actuator->place[0] == '/' && strlen(actuator->place) < 1000 ? unsafe(actuator->place, &old) : "expected a whole path";
    long long until;
    int due = 0, foreign = 0;
    if (problem || actuator->count < 1 || actuator->count > 2) {
        trouble(actuator, "%s: %s", actuator->place, problem ? problem : "expected one or two knobs");
        return;
    }
    for (int i = 0; i < actuator->count; i++) {
        struct knob *knob = &actuator->knobs[i];
        knob->runs = level_in(actuator->place, line_of(knob));
        due += is_due(actuator, knob);
        foreign += knob->outcome == FOREIGN;
    }
    if (due && !actuator->problem[0] && !write_levels(actuator->place, actuator, &old))
        trouble(actuator, "%s: cannot be written: %s", actuator->place, strerror(errno));
    if (actuator->problem[0] || foreign == actuator->count)
        return;
    until = within(SETTLE_MS);
    do {
        if (fetch(actuator->url, until) && shows_levels(actuator)) {
            for (int i = 0; i < actuator->count; i++)
                if (actuator->knobs[i].outcome == OPEN) {
                    actuator->knobs[i].outcome = RESTORED;
                    actuator->knobs[i].runs = actuator->knobs[i].baseline;
                }
            return;
        }
        pause_ms(POLL_MS);
    } while (now_ms() < until);
    for (int i = 0; i < actuator->count; i++)
        if (actuator->knobs[i].outcome != FOREIGN)
            actuator->knobs[i].outcome = OPEN;
    trouble(actuator, "%s does not show that level %d is in force", actuator->url, actuator->knobs[0].baseline);
}

/* -- the share ------------------------------------------------------------------------------------------------------ */

static void await_share(struct actuator *actuator)
{
    char answer[256] = "";
    long long until = within(SHARE_MS);
    do {
        struct knob *share = actuator->knobs;
        if (actuator->count == 1 && ask_socket(actuator->place, "asked\n", 0, answer, sizeof(answer), until)
            && sscanf(answer, "ok %*d %*d %*d %d", &share->runs) == 1 && share->runs == share->baseline) {
            share->outcome = RESTORED;
            return;
        }
        pause_ms(POLL_MS);
    } while (now_ms() < until);
    trouble(actuator, "%s does not say the whole share: %.100s", actuator->place, answer);
}

/* -- the outcome ---------------------------------------------------------------------------------------------------- */

/* True if the outcome of this plan is written and nothing of it was left. */
static int is_done(const char *path)
{
    const char *why;
    char *text = read_own(path, &why), id[256];
    snprintf(id, sizeof(id), "ic2-baseline 1\nid %s\n", plan_id);
    return text && strncmp(text, id, strlen(id)) == 0 && !strstr(text, "\nleft ") && strstr(text, "\nend\n");
}

static void write_outcome(const char *path, long long begun, long long millis)
{
    static const char *const words[] = { [OPEN] = "open", [SAME] = "same", [RESTORED] = "restored", [FOREIGN] = "foreign" };
    char fresh[1100];
    int fd, written;
    snprintf(fresh, sizeof(fresh), "%s.new", path);
    unlink(fresh);
    fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    written = fd >= 0 && dprintf(fd, "ic2-baseline 1\nid %s\nbegun %lld\nmillis %lld\n", plan_id, begun, millis) > 0;
    for (int i = 0; i < knob_count && written; i++)
        if (knobs[i].outcome != OPEN)
            written = dprintf(fd, "knob %s %d %s\n", knobs[i].key, knobs[i].runs, words[knobs[i].outcome]) > 0;
    for (int i = 0; i < actuator_count && written; i++)
        if (actuators[i].problem[0])
            written = dprintf(fd, "left %s %s\n", actuators[i].label, actuators[i].problem) > 0;
    if (!written || dprintf(fd, "end\n") < 0 || fsync(fd) != 0 || rename(fresh, path) != 0) {
        fprintf(stderr, "ic2-baseline: %s: %s; the next start of the agent restores once more\n", path, strerror(errno));
        unlink(fresh);
    }
    if (fd >= 0)
        close(fd);
}

/* Restores what can be; returns how many actuators are left to somebody else. */
static int restore(void)
{
    int left = 0;
    for (int i = 0; i < actuator_count; i++) {
        struct actuator *actuator = &actuators[i];
        if (actuator->kind == MAP)
            restore_levels(actuator);
        else if (actuator->kind == HELPER)
            restore_httpd(actuator);
        else if (actuator->kind == REST)
            trouble(actuator, "only the agent can restore it");
    }
    for (int i = 0; i < actuator_count; i++)
        if (actuators[i].kind == SHARE)     /* comes by itself meanwhile */
            await_share(&actuators[i]);
    for (int i = 0; i < actuator_count; i++)
        if (actuators[i].problem[0]) {
            left++;
            fprintf(stderr, "ic2-baseline: left: %s: %s\n", actuators[i].label, actuators[i].problem);
        }
    return left;
}

static int hand_over(char **command)
{
    if (!*command)
        return 1;
    signal(SIGPIPE, SIG_DFL);
    fflush(NULL);
    execv(*command, command);
    fprintf(stderr, "ic2-baseline: %s: %s\n", *command, strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    char plan[1024], outcome[1024];
    const char *problem;
    struct timespec wall;
    long long begun;
    int left;
    if (argc < 2 || strlen(argv[1]) > 1000) {
        fprintf(stderr, "usage: ic2-baseline DIRECTORY [COMMAND...]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    clock_gettime(CLOCK_REALTIME, &wall);
    begun = now_ms();
    end_ms = begun + ALL_MS;
    snprintf(plan, sizeof(plan), "%s/baseline.plan", argv[1]);
    snprintf(outcome, sizeof(outcome), "%s/baseline.outcome", argv[1]);
    problem = read_plan(plan);
    if (problem) {
        fprintf(stderr, "ic2-baseline: %s: %s\n", plan, problem);
        return hand_over(argv + 2);
    }
    problem = away ? take_locks() : NULL;
    if (!away || problem || is_done(outcome)) {
        printf("%s%s\n", !away ? "nothing was left" : problem ? "nothing is done while an agent runs or another one manages the server; locked: "
               : "the baseline was restored before", problem ? problem : "");
        return 0;
    }
    left = restore();
    write_outcome(outcome, wall.tv_sec * 1000LL + wall.tv_nsec / 1000000, now_ms() - begun);
    for (int i = 0; i < knob_count; i++)
        if (knobs[i].outcome != OPEN)
            printf("%s %d%s\n", knobs[i].key, knobs[i].runs, knobs[i].outcome == RESTORED ? ": restored"
                   : knobs[i].outcome == SAME ? ": was in force" : ": somebody else's, left as it is");
    return left ? hand_over(argv + 2) : 0;
}
