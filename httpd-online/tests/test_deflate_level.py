# SPDX-License-Identifier: Apache-2.0
"""mod_deflate: the environment variable deflate-level chooses the level of a response."""

import gzip
import random
import zlib

import pytest

WORDS = "alpha beta gamma delta event card tag comment profile friend photo calendar page footer header".split()
CONFIG = """
AddOutputFilterByType DEFLATE text/html text/plain
DeflateCompressionLevel 6
SetEnvIf Request_URI "." "nothing=1"
SetEnvIf X-Level "^(.*)$" deflate-level=$1
SetEnvIf MITIGATION "^1$" deflate-level=1
"""


@pytest.fixture
def server(mpm, make_server, allow_reconfigure_lines):
    server = make_server(mpm, extra=CONFIG, variables={"MITIGATION": 0}, start=False)
    chooser = random.Random(3)
    text = " ".join(chooser.choice(WORDS) + (str(chooser.randrange(300)) if chooser.random() < 0.4 else "")
                    for _ in range(9000))
    (server.root / "htdocs" / "page.txt").write_text(text)
    return allow_reconfigure_lines(server.start())


def compressed(server, **headers):
    response = server.get("/page.txt", headers={"Accept-Encoding": "gzip", **headers})
    assert response["content-encoding"] == "gzip"
    return response.body


def expected_size(server, level):
    """What zlib makes of the page at this level with mod_deflate's parameters (window 15, memory level 9)."""
    data = (server.root / "htdocs" / "page.txt").read_bytes()
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9)
    return len(packer.compress(data) + packer.flush())


def test_each_level(server):
    page = (server.root / "htdocs" / "page.txt").read_bytes()
    for level in range(1, 10):
        body = compressed(server, **{"X-Level": str(level)})
        assert gzip.decompress(body) == page
        assert abs(len(body) - expected_size(server, level)) <= 64, f"level {level}: {len(body)} bytes"
    assert expected_size(server, 1) > expected_size(server, 6) > expected_size(server, 9) - 1


def test_default_is_the_configured_level(server):
    assert abs(len(compressed(server)) - expected_size(server, 6)) <= 64


def test_nonsense_is_ignored(server):
    normal = len(compressed(server))
    for value in ("0", "10", "-1", "x", "1x", " ", "99999999999", "1.5"):
        assert len(compressed(server, **{"X-Level": value})) == normal, value


def test_switched_online(server):
    normal = len(compressed(server))
    server.reconfigure("MITIGATION=1")
    assert abs(len(compressed(server)) - expected_size(server, 1)) <= 64
    server.reconfigure("MITIGATION=0")
    assert len(compressed(server)) == normal
