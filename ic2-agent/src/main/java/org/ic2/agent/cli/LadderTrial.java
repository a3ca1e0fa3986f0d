// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.application.Applications;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.cli.TrialVisitors.Visit;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.crawl.VisitRoute;
import org.ic2.agent.crawl.WebSite;
import org.ic2.agent.daemon.Agent;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Mode;

/**
 * {@code ic2 check --ladder}: puts each mitigation level in force, looks at a page as visitors do, and restores what
 * ran before, whatever happens. Through the executor, so with its bounds, verification and journal; after a kill the next start of
 * the agent finds the intent there and restores the baseline.
 */
final class LadderTrial {

    /** No ladder is longer; a bound may be. */
    private static final int MOST_LEVELS = 16;
    /** A page's size varies by less, as a share. */
    private static final double SIZE_TOLERANCE = 0.02;
    private static final String WHAT = "ladder";

    private final AgentConfig config;
    private final URI page;
    private final List<String> cookies;
    private final Optional<String> at;
    private final ApplicationCheck application;
    private final Ladder ladder;
    private final List<Finding> findings = new ArrayList<>();
    private boolean over;
    private boolean empty;
    private boolean ownerServed;

    /**
     * @param page    one that anonymous visitors see
     * @param cookies {@code NAME=VALUE} of one person who is logged in, all of them; none: only strangers look
     * @param at      {@code ADDRESS[:PORT]} to connect to instead of the page's host
     * @param applications that are known
     */
    LadderTrial(AgentConfig config, URI page, List<String> cookies, Optional<String> at, Applications applications) {
        this.config = config;
        this.page = page;
        this.cookies = cookies;
        this.at = at;
        this.application = new ApplicationCheck(applications, Optional.of(config.application()));
        this.ladder = config.policy().ladder();
    }

    /** True after a trial in which no level did anything, or if there is none. */
    boolean isEmpty() {
        return empty;
    }

    List<Finding> findings() throws IOException, InterruptedException {
        if (new AgentClient(config.journal()).runs()) {
            return refused("an agent is running; stop it first (systemctl stop ic2), the trial would look to it like someone else");
        }
        if (ladder.highest() == 0) {
            empty = true;
            findings.add(new Finding(false, false, WHAT, "there is no level to try: the ladder is empty. Add mitigation to levers and bounds,"
                    + " or write levels under ladder"));
            return advised();
        }
        Clock clock = Clock.systemUTC();
        try (TierLock lock = ByHand.lock(config);
                Journal journal = ByHand.journal(config, clock);
                HostPool hosts = config.hosts(config.journal().resolveSibling("ssh"));
                Executor executor = Agent.executor(config, hosts, journal, clock, System::nanoTime)) {
            lock.hold(config.withMode(Mode.ACT).servers());
            Settings before = executor.readRunning();
            Settings baseline = config.policy().baseline();
            if (!executor.open().isEmpty() || ladder.knobs().stream().anyMatch(knob -> !before.same(baseline, knob))) {
                return refused("not the baseline is in force, or not for sure, but " + before.only(ladder.knobs()).describe()
                        + "; run \"ic2 restore\" first");
            }
            tryLevels(executor, before, new TrialVisitors(page, VisitRoute.of(WebSite.of(page), at), cookies));
        } catch (IOException e) {
            return refused(e.getMessage());
        }
        return findings;
    }

    /** What the application needs so that a level can do something. */
    private List<Finding> advised() {
        try {
            TrialVisitors visitors = new TrialVisitors(page, VisitRoute.of(WebSite.of(page), at), cookies);
            findings.addAll(visitors.advice(application, visitors.visit().first()));
        } catch (IOException e) {
            findings.add(new Finding(false, false, WHAT, e.getMessage()));
        }
        return findings;
    }

    private List<Finding> refused(String why) {
        findings.add(new Finding(false, true, WHAT, why));
        return findings;
    }

