# SPDX-License-Identifier: Apache-2.0
import plain
import pytest


@pytest.fixture(scope="session", params=plain.RELEASES)
def debian(request):
    return plain.debian(request.param)
