// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * Writes that the kernel may hold up while it reclaims memory, each in a thread that has nothing else to do then; an idle one is
 * taken, as a new one costs more than the write. While one for a file is under way there is no other for that file.
 */
final class SlowWrites {
    private static final int IDLE_SECONDS = 30;
    private static final int STACK = 128 * 1024;

    private final Host host;
    private final Duration patience;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final Executor threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
            new SynchronousQueue<>(), SlowWrites::thread);

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
        if (!underWay.add(path)) {
            throw new NotDoneException("cannot write " + path + ": an earlier write has not ended,"
                    + " the kernel still reclaims memory");
        }
        threads.execute(() -> attempt(path, () -> host.write(directory, name, text, condition), done));
        try {
            done.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("writing " + text + " to " + path + " did not end within " + patience.toMillis()
                    + " ms: the kernel reclaims memory, and it may still be done", e);
        } catch (ExecutionException e) {
            throw new NotDoneException("cannot write " + text + " to " + path + ": " + e.getCause().getMessage(), e.getCause());
        }
    }

    private static Thread thread(Runnable writes) {
        Thread thread = new Thread(null, writes, "writes that may be held up", STACK);
        thread.setDaemon(true);
        return thread;
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
