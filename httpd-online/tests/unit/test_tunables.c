/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unit test of the tunables file: parse, edit, read. Linked with server/reconfigure_file.c, support/htreconfigure_file.c and APR only.
 * Prints each failure; exit status 1 if there was one.
 */
#include "htreconfigure.h"
#include "apr_general.h"
#include "apr_strings.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static apr_pool_t *pool;
static int failures;

static const reconfigure_limits_t limits = {
    .threads_per_child = 25, .server_limit = 16, .children = 3, .nvariables = 2, .names = { "MITIGATION", "Other_2" }
};
static const reconfigure_limits_t unknown_limits = { .nvariables = 1, .names = { "MITIGATION" } };

static void check(int ok, const char *what, const char *detail)
{
    if (!ok) {
        printf("FAILED: %s: %s\n", what, detail ? detail : "(null)");
        failures++;
    }
}

/* The text has its own block of exactly its size, so that a sanitizer sees the first byte too far */
static const char *parse(const reconfigure_limits_t *l, const char *text, apr_size_t len, reconfigure_values_t *values)
{
    char *copy = malloc(len ? len : 1);
    const char *error;

    memcpy(copy, text, len);
    error = ap_reconfigure_parse(pool, "file", copy, len, l, values);
    free(copy);
    return error;
}

static const struct {
    const char *text;
    int workers, timeout_ms, mitigation, other;
} good[] = {
    { "\n\n  # indented comment\n\t#another\nMaxRequestWorkers 400\n", 400, -1, -1, -1 },
    { "MaxRequestWorkers 400\n", 400, -1, -1, -1 },
    { "MaxRequestWorkers 400", 400, -1, -1, -1 },
    { "MaxRequestWorkers 400\r\n", 400, -1, -1, -1 },
    { "MaxClients 25\n", 25, -1, -1, -1 },
    { "maxrequestworkers 0400\n", 400, -1, -1, -1 },
    { "\t MaxRequestWorkers \t 130 \t\n", 130, -1, -1, -1 },
    { "KeepAliveTimeout 5\n", -1, 5000, -1, -1 },
    { "KeepAliveTimeout 5s\n", -1, 5000, -1, -1 },
    { "KeepAliveTimeout 250ms\n", -1, 250, -1, -1 },
    { "KeepAliveTimeout 1ms\n", -1, 1, -1, -1 },
    { "KeepAliveTimeout 3600\n", -1, 3600000, -1, -1 },
    { "KeepAliveTimeout 3600000ms\n", -1, 3600000, -1, -1 },
    { "KeepAliveTimeout 60min\n", -1, 3600000, -1, -1 },
    { "KeepAliveTimeout 1h\n", -1, 3600000, -1, -1 },
    { "keepalivetimeout 15\n", -1, 15000, -1, -1 },
    { "ReconfigureVariable MITIGATION 0\n", -1, -1, 0, -1 },
    { "ReconfigureVariable MITIGATION 65535\nReconfigureVariable Other_2 7\n", -1, -1, 65535, 7 },
    { "KeepAliveTimeout 15\n# x\n\nMaxRequestWorkers 325\nReconfigureVariable MITIGATION 2\n", 325, 15000, 2, -1 },
};

static const struct {
    const char *text;
    int line;       /* 0: the message names none */
    const char *word;
} bad[] = {
    { "MaxRequestWorkers\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers 24\n", 1, "25" },
    { "MaxRequestWorkers 401\n", 1, "400" },
    { "MaxRequestWorkers 0\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers -1\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers +30\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers 30.0\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers 0x20\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers 4294967396\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers 99999999999999999999999\n", 1, "MaxRequestWorkers" },
    { "MaxRequestWorkers 30 31\n", 1, "one value" },
    { "MaxRequestWorkers 30 # no comment here\n", 1, "one value" },
    { "MaxRequestWorkers 30\nMaxClients 31\n", 2, "twice" },
    { "KeepAliveTimeout\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 0\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 0ms\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 3601\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 3600001ms\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 61min\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 2h\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 10h\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 5x\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout ms\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 5 ms\n", 1, "one value" },
    { "KeepAliveTimeout 18446744073709551617ms\n", 1, "KeepAliveTimeout" },
    { "KeepAliveTimeout 5\nKeepAliveTimeout 5\n", 2, "twice" },
    { "ReconfigureVariable\n", 1, "" },
    { "ReconfigureVariable MITIGATION\n", 1, "MITIGATION" },
    { "ReconfigureVariable MITIGATION 65536\n", 1, "65535" },
    { "ReconfigureVariable MITIGATION -1\n", 1, "MITIGATION" },
    { "ReconfigureVariable mitigation 1\n", 1, "mitigation" },
    { "ReconfigureVariable NEW 1\n", 1, "NEW" },
    { "ReconfigureVariable MITIGATION 1\n#\nReconfigureVariable MITIGATION 1\n", 3, "twice" },
    { "Listen 80\n", 1, "Listen" },
    { "\n\n<IfModule x>\n", 3, "IfModule" },
    { "Include x\n", 1, "Include" },
    { "MaxRequestWorkers 3\\\n0\n", 1, "backslash" },
    { "# comment \\\nMaxRequestWorkers 30\n", 1, "backslash" },
    { "MaxRequestWorkers 30\n\001\377\n", 2, "" },
    { "MaxRequestWorker 30\n", 1, "MaxRequestWorker" },
    { "MaxRequestWorkersX 30\n", 1, "MaxRequestWorkersX" },
    { "MXC 30\n", 1, "MXC" },       /* of the command line only: httpd reads this file, too */
    { "KAT 5\n", 1, "KAT" },
    /* a restart would take other values than those that run */
    { "", 0, "no value" },
    { "\n\n", 0, "no value" },
    { "  # indented comment\n\t#another", 0, "no value" },
};

