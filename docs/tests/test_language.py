# SPDX-License-Identifier: Apache-2.0
"""Pages are short and plain: words of prose, sentences, table cells, and no word that docs/glossary.md refuses."""

import re
import statistics

import pytest
from test_links import FENCE, ROOT

# A page and how many words of prose it may have at most. Tables and code are not prose.
PAGES = {
    "README.md": 650,
    "ARCHITECTURE.md": 600,
    "CHANGELOG.md": 600,
    "docs/glossary.md": 100,
    "CASE_STUDIES.md": 600,
    "CONTRIBUTING.md": 1200,
    "SECURITY.md": 700,
    "docs/results.md": 2500,
    "docs/applications.md": 1000,
    "docs/causes.md": 900,
    "docs/cluster.md": 1700,
    "docs/configuration.md": 1500,
    "docs/faults.md": 500,
    "docs/http.md": 500,
    "docs/httpd-online.md": 1400,
    "docs/install.md": 1500,
    "docs/knowledge-base.md": 2000,
    "docs/metrics.md": 300,
    "docs/mod_standby.md": 900,
    "docs/operations.md": 2000,
    "docs/paper.md": 900,
    "docs/parts.md": 600,
    "docs/public.md": 350,
    "docs/standby.md": 500,
    "docs/stock-apache.md": 400,
    "docs/testbed.md": 1700,
    "docs/training.md": 2000,
    "docs/wall.md": 600,
    "docker/README.md": 200,
    "faban-drivers/README.md": 1200,
    "host/CHANGELOG.md": 350,
    "host/lab/README.md": 250,
    "httpd-online/DESIGN.md": 1400,
    "httpd-online/README.md": 150,
    "knowledge-base/README.md": 150,
    "training/README.md": 250,
    "host/docs/README.md": 1000,
    "host/docs/configuration.md": 1500,
    "host/docs/operations.md": 2000,
    "host/docs/study.md": 1200,
}
SENTENCE, MEDIAN, CELL, ENTRIES = 40, 20, 25, 30
WITH_CELLS = 2500     # words of a provider's page, its tables counted

ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+")
# A sentence ends at .!? with what closes quotes, brackets and emphasis, before a blank or at the end of its block.
END = re.compile(r"""(?<![.!?])[.!?]+["')\]*_»”]*(?=\s|$)""")
ABBREVIATED = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|resp|approx)\.$")
WORD = re.compile(r"[^\W_]")


def plain(text):
    """Without what is not read as words: a span of code counts as one word, a link as its text."""
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "code", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[a-z]+:[^>\s]*>", "link", text)
    return re.sub(r"</?[a-zA-Z][^>]*>", "", text)


def parts(text):
    """Headings, blocks (paragraphs and items of lists) and table cells, each without code."""
    text = re.sub(r"<!--.*?-->", "", FENCE.sub("\n", text), flags=re.DOTALL)
    headings, blocks, cells, open_ = [], [], [], False
    for line in text.splitlines():
        line = re.sub(r"^\s*(> ?)+", "", line)
        stripped = line.strip()
        if stripped.startswith("#"):
            headings.append(plain(stripped.lstrip("# ")))
            open_ = False
        elif stripped.startswith("|"):
            row = plain(stripped.replace("\\|", " "))
            cells += [cell.strip() for cell in row.strip("|").split("|") if not re.fullmatch(r":?-+:?", cell.strip())]
            open_ = False
        elif not stripped:
            open_ = False
        elif ITEM.match(line):
            blocks.append(ITEM.sub("", line, count=1))
            open_ = True
        elif open_:
            blocks[-1] += " " + stripped
        else:
            blocks.append(stripped)
            open_ = True
    return headings, [plain(block) for block in blocks], cells


def words(text):
    return [word for word in text.split() if WORD.search(word)]


def sentences(blocks):
    found = []
    for block in blocks:
        begin = 0
        for end in END.finditer(block):
            if not ABBREVIATED.search(block[:end.end()]):
                found.append(block[begin:end.end()].strip())
                begin = end.end()
        found.append(block[begin:].strip())
    return [sentence for sentence in found if words(sentence)]


def entries():
    """(word, meaning, refused words) of the glossary's table."""
    rows = [line for line in (ROOT / "docs/glossary.md").read_text().splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in row[2:].rstrip("|").split("|")] for row in rows]
    assert all(len(row) == 3 for row in cells), "a row has a word, its meaning and the words not to use"
    return [(word, meaning, re.findall(r"`([^`]+)`", refused)) for word, meaning, refused in cells]


