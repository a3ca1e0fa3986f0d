// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.host.PageAccess;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * This server's share of the requests at an httpd that balances (mod_proxy_balancer), as the load factor of its worker: set by the form of
 * the balancer-manager and read from there. httpd keeps what it was told last, whatever becomes of the agent.
 */
final class HttpdBalancerActuator implements Actuator {

    /** The largest load factor that httpd takes; the least is 1. */
    static final int MOST = 100;
    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);
    private static final Pattern NONCE = Pattern.compile("<httpd:nonce>([0-9a-fA-F-]{1,64})</httpd:nonce>");
    private static final Pattern FACTOR = Pattern.compile("<httpd:loadfactor>(\\d{1,3}\\.\\d\\d)</httpd:loadfactor>");
    /** How much two load factors may differ that are the same: half of the last digit. */
    private static final double ROUNDING = 0.006;

    private final HttpGet manager;
    private final HttpGet form;
    private final String balancer;
    private final String worker;
    private final int whole;

    /**
     * @param url      of the balancer-manager
     * @param access   to it
     * @param balancer its name, without {@code balancer://}
     * @param worker   this server's BalancerMember
     * @param whole    the load factor of its line
     */
    HttpdBalancerActuator(Host host, URI url, PageAccess access, String balancer, String worker, int whole) {
        manager = new HttpGet(host, URI.create(url + "?xml=1"), access);
        form = new HttpGet(host, url, access);
        this.balancer = balancer;
        this.worker = worker;
        this.whole = whole;
    }

    /** What the manager says of the worker. */
    private record Known(String nonce, double factor) {
    }

    @Override
    public String name() {
        return "httpd-balancer (" + worker + " of balancer://" + balancer + " at " + form.uri() + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Share.KNOB);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        double factor = known().factor();
        long share = Math.round(Share.WHOLE * factor / whole);
        if (share < Share.KNOB.least() || share > Share.WHOLE || Math.abs(factor - whole * share / 100.0) > Math.max(ROUNDING, whole / 200.0)) {
            throw new IOException("the load factor is " + factor + ", which is no share of " + Share.KNOB.least() + " to " + Share.WHOLE
                    + " % of load-factor " + whole + "; is that the loadfactor of its BalancerMember?");
        }
        return Settings.of(Share.KNOB, (int) share);
    }

    private Known known() throws IOException, InterruptedException {
        String page = manager.fetchFromItself();
        String of = part(page, "<httpd:name>balancer://" + balancer + "</httpd:name>", "</httpd:balancer>", "balancer://" + balancer);
        Matcher nonce = NONCE.matcher(of);
        Matcher factor = FACTOR.matcher(part(of, "<httpd:name>" + worker + "</httpd:name>", "</httpd:worker>", "worker " + worker));
        if (!nonce.find() || !factor.find()) {
            throw new IOException(manager.uri() + ": expected a nonce and a loadfactor of " + worker + ", got none");
        }
        return new Known(nonce.group(1), Double.parseDouble(factor.group(1)));
    }

    private String part(String page, String from, String to, String what) throws IOException {
        int begin = page.indexOf(from);
        int end = page.indexOf(to, Math.max(0, begin));
        if (begin < 0 || end < 0) {
            throw new IOException(manager.uri() + " says nothing of " + what + (page.contains("<httpd:manager") ? "" : "; is it a balancer-manager? It"
                    + " answered \"" + BoundedText.brief(page) + "\""));
        }
        return page.substring(begin, end);
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        Known before;
        try {
            before = known();
        } catch (IOException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
        String factor = String.format(Locale.ROOT, "%.2f", whole * values.get(Share.KNOB) / 100.0);
        form.post("b=" + encoded(balancer) + "&w=" + encoded(worker) + "&nonce=" + encoded(before.nonce()) + "&w_lf=" + factor);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.US_ASCII);
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        known();
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }
}
