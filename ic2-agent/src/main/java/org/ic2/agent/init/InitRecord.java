// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What {@code ic2 init} is about to change, on disk before it begins: all that a way back needs, after a kill too. Nothing that
 * was there before is ever changed, so the way back only takes away. Immutable.
 *
 * @param complete  all of it was done
 * @param apachectl the command that tests and signals httpd
 * @param pidFile   where httpd's parent says its number
 * @param modules   that were not enabled
 * @param confs     that were not enabled
 * @param files     that were not there: paths, and the SHA-256 of what was to be written
 * @param units     that were not enabled
 * @param store     the directory in which httpd stores pages, if there was none; else empty
 * @param log       the log if there was none; else empty
 */
record InitRecord(boolean complete, String apachectl, String pidFile, List<String> modules, List<String> confs,
        Map<String, String> files, List<String> units, String store, String log) {

    static final String PATH = "/var/lib/ic2/init.json";

    private static final int FORMAT = 1;
    // what is taken away as root is held to what an init could have made
    private static final Pattern COMMAND = Pattern.compile("/usr/(?:local/)?(?:s?bin|apache2/bin)/(?:apache2ctl|apachectl|httpd)");
    private static final Pattern NAME = Pattern.compile("[a-z0-9_.-]{1,60}");
    private static final Pattern FILE = Pattern.compile("/etc/ic2/ic2\\.yaml|/etc/apache2/conf-available/ic2-[a-z]{1,20}\\.conf");
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern MADE = Pattern.compile("|/run/ic2-standby");
    private static final Pattern PID_FILE = Pattern.compile("|(?!.*\\.\\.)/[A-Za-z0-9_./-]+");
    private static final Pattern LOG = Pattern.compile("|(?!.*\\.\\.)/[A-Za-z0-9_./-]+/ic2\\.log");

    static InitRecord of(InitPlan plan, boolean logIsThere, boolean storeIsThere) {
        Map<String, String> files = new LinkedHashMap<>();
        plan.files().forEach((path, text) -> files.put(path, digest(text)));
        return new InitRecord(false, plan.apachectl(), plan.pidFile(), plan.modules(), plan.confs(), files, plan.units(),
                storeIsThere ? "" : plan.store(), logIsThere ? "" : plan.log());
    }

    InitRecord completed() {
        return new InitRecord(true, apachectl, pidFile, modules, confs, files, units, store, log);
    }

    static String digest(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    String text() {
        ObjectNode node = new JsonMapper().createObjectNode().put("format", FORMAT).put("complete", complete)
                .put("apachectl", apachectl).put("pidFile", pidFile);
        modules.forEach(node.putArray("modules")::add);
        confs.forEach(node.putArray("confs")::add);
        files.forEach(node.putObject("files")::put);
        units.forEach(node.putArray("units")::add);
        return node.put("store", store).put("log", log).toPrettyString() + "\n";
    }

    /** Reads what {@link #text} wrote, and nothing that no init could have written. */
    static InitRecord parse(String text) throws IOException {
        JsonNode node;
        try {
            node = new JsonMapper().readTree(text);
        } catch (IOException e) {
            throw new IOException(PATH + " is no record of ic2 init: " + e.getMessage(), e);
        }
        if (node.path("format").asInt() != FORMAT) {
            throw new IOException(PATH + ": format: expected " + FORMAT + ": another version of IC2 wrote it");
        }
        Map<String, String> files = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : node.path("files").properties()) {
            files.put(matching("files", FILE, field.getKey()), matching("files", DIGEST, field.getValue().asText()));
        }
        return new InitRecord(node.path("complete").asBoolean(), matching("apachectl", COMMAND, node.path("apachectl").asText()),
                matching("pidFile", PID_FILE, node.path("pidFile").asText()), names(node, "modules"), names(node, "confs"), files,
                names(node, "units"), matching("store", MADE, node.path("store").asText()), matching("log", LOG, node.path("log").asText()));
    }

    private static List<String> names(JsonNode node, String key) throws IOException {
        List<String> names = new ArrayList<>();
        for (JsonNode each : node.path(key)) {
            names.add(matching(key, NAME, each.asText()));
        }
        return names;
    }

    private static String matching(String key, Pattern pattern, String text) throws IOException {
        if (!pattern.matcher(text).matches()) {
            throw new IOException(PATH + ": " + key + ": got \"" + text + "\", which no ic2 init has written; it is left alone");
        }
        return text;
    }
}
