# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C unit tests of what needs no server, and the fuzzer for a moment, with sanitizers."""

import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
TUNABLES = ["server/reconfigure_file.c", "support/htreconfigure_file.c"]


def apr(*flags):
    return subprocess.run(["apr-1-config", *flags], capture_output=True, text=True, check=True).stdout.split()


def compile_with(compiler, flags, source, tree, units, program):
    subprocess.run([compiler, "-g", "-O1", *flags, *(f"-I{tree}/{d}" for d in ("include", "server", "support", "os/unix", "modules/metadata")),
                    *apr("--cppflags", "--includes"), str(HERE / source), *(f"{tree}/{unit}" for unit in units),
                    *apr("--link-ld"), "-o", str(program)], check=True)
    return program


def run(program, *arguments, cwd):
    done = subprocess.run([str(program), *arguments], cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


@pytest.mark.parametrize("name, units", [
    ("test_tunables", TUNABLES),
    ("test_fdqueue", ["server/mpm_fdqueue.c"]),
    ("test_quota", []),
    ("test_share", []),
    ("test_online_env", []),
])
def test_unit(build, tmp_path, name, units):
    program = compile_with("cc", ["-Wall", "-Werror", *SANITIZED], f"{name}.c", build.source_tree, units, tmp_path / name)
    run(program, cwd=tmp_path)


def test_fuzz_for_a_moment(build, tmp_path):
    program = compile_with("clang", ["-fsanitize=fuzzer,address,undefined", SANITIZED[1]],
                           "fuzz_tunables.c", build.source_tree, TUNABLES, tmp_path / "fuzz_tunables")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "seed").write_text("MaxRequestWorkers 400\nKeepAliveTimeout 5ms\nReconfigureVariable B 2\n")
    run(program, "-runs=30000", "-max_len=512", "-seed=7", f"-dict={HERE / 'tunables.dict'}", "corpus", cwd=tmp_path)
