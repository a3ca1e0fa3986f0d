/* SPDX-License-Identifier: Apache-2.0
 *
 * dcopy: copies one array of doubles to another, for ever (paper, section 3.1). Small arrays
 * disturb the caches a little; arrays far beyond the last-level cache also take memory bandwidth. */
#include "load.h"

static uint64_t copy(char *const *arrays, size_t offset, size_t length)
{
    const double *restrict source = (const double *)(const void *)(arrays[0] + offset);
    double *restrict destination = (double *)(void *)(arrays[1] + offset);
    size_t count = length / sizeof(double);

    for (size_t i = 0; i < count; i++)
        destination[i] = source[i];
    __asm__ volatile("" : : "r"(destination) : "memory"); /* the compiler must assume a reader */
    return count * sizeof(double);
}

int main(int argc, char **argv)
{
    static const struct kernel KERNEL = {
        .summary = "Copies a source array to a destination array: cache and bandwidth interference.",
        .unit = "bytes",
        .rate = "bytes_per_s",
        .arrays_per_thread = 2,
        .granule = sizeof(double),
        .step = copy,
    };
    return load_main(argc, argv, &KERNEL);
}
