#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real browser visits the web application: logs in, searches, adds an event with a picture, logs out.

usage: browser.py URL [--person N] [--screenshots FOLDER]

Needs chromium and chromedriver (package chromium-driver). Exit status: 0 all seen, 1 something was not as expected.
`visit()` does the same for tests.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# chromedriver is on this machine: no proxy may come between
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
PATIENCE = 600  # s: a busy machine starts a browser, and axe looks at a whole page, in a tenth of it
# a 2 x 2 pixel PNG
PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAE0lEQVR4nGNQaCgAIoYLCQpABAAgTgTB3yu6ZgAAAABJRU5ErkJggg==")


class Browser:
    """One window of a headless Chromium, driven through chromedriver's WebDriver protocol."""

    def __init__(self, address, profile):
        self.address = address
        arguments = ["--headless=new", "--disable-gpu", "--window-size=1280,1400", f"--user-data-dir={profile}",
                     "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"]
        if os.getuid() == 0:
            arguments.append("--no-sandbox")
        capabilities = {"alwaysMatch": {"acceptInsecureCerts": True,
                                        "timeouts": {"script": 1000 * PATIENCE, "pageLoad": 1000 * PATIENCE},
                                        "goog:chromeOptions": {"args": arguments},
                                        "goog:loggingPrefs": {"browser": "ALL"}}}
        self.session = self._call("POST", "/session", {"capabilities": capabilities})["sessionId"]

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with DIRECT.open(request, timeout=PATIENCE + 60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {json.load(error)['value']['message'].splitlines()[0]}") from None

    def _do(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, url):
        self._do("POST", "/url", {"url": url})

    @property
    def url(self):
        return self._do("GET", "/url")

    def run(self, script, *arguments):
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        """A command of Chromium's DevTools, for what WebDriver has no word for: another screen, another scheme of colours."""
        return self._do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, css):
        return self._do("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def text(self, css):
        return self._do("GET", f"/element/{self.find(css)}/text")

    def click(self, css):
        self._do("POST", f"/element/{self.find(css)}/click", {})

    def type(self, css, text):
        self._do("POST", f"/element/{self.find(css)}/value", {"text": text})

    def page(self):
        """Name of the page and for whom it was built, as it says itself."""
        return tuple(self.run("return [document.body.dataset.page, document.body.dataset.user]"))

    def follow(self, css, name, user):
        """Clicks what leads to the page. It may be of the same name as the one that is left, so the old one is marked."""
        self.run("window.left = true")
        self.click(css)
        self.wait_for_page(name, user)

    def wait_for_page(self, name, user, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(AssertionError):
                arrived, *seen = self.run("return [!window.left && document.readyState === 'complete',"
                                          " document.body.dataset.page, document.body.dataset.user]")
                if arrived and tuple(seen) == (name, user):
                    return
            time.sleep(0.05)
        raise AssertionError(f"expected page {name} for {user}, got {self.page()} at {self.url}")

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self._do("GET", "/screenshot")))

    def complaints(self):
        """What the browser wrote to its console: failed loads, script errors, policy violations."""
        return [entry["message"] for entry in self._do("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("WARNING", "SEVERE")]

    def close(self):
        self._do("DELETE", "")


def end(driver):
    driver.terminate()
    driver.wait(PATIENCE)
    driver.stdout.close()


def start_driver():
    """Chromedriver and its port. It takes a port that is free for IPv4, and ends if that one is taken for IPv6."""
    said = ""
    for _ in range(5):
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  start_new_session=True)
        for line in driver.stdout:
            said += line
            match = re.search(r"successfully on port (\d+)", line)
            if match:
                return driver, match.group(1)
        end(driver)
    raise AssertionError(f"chromedriver ended before it said its port: {said}")


@contextlib.contextmanager
def profile_directory():
    """Gone at the end; what Chromium still writes when it has been told to end comes to an end soon."""
    profile = tempfile.mkdtemp(prefix="olio-browser-")
    try:
        yield profile
    finally:
        limit = time.monotonic() + PATIENCE
        while os.path.exists(profile):
            shutil.rmtree(profile, ignore_errors=time.monotonic() < limit)
            time.sleep(0.05)


@contextlib.contextmanager
def browser():
    with profile_directory() as profile:
        driver, port = start_driver()
        try:
            window = Browser(f"http://127.0.0.1:{port}", profile)
            try:
                yield window
            finally:
                window.close()
        finally:
            end(driver)


def visit(window, base, person=5, screenshots=None):
    """The visit; AssertionError says what was not as expected. Returns the path of the added event."""
    base = base.rstrip("/")
    shots = 0

    def shot(name):
        nonlocal shots
        shots += 1
        if screenshots:
            window.screenshot(pathlib.Path(screenshots) / f"{shots}-{name}.png")

    window.open(base + "/")
    window.wait_for_page("home", "anon")
    loaded = window.run("return [...document.querySelectorAll('img:not([loading])')].every(i => i.complete && i.naturalWidth > 0)"
                        " && getComputedStyle(document.querySelector('.cards')).display === 'grid'")
    assert loaded, "the first page lacks its picture or its style sheet"
    shot("home")

    window.follow("nav a[href='/login']", "login", "anon")
    window.type("#login", f"user{person}")
    window.type("#password", "wrong")
    window.follow("#login-form button[type=submit]", "login", "anon")
    assert "wrong" in window.text(".errors")
    window.run("document.querySelector('#login').value = ''")
    window.type("#login", f"user{person}")
    window.type("#password", f"pass{person}")
    shot("login")
    window.follow("#login-form button[type=submit]", "home", str(person))
    assert window.text("#my-events h2") == "My events"
    shot("member")

    window.type("#search", "jazz")
    window.follow(".search button", "tag", str(person))
    assert window.text("h1") == "jazz"
    shot("tag")
    window.follow(".cards .card h3 a", "event", str(person))
    shot("event")

    window.follow("nav a[href='/add-event']", "add-event", str(person))
    title = "Browser <Meeting> " + secrets.token_hex(4)
    window.type("#title", title)
    window.type("#summary", "Browsers meet & greet.")
    window.type("#place", "Old Pier, Riga")
    window.run("document.querySelector('#starts').value = '2026-08-01T10:00'")
    window.click("[data-tag='jazz']")
    window.type("#tags", " browser-made")
    with tempfile.NamedTemporaryFile(suffix=".png") as picture:
        picture.write(PICTURE)
        picture.flush()
        window.type("#image", picture.name)
        shot("add-event")
        window.follow("#event-form button[type=submit]", "event", str(person))
    assert window.text("h1") == title
    tags = window.run("return [...document.querySelectorAll('.facts .tag')].map(a => a.textContent).sort()")
    assert tags == ["browser-made", "jazz"], tags
    assert window.run("return document.querySelector('img.hero').naturalWidth") == 480
    event = re.search(r"/event/\d+$", window.url).group(0)

    window.follow(".going button", "event", str(person))
    assert window.text(".going h2") == "1 going"
    shot("added")

    window.follow("nav form button", "home", "anon")
    shot("logged-out")
    # the refused login is a 422, which Chromium reports as a failed load; nothing else may go wrong
    complaints = [text for text in window.complaints() if "422" not in text]
    assert complaints == [], complaints
    return event


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--person", type=int, default=5, help="seeded person to log in as")
    parser.add_argument("--screenshots", metavar="FOLDER", help="write a PNG after each step")
    options = parser.parse_args()
    if options.screenshots:
        pathlib.Path(options.screenshots).mkdir(parents=True, exist_ok=True)
    try:
        with browser() as window:
            print("added", visit(window, options.url, options.person, options.screenshots))
    except AssertionError as error:
        print(f"browser.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
