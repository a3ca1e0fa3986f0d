// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.ic2.host.model.GuestClass;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.yaml.ConfigException;

/**
 * Reads and writes a library of regions. A file that is not wholly understood is refused; the message carries the path of the
 * bad value, such as {@code regions[2].settings.tslice}.
 */
public final class LibraryJson {
    private static final int FORMAT = 1;
    private static final int MOST_REGIONS = 1000;
    private static final int LONGEST_SHOWN = 80;

    private final String file;

    private LibraryJson(String file) {
        this.file = file;
    }

    /**
     * The library of a file's text.
     *
     * @param file its name, for messages
     * @throws ConfigException if anything is missing, unknown or impossible
     */
    public static Library read(String file, String text) throws ConfigException {
        return new LibraryJson(file).library(text);
    }

    /** The file's text; {@link #read} gives an equal library back. */
    public static String write(Library library) {
        ObjectNode tree = Json.object();
        tree.put("format", FORMAT);
        ObjectNode scaling = tree.putObject("scaling").put("kind", library.scaling().kind().key());
        putFeatures(scaling.putObject("mean"), library.scaling().mean());
        putFeatures(scaling.putObject("spread"), library.scaling().spread());
        tree.put("silhouette", library.silhouette());
        var regions = tree.putArray("regions");
        for (Region region : library.regions()) {
            ObjectNode node = regions.addObject();
            putFeatures(node.putObject("centre"), region.centre());
            node.put("radius", region.radius()).put("points", region.points());
            region.settings().ifPresent(settings -> put(node.putObject("settings"), settings));
        }
        return tree.toPrettyString() + "\n";
    }

    private static void putFeatures(ObjectNode node, List<Double> values) {
        for (int i = 0; i < HostFeatures.KEYS.size(); i++) {
            node.put(HostFeatures.KEYS.get(i), values.get(i));
        }
    }

    private static void put(ObjectNode node, RegionSettings settings) {
        settings.vector().tslice().ifPresent(ms -> node.put("tslice_ms", ms));
        settings.vector().ratelimit().ifPresent(us -> node.put("ratelimit_us", us));
        ObjectNode weights = node.putObject("weights");
        settings.vector().weights().forEach((guestClass, weight) -> weights.put(guestClass.name(), weight));
        node.put("base_cost", settings.baseCost()).put("cost", settings.cost()).put("held_out_gain", settings.heldOutGain())
                .put("provenance", settings.provenance());
    }

