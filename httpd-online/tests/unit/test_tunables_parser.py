# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C unit test of the tunables file, and the fuzzer for a moment, with sanitizers."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent


def apr(*flags):
    return subprocess.run(["apr-1-config", *flags], capture_output=True, text=True, check=True).stdout.split()


def compile_with(compiler, flags, source, tree, program):
    subprocess.run([compiler, "-g", "-O1", *flags, f"-I{tree}/include", f"-I{tree}/server", f"-I{tree}/os/unix",
                    *apr("--cppflags", "--includes"), str(HERE / source), f"{tree}/server/reconfigure_file.c",
                    *apr("--link-ld"), "-o", str(program)], check=True)
    return program


def run(program, *arguments, cwd):
    done = subprocess.run([str(program), *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


def test_parse_edit_read(build, tmp_path):
    program = compile_with("cc", ["-Wall", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
                           "test_tunables.c", build.source_tree, tmp_path / "test_tunables")
    run(program, cwd=tmp_path)


def test_fuzz_for_a_moment(build, tmp_path):
    program = compile_with("clang-14", ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined"],
                           "fuzz_tunables.c", build.source_tree, tmp_path / "fuzz_tunables")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "seed").write_text("MaxRequestWorkers 400\nKeepAliveTimeout 5ms\nReconfigureVariable B 2\n")
    run(program, "-runs=30000", "-max_len=512", "-seed=7", f"-dict={HERE / 'tunables.dict'}", "corpus", cwd=tmp_path)