static void test_good(void)
{
    size_t i;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        reconfigure_values_t v;
        const char *error = parse(&limits, good[i].text, strlen(good[i].text), &v);

        check(!error, good[i].text, error);
        if (!error)
            check(v.max_workers == good[i].workers && v.keep_alive_timeout_ms == good[i].timeout_ms
                  && v.variables[0] == good[i].mitigation && v.variables[1] == good[i].other, good[i].text, "other values");
    }
}

static void test_bad(void)
{
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        reconfigure_values_t v = { .max_workers = 77, .keep_alive_timeout_ms = 78, .variables = { 79 } };
        const char *error = parse(&limits, bad[i].text, strlen(bad[i].text), &v);
        const char *where = bad[i].line ? apr_psprintf(pool, "file:%d: ", bad[i].line) : "file: ";

        check(error != NULL, bad[i].text, "was accepted");
        if (!error)
            continue;
        check(strncmp(error, where, strlen(where)) == 0 && strstr(error, bad[i].word), bad[i].text, error);
        check(strchr(error, '\n') == NULL, bad[i].text, "the message has more than one line");
        check(v.max_workers == 77 && v.keep_alive_timeout_ms == 78 && v.variables[0] == 79, bad[i].text,
              "values were set although the file was refused");
    }
}

static void test_special(void)
{
    static const char nul[] = "MaxRequestWorkers 30\0\nListen 80\n";
    reconfigure_values_t v;
    char line[70000];

    check(parse(&limits, nul, sizeof(nul) - 1, &v) != NULL, "a NUL byte", "was accepted");
    check(parse(&limits, "# comment\0", 10, &v) != NULL, "a NUL byte that ends the text", "was accepted");
    check(parse(&limits, "MaxRequestWorkers 30\n\0", 22, &v) != NULL, "a line that is a NUL byte", "was accepted");
    memset(line, 'x', sizeof(line));
    check(parse(&limits, line, sizeof(line), &v) != NULL, "a very long word", "was accepted");
    check(parse(&unknown_limits, "MaxRequestWorkers 1\n", 20, &v) == NULL, "unknown bounds", "1 was refused");
    check(parse(&unknown_limits, "MaxRequestWorkers 0\n", 20, &v) != NULL, "unknown bounds", "0 was accepted");
    {
        reconfigure_limits_t few = limits;

        few.threads_per_child = 2;
        few.children = 10;
        check(parse(&few, "MaxRequestWorkers 9\n", 20, &v) != NULL, "fewer workers than children", "was accepted");
        check(parse(&few, "MaxRequestWorkers 10\n", 21, &v) == NULL, "as many workers as children", "was refused");

        few.max_workers = 20;
        few.held = 15;
        check(parse(&few, "MaxRequestWorkers 15\n", 21, &v) != NULL, "no worker beside the held ones", "was accepted");
        check(parse(&few, "MaxRequestWorkers 16\n", 21, &v) == NULL, "one worker beside the held ones", "was refused");
        few.max_workers = 12;
        check(parse(&few, "MaxRequestWorkers 13\n", 21, &v) == NULL, "raised, though more are held", "was refused");
        check(parse(&few, "MaxRequestWorkers 12\n", 21, &v) == NULL, "left as it is, though more are held", "was refused");
    }
}

static const struct {
    const char *text, *name, *value, *expected;
} edits[] = {
    { "", "MaxRequestWorkers", "30", "MaxRequestWorkers 30\n" },
    { "MaxRequestWorkers 20\n", "MaxRequestWorkers", "30", "MaxRequestWorkers 30\n" },
    { "MaxClients 20", "MaxRequestWorkers", "30", "MaxRequestWorkers 30\n" },
    { "# a\n\tKeepAliveTimeout   5 \n# b", "KeepAliveTimeout", "15", "# a\nKeepAliveTimeout 15\n# b\n" },
    { "# c\n", "MITIGATION", "2", "# c\nReconfigureVariable MITIGATION 2\n" },
    { "ReconfigureVariable Other_2 1\nreconfigurevariable MITIGATION 1\n", "MITIGATION", "2",
      "ReconfigureVariable Other_2 1\nReconfigureVariable MITIGATION 2\n" },
    { "# MaxRequestWorkers 20\n", "MaxRequestWorkers", "30", "# MaxRequestWorkers 20\nMaxRequestWorkers 30\n" },
};

