# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2])]

import installation  # noqa: E402
from testbed.places import directory_for_servers  # noqa: E402


@pytest.fixture(scope="session")
def short_tmp():
    """pytest's own folders are too long for sockets."""
    with directory_for_servers("olio-") as folder:
        yield folder


@pytest.fixture(scope="session", params=["sqlite", "mariadb"])
def environment(request, short_tmp):
    """The settings of a loaded application on each of the databases."""
    state = short_tmp / request.param
    if request.param == "sqlite":
        settings = installation.app_environment(state)
        installation.make_files(state, settings)
        assert installation.load(settings).returncode == 0
        yield settings
        return
    if not installation.has_mariadb():
        pytest.skip("mariadbd is missing; install the package mariadb-server")
    with installation.mariadb(state) as database:
        settings = installation.app_environment(state, **database)
        installation.make_files(state, settings)
        assert installation.load(settings).returncode == 0
        yield settings


@pytest.fixture(scope="session")
def base(environment):
    with installation.php_server(environment) as url:
        yield url
