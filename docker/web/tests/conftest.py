# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "faban-drivers" / "webapp" / "tests"), str(HERE.parents[2])]

import tier as tiers  # noqa: E402
from testbed.places import directory_for_servers  # noqa: E402


@pytest.fixture(scope="session")
def short_tmp():
    """pytest's own folders are closed to httpd's user, and too long for sockets."""
    with directory_for_servers("tier-") as folder:
        yield folder


@pytest.fixture(scope="session", params=["worker", "event"])
def tier(request, short_tmp):
    if not (tiers.HTTPD / "bin" / "httpd").exists():
        pytest.skip(f"{tiers.HTTPD}: no httpd there; run httpd-online/build.sh")
    with tiers.running(short_tmp / request.param, request.param, IC2_ACCESS_LOG="yes") as running:
        yield running


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Where processes share the tests (`--dist loadgroup`), those of a file on the same servers stay together."""
    for item in items:
        servers = getattr(item, "callspec", None) and {item.callspec.params.get(each) for each in ("tier", "environment")} - {None}
        item.add_marker(pytest.mark.xdist_group(" ".join([item.path.name, *sorted(servers or ())])))
