# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium uses the application. With OLIO_URL set it visits that site instead of a private one."""
import os
import shutil

import pytest

import browser
from olio import Client


@pytest.mark.skipif(shutil.which("chromedriver") is None, reason="chromedriver is missing; install the package chromium-driver")
@pytest.mark.parametrize("environment", ["sqlite"], indirect=True)
def test_a_browser_logs_in_searches_and_adds_an_event(base):
    url = os.environ.get("OLIO_URL") or base
    with browser.browser() as window:
        event = browser.visit(window, url)
    client = Client(url)
    assert "Browser &lt;Meeting&gt;" in client.get(event).text
    client.close()
