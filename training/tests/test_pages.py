# SPDX-License-Identifier: Apache-2.0
"""The page of a study, made of recordings that are checked in; that of a comparison is tried where one is made."""
import pathlib
import subprocess

import pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "training" / "data"


def test_the_page_of_a_study_is_fit_to_read(tmp_path):
    page = tmp_path / "study.html"
    subprocess.run([ROOT / "bin" / "ic2-train", "evaluate", DATA / "evaluation" / "evaluation-1", "--training", DATA / "phase-1",
                    "--report", page], check=True, capture_output=True)
    assert "decision tree" in page.read_text()
    pages.is_fit_to_read(page)
