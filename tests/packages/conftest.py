# SPDX-License-Identifier: Apache-2.0
import plain
import pytest


@pytest.fixture(scope="session")
def debian():
    return plain.system("debian-12", f"{plain.SITE} {plain.AGENT} {plain.CARE}")