def refused(text):
    found = []
    for word, _, others in entries():
        found += [f"'{other}': say {word}" for other in others if re.search(rf"(?<![\w-]){re.escape(other)}(?![\w-])", text, re.IGNORECASE)]
    return found


def too_long(texts, limit):
    return [f"{len(words(text))} words: {text}" for text in texts if len(words(text)) > limit]


def faults(text, limit):
    headings, blocks, cells = parts(text)
    all_ = sentences(blocks)
    lengths = [len(words(sentence)) for sentence in all_]
    found = [*too_long(all_, SENTENCE), *too_long(cells, CELL)]
    if sum(lengths) > limit:
        found.append(f"{sum(lengths)} words of prose, {limit} allowed")
    if lengths and statistics.median(lengths) > MEDIAN:
        found.append(f"the median sentence has {statistics.median(lengths)} words, {MEDIAN} allowed")
    for one in (*headings, *blocks, *cells):
        found += refused(one)
    return found


@pytest.mark.parametrize("page, limit", PAGES.items())
def test_the_page_is_short_and_plain(page, limit):
    found = faults((ROOT / page).read_text(), limit)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("host/docs/")])
def test_a_providers_page_is_short_with_its_tables(page):
    _, blocks, cells = parts((ROOT / page).read_text())
    assert sum(len(words(text)) for text in (*blocks, *cells)) <= WITH_CELLS


def test_the_glossary_is_short_and_does_not_refuse_its_own_words():
    all_ = entries()
    assert 0 < len(all_) <= ENTRIES
    assert all(word and meaning for word, meaning, _ in all_)
    own = [word for word, _, _ in all_]
    others = [other for _, _, refused_ in all_ for other in refused_]
    assert len(set(own)) == len(own) and len(set(others)) == len(others)
    assert not [word for word in own if refused(word)]


@pytest.mark.parametrize("text, expected", [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("It took 0.5 s on httpd 2.4.68. It ended.", ["It took 0.5 s on httpd 2.4.68.", "It ended."]),
    ("Some servers, e.g. httpd, do.", ["Some servers, e.g. httpd, do."]),
    ("**It is bold.** It (too.) ends.", ["**It is bold.**", "It (too.)", "ends."]),
    ("Over two\nlines. And\nmore", ["Over two lines.", "And more"]),
    ("A paragraph\n\nand another", ["A paragraph", "and another"]),
    ("Before:\n- one\n  goes on\n- two. Three\n\n1. four", ["Before:", "one goes on", "two.", "Three", "four"]),
    ("Text.\n```sh\nbin/ic2 watch. And more.\n```\nMore.", ["Text.", "More."]),
    ("- An item:\n\n  ```sh\n  make demo. now\n  ```\n- next", ["An item:", "next"]),
    ("Use `ic2 watch. Or not` now. `a` `b`", ["Use code now.", "code code"]),
    ("See [the page](x.md#a.b). ![a picture. of it](x.svg)", ["See the page."]),
    ("# A heading. Of words\nText", ["Text"]),
    ("<!-- A comment. -->\n> A quote. <br>Two", ["A quote.", "Two"]),
    ("| a | b. c |\n|---|---|\n| d | e |", []),
])
def test_sentences_are_split(text, expected):
    assert sentences(parts(text)[1]) == expected


def test_cells_are_split():
    assert parts("| a | `b | c` |\n|---|:-:|\n| d \\| e | [f](g) |")[2] == ["a", "code", "d   e", "f"]


def test_headings_are_read():
    assert parts("# One\n\n## `Two` three")[0] == ["One", "code three"]


@pytest.mark.parametrize("text", [
    "word " * 41 + ".",
    "- " + "word " * 41,
    "word " * 21 + ". " + "word " * 21 + ". Short.",
    "| a |\n|---|\n| " + "word " * 26 + "|",
    "It climbs a Rung.",
    "## The way home",
    "| rung |\n|---|\n| 1 |",
    "One. " * 101,
])
def test_faults_are_found(text):
    assert faults(text, 100)


@pytest.mark.parametrize("text", [
    "word " * 40 + ". Short. Short.",
    "It is in `rung` and in a [link](rung.md).",
    "| a |\n|---|\n| " + "word " * 25 + "|",
    "One. " * 100,
    "A page is wrung; the rung-like stays.",
])
def test_what_is_allowed_has_no_fault(text):
    assert not faults(text, 100)
