// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;

/**
 * The agent's end of {@code ic2-share}, which answers the load balancer. While the share is not whole the agent repeats it each
 * second from a thread of its own: when that stops, by whatever death, the responder tells the whole share.
 */
final class ShareResponder implements AutoCloseable {

    private static final int BEAT_MILLIS = 1000;
    private static final int LONGEST_ANSWER = 256;
    private static final Pattern REPORT = Pattern.compile("ok (\\d{1,3}) (\\d{1,12}) (\\d{1,3}) (\\d{1,3})");

    /**
     * What the responder knows.
     *
     * @param balancers how many load balancers asked in the last half minute
     * @param told      what the one was told, %, whose last question is the oldest; 0 if there is none
     * @param share     the share that holds, %
     */
    record Report(int balancers, int told, int share) {
    }

    private final Host host;
    private final Endpoint endpoint;
    private final String serve;
    /** Held while a line is said and answered; whoever waits for it can be interrupted, as a responder that hangs holds it. */
    private final ReentrantLock talk = new ReentrantLock();
    private volatile SocketChannel channel;
    private volatile Thread beat;
    private int share = Share.WHOLE;

    /** @param serve what it says first: where to listen, for whom, and the connections of the whole share */
    ShareResponder(Host host, Endpoint endpoint, String serve) {
        this.host = host;
        this.endpoint = endpoint;
        this.serve = serve;
    }

    /** Where it hears the agent. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** What the responder knows; it listens from now on, if it did not. */
    Report report() throws IOException, InterruptedException {
        talk.lockInterruptibly();
        try {
            return parse(say("asked"));
        } finally {
            talk.unlock();
        }
    }

    /** Wants a share from now on. */
    Report want(int percent) throws IOException, InterruptedException {
        talk.lockInterruptibly();
        try {
            Report report = parse(say("share " + percent));
            share = percent;
            if (beat == null && percent != Share.WHOLE) {
                Thread begun = new Thread(this::beat, "share-heartbeat");
                begun.setDaemon(true);
                beat = begun;
                begun.start();
            }
            return report;
        } finally {
            talk.unlock();
        }
    }

    private void beat() {
        try {
            while (beatOnce()) {
                Thread.sleep(BEAT_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** False when nothing is to be repeated any more. */
    private boolean beatOnce() throws InterruptedException {
        talk.lockInterruptibly();
        try {
            if (share == Share.WHOLE || beat != Thread.currentThread()) {
                beat = beat == Thread.currentThread() ? null : beat;
                return false;
            }
            say("share " + share);
        } catch (IOException e) {
            // the next reading says it
        } finally {
            talk.unlock();
        }
        return true;
    }

    private Report parse(String answer) throws IOException {
        Matcher words = REPORT.matcher(answer);
        if (!words.matches()) {
            throw new IOException(endpoint + ": expected \"ok BALANCERS MILLISECONDS TOLD SHARE\" of ic2-share, got \"" + answer + "\"");
        }
        return new Report(Integer.parseInt(words.group(1)), Integer.parseInt(words.group(3)), Integer.parseInt(words.group(4)));
    }

    /** Says a line and hears the answer; over a new connection if there is none, or the old one has ended. */
    private String say(String line) throws IOException, InterruptedException {
        if (channel != null) {
            Optional<String> answer = tryOld(line);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        try {
            channel = host.connect(endpoint);
            String begun = exchange(serve);
            if (!begun.equals("ok")) {
                throw new IOException(endpoint + ": " + begun);
            }
            return exchange(line);
        } catch (IOException e) {
            drop();
            throw new IOException("no word with ic2-share at " + endpoint + ": " + e.getMessage()
                    + "; does it run (systemctl start ic2-share.socket), and may the agent's user connect?", e);
        }
    }

    private Optional<String> tryOld(String line) {
        try {
            return Optional.of(exchange(line));
        } catch (IOException e) {
            drop();     // it was started again, perhaps
            return Optional.empty();
        }
    }

    private String exchange(String line) throws IOException {
        ByteBuffer words = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
        while (words.hasRemaining()) {
            channel.write(words);
        }
        ByteBuffer answer = ByteBuffer.allocate(LONGEST_ANSWER);
        while (answer.position() == 0 || answer.get(answer.position() - 1) != '\n') {
            if (!answer.hasRemaining() || channel.read(answer) < 0) {
                throw new IOException(answer.hasRemaining() ? "it has closed the connection" : "its answer has no end");
            }
        }
        return new String(answer.array(), 0, answer.position() - 1, StandardCharsets.US_ASCII);
    }

    private void drop() {
        SocketChannel given = channel;
        try {
            if (given != null) {
                given.close();
            }
        } catch (IOException e) {
            // it is given up
        }
        channel = null;
    }

    /** Goes: the responder tells the whole share from now on. */
    @Override
    public void close() {
        Thread ended = beat;
        beat = null;
        if (ended != null) {
            ended.interrupt();
        }
        drop();
    }
}
