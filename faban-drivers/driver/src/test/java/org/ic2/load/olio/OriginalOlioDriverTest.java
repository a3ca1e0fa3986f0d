// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.load.http.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginalOlioDriverTest {
    private final FakeOlio olio = new FakeOlio();
    private final Map<String, String> file = new HashMap<>();
    private final OneUser context = new OneUser(file);
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(olio);
        file.putAll(Map.of("/olio/serverConfig/host", "127.0.0.1", "/olio/serverConfig/port", Integer.toString(server.port()),
                "/olio/seed", "42"));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private OlioDriver user() {
        return context.driver(OriginalOlioDriver::new);
    }

    @Test
    void sevenPerCentOfTheOperationsAreAnonymousBecauseUsersLogOutAfterAddPersonOnly() throws IOException {
        int operations = 12_000;
        file.put("/olio/workload/files", "false");
        try (OlioDriver user = user()) {
            OneUser.perform(user, operations);
        }
        assertThat(context.recorded()).isEqualTo(2 * operations);
        assertThat(context.traffic().anonymous.get() / (double) operations).as("7.8 % by the matrix").isCloseTo(0.078, within(0.015));
        assertThat(olio.asked("POST /logout")).as("those who were logged in").isPositive()
                .isLessThanOrEqualTo(olio.asked("POST /add-person"));
        assertThat(context.traffic().leaks).hasValue(0);
    }

    @Test
    void aUserWhoHasRegisteredAnotherOneLogsOut() throws IOException {
        try (OlioDriver user = user()) {
            user.addPerson();
            assertThat(context.traffic().anonymous).hasValue(1);
            user.addPerson();
        }
        assertThat(olio.asked("POST /logout")).as("no user logs out twice").isEqualTo(1);
        assertThat(olio.asked("GET /person/#")).isEqualTo(2);
        assertThat(context.traffic().leaks).hasValue(0);
    }

    @Test
    void mostUsersHaveBeenThereBeforeAndLogInOutsideTheTimeOfTheirFirstOperation() throws IOException {
        int users = 300;
        for (int i = 0; i < users; i++) {
            file.put("/olio/seed", Integer.toString(1000 * i));
            file.put("/olio/workload/files", "false");
            try (OlioDriver user = user()) {
                user.homePage();
            }
        }
        assertThat(context.recorded()).isEqualTo(2 * users);
        assertThat(context.traffic().anonymous.get() / (double) users).isCloseTo(0.078, within(0.04));
        assertThat(olio.asked("POST /login")).isEqualTo(users - context.traffic().anonymous.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"home", "login", "tag", "event", "person", "add-person", "add-event"})
    void aPageHasSeventeenToTwentyOneStaticFiles(String page) {
        assertThat(OriginalFiles.of(page)).hasSizeBetween(17, 21).doesNotHaveDuplicates().allMatch(path -> path.startsWith("/static/olio/"));
    }

    @Test
    void inASessionABrowserAsksOnceForEachFileAndForTheFirstTenPicturesOfAPage() throws IOException {
        try (OlioDriver user = user()) {
            user.login();
            int files = context.traffic().files.get();
            int statics = OriginalFiles.of("login").size() + 4;
            user.homePage();
            assertThat(context.traffic().files).as("the same page again").hasValue(files);
            user.login();
            assertThat(context.traffic().files.get() - files).as("login and home page in a new session").isEqualTo(statics + 10);
        }
        assertThat(olio.asked("GET /media/event/#.jpg") % 10).as("pictures are asked for without a condition").isZero();
    }

    @Test
    void sixOfTenSessionsAskWhetherTheirFilesHaveChanged() throws IOException {
        int logins = 400;
        try (OlioDriver user = user()) {
            for (int i = 0; i < logins; i++) {
                user.login();
            }
        }
        int sessions = logins + 1;
        int unchanged = olio.asked("304 /static/olio/common1.css");
        assertThat(olio.asked("GET /static/olio/common1.css")).isEqualTo(sessions);
        assertThat(unchanged / (double) sessions).isCloseTo(0.6, within(0.06));
        assertThat(context.traffic().unchanged).hasValue(unchanged * 21);
    }

    @Test
    void tagsAreSearchedByPostAndGet() throws IOException {
        try (OlioDriver user = user()) {
            user.tagSearch();
            user.tagSearch();
        }
        assertThat(olio.asked("POST /search")).isEqualTo(2);
        assertThat(olio.asked("GET /tag/#")).isEqualTo(2);
    }

    @Test
    void uploadsAreLargeAndAnEventComesWithADocument() throws IOException {
        try (OlioDriver user = user()) {
            user.addPerson();
            assertThat(olio.lastUpload().length).isBetween(245_000, 265_000);
            user.addEvent();
        }
        assertThat(olio.lastUpload().length).isBetween(345_000, 365_000);
        assertThat(new String(olio.lastUpload(), StandardCharsets.ISO_8859_1)).contains("filename=\"event.png\"",
                "filename=\"event.pdf\"", "\r\n\r\n%PDF-1.4\n");
    }

    @Test
    void eventsAreChosenByOnePowerLawOverAllThatAreLoaded() throws IOException {
        int views = 4000;
        file.put("/olio/workload/files", "false");
        file.put("/olio/workload/attend", "0");
        try (OlioDriver user = user()) {
            for (int i = 0; i < views; i++) {
                user.eventDetail();
            }
        }
        // (k + 3)^-1.1 over 2000 events, as a continuous law
        double all = weight(1, 2000);
        for (List<Integer> places : List.of(List.of(1, 1), List.of(2, 20), List.of(21, 200), List.of(201, 2000))) {
            int seen = olio.events().entrySet().stream().filter(e -> e.getKey() >= places.get(0) && e.getKey() <= places.get(1))
                    .mapToInt(Map.Entry::getValue).sum();
            assertThat(seen / (double) views).as("events %s", places).isCloseTo(weight(places.get(0), places.get(1)) / all, within(0.025));
        }
    }

    private static double weight(int from, int to) {
        return Math.pow(from + 2, -0.1) - Math.pow(to + 3, -0.1);
    }
}
