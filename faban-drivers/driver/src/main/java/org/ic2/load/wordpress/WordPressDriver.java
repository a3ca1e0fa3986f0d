// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import com.sun.faban.driver.BenchmarkDefinition;
import com.sun.faban.driver.BenchmarkDriver;
import com.sun.faban.driver.BenchmarkOperation;
import com.sun.faban.driver.CycleType;
import com.sun.faban.driver.DriverContext;
import com.sun.faban.driver.MatrixMix;
import com.sun.faban.driver.NegativeExponential;
import com.sun.faban.driver.Row;
import com.sun.faban.driver.RunControl;
import com.sun.faban.driver.Timing;
import java.io.Closeable;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.xml.xpath.XPathExpressionException;
import org.ic2.load.http.HttpUser;
import org.ic2.load.spi.Idling;
import org.ic2.load.spi.LoadObserver;

/**
 * One emulated user of a WordPress, who is now an anonymous visitor, now a member, now a commenter: one
 * browser for each of them. An operation is a class of visitors, so that every report that tells operations apart tells these
 * apart. Each operation is drawn independently of the one before.
 */
@BenchmarkDefinition(name = "WordPressDriver", version = "0.1", runControl = RunControl.TIME, metric = "ops/sec",
        scaleName = "Concurrent Users", scaleUnit = "", maxRunTime = 24, configPrecedence = false)
@BenchmarkDriver(name = "WordPressDriver", metric = "ops/sec", opsUnit = "operations", threadPerScale = 1,
        percentiles = {"90", "95", "99"}, responseTimeUnit = TimeUnit.MILLISECONDS)
@MatrixMix(
        operations = {"Anonymous", "Member", "Commenter", "Search", "Feed", "Comment", "Crawler"},
        mix = {
            @Row({66, 12, 12, 6, 3, 1, 0}),
            @Row({66, 12, 12, 6, 3, 1, 0}),
            @Row({66, 12, 12, 6, 3, 1, 0}),
            @Row({66, 12, 12, 6, 3, 1, 0}),
            @Row({66, 12, 12, 6, 3, 1, 0}),
            @Row({66, 12, 12, 6, 3, 1, 0}),
            @Row({66, 12, 12, 6, 3, 1, 0})
        },
        deviation = 2)
@NegativeExponential(cycleType = CycleType.THINKTIME, cycleMin = 0, truncateAtMin = true, cycleMean = 3000,
        cycleMax = 15000, cycleDeviation = 2)
public class WordPressDriver implements Idling, Closeable {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final double PROFILE = 0.1;
    private static final double FEED_OF_COMMENTS = 0.2;
    private static final String[] WORDS = {"garden", "river", "market", "winter", "engine", "letter", "island", "copper",
        "window", "violin", "harbour", "forest", "bridge", "lantern", "meadow", "station"};

    private final WordPressSettings settings;
    private final Random random;
    private final int id;
    private final String commenterName;
    private final DriverContext context;
    private final LoadObserver observer;
    private final Visitor anonymous;
    private final Visitor member;
    private final Visitor commenter;
    private final Visitor crawler;
    private Visitor last;
    private int comments;

    /**
     * A user of the runtime's current thread. Reads the list of pages, does no other I/O.
     *
     * @throws IllegalArgumentException when run.xml says something wrong about server, client or workload
     */
    public WordPressDriver() {
        context = DriverContext.getContext();
        settings = WordPressSettings.read(this::configured);
        observer = context instanceof LoadObserver listening ? listening : LoadObserver.NONE;
        Clock clock = Clock.systemUTC();
        id = context.getThreadId();
        random = new Random((settings.seed() == null ? System.nanoTime() : settings.seed()) ^ (id + 1) * GOLDEN);
        anonymous = new Visitor(new HttpUser(settings.http(), observer, clock), observer, clock, settings);
        member = new Visitor(new HttpUser(settings.http(), observer, clock), observer, clock, settings);
        commenter = new Visitor(new HttpUser(settings.http(), observer, clock), observer, clock, settings);
        crawler = new Visitor(new HttpUser(settings.http(), observer, clock,
                "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"), observer, clock, settings);
        for (Visitor visitor : List.of(anonymous, member, commenter, crawler)) {
            visitor.browser().comeFrom(id);
        }
        last = anonymous;
        commenterName = "reader." + id + "." + Long.toString(clock.millis(), 36);
        anonymous.browser().takeCookie("_ga=GA1.1." + random.nextInt(1 << 30) + "." + id);
    }

