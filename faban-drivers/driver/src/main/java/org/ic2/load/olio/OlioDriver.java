// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.xml.xpath.XPathExpressionException;
import org.ic2.load.http.Form;
import org.ic2.load.http.HttpUser;
import org.ic2.load.spi.Idling;
import org.ic2.load.spi.LoadObserver;
import org.ic2.load.workload.Popularity;

/**
 * One emulated user of the calendar: seven operations, mixed by Olio's matrix, negative-exponential cycle times with a
 * mean of 5 s (paper, section 5). Everything that a user waits for is inside the operation's time: the page, its files
 * that the browser does not have yet, redirects and reconnects.
 *
 * <p>Faban and the embedded runtime read the annotations at run time, each from its own annotation classes, whose defaults
 * may differ: so every value on which the two must agree is stated here.
 */
@BenchmarkDefinition(name = "OlioDriver", version = "0.1", runControl = RunControl.TIME, metric = "ops/sec",
        scaleName = "Concurrent Users", scaleUnit = "", maxRunTime = 24, configPrecedence = false)
@BenchmarkDriver(name = "OlioDriver", metric = "ops/sec", opsUnit = "operations", threadPerScale = 1,
        percentiles = {"90", "95", "99"}, responseTimeUnit = TimeUnit.MILLISECONDS)
@MatrixMix(
        operations = {"HomePage", "Login", "TagSearch", "EventDetail", "PersonDetail", "AddPerson", "AddEvent"},
        mix = {
            @Row({0, 11, 52, 36, 0, 1, 0}),
            @Row({0, 0, 60, 20, 0, 0, 20}),
            @Row({21, 6, 41, 31, 0, 1, 0}),
            @Row({72, 21, 0, 0, 6, 1, 0}),
            @Row({52, 6, 0, 31, 11, 0, 0}),
            @Row({0, 0, 0, 0, 100, 0, 0}),
            @Row({0, 0, 0, 100, 0, 0, 0})
        },
        deviation = 2)
@NegativeExponential(cycleType = CycleType.CYCLETIME, cycleMin = 0, truncateAtMin = true, cycleMean = 5000,
        cycleMax = 25000, cycleDeviation = 2)
public class OlioDriver implements Idling, Closeable {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final String[] WORDS = {"music", "open-air", "film", "garden", "chess", "jazz", "theatre", "running",
        "books", "cooking", "science", "family", "market", "dance", "history", "photo"};

    private final Profile profile;
    private final DriverContext context;
    private final OlioSettings settings;
    private final LoadObserver observer;
    private final HttpUser browser;
    private final Site site;
    private final Random random;
    private final String newcomers;
    private int newcomer;
    private Site.Size size;
    private Popularity events;
    private Popularity tags;
    private String[] tagWords;

    /**
     * A user of the runtime's current thread. Does no I/O.
     *
     * @throws IllegalArgumentException when run.xml says something wrong about server, client or workload
     */
    public OlioDriver() {
        this(Profile.PUBLIC);
    }

    /** The same with the behaviour of a profile. */
    OlioDriver(Profile profile) {
        this.profile = profile;
        context = DriverContext.getContext();
        settings = OlioSettings.read(profile, this::configured);
        observer = context instanceof LoadObserver listening ? listening : LoadObserver.NONE;
        Clock clock = Clock.systemUTC();
        int id = context.getThreadId();
        browser = new HttpUser(settings.http(), observer, clock);
        browser.comeFrom(id);
        site = new Site(browser, observer, clock, !settings.files() ? PageFiles.NONE : profile.original()
                ? new OriginalFiles(browser, observer, settings.pictures(), clock.instant()) : new KeptFiles(browser, observer));
        random = new Random((settings.seed() == null ? System.nanoTime() : settings.seed()) ^ (id + 1) * GOLDEN);
        newcomers = "u" + Long.toString(System.currentTimeMillis(), 36) + "." + id + ".";
        if (settings.http().eager() && observer == LoadObserver.NONE && id == 0) {
            context.getLogger().info("closeDetection eager needs the embedded runtime; on Faban a close by the server is"
                    + " noticed at the connection's next use (lazy)");
        }
    }

