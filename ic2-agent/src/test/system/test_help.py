# SPDX-License-Identifier: Apache-2.0
"""What the commands say of themselves: `--help` of each verb, and completion in a shell."""
import concurrent.futures
import functools
import os
import re
import shutil
import subprocess

import pytest
from running import IC2

BIN = IC2.parent
COMMANDS = ["ic2", "ic2-train", "ic2-load"]
# what is left of a format that nobody filled in
RAW = re.compile(r"%[-\d.]*[a-zA-Z%]|@\||\|@|\$\{")


@functools.cache
def ask(*words):
    """What it says: once, although several tests read it."""
    said = subprocess.run([BIN / words[0], *words[1:]], capture_output=True, text=True, timeout=6000,
                          env={**os.environ, "COLUMNS": "200", "TERM": "dumb"})
    if "needs training/weka" in said.stderr:
        return ""  # the part under the GPL is not built
    assert (said.returncode, said.stderr) == (0, ""), said
    return said.stdout


def verbs(text):
    listed = text.partition("\nCommands:\n")[2]
    return re.findall(r"^  ([a-z][a-z-]*)(?:,.*?)?(?:  |$)", listed, re.MULTILINE)


def wrong(text):
    """Lines too long, lines that end in the middle of a name, and formats."""
    lines = text.splitlines()
    found = [line for line in lines if len(line) > 80 or RAW.search(line) or line != line.rstrip() and line.strip()]
    for line, following in zip(lines, lines[1:]):
        # applications.|yaml, /etc/|ic2
        if re.search(r"\w[./_-]$", line) and re.match(r"\s*[a-z0-9](?!\S*\s{2})", following) or re.search(r"[/_]$", line):
            found.append(line + "|" + following.strip())
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_verb_can_be_read_in_eighty_columns(command):
    top = ask(command, "--help")
    found = verbs(top)
    assert found and "Commands:" in top
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pages = dict(zip(found, pool.map(lambda verb: ask(command, *(["help", verb] if verb == "help" else [verb, "--help"])), found)))
    assert {verb: wrong(text) for verb, text in {**pages, "": top}.items() if wrong(text)} == {}
    for verb, text in pages.items():
        assert not text or re.search(rf"^Usage: {command} {verb}\b", text, re.MULTILINE), text


def completed(command, script, *words, shell=("bash", "--norc")):
    """What the shell offers for the last of the words."""
    asking = (f"source {script}\nCOMP_WORDS=({' '.join(map(repr, words))})\nCOMP_CWORD={len(words) - 1}\nCOMP_LINE='{' '.join(words)}'\n"
              f"_complete_{command} 2>/dev/null\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
    said = subprocess.run([*shell, "-c", asking], capture_output=True, text=True, timeout=600)
    assert said.stderr == "", said
    return {word.strip() for word in said.stdout.split("\n") if word.strip()}


@pytest.mark.parametrize("command", COMMANDS)
def test_bash_completes_verbs_and_options(command, tmp_path):
    script = tmp_path / "completion"
    script.write_text(ask(command, "completion"))
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    every = set(verbs(ask(command, "--help")))
    assert every - {"help"} <= completed(command, script, command, "")
    first = sorted(every - {"help", "completion"})[0]
    assert first in completed(command, script, command, first[:2])
    for verb in every - {"help"}:
        options = set(re.findall(r"^ {2,6}(?:-\w, )?(--[a-z0-9-]+)", ask(command, verb, "--help"), re.MULTILINE))
        assert options <= completed(command, script, command, verb, "--"), verb


def test_bash_completes_the_rest_of_an_option(tmp_path):
    script = tmp_path / "completion"
    script.write_text(ask("ic2", "completion"))
    assert completed("ic2", script, "ic2", "events", "--wi") == {"--wide"}
    assert completed("ic2", script, "ic2", "wa") == {"watch"}


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is missing")
def test_zsh_reads_the_same(tmp_path):
    script = tmp_path / "completion"
    script.write_text(ask("ic2", "completion"))
    said = subprocess.run(["zsh", "-f", "-c", f"source {script}; print -r -- $_comps[ic2]"], capture_output=True, text=True, timeout=600)
    assert (said.returncode, said.stderr) == (0, "") and "bash" in said.stdout, said
