# SPDX-License-Identifier: Apache-2.0
"""What both benches share: the server's shape of a busy web tier, percentiles, tables."""

import json
import pathlib
import platform
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from harness.build import BUILD, server_build        # noqa: E402
from harness.server import Server, Shape             # noqa: E402

RESULTS = BUILD / "httpd-bench"


def shape(**changes):
    """400 workers in 16 children, room to grow; as in the measurement that the patch was designed with."""
    values = {"threads_per_child": 25, "server_limit": 40, "start_servers": 16, "max_request_workers": 400,
              "keep_alive_timeout": "5", "min_spare": 400, "max_spare": 1000}
    return Shape(**{**values, **changes})


def percentile(values, share):
    """The value below which this share (0..1) of the values lies; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values):
    """'median [least..largest]', or '-'."""
    values = [v for v in values if v is not None]
    if not values:
        return "-"
    return f"{number(statistics.median(values))} [{number(min(values))}..{number(max(values))}]"


def number(value):
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def table(headings, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def save(name, data):
    """Writes build/httpd-bench/NAME-TIME.json and NAME.json (the newest), and says where."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    data = {"machine": {"system": platform.release(), "processors": len(__import__("os").sched_getaffinity(0))},
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **data}
    path = RESULTS / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.write_text(json.dumps(data, indent=1))
    (RESULTS / f"{name}.json").write_text(path.read_text())
    print(f"\nevery figure: {path.relative_to(BUILD.parent)}")


__all__ = ["BUILD", "Server", "Shape", "number", "percentile", "save", "server_build", "shape", "spread", "table"]
