/* SPDX-License-Identifier: Apache-2.0
 *
 * llcprobe: touches every cache line of an LLC-sized array again and again (paper, section 3.1).
 * One load a line and no load waits for another, so the processor keeps as many misses in flight
 * as it can: a much higher rate of cache accesses than dcopy's. */
#include "load.h"

#define LINE 64

static uint64_t touch(char *const *arrays, size_t offset, size_t length)
{
    const volatile uint64_t *p = (const volatile uint64_t *)(const void *)(arrays[0] + offset);
    size_t lines = length / LINE, words = LINE / sizeof *p;

    for (size_t i = 0; i < lines; i++)
        (void)p[i * words];
    return lines;
}

int main(int argc, char **argv)
{
    static const struct kernel KERNEL = {
        .summary = "Touches each cache line of an array of the size of the last-level cache.",
        .unit = "accesses",
        .rate = "accesses_per_s",
        .arrays_per_thread = 1,
        .granule = LINE,
        .step = touch,
    };
    return load_main(argc, argv, &KERNEL);
}
