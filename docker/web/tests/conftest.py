# SPDX-License-Identifier: Apache-2.0
import pathlib
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "faban-drivers" / "webapp" / "tests")]

import tier as tiers  # noqa: E402


@pytest.fixture(scope="session")
def short_tmp():
    """A short path: sockets below pytest's own folders would be too long. Readable, for httpd's own user."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tier-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", params=["worker", "event"])
def tier(request, short_tmp):
    if not (tiers.HTTPD / "bin" / "httpd").exists():
        pytest.skip(f"{tiers.HTTPD}: no httpd there; run httpd-online/build.sh")
    with tiers.running(short_tmp / request.param, request.param, IC2_ACCESS_LOG="yes") as running:
        yield running
