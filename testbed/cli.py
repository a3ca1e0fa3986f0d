# SPDX-License-Identifier: Apache-2.0
"""The command line of bin/testbed."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

from . import balancer, bed, calibrate, cgroups, cluster, disturb, planned, runxml, services, state
from .applications import APPLICATIONS
from .arrangement import ARRANGEMENTS
from .errors import TestbedError
from .layout import DEBIAN_HTTPD, DEFAULT_DIR, DEFAULT_HTTPD, ROOT, layout_of
from .options import Options, read_settings

DEFAULT_LINES = 20
UNSTABLE = 3
SERVERS = {"patched": DEFAULT_HTTPD, "stock": DEBIAN_HTTPD}

# What `up` takes when it is not told: users, mean cycle time in ms, scheme, amount of data. The original Olio's has the paper's
# cycle time, no TLS, and more data for each user.
USUAL = {
    ("olio", "public"): (Options.users, Options.think_ms, Options.scheme, Options.scale),
    ("olio", "olio"): (300, 5000, "http", "5"),
    ("wordpress", "public"): (66, 3000, Options.scheme, Options.scale),
}
CALIBRATION_TARGET = 0.6  # clearly more than the half that a same-core neighbour leaves


def main(arguments=None):
    """Runs one verb; exit status 0 done, 1 failed (or, for `status`, not all of it is up), 2 usage, 3 `calibrate` got no stable answer."""
    options = _parse(sys.argv[1:] if arguments is None else list(arguments))
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return options.verb(options, layout_of(options.dir))
    except TestbedError as e:
        print(f"testbed: {e}", file=sys.stderr)
        return UNSTABLE if isinstance(e, calibrate.Unstable) else 1
    except KeyboardInterrupt:
        print("testbed: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _interrupt(number, frame):
    """SIGTERM ends a verb as Ctrl-C does, so that what it has started is ended too."""
    raise KeyboardInterrupt


def _parse(arguments):
    """Options of ours from anywhere before `--`; `load`, `neighbour` and `measure` hand all other words on in their order."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = _parser()
    options, words = parser.parse_known_args(arguments[:at])
    words += arguments[at:]
    if words and not hasattr(options, "words"):
        parser.error(f"unexpected: {' '.join(words)}")
    options.words = words
    return options


