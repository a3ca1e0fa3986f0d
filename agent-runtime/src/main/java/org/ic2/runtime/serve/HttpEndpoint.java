// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;

/** What is answered over HTTP, for as long as it is open. */
public interface HttpEndpoint extends AutoCloseable {

    /** Where it is, for people, with the port that the system chose if 0 was asked for. */
    String address();

    @Override
    void close() throws IOException;
}
