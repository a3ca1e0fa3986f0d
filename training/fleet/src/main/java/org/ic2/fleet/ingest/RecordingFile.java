// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.Serializable;

/**
 * A file with a recording, as the file system shows it.
 *
 * @param path     in full
 * @param size     bytes
 * @param modified when it was changed last, epoch milliseconds
 */
record RecordingFile(String path, long size, long modified) implements Serializable {
    /** The folder that it lies in. */
    String folder() {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
