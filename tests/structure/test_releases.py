# SPDX-License-Identifier: Apache-2.0
"""Code takes PHP, Java and clang as the release has them, never by a number: what names one works on one Debian alone."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERED = re.compile(r"php(-fpm)?[0-9]\.[0-9]|/etc/php/[0-9]|openjdk-[0-9]|java-[0-9]+-openjdk|clang(-rt)?-[0-9]|llvm-[0-9]")
# a machine's own configuration, as the agent reads it
READ = {"ic2-agent/src/test/java/org/ic2/agent/config/ConfigLoaderTest.java", "ic2-agent/src/test/java/org/ic2/agent/init/DiscoveryTest.java",
        "ic2-agent/src/test/java/org/ic2/agent/init/PlannerTest.java"}
# what was recorded or written for people
TOLD = re.compile(r"\.(md|csv|json|svg|html|txt|gz|jsonl|png)$")


def numbered(name, text):
    return [f"{name}:{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1) if NUMBERED.search(line)]


def test_no_release_of_php_java_or_clang_stands_in_code():
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    code = [name for name in files if name and not TOLD.search(name) and name not in READ and (ROOT / name).is_file()
            and (ROOT / name).resolve() != pathlib.Path(__file__).resolve()]
    assert len(code) > 500
    found = [line for name in code for line in numbered(name, (ROOT / name).read_text(encoding="utf-8", errors="replace"))]
    assert found == [], "take the release's own (php, default-jdk-headless, clang)"


def test_names_with_a_version_are_found():
    for text in ("php8.2-fpm", "php-fpm8.4", "/etc/php/8.2/fpm", "openjdk-17-jdk-headless", "clang-14", "libclang-rt-14-dev"):
        assert numbered("file", f"install {text} here") == [f"file:1: install {text} here"]
    assert numbered("file", "php-fpm default-jdk-headless clang java17-runtime-headless php.ini") == []
