# SPDX-License-Identifier: Apache-2.0
"""Ten minutes: from a plain Debian 12 and 13 with systemd that serves WordPress by Debian's own apache2 to a site that the stand-by cache
protects beside a neighbour on its CPU, and back to what it was. Prints what visitors had to wait for and when."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

import pytest
from booted import Booted, Unbootable, entering, groups, remove
from plain import PATIENCE_S, ROOT, have_agent, install_agent, purge_agent, served, wordpress

CPU, OTHER = 0, 1
POSTS = 40
LEARNED = 50        # samples that say what is normal
PROFIT = 400        # visitors answered from the store
SHARE = 0.55        # of the CPU, when the site is alone
COPIES = """INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status,
post_name, to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_type)
SELECT post_author, post_date, post_date_gmt, post_content, CONCAT(post_title, seq), post_excerpt, post_status, CONCAT(post_name, seq),
to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_type FROM wp_posts JOIN seq_1_to_{posts} WHERE ID = 1"""
PLAIN_ADDRESSES = "UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'"
# A visitor each period from an address of their own, whether or not those before them are served; a line for each answer: when it
# was due, how long it took from then on, its status, its age if it came from the store. Ends with its standard input.
ASKING = """
import http.client, random, sys, threading, time
period, paths = float(sys.argv[1]), sys.argv[2:]
draw, one = random.Random(1), threading.Lock()
def ask(due, path):
    try:
        asked = http.client.HTTPConnection("127.0.0.1", 80, timeout=60, source_address=(f"127.9.{draw.randrange(256)}.{draw.randrange(1, 255)}", 0))
        asked.request("GET", path, headers={"Host": "localhost", "Accept": "text/html"})
        answer = asked.getresponse()
        answer.read()
        said = f"{answer.status} {answer.headers.get('Age', '-')}"
        asked.close()
    except (OSError, http.client.HTTPException) as error:
        said = f"{type(error).__name__} -"
    with one:
        print(f"{due} {time.time() - due} {said}", flush=True)
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
due = time.time()
while not ended.wait(max(0, due - time.time())):
    threading.Thread(target=ask, args=(due, draw.choice(paths))).start()
    due += draw.expovariate(1 / period)
"""


class Load:
    """Visitors who come on another CPU at a rate, until the end."""

    def __init__(self, view, period, paths):
        self.answers = []
        self.process = subprocess.Popen(["taskset", "-c", str(OTHER), "nsenter", "--net", f"--target={view.first}", sys.executable, "-c",
                                         ASKING, str(period), *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            due, took, status, age = line.split()
            self.answers.append((float(due), float(took), status, age))

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE_S)
        self.reader.join()


class Neighbour:
    """Takes the site's CPU and caches, from a control group of its own beside the site's."""

    def __init__(self):
        subprocess.run(["make", "-s", "-C", ROOT / "training/interference"], check=True)
        self.groups = groups(f"ic2-test-{os.getpid()}-neighbour", CPU)
        program = f"{ROOT / 'build/interference/llcprobe'} --size 32MiB --duration 1h"
        self.process = subprocess.Popen(["sh", "-c", entering(self.groups, program)], stdout=subprocess.DEVNULL)

    def end(self):
        self.process.terminate()
        self.process.wait()
        remove(self.groups)


@pytest.fixture(scope="module")
def blog(debian, tmp_path_factory):
    if os.cpu_count() < 2 or not pathlib.Path("/proc/pressure/cpu").exists():
        pytest.skip("needs two CPUs and a kernel that measures stalls")
    try:
        seen = Booted(tmp_path_factory.mktemp("view"), debian, CPU)
    except Unbootable as reason:
        pytest.skip(f"systemd can't be started here: {reason}")
    try:
        place = wordpress(seen, "event and php-fpm")
        # addresses such as /?p=7, wherever WordPress has found that others work
        seen.run("mariadb", "blog", "-e", COPIES.format(posts=POSTS) + "; " + PLAIN_ADDRESSES)
        have_agent(seen)
        yield place
    finally:
        seen.end()


def pages(site):
    """Paths of posts, and how long one takes when nobody else asks."""
    numbers = site.view.run("mariadb", "-N", "-e", "SELECT ID FROM blog.wp_posts WHERE post_type = 'post' AND post_status = 'publish'")
    paths = [f"/?p={number}" for number in numbers.split()]
    assert len(paths) > POSTS
    times = []
    for path in paths:
        begun = time.monotonic()
        assert site.status(path) == "200"
        times.append(time.monotonic() - begun)
    return paths, statistics.median(times)


def told(view):
    """Asked for again and again: not on the site's CPU, where that would be a neighbour too."""
    return view.as_user("ic2", "taskset", "-c", str(OTHER), "ic2", "status")


