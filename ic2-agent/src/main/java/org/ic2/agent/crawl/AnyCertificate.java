// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Takes any certificate, that of a company's own authority too. Only for connections that stay on this machine: they send
 * nothing secret, and nothing that they read is believed but that two answers are the same.
 */
final class AnyCertificate extends X509ExtendedTrustManager {

    private AnyCertificate() {
    }

    static SSLSocketFactory factory() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new AnyCertificate()}, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has TLS", e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
        throw new UnsupportedOperationException("a client");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
        // any
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
        throw new UnsupportedOperationException("a client");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
        // any
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
        throw new UnsupportedOperationException("a client");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
        // any
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
