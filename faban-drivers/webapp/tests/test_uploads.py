# SPDX-License-Identifier: Apache-2.0
"""Pictures that users send: checked, limited, stored as new files."""
import pathlib
import re
import struct
import subprocess
import zlib

import pytest

from olio import Client


@pytest.fixture
def member(base):
    client = Client(base)
    client.login(5)
    yield client
    client.close()


@pytest.fixture
def jpeg(environment):
    return (pathlib.Path(environment["OLIO_STATE"]) / "media/event/1.jpg").read_bytes()


def png(width, height):
    """A one-colour PNG of any size; its bytes are few, however large it is once decoded."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packer = zlib.compressobj()
    row = b"\0" + b"\x40" * width
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def picture_of(client, event):
    [path] = re.findall(r'<img class="hero"[^>]*src="(/media/[^"]+)"', client.get(event).text)
    return path


def test_a_picture_is_shown_with_its_event(member, jpeg):
    answer = member.add_event(image=("harbour.jpg", "image/jpeg", jpeg))
    path = picture_of(member, answer.location)
    assert re.fullmatch(r"/media/up/[0-9a-f]{32}\.jpg", path)
    picture = member.get(path)
    assert picture.headers["content-type"] == "image/jpeg" and picture.body[:3] == b"\xff\xd8\xff"


def test_data_appended_to_a_picture_is_removed(member, jpeg):
    answer = member.add_event(image=("a.php", "image/jpeg", jpeg + b"<?php system($_GET['x']); ?><script>alert(1)</script>"))
    path = picture_of(member, answer.location)
    assert path.endswith(".jpg")
    stored = member.get(path).body
    assert b"<?php" not in stored and b"<script" not in stored


def test_a_png_becomes_a_jpeg_of_the_cards_shape(member, tmp_path):
    answer = member.add_person(image=("me.png", "image/png", png(300, 900)))
    file = tmp_path / "p.jpg"
    file.write_bytes(member.get(picture_of_person(member, answer.location)).body)
    size = subprocess.run(["php", "-r", f"echo implode('x', array_slice(getimagesize('{file}'), 0, 2));"],
                          capture_output=True, text=True, check=True).stdout
    assert size == "480x300"


def picture_of_person(client, path):
    return re.search(r'<img class="hero small"[^>]*src="(/media/[^"]+)"', client.get(path).text).group(1)


@pytest.mark.parametrize("content,reason", [
    (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "JPEG, PNG or GIF"),
    (b"GIF89a not really", "JPEG, PNG or GIF"),
    (b"", "JPEG, PNG or GIF"),
    (png(4000, 4000), "8 megapixels"),
    (b"\xff\xd8\xff" + b"x" * (1 << 20), "more than 1 MiB"),
])
def test_an_unfit_picture_is_refused_with_the_reason(member, environment, content, reason):
    folder = pathlib.Path(environment["OLIO_STATE"]) / "media/up"
    before = set(folder.iterdir())
    page = member.add_event(image=("x.jpg", "image/jpeg", content))
    assert (page.status, page.name) == (422, "add-event") and reason in page.text
    assert set(folder.iterdir()) == before


def test_the_picture_of_a_person_who_was_refused_is_not_kept(member, environment, jpeg):
    folder = pathlib.Path(environment["OLIO_STATE"]) / "media/up"
    before = set(folder.iterdir())
    assert member.add_person(image=("x.jpg", "image/jpeg", jpeg), login="user7").status == 422
    assert set(folder.iterdir()) == before


def test_a_body_beyond_the_limit_is_a_413(member):
    page = member.add_event(image=("x.jpg", "image/jpeg", b"x" * 2_500_000))
    assert (page.status, page.name) == (413, "error")


def test_without_a_picture_one_of_the_seeded_ones_serves(member):
    path = picture_of(member, member.add_event().location)
    assert re.fullmatch(r"/media/event/\d{1,2}\.jpg", path) and member.get(path).status == 200


def documents(environment):
    return sorted((pathlib.Path(environment["OLIO_STATE"]) / "media" / "up").glob("*.pdf"))


def test_a_programme_is_kept_unchanged_and_not_served(member, environment):
    before = documents(environment)
    assert member.add_event(document=("a.pdf", "application/pdf", b"%PDF-1.4 programme")).status == 303
    [new] = set(documents(environment)) - set(before)
    assert new.read_bytes() == b"%PDF-1.4 programme"
    assert member.get(f"/media/up/{new.name}").status == 404


def test_a_bad_programme_is_refused_and_its_picture_not_kept(member, environment, jpeg):
    uploads = pathlib.Path(environment["OLIO_STATE"]) / "media" / "up"
    before = sorted(uploads.iterdir())
    page = member.add_event(image=("p.jpg", "image/jpeg", jpeg), document=("a.pdf", "application/pdf", b"<?php"))
    assert page.status == 422 and "The document has to be a PDF." in page.text
    page = member.add_event(document=("a.pdf", "application/pdf", b"%PDF-" + bytes(1 << 20)))
    assert page.status == 422 and "more than 1 MiB" in page.text
    assert sorted(uploads.iterdir()) == before
