// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.TextFiles;

/** The testbed's web tier, as its administrator handles it. */
final class WebTier {
    private static final Duration RESTART_WITHIN = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int PAGE_WITHIN_MILLIS = 2000;
    private static final String CHILDREN = "pm.max_children";
    private static final String ROUNDS = "OLIO_CPU_ROUNDS";
    private static final String COST = "env[" + ROUNDS + "]";
    private static final Pattern NUMBER = Pattern.compile("^export " + ROUNDS + "='(\\d{1,6})'$");

    private final Testbed testbed;
    private final Path log;

    WebTier(Testbed testbed, Path log) {
        this.testbed = testbed;
        this.log = log;
    }

    /** Words of {@code apachectl reconfigure} for MXC, KAT and the level. */
    static Map<String, String> words(Settings values) {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("MaxRequestWorkers", Integer.toString(values.get(Lever.MAX_REQUEST_WORKERS)));
        words.put("KeepAliveTimeout", seconds(values.get(Lever.KEEP_ALIVE_TIMEOUT)));
        words.put("MITIGATION", Integer.toString(values.get(Lever.MITIGATION)));
        return words;
    }

    private static String seconds(int millis) {
        return java.math.BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString();
    }

    /** On a stock httpd the level alone: the others stay as they were when it started. */
    void set(Map<String, String> values) throws IOException, InterruptedException {
        Optional<Path> ladder = testbed.ladderFile();
        if (ladder.isPresent()) {
            ChildProcess.run("testbed level", testbed.command("level", List.of(values.get("MITIGATION"))), log);
            return;
        }
        List<String> command = new ArrayList<>(List.of(testbed.text("files", "apachectl"), "reconfigure"));
        values.forEach((name, value) -> command.add(name + "=" + value));
        ChildProcess.run("apachectl reconfigure", command, log);
    }

    void phpChildren(int count) throws IOException, InterruptedException {
        changePool(CHILDREN, List.of(Integer.toString(count)));
    }

    /** Makes every page cost this number of rounds more than the testbed was started with, until {@link #restore}. */
    void pageCost(int more) throws IOException, InterruptedException {
        changePool(COST, more == 0 ? List.of() : List.of(Integer.toString(rounds() + more)));
    }

    /** What a page costs as the testbed was started. */
    private int rounds() throws IOException {
        Path file = Path.of(testbed.text("files", "environment"));
        return TextFiles.lines(file).stream().map(NUMBER::matcher).filter(Matcher::matches).findFirst()
                .map(found -> Integer.parseInt(found.group(1)))
                .orElse(0);
    }

    /** Replaces a key of the pool, by one value or by none. */
    private void changePool(String key, List<String> values) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>(pool());
        lines.removeIf(line -> line.strip().startsWith(key));
        values.forEach(value -> lines.add(key + " = " + value));
        writePool(lines);
    }

    private List<String> pool() throws IOException {
        return TextFiles.lines(Path.of(testbed.text("files", "php_pool")));
    }

    private void writePool(List<String> lines) throws IOException, InterruptedException {
        TextFiles.write(Path.of(testbed.text("files", "php_pool")), TextFiles.joined(lines));
        String master = Files.readString(Path.of(testbed.text("files", "php_pid"))).strip();
        ChildProcess.run("reload of php-fpm", List.of("kill", "-USR2", master), log);
    }

    /** Puts the baseline back. */
    void restore(Settings baseline) throws IOException, InterruptedException {
        set(words(baseline));
        List<String> children = List.of(CHILDREN + " = " + baseline.get(Lever.PHP_MAX_CHILDREN));
        List<String> lines = new ArrayList<>(pool());
        List<String> ours = lines.stream().map(String::strip).filter(line -> line.startsWith(COST) || line.startsWith(CHILDREN))
                .toList();
        if (!ours.equals(children)) {
            lines.removeIf(line -> ours.contains(line.strip()));
            lines.addAll(children);
            writePool(lines);
        }
    }

    /** Ends what graceful restarts have left behind, and waits for the new children; no client may be connected. */
    void restart() throws IOException, InterruptedException {
        String before = generation();
        ChildProcess.run("apachectl restart", List.of(testbed.text("files", "apachectl"), "restart"), log);
        long end = System.nanoTime() + RESTART_WITHIN.toNanos();
        String now = before;
        while (now.isEmpty() || now.equals(before)) {
            if (System.nanoTime() > end) {
                throw new RunException("httpd has not restarted " + RESTART_WITHIN.toSeconds() + " s after apachectl restart; see "
                        + testbed.text("files", "logs"));
            }
            Thread.sleep(LOOK.toMillis());
            now = generation();
        }
    }

    /** The line of mod_status that changes with each restart, empty while httpd does not answer. */
    private String generation() {
        try {
            URLConnection page = URI.create(testbed.text("urls", "status")).toURL().openConnection();
            page.setConnectTimeout(PAGE_WITHIN_MILLIS);
            page.setReadTimeout(PAGE_WITHIN_MILLIS);
            try (InputStream in = page.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                        .filter(line -> line.startsWith("ParentServerMPMGeneration")).findFirst().orElse("");
            }
        } catch (IOException e) {
            return "";
        }
    }
}
