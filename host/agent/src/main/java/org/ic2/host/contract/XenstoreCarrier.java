// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;

/**
 * {@code /local/domain/ID/data/ic2/notice} and {@code .../tenant} of xenstore, by its own commands. A domain may write below its
 * own {@code data}, and nowhere else. Texts go as they are ({@code -R}): without it the commands read a backslash as the begin of an
 * escape.
 */
final class XenstoreCarrier implements Carrier {
    /** As for other commands of a host that may be busy; nobody's turn waits for it. */
    static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,4}");

    private final Host host;

    XenstoreCarrier(Host host) {
        this.host = host;
    }

    @Override
    public String describe() {
        return "xenstore";
    }

    @Override
    public boolean reaches(Guest guest) {
        return guest.guestClass() != GuestClass.HOST && NUMBER.matcher(guest.id()).matches();
    }

    private static String path(Guest guest, String leaf) {
        if (!NUMBER.matcher(guest.id()).matches()) {
            throw new IllegalArgumentException("expected a domain's number, got " + guest.id());
        }
        return "/local/domain/" + guest.id() + "/data/ic2/" + leaf;
    }

    @Override
    public Optional<Letter> fetch(Guest guest) throws IOException, InterruptedException {
        CommandResult result = host.run(List.of("xenstore-read", "-R", path(guest, "tenant")), DEADLINE);
        if (!result.succeeded()) {
            if (result.lastLine().contains("couldn't read path")) {
                return Optional.empty();
            }
            throw new IOException("xenstore-read failed with status " + result.exitStatus() + ": " + result.lastLine());
        }
        String text = result.output().strip();
        if (result.truncated() || text.length() > MOST_BYTES) {
            throw new IOException("expected at most " + MOST_BYTES + " bytes, got more");
        }
        return text.isEmpty() ? Optional.empty() : Optional.of(new Letter(text, ""));
    }

    @Override
    public void deliver(Guest guest, String text) throws IOException, InterruptedException {
        run(List.of("xenstore-write", "-R", path(guest, "notice"), text));
    }

    @Override
    public void withdraw(Guest guest) throws IOException, InterruptedException {
        run(List.of("xenstore-rm", path(guest, "notice")));
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        CommandResult result = host.run(command, DEADLINE);
        if (!result.succeeded()) {
            throw new IOException(command.get(0) + " failed with status " + result.exitStatus() + ": "
                    + result.lastLine());
        }
    }
}
