# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the builds, and servers that are taken down and accounted for whatever the test does."""

import contextlib
import pathlib
import subprocess
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from harness.build import server_build      # noqa: E402
from harness.errorlog import RECONFIGURE    # noqa: E402
from harness.load import SlowBackend        # noqa: E402
from harness.server import Server           # noqa: E402

MPMS = ("worker", "event")


def pytest_addoption(parser):
    parser.addoption("--asan", action="store_true", help="test the build with AddressSanitizer, UBSan and AP_DEBUG")
    parser.addoption("--parts", action="store_true", help="build and try each part of the series (minutes)")
    parser.addoption("--mpm", choices=MPMS, help="test this MPM only")


def pytest_generate_tests(metafunc):
    if "mpm" in metafunc.fixturenames:
        only = metafunc.config.getoption("--mpm")
        metafunc.parametrize("mpm", [only] if only else MPMS)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.test_failed = outcome.get_result().failed


@pytest.fixture(scope="session")
def build(request):
    """The patched server."""
    return server_build(sanitized=request.config.getoption("--asan"))


@pytest.fixture(scope="session")
def stock(request):
    """The same without our patches."""
    return server_build(patched=False, sanitized=request.config.getoption("--asan"))


@pytest.fixture
def backends():
    """Whatever a server talks to; outlives the servers of the test."""
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def make_server(request, build, backends):
    """make_server(mpm, ..., start=True) -> Server; see harness.server.Server for the arguments."""
    servers = []

    def make(mpm, *, start=True, of=None, **kwargs):
        server = Server(of or build, mpm, **kwargs)
        servers.append(server)
        return server.start() if start else server

    yield make
    problems = []
    for server in reversed(servers):
        try:
            server.finish(failed=getattr(request.node, "test_failed", False))
        except AssertionError as error:
            problems.append(str(error))
    assert not problems, "\n".join(problems)


@pytest.fixture
def slow_backend(backends):
    return backends.enter_context(SlowBackend())


@pytest.fixture
def allow_reconfigure_lines():
    """allow_reconfigure_lines(server): successes and refusals may be in the log; the test looks at them itself."""
    def allow(server):
        server.log.expect(*RECONFIGURE)
        return server
    return allow


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate, made at run time; .cert and .key are paths."""
    directory = tmp_path_factory.mktemp("tls")
    cert, key = directory / "cert.pem", directory / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", cert], check=True, capture_output=True)
    return types.SimpleNamespace(cert=cert, key=key)
