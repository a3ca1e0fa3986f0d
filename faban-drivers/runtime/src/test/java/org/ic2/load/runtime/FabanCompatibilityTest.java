// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.faban.driver.BenchmarkDefinition;
import com.sun.faban.driver.BenchmarkDriver;
import com.sun.faban.driver.BenchmarkOperation;
import com.sun.faban.driver.CycleType;
import com.sun.faban.driver.DriverContext;
import com.sun.faban.driver.MatrixMix;
import com.sun.faban.driver.NegativeExponential;
import com.sun.faban.driver.Row;
import com.sun.faban.driver.RunControl;
import com.sun.faban.driver.Timing;
import java.io.File;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ic2.load.http.Await;
import org.ic2.load.http.TestServer;
import org.ic2.load.olio.FakeOlio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares our signatures with a real Faban, and runs our driver on it: registry, agent and master in three processes, as
 * its harness does. Runs when FABAN_HOME names an installed Faban, whose jars lie in its lib folder.
 */
@EnabledIfEnvironmentVariable(named = "FABAN_HOME", matches = ".+",
        disabledReason = "set it to the folder of an installed Faban to compare with that")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class FabanCompatibilityTest {
    private static final List<Class<?>> OURS = List.of(BenchmarkDefinition.class, BenchmarkDriver.class,
            BenchmarkOperation.class, MatrixMix.class, Row.class, NegativeExponential.class, CycleType.class, Timing.class,
            RunControl.class, DriverContext.class);

    @TempDir
    private Path folder;

    private static List<Path> fabanJars() throws IOException {
        Path lib = Path.of(System.getenv("FABAN_HOME"), "lib");
        assertThat(lib).as("FABAN_HOME has to name an installed Faban, with its jars in lib").isDirectory();
        try (Stream<Path> files = Files.list(lib)) {
            List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
            assertThat(jars).as("jars of the Faban that FABAN_HOME names").isNotEmpty();
            return jars;
        }
    }

    @Test
    void everySignatureOfOursIsOneOfFabans() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (Path jar : fabanJars()) {
            urls.add(jar.toUri().toURL());
        }
        try (URLClassLoader faban = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (Class<?> ours : OURS) {
                Class<?> theirs = faban.loadClass(ours.getName());
                assertThat(ours.isAnnotation()).as(ours.getName()).isEqualTo(theirs.isAnnotation());
                for (Method method : ours.getDeclaredMethods()) {
                    if (Modifier.isPublic(method.getModifiers())) {
                        assertThat(signatures(theirs)).contains(signature(method));
                    }
                }
                if (ours.isEnum()) {
                    assertThat(names(theirs)).containsExactlyInAnyOrderElementsOf(names(ours));
                }
                if (ours.isAnnotation()) {
                    assertThat(theirs.getAnnotation(Retention.class).value()).isEqualTo(RetentionPolicy.RUNTIME);
                    Target target = theirs.getAnnotation(Target.class);
                    if (target != null) {
                        assertThat(target.value()).as("where @" + ours.getSimpleName() + " may stand")
                                .contains(ours.getAnnotation(Target.class).value());
                    }
                }
            }
        }
    }

    private static List<String> names(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
    }

    private static List<String> signatures(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods()).map(FabanCompatibilityTest::signature).toList();
    }

    private static String signature(Method m) {
        return (Modifier.isStatic(m.getModifiers()) ? "static " : "") + m.getReturnType().getTypeName() + " " + m.getName()
                + Arrays.toString(Arrays.stream(m.getParameterTypes()).map(Class::getTypeName).toArray());
    }

    @Test
    void theDriverRunsOnARealFaban() throws Exception {
        List<Process> running = new ArrayList<>();
        try (TestServer server = new TestServer(new FakeOlio())) {
            int registryPort;
            try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                registryPort = probe.getLocalPort();
            }
            Path run = runXml(server.port());
            running.add(java("registry", registryPort, run, "com.sun.faban.common.RegistryImpl"));
            awaitListening(registryPort);
            running.add(java("agent", registryPort, run, "com.sun.faban.driver.engine.AgentImpl", "OlioDriver", "1", "127.0.0.1"));
            awaitIdle(running.get(1));
            Process master = java("master", registryPort, run, "com.sun.faban.driver.engine.MasterImpl");
            running.add(master);
            assertThat(master.waitFor(150, TimeUnit.SECONDS)).as("the master ended").isTrue();
            Path out = folder.resolve("out/1");
            String said = Files.readString(folder.resolve("master.out")) + Files.readString(folder.resolve("agent.out"));
            assertThat(out.resolve("summary.xml")).as(said).isRegularFile();
            assertThat(Files.readString(out.resolve("driver.log"))).as(said)
                    .containsPattern("\\d+\\.00s - OlioDriver: HomePage/Login/\\S+ CThru=\\d+\\.\\d{3}/\\d");
            String summary = Files.readString(out.resolve("summary.xml"));
            assertThat(summary).contains("<driverSummary name=\"OlioDriver\">").containsPattern("<totalOps[^>]*>[1-9]\\d+<");
            assertThat(summary.split("<failures>0</failures>", -1)).as("no operation failed: " + said).hasSize(8);
        } finally {
            for (Process process : running) {
                process.destroy();
                process.waitFor(10, TimeUnit.SECONDS);
            }
        }
    }

    private Path runXml(int port) throws IOException {
        String xml = Files.readString(Path.of("../driver/src/main/faban/META-INF/run.xml"))
                .replace("<port>8080<", "<port>" + port + "<").replace("<fa:scale>120<", "<fa:scale>40<")
                .replace(">15</fa:rampUp>", ">6</fa:rampUp>").replace(">60</fa:steadyState>", ">20</fa:steadyState>")
                .replace("build/load", folder.resolve("out").toString());
        return Files.writeString(folder.resolve("run.xml"), xml);
    }

    private Process java(String name, int registryPort, Path run, String... arguments) throws IOException {
        Path policy = Files.writeString(folder.resolve("all.policy"), "grant { permission java.security.AllPermission; };");
        List<String> path = new ArrayList<>();
        for (Path jar : fabanJars()) {
            path.add(jar.toString());
        }
        path.add(Path.of("../driver/target/classes").toAbsolutePath().toString());
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.security.manager=allow", "-Djava.security.policy=" + policy, "-Djava.rmi.server.hostname=127.0.0.1",
                "-Dfaban.registry.port=" + registryPort, "-Dbenchmark.config=" + run,
                "-Dfaban.sequence.path=" + folder, "-Xss256k", "-cp", String.join(File.pathSeparator, path)));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".out").toFile()).start();
    }

    private static void awaitListening(int port) {
        Await.until("the registry listens", () -> {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    /** The agent has registered as soon as it is idle; it says nothing, so its CPU time tells. */
    private static void awaitIdle(Process process) {
        long[] before = {-1, System.nanoTime()};
        Await.until("the agent is up", () -> {
            long cpu = process.info().totalCpuDuration().orElseThrow().toMillis();
            if (cpu != before[0]) {
                before[0] = cpu;
                before[1] = System.nanoTime();
            }
            return cpu > 200 && System.nanoTime() - before[1] > 1_000_000_000L;
        });
    }
}
