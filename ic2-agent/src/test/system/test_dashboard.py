# SPDX-License-Identifier: Apache-2.0
"""The page of a running agent in a headless Chromium: what it shows, while all goes well and when it does not.

DASHBOARD_SCREENSHOTS names a directory for pictures of it.
"""
import contextlib
import datetime
import os
import pathlib
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import time
import zlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "faban-drivers" / "webapp" / "tests"), str(ROOT)]

import axe  # noqa: E402
import browser  # noqa: E402
from installation import free_port  # noqa: E402
from running import Agent, status_page, wait  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("chromedriver") is None, reason="chromedriver is missing; install the package chromium-driver")

TOKEN = "long-and-random"
HOSTILE = "<img src=x onerror='window.hurt=1'><script>window.hurt=2</script>"
# some of the columns: an agent takes over what is there of its own
COLUMNS = ["requests", "response_time", "response_time_max", "response_time_normal", "target_response_time", "throughput", "cpu_util",
           "cpu_used", "steal", "steal_of_demand", "run_delay", "accept_queue", "mxc", "kat", "mitigation", "mix_stored", "php_active",
           "php_processes"]
RINGS = ((10, 2200), (60, 1480))
STATES = ["starting", "NI2", "NI1", "T", "MANUAL", "I1", "I2"]


def loud(age):
    """Whether a neighbour was there so many seconds ago: now and then for some minutes."""
    return age % 9000 in range(1500, 2400)


