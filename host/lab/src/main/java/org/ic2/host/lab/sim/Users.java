// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.SplittableRandom;

/**
 * Users of a server: each thinks, sends a request through Dom0, has it served, gets the answer through Dom0, thinks again.
 * Thinking and serving times are exponential.
 *
 * @param machine  where
 * @param random   theirs
 * @param guest    the server, which logs its response times
 * @param server   what its virtual CPUs do
 * @param io       Dom0's part
 * @param think    mean, s
 * @param cpu      mean CPU time of a request in the guest, s
 * @param request  its size, bytes
 * @param response the answer's, bytes
 */
public record Users(SimMachine machine, SplittableRandom random, SimGuest guest, ServiceQueue server, Dom0Io io, double think,
        double cpu, int request, int response) {

    /** So many of them begin, each with a time to think. */
    public void start(int count) {
        for (int i = 0; i < count; i++) {
            machine.after(exponential(think), this::send);
        }
    }

    private void send() {
        long sent = machine.now();
        io.transfer(guest, request, () -> server.submit(exponential(cpu), () -> io.transfer(guest, response, () -> {
            guest.requests().add((machine.now() - sent) / 1e9);
            machine.after(exponential(think), this::send);
        })));
    }

    private long exponential(double mean) {
        return Math.round(-mean * 1e9 * Math.log(1 - random.nextDouble()));
    }
}
