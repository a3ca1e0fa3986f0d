# SPDX-License-Identifier: Apache-2.0
"""Writes the load's run.xml for this testbed from the driver's own template."""

import re

from .errors import TestbedError


def write(layout, options, port, template, values=None):
    """Fills in what the testbed knows, `values` among it; everything else stays as in the template. `ic2-load run -f` reads
    the file."""
    try:
        text = template.read_text()
    except OSError as e:
        raise TestbedError(f"{template}: {e.strerror}; the load driver's template is part of the repository") from e
    for element, value in {
        "fa:scale": options.users,
        "outputDir": layout.results / "load",
        "scheme": options.scheme,
        "host": "127.0.0.1",
        "port": port,
        **(values or {}),
    }.items():
        text = _fill(template, text, f"<{element}>", f"</{element}>", value)
    text = _fill(template, text, '<property name="cycleMean">', "</property>", options.think_ms)
    layout.run_xml.write_text(text)


def other_mix(layout, application):
    """Writes the same run with other users beside run.xml; returns its path. Who logs out at each home page stays logged in, and
    the other way round; a WordPress gets crawlers."""
    text = layout.run_xml.read_text()
    changed = application.other_mix(text)
    if changed == text:
        raise TestbedError(f"{layout.run_xml}: expected what says who its users are, found nothing of it")
    path = layout.run_xml.with_name("run-other-mix.xml")
    path.write_text(changed)
    return path


def _fill(template, text, before, after, value):
    filled, count = re.subn(re.escape(before) + "[^<]*" + re.escape(after), lambda _: f"{before}{value}{after}", text)
    if count != 1:
        raise TestbedError(f"{template}: expected exactly one {before}...{after}, found {count}")
    return filled
