// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

/** TLS to a server that must be the one of the URL. Whom it believes is read again when the file has changed; sessions are resumed. */
final class TlsClient {

    private final Optional<Path> authorities;
    private List<Object> version = List.of();
    private Optional<SSLContext> context = Optional.empty();

    /** @param authorities PEM file of those who may have signed the server's certificate; empty: whom the Java runtime believes */
    TlsClient(Optional<Path> authorities) {
        this.authorities = authorities;
    }

    /**
     * Shakes hands.
     *
     * @throws IOException that says in one line what is wrong with the file, the server or its certificate
     */
    ByteChannel over(SocketChannel channel, URI uri, Endpoint.Tcp server) throws IOException {
        SSLEngine engine = context().createSSLEngine(server.host(), server.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        try {
            return new TlsChannel(channel, engine);
        } catch (SSLException | EOFException e) {
            throw new IOException(uri + ": " + reason(e, server.host()), e);
        }
    }

    private synchronized SSLContext context() throws IOException {
        try {
            if (authorities.isEmpty()) {
                return SSLContext.getDefault();
            }
            Path file = authorities.get();
            List<Object> now = Files.exists(file) ? List.of(Files.getLastModifiedTime(file), Files.size(file)) : List.of();
            if (context.isEmpty() || !now.equals(version)) {
                context = Optional.of(believing(PemCertificates.read(file)));
                version = now;
            }
            return context.get();
        } catch (IOException e) {
            throw new IOException("ca-file: " + e.getMessage(), e);
        } catch (GeneralSecurityException e) {
            throw new IOException("ca-file: " + authorities.map(Path::toString).orElse("Java's own") + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static SSLContext believing(List<X509Certificate> certificates) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (X509Certificate one : certificates) {
            store.setCertificateEntry("ca-" + store.size(), one);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private String reason(IOException failed, String host) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            Object invalid = cause instanceof CertPathValidatorException one ? one.getReason() : "";
            if (invalid == BasicReason.EXPIRED) {
                return "its certificate has expired: " + BoundedText.brief(cause.getMessage());
            }
            if (cause instanceof CertPathBuilderException || invalid == PKIXReason.NO_TRUST_ANCHOR) {
                return "its certificate is signed by nobody whom " + authorities.map(file -> "ca-file " + file + " names")
                        .orElse("this machine believes; give the certificate of its authority, or its own, as ca-file");
            }
            if (cause instanceof CertificateException && cause.getMessage().startsWith("No ")) {      // name that it is for
                return "its certificate is not for " + host + ": " + BoundedText.brief(cause.getMessage());
            }
        }
        return failed.getMessage().matches("(?i).*unrecognized SSL message.*") ? "no TLS is spoken there; is it http?"
                : "TLS failed: " + BoundedText.brief(failed.getMessage());
    }
}
