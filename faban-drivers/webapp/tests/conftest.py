# SPDX-License-Identifier: Apache-2.0
import pathlib
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import installation  # noqa: E402


@pytest.fixture(scope="session")
def short_tmp():
    """A short path: sockets below pytest's own folders would be too long."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="olio-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


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
