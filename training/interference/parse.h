/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading what people type: sizes, durations, whole numbers. Every function either returns a
 * value that is safe to use or ends the program with one clear line and exit status 2. */
#ifndef IC2_PARSE_H
#define IC2_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* Exit statuses shared by the three programs. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Name printed before each message; main() sets it first. */
void parse_program_name(const char *name);
const char *program_name(void);

/* "name: message" on standard error, then exit(status). */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes from "20MB", "32MiB", "1.5GB", "4096B": decimal (KB, MB, GB) or binary (KiB, MiB, GiB)
 * units; the unit is obligatory, zero is refused. */
size_t parse_size(const char *option, const char *text);

/* Nanoseconds from "250ms", "1.5s", "4m", "1h"; the unit is obligatory, zero is refused. */
int64_t parse_duration(const char *option, const char *text);

/* Nanoseconds since 1970 from seconds such as "1760000000.250". */
int64_t parse_epoch(const char *option, const char *text);

/* A whole number within [low, high]. */
long parse_number(const char *option, const char *text, long low, long high);

/* Monotonic nanoseconds. */
int64_t now_ns(void);

/* Writes text as a JSON string, quotes included, to standard output. */
void print_json_string(const char *text);

#endif
