# SPDX-License-Identifier: Apache-2.0
"""The rules of the house hold for our sources, and the program that holds them against it sees each breach."""
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@pytest.fixture(scope="session")
def check(tmp_path_factory):
    """check(ROOT): status and output of the program, which is compiled once for all."""
    classes = tmp_path_factory.mktemp("classes")
    subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", classes, HERE / "Structure.java", HERE / "Circles.java"], check=True, timeout=600)

    def checked(root):
        done = subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", classes, "Structure", root], capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout + done.stderr

    return checked


def write(root, module, package, name, body, imports=()):
    folder = root / module / "src/main/java" / package.replace(".", "/")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package-info.java").write_text(f"/** For a test. */\npackage {package};\n")
    lines = [f"package {package};", *(f"import {imported};" for imported in imports), body]
    (folder / f"{name}.java").write_text("\n".join(lines) + "\n")


def long_body(comment, lines):
    return f"/** {comment} */\npublic class Long1 {{\n" + "    int x;\n" * lines + "}"


def test_our_sources_keep_the_rules(check):
    status, said = check(ROOT)
    assert status == 0, said


def test_a_clean_tree_passes(check, tmp_path):
    write(tmp_path, "agent-runtime", "org.ic2.runtime.a", "A", "public class A { }")
    write(tmp_path, "ic2-agent", "org.ic2.agent.b", "B", "public class B { A a; }", ["org.ic2.runtime.a.A"])
    assert check(tmp_path) == (0, "4 Java sources, 0 breaches\n")


def test_nothing_to_read_is_no_success(check, tmp_path):
    assert check(tmp_path)[0] != 0


