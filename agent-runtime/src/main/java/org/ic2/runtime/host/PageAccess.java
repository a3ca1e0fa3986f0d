// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;

/**
 * How a page is asked that is not for everybody: under TLS, by a user with a password, or both.
 *
 * @param authorities PEM file of those who may have signed the server's certificate; empty: whom the Java runtime believes
 * @param login       who asks; empty: nobody in particular
 */
public record PageAccess(Optional<Path> authorities, Optional<Login> login) {

    /** For everybody. */
    public static final PageAccess OPEN = new PageAccess(Optional.empty(), Optional.empty());

    /**
     * A user of the page.
     *
     * @param user         without a colon
     * @param passwordFile read anew each time, so that the password may change
     */
    public record Login(String user, Path passwordFile) {
        public Login {
            if (!user.matches("[^:\\p{Cntrl}]{1,128}")) {
                throw new IllegalArgumentException("expected a user's name without a colon, got \"" + user + "\"");
            }
        }

        /** The header's line (RFC 7617). */
        String header() throws IOException {
            String password;
            try {
                password = SecretFile.read(passwordFile);
            } catch (IOException e) {
                throw new IOException("password-file: " + e.getMessage(), e);
            }
            if (password.chars().anyMatch(Character::isISOControl)) {
                throw new IOException("password-file: " + passwordFile + " has more than one line, or control characters; expected the password alone");
            }
            return "Authorization: Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)) + "\r\n";
        }
    }

    /** Checks a URL: http or https, with a host, without a fragment, and without a password, which errors and logs would show. */
    public static URI uri(String url) {
        URI uri = URI.create(withoutLogin(url));
        if (!Set.of("http", "https").contains(String.valueOf(uri.getScheme())) || uri.getHost() == null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("expected a URL such as https://10.0.0.5:8404/stats;csv, got \"" + url + "\"");
        }
        return uri;
    }

    /** Refuses a URL with a user or a password in it, and does not repeat it. */
    static String withoutLogin(String url) {
        if (url.matches("(?s)[A-Za-z][A-Za-z0-9+.-]*://[^?#]*@.*")) {
            throw new IllegalArgumentException("expected a URL without a user and a password in it, where everybody would see them");
        }
        return url;
    }

    /** True if the password goes through a network that others may read. */
    public boolean isSeen(URI uri) {
        return login.isPresent() && uri.getScheme().equals("http") && !uri.getHost().matches("localhost|127\\.[\\d.]+|\\[::1]");
    }
}