def _parser():
    parser = argparse.ArgumentParser(
        prog="testbed", allow_abbrev=False, description="A private testbed on one machine: web tier, database, load "
        "and noisy neighbour. See docs/testbed.md.")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name, function, text):
        p = verbs.add_parser(name, help=text, description=text, allow_abbrev=False)
        p.add_argument("--dir", default=DEFAULT_DIR, help="directory of the testbed (default: build/testbed)")
        p.set_defaults(verb=function)
        return p

    _up_options(verb("up", _up, "start everything; a second call only reports"))
    verb("status", _status, "what runs and where").add_argument("--json", action="store_true")
    down = verb("down", _down, "stop and remove everything but logs and results")
    down.add_argument("--all", action="store_true", help="remove logs and results too")
    logs = verb("logs", _logs, "the last lines of every log")
    logs.add_argument("-n", type=int, default=DEFAULT_LINES, metavar="LINES")
    logs.add_argument("-f", "--follow", action="store_true")
    logs.add_argument("names", nargs="*", help="only these, such as httpd or php-fpm")
    load = verb("load", _load, "run bin/ic2-load on this testbed, in its place (CPU and priority); further options go "
                "to `ic2-load run`")
    load.add_argument("--mix", choices=("usual", "other"), default="usual",
                      help="other: users who do other things, for the load of a deployment or a campaign that is no more than before")
    load.set_defaults(words=())
    neighbour = verb("neighbour", _neighbour, "run the neighbour in its place: testbed neighbour -s '60s on, 60s off' "
                     "-- llcprobe --size 32MiB; its own --help lists its options")
    neighbour.add_argument("--placement", choices=("same-core", "other-core"), help="default: same-core; in the layout apart other-core")
    neighbour.add_argument("--server", type=int, default=1, metavar="N", help="of a cluster: in whose group it is (default 1)")
    neighbour.set_defaults(words=())
    measure = verb("measure", _measure, "run an experiment of docs/testbed.md on the running testbed, in the load's place; "
                   "tables and plots go to its results: testbed measure EXPERIMENT [--rounds N] [--seed S] [--users N], as "
                   "`bin/ic2-train measure --help` says")
    measure.set_defaults(words=())
    outside = verb("outside", _outside, "run a command in the agent's place, off the tier's CPU and before the neighbour: "
                   "testbed outside -- bin/ic2 run -c FILE")
    outside.set_defaults(words=())
    inside = verb("inside", _inside, "run a program of the tenant's in the web tier's place, its CPU and control group: testbed inside "
                  "--for 60s -- tar ...")
    inside.add_argument("--for", dest="seconds", type=_seconds, metavar="T", help="after which it is ended (default: it ends by itself)")
    inside.set_defaults(words=())
    slow = verb("slow-database", _slow_database, "make the database answer late for a while, by stopping it for some hundredths of a "
                "second again and again")
    slow.add_argument("--for", dest="seconds", type=_seconds, required=True, metavar="T", help="how long")
    verb("level", _level, "set the level of the ladder by hand; 0 puts everything back").add_argument("level", type=int)
    balance = verb("balance", _balance, "restart a cluster's HAProxy with a way to choose a server, and what of the responders has "
                   "died; open connections are cut off")
    balance.add_argument("way", choices=balancer.WAYS)
    balance.add_argument("--sticky", action="store_true", help="a cookie keeps a visitor at a server")
    calibrate_ = verb("calibrate", _calibrate, "measure the cost of a page here and set the number of users in run.xml; exit status 3 "
                      "with a best estimate, and nothing set, where the machine is too busy with something else for an answer")
    calibrate_.add_argument("--target", type=float, default=CALIBRATION_TARGET, metavar="SHARE",
                            help=f"of the web tier's CPU, when alone (default {CALIBRATION_TARGET})")
    calibrate_.add_argument("--dry-run", action="store_true", help="measure nothing: check the options")
    calibrate_.add_argument("--estimate", action="store_true", help="where there is no stable answer, set the best estimate and say so")
    calibrate_.add_argument("--quick", action="store_true", help="half the time, and nearer than 0.08 is near enough, not 0.03")
    return parser


def _seconds(text):
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"expected seconds such as 60s, got {text}")
    return seconds


def _up_options(p):
    d = Options()
    p.add_argument("--application", choices=sorted(APPLICATIONS), default=d.application,
                   help="olio: our own (default); wordpress: Debian's, unpacked below build/debian, not installed")
    p.add_argument("--profile", choices=("public", "olio"), default=d.profile,
                   help="load and pages of our own application: public, mostly visitors who are not logged in (default), or olio, as "
                   "the original Olio's, see faban-drivers/README.md")
    p.add_argument("--server", choices=sorted(SERVERS), default=d.server,
                   help="patched (default), or stock: Debian's own httpd with the ladder's level in a file (with wordpress)")
    p.add_argument("--mpm", choices=("worker", "event"), default=d.mpm)
    p.add_argument("--db", choices=("mariadb", "sqlite"), default=d.db)
    p.add_argument("--scale", help="amount of data: 1 = 2000 events and persons (default 1, with --profile olio 5)")
    p.add_argument("--seed", type=int, default=d.seed, help="of the data (default 1)")
    p.add_argument("--httpd", metavar="PREFIX", help="httpd to run (default build/httpd, built if missing; with --server stock "
                   "build/debian/httpd)")
    p.add_argument("--users", type=int, help="emulated users in run.xml (default 100, with --profile olio 300, wordpress 66, or "
                   "what calibrate set)")
    p.add_argument("--think-ms", type=int, help="mean cycle time in run.xml (default 1000, with --profile olio 5000, wordpress 3000)")
    p.add_argument("--scheme", choices=("http", "https"), help="of the load (default https, with --profile olio http)")
    p.add_argument("--layout", choices=sorted(ARRANGEMENTS, reverse=True), default=d.layout,
                   help="overcommitted: tier and neighbour have half of one CPU each (default); apart: the tier's CPU is its own, "
                   "and the neighbour takes cache and memory bandwidth from the other one")
    p.add_argument("--load-first", action="store_true", help="give database, load and agent the largest share of their CPU, as in the "
                   "layout apart, so that they keep their place on a machine that others use; a neighbour on that CPU then gives way")
    p.add_argument("--hosted", action="store_true", help="put the groups of tier and neighbour into one of their own, whose guests "
                   "they are for ic2-host, as `ic2-train compare --host` needs it")
    p.add_argument("--web-cpu", type=int, default=d.web_cpu, help="CPU of web tier and same-core neighbour (default 0)")
    p.add_argument("--outside-cpu", type=int, default=d.outside_cpu, help="CPU of database and load (default 1)")
    p.add_argument("--webs", type=int, default=d.webs, metavar="N", help="servers of the application, with --balancer (default 1)")
    p.add_argument("--balancer", choices=("none", "haproxy"), default=d.balancer,
                   help="haproxy: a cluster behind Debian's HAProxy, each server with a quota of --web-cpu, which its neighbour takes from")
    p.add_argument("--balance", choices=balancer.WAYS, default=d.balance, help="how HAProxy chooses a server (default roundrobin)")
    p.add_argument("--sticky", action="store_true", help="HAProxy keeps a visitor at a server by a cookie")
    p.add_argument("--quota", type=float, default=d.quota, metavar="CPUS", help="of each server of a cluster (default 0.3)")
    p.add_argument("--weight", type=float, default=d.weight, metavar="W",
                   help="of the neighbour in a server's quota, to 1 of the tier (default 1)")
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
                   help="input of docker/web/prepare, such as OLIO_CPU_ROUNDS=10; may be repeated")
    p.add_argument("--dry-run", action="store_true", help="start nothing: check the options, and print what others plan by (testbed.json)")


