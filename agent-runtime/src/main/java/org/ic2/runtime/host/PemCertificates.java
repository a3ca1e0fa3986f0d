// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** The certificates of a PEM file: a server's with its chain, or those of the authorities that somebody believes. */
public final class PemCertificates {

    private PemCertificates() {
    }

    /**
     * All of them, in their order: one at least.
     *
     * @throws IOException that names the file and says what was expected
     */
    public static List<X509Certificate> read(Path file) throws IOException {
        String text;
        try {
            text = BoundedText.file(file, BoundedText.FILE_BYTES, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
        int start = text.indexOf("-----BEGIN CERTIFICATE-----");
        if (start < 0) {
            throw new IOException(file + ": expected a certificate in PEM (-----BEGIN CERTIFICATE-----)");
        }
        try {
            List<X509Certificate> certificates = List.of(CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(
                    text.substring(start).getBytes(StandardCharsets.ISO_8859_1))).toArray(X509Certificate[]::new));
            if (!certificates.isEmpty()) {
                return certificates;
            }
        } catch (GeneralSecurityException | ArrayStoreException e) {
            throw new IOException(file + ": expected a certificate in PEM: " + e.getMessage(), e);
        }
        throw new IOException(file + ": expected a certificate in PEM, and it has none");
    }
}
