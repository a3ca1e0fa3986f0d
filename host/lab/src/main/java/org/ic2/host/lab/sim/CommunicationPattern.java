// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.stream.IntStream;

/**
 * Who waits for whom in a parallel program, step by step: the patterns of the NAS benchmarks, as their own papers describe
 * them. Grids are square, of as many ranks as there are; a rank's row holds those that lie beside it in its guest.
 */
public enum CommunicationPattern {
    /** Everybody for everybody: a barrier. */
    ALL,
    /** Everybody with everybody, a partner at a time and a piece of the message at a time, after having computed: FT. */
    TRANSPOSITION,
    /** A partner at a time, at twice the distance of the one before: CG's sums over a row, and its transposition. */
    PAIRS,
    /** The neighbour before in a row, then in a column, then in a diagonal, there and back: the sweeps of SP and BT. */
    SWEEPS,
    /** Those to the west and the north in the same step, and after some planes those to the east and the south: LU. */
    WAVEFRONT,
    /** Both neighbours in each of three directions, on grids that become coarser and finer again: MG. */
    NEIGHBOURS;

    /** Planes of LU's grid in class A. */
    private static final int PLANES = 62;
    /** One product of matrix and vector, and sums over a row for it and for two scalars, of CG. */
    private static final double[] CG_WORK = {1, 0.02, 0.02, 0.02, 0.02};
    /** Eighths from each of MG's grids to the next coarser one. */
    private static final double[] MG_WORK = {1, 1 / 8.0, 1 / 64.0, 1 / 512.0, 1 / 64.0, 1 / 8.0, 1};
    private static final int DIRECTIONS = 3;
    /** Pieces of a message of FT: Open MPI sends 128 KiB of its 2 MB at a time over TCP. */
    private static final int PIECES = 16;
    /** Work of FT for a piece, over what it computes between two transpositions. */
    private static final double FT_PIECE = 0.001;

    /** How many steps before its own the others must have ended. */
    int lag() {
        return this == WAVEFRONT ? 0 : 1;
    }

    /** How much of the mean work a step has. */
    double work(int step, int ranks) {
        return switch (this) {
            case TRANSPOSITION -> (step % round(ranks) == 0 ? 1 : FT_PIECE) * round(ranks) / (1 + FT_PIECE * (round(ranks) - 1));
            case PAIRS -> share(CG_WORK, step % CG_WORK.length);
            case NEIGHBOURS -> share(MG_WORK, step / DIRECTIONS % MG_WORK.length);
            default -> 1;
        };
    }

    private static double share(double[] works, int which) {
        return works[which] * works.length / IntStream.range(0, works.length).mapToDouble(i -> works[i]).sum();
    }

    /**
     * Whether so many ranks can meet like this.
     *
     * @throws IllegalArgumentException if not
     */
    void check(int ranks) {
        int side = side(ranks);
        boolean powerOfTwo = Integer.bitCount(ranks) == 1;
        boolean fits = switch (this) {
            case ALL -> ranks >= 1;
            case PAIRS -> ranks > 1 && powerOfTwo && side * side == ranks;
            case SWEEPS, WAVEFRONT -> ranks > 1 && side * side == ranks;
            case NEIGHBOURS, TRANSPOSITION -> ranks > 1 && powerOfTwo;
        };
        if (!fits) {
            throw new IllegalArgumentException(name() + ": expected a number of ranks that makes its grid, got " + ranks);
        }
    }

    /** Steps of FT from one transposition to the next. */
    private static int round(int ranks) {
        return 1 + (ranks - 1) * PIECES;
    }

    private static int side(int ranks) {
        return (int) Math.round(Math.sqrt(ranks));
    }

    /** Those for whom a rank waits before a step. */
    int[] needs(int rank, int step, int ranks) {
        int side = side(ranks);
        return switch (this) {
            case ALL -> IntStream.range(0, ranks).filter(other -> other != rank).toArray();
            case TRANSPOSITION -> step % round(ranks) == 0 ? new int[0] : new int[] {rank ^ 1 + (step % round(ranks) - 1) / PIECES};
            case PAIRS -> pair(rank, step, side);
            case SWEEPS -> new int[] {sweep(rank, step, side)};
            case WAVEFRONT -> front(rank, step, side);
            case NEIGHBOURS -> neighbours(rank, step, ranks);
        };
    }

    private static int[] pair(int rank, int step, int side) {
        int stage = (step - 1 + CG_WORK.length) % CG_WORK.length;
        int partner = stage == 2 ? rank % side * side + rank / side
                : rank ^ 1 << stage % 2 * Math.min(1, side / 4);
        return partner == rank ? new int[0] : new int[] {partner};
    }

    private static int sweep(int rank, int step, int side) {
        int direction = step / side % (2 * DIRECTIONS);
        int by = direction % 2 == 0 ? side - 1 : 1;
        int row = rank / side;
        int column = rank % side;
        boolean alongRow = direction / 2 != 1;
        boolean alongColumn = direction / 2 != 0;
        return (alongColumn ? (row + by) % side : row) * side + (alongRow ? (column + by) % side : column);
    }

    private static int[] front(int rank, int step, int side) {
        int by = step / PLANES % 2 == 0 ? -1 : 1;
        int row = rank / side + by;
        int column = rank % side + by;
        return IntStream.of(row >= 0 && row < side ? row * side + rank % side : -1,
                column >= 0 && column < side ? rank / side * side + column : -1).filter(other -> other >= 0).toArray();
    }

    /** On a torus whose sides are powers of two, the first the longest. */
    private static int[] neighbours(int rank, int step, int ranks) {
        int bits = Integer.numberOfTrailingZeros(ranks);
        int direction = step % DIRECTIONS;
        int shift = IntStream.range(0, direction).map(i -> bitsOf(bits, i)).sum();
        int length = 1 << bitsOf(bits, direction);
        int place = rank >> shift & length - 1;
        int rest = rank & ~(length - 1 << shift);
        return IntStream.of(1, length - 1).map(by -> rest | (place + by) % length << shift).filter(other -> other != rank)
                .distinct().toArray();
    }

    private static int bitsOf(int bits, int direction) {
        return (bits + DIRECTIONS - 1 - direction) / DIRECTIONS;
    }
}
