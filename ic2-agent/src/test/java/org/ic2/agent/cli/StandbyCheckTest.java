// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.agent.cli.Checkup.Finding;
import org.junit.jupiter.api.Test;

/** What mod_standby says of itself, for an administrator. */
class StandbyCheckTest {

    static final String PAGE = """
            BusyWorkers: 1
            Scoreboard: W_
            StandbyStore: ok
            StandbyLevel: 3
            StandbyHits: 10
            StandbyBuilds: 50
            StandbyStored: 7
            StandbyProven: 3
            StandbyPassed: header=41
            StandbyPassed: cookie=120
            StandbyRefused: reflects=2
            StandbyHeader: X-Foo=40
            StandbyHeader: x-a=b=1
            StandbyCookie: consent=119
            StandbyDiffers: /news at byte 812: <p>Hello Ann
            StandbyDiffers: /a in its headers
            StandbyReflects: /talk the client's address
            StandbyTwins: ok
            """;

    private static String lines(String page, boolean acting) throws IOException {
        return lines(page, acting, false);
    }

    private static String lines(String page, boolean acting, boolean raising) throws IOException {
        return StandbyStatus.parse(page).map(status -> new StandbyCheck(acting, raising).of(status)).orElse(List.<Finding>of()).stream()
                .map(finding -> finding.word() + " " + finding.what() + " " + finding.text()).collect(Collectors.joining("\n"));
    }

    @Test
    void theStoresStateAndTheReasonsAreSaid() throws Exception {
        assertThat(lines(PAGE, true).lines()).containsExactly(
                "ok standby the store is ready; level 3, 10 hits, 50 builds, 7 stored, 3 proven",
                "ok standby requests that passed the store by: cookie 120, header 41; answers not stored: reflects 2",
                "ok standby there is no wall against crawlers: StandbyWall is off (docs/wall.md)",
                "note standby the header X-Foo kept 40 requests from the store: if each value is another page, name it in"
                + " StandbyKeyedHeaders; if each request has another value, in StandbyVolatileHeaders",
                "note standby the header x-a=b kept 1 request from the store: if each value is another page, name it in"
                + " StandbyKeyedHeaders; if each request has another value, in StandbyVolatileHeaders",
                "note standby the cookie consent kept 119 requests from the store: if it says nothing of its owner, name it in StandbyHarmlessCookies",
                "note standby two visitors get different pages: /news at byte 812: <p>Hello Ann; not served from the store. If only a known text"
                + " differs, StandbyMask names it",
                "note standby two visitors get different pages: /a in its headers; not served from the store. If only a known text differs,"
                + " StandbyMask names it",
                "note standby the page holds something of its request: /talk the client's address; not stored");
    }

    @Test
    void whetherThereIsAWallIsSaid() throws Exception {
        assertThat(lines(PAGE + "StandbyWallFlag: 0\n", true)).contains("ok standby there is a wall against crawlers, and its flag is not set");
        assertThat(lines(PAGE + "StandbyWallFlag: 1\n", true)).contains("ok standby there is a wall against crawlers, and it is up");
        assertThat(lines(PAGE + "StandbyWallFlag: much\n", true)).contains("ok standby there is no wall against crawlers");
    }

    @Test
    void aWallThatIsToBeRaisedAndIsNotThereIsMissing() throws Exception {
        String line = " standby the agent is to raise a wall, and there is none: add the line \"StandbyWall flag\" to the main server of httpd's";
        assertThat(lines(PAGE, true, true)).contains("MISSING" + line).doesNotContain("there is no wall");
        assertThat(lines(PAGE, false, true)).contains("note" + line);
        assertThat(lines(PAGE + "StandbyWallFlag: 0\n", true, true)).contains("ok standby there is a wall against crawlers").doesNotContain("MISSING");
    }

    @Test
    void aStoreThatCannotBeUsedIsMissingForAnAgentThatActs() throws Exception {
        String broken = PAGE.replace("Store: ok", "Store: /run/ic2-standby is owned by root, expected www-data");
        assertThat(lines(broken, true)).startsWith("MISSING standby the store cannot be used: /run/ic2-standby is owned by root, expected www-data; level 3");
        assertThat(lines(broken, false)).startsWith("note standby the store cannot be used: ");
        assertThat(lines(PAGE.replace("Store: ok", "Store: off"), true)).startsWith("note standby mod_standby is loaded, but has no store");
        assertThat(lines(PAGE.replace("Twins: ok", "Twins: all builds came from one address (10.0.0.1)"), true))
                .contains("MISSING standby all builds came from one address (10.0.0.1): a page is served only after builds for two addresses",
                        "mod_remoteip", "StandbyClientHeader");
    }

    @Test
    void anotherStatusPageSaysNothing() throws Exception {
        assertThat(StandbyStatus.parse("BusyWorkers: 1\nStandbyHits: 3\n")).isEmpty();
        assertThat(StandbyStatus.parse("")).isEmpty();
    }

    @Test
    void garbageIsLeftOut() throws Exception {
        StandbyStatus status = StandbyStatus.parse("StandbyStore: \u0000\nStandbyHits: -1\nStandbyBuilds: 99999999999999999999\nStandbyHeader: =3\n"
                + "StandbyHeader: X\nStandbyHeader: X=\nStandbyHeader: X=1x\nStandbyDiffers: \nStandbyReconfigured: x\nStandbyCookie: a=4294967295\nStandbyTwins:\n"
                + "StandbyLevel: 3\r\n").orElseThrow();
        assertThat(status.figures()).containsOnlyKeys("StandbyLevel");
        assertThat(status.headers()).isEmpty();
        assertThat(status.cookies()).containsEntry("a", 4_294_967_295L);
        assertThat(status.differs()).isEmpty();
        assertThat(status.twins()).isEmpty();
        String many = "StandbyStore: ok\n" + IntStream.range(0, 500).mapToObj(i -> "StandbyHeader: X-" + i + "=" + i + "\nStandbyDiffers: /" + i + "\n")
                .collect(Collectors.joining());
        assertThat(StandbyStatus.parse(many).orElseThrow()).matches(found -> found.headers().size() == 100 && found.differs().size() == 100);
        assertThat(lines(many, true)).contains("note standby and 90 more of these");
        assertThatThrownBy(() -> StandbyStatus.parse("x\n".repeat(30_000))).isInstanceOf(IOException.class);
    }
}
