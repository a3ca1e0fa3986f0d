// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;

/**
 * A machine of the application group, as sensors and actuators see it: this one ({@link LocalHost}) or one behind
 * ssh ({@link SshHost}). A sensor written against this interface works on both.
 *
 * <p>Every method may block; the caller bounds it with a deadline or by interrupting the thread. A failure is an
 * {@link IOException} whose message names the host, what was asked and what came.
 */
public interface Host extends AutoCloseable {

    /** {@code localhost} or the ssh address, for messages. */
    String name();

    /** The whole text of a small file, such as those of {@code /proc} and {@code /sys/fs/cgroup}. */
    String read(String path) throws IOException, InterruptedException;

    /** The first lines of a file: enough of {@code /proc/net/tcp}, which lists listeners first. */
    String head(String path, int bytes) throws IOException, InterruptedException;

    /** Replaces a file's text in one step: readers see the old text or the new one. Owner and mode stay. */
    void replace(String path, String text) throws IOException, InterruptedException;

    /**
     * Writes a text over what a file holds, in one step and in its place: for files of a kernel, where no other file can
     * take the place of one. The file must be there.
     */
    void write(String path, String text) throws IOException, InterruptedException;

    /** Asked when a directory has been opened, before anything is written in it. */
    interface Condition {
        void require() throws IOException, InterruptedException;
    }

    /**
     * Writes as {@link #write} does, in a directory that is opened first. On this machine what is written goes into that
     * directory or nowhere, whatever has its name by then.
     *
     * @param condition under which it is written
     */
    default void write(String directory, String name, String text, Condition condition) throws IOException, InterruptedException {
        condition.require();
        write(directory + "/" + name, text);
    }

    /** The names of what is in a directory, sorted; those of directories end with a slash. */
    List<String> list(String directory) throws IOException, InterruptedException;

    /** The number of a file or directory in its file system: one made anew under an old name has another. */
    long inode(String path) throws IOException, InterruptedException;

    /**
     * Runs a command to its end, without a shell in between, in the locale C. When the deadline passes or the thread is
     * interrupted, it and everything that it has started are killed, and have ended when this returns, as far as we may;
     * should this process be killed, they end soon after the deadline.
     *
     * @throws NotDoneException when it cannot be started
     */
    CommandResult run(List<String> command, Duration deadline) throws IOException, InterruptedException;

    /** Starts a command that keeps running and hands out its lines. Its error output goes with its output. */
    LineSource follow(List<String> command) throws IOException;

    /** Follows a growing text file from its present end, across rotation and truncation. */
    LineSource tail(String path) throws IOException;

    /** Connects to an address that is reachable on that host. */
    SocketChannel connect(Endpoint endpoint) throws IOException, InterruptedException;

    @Override
    void close();
}
