/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *name_of_program = "interference";

struct unit {
    const char *suffix;
    double factor;
};

static const struct unit SIZES[] = {
    {"B", 1},         {"KB", 1e3},        {"MB", 1e6},           {"GB", 1e9},
    {"KiB", 1024.0},  {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {NULL, 0},
};
static const struct unit DURATIONS[] = {
    {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {NULL, 0},
};

void parse_program_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    name_of_program = slash ? slash + 1 : name;
}

const char *program_name(void)
{
    return name_of_program;
}

_Noreturn void die(int status, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: ", name_of_program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

/* A positive decimal number followed by exactly one of the units; limit is exclusive. */
static double number_with_unit(const char *option, const char *text, const struct unit *units,
                               double limit, const char *expected)
{
    char *rest = NULL;
    double value;
    size_t digits = strspn(text, "0123456789.");

    errno = 0;
    value = strtod(text, &rest);
    /* strtod would also take "inf", "nan", "0x1p3", "1e3", a sign and leading blanks */
    if (!digits || rest != text + digits)
        die(EXIT_USAGE, "%s %s: expected %s", option, text, expected);
    for (const struct unit *u = units; u->suffix; u++) {
        if (strcmp(rest, u->suffix) != 0)
            continue;
        if (errno == ERANGE || !isfinite(value) || value * u->factor >= limit)
            die(EXIT_USAGE, "%s %s: too large", option, text);
        if (value * u->factor < 1)
            die(EXIT_USAGE, "%s %s: must be greater than zero", option, text);
        return value * u->factor;
    }
    die(EXIT_USAGE, "%s %s: expected %s", option, text, expected);
}

size_t parse_size(const char *option, const char *text)
{
    return (size_t)number_with_unit(option, text, SIZES, 4611686018427387904.0, /* 2^62 */
                                    "a size with its unit, such as 20MB or 32MiB");
}

int64_t parse_duration(const char *option, const char *text)
{
    return (int64_t)number_with_unit(option, text, DURATIONS, 3.2e16, /* about a year */
                                     "a duration with its unit, such as 500ms, 240s or 1h");
}

int64_t parse_epoch(const char *option, const char *text)
{
    static const struct unit SECONDS[] = {{"", 1e9}, {NULL, 0}};
    return (int64_t)number_with_unit(option, text, SECONDS, 9e18, "seconds since 1970");
}

long parse_number(const char *option, const char *text, long low, long high)
{
    char *rest = NULL;
    long value;

    errno = 0;
    value = strtol(text, &rest, 10);
    if (rest == text || *rest || text[0] == ' ' || text[0] == '+')
        die(EXIT_USAGE, "%s %s: expected a whole number from %ld to %ld", option, text, low, high);
    if (errno == ERANGE || value < low || value > high)
        die(EXIT_USAGE, "%s %s: outside %ld to %ld", option, text, low, high);
    return value;
}

int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void print_json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}
