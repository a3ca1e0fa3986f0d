// SPDX-License-Identifier: Apache-2.0
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Holds the rules of the house against the Java sources: {@code java Structure.java ROOT}. Reads imports, so names that
 * are written out in full in the code count for nothing. Prints a line for each breach and exits 1 if there is one.
 *
 * <p>A class or method that is longer than the rule allows gives its reason in its comment, after "Long:".
 */
public final class Structure {
    private static final int LONGEST_CLASS = 300;
    private static final int LONGEST_METHOD = 40;
    private static final Pattern REASON = Pattern.compile("\\bLong: \\S+");
    private static final String PREFIX = "org.ic2.";
    private static final String KNOWN_CIRCLES = "tests/structure/circles.txt";

    /** Which modules a module may depend on. What is not named here may depend on nothing of ours. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("agent-runtime", Set.of()),
            Map.entry("knowledge-base", Set.of("agent-runtime")),
            Map.entry("ic2-agent", Set.of("knowledge-base", "agent-runtime")),
            Map.entry("host/agent", Set.of("agent-runtime")),
            Map.entry("host/lab", Set.of("host/agent", "agent-runtime")),
            Map.entry("examples", Set.of("ic2-agent", "knowledge-base", "agent-runtime")),
            Map.entry("training/experiments", Set.of("knowledge-base", "agent-runtime")),
            Map.entry("training/weka", Set.of("training/experiments", "knowledge-base", "agent-runtime")),
            Map.entry("training/fleet", Set.of("training/experiments", "knowledge-base", "agent-runtime")),
            Map.entry("faban-drivers/driver", Set.of("faban-drivers/faban-api")),
            Map.entry("faban-drivers/runtime", Set.of("faban-drivers/driver", "faban-drivers/faban-api")));

    /** What the pure module and packages leave to others. The module's two resources are read by one class. */
    private static final String PURE = "knowledge-base";
    private static final Pattern PURE_PACKAGES = Pattern.compile("org\\.ic2\\.host\\.(model|control|learn|lab\\.sim)");
    private static final Pattern IMPURE = Pattern.compile("java\\.(net|nio\\.(file|channels))\\..*|java\\.io\\.File.*"
            + "|java\\.time\\.(Clock|InstantSource)|java\\.util\\.(Random|concurrent\\.(?!TimeUnit).*|logging\\..*)"
            + "|org\\.ic2\\.runtime\\.(?!knob|yaml|json|budget)[a-z]+\\..*");

    private record Source(Path file, String module, String packageName, List<String> imports) {
    }

    private final Path root;
    private final List<String> breaches = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final Map<String, Source> byType = new HashMap<>();
    private final Circles circles = new Circles();

    private Structure(Path root) {
        this.root = root;
    }

    public static void main(String[] args) throws IOException {
        Structure structure = new Structure(Path.of(args[0]).toRealPath());
        structure.read();
        structure.checkArrows();
        structure.checkCycles();
        structure.circles.breaches(structure.byType.keySet(), structure.root.resolve(KNOWN_CIRCLES)).forEach(structure::breach);
        structure.checkPackageInfo();
        structure.checkNames();
        structure.breaches.stream().sorted().forEach(System.out::println);
        System.out.println(structure.sources.size() + " Java sources, " + structure.breaches.size() + " breaches");
        System.exit(structure.breaches.isEmpty() && !structure.sources.isEmpty() ? 0 : 1);
    }