def history(file, now):
    """A day of a shop that is visited by a neighbour, as an agent writes it."""
    rings = ", ".join(f"Ring[seconds={seconds}, places={places}]" for seconds, places in RINGS)
    head = f"ic2-history 1 [{rings}] {','.join(COLUMNS)}\n".encode()
    with file.open("wb") as out:
        out.write(head.ljust(8192, b"\0"))
        for seconds, places in RINGS:
            steps = [bytes(16 + 4 * len(COLUMNS))] * places
            for step in range(int(now) // seconds - places + 2, int(now) // seconds - 1):
                visited = loud(int(now) - step * seconds)
                wave = step * seconds % 3600 / 3600 + step * 7 % 13 / 40
                values = (40 * seconds, 0.5 + wave / 4 if visited else 0.03 + wave / 90, 1.2 if visited else 0.06, 0.03, 0.1, 38 + wave * 4,
                          0.9 if visited else 0.4 + wave / 9, 0.5 if visited else 0.38 + wave / 9, 0.4 if visited else 0.01,
                          0.4 if visited else 0.02, 0.3 if visited else 0.01, 12 if visited else 0, 300 if visited else 400, 5,
                          2 if visited else 0, 22 if visited else 0.4, 14 if visited else 5, 50)
                record = struct.pack(f">qhh{len(COLUMNS)}f", step * seconds, STATES.index("I2" if visited else "NI2"), 2 if visited else 0, *values)
                steps[step % places] = record + struct.pack(">I", zlib.crc32(record))
            out.write(b"".join(steps))


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def actions(now):
    """The journal's lines of a mitigation with all that an agent knows of it, of its end, and of a change that failed."""
    before = {"mxc": 400, "kat": 5.0, "php": 1, "mitigation": 0}
    after = {**before, "mxc": 300, "mitigation": 2}
    decision = {"id": "d-312", "time": stamp(now - 500), "action": "MITIGATE", "scenario": "IC2-10",
                "situation": "interference is confirmed, the mitigation starts", "reason": "interference is confirmed: response time 0.6",
                "before": "I1", "state": "I2", "tree": "INTERFERENCE", "believed": "INTERFERENCE", "current": before, "desired": after,
                "rules": ["virtual-physical-cpu-ratio"], "evidence": ["steal 0.4 > 0.1", "tree: load_per_operation_ratio 1.9 > 1.25, steal 0.4 > 0.05"],
                "numbers": {"response_time": 0.6, "throughput": 38.0, "load_per_operation": 0.02, "median.load_per_operation": 0.01,
                            "median.response_time": 0.03, "algorithm.mxc.base": 400.0, "algorithm.mxc.delta": -200.0,
                            "algorithm.mxc.bounded": 300.0, "step.wanted": 40.0, "step.cpu_per_operation": 0.02, "step.relief": 0.45,
                            "step.cpu_needed": 0.36, "step.cpu_limit": 0.48, "step.cpu_left": 0.6, "step.level": 2.0}}
    request = {"id": "d-312", "origin": "decision", "action": "MITIGATE", "reason": decision["reason"]}
    back = {"id": "d-340", "origin": "decision", "action": "RESTORE", "reason": "no interference is confirmed"}
    hostile = {"id": "d-350", "origin": "decision", "action": "MITIGATE", "reason": HOSTILE}
    return [{"time": stamp(now - 500), "kind": "intent", **request, "before": before, "desired": after, "decision": decision},
            {"time": stamp(now - 499.9), "kind": "applied", **request, "millis": 31, "epoch": 1, "configuration": after},
            {"time": stamp(now - 300), "kind": "intent", **back, "before": after, "desired": before},
            {"time": stamp(now - 299.9), "kind": "applied", **back, "millis": 24, "epoch": 2, "configuration": before},
            {"time": stamp(now - 200), "kind": "intent", **hostile, "before": before, "desired": after},
            {"time": stamp(now - 199), "kind": "failed", **hostile, "problem": HOSTILE, "rolled_back": True, "epoch": 2, "configuration": before}]


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    now = time.time()
    history(folder / "history", now)
    token = folder / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    with status_page() as url:
        running = Agent(folder, url, listen=f"127.0.0.1:{free_port()}", http=f', token-file: "{token}"', past=actions(now))
        try:
            yield running
        finally:
            running.end()


@pytest.fixture(scope="module")
def window():
    with browser.browser() as opened:
        yield opened


@pytest.fixture
def page(agent, window):
    """The page, live, and without a complaint at the end."""
    agent.url()
    show(window, agent)
    yield window
    # the test itself looks at pixels, and asks with a wrong token
    complaints = [said for said in window.complaints() if "willReadFrequently" not in said and "status of 401" not in said]
    assert complaints == []


def show(window, agent):
    window.open(agent.url())
    wait(lambda: window.run("return /^updated [01] s ago$/.test(updated.textContent) && !!document.querySelector('#throughput canvas')"), agent.log)


def text(window, css):
    return window.run("return document.querySelector(arguments[0]).textContent", css)


def picture(window, name):
    if "DASHBOARD_SCREENSHOTS" in os.environ:
        window.screenshot(pathlib.Path(os.environ["DASHBOARD_SCREENSHOTS"]) / f"{name}.png")


@contextlib.contextmanager
def whole_page(window, width):
    """A screen as high as the page."""
    window.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    window.devtools("Emulation.setDeviceMetricsOverride", width=width, deviceScaleFactor=1, mobile=width < 600,
                    height=window.run("return document.documentElement.scrollHeight"))
    try:
        yield
    finally:
        window.devtools("Emulation.clearDeviceMetricsOverride")


def test_it_says_in_a_sentence_what_goes_on_and_goes_on_saying_it(agent, page):
    assert text(page, "#application") == "shop"
    wait(lambda: "response time" in text(page, "#sentence"), agent.log)
    newest = page.run("return fetch('api/status').then(a => a.json()).then(s => s.sample.time)")
    drawn = "return document.querySelector('#throughput .plot').getAttribute('aria-label')"
    before = wait(lambda: [said for said in [page.run(drawn)] if "requests" in said and "from" in said], agent.log)[0]
    wait(lambda: page.run(drawn) != before, agent.log)
    wait(lambda: page.run("return fetch('api/status').then(a => a.json()).then(s => s.sample.time)") > newest, agent.log)
    wait(lambda: text(page, "#updated") in ("updated 0 s ago", "updated 1 s ago"), agent.log)
    wait(lambda: "Mitigation level" in text(page, "#running"), agent.log)
    knobs = page.run("return fetch('api/status').then(a => a.json()).then(s => Object.keys(s.baseline))")
    for knob in knobs:
        wait(lambda knob=knob: page.run("return !!document.getElementById('lever-' + arguments[0])", knob), agent.log)
    assert page.run("return performance.getEntriesByType('resource').every(e => e.name.startsWith(location.origin))")
    assert page.run("return performance.getEntriesByType('resource').filter(e => e.name.includes('/api/samples')).length") == 0
    picture(page, "live")


def test_an_empty_ladder_is_said(tmp_path, page, agent):
    said = "return document.querySelector('#ladder-empty')?.textContent"
    assert page.run(said) is None
    with status_page() as url:
        running = Agent(tmp_path, url, listen=f"127.0.0.1:{free_port()}", levels=0)
        try:
            show(page, running)
            wait(lambda: page.run(said) == "the ladder is empty: no mitigation level does anything on this site", running.log)
        finally:
            show(page, agent)   # the page of one that has ended would complain
            running.end()


def test_a_reload_keeps_history_and_shading(agent, page):
    def shaded():
        """Pixels of the band in interference's colour."""
        return page.run("""const canvas = document.querySelector('#band canvas'), context = canvas.getContext('2d');
            const data = context.getImageData(0, 0, canvas.width, 1 + canvas.height / 3).data; let found = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] === 0xb8 && data[i + 1] === 0x32) found++;
            return found""")
    for span, there in (("3600", True), ("86400", True), ("600", False)):
        page.run("document.querySelector(`[data-span='${arguments[0]}']`).click()", span)
        wait(lambda there=there: (shaded() > 100) == there, agent.log)
    page.run("document.querySelector('[data-span=\"3600\"]').click()")
    wait(lambda: shaded() > 100, agent.log)
    show(page, agent)
    page.run("document.querySelector('[data-span=\"3600\"]').click()")
    wait(lambda: shaded() > 100, agent.log)
    wait(lambda: "interference for" in page.run("return document.querySelector('#band').getAttribute('aria-label')"), agent.log)
    picture(page, "hour")


def worked(page):
    """Seconds of the CPU that the page's thread took; what else runs on the machine does not count."""
    page.devtools("Performance.enable", timeDomain="threadTicks")
    return next(metric["value"] for metric in page.devtools("Performance.getMetrics")["metrics"] if metric["name"] == "TaskDuration")


def test_a_day_is_drawn_within_200_ms(agent, page):
    page.run("document.querySelector('[data-span=\"86400\"]').click()")
    wait(lambda: page.run("return performance.getEntriesByType('resource').filter(e => e.name.includes('/api/history')).length >= 3"), agent.log)
    points = "return fetch('api/history?since=' + (Date.now() / 1000 - 86300)).then(a => a.json()).then(h => h.points.length)"
    assert page.run(points) > 1400
    times = []
    for _ in range(16):
        before = worked(page)
        page.run("document.querySelector('[data-span=\"86400\"]').click(); return new Promise(done => setTimeout(done, 20))")
        times.append(1000 * (worked(page) - before))
    page.devtools("Performance.disable")
    print("24 h drawn in " + ", ".join(f"{one:.0f}" for one in times) + " ms of CPU time")
    assert 0 < statistics.median(times[1:]) < 200
    picture(page, "day")


def open_action(agent, page):
    """Of the mitigation, by its line in the list."""
    wait(lambda: page.run("const line = [...document.querySelectorAll('#events .event')].find(e => e.textContent.includes('response time 0.6'));"
                          "if (line) line.click(); return !!line"), agent.log)


def test_an_action_shows_path_formula_evidence_and_outcome(agent, page):
    wait(lambda: page.run("return document.querySelectorAll('#marks .mark').length") >= 3, agent.log)
    open_action(agent, page)
    for expected in ("d-312", "IC2-10", "done in 31 ms", "load_per_operation_ratio 1.9 > 1.25", "so: interference", "steal 0.4 > 0.1",
                     "base x (LPO - LPO_ni) / LPO", "400 x (0.02 - 0.01) / 0.02", "400 − 200 = 200", "300", "MaxRequestWorkers 400 → 300", "I1", "I2", "40 /s x 0.02 s x 0.45 = 0.36 <= 0.48",
                     "All numbers"):
        wait(lambda expected=expected: expected in text(page, "#decision-body"), agent.log)
    picture(page, "decision")
    page.run("decision.close()")
    # by keyboard, on the axis
    # what is drawn anew each second must not come between
    assert page.run("document.querySelector('#marks .mark').focus(); const said = document.activeElement.getAttribute('aria-label');"
                    "document.activeElement.click(); return said")
    assert page.run("return decision.open && document.activeElement.id") == "decision-title"
    page.run("decision.close()")


def test_charts_are_moved_by_keyboard_and_say_their_values(agent, page):
    key = "charts.focus(); charts.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true}))"
    wait(lambda: page.run(key, "ArrowLeft") or page.run("return spoken.textContent.includes('response time')"), agent.log)
    assert page.run("return charts.tabIndex") == 0
    page.run(key, "+")
    page.run(key, "+")
    wait(lambda: page.run("return !document.getElementById('to-now').hidden"), agent.log)
    page.run(key, "Home")
    wait(lambda: page.run("return document.getElementById('to-now').hidden"), agent.log)
    # a drag over a chart zooms in, and the way back is there
    left, top = page.run("const box = document.querySelector('#throughput .u-over').getBoundingClientRect(); return [box.left, box.top]")
    for kind, x, button in (("mouseMoved", 100, "none"), ("mousePressed", 100, "left"), ("mouseMoved", 200, "left"), ("mouseMoved", 300, "left")):
        page.devtools("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + 20, button=button, clickCount=1)
    wait(lambda: "/s" in text(page, "#throughput .key b"), agent.log)
    page.devtools("Input.dispatchMouseEvent", type="mouseReleased", x=left + 300, y=top + 20, button="left", clickCount=1)
    wait(lambda: page.run("return !document.getElementById('to-now').hidden"), agent.log)
    page.run("document.getElementById('to-now').click()")


def test_earlier_entries_come_until_the_page_keeps_no_more_and_then_it_says_so(agent, page):
    """A journal without a beginning: 600 entries a page, one each 5 s."""
    endless = """const asked = window.fetch;
        window.fetch = (path, options) => {
            if (!String(path).includes('api/events')) return asked(path, options);
            const until = Number(new URL(path, location.href).searchParams.get('until')) || Date.now() / 1000 - 60;
            const entries = [...Array(600).keys()].map(i => ({time: new Date((until - (600 - i) * 5) * 1000).toISOString(), kind: 'note', reason: 'made up'}));
            return Promise.resolve(new Response(JSON.stringify(entries), {headers: {Link: `</api/events?until=${until - 3000}&limit=500>; rel="prev"`}}));
        };"""
    script = page.devtools("Page.addScriptToEvaluateOnNewDocument", source=endless)["identifier"]
    try:
        show(page, agent)
        wait(lambda: page.run("return document.querySelectorAll('#events li').length") == 15, agent.log)
        seen = page.run("""const button = document.getElementById('more-events'), list = document.getElementById('events');
            const end = Date.now() + 540000;
            return (async () => {
                for (let i = 0; i < 400 && !button.hidden; i++) {
                    const before = list.children.length;
                    button.click();
                    while (list.children.length === before && !button.hidden) {
                        if (Date.now() > end) return 'nothing came of it at ' + before;
                        await new Promise(done => setTimeout(done, 5));
                    }
                }
                return list.children.length;
            })()""")
        assert 1990 < seen <= 2000, seen      # the two entries of a change are one action
        assert page.run("return !document.getElementById('older-events').hidden")
    finally:
        page.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def test_a_term_explains_itself(agent, page):
    wait(lambda: page.run("return !!document.querySelector('#state button')"), agent.log)
    assert page.run("document.querySelector('#state button').click(); return document.getElementById('term').matches(':popover-open')")
    assert len(text(page, "#term")) > 30


def test_nothing_is_changed_without_the_token_and_a_confirmation(agent, page):
    def answer(token, expected):
        page.run("token.value = ''")
        page.type("#token", token)
        page.click("#confirm-do")
        wait(lambda: expected(), agent.log)
    page.click("#pause")
    assert page.run("return confirm.open === undefined ? document.getElementById('confirm').open : confirm.open")
    answer("wrong", lambda: "does not take this token" in text(page, "#confirm-answer"))
    assert page.run("return fetch('api/status').then(a => a.json()).then(s => s.state)") != "MANUAL"
    page.type("#duration", "2h")
    answer(TOKEN, lambda: text(page, "#state") == "MANUAL")
    closed = "return !document.getElementById('confirm').open"
    wait(lambda: page.run(closed), agent.log)      # the stream may be quicker than the answer
    wait(lambda: "Manual mode until" in text(page, "#sentence"), agent.log)
    page.click("#resume")
    answer(TOKEN, lambda: text(page, "#state") not in ("MANUAL", ""))
    wait(lambda: "manual mode is over" in text(page, "#said"), agent.log)
    wait(lambda: page.run(closed), agent.log)
    page.click("#restore")
    page.click("#confirm-cancel")
    wait(lambda: page.run(closed), agent.log)


def test_hostile_values_stay_text(agent, page):
    """The journal's reasons are hostile as they are; what an agent checks is made so on its way."""
    twist = """const hostile = %r, parse = JSON.parse;
        const twisted = o => { if (o && o.application) { o.application = hostile; o.version = hostile; o.problems = {[hostile]: hostile};
            o.manual = hostile; o.last_decision = {reason: hostile}; if (o.members && !Array.isArray(o.members))
                o.members = {[hostile]: {role: hostile, sensors: [hostile], actuators: [hostile]}}; } return o; };
        JSON.parse = (...words) => twisted(parse(...words));
        Response.prototype.json = async function () { return JSON.parse(await this.text()); };""" % HOSTILE
    script = page.devtools("Page.addScriptToEvaluateOnNewDocument", source=twist)["identifier"]
    try:
        show(page, agent)
        for place in ("#application", "#reason", "#problems", "#members", "#version", "#events", "#config"):
            wait(lambda place=place: HOSTILE in text(page, place), agent.log)
        wait(lambda: page.run("return document.querySelectorAll('#events .event.failed').length"), agent.log)
        page.run("[...document.querySelectorAll('#events .event.failed')].at(-1).click()")
        wait(lambda: HOSTILE in text(page, "#decision-body"), agent.log)
        page.run("decision.close()")
        assert page.run("return [window.hurt, document.querySelectorAll('img, body script').length, document.title.includes('<img')]") == [None, 0, True]
    finally:
        page.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def test_at_390_pixels_nothing_scrolls_sideways_and_in_the_dark_it_is_dark(agent, page):
    with whole_page(page, 390):
        wait(lambda: page.run("return innerWidth === 390 && document.querySelector('#throughput canvas').clientWidth < 390"), agent.log)
        wait(lambda: page.run("return document.documentElement.scrollWidth") == 390, agent.log)
        wait(lambda: page.run("return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 391)"
                              ".map(e => e.outerHTML.slice(0, 80))") == [], agent.log)
        picture(page, "narrow")
        open_action(agent, page)
        assert page.run("return decision.getBoundingClientRect().right <= 390 && decision.scrollWidth <= decision.clientWidth")
        picture(page, "narrow-decision")
        page.run("decision.close()")
    page.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        light = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, n) => sum + Number(n), 0)"
        wait(lambda: page.run(light) < 200, agent.log)
        page.run("document.querySelector('[data-span=\"3600\"]').click()")
        wait(lambda: "interference for" in page.run("return document.querySelector('#band').getAttribute('aria-label')"), agent.log)
        with whole_page(page, 1280):
            picture(page, "dark")
        assert axe.serious(page) == []
    finally:
        page.devtools("Emulation.setEmulatedMedia", features=[])


