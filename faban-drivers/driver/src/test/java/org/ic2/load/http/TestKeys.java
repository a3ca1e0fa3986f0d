// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A key for localhost and its certificate, made by the JDK's keytool when a test needs them.
 *
 * @param server      context for a TLS server
 * @param certificate the certificate as PEM
 */
public record TestKeys(SSLContext server, String certificate) {
    /** Makes a key below a folder. */
    public static TestKeys in(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        char[] password = Long.toHexString(new SecureRandom().nextLong()).concat("-password").toCharArray();
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "server", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=localhost",
                "-ext", "san=dns:localhost,ip:127.0.0.1", "-validity", "30", "-storetype", "PKCS12",
                "-keystore", store.toString(), "-storepass", new String(password)).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes());
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed: " + said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, password);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        String pem = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder().encodeToString(keys.getCertificate("server").getEncoded())
                + "\n-----END CERTIFICATE-----\n";
        return new TestKeys(context, pem);
    }
}
