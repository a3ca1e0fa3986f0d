// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;
import javax.net.ssl.SSLEngine;

/** What TLS needs of the server: its certificate and key, read again when the files have changed, as they do every few weeks. */
public final class TlsServer {

    private static final Logger LOG = Logger.getLogger(TlsServer.class.getName());

    private final TlsFiles files;
    private Optional<List<Object>> version;
    private TlsFiles.Identity identity;
    /** Why the files could not be used when they were last looked at. */
    private String problem = "";

    /**
     * Reads the files.
     *
     * @throws IOException that names the file and says what to do
     */
    public TlsServer(TlsFiles files) throws IOException {
        this.files = files;
        version = files.version();
        identity = files.read();
    }

    /** What the files have; what they had, while they cannot be used. */
    public synchronized TlsFiles.Identity identity() {
        Optional<List<Object>> now = files.version();
        if (now.isPresent() && !now.equals(version)) {
            try {
                identity = files.read();
                version = now;
                problem = "";
                LOG.info(() -> "the certificate in " + files.certificate() + " was read again");
            } catch (IOException e) {
                // tried again with the next connection: a chmod or chown that mends it changes no time
                if (!problem.equals(e.getMessage())) {
                    problem = e.getMessage();
                    LOG.severe("the certificate stays as it was: " + problem);
                }
            }
        }
        return identity;
    }

    SSLEngine engine() {
        SSLEngine engine = identity().context().createSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }
}
