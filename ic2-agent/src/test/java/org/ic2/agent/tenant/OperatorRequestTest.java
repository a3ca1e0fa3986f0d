// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.executor.FakeActuator;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.AgentLoop;
import org.ic2.runtime.loop.Brain;
import org.ic2.runtime.loop.OperatorRequest;
import org.ic2.runtime.serve.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A person takes over for a time, after which the agent goes on by itself, whatever happened to it in between. */
class OperatorRequestTest {

    private static final OperatorRequest A_MINUTE = new OperatorRequest("me", Optional.of(Duration.ofMinutes(1)));

    @TempDir
    private Path directory;

    private ScriptedLoop agent;
    private Settings mitigated;

    @BeforeEach
    void mitigated() throws Exception {
        agent = ScriptedLoop.started(directory);
        agent.calm(120);
        agent.loud(60);
        mitigated = agent.running();
        assertThat(mitigated.get(Lever.MITIGATION)).isEqualTo(4);
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
    }

    /** Another agent in place of this one, which was killed, so many seconds later. */
    private void startAnew(int second) throws Exception {
        FakeActuator survivor = agent.httpd;
        agent.close();
        agent = new ScriptedLoop(directory, Optional.empty());
        agent.httpd.values.putAll(survivor.values);
        agent.stepClock(Duration.ofSeconds(second));
        agent.loop.start("");
    }

    private List<Entry> entries(String kind) throws Exception {
        return Written.entries(agent.config.journal()).stream().filter(entry -> entry.kind().equals(kind)).toList();
    }

    @Test
    void pausedItLeavesEverythingAsItIsUntilTheTimeIsOver() throws Exception {
        agent.loop.pause("paused by hand", A_MINUTE);
        agent.calm(59);
        assertThat(agent.running()).isEqualTo(mitigated);
        assertThat(agent.state()).isEqualTo("MANUAL");
        assertThat(agent.board.manualUntil()).isPresent();
        agent.calm(1);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
        assertThat(agent.board.manualUntil()).isEmpty();
        agent.calm(120);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        assertThat(entries("manual")).extracting(Entry::by).containsExactly("me");
        assertThat(entries("resume")).extracting(Entry::reason).containsExactly("the time that a person asked for is over");
    }

    @Test
    void restoredForATimeItMitigatesAgainAfterIt() throws Exception {
        assertThat(agent.loop.applyByHand(ScriptedLoop.BASE, "restored by hand", A_MINUTE).word()).isEqualTo("applied");
        agent.loud(59);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
        agent.loud(120);
        assertThat(agent.running().get(Lever.MITIGATION)).isPositive();
    }

    @Test
    void manualModeAndItsEndOutliveAnAgentAndAReload() throws Exception {
        agent.loop.pause("paused by hand", A_MINUTE);
        startAnew(200);
        assertThat(agent.running()).as("manual mode").isEqualTo(mitigated);
        agent.reload("target-response-time: 0.2s");
        agent.calm(39);
        assertThat(agent.state()).isEqualTo("MANUAL");
        assertThat(agent.running()).isEqualTo(mitigated);
        agent.calm(1);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
        agent.calm(120);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }

    @Test
    void aTimeThatPassedWhileNoAgentRanIsOver() throws Exception {
        agent.loop.pause("paused by hand", A_MINUTE);
        startAnew(1000);
        assertThat(agent.running()).as("what was left is put back").isEqualTo(ScriptedLoop.BASE);
        agent.calm(1);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
        assertThat(entries("resume")).hasSize(1);
        startAnew(10);
        agent.calm(1);
        assertThat(agent.state()).as("the journal says that it went on, whatever the clock says").isNotEqualTo("MANUAL");
    }

    @Test
    void aClockThatIsSetMakesTheTimeNeitherShorterNorLonger() throws Exception {
        for (Duration step : List.of(Duration.ofHours(2), Duration.ofHours(-5))) {
            agent.loop.pause("paused by hand", A_MINUTE);
            agent.calm(10);
            Instant said = agent.board.manualUntil().orElseThrow();
            agent.stepClock(step);
            agent.calm(49);
            assertThat(agent.state()).as("the clock was set by " + step).isEqualTo("MANUAL");
            assertThat(agent.board.manualUntil()).as("as the clock goes now").contains(said.plus(step));
            agent.calm(1);
            assertThat(agent.state()).as("the clock was set by " + step).isNotEqualTo("MANUAL");
        }
    }

    @Test
    void manualModeStaysThoughNothingElseIsRememberedAfterAReload() throws Exception {
        agent.loop.pause("paused by hand", A_MINUTE);
        agent.around = OperatorRequestTest::unableToRead;
        agent.reload("target-response-time: 0.2s");
        agent.calm(59);
        assertThat(agent.state()).isEqualTo("MANUAL");
        assertThat(agent.running()).isEqualTo(mitigated);
        agent.calm(1);
        assertThat(agent.state()).isNotEqualTo("MANUAL");
    }

    private static Brain unableToRead(Brain brain) {
        return (Brain) Proxy.newProxyInstance(Brain.class.getClassLoader(),
                new Class<?>[] {Brain.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("read")) {
                        throw new IOException(arguments[0] + ": of another kind");
                    }
                    return method.invoke(brain, arguments);
                });
    }

    @Test
    void requestsToAReloadedAgentsFormerLoopAreRefused() throws Exception {
        AgentLoop earlier = agent.loop;
        Commands asked = new Commands(() -> earlier, Json::object, () -> mitigated);
        agent.reload("target-response-time: 0.2s");
        for (String verb : List.of("pause", "resume", "restore")) {
            JsonNode answer = asked.handle(Json.object().put("verb", verb), "me");
            assertThat(answer.path("ok").asBoolean()).as(verb).isFalse();
            assertThat(answer.path("text").asText()).as(verb).contains("try again");
        }
        agent.loop.pause("paused by hand", A_MINUTE);
        assertThat(earlier.resume("me").done()).as("of the one before").isFalse();
        agent.calm(1);
        assertThat(agent.state()).isEqualTo("MANUAL");
        assertThat(entries("resume")).isEmpty();
        assertThat(entries("manual")).hasSize(1);
    }

    @Test
    void theLatestWordCounts() throws Exception {
        agent.loop.pause("paused by hand", A_MINUTE);
        agent.loop.pause("paused by hand", OperatorRequest.by("you"));
        agent.calm(120);
        assertThat(agent.state()).isEqualTo("MANUAL");
        agent.loop.resume("you");
        agent.loop.pause("paused by hand", A_MINUTE);
        agent.loop.resume("me");
        agent.calm(100);
        assertThat(entries("resume")).extracting(Entry::by).containsExactly("you", "me");
    }
}
