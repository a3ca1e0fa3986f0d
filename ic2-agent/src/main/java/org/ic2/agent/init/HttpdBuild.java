// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;

/**
 * What {@code apachectl -V} says.
 *
 * @param version    such as 2.4.68
 * @param mpm        event, worker or prefork; empty when no MPM is loaded
 * @param root       the directory that relative paths of the configuration begin at
 * @param configFile the main file, relative to it or absolute
 */
public record HttpdBuild(String version, String mpm, String root, String configFile) {

    private static final Pattern VERSION = Pattern.compile("(?m)^Server version: Apache/(\\d+\\.\\d+\\.\\d+)\\b");
    private static final Pattern MPM = Pattern.compile("(?m)^Server MPM:[ \\t]+(\\w+)");
    private static final Pattern ROOT = Pattern.compile("(?m)^ -D HTTPD_ROOT=\"([^\"\\n]+)\"");
    private static final Pattern FILE = Pattern.compile("(?m)^ -D SERVER_CONFIG_FILE=\"([^\"\\n]+)\"");

    static HttpdBuild parse(String output) throws IOException {
        String version = first(VERSION, output).orElseThrow(() -> new IOException(
                "expected the output of httpd -V, with a line such as \"Server version: Apache/2.4.68\", got \""
                + BoundedText.brief(output) + "\""));
        return new HttpdBuild(version, first(MPM, output).orElse(""), first(ROOT, output).orElse("/"),
                first(FILE, output).orElse("conf/httpd.conf"));
    }

    /** True for 2.4.34 and newer, whose configuration knows IfFile, and which mod_standby is built for. */
    boolean carriesTheLadder() {
        String[] parts = version.split("\\.");
        return parts[0].equals("2") && parts[1].equals("4") && parts[2].length() < 5 && Integer.parseInt(parts[2]) >= 34;
    }

    private static Optional<String> first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }
}
