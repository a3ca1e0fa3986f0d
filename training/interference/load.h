/* SPDX-License-Identifier: Apache-2.0
 *
 * What dcopy and llcprobe share: the command line, memory that is allocated and touched once,
 * threads with a duty cycle, the clean stop, and the JSON report. A program supplies only its
 * inner loop.
 *
 * Protocol with `neighbour`: if the environment names a descriptor in NEIGHBOUR_READY_FD, one
 * byte is written to it as soon as all memory has been touched; NEIGHBOUR_PLACEMENT, if set, is
 * repeated in the report. */
#ifndef IC2_LOAD_H
#define IC2_LOAD_H

#include <stddef.h>
#include <stdint.h>

/* One inner loop. */
struct kernel {
    const char *summary;      /* one line for --help */
    const char *unit;         /* what `step` counts: "bytes" or "accesses" */
    const char *rate;         /* key of the rate in the report, per second */
    size_t arrays_per_thread; /* arrays of --size bytes that each thread owns */
    size_t granule;           /* --size is rounded down to a multiple of this many bytes */

    /* Works on [offset, offset + length) of its arrays, length <= LOAD_CHUNK; returns how much
     * was done in `unit`. */
    uint64_t (*step)(char *const *arrays, size_t offset, size_t length);
};

/* Bytes handled between two looks at the clock and at the stop flag. */
#define LOAD_CHUNK ((size_t)1 << 18)

/* Runs the whole program: reads the command line, works until SIGTERM, SIGINT or --duration,
 * prints the report, returns the exit status. */
int load_main(int argc, char **argv, const struct kernel *kernel);

#endif
