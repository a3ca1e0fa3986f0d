// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A file of which there is a whole one at every moment: written beside, synced and renamed. */
final class DurableFile {

    private final Path file;

    DurableFile(Path file) {
        this.file = file;
    }

    Path path() {
        return file;
    }

    /** It is on the disk when this returns; an interrupt waits. */
    void write(byte[] bytes) throws IOException {
        try {
            replace(bytes);
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private void replace(byte[] bytes) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        // no channel: an interrupt would close it
        try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
            out.write(bytes);
            out.getFD().sync();
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        boolean interrupted = Thread.interrupted();
        try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
