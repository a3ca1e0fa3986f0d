// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.runtime.actuator.Prerequisites;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;

/**
 * The two ways to talk to httpd-online: its command {@code -k reconfigure NAME=INTEGER...}, run directly or through the
 * root helper's socket, and its status page.
 */
final class OnlineHttpd {

    /** {@code httpd -k reconfigure} itself waits up to 10 s for all children. */
    private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(12);

    /** With every thread of httpd busy its page does not answer; the order, which may be the restore, does not wait for it. */
    private static final Duration HELD_DEADLINE = Duration.ofSeconds(1);
    private static final int STATUS_LATE = 3;
    private static final Pattern LATE = Pattern.compile("is late, the last one was (\\d{1,18})");
    private static final Pattern BOUNDS = Pattern.compile("(?m)^(\\w+) (\\d{1,9}) (\\d{1,9})$");
    private static final AtomicLong LAST_ORDER = new AtomicLong();

    private final Host host;
    private final List<String> command;
    private final Optional<Endpoint> helper;
    private final HttpGet page;

    /**
     * @param command the words before {@code -k reconfigure}: {@code apachectl}, ours or Debian's, which hands nothing but
     *                options on
     * @param helper  the root helper's socket, used instead of the command
     */
    OnlineHttpd(Host host, List<String> command, Optional<Endpoint> helper, HttpGet page) {
        this.host = host;
        this.command = command;
        this.helper = helper;
        this.page = page;
    }

    String name() {
        return "httpd-online (" + helper.map(Endpoint::toString).orElse(command.get(0)) + ", " + page.uri() + ")";
    }

    /** The status page of a server that is httpd-online indeed. */
    ServerStatus status() throws IOException, InterruptedException {
        ServerStatus status = ServerStatus.of(page);
        if (!status.online()) {
            throw new IOException(page.uri() + " shows no running MaxRequestWorkers: this httpd cannot be reconfigured"
                    + " online" + refusal(status) + "; install httpd-online and set ReconfigureFile, or use httpd-basic");
        }
        return status;
    }

    private static String refusal(ServerStatus status) {
        String reason = status.fields().get("ReconfigureRefused");
        return reason == null ? "" : " (" + reason + ")";
    }

    /** The command can be run, or somebody listens at the helper's socket. */
    void checkMeans() throws IOException, InterruptedException {
        String refusal = refusal(status());
        if (!refusal.isEmpty()) {
            throw new IOException(page.uri() + ": httpd cannot be reconfigured online as it was started" + refusal
                    + ": set that right and run \"apachectl -k reconfigure\"");
        }
        if (helper.isEmpty()) {
            Prerequisites.command(host, command);
            return;
        }
        try (SocketChannel channel = host.connect(helper.get())) {
            channel.shutdownOutput();
        } catch (IOException e) {
            throw new IOException(e.getMessage() + " (is ic2-reconfigure.socket active? It is the agent's alone: sudo -u ic2 ic2 check)", e);
        }
    }

    /** The least and the most of root's bounds, by name in httpd; none where no helper stands between us, or one of before. */
    Map<String, int[]> helperBounds() throws IOException, InterruptedException {
        Map<String, int[]> bounds = new HashMap<>();
        if (helper.isPresent()) {
            Matcher line = BOUNDS.matcher(ask(helper.get(), "bounds").all());
            while (line.find()) {
                bounds.put(line.group(1), new int[] {Integer.parseInt(line.group(2)), Integer.parseInt(line.group(3))});
            }
        }
        return bounds;
    }