def test_axe_finds_nothing_serious(agent, page):
    wait(lambda: page.run("return document.querySelectorAll('#marks .mark').length") >= 3, agent.log)
    assert axe.serious(page) == []
    open_action(agent, page)
    assert axe.serious(page) == []
    page.run("decision.close()")
    page.click("#pause")
    assert axe.serious(page) == []
    picture(page, "confirm")
    page.click("#confirm-cancel")


def test_an_agent_that_stands_still_is_seen_within_four_seconds(agent, page):
    # what it says when it turns red: whoever asks from outside may be late
    page.run("""window.reddened = [];
        new MutationObserver(() => { if (updated.classList.contains('stale')) reddened.push(updated.textContent); })
            .observe(updated, {attributes: true, attributeFilter: ['class']});""")
    for _ in range(15):     # a browser on a busy machine may stand still, too
        page.run("reddened.length = 0")
        agent.process.send_signal(signal.SIGSTOP)
        try:
            wait(lambda: page.run("return reddened[0]"), agent.log)
            wait(lambda: "what is shown is old" in text(page, "#alert"), agent.log)
            picture(page, "stale")
        finally:
            agent.process.send_signal(signal.SIGCONT)
        first = page.run("return reddened[0]")
        wait(lambda: page.run("return !updated.classList.contains('stale')"), agent.log)
        if first in ("updated 3 s ago", "updated 4 s ago"):
            break
    assert first in ("updated 3 s ago", "updated 4 s ago")
    wait(lambda: text(page, "#alert") == "", agent.log)


