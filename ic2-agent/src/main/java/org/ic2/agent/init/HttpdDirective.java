// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.ic2.runtime.host.BoundedText;

/**
 * A line of httpd's configuration.
 *
 * @param line      where it begins, from 1
 * @param name      in small letters
 * @param arguments without their quotation marks
 * @param sections  that it stands in, the outermost first
 */
record HttpdDirective(int line, String name, List<String> arguments, List<Section> sections) {

    /**
     * A section such as {@code <IfModule mpm_event_module>}.
     *
     * @param name  in small letters
     * @param place file and line where it begins, as httpd names virtual hosts
     */
    record Section(String name, String argument, String place) {
    }

    private static final int DEEPEST = 100;

    /** The directives of a file. What httpd would refuse is read as well as may be: httpd has the last word. */
    static List<HttpdDirective> parse(String file, String text) throws IOException {
        List<HttpdDirective> directives = new ArrayList<>();
        Deque<Section> open = new ArrayDeque<>();
        List<String> lines = BoundedText.lines(text, file);
        for (int next = 0; next < lines.size();) {
            int begin = next + 1;
            StringBuilder whole = new StringBuilder(lines.get(next++));
            while (whole.length() > 0 && whole.charAt(whole.length() - 1) == '\\' && next < lines.size()) {
                whole.setLength(whole.length() - 1);
                whole.append(lines.get(next++));
            }
            String line = whole.toString().strip();
            if (line.startsWith("</")) {
                open.pollLast();
            } else if (line.startsWith("<") && open.size() < DEEPEST) {
                List<String> words = words(line.substring(1).replaceFirst(">\\s*$", ""));
                open.addLast(new Section(words.isEmpty() ? "" : words.get(0).toLowerCase(Locale.ROOT),
                        words.size() < 2 ? "" : words.get(1), file + ":" + begin));
            } else if (!line.isEmpty() && !line.startsWith("#") && !line.startsWith("<")) {
                List<String> words = words(line);
                directives.add(new HttpdDirective(begin, words.get(0).toLowerCase(Locale.ROOT),
                        List.copyOf(words.subList(1, words.size())), List.copyOf(open)));
            }
        }
        return directives;
    }

    /** Words with blanks between them; one in quotation marks may hold blanks, and after a backslash quotation marks. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        for (int at = 0; at < line.length();) {
            char first = line.charAt(at);
            if (Character.isWhitespace(first)) {
                at++;
                continue;
            }
            StringBuilder word = new StringBuilder();
            boolean quoted = first == '"' || first == '\'';
            for (at += quoted ? 1 : 0; at < line.length(); at++) {
                char letter = line.charAt(at);
                if (quoted ? letter == first : Character.isWhitespace(letter)) {
                    break;
                }
                if (quoted && letter == '\\' && at + 1 < line.length() && line.charAt(at + 1) == first) {
                    letter = line.charAt(++at);
                }
                word.append(letter);
            }
            at++;
            words.add(word.toString());
        }
        return words.isEmpty() ? List.of("") : words;
    }

    /** The first argument; empty when there is none. */
    String argument() {
        return arguments.isEmpty() ? "" : arguments.get(0);
    }

    /** The place of the virtual host that it stands in; empty for the main server. */
    String host() {
        return sections.stream().filter(section -> section.name.equals("virtualhost")).map(Section::place).findFirst().orElse("");
    }

    /** True outside of all virtual hosts, directories and locations. */
    boolean ofTheServer() {
        return sections.stream().allMatch(section -> section.name.startsWith("if"));
    }
}