static void test_edit(void)
{
    size_t i;

    for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        apr_array_header_t *pairs = apr_array_make(pool, 1, sizeof(assignment_t));
        assignment_t *a = apr_array_push(pairs);
        apr_size_t len;
        const char *text;

        a->name = edits[i].name;
        a->value = edits[i].value;
        text = htreconfigure_edit(pool, edits[i].text, strlen(edits[i].text), pairs, &len);
        check(len == strlen(edits[i].expected) && memcmp(text, edits[i].expected, len) == 0, edits[i].text,
              apr_pstrmemdup(pool, text, len));
    }
}

static void write_file(const char *name, mode_t mode, apr_size_t size)
{
    int fd;

    unlink(name);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(fd >= 0 && ftruncate(fd, size) == 0 && fchmod(fd, mode) == 0, name, "cannot be written");
    close(fd);
}

static void expect_read_by(uid_t server, const char *name, const char *word)
{
    const char *text, *error;
    apr_size_t len;

    error = ap_reconfigure_read(pool, name, server, &text, &len);
    if (word)
        check(error && strstr(error, word), word, error ? error : "was read");
    else
        check(!error, name, error);
}

static void expect_read(const char *name, const char *word)
{
    expect_read_by(geteuid(), name, word);
}

static void test_read(void)
{
    static const char name[] = "tunables.test", link_name[] = "tunables.link";

    write_file(name, 0644, 100);
    expect_read(name, NULL);
    write_file(name, 0644, RECONFIGURE_FILE_MAX);
    expect_read(name, NULL);
    write_file(name, 0644, RECONFIGURE_FILE_MAX + 1);
    expect_read(name, "too large");
    write_file(name, 0664, 10);
    expect_read(name, "others");
    write_file(name, 0646, 10);
    expect_read(name, "others");
    write_file(name, 0644, 10);
    if (geteuid() == 0) {
        check(chown(name, 4321, 0) == 0, name, "cannot be given away");
        expect_read_by(0, name, "belongs");
        expect_read_by(1234, name, "belongs");
        expect_read_by(4321, name, NULL);
        check(chown(name, 0, 0) == 0, name, "cannot be taken back");
        expect_read_by(4321, name, NULL);
    }
    unlink(link_name);
    check(symlink(name, link_name) == 0, link_name, "no symbolic link");
    expect_read(link_name, NULL);
    if (geteuid() == 0) {
        check(lchown(link_name, 4321, 0) == 0, link_name, "cannot be given away");
        expect_read_by(0, link_name, "is a symbolic link that belongs neither");
        expect_read_by(4321, link_name, NULL);
        check(lchown(link_name, 0, 0) == 0, link_name, "cannot be taken back");
    }
    unlink(name);
    expect_read(link_name, "No such file");
    check(symlink(link_name, name) == 0, name, "no symbolic link");
    expect_read(link_name, "too many");
    unlink(link_name);
    unlink(name);
    expect_read(name, "No such file");
    expect_read(".", "not a regular file");
    expect_read("/dev/null", "not a regular file");
    check(mkfifo(name, 0644) == 0, name, "no fifo");
    expect_read(name, "not a regular file");
    unlink(name);
}

static void test_names(void)
{
    static const char *const fine[] = { "A", "_", "a1", "MITIGATION", "x_Y_9" };
    static const char *const wrong[] = { "", "1a", "a-b", "a b", "a=b", "\303\244", "MaxRequestWorkers", "keepalivetimeout",
                                         "RECONFIGURE_GENERATION" };
    size_t i;

    for (i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        check(ap_reconfigure_check_variable(fine[i]) == NULL, fine[i], "was refused");
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        check(ap_reconfigure_check_variable(wrong[i]) != NULL, wrong[i], "was accepted");
    {
        const char *shown = ap_reconfigure_show(pool, "a\nb\033\377", 5), *c;

        for (c = shown; *c; c++)
            check(*c >= ' ' && *c <= '~', shown, "is not printable");
        check(shown[0] == 'a', shown, "does not show what was written");
    }
    check(ap_reconfigure_parse_number("65535", 5, 65535) == 65535, "65535", "");
    check(ap_reconfigure_parse_number("65536", 5, 65535) == -1, "65536", "");
    check(ap_reconfigure_parse_number("", 0, 10) == -1, "empty", "");
    check(ap_reconfigure_parse_number("12345", 2, 100) == 12, "length", "");
}

int main(void)
{
    apr_initialize();
    apr_pool_create(&pool, NULL);
    test_good();
    test_bad();
    test_special();
    test_edit();
    test_read();
    test_names();
    apr_pool_destroy(pool);
    apr_terminate();
    if (!failures)
        printf("ok\n");
    return failures != 0;
}
