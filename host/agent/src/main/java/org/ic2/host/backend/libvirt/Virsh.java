// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * Runs virsh. Domains are named to it by their numbers, which no other domain gets while libvirt runs: one that is started anew
 * under its name or UUID takes no order that was meant for the run before. Of many domains one process asks.
 */
final class Virsh {
    /** Of the host on which this runs: the processes of its domains are looked at. */
    static final String SYSTEM = "qemu:///system";
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    /** A process that stands still holds up who asks its monitor first; who asks next is not held up. */
    private static final Duration FIRST = Duration.ofSeconds(3);
    private static final int AT_ONCE = 100;

    private final Host host;

    Virsh(Host host) {
        this.host = host;
    }

    private CommandResult run(Duration deadline, List<String> words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("virsh", "-c", SYSTEM));
        command.addAll(words);
        return host.run(command, deadline);
    }

    /** The output of a command that changes nothing. */
    String ask(String... words) throws IOException, InterruptedException {
        CommandResult result = run(DEADLINE, List.of(words));
        if (!result.succeeded() || result.truncated()) {
            throw failed(String.join(" ", words), result);
        }
        return result.output();
    }

    private static IOException failed(String words, CommandResult result) {
        return new IOException("virsh " + words + (result.truncated() ? " printed more than " + CommandResult.OUTPUT_LIMIT / 1024 + " KiB"
                : " failed with status " + result.exitStatus() + ": " + result.lastLine()));
    }

    /**
     * What a command says of each domain; of those that are gone, or of which it fails, nothing.
     *
     * @param command that changes nothing, without the domain
     */
    Map<Integer, String> each(String command, Collection<Integer> ids) throws IOException, InterruptedException {
        Map<Integer, String> said = new LinkedHashMap<>();
        List<Integer> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            some(command, all.subList(from, Math.min(all.size(), from + AT_ONCE)), said);
        }
        return said;
    }

    private void some(String command, List<Integer> ids, Map<Integer, String> said) throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        ids.forEach(id -> script.append("echo @").append(id).append("; ").append(command).append(' ').append(id).append("; "));
        List<String> words = List.of(script.append("echo @end").toString());
        CommandResult result;
        try {
            result = run(FIRST, words);
        } catch (NotDoneException e) {
            throw e;
        } catch (IOException e) {
            result = run(DEADLINE, words);
        }
        String output = result.output();
        int end = output.lastIndexOf("@end");
        if (end < 0 || result.truncated()) {
            throw failed(command, result);
        }
        for (String part : output.substring(0, end).split("(?dm)^@")) {
            int line = part.indexOf('\n');
            if (line > 0 && part.substring(0, line).matches("\\d{1,9}") && !part.substring(line).isBlank()) {
                said.put(Integer.valueOf(part.substring(0, line)), part.substring(line + 1));
            }
        }
    }

    /** @throws NotDoneException when it was refused */
    void change(List<String> words) throws IOException, InterruptedException {
        CommandResult result = run(DEADLINE, words);
        if (!result.succeeded()) {
            throw NotDoneException.of("virsh " + String.join(" ", words) + " failed", result);
        }
    }
}
