// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.util.Arrays;

/**
 * Which files a user's browser already has: only the fact, not the bytes. A direct-mapped table of fixed size (2 kB per
 * user); two files that fall on the same place push each other out, as a small browser cache would.
 */
public final class FileCache {
    private static final int PLACES = 512;

    private final int[] present = new int[PLACES];

    /** An empty cache. */
    public FileCache() {
        clear();
    }

    /**
     * Puts a file into the cache.
     *
     * @param path path of the file
     * @return whether it was not there before, so that it has to be fetched
     */
    public boolean add(String path) {
        int hash = hash(path);
        int place = hash & PLACES - 1;
        boolean isNew = present[place] != hash;
        present[place] = hash;
        return isNew;
    }

    /**
     * Takes a file out, for example because it could not be fetched.
     *
     * @param path path of the file
     */
    public void remove(String path) {
        int hash = hash(path);
        if (present[hash & PLACES - 1] == hash) {
            present[hash & PLACES - 1] = 0;
        }
    }

    /** Empties the cache. */
    public void clear() {
        Arrays.fill(present, 0);
    }

    /** Never 0, which marks an empty place. */
    private static int hash(String path) {
        int h = path.hashCode() * 0x9E3779B1;
        h ^= h >>> 15;
        return h == 0 ? 1 : h;
    }
}
