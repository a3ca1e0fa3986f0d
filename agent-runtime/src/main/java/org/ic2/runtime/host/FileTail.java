// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;

/**
 * Follows a file of this machine by reading what was added since the last call. A file that was replaced (its inode
 * changed) is read to its end before the new one is opened at its start; a truncated file is read from its start.
 */
final class FileTail implements LineSource {

    /** After a stall only this much of a flooding log is read; older lines are of no use to a live sensor. */
    static final long MOST_BYTES_BEHIND = 1024 * 1024;

    private static final int POLL_MILLIS = 20;

    private final Path path;
    private final LineBuffer buffer = new LineBuffer();
    private final byte[] chunk = new byte[16 * 1024];
    private RandomAccessFile file;
    private Object identity;
    private boolean opened;

    FileTail(Path path) throws IOException {
        this.path = path;
        if (Files.isRegularFile(path)) {
            open(true);
        }
    }

    @Override
    public List<String> drain(Duration patience) throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            poll();
            List<String> lines = buffer.take();
            if (!lines.isEmpty() || System.nanoTime() >= end) {
                return lines;
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void poll() throws IOException {
        BasicFileAttributes now;
        try {
            now = Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            if (file != null) {
                readToEnd();        // being rotated: what the writer adds to the old file still counts
                return;
            }
            throw new IOException("no file " + path + " (yet): is its writer running?", e);
        }
        if (file == null || !now.fileKey().equals(identity)) {
            BoundedText.requireRegular(path, now);
        }
        if (file == null) {
            // A file that appears while we wait is read from its start.
            open(!opened && now.size() > MOST_BYTES_BEHIND);
        } else if (!now.fileKey().equals(identity)) {
            readToEnd();
            file.close();
            buffer.discardPartial();
            open(false);
        }
        readToEnd();
    }

    private void open(boolean atEnd) throws IOException {
        file = new RandomAccessFile(path.toFile(), "r");
        identity = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        if (atEnd) {
            file.seek(startOfLastLine());
        }
        opened = true;
    }

    /** Where the line begins that is being written: it is whole when its end comes. */
    private long startOfLastLine() throws IOException {
        long end = file.length();
        long from = Math.max(0, end - chunk.length);
        file.seek(from);
        int count = Math.max(0, file.read(chunk));
        while (count > 0 && chunk[count - 1] != '\n') {
            count--;
        }
        return count > 0 || from == 0 ? from + count : end;
    }

    private void readToEnd() throws IOException {
        long size = file.length();
        if (size < file.getFilePointer()) {
            buffer.discardPartial();
            file.seek(0);
        }
        if (size - file.getFilePointer() > MOST_BYTES_BEHIND) {
            file.seek(size - MOST_BYTES_BEHIND);
            buffer.discardPartial();
        }
        for (int count = file.read(chunk); count > 0; count = file.read(chunk)) {
            buffer.add(chunk, count);
        }
    }

    @Override
    public void close() {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException("cannot close " + path, e);
            }
        }
    }
}
