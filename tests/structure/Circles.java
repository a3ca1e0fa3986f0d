// SPDX-License-Identifier: Apache-2.0
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds classes that use each other in a circle. A class uses another one if its code names it: by an import, or by its
 * simple name within the package. Comments and strings count for nothing. A nested type counts as the class around it.
 *
 * <p>The circles that are known stand in a file, one a line: the simple names of the classes. The list may only shrink: a
 * circle that grows is a breach, and so is a name in the list that is in no circle any more.
 */
final class Circles {
    /** The names that the code of a class uses. */
    private static final class Names extends TreeScanner<Void, Void> {
        private final Set<String> found = new HashSet<>();

        @Override
        public Void visitImport(ImportTree tree, Void unused) {
            return null;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void unused) {
            found.add(tree.getName().toString());
            return null;
        }
    }

    private final Map<CompilationUnitTree, String> units = new HashMap<>();

    /** Takes a source into account: {@code type} is the qualified name of its class. */
    void add(CompilationUnitTree unit, String type) {
        units.put(unit, type);
    }

    /**
     * The breaches.
     *
     * @param types all classes
     * @param known the file with the circles that are known; it need not exist
     */
    List<String> breaches(Collection<String> types, Path known) throws IOException {
        Map<String, Set<String>> arrows = new TreeMap<>();
        units.forEach((unit, type) -> arrows.put(type, used(unit, type, new HashSet<>(types))));
        List<Set<String>> excused = new ArrayList<>();
        if (Files.exists(known)) {
            Files.readAllLines(known).stream().filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> excused.add(new TreeSet<>(List.of(line.trim().split(" +")))));
        }
        List<String> breaches = new ArrayList<>();
        Set<String> inCircles = new HashSet<>();
        for (Set<String> circle : circles(arrows)) {
            Set<String> names = circle.stream().map(Circles::simple).collect(Collectors.toCollection(TreeSet::new));
            inCircles.addAll(names);
            if (excused.stream().noneMatch(set -> set.containsAll(names))) {
                breaches.add(describe(circle, arrows));
            }
        }
        excused.forEach(set -> set.stream().filter(name -> !inCircles.contains(name)).forEach(name -> breaches.add(
                known.getFileName() + ": " + name + " is in no circle any more; take it out of the list")));
        return breaches;
    }

    private static String describe(Set<String> circle, Map<String, Set<String>> arrows) {
        StringBuilder text = new StringBuilder("classes in a circle:");
        for (String type : circle) {
            Set<String> inside = new TreeSet<>(arrows.get(type));
            inside.retainAll(circle);
            text.append("\n    ").append(type).append(" uses ")
                    .append(inside.stream().map(Circles::simple).collect(Collectors.joining(", ")));
        }
        return text.toString();
    }

    private static String simple(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private static Set<String> used(CompilationUnitTree unit, String type, Set<String> types) {
        Names names = new Names();
        names.scan(unit, null);
        Set<String> targets = new TreeSet<>();
        String home = type.substring(0, type.lastIndexOf('.') + 1);
        names.found.stream().map(home::concat).filter(types::contains).forEach(targets::add);
        for (ImportTree tree : unit.getImports()) {
            String name = tree.getQualifiedIdentifier().toString();
            if (tree.isStatic() || names.found.contains(simple(name))) {
                targets.add(outermost(name, types));
            }
        }
        targets.remove("");
        targets.remove(type);
        return targets;
    }

    /** The class that an import names, be it of a class, of one inside it or of a constant; empty if it is none of ours. */
    private static String outermost(String imported, Set<String> types) {
        String name = imported;
        while (!name.isEmpty() && !types.contains(name)) {
            name = name.substring(0, Math.max(0, name.lastIndexOf('.')));
        }
        return name;
    }

    /** The largest sets of classes each of which can be reached from each other one. */
    private static List<Set<String>> circles(Map<String, Set<String>> arrows) {
        Map<String, Set<String>> reached = new HashMap<>();
        arrows.keySet().forEach(type -> reached.put(type, reachedFrom(type, arrows)));
        List<Set<String>> circles = new ArrayList<>();
        Set<String> done = new HashSet<>();
        for (String type : arrows.keySet()) {
            if (reached.get(type).contains(type) && !done.contains(type)) {
                Set<String> circle = new TreeSet<>(reached.get(type));
                circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(type));
                done.addAll(circle);
                circles.add(circle);
            }
        }
        return circles;
    }

    private static Set<String> reachedFrom(String type, Map<String, Set<String>> arrows) {
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(type));
        while (!open.isEmpty()) {
            for (String next : arrows.getOrDefault(open.removeFirst(), Set.of())) {
                if (seen.add(next)) {
                    open.addLast(next);
                }
            }
        }
        return seen;
    }
}
