// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;

/** A machine whose files and command output the test writes. */
public class FakeHost implements Host {

    public final Map<String, String> files = new HashMap<>();
    /** Lines that followed commands and tailed files will hand out. */
    public final List<String> lines = new ArrayList<>();
    public final List<List<String>> followed = new ArrayList<>();

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public String read(String path) throws IOException {
        String text = files.get(path);
        if (text == null) {
            throw new IOException(path + ": No such file or directory");
        }
        return text;
    }

    @Override
    public String head(String path, int bytes) throws IOException {
        String text = read(path);
        return text.substring(0, Math.min(bytes, text.length()));
    }

    @Override
    public void replace(String path, String text) {
        files.put(path, text);
    }

    @Override
    public void write(String path, String text) throws IOException {
        read(path);
        files.put(path, text);
    }

    @Override
    public List<String> list(String directory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long inode(String path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CommandResult run(List<String> command, Duration deadline) {
        throw new UnsupportedOperationException();
    }

    @Override
    public LineSource follow(List<String> command) {
        followed.add(command);
        return source();
    }

    @Override
    public LineSource tail(String path) {
        return source();
    }

    private LineSource source() {
        return new LineSource() {
            @Override
            public List<String> drain(Duration patience) throws IOException {
                if (lines.contains("GONE")) {
                    lines.clear();
                    throw new IOException("the command ended");
                }
                List<String> taken = List.copyOf(lines);
                lines.clear();
                return taken;
            }

            @Override
            public void close() {
                // nothing to close
            }
        };
    }

    @Override
    public SocketChannel connect(Endpoint endpoint) throws IOException {
        return new org.ic2.runtime.host.LocalHost().connect(endpoint);
    }

    @Override
    public void close() {
        // nothing to close
    }
}
