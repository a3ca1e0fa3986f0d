/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge's end in Dom0. `ask DIRECTORY N` runs the command whose words, each ended by a 0 byte, are in DIRECTORY/N.words, as
 * the leader of a group of its own; it leaves there N.pid before, N.out and N.err meanwhile and N.rc, the status, at the end.
 * `ask DIRECTORY kill N` ends it with all that it has started, and leaves N.told. What it cannot do itself has the status 255. Not a shell script: each program that a machine
 * starts that is interpreted takes it some 30 ms.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_BYTES 65536
#define MOST_WORDS 4096

static const char *number;

static void leave(const char *kind, long value)
{
    char name[64];
    int fd;
    snprintf(name, sizeof name, "%s.%s", number, kind);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || dprintf(fd, "%ld\n", value) < 0)
        fprintf(stderr, "ask: %s: %s\n", name, strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void fail(const char *what)
{
    fprintf(stderr, "ask: %s: %s: %s\n", number, what, strerror(errno));
    leave("rc", 255);
    exit(255);
}

static int opened(const char *kind, int flags)
{
    char name[64];
    int fd;
    snprintf(name, sizeof name, "%s.%s", number, kind);
    fd = open(name, flags | O_CLOEXEC, 0644);
    if (fd < 0)
        fail(name);
    return fd;
}

static ssize_t whole(const char *kind, char *text, size_t size)
{
    int fd = opened(kind, O_RDONLY);
    size_t all = 0;
    ssize_t got;
    while ((got = read(fd, text + all, size - all)) > 0)
        all += got;
    if (got == 0 && all == size)
        errno = E2BIG;
    if (got < 0 || all == size)
        fail(kind);
    close(fd);
    text[all] = 0;
    return all;
}

static void run(void)
{
    static char text[MOST_BYTES + 1];
    static char *words[MOST_WORDS + 1];
    ssize_t size;
    int count = 0, status;
    pid_t child;
    if (setsid() < 0) {                 /* who leads a group already */
        child = fork();
        if (child != 0)
            exit(child < 0 ? 255 : 0);
        setsid();
    }
    if (dup2(opened("err", O_WRONLY | O_CREAT | O_TRUNC), 2) < 0 || dup2(opened("out", O_WRONLY | O_CREAT | O_TRUNC), 1) < 0
        || dup2(open("/dev/null", O_RDONLY), 0) < 0)
        fail("its output");
    size = whole("words", text, sizeof text);
    for (char *word = text; word < text + size && count < MOST_WORDS; word += strlen(word) + 1)
        words[count++] = word;
    if (count == 0 || count == MOST_WORDS) {
        errno = EINVAL;
        fail("words");
    }
    leave("pid", getpid());
    child = fork();
    if (child == 0) {
        execvp(words[0], words);
        status = errno == ENOENT ? 127 : 126;
        fprintf(stderr, "ask: %s: %s\n", words[0], strerror(errno));
        _exit(status);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        fail(words[0]);
    leave("rc", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* Where nothing has begun there is nothing to end. */
static void end(void)
{
    char name[64];
    FILE *file;
    long leader = 0;
    snprintf(name, sizeof name, "%s.pid", number);
    file = fopen(name, "r");
    if (file && fscanf(file, "%ld", &leader) == 1 && leader > 1)
        kill(-leader, SIGKILL);
    leave("told", 0);
}

int main(int argc, char **argv)
{
    int killing = argc == 4 && strcmp(argv[2], "kill") == 0;
    if ((argc != 3 && !killing) || strlen(argv[argc - 1]) > 20) {
        fputs("usage: ask DIRECTORY [kill] NUMBER\n", stderr);
        return 2;
    }
    number = argv[argc - 1];
    if (chdir(argv[1]) != 0) {
        perror(argv[1]);
        return 255;
    }
    if (killing)
        end();
    else
        run();
    return 0;
}
