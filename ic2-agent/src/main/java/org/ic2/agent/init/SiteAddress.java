// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where visitors find a site of this machine.
 *
 * @param name   of the virtual host
 * @param secure by HTTPS
 */
record SiteAddress(String name, int port, boolean secure) {

    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final String LOCAL = "127.0.0.1";
    private static final String LOCAL_NAME = "localhost";

    /**
     * The sites of some virtual hosts, those without TLS first.
     *
     * @param hosts    places of virtual hosts; an empty one, that of the main server, stands for all
     * @param hostName of the machine; may be empty
     */
    static List<SiteAddress> of(Set<String> hosts, HttpdDump dump, HttpdConfig config, String hostName) {
        Set<String> secure = config.all("sslengine").filter(directive -> directive.argument().equalsIgnoreCase("on"))
                .map(HttpdDirective::host).collect(Collectors.toSet());
        Set<SiteAddress> sites = new LinkedHashSet<>();
        boolean all = hosts.contains("") || dump.virtualHosts().stream().noneMatch(host -> hosts.contains(host.place()));
        dump.virtualHosts().stream().filter(host -> all || hosts.contains(host.place())).forEach(host -> {
            boolean tls = secure.contains(host.place()) || host.port() == HTTPS;
            int port = host.port() == 0 ? tls ? HTTPS : HTTP : host.port();
            names(host, dump, config, hostName).forEach(name -> sites.add(new SiteAddress(name, port, tls)));
        });
        if (sites.isEmpty()) {
            String name = config.value("servername").orElse("");
            names(name, guessed(name), hostName).forEach(each -> sites.add(new SiteAddress(each, plainPort(config), false)));
        }
        List<SiteAddress> sorted = new ArrayList<>(sites);
        sorted.sort(Comparator.comparing(SiteAddress::secure));
        return List.copyOf(sorted);
    }

    /**
     * What a virtual host may be called. Without a ServerName httpd guesses one, which the application need not know; then
     * other names of this machine may do. They lead to the first virtual host of a port alone.
     */
    private static Set<String> names(HttpdDump.VirtualHost host, HttpdDump dump, HttpdConfig config, String hostName) {
        Optional<String> own = config.all("servername").filter(directive -> directive.host().equals(host.place()))
                .map(HttpdDirective::argument).findFirst().or(() -> config.value("servername"));
        boolean first = dump.virtualHosts().stream().filter(each -> each.port() == host.port()).findFirst().filter(host::equals).isPresent();
        return names(host.name(), first && guessed(own.orElse("")), hostName);
    }

    private static Set<String> names(String name, boolean guessed, String hostName) {
        Set<String> names = new LinkedHashSet<>();
        names.add(plain(name));
        if (guessed) {
            names.add(LOCAL_NAME);
            names.add(plain(hostName));
        }
        return names;
    }

    /** True for no name, or an address in its place. */
    private static boolean guessed(String name) {
        return name.isEmpty() || plain(name).matches("[0-9.]+");
    }

    private static String plain(String name) {
        String bare = name.replaceFirst("^https?://", "").replaceFirst(":\\d+$", "");
        return bare.matches("[A-Za-z0-9.-]{1,200}") ? bare : LOCAL_NAME;
    }

    /** The first port on which httpd takes requests without TLS. */
    static int plainPort(HttpdConfig config) {
        return config.all("listen").filter(listen -> listen.arguments().size() < 2 || !listen.arguments().get(1).equalsIgnoreCase("https"))
                .map(listen -> listen.argument().replaceFirst("^.*:", "")).filter(text -> text.matches("\\d{1,5}"))
                .map(Integer::parseInt).filter(port -> port != HTTPS).findFirst().orElse(HTTP);
    }

    /** A page of it. */
    URI page(String target) {
        return URI.create((secure ? "https://" : "http://") + name + (port == (secure ? HTTPS : HTTP) ? "" : ":" + port) + target);
    }

    /** Where this machine connects to for it. */
    String here() {
        return LOCAL + ":" + port;
    }
}
