# SPDX-License-Identifier: Apache-2.0
"""What the access log tells of those whom mod_standby asks to come later, in the format that `ic2 init` writes."""

import pytest

from harness.ladder import ATTACKED, running_tier
from harness.waiting import eventually

VIRTUAL_HOST = r"""
ErrorDocument 503 /static/big.html
StandbyCrawlers training WholeBot
StandbyCrawlerRate training 2 0
LogFormat "%m %U %>s \"%{cache-status}e\" \"%<{cache-status}e\" %{ic2_member}e" ic2
CustomLog logs/ic2.log ic2
"""


@pytest.mark.parametrize("name", ATTACKED)
def test_crawler_behind_an_error_page_of_the_site_is_told_from_a_failure(name, request):
    """httpd logs a variable of the page that answers; `<` asks for the request as it came."""
    only = request.config.getoption("--mpm")
    if only and name not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    with running_tier(name, sanitized=request.config.getoption("--asan"), virtual_host=VIRTUAL_HOST) as tier:
        tier.go(2)
        answer = tier.server.get("/static/other.html", headers={"User-Agent": "WholeBot/1.0"})
        assert answer.status == 503 and answer.body == tier.server.get("/static/big.html").body
        log = tier.server.root / "logs" / "ic2.log"
        line = eventually(lambda: next((line for line in log.read_text().splitlines() if "/static/other.html" in line), None), what="a line")
        assert line == 'GET /static/other.html 503 "-" "crawler" -'
