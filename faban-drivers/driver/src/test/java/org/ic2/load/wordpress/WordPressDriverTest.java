// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.faban.driver.DriverContext;
import com.sun.faban.driver.MatrixMix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.ic2.load.http.TestServer;
import org.ic2.load.spi.LoadObserver;
import org.ic2.load.workload.PageError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordPressDriverTest {
    /** A runtime for one thread that only remembers. */
    private static final class Context extends DriverContext implements LoadObserver {
        private final Map<String, String> file = new HashMap<>();
        private final List<Double> ages = new ArrayList<>();
        private int recorded;
        private int leaks;
        private int anonymous;

        WordPressDriver newDriver() {
            bind();
            try {
                return new WordPressDriver();
            } finally {
                unbind();
            }
        }

        @Override
        public void recordTime() {
            recorded++;
        }

        @Override
        public int getScale() {
            return 1;
        }

        @Override
        public int getThreadId() {
            return 3;
        }

        @Override
        public Logger getLogger() {
            return Logger.getAnonymousLogger();
        }

        @Override
        public String getXPathValue(String xPath) {
            return file.getOrDefault(xPath, "");
        }

        @Override
        public void connected(boolean again, boolean resumed) {
        }

        @Override
        public void received(long bytes) {
        }

        @Override
        public void leaked() {
            leaks++;
        }

        @Override
        public void page(double age) {
            ages.add(age);
        }

        @Override
        public void anonymous() {
            anonymous++;
        }
    }

    @TempDir
    private Path folder;
    private final FakeWordPress site = new FakeWordPress();
    private final Context context = new Context();
    private TestServer server;
    private WordPressDriver user;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(site);
        Path pages = Files.writeString(folder.resolve("pages.csv"), "/2025/10/post-100/,115\n");
        context.file.putAll(Map.of("/wordpress/serverConfig/host", "127.0.0.1", "/wordpress/serverConfig/port",
                Integer.toString(server.port()), "/wordpress/seed", "42", "/wordpress/workload/pages", pages.toString()));
        user = context.newDriver();
    }

    @AfterEach
    void stop() throws IOException {
        user.close();
        server.close();
    }

    @Test
    void doesEveryOperationAndChecksEachPage() throws IOException {
        user.anonymousPage();
        user.memberPage();
        user.commenterPage();
        user.search();
        user.feed();
        user.comment();
        user.crawl();
        assertThat(context.recorded).isEqualTo(14);
        assertThat(context.anonymous).as("the page, the search, the feed and the crawler").isEqualTo(4);
        assertThat(context.leaks).isZero();
        assertThat(context.ages).as("pages, and login form and first comment outside the operations").hasSize(9).containsOnly(0.0);
        assertThat(site.paths()).contains("POST /wp-login.php", "POST /wp-comments-post.php").anyMatch(path -> path.startsWith("GET /?s="));
    }

    @Test
    void eachKindOfVisitorHasItsOwnCookies() throws IOException {
        user.memberPage();
        user.commenterPage();
        user.anonymousPage();
        user.crawl();
        List<TestServer.Call> posts = site.calls().stream().filter(c -> c.method().equals("GET") && c.path().contains("post-100")).toList();
        assertThat(posts.get(0).headers().get("cookie")).isEqualTo("wordpress_logged_in_x=member4");
        assertThat(posts.get(1).headers().get("cookie")).startsWith("comment_author_x=reader.3.");
        assertThat(posts.get(posts.size() - 2).headers().get("cookie")).startsWith("_ga=");
        assertThat(posts.get(posts.size() - 1).headers()).doesNotContainKey("cookie").extracting("user-agent").asString().contains("AhrefsBot");
    }

    @Test
    void logsInOnceAndAgainWhenTheSessionIsLost() throws IOException {
        user.memberPage();
        user.memberPage();
        assertThat(site.lastForm()).containsEntry("log", "member4").containsEntry("pwd", "pass-member4");
        site.changes(page -> page.replaceFirst("visitor=member:member4", "visitor=anonymous"));
        assertThatThrownBy(() -> user.memberPage()).isInstanceOf(PageError.class).hasMessageContaining("the session is lost");
        assertThat(context.leaks).as("no page of another visitor").isZero();
        site.changes(page -> page);
        user.memberPage();
        assertThat(site.paths()).filteredOn("POST /wp-login.php"::equals).hasSize(2);
    }

    @Test
    void anotherVisitorsPageIsALeakForEveryKindOfVisitor() throws IOException {
        user.memberPage();
        user.commenterPage();
        site.changes(page -> page.replaceFirst("visitor=[a-z0-9:.]+", "visitor=member:member9"));
        List<ThrowingCallable> all = List.of(user::anonymousPage, user::memberPage, user::commenterPage, user::search, user::feed,
                user::crawl);
        for (ThrowingCallable operation : all) {
            assertThatThrownBy(operation).isInstanceOf(PageError.class).hasMessageStartingWith("leak: GET /")
                    .hasMessageContaining("got one for member:member9");
        }
        assertThat(context.leaks).isEqualTo(6);
    }

    @Test
    void aCommenterMayBeTakenForAnonymousAMemberNot() throws IOException {
        user.commenterPage();
        site.changes(page -> page.replaceFirst("visitor=commenter:[a-z0-9.]+", "visitor=anonymous"));
        user.commenterPage();
        assertThat(context.leaks).isZero();
    }

    @Test
    void aCommentThatItsAuthorDoesNotSeeIsAnError() {
        site.changes(page -> page.replaceAll("ic2-load: [^<]*", "").replaceFirst("built=\\d+",
                "built=" + (System.currentTimeMillis() - 50_000)));
        assertThatThrownBy(() -> user.comment()).isInstanceOf(PageError.class).hasMessageStartingWith("own comment: POST ")
                .hasMessageContaining("s before");
    }

    @Test
    void theAgeOfAPageIsRecordedAndMayBeLimited() throws IOException {
        site.changes(page -> page.replaceFirst("built=\\d+", "built=" + (System.currentTimeMillis() - 90_000)));
        user.anonymousPage();
        assertThat(context.ages).singleElement().satisfies(age -> assertThat(age).isBetween(80.0, 90.0));
        context.file.put("/wordpress/workload/oldestPage", "60");
        try (WordPressDriver strict = context.newDriver()) {
            assertThatThrownBy(strict::anonymousPage).hasMessageStartingWith("age: GET /").hasMessageContaining("at most 60.0 s, got one of ");
        }
    }

    @Test
    void anotherPageThanTheOneAskedForIsAnError() {
        site.changes(page -> page.replace("postid-115", "postid-116"));
        assertThatThrownBy(() -> user.anonymousPage()).hasMessageContaining("expected a page with postid-115");
        site.changes(page -> page.substring(0, 2000));
        assertThatThrownBy(() -> user.anonymousPage()).hasMessageContaining("found none");
    }

    @Test
    void filesAreFetchedOnceAndOnlyFromThisServer() throws IOException {
        user.anonymousPage();
        user.anonymousPage();
        List<String> files = site.paths().stream().filter(path -> path.matches("GET /wp-(content|includes)/.*")).toList();
        assertThat(files).doesNotHaveDuplicates().contains("GET /wp-content/uploads/2025/01/picture-2.jpg",
                "GET /wp-includes/js/comment-reply.min.js?ver=6.1.9");
        assertThat(files).noneMatch(path -> path.contains("gravatar"));
    }

    @Test
    void errorsInTheRunFileAreNamed() {
        context.file.put("/wordpress/workload/campaign", "2");
        assertThatThrownBy(context::newDriver).hasMessage("run configuration, /wordpress/workload/campaign: expected a number in 0.0 .. 1.0, got 2");
        context.file.remove("/wordpress/workload/pages");
        assertThatThrownBy(context::newDriver).hasMessageContaining("/wordpress/workload/pages: expected a value, got nothing");
    }

    @Test
    void theDriverWithCrawlersHasTheSameOperations() {
        MatrixMix plain = WordPressDriver.class.getAnnotation(MatrixMix.class);
        MatrixMix crawled = CrawledWordPressDriver.class.getAnnotation(MatrixMix.class);
        assertThat(crawled.operations()).isEqualTo(plain.operations());
        for (int i = 0; i < plain.mix().length; i++) {
            double[] row = plain.mix()[i].value();
            assertThat(Arrays.copyOf(row, 6)).isEqualTo(Arrays.copyOf(crawled.mix()[i].value(), 6));
            assertThat(Arrays.stream(row).sum()).isEqualTo(100);
            assertThat(row[6]).isZero();
        }
    }
}
