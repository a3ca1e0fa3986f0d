// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * Writes that the kernel may hold up while it reclaims memory, each in a thread of its own. While one for a file is under way
 * there is no other for that file.
 */
final class SlowWrites {
    private final Host host;
    private final Duration patience;
    private final Map<String, Thread> underWay = new ConcurrentHashMap<>();

    SlowWrites(Host host, Duration patience) {
        this.host = host;
        this.patience = patience;
    }

    /**
     * Writes, and waits for it as long as its patience is.
     *
     * @param condition under which it is written
     * @throws NotDoneException when the kernel refused, or an earlier write has not ended
     * @throws IOException      when it has not ended in time: it may still be done
     */
    void write(String directory, String name, String text, Host.Condition condition) throws IOException, InterruptedException {
        String path = directory + "/" + name;
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(null, () -> attempt(path, () -> host.write(directory, name, text, condition), done), "writes " + path, 128 * 1024);
        thread.setDaemon(true);
        if (underWay.putIfAbsent(path, thread) != null) {
            throw new NotDoneException("cannot write " + path + ": an earlier write has not ended,"
                    + " the kernel still reclaims memory");
        }
        thread.start();
        try {
            done.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("writing " + text + " to " + path + " did not end within " + patience.toMillis()
                    + " ms: the kernel reclaims memory, and it may still be done", e);
        } catch (ExecutionException e) {
            throw new NotDoneException("cannot write " + text + " to " + path + ": " + e.getCause().getMessage(), e.getCause());
        }
    }

    private void attempt(String path, Host.Condition write, CompletableFuture<Void> done) {
        Throwable error = null;
        try {
            write.require();
        } catch (IOException | InterruptedException | RuntimeException e) {
            error = e;
        }
        underWay.remove(path);
        if (error == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(error);
        }
    }
}
