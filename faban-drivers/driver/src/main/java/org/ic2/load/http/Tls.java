// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Makes TLS contexts. Each user has its own, because a context is also the cache of sessions that can be resumed. */
public final class Tls {
    private final TrustManager[] trust;
    private final boolean checkName;
    private final boolean resume;

    private Tls(TrustManager[] trust, boolean checkName, boolean resume) {
        this.trust = trust;
        this.checkName = checkName;
        this.resume = resume;
    }

    /**
     * Trusts as configured.
     *
     * @param trust  {@code any} (no check at all: for test servers), {@code system}, or the path of a PEM file with
     *               certificates
     * @param resume whether a user resumes its sessions
     * @throws HttpFailure when the file cannot be read or holds no certificate
     */
    public static Tls of(String trust, boolean resume) throws HttpFailure {
        return new Tls(switch (trust) {
            case "any" -> new TrustManager[] {new TrustAny()};
            case "system" -> null;
            default -> fromPem(Path.of(trust));
        }, !trust.equals("any"), resume);
    }

    /** Whether the certificate has to name the server. */
    boolean checksName() {
        return checkName;
    }

    /** Whether a user resumes its sessions. */
    boolean resumes() {
        return resume;
    }

    /** A context with an empty cache of sessions. */
    SSLContext newContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no TLS", e);
        }
    }

    private static TrustManager[] fromPem(Path file) throws HttpFailure {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int n = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("trusted-" + n++, one);
            }
            if (n == 0) {
                throw new HttpFailure("tls trust: expected certificates in PEM form in " + file + ", found none");
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new HttpFailure("tls trust: expected 'any', 'system' or a readable PEM file, got " + file + ": " + e, e);
        }
    }

    /** Accepts every certificate: the load is meant for a testbed whose certificate was made a minute ago. */
    private static final class TrustAny implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