    /** An anonymous visitor looks at a page; some come by a link of a campaign. */
    @BenchmarkOperation(name = "Anonymous", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void anonymousPage() throws IOException {
        sitDown(anonymous);
        if (random.nextDouble() < settings.emptyCache()) {
            anonymous.emptyCache();
        }
        Pages.Address address = settings.pages().popular(random);
        boolean campaign = random.nextDouble() < settings.campaign();
        String path = address.path() + (campaign ? "?utm_source=newsletter&utm_medium=email&utm_campaign=week" + random.nextInt(9) : "");
        context.recordTime();
        anonymous.visit(path, Visitor.mark(address));
        done();
    }

    /** A member looks at a page, or at the own profile. Logging in comes before, outside the operation's time. */
    @BenchmarkOperation(name = "Member", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void memberPage() throws IOException {
        sitDown(member);
        if (!member.known()) {
            String login = "member" + (1 + id % settings.members());
            member.logIn(login, "pass-" + login);
        }
        Pages.Address address = settings.pages().popular(random);
        boolean profile = random.nextDouble() < PROFILE;
        context.recordTime();
        member.visit(profile ? "/wp-admin/profile.php" : address.path(), profile ? "your-profile" : Visitor.mark(address));
        done();
    }

    /** A commenter reads a page. Leaving the first one comes before, outside the operation's time. */
    @BenchmarkOperation(name = "Commenter", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void commenterPage() throws IOException {
        sitDown(commenter);
        if (!commenter.known()) {
            commenter.comment(settings.pages().anyPost(random), commenterName, commentText());
        }
        Pages.Address address = settings.pages().popular(random);
        context.recordTime();
        commenter.visit(address.path(), Visitor.mark(address));
        done();
    }

    /** An anonymous visitor searches. */
    @BenchmarkOperation(name = "Search", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void search() throws IOException {
        sitDown(anonymous);
        String path = "/?s=" + WORDS[random.nextInt(WORDS.length)] + "+" + WORDS[random.nextInt(WORDS.length)];
        context.recordTime();
        anonymous.visit(path, "search");
        done();
    }

    /** A reader of feeds asks for one. */
    @BenchmarkOperation(name = "Feed", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void feed() throws IOException {
        sitDown(anonymous);
        String path = random.nextDouble() < FEED_OF_COMMENTS ? "/comments/feed/" : "/feed/";
        context.recordTime();
        anonymous.visit(path, "<rss");
        done();
    }

    /** A visitor leaves a comment and has to see it in the page that follows. */
    @BenchmarkOperation(name = "Comment", percentileLimits = {3000, 3500, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void comment() throws IOException {
        sitDown(commenter);
        Pages.Address post = settings.pages().anyPost(random);
        String text = commentText();
        context.recordTime();
        commenter.comment(post, commenterName, text);
        done();
    }

    /** A crawler fetches any page. */
    @BenchmarkOperation(name = "Crawler", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    public void crawl() throws IOException {
        sitDown(crawler);
        String path = settings.pages().any(random).path();
        context.recordTime();
        crawler.crawl(path);
        done();
    }

    @Override
    public void idle(long untilNanos) {
        last.browser().think(untilNanos);
    }

    /** Ends the exchange that is under way, so that the user's thread can end. */
    @Override
    public void close() {
        List.of(anonymous, member, commenter, crawler).forEach(visitor -> visitor.browser().close());
    }

    /** The end of an operation that has succeeded. */
    private void done() {
        context.recordTime();
        if (!last.known()) {
            observer.anonymous();
        }
    }

    /** Only one of the browsers has a connection: the others are not watched while the user thinks. */
    private void sitDown(Visitor visitor) {
        if (last != visitor) {
            last.browser().hangUp();
        }
        last = visitor;
    }

    private String commentText() {
        return "ic2-load: " + commenterName + " for the " + (++comments) + ". time";
    }

    private String configured(String path) {
        try {
            return context.getXPathValue(path);
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException("run configuration: no XPath: " + path, e);
        }
    }
}
