// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/** The machines whose QMP sockets are in a directory. */
final class QemuMachines {
    private static final List<String> SUFFIXES = List.of(".qmp", ".sock", ".monitor");
    /** Of {@code /proc/TID/stat}, behind the name. */
    private static final int START_TIME = 19;

    /** A machine and the threads that are its virtual CPUs. */
    record Running(Guest guest, List<Integer> threads) {
    }

    /** What is asked in one conversation. */
    interface Question<T> {
        T of(QemuGuest qemu) throws IOException, InterruptedException;
    }

    private final Host host;
    private final String directory;
    private final Duration patience;
    private final Map<String, Running> known = new HashMap<>();

    QemuMachines(Host host, String directory, Duration patience) {
        this.host = host;
        this.directory = directory.replaceAll("/+$", "");
        this.patience = patience;
    }

    <T> T ask(String socket, Question<T> question) throws IOException, InterruptedException {
        try (QmpConnection qmp = QmpConnection.open(host, socket, patience)) {
            return question.of(new QemuGuest(qmp));
        }
    }

    /**
     * Those that run; a guest that migrates runs where it comes from until it runs where it goes to. One whose monitor does not answer, or answers another client, is what it was last; the restore of a guest
     * that is left out would be forgotten.
     *
     * @throws IOException when one does not answer of which nothing is known yet
     */
    List<Running> running() throws IOException, InterruptedException {
        Map<String, Running> present = new LinkedHashMap<>();
        for (String entry : host.list(directory)) {
            if (SUFFIXES.stream().anyMatch(entry::endsWith)) {
                String socket = directory + "/" + entry;
                try {
                    ask(socket, qemu -> qemu.isElsewhere() ? Optional.<Running>empty() : Optional.of(describe(socket, qemu)))
                            .ifPresent(running -> present.put(socket, running));
                } catch (IOException e) {
                    Running before = known.get(socket);
                    if (!isDead(socket, e) && before == null) {
                        throw e;
                    } else if (!isDead(socket, e)) {
                        present.put(socket, before);
                    }
                }
            }
        }
        known.clear();
        known.putAll(present);
        return List.copyOf(present.values());
    }

    /** True if nobody serves a socket any more, or it is no longer there. */
    private boolean isDead(String socket, IOException error) throws InterruptedException {
        if (error.getCause() instanceof java.net.ConnectException) {
            return true;
        }
        try {
            host.inode(socket);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private Running describe(String socket, QemuGuest qemu) throws IOException, InterruptedException {
        String file = socket.substring(socket.lastIndexOf('/') + 1);
        String name = qemu.name().orElse(file.substring(0, file.lastIndexOf('.')));
        List<Integer> threads = qemu.threads();
        // a machine keeps its UUID when it is started anew, a thread does not keep the time of its start
        String uuid = qemu.uuid() + "@" + threads.get(0) + "." + started(threads.get(0));
        return new Running(new Guest(socket, uuid, name, threads.size(), 0, qemu.bootMemory(), GuestClass.NLS, Double.NaN,
                Double.NaN), threads);
    }

    /** When a thread was started, in clock ticks since the boot. */
    private String started(int thread) throws IOException, InterruptedException {
        String path = "/proc/" + thread + "/stat";
        String text = host.read(path);
        String[] words = text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
        if (words.length <= START_TIME || !words[START_TIME].matches("\\d+")) {
            throw new IOException("expected the time of a thread's start in " + path + ", got \"" + text.strip() + "\"");
        }
        return words[START_TIME];
    }

    /** @throws NotDoneException when another machine has the socket now */
    void require(Target.OfGuest target, QemuGuest qemu) throws IOException, InterruptedException {
        if (!describe(target.id(), qemu).guest().uuid().equals(target.uuid())) {
            throw new NotDoneException(target.name() + " is gone; another machine has its socket " + target.id());
        }
    }
}
