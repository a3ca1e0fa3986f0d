// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.ic2.load.http.TestKeys;
import org.ic2.load.http.TestServer;
import org.ic2.load.http.TestServer.Call;
import org.ic2.load.http.TestServer.Reply;

/** Answers as section 1 of the web application's README promises, without an application behind. Counts what is asked. */
public final class FakeOlio implements TestServer.Handler {
    static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String FILLER = "<p>An evening in the park with friends and music.</p>\n".repeat(700);
    private static final String PICTURES = "<img class=\"hero\" src=\"/media/event/7.jpg\">" + IntStream.range(0, 30)
            .mapToObj(i -> "<img loading=\"lazy\" src=\"/media/event/" + i + ".jpg\">").collect(Collectors.joining());
    private static final Pattern SESSION = Pattern.compile("olio_session=s(\\d+)");

    private final Map<String, Integer> asked = new ConcurrentHashMap<>();
    private final Map<String, byte[]> packed = new ConcurrentHashMap<>();
    private final AtomicInteger added = new AtomicInteger(2000);
    private final AtomicInteger byMembers = new AtomicInteger();
    private final AtomicInteger byVisitors = new AtomicInteger();
    private volatile String builtFor;
    private volatile long age;
    private final Map<Integer, Integer> events = new ConcurrentHashMap<>();
    private volatile byte[] lastUpload = {};

    /** A stand-alone server: a port (0 for a free one), and perhaps "tls"; prints the port. */
    public static void main(String[] arguments) throws Exception {
        boolean tls = arguments.length > 1 && arguments[1].equals("tls");
        TestServer server = new TestServer(Integer.parseInt(arguments[0]), new FakeOlio(), Duration.ofSeconds(5),
                tls ? TestKeys.in(Files.createTempDirectory("fake-olio")).server() : null);
        System.out.println(server.port());
        Thread.currentThread().join();
    }

    /** From now on every page is built for this user. */
    void buildsFor(String user) {
        builtFor = user;
    }

    /** From now on pages come from a store, that old. */
    void agesPages(long millis) {
        age = millis;
    }

    /** How often a path (ids as #) was asked for. */
    int asked(String what) {
        return asked.getOrDefault(what, 0);
    }

    /** How many public pages (home, tag, event, person) were asked for with a session, or without one. */
    int publicPages(boolean loggedIn) {
        return (loggedIn ? byMembers : byVisitors).get();
    }

    /** How often the page of each event was asked for. */
    Map<Integer, Integer> events() {
        return events;
    }

    byte[] lastUpload() {
        return lastUpload;
    }

    @Override
    public Reply handle(Call call) {
        asked.merge(call.method() + " " + call.path().replaceAll("(?<=/(event|tag|person)/)\\d+", "#"), 1, Integer::sum);
        Matcher m = SESSION.matcher(call.headers().getOrDefault("cookie", ""));
        String user = m.find() ? m.group(1) : "anon";
        return call.method().equals("POST") ? post(call, user) : get(call, user);
    }

    private Reply get(Call call, String user) {
        String path = call.path();
        if (path.equals("/api/size")) {
            return Reply.of(200, "{\"events\":2000,\"persons\":2000,\"tags\":400}");
        }
        if (path.equals("/api/tags")) {
            return Reply.of(200, IntStream.rangeClosed(1, 400).mapToObj(i -> "word" + i + "\n").collect(Collectors.joining()));
        }
        if (call.headers().containsKey("if-modified-since")) {
            asked.merge("304 " + path, 1, Integer::sum);
            return Reply.of(304, "");
        }
        if (path.matches("/event/\\d+")) {
            events.merge(Integer.valueOf(path.substring(7)), 1, Integer::sum);
        }
        if (path.startsWith("/static/") || path.startsWith("/media/")) {
            return Reply.of(200, FILLER.substring(0, 8192));
        }
        String name = switch (path.split("/").length < 2 ? "" : path.split("/")[1]) {
            case "" -> "home";
            case "event", "tag", "person", "login", "add-person", "add-event" -> path.split("/")[1];
            default -> null;
        };
        if (name == null) {
            return Reply.of(404, "no such page");
        }
        if (name.equals("add-event") && user.equals("anon")) {
            return Reply.of(303, "").with("Location", "/login");
        }
        Reply page = page(name, builtFor == null ? user : builtFor);
        boolean form = name.equals("login") || name.equals("add-person");
        if (!form && !name.equals("add-event")) {
            (user.equals("anon") ? byVisitors : byMembers).incrementAndGet();
        }
        return form ? page.with("Set-Cookie", "olio_form=f; Path=" + path + "; HttpOnly; SameSite=Strict") : page;
    }

    private Reply post(Call call, String user) {
        if (call.path().equals("/search")) {
            return Reply.of(303, "").with("Location", call.text().replaceFirst("^tag=word", "/tag/"));
        }
        boolean multipart = call.headers().get("content-type").startsWith("multipart/form-data");
        Map<String, String> fields = multipart ? Map.of() : fields(call.text());
        boolean token = multipart ? call.text().contains("name=\"_csrf\"\r\n\r\n" + TOKEN + "\r\n")
                : TOKEN.equals(fields.get("_csrf"));
        boolean needsFormCookie = call.path().equals("/login") || call.path().equals("/add-person");
        boolean formCookie = call.headers().getOrDefault("cookie", "").contains("olio_form=f");
        if (!token || needsFormCookie && !formCookie) {
            return Reply.of(403, "bad token");
        }
        lastUpload = multipart ? call.body() : lastUpload;
        if (call.path().equals("/login")) {
            String id = fields.get("login").substring(4);
            return fields.get("password").equals("pass" + id)
                    ? Reply.of(303, "").with("Location", "/").with("Set-Cookie", "olio_session=s" + id + "; Path=/; HttpOnly")
                    : page("login", user);
        }
        if (call.path().equals("/logout")) {
            return Reply.of(303, "").with("Location", "/").with("Set-Cookie", "olio_session=; Path=/; Max-Age=0; HttpOnly");
        }
        String location = switch (call.path()) {
            case "/add-person" -> "/person/" + added.incrementAndGet();
            case "/add-event" -> user.equals("anon") ? "/login" : "/event/" + added.incrementAndGet();
            default -> call.path().replace("/attend", "");
        };
        return Reply.of(303, "").with("Location", location);
    }

    private Reply page(String name, String user) {
        byte[] body = packed.computeIfAbsent(name + " " + user, key -> gzip("<!doctype html>\n<html><head><title>" + name
                + "</title></head>\n<body data-page=\"" + name + "\" data-user=\"" + user + "\">\n"
                + (name.startsWith("add") || name.equals("login") ? "" : PICTURES)
                + "<form><input type=\"hidden\" name=\"_csrf\" value=\"" + TOKEN + "\"></form>" + FILLER + "</body></html>"));
        return new Reply(200, Map.of("Content-Type", "text/html", "Content-Encoding", "gzip", "X-User", user, "X-Built",
                String.format(Locale.ROOT, "%.3f", (System.currentTimeMillis() - age) / 1000.0)), body);
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static Map<String, String> fields(String body) {
        return Stream.of(body.split("&")).map(pair -> pair.split("=", 2)).collect(Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }
}
