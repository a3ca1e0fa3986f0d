# SPDX-License-Identifier: Apache-2.0
"""What ic2-fleet says when it cannot go on, as a person sees it: Spark adds nothing."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_a_recording_that_is_none_gets_one_line_and_leaves_nothing(tmp_path):
    (tmp_path / "bad.csv").write_text("garbage\n")
    done = subprocess.run([ROOT / "bin" / "ic2-fleet", "ingest", tmp_path / "bad.csv", "-o", tmp_path / "store"], capture_output=True,
                          text=True, timeout=600)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("ic2-fleet: ") and "bad.csv: line 1" in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]
