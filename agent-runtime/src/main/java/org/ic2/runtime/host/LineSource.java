// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Lines that arrive over time: a followed file or the output of a running command. One reader at a time. */
public interface LineSource extends AutoCloseable {

    /**
     * Takes the complete lines that have arrived since the last call; when there is none yet, waits up to
     * {@code patience} for the first.
     *
     * @throws IOException when the source is gone, with the reason; a later call tries again
     */
    List<String> drain(Duration patience) throws IOException, InterruptedException;

    @Override
    void close();
}