def test_an_agent_that_was_started_again_is_found_again(agent, window):
    show(window, agent)
    agent.end()
    wait(lambda: window.run("return updated.classList.contains('stale') && alert !== undefined && document.getElementById('alert').textContent.includes('does not answer')"), agent.log)
    agent.start()
    wait(lambda: window.run("return /^updated [01] s ago$/.test(updated.textContent) && !updated.classList.contains('stale')"), agent.log)
    wait(lambda: "Agent started" in text(window, "#events"), agent.log)
    # what was measured before is there as it was
    window.run("document.querySelector('[data-span=\"3600\"]').click()")
    wait(lambda: "interference for" in window.run("return document.querySelector('#band').getAttribute('aria-label')"), agent.log)


@pytest.fixture
def guarded(tmp_path):
    """An agent that even shows itself for its token only, as one beyond loopback does."""
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=ic2", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
                   check=True, capture_output=True)
    token = tmp_path / "token"
    token.write_text(TOKEN)
    for secret in (token, tmp_path / "key.pem"):
        secret.chmod(0o600)
    with status_page() as url:
        running = Agent(tmp_path, url, listen="0.0.0.0:0",
                        http=f', tls: {{certificate: "{tmp_path / "cert.pem"}", key: "{tmp_path / "key.pem"}"}}, token-file: "{token}"')
        try:
            yield running
        finally:
            running.end()


