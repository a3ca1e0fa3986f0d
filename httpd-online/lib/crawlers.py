#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares docs/crawlers.conf with a list of crawlers in the form of robots.json of ai.robots.txt:

    crawlers.py LIST.json

Prints the class of each name of the list, or `none`, and which of our words meet no name of it. Changes nothing."""

import json
import pathlib
import shlex
import sys

CONF = pathlib.Path(__file__).resolve().parent.parent / "docs" / "crawlers.conf"


def classes(path=CONF):
    """{class: [words]}, of the lines StandbyCrawlers."""
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("StandbyCrawlers "):
            _, name, *words = shlex.split(line)
            found.setdefault(name, []).extend(words)
    return found


def names(text):
    """The names of a list: an object whose members are objects, each with what is known of a crawler."""
    listed = json.loads(text)
    if not isinstance(listed, dict) or not listed:
        raise ValueError("expected an object with a member for each crawler, such as {\"GPTBot\": {\"operator\": ...}}")
    for name, facts in listed.items():
        if not isinstance(facts, dict):
            raise ValueError(f"{name}: expected an object such as {{\"operator\": \"...\", \"function\": \"...\"}}, got {facts!r}"[:200])
    return list(listed)


def class_of(agent, known):
    """The class whose words the text of a User-Agent holds, as mod_standby finds it; None if there is none."""
    return next((name for name, words in known.items() for word in words if word.lower() in agent.lower()), None)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    known = classes()
    try:
        listed = names(pathlib.Path(arguments[0]).read_text())
    except (OSError, ValueError) as error:
        print(f"crawlers.py: {arguments[0]}: {error}", file=sys.stderr)
        return 1
    for name in sorted(listed, key=str.lower):
        print(f"{class_of(name, known) or 'none':10} {name}")
    for word in (word for words in known.values() for word in words if not any(word.lower() in name.lower() for name in listed)):
        print(f"{'not listed':10} {word}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
