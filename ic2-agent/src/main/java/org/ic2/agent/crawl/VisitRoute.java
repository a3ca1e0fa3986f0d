// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * Where a site's pages are fetched from, and from which addresses of ours.
 *
 * @param server    is connected to; {@code Host} and the name in TLS stay those of the URL
 * @param local     the server's address is this machine's own
 * @param visitors  two addresses of ours that differ; empty: the machine's own, so all visitors have one
 * @param caveat    what follows from one address, in words; empty when there are two
 */
public record VisitRoute(InetSocketAddress server, boolean local, List<InetAddress> visitors, Optional<String> caveat) {

    private static final int LOOK_MILLIS = 500;

    public VisitRoute {
        visitors = List.copyOf(visitors);
    }

    /**
     * Finds the address.
     *
     * @param at {@code ADDRESS} or {@code ADDRESS:PORT} to connect to instead of the site's own
     * @throws IOException in one line, when there is none
     */
    public static VisitRoute of(WebSite site, Optional<String> at) throws IOException {
        if (at.isPresent()) {
            return seenFromHere(given(at.get(), site.port()), site, false);
        }
        InetAddress[] found;
        try {
            found = InetAddress.getAllByName(site.host());
        } catch (UnknownHostException e) {
            throw new IOException(site.host() + " has no address here; --at ADDRESS says where to connect", e);
        }
        InetAddress best = found[0];
        int rank = -1;
        for (InetAddress address : found) {
            int its = (isLocal(address) ? 2 : 0) + (address instanceof Inet4Address ? 1 : 0);
            if (its > rank) {
                best = address;
                rank = its;
            }
        }
        return seenFromHere(new InetSocketAddress(best, site.port()), site, true);
    }

    private static InetSocketAddress given(String at, int usual) throws IOException {
        boolean bracketed = at.startsWith("[");
        int end = bracketed ? at.indexOf(']') + 1 : at.indexOf(':') == at.lastIndexOf(':') && at.contains(":") ? at.indexOf(':') : at.length();
        String port = end > 0 && end < at.length() && at.charAt(end) == ':' ? at.substring(end + 1) : "";
        boolean plain = end == at.length();
        if (end > 0 && (plain || port.matches("[0-9]{1,5}") && Integer.parseInt(port) >= 1 && Integer.parseInt(port) <= 65_535)) {
            try {
                return new InetSocketAddress(InetAddress.getByName(at.substring(0, end)), plain ? usual : Integer.parseInt(port));
            } catch (UnknownHostException e) {
                // said below
            }
        }
        throw new IOException("--at: expected ADDRESS or ADDRESS:PORT, such as 127.0.0.1:8080, got \"" + at + "\"");
    }

    /** Linux lets a connection to any address of the machine itself come from any of 127.0.0.0/8. */
    private static VisitRoute seenFromHere(InetSocketAddress server, WebSite site, boolean offer) throws IOException {
        InetAddress address = server.getAddress();
        boolean local = isLocal(address);
        if (local && address instanceof Inet4Address) {
            return new VisitRoute(server, true, List.of(loopback(2), loopback(3)), Optional.empty());
        }
        boolean listens = offer && listensHere(server.getPort());
        return new VisitRoute(server, local, List.of(), Optional.of("both visitors have one address, as " + site.host() + " is "
                + address.getHostAddress() + (local ? ", an IPv6 address" : ", another machine") + ": a page that shows its visitor's"
                + " address cannot be told from one that is the same for all" + (listens ? "; --at 127.0.0.1 asks the server on this machine"
                : "")));
    }

    /** That a site's certificate is not checked on this way, in words; empty where it is, or where there is none. */
    public Optional<String> uncheckedCertificate(WebSite site) {
        return local && site.secure() ? Optional.of("the certificate was not checked, as " + site.host() + " was asked at this machine's own"
                + " address " + server.getAddress().getHostAddress()) : Optional.empty();
    }

    private static InetAddress loopback(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number});
    }

    private static boolean isLocal(InetAddress address) throws SocketException {
        return address.isLoopbackAddress() || address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    private static boolean listensHere(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(loopback(1), port), LOOK_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