def test_a_missing_token_is_asked_for_once_and_on_demand(guarded, window):
    def asked():
        return window.run("return document.getElementById('confirm').open")

    def answer(token):
        window.run("document.getElementById('token').value = ''")
        window.type("#token", token)
        window.click("#confirm-do")

    window.open(guarded.url().replace("[0:0:0:0:0:0:0:0]", "127.0.0.1"))
    wait(asked, guarded.log)
    answer("wrong")
    wait(lambda: asked() and "does not take this token" in text(window, "#confirm-answer"), guarded.log)
    window.click("#confirm-cancel")
    assert window.run("return !document.getElementById('sign-in').hidden")
    # what made the page connect again: a new attempt within a second, the window seen or online again
    requests = "return performance.getEntriesByType('resource').length"
    for _ in range(10):     # what was asked before may be told late: once, while a page that goes on asking never comes to rest
        before = window.run(requests)
        window.run("dispatchEvent(new Event('online')); document.dispatchEvent(new Event('visibilitychange'))")
        window.run("return new Promise(done => setTimeout(done, 3000))")
        if window.run(requests) == before:
            break
    else:
        raise AssertionError("it asks again and again without a token")
    assert not asked()
    window.click("#sign-in-do")
    answer(TOKEN)
    wait(lambda: window.run("return /^updated [01] s ago$/.test(updated.textContent)"), guarded.log)
    wait(lambda: window.run("return document.getElementById('sign-in').hidden") and not asked(), guarded.log)
