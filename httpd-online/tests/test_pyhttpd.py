# SPDX-License-Identifier: Apache-2.0
"""The tests that the series adds to httpd's own suite pass there; and its mails for the list say the same as its parts."""

import re
import shutil
import subprocess
import sys

from harness.build import COMPONENT
from harness.server import free_port

ADDED = COMPONENT / "src" / "test" / "modules"


def test_added_tests_pass_in_the_suite_of_httpd(build, tmp_path):
    suite = tmp_path / "test"
    shutil.copytree(build.source_tree / "test", suite)
    shutil.copytree(ADDED, suite / "modules", dirs_exist_ok=True)
    settings = suite / "pyhttpd" / "config.ini"
    text = re.sub(r"^(\w*port\w*) = .*", lambda match: f"{match[1]} = {free_port()}", settings.read_text(), flags=re.M)
    for name, value in {"prefix": build.prefix, "gen_dir": suite / "gen", "test_dir": suite / "pyhttpd", "test_src_dir": suite / "pyhttpd"}.items():
        text = re.sub(rf"^{name} = .*", f"{name} = {value}", text, flags=re.M)
    settings.write_text(text)
    files = [path.relative_to(ADDED).as_posix() for path in ADDED.rglob("test_*.py")]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"modules/{name}" for name in files)],
                          cwd=suite, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    passed = re.search(r"^(\d+) passed in", done.stdout, re.M)
    assert passed and int(passed[1]) >= 15, done.stdout


def changes(mail):
    """{path: its lines that come and go}, of a mail that git made."""
    return {re.match(r"[ab]/(\S+)", block)[1]: re.findall(r"^[+-](?!\+\+ |-- ).*", re.sub(r"^-- ?\n.*", "", block, flags=re.M | re.S), re.M)
            for block in re.split(r"^diff --git ", mail, flags=re.M)[1:]}


def test_mails_for_the_list_say_the_same_as_their_parts(tmp_path):
    """Besides, they have the manual's sources, which are in no release; httpd's own script numbers the messages."""
    subprocess.run([COMPONENT / "series", "export", tmp_path / "parts"], check=True, capture_output=True)
    parts = [changes(part.read_text()) for part in sorted((tmp_path / "parts").iterdir())]
    mails = sorted((COMPONENT / "upstream").glob("*.patch"))
    assert len(mails) == 2
    for mail in mails:
        told = changes(mail.read_text())
        manual = [path for path in told if path.startswith("docs/manual/")]
        assert manual and any(path.startswith("changes-entries/") for path in told) and any(path.startswith("test/modules/") for path in told)
        code = {path: [re.sub(r"APLOGNO\(\d+\)", "APLOGNO()", line) for line in lines] for path, lines in told.items() if path not in manual}
        assert code in [{path: [re.sub(r"APLOGNO\(\d+\)", "APLOGNO()", line) for line in lines] for path, lines in part.items()} for part in parts], mail
