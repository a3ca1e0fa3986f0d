// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.daemon.Agent;
import org.ic2.knowledge.control.Ladder;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Mode;

/**
 * {@code ic2 check --ladder}: puts each rung in force, looks at a page as visitors do, and restores what ran before,
 * whatever happens. Through the executor, so with its bounds, verification and journal; after a kill the next start of
 * the agent finds the intent there and restores the baseline.
 */
final class LadderTrial {

    /** Nobody's ladder is longer; a bound may be. */
    private static final int MOST_RUNGS = 16;
    /** One to be kept, one to be answered from the cache, and one more in case the first was old by then. */
    private static final int VISITS = 3;
    private static final String WHAT = "ladder";

    private final AgentConfig config;
    private final URI page;
    private final Optional<String> cookie;
    private final Ladder ladder;
    private final List<Finding> findings = new ArrayList<>();
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5)).proxy(HttpClient.Builder.NO_PROXY).build();
    private boolean over;

    /**
     * @param page   one that anonymous visitors see
     * @param cookie {@code NAME=VALUE} of somebody who is logged in
     */
    LadderTrial(AgentConfig config, URI page, Optional<String> cookie) {
        this.config = config;
        this.page = page;
        this.cookie = cookie;
        this.ladder = config.policy().ladder();
    }

    List<Finding> findings() throws IOException, InterruptedException {
        if (new AgentClient(config.journal()).runs()) {
            return refused("an agent is running; stop it first (systemctl stop ic2), the trial would look to it like someone else");
        }
        if (ladder.highest() == 0) {
            return refused("it has no rung: add mitigation to levers and bounds, or write rungs under ladder");
        }
        Clock clock = Clock.systemUTC();
        try (TierLock lock = ByHand.lock(config);
                Journal journal = new Journal(config.journal(), clock, config.vocabulary().knobs());
                HostPool hosts = config.hosts(config.journal().resolveSibling("ssh"));
                Executor executor = Agent.executor(config, hosts, journal, clock, System::nanoTime)) {
            lock.hold(config.withMode(Mode.ACT).servers());
            Settings before = executor.readRunning();
            Settings home = config.policy().baseline();
            if (!executor.open().isEmpty() || ladder.knobs().stream().anyMatch(knob -> !before.same(home, knob))) {
                return refused("not the baseline is in force, or not for sure, but " + before.only(ladder.knobs()).describe()
                        + "; run \"ic2 restore\" first");
            }
            tryRungs(executor, before);
        } catch (IOException e) {
            return refused(e.getMessage());
        }
        return findings;
    }

    private List<Finding> refused(String why) {
        findings.add(new Finding(false, true, WHAT, why));
        return findings;
    }

    private void tryRungs(Executor executor, Settings before) throws IOException, InterruptedException {
        Thread hook = new Thread(() -> goHome(executor, before), "ladder");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            Visit usual = visit();
            int top = Math.min(ladder.highest(), MOST_RUNGS);
            boolean kept = false;
            for (int rung = 1; rung <= top; rung++) {
                Settings desired = before.with(ladder.rung(rung));
                Optional<String> problem = move(executor, rung, desired);
                if (problem.isPresent()) {
                    findings.add(new Finding(false, true, "rung " + rung, problem.get()));
                    break;
                }
                kept |= judge(rung, usual);
            }
            if (!kept) {
                findings.add(new Finding(false, false, WHAT, "no rung answers " + page + " from the cache" + why(usual)));
            }
        } finally {
            goHome(executor, before);
            forget(hook);
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
    private synchronized Optional<String> move(Executor executor, int rung, Settings desired)
            throws InterruptedException {
        if (over) {
            return Optional.of("the trial was ended");
        }
        Result result = executor.execute(new ChangeRequest("check-" + rung, ChangeRequest.Origin.OPERATOR, "TRY",
                "ic2 check tries rung " + rung, desired, false, Optional.empty()));
        return result instanceof Result.Applied ? Optional.empty() : Optional.of(result.text());
    }

    private synchronized void goHome(Executor executor, Settings before) {
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

    /** What anonymous visitors see, one after the other, and what somebody sees. */
    private record Visit(List<PageView> anonymous, Optional<PageView> somebody) {

        boolean hit() {
            return anonymous.stream().anyMatch(PageView::hit);
        }

        PageView first() {
            return anonymous.get(0);
        }
    }

    private Visit visit() throws IOException, InterruptedException {
        List<PageView> anonymous = new ArrayList<>();
        for (int i = 0; i < VISITS; i++) {
            anonymous.add(PageView.of(client, page, Optional.empty()));
        }
        return new Visit(anonymous, cookie.isPresent() ? Optional.of(PageView.of(client, page, cookie)) : Optional.empty());
    }

    /** True if the page was answered from a cache. */
    private boolean judge(int rung, Visit usual) throws InterruptedException {
        String name = "rung " + rung;
        try {
            Visit now = visit();
            List<String> faults = faults(usual, now);
            long hits = now.anonymous().stream().filter(PageView::hit).count();
            String seen = ladder.rung(rung).describe() + ": " + now.first().face() + ", " + now.first().bytes() + " bytes, "
                    + hits + " of " + VISITS + " from the cache";
            findings.add(new Finding(faults.isEmpty(), true, name, faults.isEmpty() ? seen
                    : String.join("; ", faults) + " (" + seen + ")"));
            return hits > 0;
        } catch (IOException e) {
            findings.add(new Finding(false, true, name, e.getMessage()));
            return false;
        }
    }

    private List<String> faults(Visit usual, Visit now) {
        List<String> faults = new ArrayList<>();
        for (PageView view : now.anonymous()) {
            if (!view.face().equals(usual.first().face()) && faults.isEmpty()) {
                faults.add("anonymous visitors see another page; without a rung it is " + usual.first().face());
            }
        }
        now.anonymous().stream().filter(view -> view.hit() && !view.cookies().isEmpty()).findFirst().ifPresent(view ->
                faults.add("the cache hands one visitor's cookie " + view.cookieNames() + " to others: replace"
                        + " mitigation.conf, or leave out what sets the cookie"));
        now.somebody().ifPresent(view -> {
            PageView then = usual.somebody().orElseThrow();
            if (view.cache().isPresent() && then.cache().isEmpty()) {
                faults.add("who has the cookie " + cookie.orElseThrow().split("=", 2)[0] + " is taken for anonymous: name"
                        + " it in MITIGATION_SESSION_COOKIE");
            } else if (!view.face().equals(then.face())) {
                faults.add("who has the cookie sees another page: " + view.face() + "; without a rung it is " + then.face());
            }
        });
        return faults;
    }

    /** What keeps a page from being kept, as far as it shows. */
    private static String why(Visit usual) {
        PageView view = usual.first();
        if (usual.hit()) {
            return "";
        }
        if (!view.cookies().isEmpty()) {
            return ": it sets the cookie " + view.cookieNames();
        }
        if (view.control().matches("(?i).*(?:private|no-store|no-cache).*")) {
            return ": it says Cache-Control: " + view.control();
        }
        return ": is MITIGATION_APPLICATION the file that builds it, and what do its rewrite rules add?";
    }
}