    private void tryLevels(Executor executor, Settings before, TrialVisitors visitors) throws IOException, InterruptedException {
        Thread hook = new Thread(() -> restoreAll(executor, before), "ladder");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            Visit usual = visitors.visit();
            visitors.uncheckedCertificate().ifPresent(remark -> findings.add(new Finding(false, false, WHAT, remark)));
            visitors.caveat().ifPresent(caveat -> findings.add(new Finding(false, false, WHAT, caveat + ". A page is served from the"
                    + " store only after builds for two addresses were the same, so expect no hits")));
            int top = Math.min(ladder.highest(), MOST_LEVELS);
            int serving = 0;
            int working = 0;
            boolean whole = true;
            for (int level = 1; level <= top && whole; level++) {
                Optional<String> problem = move(executor, level, before.with(ladder.level(level)));
                whole = problem.isEmpty();
                if (whole) {
                    Effect effect = judge(level, usual, visitors);
                    serving += effect == Effect.SERVES ? 1 : 0;
                    working += effect == Effect.NONE ? 0 : 1;
                } else {
                    findings.add(new Finding(false, true, "level " + level, problem.orElseThrow()));
                }
            }
            sayOwner(visitors, serving);
            if (serving == 0) {
                empty = whole && working == 0 && visitors.caveat().isEmpty();
                findings.add(new Finding(false, false, WHAT, (empty ? "the ladder is empty: no level does anything that shows on " : "no level"
                        + " answers from the store: ") + page + why(usual)));
                findings.addAll(visitors.advice(application, usual.first()));
            }
        } finally {
            restoreAll(executor, before);
            forget(hook);
        }
    }

    /** What a level does to the page that shows. */
    private enum Effect { NONE, OTHER, SERVES }

    private void sayOwner(TrialVisitors visitors, int serving) {
        if (!cookies.isEmpty() && !ownerServed) {
            findings.add(new Finding(serving > 0, false, "cookie", serving > 0 ? visitors.cookieNames() + ": its owner is kept away from the"
                    + " store" : visitors.cookieNames() + ": no level answers strangers from the store, so nothing can be said of its owner"));
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // it runs
        }
    }

    /** Why it could not be put in force; empty when it is. */
    private synchronized Optional<String> move(Executor executor, int level, Settings desired)
            throws InterruptedException {
        if (over) {
            return Optional.of("the trial was ended");
        }
        Result result = executor.execute(new ChangeRequest("check-" + level, ChangeRequest.Origin.OPERATOR, "TRY",
                "ic2 check tries level " + level, desired, false, Optional.empty()));
        return result instanceof Result.Applied ? Optional.empty() : Optional.of(result.text());
    }

    private synchronized void restoreAll(Executor executor, Settings before) {
        if (over) {
            return;
        }
        over = true;
        String text;
        try {
            Result result = executor.execute(ChangeRequest.restore("check", ChangeRequest.Origin.OPERATOR,
                    "ic2 check has tried the ladder", before));
            if (result instanceof Result.Applied) {
                return;
            }
            text = result.text();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            text = "interrupted";
        }
        findings.add(new Finding(false, true, WHAT, "what ran before could not be restored: " + text
                + "; run \"ic2 restore\""));
    }

    private Effect judge(int level, Visit usual, TrialVisitors visitors) {
        String name = "level " + level;
        try {
            Visit now = visitors.visit();
            List<String> faults = faults(usual, now, visitors);
            Effect effect = effect(level, usual, now);
            boolean refused = refusesCrawlers(usual, now);
            String seen = ladder.level(level).describe() + ": " + now.first().face() + ", " + now.first().bytes() + " bytes, "
                    + now.hits() + " of " + TrialVisitors.LOOKS + " from the store" + (refused ? ", crawlers get 503" : "")
                    + (effect == Effect.NONE ? ", nothing else that shows on this page" : "");
            findings.add(new Finding(faults.isEmpty(), true, name, faults.isEmpty() ? seen
                    : String.join("; ", faults) + " (" + seen + ")"));
            return effect;
        } catch (IOException e) {
            findings.add(new Finding(false, true, name, e.getMessage()));
            return Effect.OTHER;
        }
    }

    private Effect effect(int level, Visit usual, Visit now) {
        if (now.hits() > 0) {
            return Effect.SERVES;
        }
        boolean others = ladder.knobs().stream().anyMatch(knob -> knob != Lever.MITIGATION && moves(level, knob));
        int before = usual.first().bytes();
        boolean resized = Math.abs(now.first().bytes() - before) > SIZE_TOLERANCE * before;
        return others || resized || refusesCrawlers(usual, now) ? Effect.OTHER : Effect.NONE;
    }

    private boolean moves(int level, Knob knob) {
        return !ladder.level(level).same(config.policy().baseline(), knob);
    }

    private static boolean refusesCrawlers(Visit usual, Visit now) {
        return now.crawler().status() == 503 && usual.crawler().status() != 503;
    }

    private List<String> faults(Visit usual, Visit now, TrialVisitors visitors) {
        List<String> faults = new ArrayList<>();
        now.strangers().stream().filter(view -> !view.face().equals(usual.first().face())).findFirst().ifPresent(view ->
                faults.add("strangers see another page, " + view.face() + "; without a level it is " + usual.first().face()));
        now.strangers().stream().filter(view -> view.hit() && !view.cookies().isEmpty()).findFirst().ifPresent(view ->
                faults.add("the store hands one visitor's cookie " + view.cookieNames() + " to others"));
        now.owner().ifPresent(view -> {
            PageView then = usual.owner().orElseThrow();
            if (view.hit() && !then.hit() || view.cache().isPresent() && then.cache().isEmpty()) {
                ownerServed = true;
                faults.add("the owner of the cookie " + visitors.cookieNames() + " is taken for a stranger: take it out of"
                        + " StandbyHarmlessCookies and StandbyKnownCookies");
            } else if (!view.face().equals(then.face())) {
                faults.add("the owner of the cookie sees another page: " + view.face() + "; without a level it is " + then.face());
            }
        });
        return faults;
    }

    /** What keeps a page from being stored, as far as it shows. */
    private static String why(Visit usual) {
        PageView view = usual.first();
        if (usual.hits() > 0) {
            return "";
        }
        if (!view.cookies().isEmpty()) {
            return ": it sets the cookie " + view.cookieNames();
        }
        if (view.saysPrivate()) {
            return ": it says Cache-Control: " + view.control();
        }
        return view.cache().isPresent() ? ": its builds for two visitors differ, or what it answers may not be stored; \"ic2 check --crawl URL\""
                + " says where" : ": the request passes the store by (no X-Cache). Is StandbyApplication the file that builds it, and has"
                + " StandbyPages its path?";
    }
}