def test_an_arrow_that_runs_up_is_seen(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.b", "B", "public class B { }")
    write(tmp_path, "agent-runtime", "org.ic2.runtime.a", "A", "public class A { B b; }", ["org.ic2.agent.b.B"])
    status, said = check(tmp_path)
    assert status == 1 and "agent-runtime must not use ic2-agent" in said


@pytest.mark.parametrize("module", ["host/agent", "ic2-agent", "training/experiments"])
def test_the_hosts_laboratory_uses_the_product_and_is_used_by_no_module(check, tmp_path, module):
    write(tmp_path, "host/agent", "org.ic2.host.a", "A", "public class A { }")
    write(tmp_path, "host/lab", "org.ic2.host.lab.b", "B", "public class B { A a; }", ["org.ic2.host.a.A"])
    assert check(tmp_path)[0] == 0
    write(tmp_path, module, "org.ic2.c", "C", "public class C { B b; }", ["org.ic2.host.lab.b.B"])
    status, said = check(tmp_path)
    assert status == 1 and f"{module} must not use host/lab" in said


def test_the_simulator_knows_no_clock(check, tmp_path):
    write(tmp_path, "host/lab", "org.ic2.host.lab.sim", "X", "class X { }", ["java.time.Clock"])
    status, said = check(tmp_path)
    assert status == 1 and "org.ic2.host.lab.sim is pure" in said


def test_packages_in_a_circle_are_seen(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "A", "public class A { C c; }", ["org.ic2.agent.b.C"])
    write(tmp_path, "ic2-agent", "org.ic2.agent.b", "B", "public class B { A a; }", ["org.ic2.agent.a.A"])
    write(tmp_path, "ic2-agent", "org.ic2.agent.b", "C", "public class C { }")
    status, said = check(tmp_path)
    assert status == 1 and said.count("packages in a circle") == 1
    assert "A.java imports org.ic2.agent.b.C" in said and "B.java imports org.ic2.agent.a.A" in said


def in_a_circle(root):
    """Alpha -> Beta by an import, Beta -> Gamma by its simple name, Gamma -> Alpha by an import of a constant."""
    write(root, "knowledge-base", "org.ic2.knowledge.a", "Alpha", "public class Alpha { public static final int X = 1; Beta b; }", ["org.ic2.knowledge.a.b.Beta"])
    write(root, "knowledge-base", "org.ic2.knowledge.a.b", "Beta", "public class Beta { Gamma g; }")
    write(root, "knowledge-base", "org.ic2.knowledge.a.b", "Gamma", "class Gamma { int x = X; }", ["static org.ic2.knowledge.a.Alpha.X"])


def test_classes_in_a_circle_are_seen(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "First", "public class First { Second.Inner s; }")
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Second", "public class Second { static class Inner { Object o = new Third(); } }")
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Third", "public class Third { Object o = First.class; }")
    status, said = check(tmp_path)
    assert status == 1 and said.count("classes in a circle") == 1
    assert "org.ic2.agent.a.First uses Second" in said and "org.ic2.agent.a.Third uses First" in said


def test_a_circle_through_imports_is_seen(check, tmp_path):
    in_a_circle(tmp_path)
    status, said = check(tmp_path)
    assert status == 1 and said.count("classes in a circle") == 1
    assert "Alpha uses Beta" in said and "Beta uses Gamma" in said and "Gamma uses Alpha" in said


def test_comments_and_strings_make_no_circle(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "First", "public class First { Second s; }")
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Second", '/** For {@link First}. */\npublic class Second { String s = "First"; /* First */ }')
    assert check(tmp_path)[0] == 0


def known(root, *circles):
    (root / "tests/structure").mkdir(parents=True, exist_ok=True)
    (root / "tests/structure/circles.txt").write_text("# known\n" + "".join(line + "\n" for line in circles))


def test_a_known_circle_may_only_shrink(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "First", "public class First { Second s; }")
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Second", "public class Second { First f; }")
    known(tmp_path, "First Second")
    assert check(tmp_path)[0] == 0
    known(tmp_path, "First Second Third")
    status, said = check(tmp_path)
    assert status == 1 and "circles.txt: Third is in no circle any more" in said
    known(tmp_path, "First Third", "Second Third")
    status, said = check(tmp_path)
    assert status == 1 and "First uses Second" in said, "two that are known apart are no known circle together"


def test_weka_outside_its_fence_is_seen(check, tmp_path):
    write(tmp_path, "training/experiments", "org.ic2.training.x", "X", "class X { }", ["weka.core.Instance"])
    status, said = check(tmp_path)
    assert status == 1 and "only training/weka may" in said


def test_the_pure_module_reads_no_files(check, tmp_path):
    write(tmp_path, "knowledge-base", "org.ic2.knowledge", "X", "class X { }", ["java.nio.file.Files"])
    status, said = check(tmp_path)
    assert status == 1 and "knowledge-base is pure" in said


def test_the_controllers_of_a_host_know_no_clock(check, tmp_path):
    write(tmp_path, "host/agent", "org.ic2.host.control", "X", "class X { }", ["java.time.Clock"])
    write(tmp_path, "host/agent", "org.ic2.host.loop", "Y", "class Y { }", ["java.time.Clock"])
    status, said = check(tmp_path)
    assert status == 1 and "org.ic2.host.control is pure" in said and "loop" not in said


def test_long_classes_and_methods_give_a_reason(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Long1", long_body("Why.", 300))
    status, said = check(tmp_path)
    assert status == 1 and "class Long1 has 302 lines, 300 at most" in said
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Long1", long_body("Long: it is a table.", 300))
    assert check(tmp_path)[0] == 0
    method = "public class Long1 {\n    /** Does. */\n    void f() {\n" + "        f();\n" * 40 + "    }\n}"
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "Long1", method)
    status, said = check(tmp_path)
    assert status == 1 and "method f has 42 lines, 40 at most" in said


def test_a_package_without_a_word_is_seen(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "A", "public class A { }")
    (tmp_path / "ic2-agent/src/main/java/org/ic2/agent/a/package-info.java").unlink()
    status, said = check(tmp_path)
    assert status == 1 and "no package-info.java" in said


def test_one_name_for_two_things_is_seen(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "A", "public class A { }")
    write(tmp_path, "ic2-agent", "org.ic2.agent.b", "A", "public class A { }")
    status, said = check(tmp_path)
    assert status == 1 and "has the same simple name" in said


def test_a_source_that_cannot_be_read_is_no_success(check, tmp_path):
    write(tmp_path, "ic2-agent", "org.ic2.agent.a", "A", "public class A {")
    assert check(tmp_path)[0] == 1
