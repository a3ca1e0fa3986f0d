# SPDX-License-Identifier: Apache-2.0
"""A page for benches: 41 kB of HTML that compresses about as the web application's pages do."""

import random

WORDS = "alpha beta gamma delta event card tag comment profile friend photo calendar page footer header".split()


def page():
    chooser = random.Random(7)
    lines, size = ["<!doctype html><html><body>"], 0
    while size < 41_000:
        words = " ".join(chooser.choice(WORDS) for _ in range(9))
        lines.append(f'<div class="card"><a href="/event/{chooser.randrange(9999)}">{words[:20]}</a><p>{words}</p></div>')
        size += len(lines[-1])
    return "\n".join([*lines, "</body></html>"])
