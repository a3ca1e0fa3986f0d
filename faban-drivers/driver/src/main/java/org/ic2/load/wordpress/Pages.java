// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.load.workload.Popularity;

/**
 * The addresses of a site that visitors ask for, most popular first. A file with lines {@code PATH,ID}: id of the post, empty
 * for other pages.
 */
final class Pages {
    private static final Pattern LINE = Pattern.compile("(/[!-+\\--~]*),(\\d{0,9})");

    /**
     * One address.
     *
     * @param path path, perhaps with a query
     * @param post id of the post that is shown there, 0 for other pages
     */
    record Address(String path, int post) {
    }

    private final List<Address> all;
    private final List<Address> posts;
    private final Popularity popularity;

    private Pages(List<Address> all, double exponent, double offset) {
        this.all = all;
        this.posts = all.stream().filter(address -> address.post() > 0).toList();
        this.popularity = new Popularity(all.size(), exponent, offset);
    }

    /**
     * Reads the file.
     *
     * @throws IllegalArgumentException names file and line, what was expected and what came
     */
    static Pages read(Path file, double exponent, double offset) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + ": the list of the site's pages cannot be read: " + e, e);
        }
        List<Address> found = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher m = LINE.matcher(lines.get(i));
            if (!m.matches()) {
                throw new IllegalArgumentException(file + ":" + (i + 1) + ": expected PATH,ID (id of a post, or nothing), got "
                        + lines.get(i));
            }
            found.add(new Address(m.group(1), m.group(2).isEmpty() ? 0 : Integer.parseInt(m.group(2))));
        }
        if (found.stream().noneMatch(address -> address.post() > 0)) {
            throw new IllegalArgumentException(file + ": expected at least one post (PATH,ID), found none");
        }
        return new Pages(List.copyOf(found), exponent, offset);
    }

    /** One that a visitor reads. */
    Address popular(Random random) {
        return all.get(popularity.at(random.nextDouble()) - 1);
    }

    /** Any one, as a crawler would choose. */
    Address any(Random random) {
        return all.get(random.nextInt(all.size()));
    }

    /** Any post. */
    Address anyPost(Random random) {
        return posts.get(random.nextInt(posts.size()));
    }
}