    private Library library(String text) throws ConfigException {
        JsonNode tree = parse(text);
        keys(tree, "top level", Set.of("format", "scaling", "silhouette", "regions"), Set.of());
        if (!tree.get("format").isInt() || tree.get("format").intValue() != FORMAT) {
            throw wrong("format", Integer.toString(FORMAT), tree.get("format"));
        }
        Scaling scaling = scaling(tree.get("scaling"));
        double silhouette = number(tree.get("silhouette"), "silhouette", -1, 1);
        JsonNode array = tree.get("regions");
        if (!array.isArray() || array.isEmpty() || array.size() > MOST_REGIONS) {
            throw wrong("regions", "a list of 1 to " + MOST_REGIONS + " regions", array);
        }
        List<Region> regions = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            regions.add(region(array.get(i), "regions[" + (i + 1) + "]", i + 1));
        }
        return new Library(scaling, silhouette, regions);
    }

    private JsonNode parse(String text) throws ConfigException {
        try {
            return Json.readStrictly(text);
        } catch (JsonProcessingException e) {
            String place = e.getLocation() == null ? "start"
                    : "line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr();
            throw new ConfigException(file + ": " + place + ": not JSON: " + firstLine(e.getOriginalMessage()) + advice(), e);
        }
    }

    private static String firstLine(String message) {
        return String.valueOf(message).lines().findFirst().orElse("");
    }

    private Scaling scaling(JsonNode node) throws ConfigException {
        keys(node, "scaling", Set.of("kind", "mean", "spread"), Set.of());
        JsonNode kind = node.get("kind");
        Optional<Scaling.Kind> known = kind.isTextual() ? Scaling.Kind.of(kind.textValue()) : Optional.empty();
        if (known.isEmpty()) {
            throw wrong("scaling.kind", "none or zscore", kind);
        }
        List<Double> mean = features(node.get("mean"), "scaling.mean", -Double.MAX_VALUE);
        return new Scaling(known.get(), mean, features(node.get("spread"), "scaling.spread", Double.MIN_VALUE));
    }

    private Region region(JsonNode node, String path, int number) throws ConfigException {
        keys(node, path, Set.of("centre", "radius", "points", "settings"), Set.of("settings"));
        List<Double> centre = features(node.get("centre"), path + ".centre", -Double.MAX_VALUE);
        double radius = number(node.get("radius"), path + ".radius", 0, Double.MAX_VALUE);
        int points = integer(node.get("points"), path + ".points", 1, Integer.MAX_VALUE);
        Optional<RegionSettings> settings = node.has("settings") ? Optional.of(settings(node.get("settings"), path + ".settings"))
                : Optional.empty();
        return new Region(number, centre, radius, points, settings);
    }

    private RegionSettings settings(JsonNode node, String path) throws ConfigException {
        keys(node, path, Set.of("tslice_ms", "ratelimit_us", "weights", "base_cost", "cost", "held_out_gain", "provenance"),
                Set.of("tslice_ms", "ratelimit_us"));
        OptionalInt tslice = node.has("tslice_ms")
                ? OptionalInt.of(integer(node.get("tslice_ms"), path + ".tslice_ms", 1, SchedulerVector.LONGEST_TSLICE))
                : OptionalInt.empty();
        OptionalInt ratelimit = node.has("ratelimit_us")
                ? OptionalInt.of(integer(node.get("ratelimit_us"), path + ".ratelimit_us", 0, SchedulerVector.LONGEST_RATELIMIT))
                : OptionalInt.empty();
        JsonNode provenance = node.get("provenance");
        if (!provenance.isTextual()) {
            throw wrong(path + ".provenance", "a text", provenance);
        }
        return new RegionSettings(vector(tslice, ratelimit, weights(node.get("weights"), path + ".weights"), path),
                number(node.get("base_cost"), path + ".base_cost", 0, Double.MAX_VALUE),
                number(node.get("cost"), path + ".cost", 0, Double.MAX_VALUE),
                number(node.get("held_out_gain"), path + ".held_out_gain", -Double.MAX_VALUE, 1), provenance.textValue());
    }

    private SchedulerVector vector(OptionalInt tslice, OptionalInt ratelimit, Map<GuestClass, Integer> weights, String path)
            throws ConfigException {
        try {
            return new SchedulerVector(tslice, ratelimit, weights);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(file + ": " + path + ": " + e.getMessage() + advice(), e);
        }
    }

    private Map<GuestClass, Integer> weights(JsonNode node, String path) throws ConfigException {
        Set<String> classes = new TreeSet<>();
        for (GuestClass guestClass : GuestClass.values()) {
            classes.add(guestClass.name());
        }
        keys(node, path, classes, classes);
        Map<GuestClass, Integer> weights = new EnumMap<>(GuestClass.class);
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            weights.put(GuestClass.valueOf(field.getKey()),
                    integer(field.getValue(), path + "." + field.getKey(), 1, SchedulerVector.LARGEST_WEIGHT));
        }
        return weights;
    }

    private List<Double> features(JsonNode node, String path, double least) throws ConfigException {
        keys(node, path, Set.copyOf(HostFeatures.KEYS), Set.of());
        List<Double> values = new ArrayList<>();
        for (String key : HostFeatures.KEYS) {
            values.add(number(node.get(key), path + "." + key, least, Double.MAX_VALUE));
        }
        return values;
    }

    private void keys(JsonNode node, String path, Set<String> known, Set<String> optional) throws ConfigException {
        if (node == null || !node.isObject()) {
            throw wrong(path, "an object with " + new TreeSet<>(known), node);
        }
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            if (!known.contains(field.getKey())) {
                String key = shortened(Json.text(TextNode.valueOf(field.getKey())));
                throw new ConfigException(file + ": " + path + ": unknown key " + key + ", expected " + new TreeSet<>(known)
                        + advice());
            }
        }
        for (String key : new TreeSet<>(known)) {
            if (!node.has(key) && !optional.contains(key)) {
                throw new ConfigException(file + ": " + path + ": key \"" + key + "\" is missing" + advice());
            }
        }
    }

    private double number(JsonNode node, String path, double least, double most) throws ConfigException {
        double value = node.isNumber() ? node.doubleValue() : Double.NaN;
        if (!(value >= least && value <= most)) {
            throw wrong(path, "a number" + (least == -Double.MAX_VALUE ? "" : least == Double.MIN_VALUE ? " above 0"
                    : " not below " + shown(least)) + (most == Double.MAX_VALUE ? "" : " and not above " + shown(most)), node);
        }
        return value;
    }

    private int integer(JsonNode node, String path, int least, int most) throws ConfigException {
        if (!node.isInt() || node.intValue() < least || node.intValue() > most) {
            throw wrong(path, "a whole number from " + least + " to " + most, node);
        }
        return node.intValue();
    }

    private static String shown(double bound) {
        return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
    }

    private ConfigException wrong(String path, String expected, JsonNode got) {
        String what = got == null || got.isMissingNode() ? "nothing" : shortened(Json.text(got));
        return new ConfigException(file + ": " + path + ": expected " + expected + ", got " + what + advice());
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "...";
    }

    private static String advice() {
        return "; ic2-host discover and optimize write such files";
    }
}
