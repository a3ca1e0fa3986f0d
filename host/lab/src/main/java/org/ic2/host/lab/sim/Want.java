// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.function.BooleanSupplier;

/** What a virtual CPU's work wants next. */
public sealed interface Want {

    /** Nothing, until it is woken. */
    Want BLOCK = new Block();
    /** Nothing any more. */
    Want END = new End();

    /** To compute, nanoseconds of CPU time. */
    record Compute(long nanos) implements Want {
    }

    /** To be left alone, nanoseconds. */
    record Sleep(long nanos) implements Want {
    }

    /** To ask over and over, using the CPU, until it is so. */
    record Spin(BooleanSupplier until) implements Want {
    }

    /** To wait for a wake-up; one that came meanwhile counts. */
    record Block() implements Want {
    }

    /** To do nothing any more. */
    record End() implements Want {
    }
}