def _up(o, layout):
    if (o.application, o.profile) not in USUAL:
        raise TestbedError(f"--profile {o.profile}: only with --application olio")
    if o.load_first and (o.hosted or o.balancer != "none"):
        raise TestbedError("--load-first: not with --hosted or --balancer, whose groups are made in another way")
    users, think_ms, scheme, scale = USUAL[o.application, o.profile]
    scheme = "http" if o.balancer != "none" else scheme
    options = Options(o.mpm, o.db, o.scale or scale, o.seed, os.path.abspath(o.httpd or SERVERS[o.server]), o.users or users,
                      o.think_ms or think_ms, o.scheme or scheme, o.web_cpu, o.outside_cpu, read_settings(o.settings), o.application,
                      o.server, o.profile, o.layout, o.hosted, o.webs, o.balancer, o.quota, o.weight, o.balance, o.sticky, o.load_first)
    if o.dry_run:
        print(json.dumps(planned.description(layout, options), indent=2))
        return 0
    known, started = bed.up(layout, options)
    if o.users and not started:
        known = bed.set_users(layout, o.users)
    print("up" if started else "already up")
    return _print_status(layout, known)


def _status(o, layout):
    known = state.read(layout)
    if known is None:
        if o.json:
            print("null")
        else:
            print(f"down: no testbed runs in {layout.asked}")
        return 1
    if o.json:
        health = services.health(known["urls"]["health"])
        print(json.dumps({**known, "dead": state.dead(known), "health": health}, indent=2))
        return 1 if state.dead(known) else 0
    return _print_status(layout, known)


def _print_status(layout, known):
    dead = state.dead(known)
    for name, p in known["processes"].items():
        print(f"  {name:<10} {'DEAD' if name in dead else 'running':<8} pid {p['pid']}")
    health = services.health(known["urls"]["health"])
    print(f"  {'pages':<10} {health:<8} {known['urls']['http']}  {known['urls'].get('https', '')}".rstrip())
    for one in cluster.servers(known):
        group = cgroups.known_group("web", one["cgroups"]["web"])
        if not dead and group.usage:
            print(f"  {one.get('name', 'web tier'):<10} used {cgroups.cpu_use(group):.1f} s of CPU, {len(group.members())} processes, "
                  f"up {time.time() - known['started']:.0f} s")
    print(f"  {'load':<10} bin/ic2-load run -f {layout.asked}/run.xml")
    if dead:
        print(f"  not running: {', '.join(dead)}; see `testbed logs`, start again with `testbed up`")
    return 1 if dead or health != "ok" else 0


def _down(o, layout):
    ran, killed = bed.down(layout, o.all)
    print("down" if ran else f"nothing ran in {layout.asked}")
    if killed:
        print(f"  had to be killed: {', '.join(killed)}")
    return 0


