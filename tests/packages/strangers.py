# SPDX-License-Identifier: Apache-2.0
"""Strangers who look at a site, each from an address of their own and with the headers of a browser of their own. Run in the site's
network: `strangers.py URL LIMIT` follows the site's links as the first two and prints the pages' addresses; `strangers.py compare` reads
such addresses, asks for each as the first and as the third, and prints what is wrong with what they get. JSON, both ways."""
import gzip
import html
import http.client
import json
import re
import sys
import time
import urllib.parse
from dataclasses import dataclass

SECONDS = 90
#: One class of browsers: the types that they can show are in the key.
ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
#: Asks for what the application says to this stranger: a request with a header that no list names passes the store by.
PAST_THE_STORE = {"X-Past-The-Store": "1"}
LINK = re.compile(r'<a\s[^>]*?href="([^"]*)"', re.IGNORECASE)
#: What is another text in each build, or at another time, and means nothing to who reads the page.
VOLATILE = [re.compile(pattern, re.DOTALL) for pattern in (
    r"<!--.*?-->", r'"wgRequestId":"\w*"', r'"wgBackendResponseTime":\d+', r'"wgPageParseReport":\{.*?\}\}\}\)', r'data-secret="\w*"',
    r"#\?secret=\w*", r'name="ak_js" value="\d*"')]
#: What a form has for one visitor, and times: on a page of the application, but never different on one from the store.
OWN = [re.compile(r'<input [^>]*?type="hidden"[^>]*>'), re.compile(r"\d+")]
#: Of an answer's headers, those that a page from the store has in another way.
OTHERWISE = {"date", "age", "x-cache", "content-length", "transfer-encoding", "connection", "keep-alive", "etag", "last-modified", "x-request-id",
             "accept-ranges"}


@dataclass(frozen=True)
class Stranger:
    address: str
    agent: str
    language: str

    def headers(self):
        return {"User-Agent": self.agent, "Accept": ACCEPT, "Accept-Language": self.language, "Accept-Encoding": "gzip, deflate",
                "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Upgrade-Insecure-Requests": "1"}

    def ask(self, url, **more):
        """The answer to one request on a connection of its own."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=60, source_address=(self.address, 0))
        try:
            connection.request("GET", parts.path + ("?" + parts.query if parts.query else ""), headers={**self.headers(), **more})
            return Answer.of(connection.getresponse())
        finally:
            connection.close()


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list
    body: str

    @classmethod
    def of(cls, response):
        body = response.read()
        if response.getheader("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return cls(response.status, response.getheaders(), body.decode("utf-8", "replace"))

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name), None)

    def is_page(self):
        return self.status == 200 and (self.header("content-type") or "").startswith("text/html")

    def text(self, volatile):
        """What a reader would see a difference in."""
        body = self.body
        for pattern in volatile:
            body = pattern.sub("", body)
        return body

    def is_stored(self):
        return self.header("x-cache") == "HIT"

    def sense(self):
        return sorted((key.lower(), value) for key, value in self.headers if key.lower() not in OTHERWISE)

    def whole(self):
        return "\n".join(f"{key}: {value}" for key, value in self.headers) + "\n\n" + self.body


STRANGERS = [
    Stranger("127.0.0.2", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0 Alpha/1.17", "en-US,en;q=0.5"),
    Stranger("127.0.0.3", "Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0 Beta/2.18", "en,en-US;q=0.5"),
    Stranger("127.0.0.4", "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 Version/17.5 Gamma/3.19", "en-GB,en;q=0.9"),
]


def links(url, page):
    for link in LINK.findall(page):
        target, _ = urllib.parse.urldefrag(urllib.parse.urljoin(url, html.unescape(link)))
        if urllib.parse.urlsplit(target)[:2] == urllib.parse.urlsplit(url)[:2]:
            yield target


def crawl(start, limit):
    """Addresses of pages, in the order in which their links were found; the first two strangers have seen each."""
    found, seen, end = [start], set(), time.monotonic() + SECONDS
    pages = []
    while found and len(pages) < limit and time.monotonic() < end:
        url = found.pop(0)
        if url in seen:
            continue
        seen.add(url)
        answer = STRANGERS[0].ask(url)
        STRANGERS[1].ask(url)
        pages.append(url)
        if answer.is_page():
            found.extend(links(url, answer.body))
        elif answer.header("location"):
            found.extend(links(url, f'<a href="{html.escape(answer.header("location"))}">'))
    return pages


def wrong(stranger, answer, expected):
    """What a stranger got that is not theirs."""
    volatile = VOLATILE if answer.is_stored() else [*VOLATILE, *OWN]
    for other in STRANGERS:
        if other != stranger:
            for secret in other.address, other.agent.rsplit(" ", 1)[1]:
                if secret in answer.whole():
                    yield f"{secret} of another visitor"
    if answer.status != expected.status:
        yield f"status {answer.status} instead of {expected.status}"
    given, meant = answer.text(volatile), expected.text(volatile)
    if given != meant:
        at = next((i for i, (a, b) in enumerate(zip(given, meant)) if a != b), min(len(given), len(meant)))
        yield f"another text: {given[max(0, at - 60):at + 60]!r} instead of {meant[max(0, at - 60):at + 60]!r}"
    if answer.is_stored() and [key for key, _ in answer.sense()] != [key for key, _ in expected.sense()]:
        yield f"other headers: {answer.sense()} instead of {expected.sense()}"


def compare(urls):
    found = []
    for url in urls:
        for stranger in STRANGERS[0], STRANGERS[2]:
            answer, expected = stranger.ask(url), stranger.ask(url, **PAST_THE_STORE)
            problems = list(wrong(stranger, answer, expected))
            if expected.header("x-cache"):
                problems.append("the store was not passed by")
            found.append({"url": url, "stranger": stranger.address, "status": answer.status, "cache": answer.header("x-cache"), "problems": problems})
    return found


if __name__ == "__main__":
    json.dump(compare(json.load(sys.stdin)) if sys.argv[1] == "compare" else crawl(sys.argv[1], int(sys.argv[2])), sys.stdout)
