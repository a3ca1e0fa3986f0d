// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.faban.driver.BenchmarkOperation;
import com.sun.faban.driver.MatrixMix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.ic2.load.http.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OlioDriverTest {
    private final FakeOlio olio = new FakeOlio();
    private TestServer server;
    private OneUser context;
    private final Map<String, String> file = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(olio);
        file.put("/olio/serverConfig/host", "127.0.0.1");
        file.put("/olio/serverConfig/port", Integer.toString(server.port()));
        file.put("/olio/seed", "42");
        context = new OneUser(file);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void doesAllSevenOperationsOnOneConnection() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.homePage();
            user.login();
            user.tagSearch();
            user.eventDetail();
            user.personDetail();
            user.addPerson();
            user.addEvent();
        }
        assertThat(context.recorded()).isEqualTo(14);
        assertThat(olio.asked("POST /login")).isEqualTo(1);
        assertThat(olio.asked("GET /tag/#")).isEqualTo(1);
        assertThat(olio.asked("POST /add-person")).isEqualTo(1);
        assertThat(olio.asked("POST /add-event")).isEqualTo(1);
        assertThat(olio.asked("GET /api/size")).as("asked once, outside the operations' times").isEqualTo(1);
        assertThat(server.connections()).isEqualTo(1);
        assertThat(context.traffic().leaks).hasValue(0);
    }

    @Test
    void uploadsAPictureWithTheForm() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.login();
            user.addEvent();
        }
        assertThat(new String(olio.lastUpload(), StandardCharsets.ISO_8859_1))
                .contains("name=\"title\"", "name=\"starts\"", "name=\"tags\"", "filename=\"event.png\"", "\u0089PNG");
    }

    @Test
    void keepsTheFilesOfAPageLikeABrowser() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            for (int i = 0; i < 10; i++) {
                user.homePage();
            }
        }
        assertThat(olio.asked("GET /static/1/app.css")).isEqualTo(1);
        assertThat(olio.asked("GET /media/event/#.jpg")).isEqualTo(1);
    }

    @Test
    void startsWithAnEmptyCacheInFourOfTenLogins() throws IOException {
        int logins = 400;
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            for (int i = 0; i < logins; i++) {
                user.login();
            }
        }
        assertThat(olio.asked("GET /static/1/app.css")).isBetween(140, 180);
    }

    @Test
    void saysHowOldEachPageWas() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.homePage();
            olio.agesPages(60_000);
            user.tagSearch();
        }
        assertThat(context.traffic().ages).hasSize(2).element(0).isEqualTo(0.0);
        assertThat(context.traffic().ages.get(1)).as("when it was asked for").isBetween(50.0, 60.0);
    }

    @Test
    void countsOperationsOfThoseWhoAreNotLoggedInAndFilesThatAreFetched() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.homePage();
            user.login();
            user.tagSearch();
            user.homePage();
        }
        assertThat(context.traffic().anonymous).as("both home pages").hasValue(2);
        assertThat(context.traffic().files.get()).isEqualTo(olio.asked("GET /static/1/app.css") * 3 + olio.asked("GET /media/event/#.jpg"));
    }

    @Test
    void attendsOneOfTenEventsWhenLoggedIn() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            for (int i = 0; i < 20; i++) {
                user.eventDetail();
            }
            assertThat(olio.asked("POST /event/#/attend")).as("anonymous users attend nothing").isZero();
            user.login();
            for (int i = 0; i < 300; i++) {
                user.eventDetail();
            }
        }
        assertThat(olio.asked("POST /event/#/attend")).isBetween(15, 45);
    }

    @Test
    void leavesAtTheHomePageSoThatAnonymousPagesRemain() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.login();
            user.homePage();
            user.addEvent();
        }
        assertThat(olio.asked("POST /login")).as("had to log in again to add an event").isEqualTo(2);
    }

    /** Every operation ends with one public page; whose it was is the share that the README states. */
    @ParameterizedTest
    @CsvSource({"1, 0.31", "0.5, 0.47", "0.25, 0.64", "0, 1"})
    void leaveRulesTheShareOfOperationsByThoseWhoAreLoggedIn(String leave, double share) throws IOException {
        int operations = 4000;
        file.put("/olio/workload/leave", leave);
        file.put("/olio/workload/attend", "0");
        file.put("/olio/workload/files", "false");
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            OneUser.perform(user, operations);
        }
        assertThat(olio.publicPages(true) + olio.publicPages(false)).isEqualTo(operations);
        assertThat(olio.publicPages(true) / (double) operations).isCloseTo(share, within(0.03));
        assertThat(context.traffic().anonymous).hasValue(olio.publicPages(false));
        assertThat(context.traffic().leaks).hasValue(0);
    }

    @Test
    void aPageBuiltForAnotherVisitorIsAnErrorAndALeak() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.homePage();
            olio.buildsFor("99999");
            assertThatThrownBy(user::tagSearch).hasMessageContaining("leak").hasMessageContaining("expected X-User anon, got 99999");
            assertThatThrownBy(user::login).hasMessageContaining("leak");
            assertThat(context.traffic().leaks).hasValue(2);
            olio.buildsFor(null);
            assertThatCode(user::login).doesNotThrowAnyException();
        }
    }

    @Test
    void aLostSessionIsAnErrorButNoLeakAndTheUserGoesOnAnonymously() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.login();
            olio.buildsFor("anon");
            assertThatThrownBy(user::tagSearch).hasMessageContaining("the session is lost");
            assertThat(context.traffic().leaks).hasValue(0);
            assertThatCode(user::tagSearch).doesNotThrowAnyException();
        }
    }

    @Test
    void aDeadServerIsAnErrorOfEachOperation() throws IOException {
        try (OlioDriver user = context.driver(OlioDriver::new)) {
            user.homePage();
            server.close();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(user::homePage).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void theSameSeedGivesTheSameLoad() throws IOException {
        FakeOlio other = new FakeOlio();
        try (TestServer second = new TestServer(other); OlioDriver a = context.driver(OlioDriver::new)) {
            file.put("/olio/serverConfig/port", Integer.toString(second.port()));
            try (OlioDriver b = context.driver(OlioDriver::new)) {
                for (OlioDriver user : new OlioDriver[] {a, b}) {
                    for (int i = 0; i < 30; i++) {
                        user.tagSearch();
                        user.login();
                        user.eventDetail();
                    }
                }
            }
        }
        assertThat(other.asked("GET /tag/#")).isEqualTo(olio.asked("GET /tag/#"));
        assertThat(other.asked("GET /static/1/app.css")).isEqualTo(olio.asked("GET /static/1/app.css"));
        assertThat(other.asked("POST /event/#/attend")).isEqualTo(olio.asked("POST /event/#/attend"));
    }

    @Test
    void everyRowOfTheMatrixAddsUpToAHundredAndEveryOperationIsNamedInIt() {
        MatrixMix mix = OlioDriver.class.getAnnotation(MatrixMix.class);
        assertThat(mix.mix()).hasSize(7).allSatisfy(row ->
                assertThat(Arrays.stream(row.value()).sum()).isEqualTo(100));
        assertThat(Arrays.stream(OlioDriver.class.getMethods()).map(m -> m.getAnnotation(BenchmarkOperation.class))
                .filter(a -> a != null).map(BenchmarkOperation::name)).containsExactlyInAnyOrder(mix.operations());
    }
}