def _logs(o, layout):
    files = sorted(f for f in layout.logs.glob("*.log") if not o.names or f.stem in o.names)
    if not files:
        raise TestbedError(f"{layout.logs}: no log" + (f" of {', '.join(o.names)}" if o.names else ""))
    os.execvp("tail", ["tail", "-n", str(o.n), *(["-F"] if o.follow else []), *(["-v"] if len(files) == 1 else []),
                       *map(str, files)])


def _running(layout, but=()):
    """Its state; nothing of it has died but such services."""
    known = state.read(layout)
    if known is None or any(name.split("-")[0] not in but for name in state.dead(known)):
        raise TestbedError(f"no testbed runs in {layout.asked}; start it with `testbed up`")
    return known


def _load(o, layout):
    known = _running(layout)
    launcher = ROOT / "bin" / "ic2-load"
    if not launcher.exists():
        raise TestbedError(f"{launcher} is missing; build the load driver first (see README.md)")
    run_xml = layout.run_xml if o.mix == "usual" else runxml.other_mix(layout, APPLICATIONS[known["options"].get("application", "olio")])
    bed.enter_outside(known)
    os.execv(launcher, [str(launcher), "run", "-f", str(run_xml), *o.words])


def _level(o, layout):
    if o.level < 0:
        raise TestbedError(f"level {o.level}: expected 0 or more")
    bed.set_level(_running(layout), o.level)
    return 0


def _neighbour(o, layout):
    known = _running(layout)
    command = bed.neighbour_command(known, o.placement, o.words, o.server)
    bed.enter_outside(known)
    os.execv(command[0], command)


def _outside(o, layout):
    command = o.words[1:] if o.words[:1] == ["--"] else o.words
    if not command:
        raise TestbedError("outside: expected a command after --, such as: testbed outside -- bin/ic2 run -c FILE")
    bed.enter_outside(_running(layout), bed.AGENT_NICE)
    try:
        os.execvp(command[0], command)
    except OSError as e:
        raise TestbedError(f"outside: cannot run {command[0]} ({e.strerror})") from e


def _inside(o, layout):
    command = o.words[1:] if o.words[:1] == ["--"] else o.words
    if not command:
        raise TestbedError("inside: expected a command after --, such as: testbed inside --for 60s -- sha256sum /dev/zero")
    known = _running(layout)
    cluster.refuse(known, "inside")
    if o.seconds is None:
        disturb.become_inside(known, command)
    disturb.inside(known, command, o.seconds)
    return 0


def _slow_database(o, layout):
    disturb.slow_database(_running(layout), o.seconds)
    return 0


def _measure(o, layout):
    known = _running(layout)
    cluster.refuse(known, "measure")
    launcher = ROOT / "bin" / "ic2-train"
    bed.enter_outside(known)
    child = subprocess.Popen([launcher, "measure", "--testbed", layout.asked, *o.words])
    try:
        return child.wait()
    except KeyboardInterrupt:  # it ends what it has started, and puts the base setting back
        child.terminate()
        child.wait()
        raise


def _balance(o, layout):
    with state.locked(layout):
        known = _running(layout, but=("haproxy", "share"))
        if "servers" not in known:
            raise TestbedError("balance: this testbed has no balancer; it needs `testbed up --webs N --balancer haproxy`")
        cluster.change_balance(layout, known, o.way, o.sticky)
    return 0


def _calibrate(o, layout):
    if not 0.05 <= o.target <= 0.95:
        raise TestbedError(f"--target {o.target}: expected a share from 0.05 to 0.95")
    if o.dry_run:
        print(f"would look for the users who need {o.target:g} of the web tier's CPU")
        return 0
    known = _running(layout)
    cluster.refuse(known, "calibrate")
    care = calibrate.QUICK if o.quick else calibrate.Care()
    try:
        load = calibrate.calibrate(layout, known, o.target, care)
    except calibrate.Unstable as unstable:
        if not o.estimate or unstable.cost is None:
            raise
        bed.set_users(layout, unstable.users)
        print(f"{1000 * unstable.cost:.2f} ms of CPU per operation: {unstable.users} users need {o.target:g} of the CPU, as estimated; "
              f"set in {layout.run_xml}")
        print(f"testbed: {unstable}", file=sys.stderr)
        return 0
    bed.set_users(layout, load.users)
    print(f"{calibrate.said(load, o.target, care.near)}; set in {layout.run_xml}")
    return 0