    /**
     * The number of held workers, when it is a reason not to lower MaxRequestWorkers to this. A server that cannot be asked
     * is not held up: it refuses what it must by itself.
     */
    OptionalInt heldAbove(int wanted) throws InterruptedException {
        FutureTask<ServerStatus> asked = new FutureTask<>(this::status);
        Thread asking = new Thread(null, asked, "held workers", 128 * 1024);
        asking.setDaemon(true);
        asking.start();
        try {
            ServerStatus status = asked.get(HELD_DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            int running = status.integer("MaxRequestWorkers").getAsInt();
            int held = Math.min(running - 1, status.integer("HeldWorkers").orElse(0));
            return wanted < running && wanted <= held ? OptionalInt.of(held) : OptionalInt.empty();
        } catch (ExecutionException | TimeoutException e) {
            return OptionalInt.empty();
        } finally {
            asked.cancel(true);
            asking.join(HELD_DEADLINE.toMillis());
        }
    }

    /** How a program without Java sets these; empty where there is no helper, whose orders have numbers. */
    Optional<RestoreRoute> route(Map<Knob, RestoreRoute.Name> names) {
        return helper.flatMap(socket -> RestoreRoute.helper(socket, page.uri(), names));
    }

    /** Sets values by their names in httpd: {@code MaxRequestWorkers=400 KeepAliveTimeout=15000ms MITIGATION=2}. */
    void reconfigure(Map<String, String> values) throws IOException, InterruptedException {
        List<String> assignments = new ArrayList<>();
        values.forEach((name, value) -> assignments.add(name + "=" + value));
        CommandResult result = helper.isPresent() ? orderHelper(helper.get(), assignments) : runCommand(assignments);
        if (!result.succeeded()) {
            throw NotDoneException.of("\"reconfigure " + String.join(" ", assignments) + "\" was refused", result);
        }
    }

    private CommandResult runCommand(List<String> assignments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(command);
        if (!"-k".equals(command.get(command.size() - 1))) {
            words.add("-k");
        }
        words.add("reconfigure");
        words.addAll(assignments);
        return host.run(words, COMMAND_DEADLINE);
    }

    /**
     * The helper numbers what it accepts, so that an order of an agent that was killed, or one that we gave up, cannot undo a
     * later one. Ours is of now: where the helper has heard a higher number, of a machine that is up for longer, we go on
     * from there.
     */
    private CommandResult orderHelper(Endpoint socket, List<String> assignments)
            throws IOException, InterruptedException {
        CommandResult result = askHelper(socket, LAST_ORDER.updateAndGet(OnlineHttpd::next), assignments);
        Matcher late = LATE.matcher(result.all());
        if (result.exitStatus() == STATUS_LATE && late.find()) {
            long last = Long.parseLong(late.group(1));
            result = askHelper(socket, LAST_ORDER.updateAndGet(own -> next(Math.max(own, last))), assignments);
        }
        return result;
    }

    /** The monotonic clock is the machine's, so the next agent of this machine goes on where this one ended. */
    private static long next(long number) {
        return Math.max(number + 1, System.nanoTime() / 1000);
    }

    private CommandResult askHelper(Endpoint socket, long number, List<String> assignments)
            throws IOException, InterruptedException {
        return ask(socket, "order=" + number + " " + String.join(" ", assignments));
    }

    /** One line there, the helper's output and a last line with its exit status back. */
    private CommandResult ask(Endpoint socket, String line) throws IOException, InterruptedException {
        StringBuilder answer = new StringBuilder();
        try (SocketChannel channel = connectHelper(socket)) {
            channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII)));
            channel.shutdownOutput();
            ByteBuffer chunk = ByteBuffer.allocate(4096);
            while (channel.read(chunk) >= 0 && answer.length() < CommandResult.OUTPUT_LIMIT) {
                answer.append(new String(chunk.array(), 0, chunk.position(), StandardCharsets.UTF_8));
                chunk.clear();
            }
        } catch (java.nio.channels.ClosedByInterruptException e) {
            throw new InterruptedException("interrupted while waiting for the helper");
        }
        String text = answer.toString().strip();
        int last = text.lastIndexOf('\n') + 1;
        if (!text.substring(last).matches("status \\d{1,3}")) {
            throw new IOException("the helper at " + socket + " did not say how it went; see its unit's log");
        }
        return new CommandResult(Integer.parseInt(text.substring(last + "status ".length())), text.substring(0, last));
    }

    private SocketChannel connectHelper(Endpoint socket) throws IOException, InterruptedException {
        try {
            return host.connect(socket);
        } catch (java.nio.channels.ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
    }
}
