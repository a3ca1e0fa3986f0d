// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many who listen, some who do not take what they are told. */
@Timeout(300)
class EventStreamsTest {

    private static final Duration TIME = Duration.ofSeconds(30);
    private static final int VIEWERS = 50;

    private final Queue<String> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger made = new AtomicInteger();
    private final List<Viewer> viewers = new ArrayList<>();
    private EventStreams streams;
    private HttpListener listener;

    /** One who listens. */
    private record Viewer(Socket socket, BufferedReader lines) {
        /** The data of the next event of a name. */
        String next(String name) throws IOException {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals("event: " + name)) {
                    return lines.readLine();
                }
            }
            return "the stream has ended";
        }
    }

    private final class Told implements EventStreams.News {
        @Override
        public List<byte[]> take() {
            List<byte[]> events = new ArrayList<>();
            for (String data = waiting.poll(); data != null; data = waiting.poll()) {
                made.incrementAndGet();
                events.add(EventStreams.event("sample", data, Optional.of(7L)));
            }
            return events;
        }

        @Override
        public void skip() {
            waiting.clear();
        }
    }

    @BeforeEach
    void listen() throws IOException {
        streams = new EventStreams(new Told(), Duration.ofMillis(200));
        listener = new HttpListener(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(), TIME, request ->
                switch (request.path()) {
                    case "/stream" -> stream();
                    case "/broken" -> streams.answer(() -> out -> {
                        throw new IOException("what went before cannot be read");
                    });
                    default -> Answer.text(200, "ok");
                });
    }

    private Answer stream() {
        return streams.answer(() -> out -> out.write(EventStreams.event("status", "first", Optional.empty())));
    }

    @AfterEach
    void close() throws IOException {
        for (Viewer viewer : viewers) {
            viewer.socket().close();
        }
        listener.close();
        streams.close();
    }

    private Socket send(String text, int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBuffer);
        socket.setSoTimeout(60_000);
        socket.connect(listener.address());
        socket.getOutputStream().write((text + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private Viewer viewer(int receiveBuffer) throws IOException {
        Socket socket = send("GET /stream", receiveBuffer);
        Viewer viewer = new Viewer(socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
        viewers.add(viewer);
        return viewer;
    }

    private void tell(String data) {
        waiting.add(data);
        streams.wake();
    }

    private String page() throws IOException {
        return whole("GET /");
    }

    private String whole(String text) throws IOException {
        try (Socket socket = send(text, 64 * 1024)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void fiftyHearTheSameWhichIsMadeOnceAndOthersAreServedBesideThem() throws Exception {
        for (int i = 0; i < VIEWERS; i++) {
            assertThat(viewer(64 * 1024).next("status")).isEqualTo("data: first");
        }
        // who was answered has a place from then on, also before the streams' thread knows of him
        tell("one");
        for (Viewer viewer : viewers) {
            while (waiting.peek() != null) {
                streams.wake();
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(viewer.next("sample")).isEqualTo("data: one");
        }
        assertThat(made.get()).isEqualTo(1);
        assertThat(page()).startsWith("HTTP/1.1 200 OK").endsWith("ok\n");
        tell("two");
        for (Viewer viewer : viewers) {
            assertThat(viewer.next("sample")).isEqualTo("data: two");
        }
    }

    @Test
    void oneTooManyIsToldSoAndHeadIsNoStream() throws Exception {
        for (int i = 0; i < EventStreams.MOST; i++) {
            assertThat(viewer(64 * 1024).next("status")).isEqualTo("data: first");
        }
        assertThat(whole("GET /stream")).startsWith("HTTP/1.1 503");
        viewers.remove(0).socket().close();
        while (!viewer(64 * 1024).next("status").equals("data: first")) {
            viewers.remove(viewers.size() - 1).socket().close();
        }
        assertThat(whole("HEAD /")).endsWith("\r\n\r\n");
    }

    @Test
    void aPlaceIsTakenFromTheAnswerOnAndGivenBackOnce() {
        Answer first = stream();
        for (int i = 1; i < EventStreams.MOST; i++) {
            assertThat(stream().code()).isEqualTo(200);
        }
        assertThat(stream().code()).as("none has arrived yet").isEqualTo(503);
        first.place().orElseThrow().leave();
        first.place().orElseThrow().leave();
        assertThat(stream().code()).isEqualTo(200);
        assertThat(stream().code()).isEqualTo(503);
    }

    @Test
    void aFailedStreamFreesItsPlace() throws Exception {
        for (int i = 0; i <= EventStreams.MOST; i++) {
            assertThat(whole("HEAD /stream")).startsWith("HTTP/1.1 200");
            try {
                assertThat(whole("GET /broken")).doesNotContain("HTTP/1.1 503");
            } catch (SocketException e) {
                continue;   // it was reset
            }
        }
        assertThat(viewer(64 * 1024).next("status")).isEqualTo("data: first");
    }

    @Test
    void aStalledClientIsEndedAndTheOthersGetAllEvents() throws Exception {
        Viewer quick = viewer(64 * 1024);
        assertThat(quick.next("status")).isEqualTo("data: first");
        Viewer slow = viewer(2048);
        assertThat(slow.next("status")).isEqualTo("data: first");
        String long8 = "x".repeat(8 * 1024);
        for (int i = 0; i < 200; i++) {
            tell(i + long8);
            assertThat(quick.next("sample")).isEqualTo("data: " + i + long8);
        }
        assertThat(endOf(slow)).as("ended before all was sent").isTrue();
        tell("still there");
        assertThat(quick.next("sample")).isEqualTo("data: still there");
    }

    private static boolean endOf(Viewer viewer) throws IOException {
        try {
            int heard = 0;
            while (!viewer.next("sample").equals("the stream has ended")) {
                heard++;
            }
            return heard < 200;
        } catch (SocketException e) {
            return true;
        }
    }

    @Test
    void aViewerWhoTalksIsEnded() throws Exception {
        Viewer viewer = viewer(64 * 1024);
        assertThat(viewer.next("status")).isEqualTo("data: first");
        viewer.socket().getOutputStream().write(new byte[16 * 1024]);
        assertThat(endOf(viewer)).isTrue();
    }
}
