# SPDX-License-Identifier: Apache-2.0
"""No word that docs/glossary.md refuses stands in code, messages, help, metrics or names of files: those that are listed here."""

import re
import subprocess

import pytest
from test_links import ROOT

# what is refused, as a part of names too: someRungs, SOME_RUNGS, some-rungs
REFUSED = {
    "mitigation level": r"(?<![a-z])rung|Rung|RUNG",
    "independent signal": r"(?i:witness)",
    "manual mode": r"(?i:(?<![a-z])(in[ _-]charge\b|(steps?|stepped|stepping)[ _]?aside))|Step(s|ped)?Aside|InCharge",
    "restore": r"(?i:(?<![a-z])(ways?|brings?|bringing|brought|come|comes|came|goes|go|went|sent)[ _]home\b)|[wW]ayHome|[hH]omecoming|HomeSteps"
               r"|(?i:(bring|comes?|go|goes|sends?)Home)(?![a-z])",
    "baseline": r"(?i:(?<![a-z])(at|all|is|are|away from)[ _]home\b)|[iI]sHome\b|AtHome\b",
}
# pages and tests that tell which words are refused
EXCEPTIONS = ("docs/glossary.md", "docs/tests/test_language.py", "docs/tests/test_words.py")

# httpd's own message
ALLOWED = "long lost child came home"


def faults(text):
    text = text.replace(ALLOWED, "")
    return [f"'{match[0]}': say {word}" for word, pattern in REFUSED.items() for match in re.finditer(pattern, text)]


def tracked():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0")[:-1] if path not in EXCEPTIONS and (ROOT / path).is_file()]


def test_no_refused_word_stands_in_code_messages_or_names():
    paths, found = tracked(), []
    assert len(paths) > 1000
    for path in paths:
        found += [f"{path}: {fault}" for fault in faults(path)]
        raw = (ROOT / path).read_bytes()
        if b"\0" not in raw:
            for number, line in enumerate(raw.decode(errors="replace").splitlines(), 1):
                found += [f"{path}:{number}: {fault}" for fault in faults(line)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", [
    "a rung", "Rungs", "SHIPPED_RUNGS", "withRungs", "rungSeconds", "ic2_rung_seconds", "docs/rungs.csv",
    "aWitness", "WITNESSES",
    "a person is in charge", "it steps aside", "STEP_ASIDE", "next_start_steps_aside", "steppedAside", "itStepsAside", "whoIsInCharge",
    "the way home", "itGoesHome", "goes home", "bringHome", "Homecoming", "at home", "isHome",
])
def test_faults_are_found(text):
    assert faults(text)


@pytest.mark.parametrize("text", ["wrung", "a level", "sprung", "free of charge", "set aside", "home page", "WEKA_HOME"])
def test_what_is_allowed_has_no_fault(text):
    assert not faults(text)
