// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ic2.runtime.host.PageAccess;
import org.ic2.runtime.host.PageAccess.Login;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** The keys beside the URL of a page that is not for everybody. */
public final class PageKeys {
    /** What a URL may have beside it. */
    static final List<String> ALL = List.of("ca-file", "user", "password-file");

    private PageKeys() {
    }

    /** Reads the keys {@code ca-file}, {@code user} and {@code password-file}. */
    public static PageAccess access(YamlMap settings, URI url) throws ConfigException {
        Optional<Path> authorities = settings.optionalParsed("ca-file", Path::of);
        Optional<String> user = settings.optionalText("user");
        Optional<Path> password = settings.optionalParsed("password-file", Path::of);
        if (authorities.isPresent() && !url.getScheme().equals("https")) {
            throw settings.error("ca-file", "expected it with an https URL only, whose server's certificate its authorities have signed");
        }
        if (user.isPresent() != password.isPresent()) {
            throw settings.error(user.isPresent() ? "user" : "password-file", "expected user and password-file together, got one of them");
        }
        Optional<Login> login = settings.optionalParsed("user", name -> new Login(name, password.orElseThrow()));
        return new PageAccess(authorities, login);
    }
}
