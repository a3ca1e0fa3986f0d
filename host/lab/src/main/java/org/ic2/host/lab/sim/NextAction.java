// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.function.BooleanSupplier;

/** What a virtual CPU's work wants next. */
public sealed interface NextAction {

    /** Nothing, until it is woken. */
    NextAction BLOCK = new Block();
    /** Nothing any more. */
    NextAction END = new End();

    /** To compute, nanoseconds of CPU time. */
    record Compute(long nanos) implements NextAction {
    }

    /** To be left alone, nanoseconds. */
    record Sleep(long nanos) implements NextAction {
    }

    /** To ask over and over, using the CPU, until it is so. */
    record Spin(BooleanSupplier until) implements NextAction {
    }

    /** To wait for a wake-up; one that came meanwhile counts. */
    record Block() implements NextAction {
    }

    /** To do nothing any more. */
    record End() implements NextAction {
    }
}
