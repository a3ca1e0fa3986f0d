// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/** The operating context as IC2 believes it to be (paper, figure 8). */
public enum State {
    /** First interval without interference. */
    NI1,
    /** No interference, confirmed: medians are learned, the baseline is in force. */
    NI2,
    /** Between the two sides. */
    T,
    /** First interval with interference. */
    I1,
    /** Interference, confirmed: the mitigation is in force. */
    I2
}
