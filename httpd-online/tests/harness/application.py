# SPDX-License-Identifier: Apache-2.0
"""A small web application behind FastCGI with the properties that a cache can get wrong.

Every page says for whom it was built, for which path, and, in a comment, when (time.monotonic()), as the how manieth, and which
MITIGATION it saw: numbers in comments are no difference between two builds. Pages below /plain do not show the query. Logged-in
users carry the session cookie; their pages are private.
"""

import itertools
import random
import re
import threading
import time

COOKIE = "session_of_app"
# text in which the levels of compression differ
WORDS = "alpha beta gamma delta event card tag comment profile friend photo calendar page footer header".split()
_chooser = random.Random(11)
FILLER = " ".join(_chooser.choice(WORDS) + str(_chooser.randrange(1000)) * (_chooser.random() < 0.4) for _ in range(4000))


class Application:
    def __init__(self, build_seconds=0.005):
        self.build_seconds = build_seconds
        self.built = itertools.count()
        self.lock = threading.Lock()
        self.counts = {}
        self.failing = False
        # path: the headers that its page has besides, or a function from the parameters to them; "@" in their values
        # becomes a number that no other page has
        self.further = {}
        self.shows = {}         # path: text that its page has besides, or a function from the parameters to it
        self.conditional = []   # the conditions that requests came with: (header, value)

    def __call__(self, parameters):
        path = parameters.get("PATH_INFO") or parameters.get("REQUEST_URI", "/").partition("?")[0]
        with self.lock:
            self.counts[path] = self.counts.get(path, 0) + 1
            self.conditional += [(n, v) for n, v in parameters.items() if n.startswith("HTTP_IF_") or n == "HTTP_RANGE"]
        match = re.search(rf"(?:^|;\s*){COOKIE}=(\w+)", parameters.get("HTTP_COOKIE", ""))
        user = match[1] if match else "anon"
        started = time.monotonic()
        time.sleep(self.build_seconds)      # the work of building a page
        headers = [("Status", "200"), ("Content-Type", "text/html; charset=utf-8"), ("Vary", "Cookie"), ("X-User", user)]
        if self.failing:
            return [("Status", "500"), ("Content-Type", "text/plain")], "failed\n"
        if path == "/missing":
            return [("Status", "404"), ("Content-Type", "text/html")], "no such page\n"
        if user != "anon" or path == "/login":
            headers.append(("Cache-Control", "private, no-store"))
        if path == "/login":
            headers.append(("Set-Cookie", f"{COOKIE}=new; Path=/"))
        if path == "/counts-visitors":
            headers.append(("Set-Cookie", f"visitor={next(self.built)}; Path=/"))
        if path == "/says-nothing":
            headers = [h for h in headers if h[0] != "Vary"]
        serial = next(self.built)
        further = self.further.get(path, [])
        if callable(further):
            further = further(parameters)
        if any(name == "Vary" for name, _ in further):
            headers = [h for h in headers if h[0] != "Vary"]
        headers += [(name, value.replace("@", str(serial))) for name, value in further]
        query = parameters.get("QUERY_STRING", "")
        mitigation = int(parameters.get("MITIGATION", "0"))
        optional = "no" if parameters.get("MITIGATION_BROWNOUT") == "1" else "yes"
        asked = "" if path.startswith("/plain") else f"query={query} uri={parameters.get('REQUEST_URI', '')} "
        shown = self.shows.get(path, "")
        if callable(shown):
            shown = shown(parameters)
        body = (f"<!-- built={started:.6f} mitigation={mitigation} serial={serial} -->\n"
                f"user={user} path={path} method={parameters['REQUEST_METHOD']} optional={optional} "
                f"script={parameters.get('SCRIPT_NAME', '')} info={parameters.get('PATH_INFO', '')} {asked}shows={shown}\n{FILLER}\n")
        return headers, body

    def count(self, path):
        with self.lock:
            return self.counts.get(path, 0)


def parse(body):
    """The facts of a page: name=value, in its first two lines. `shows` may have spaces."""
    first, _, rest = body.partition("\n")
    second, _, shows = rest.partition("\n")[0].partition(" shows=")
    facts = dict(word.partition("=")[::2] for word in f"{first} {second}".split() if "=" in word)
    return {**facts, "shows": shows} if facts else {}
