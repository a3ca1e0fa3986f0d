# SPDX-License-Identifier: Apache-2.0
"""A small web application behind FastCGI with the properties that a cache can get wrong.

Every page says for whom it was built, when (time.monotonic()), for which path, and which MITIGATION it saw.
Logged-in users carry the session cookie; their pages are private.
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
        self.conditional = []   # the conditions that requests came with: (header, value)

    def __call__(self, parameters):
        path = parameters.get("PATH_INFO") or "/"
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
        body = (f"user={user} built={started:.6f} path={path} query={query} method={parameters['REQUEST_METHOD']} "
                f"mitigation={mitigation} optional={optional} script={parameters.get('SCRIPT_NAME', '')} "
                f"info={parameters.get('PATH_INFO', '')} uri={parameters.get('REQUEST_URI', '')} serial={serial}\n{FILLER}\n")
        return headers, body

    def count(self, path):
        with self.lock:
            return self.counts.get(path, 0)


def parse(body):
    """The facts in the first line of a page."""
    return dict(word.partition("=")[::2] for word in body.partition("\n")[0].split())
