// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.function.Function;
import org.ic2.host.config.ContractChoice;
import org.ic2.host.model.Guest;
import org.ic2.runtime.host.PutText;

/**
 * Two files of each guest. The tenant's is read only where it is a plain file: a symbolic link is not followed, and FIFOs and devices
 * are not opened. The host's is written beside, and takes the place of the old one in one step.
 */
final class FileCarrier implements Carrier {
    private static final int LONGEST_NAME = 200;

    private final String what;
    private final Function<Guest, Optional<Pair>> files;

    /** The files of one guest. */
    private record Pair(Path notice, Path tenant) {
    }

    private FileCarrier(String what, Function<Guest, Optional<Pair>> files) {
        this.what = what;
        this.files = files;
    }

    /** {@code notice/GUEST.json} and {@code tenant/GUEST.json} in a directory. */
    static FileCarrier in(ContractChoice.Directory choice) {
        return new FileCarrier("directory " + choice.path(), guest -> isFileName(guest.name())
                ? Optional.of(new Pair(choice.notices().resolve(guest.name() + ".json"),
                choice.tenants().resolve(guest.name() + ".json"))) : Optional.empty());
    }

    /** The two files of a single guest. */
    static FileCarrier of(ContractChoice.Files choice) {
        return new FileCarrier("files " + choice.notice() + " and " + choice.tenant(), guest -> guest.name().equals(choice.guest())
                ? Optional.of(new Pair(choice.notice(), choice.tenant())) : Optional.empty());
    }

    /** A guest's name may hold anything; not any name stays in the directory. */
    private static boolean isFileName(String name) {
        return !name.isEmpty() && name.length() <= LONGEST_NAME && !name.startsWith(".")
                && name.chars().allMatch(letter -> letter != '/' && letter >= ' ');
    }

    @Override
    public String describe() {
        return what;
    }

    @Override
    public boolean reaches(Guest guest) {
        return files.apply(guest).isPresent();
    }

    private Pair pair(Guest guest) {
        return files.apply(guest).orElseThrow(() -> new IllegalArgumentException("expected a guest that is reached, got " + guest));
    }

    @Override
    public Optional<Letter> fetch(Guest guest) throws IOException {
        Path file = pair(guest).tenant();
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (!attributes.isRegularFile()) {
            throw new IOException("expected a regular file, got " + (attributes.isSymbolicLink() ? "a symbolic link"
                    : attributes.isDirectory() ? "a directory" : "a FIFO, socket or device"));
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (bytes.length > MOST_BYTES) {
            throw new IOException("expected at most " + MOST_BYTES + " bytes, got more");
        }
        if (bytes.length == 0) {
            return Optional.empty();    // about to be written, by somebody who writes in place
        }
        try {
            return Optional.of(new Letter(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString(),
                    attributes.lastModifiedTime() + " " + attributes.fileKey()));
        } catch (CharacterCodingException e) {
            throw new IOException("expected a text in UTF-8", e);
        }
    }

    @Override
    public void deliver(Guest guest, String text) throws IOException {
        PutText.file(pair(guest).notice(), text);
    }

    @Override
    public void withdraw(Guest guest) throws IOException {
        Files.deleteIfExists(pair(guest).notice());
    }
}