def learned(view):
    """From how many samples the agent knows what is normal."""
    samples = re.search(r"^medians .*\((\d+) samples\)", told(view), re.MULTILINE)
    return int(samples[1]) if samples else 0


def restores(view):
    """How often the agent went back to level 0."""
    applied = [entry for entry in map(json.loads, view.as_user("ic2", "ic2", "events", "--json").splitlines()) if entry["kind"] == "applied"]
    return sum(entry["configuration"]["mitigation"] == 0 for entry in applied)


def within(load, begin, end):
    """Seconds in words: the median and the 95th percentile of who came then, and the share that came from the store."""
    seen = sorted((took, age) for due, took, _, age in load.answers if begin <= due < end)
    assert seen, "nobody was answered"
    took, stored = [each for each, _ in seen], sum(age != "-" for _, age in seen)
    return f"{statistics.median(took):.3f} s, p95 {took[int(0.95 * len(took))]:.3f} s, {stored} of {len(seen)} pages from the store"


def test_protected_in_ten_minutes_and_back(blog):
    view, before = blog.view, blog.etc()
    paths, took = pages(blog)
    load = Load(view, took / SHARE, paths)
    neighbour = None
    try:
        reloads, begun = blog.reloads(), time.monotonic()
        install_agent(view)
        said = view.run("ic2", "init", "--yes")
        assert "MISSING" not in said and "container    what its neighbours take" in said, said
        view.as_user("ic2", "ic2", "check")
        view.run("systemctl", "enable", "--now", "ic2")
        installed = time.monotonic() - begun
        quiet = time.time()
        served.wait(lambda: learned(view) >= LEARNED, "the agent to know what is normal", PATIENCE_S)
        view.run("sed", "-i", "s/^mode: advise/mode: act   /", "/etc/ic2/ic2.yaml")
        view.run("systemctl", "reload", "ic2")
        served.wait(lambda: "mode act" in told(view), "the mode act", PATIENCE_S)
        minutes = (time.monotonic() - begun) / 60
        assert blog.level_in_force() == "0"
        came, neighbour = time.time(), Neighbour()
        served.wait(lambda: blog.level_in_force() in ("3", "4", "5", "6"), "the ladder", PATIENCE_S)
        acted = time.time()
        served.wait(lambda: sum(age != "-" for due, _, _, age in load.answers if due > acted) >= PROFIT, "pages from the store",
                    PATIENCE_S + 2 * PROFIT * took / SHARE)
        went = time.time()
        neighbour.end()
        served.wait(lambda: blog.level_in_force() == "0", "the restore", PATIENCE_S)
        restored = time.time()
        assert restores(view) == 1, "kept up beside the neighbour"
        assert blog.reloads() == reloads + 1, "one graceful reload"
    finally:
        load.end()
        if neighbour and neighbour.process.poll() is None:
            neighbour.end()
    assert {status for _, _, status, _ in load.answers} == {"200"}, "no request failed"
    print(f"\na page takes {took:.3f} s alone; {len(load.answers)} visitors, {SHARE / took:.1f} a second, all answered"
          f"\ninstalled, set up and checked after {installed:.0f} s, in mode act after {minutes:.1f} min, most of it the quiet that it learned from"
          f"\nin the quiet: {within(load, quiet, came)}"
          f"\nbeside the neighbour, until the agent acted {acted - came:.1f} s later: {within(load, came, acted)}"
          f"\nfrom 10 s later on: {within(load, acted + 10, went)}"
          f"\nback at level 0 {restored - went:.1f} s after its end")
    view.run("systemctl", "disable", "--now", "ic2")
    view.run("ic2", "init", "--remove")
    purge_agent(view)
    served.same(blog.etc(), before)