    private void read() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                // what is built may be a whole system, with a /proc
                return directory.equals(root.resolve("build")) || directory.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (root.relativize(file).toString().matches(".*/src/main/java/.*\\.java")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        Collections.sort(files);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, manager, diagnostic -> breach(diagnostic.toString()),
                    List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                read(unit, trees);
            }
        }
    }

    private void read(CompilationUnitTree unit, DocTrees trees) {
        Path file = root.relativize(Path.of(unit.getSourceFile().toUri()));
        String path = file.toString();
        Source source = new Source(file, path.substring(0, path.indexOf("/src/main/java/")),
                String.valueOf(unit.getPackageName()), unit.getImports().stream().map(Structure::imported).toList());
        sources.add(source);
        for (Tree type : unit.getTypeDecls()) {
            if (type instanceof ClassTree named) {
                String name = source.packageName() + "." + named.getSimpleName();
                byType.put(name, source);
                circles.add(unit, name);
            }
        }
        if (source.module().equals(PURE) || PURE_PACKAGES.matcher(source.packageName()).matches()) {
            source.imports().stream().filter(name -> IMPURE.matcher(name).matches()).forEach(name -> breach(file + ": imports " + name
                    + "; " + (source.module().equals(PURE) ? PURE : source.packageName()) + " is pure"));
        }
        new Lengths(unit, trees, file).scan(unit, null);
    }

    private static String imported(ImportTree tree) {
        String name = tree.getQualifiedIdentifier().toString();
        return tree.isStatic() ? name.substring(0, name.lastIndexOf('.')) : name;
    }

    /** Classes and methods that are longer than they may be and give no reason. */
    private final class Lengths extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final DocTrees trees;
        private final Path file;
        private final SourcePositions positions;

        Lengths(CompilationUnitTree unit, DocTrees trees, Path file) {
            this.unit = unit;
            this.trees = trees;
            this.file = file;
            this.positions = trees.getSourcePositions();
        }

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            check(tree, "class " + tree.getSimpleName(), LONGEST_CLASS);
            return super.visitClass(tree, unused);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            check(tree, "method " + tree.getName(), LONGEST_METHOD);
            return super.visitMethod(tree, unused);
        }

        private void check(Tree tree, String what, int most) {
            long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
            long last = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, tree));
            String comment = trees.getDocComment(new TreePath(getCurrentPath(), tree));
            comment = comment == null ? trees.getDocComment(getCurrentPath()) : comment;
            if (last - first + 1 > most && (comment == null || !REASON.matcher(comment).find())) {
                breach(file + ":" + first + ": " + what + " has " + (last - first + 1) + " lines, " + most
                        + " at most; cut it, or give the reason in its comment: \"Long: ...\"");
            }
        }
    }

    /** The source that an import names, be it a type or one inside it. */
    private Source target(String imported) {
        for (String name = imported; name.contains("."); name = name.substring(0, name.lastIndexOf('.'))) {
            if (byType.containsKey(name)) {
                return byType.get(name);
            }
        }
        return null;
    }

    private void checkArrows() {
        for (Source source : sources) {
            for (String name : source.imports()) {
                Source target = name.startsWith(PREFIX) ? target(name) : null;
                if (target != null && !target.module().equals(source.module())
                        && !MAY_USE.getOrDefault(source.module(), Set.of()).contains(target.module())) {
                    breach(source.file() + ": imports " + name + "; " + source.module() + " must not use "
                            + target.module());
                }
                if (name.startsWith("weka.") && !source.module().equals("training/weka")) {
                    breach(source.file() + ": imports " + name + "; only training/weka may, for its licence");
                }
            }
        }
    }

    private void checkCycles() {
        Map<String, Map<String, String>> arrows = new TreeMap<>();
        for (Source source : sources) {
            for (String name : source.imports()) {
                Source target = name.startsWith(PREFIX) ? target(name) : null;
                if (target != null && !target.packageName().equals(source.packageName())) {
                    arrows.computeIfAbsent(source.packageName(), key -> new TreeMap<>())
                            .putIfAbsent(target.packageName(), source.file() + " imports " + name);
                }
            }
        }
        Set<Set<String>> seen = new java.util.HashSet<>();
        for (String start : arrows.keySet()) {
            List<String> cycle = shortestWayBack(start, arrows);
            if (!cycle.isEmpty() && seen.add(new TreeSet<>(cycle))) {
                StringBuilder text = new StringBuilder("packages in a circle:");
                for (int i = 0; i < cycle.size(); i++) {
                    text.append("\n    ").append(arrows.get(cycle.get(i)).get(cycle.get((i + 1) % cycle.size())));
                }
                breach(text.toString());
            }
        }
    }

    private static List<String> shortestWayBack(String start, Map<String, Map<String, String>> arrows) {
        Map<String, String> from = new HashMap<>();
        Deque<String> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            String here = open.removeFirst();
            for (String next : arrows.getOrDefault(here, Map.of()).keySet()) {
                if (next.equals(start)) {
                    List<String> way = new ArrayList<>();
                    for (String step = here; step != null; step = from.get(step)) {
                        way.add(0, step);
                    }
                    return way;
                }
                if (!from.containsKey(next)) {
                    from.put(next, here);
                    open.addLast(next);
                }
            }
        }
        return List.of();
    }

    private void checkPackageInfo() {
        Map<Path, String> folders = new TreeMap<>();
        sources.forEach(source -> folders.put(source.file().getParent(), source.packageName()));
        folders.forEach((folder, name) -> {
            if (!name.equals("null") && !Files.exists(root.resolve(folder).resolve("package-info.java"))) {
                breach(folder + ": no package-info.java that says what the package is for");
            }
        });
    }

    /** One simple name is one thing, in all of our packages. */
    private void checkNames() {
        Map<String, String> first = new TreeMap<>();
        byType.keySet().stream().filter(name -> name.startsWith(PREFIX)).sorted().forEach(name -> {
            String other = first.putIfAbsent(name.substring(name.lastIndexOf('.') + 1), name);
            if (other != null) {
                breach(name + ": " + other + " has the same simple name; find the word that tells them apart");
            }
        });
    }

    private void breach(String text) {
        breaches.add(text);
    }
}
