// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.load.http.TestServer;
import org.ic2.load.http.TestServer.Call;
import org.ic2.load.http.TestServer.Reply;

/** Answers with recorded pages of Debian's WordPress (without styles and scripts), with new time stamps. Remembers what was asked. */
public final class FakeWordPress implements TestServer.Handler {
    private static final Pattern COOKIE = Pattern.compile("(wordpress_logged_in|comment_author)_x=([^;]+)");

    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Map<String, String> comments = new ConcurrentHashMap<>();
    private volatile UnaryOperator<String> change = page -> page;

    /** From now on each page is changed before it is sent. */
    void changes(UnaryOperator<String> how) {
        change = how;
    }

    List<Call> calls() {
        return calls;
    }

    List<String> paths() {
        return calls.stream().map(call -> call.method() + " " + call.path()).toList();
    }

    /** Name, password and so on of the last form that was posted. */
    Map<String, String> lastForm() {
        Call call = calls.stream().filter(c -> c.method().equals("POST")).reduce((a, b) -> b).orElseThrow();
        return Stream.of(call.text().split("&")).map(pair -> pair.split("=", 2)).collect(Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }

    @Override
    public Reply handle(Call call) throws IOException {
        calls.add(call);
        String path = call.path().replaceFirst("\\?utm_.*", "");
        if (call.method().equals("POST")) {
            return post(path);
        }
        String file = switch (path) {
            case "/" -> "front.html";
            case "/2025/10/post-100/" -> "post.html";
            case "/feed/", "/comments/feed/" -> "feed.xml";
            case "/wp-login.php" -> "login.html";
            default -> path.startsWith("/?s=") ? "search.html" : path.equals("/wp-admin/profile.php") ? "front.html" : null;
        };
        if (file == null) {
            return Reply.of(path.matches("/wp-(content|includes)/.*") ? 200 : 404, "a file");
        }
        String page = recorded(file).replaceFirst("built=\\d+ visitor=anonymous", "built=" + System.currentTimeMillis()
                + " visitor=" + Matcher.quoteReplacement(visitor(call)));
        page = page.replace("</ol>", comments.getOrDefault(path, "") + "</ol>") + (path.contains("profile") ? "your-profile" : "")
                + comments.getOrDefault(path, "");
        return Reply.of(200, change.apply(page));
    }

    private Reply post(String path) {
        Map<String, String> form = lastForm();
        if (path.equals("/wp-login.php")) {
            boolean right = form.get("pwd").equals("pass-" + form.get("log"));
            Reply answer = Reply.of(right ? 302 : 200, "").with("Location", "/wp-admin/");
            return right ? answer.with("Set-Cookie", "wordpress_logged_in_x=" + form.get("log") + "; path=/") : answer;
        }
        comments.put("/2025/10/post-100/", "<p>" + form.get("comment") + "</p>");
        return Reply.of(302, "").with("Location", "/2025/10/post-100/#comment-7")
                .with("Set-Cookie", "comment_author_x=" + form.get("author") + "; path=/");
    }

    private static String visitor(Call call) {
        Matcher m = COOKIE.matcher(call.headers().getOrDefault("cookie", ""));
        return !m.find() ? "anonymous" : (m.group(1).startsWith("w") ? "member:" : "commenter:") + m.group(2);
    }

    static String recorded(String file) throws IOException {
        try (InputStream in = FakeWordPress.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
