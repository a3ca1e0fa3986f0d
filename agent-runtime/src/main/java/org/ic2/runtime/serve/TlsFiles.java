// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.PemCertificates;
import org.ic2.runtime.host.SecretFile;

/**
 * A certificate with its chain and its key, as PEM files have them.
 *
 * @param certificate the server's own first
 * @param key         in PKCS #8, not encrypted; of RSA or an elliptic curve
 */
public record TlsFiles(Path certificate, Path key) {

    private static final int LONGEST = 256 * 1024;
    private static final Pattern PEM = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    /**
     * What the files have, read and found to fit together.
     *
     * @param names that the certificate is for, in small letters; {@code *.} before a domain stands for any one name in it
     */
    public record Identity(SSLContext context, X509Certificate own, Set<String> names) {

        /** True if the certificate is for a name. */
        public boolean isFor(String name) {
            String small = name.toLowerCase(Locale.ROOT);
            return names.contains(small) || names.contains("*" + small.substring(Math.max(0, small.indexOf('.'))));
        }
    }

    /**
     * Reads them.
     *
     * @throws IOException that names the file and says what was expected and what to do
     */
    public Identity read() throws IOException {
        X509Certificate[] chain = PemCertificates.read(certificate).toArray(X509Certificate[]::new);
        PrivateKey secret = secret(chain[0].getPublicKey().getAlgorithm());
        try {
            fit(chain[0], secret);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("ic2", secret, new char[0], chain);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return new Identity(context, chain[0], names(chain[0]));
        } catch (GeneralSecurityException e) {
            throw new IOException(certificate + " and " + key + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** When either was last changed; empty when that cannot be told. */
    Optional<List<Object>> version() {
        try {
            return Optional.of(List.of(Files.getLastModifiedTime(certificate), Files.size(certificate), Files.getLastModifiedTime(key)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String text(Path file) throws IOException {
        try {
            return BoundedText.file(file, LONGEST, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private PrivateKey secret(String algorithm) throws IOException {
        String text = text(key);
        SecretFile.requirePrivate(key);
        Matcher pem = PEM.matcher(text);
        while (pem.find()) {
            if (pem.group(1).equals("PRIVATE KEY")) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(
                            Base64.getMimeDecoder().decode(pem.group(2))));
                } catch (GeneralSecurityException | IllegalArgumentException e) {
                    throw new IOException(key + ": expected a key of kind " + algorithm + ", as the certificate's: " + e.getMessage(), e);
                }
            }
        }
        throw new IOException(key + ": expected a key in PKCS #8 (-----BEGIN PRIVATE KEY-----), not encrypted; make it with"
                + " \"openssl pkcs8 -topk8 -nocrypt -in " + key + "\"");
    }

    private void fit(X509Certificate own, PrivateKey secret) throws IOException, GeneralSecurityException {
        String algorithm = "SHA256with" + (secret.getAlgorithm().equals("EC") ? "ECDSA" : secret.getAlgorithm());
        byte[] any = "fits".getBytes(StandardCharsets.US_ASCII);
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(secret);
        signature.update(any);
        byte[] signed = signature.sign();
        signature.initVerify(own.getPublicKey());
        signature.update(any);
        if (!signature.verify(signed)) {
            throw new IOException(key + " is not the key of the certificate in " + certificate);
        }
    }

    private static Set<String> names(X509Certificate own) throws GeneralSecurityException {
        Set<String> names = new TreeSet<>();
        if (own.getSubjectAlternativeNames() != null) {
            own.getSubjectAlternativeNames().stream().filter(name -> name.get(0).equals(DNS_NAME) || name.get(0).equals(IP_ADDRESS))
                    .forEach(name -> names.add(name.get(1).toString().toLowerCase(Locale.ROOT)));
        }
        return names;
    }
}