    /** Home page; a logged-in user may have left before. */
    @BenchmarkOperation(name = "HomePage", percentileLimits = {1000, 1500, 2000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void homePage() throws IOException {
        prepare();
        if (site.loggedIn() && random.nextDouble() < settings.leave()) {
            site.becomeAnonymous();
        }
        context.recordTime();
        site.visit("/", "home");
        done();
    }

    /** A visitor logs in; 40 % of them at a browser with an empty cache. */
    @BenchmarkOperation(name = "Login", percentileLimits = {1000, 1500, 2000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void login() throws IOException {
        prepare();
        context.recordTime();
        loginAsSomebody();
        done();
    }

    /** Events of a tag. */
    @BenchmarkOperation(name = "TagSearch", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void tagSearch() throws IOException {
        prepare();
        int tag = tags.at(random.nextDouble());
        context.recordTime();
        if (profile.original()) {
            site.submit("/search", Form.urlEncoded(Map.of("tag", tagWords[tag - 1])), "tag");
        } else {
            site.visit("/tag/" + tag, "tag");
        }
        done();
    }

    /** One event; a logged-in user attends it in one of ten cases. */
    @BenchmarkOperation(name = "EventDetail", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void eventDetail() throws IOException {
        prepare();
        String path = "/event/" + events.at(random.nextDouble());
        boolean attend = random.nextDouble() < settings.attend() && site.loggedIn();
        context.recordTime();
        if (attend) {
            String token = site.form(path, "event");
            site.submit(path + "/attend", Form.urlEncoded(Map.of("_csrf", token)), "event");
        } else {
            site.visit(path, "event");
        }
        done();
    }

    /** One person. */
    @BenchmarkOperation(name = "PersonDetail", percentileLimits = {2000, 3000, 4000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void personDetail() throws IOException {
        prepare();
        String path = "/person/" + anyPerson();
        context.recordTime();
        site.visit(path, "person");
        done();
    }

    /** A new person registers, with a picture. */
    @BenchmarkOperation(name = "AddPerson", percentileLimits = {3000, 3500, 4000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void addPerson() throws IOException {
        prepare();
        byte[] picture = Picture.png(profile.pictureSide(), random);
        Map<String, String> fields = new LinkedHashMap<>();
        String login = newcomers + newcomer++;
        fields.put("login", login);
        fields.put("password", "pass-" + login);
        fields.put("name", "Newcomer " + login);
        fields.put("city", "City " + random.nextInt(100));
        fields.put("summary", sentence(20));
        context.recordTime();
        fields.put("_csrf", site.form("/add-person", "add-person"));
        String path = site.post("/add-person", Form.multipart(fields, new Form.Upload("image", "me.png", "image/png", picture)));
        if (profile.original() && site.loggedIn()) {
            site.logOut(site.form(path, "person"));
        } else {
            site.visit(path, "person");
        }
        done();
    }

    /** A logged-in user adds an event, with a picture. A user whose login failed before logs in first. */
    @BenchmarkOperation(name = "AddEvent", percentileLimits = {4000, 4000, 4000}, timing = Timing.MANUAL,
            countToMetric = true)
    public void addEvent() throws IOException {
        prepare();
        Form.Upload picture = new Form.Upload("image", "event.png", "image/png", Picture.png(profile.pictureSide(), random));
        Form.Upload[] files = profile.document() == 0 ? new Form.Upload[] {picture} : new Form.Upload[] {picture,
            new Form.Upload("document", "event.pdf", "application/pdf", Picture.pdf(profile.document(), random))};
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("title", sentence(4));
        fields.put("summary", sentence(12));
        fields.put("description", sentence(80));
        fields.put("place", "Place " + random.nextInt(1000));
        fields.put("starts", "2030-%02d-%02dT%02d:00".formatted(1 + random.nextInt(12), 1 + random.nextInt(28),
                random.nextInt(24)));
        fields.put("tags", word() + " " + word());
        context.recordTime();
        if (!site.loggedIn()) {
            loginAsSomebody();
        }
        fields.put("_csrf", site.form("/add-event", "add-event"));
        site.submit("/add-event", Form.multipart(fields, files), "event");
        done();
    }

    @Override
    public void idle(long untilNanos) {
        browser.think(untilNanos);
    }

    /** Ends the exchange that is under way, so that the user's thread can end. */
    @Override
    public void close() {
        browser.close();
    }

    /** The end of an operation that has succeeded. */
    private void done() {
        context.recordTime();
        if (!site.loggedIn()) {
            observer.anonymous();
        }
    }

    /** Learns at the first operation, outside its time, how much is loaded. Who has been there before logs in, too. */
    private void prepare() throws IOException {
        if (size == null) {
            Site.Size loaded = site.size();
            events = new Popularity(loaded.events(), settings.exponent(), settings.offset());
            tags = new Popularity(loaded.tags(), settings.exponent(), settings.offset());
            tagWords = profile.original() ? site.tagWords(loaded.tags()) : new String[0];
            size = loaded;
            if (profile.anonymous() < 1 && random.nextDouble() >= profile.anonymous()) {
                loginAsSomebody();
            }
        }
    }

    private void loginAsSomebody() throws IOException {
        site.newSession(random.nextDouble() < settings.emptyCache());
        int id = anyPerson();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("_csrf", site.form("/login", "login"));
        fields.put("login", "user" + id);
        fields.put("password", "pass" + id);
        site.login(Integer.toString(id), Form.urlEncoded(fields));
    }

    private String configured(String path) {
        try {
            return context.getXPathValue(path);
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException("run configuration: no XPath: " + path, e);
        }
    }

    private int anyPerson() {
        return 1 + random.nextInt(size.persons());
    }

    private String word() {
        return WORDS[random.nextInt(WORDS.length)];
    }

    private String sentence(int words) {
        StringBuilder text = new StringBuilder(word());
        for (int i = 1; i < words; i++) {
            text.append(' ').append(word());
        }
        return text.toString();
    }
}
