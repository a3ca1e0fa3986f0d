// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The provider's command that moves a guest, as words of which none passes a shell. In each of them {@code {id}}, the guest's address on
 * its host, {@code {uuid}}, {@code {name}}, and both hosts' names {@code {from}} and {@code {to}} are filled in.
 *
 * @param words the program first
 */
public record MoveCommand(List<String> words) {

    private static final Pattern BLANK = Pattern.compile("\\{(\\w*)\\}");
    private static final List<String> GUEST = List.of("id", "uuid", "name");
    private static final List<String> BLANKS = List.of("id", "uuid", "name", "from", "to");

    /** @throws IllegalArgumentException when it has no program, an unknown blank, or none for the guest or for where it goes */
    public MoveCommand {
        words = List.copyOf(words);
        List<String> blanks = words.stream().flatMap(word -> BLANK.matcher(word).results()).map(found -> found.group(1)).toList();
        String unknown = blanks.stream().filter(blank -> !BLANKS.contains(blank)).map(blank -> "{" + blank + "}")
                .collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("expected {id}, {uuid}, {name}, {from} and {to} to be filled in, got " + unknown);
        }
        if (words.isEmpty() || words.get(0).isEmpty() || BLANK.matcher(words.get(0)).find()) {
            throw new IllegalArgumentException("expected a program and its words, the program without anything to be filled in, got " + words);
        }
        if (GUEST.stream().noneMatch(blanks::contains) || !blanks.contains("to")) {
            throw new IllegalArgumentException("expected {to} and one of {id}, {uuid} and {name} among the words, got " + words);
        }
    }

    /**
     * The command for one move.
     *
     * @throws IllegalArgumentException when what is filled in cannot be a word, or would be taken for an option
     */
    public List<String> of(Migration move) {
        Map<String, String> values = Map.of("id", move.id(), "uuid", move.uuid(), "name", move.name(), "from", move.from(), "to",
                move.to());
        List<String> filled = new ArrayList<>();
        for (String word : words) {
            String one = BLANK.matcher(word).replaceAll(found -> Matcher.quoteReplacement(values.get(found.group(1))));
            if (one.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("a name with control characters cannot be a word of a command");
            }
            if (one.startsWith("-") && !word.startsWith("-")) {
                throw new IllegalArgumentException("\"" + one + "\" would be taken for an option");
            }
            filled.add(one);
        }
        return filled;
    }
}
