// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * A line of the text file that holds the mitigation level, {@code MITIGATION 3}, or the wall's flag, {@code MITIGATION_WALL 1}; other
 * lines stay. mod_standby reads it with every request. It has the
 * form of a RewriteMap's, which looks at the file's time alone and reads it anew when that is another one; so each writing
 * leaves a time that the file never had before, in whole seconds: two writings within a second are both seen. A file without
 * the line is taken for 0, as by mod_standby.
 */
final class LevelFile {

    private static final Logger LOG = Logger.getLogger(LevelFile.class.getName());
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    /** The name of the mitigation level, and of the wall's flag. */
    static final String LEVEL = "MITIGATION";
    static final String WALL = "MITIGATION_WALL";

    private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,4}");

    /**
     * $1 the file; $2 the level, empty to look only whether it could be written; $3 what its line was, "any" for whatever;
     * $4 the second of our last writing; $5 the name with which its line begins, which has nothing that grep takes for more than
     * itself. Prints the second that the file has now. A file that cannot be written any more,
     * on a full disk, is at least emptied for level 0.
     */
    private static final String WRITE = """
            f=$1 d=${1%/*} new=$1.ic2-new
            fail() { echo "$1" >&2; exit 1; }
            [ -d "${d:=/}" ] || fail "there is no directory $d: make it, with mode 755, for $(id -un)"
            case $(stat -c %A -- "$d") in ????????w?) fail "everybody may write in $d, so anybody could set the level; chmod o-w $d" ;; esac
            [ ! -L "$f" ] || fail "$f is a symbolic link; name the file itself"
            if [ -e "$f" ]; then
                [ -f "$f" ] || fail "$f is no regular file"
                [ -O "$f" ] || fail "$f belongs to $(stat -c %U -- "$f") and not to $(id -un), who writes it; chown it"
            fi
            [ -w "$d" ] || fail "$(id -un) may not write in $d, where the new file is put beside the old one"
            if [ -z "$2" ]; then
                while :; do
                    case $(stat -c %A -- "$d") in *[xt]) ;; *) fail "httpd's user cannot come by $d, so to httpd $f is level 0; chmod o+x $d" ;; esac
                    [ "$d" != / ] || exit 0
                    d=$(dirname -- "$d")
                done
            fi
            line=$(grep -a -m 1 "^$5[[:blank:]]" "$f" 2>/dev/null)
            [ "$3" = any ] || [ "$3" = "$line" ] || fail "somebody else has changed $f from \\"$3\\" to \\"$line\\""
            last=$(stat -c %Y -- "$f" 2>/dev/null || echo 0) second=$(date +%s)
            [ "$last" -ge "$4" ] || last=$4
            [ "$second" -gt "$last" ] || second=$((last + 1))
            others=$(grep -a '^MITIGATION[A-Z_]*[[:blank:]]' "$f" 2>/dev/null | grep -av "^$5[[:blank:]]")
            umask 022
            rm -f -- "$new"
            if (set -C; printf '%s\\n' "$5 $2" ${others:+"$others"} >"$new") && touch -d "@$second.$(date +%N)" -- "$new" && mv -fT -- "$new" "$f"; then
                echo "$second"
            elif rm -f -- "$new"; [ "$2" = 0 ] && ! printf '%s\\n' "$others" | grep -aq '[[:blank:]][[:blank:]]*[1-9]' && true >"$f" && touch -d "@$second.$(date +%N)" -- "$f"; then
                echo "$second"
            else
                fail "cannot write $f: is its disk full, or read-only?"
            fi
            """;

    private final Host host;
    private final String path;
    private final String name;
    /** As mod_standby finds it: the first such line counts, comments and indented lines do not. */
    private final Pattern pattern;
    /** The line that was there when we last looked or wrote; null when nobody knows. */
    private String line;
    private long second;
    private String said = "";

    /**
     * What stands in the file.
     *
     * @param level   as httpd takes it
     * @param problem why that is 0 although no 0 stands there
     */
    record Content(int level, Optional<String> problem) {
    }

    /** @param name {@link #LEVEL} or {@link #WALL} */
    LevelFile(Host host, String path, String name) {
        this.host = host;
        this.path = path;
        this.name = name;
        this.pattern = pattern(name);
    }

    private static Pattern pattern(String name) {
        return Pattern.compile("(?m)^" + name + "[ \\t]+(\\S*).*$");
    }

    String path() {
        return path;
    }

    /** Reads it, and remembers what it was; a problem is logged once. */
    Content read() throws InterruptedException {
        Content content;
        try {
            String text = host.read(path);
            line = lineOf(text);
            content = parse(text, name);
        } catch (IOException e) {
            line = null;
            content = new Content(0, Optional.of(e.getMessage()));
        }
        String problem = content.problem.orElse("");
        if (!problem.equals(said) && !problem.isEmpty()) {
            LOG.warning(path + " holds no level, which is level 0 to httpd: " + problem);
        }
        said = problem;
        return content;
    }

    private String lineOf(String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group() : "";
    }

    /** What a text means to mod_standby. No wall's line is 0 and no problem, as most sites have none. */
    static Content parse(String text, String name) {
        Matcher matcher = pattern(name).matcher(text);
        boolean found = matcher.find();
        if (!found && name.equals(WALL)) {
            return new Content(0, Optional.empty());
        }
        if (found && NUMBER.matcher(matcher.group(1)).matches()) {
            return new Content(Integer.parseInt(matcher.group(1)), Optional.empty());
        }
        return new Content(0, Optional.of(text.isBlank() ? "it is empty"
                : "expected a line such as \"" + name + " 0\", got \"" + BoundedText.brief(text) + "\""));
    }

    /**
     * Writes another level into it, unless somebody else has changed it since we last looked.
     *
     * @throws NotDoneException when it is as it was
     */
    void write(int level) throws IOException, InterruptedException {
        String expected = line == null ? "any" : line;
        line = null;    // until an outcome is known
        String printed = run(Integer.toString(level), expected).output().strip();
        if (!printed.matches("\\d{1,15}")) {
            throw new IOException("expected the time of " + path + " after it was written, got \"" + BoundedText.brief(printed) + "\"");
        }
        second = Long.parseLong(printed);
        line = name + " " + level;
    }

    /** Could it be written, and come by? Changes nothing. */
    void check() throws IOException, InterruptedException {
        run("", "any");
    }

    private CommandResult run(String level, String expected) throws IOException, InterruptedException {
        CommandResult result = host.run(List.of("sh", "-c", WRITE, "sh", path, level, expected, Long.toString(second), name), DEADLINE);
        if (!result.succeeded()) {
            throw result.endedByItself() ? new NotDoneException(result.lastLine())
                    : new IOException("writing " + path + " ended with status " + result.exitStatus() + ": " + result.lastLine());
        }
        return result;
    }
}
