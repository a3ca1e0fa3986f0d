# SPDX-License-Identifier: Apache-2.0
"""`up` and `down`: the life of one testbed."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from . import balancer, cgroups, cluster, processes, runxml, services, state
from .applications import APPLICATIONS, own_environment
from .arrangement import ARRANGEMENTS
from .errors import TestbedError
from .layout import DEFAULT_HTTPD, INTERFERENCE, LIMITER, LOAD_JAR, create, destroy, is_testbed
from .options import Options
from .places import LONGEST, ROOT, copy_for_servers, suits_servers
from .processes import Place

AGENT_NICE = -19
LOAD_NICE = -20
PATIENCE_S = 20
READY_AFTER = "2s"  # of a neighbour that does not know the program `neighbour`


def up(layout, options, say=print):
    """Starts what does not run. Returns (state, whether anything was started)."""
    with state.locked(layout):
        known = state.read(layout)
        if known and not state.dead(known):
            if other := options.differences(known["options"]):
                said = ", ".join(f"{name} {old}, asked {new}" for name, (old, new) in other.items())
                raise TestbedError(f"{layout.asked} already runs with other options ({said}); run `testbed down` first")
            return known, False
        if known:
            say(f"not running any more: {', '.join(state.dead(known))}; starting again")
        _check_machine(layout, options)
        hierarchies = cgroups.find_hierarchies()
        create(layout)
        _clear(layout, hierarchies, state.processes(known) if known else {})
        _build_missing(options, say)
        running = {}
        try:
            started = _start(layout, options, hierarchies, running, say)
        except BaseException:
            _clear(layout, hierarchies, running)
            raise
        state.write(layout, started)
        return started, True


def _check_machine(layout, options):
    if os.geteuid() != 0:
        raise TestbedError("must run as root: it makes cgroups, pins processes and raises priorities; nothing of the "
                           "machine outside its own directory and cgroups is touched")
    present = os.sched_getaffinity(0)
    for name, cpu in (("--web-cpu", options.web_cpu), ("--outside-cpu", options.outside_cpu)):
        if cpu not in present:
            raise TestbedError(f"{name} {cpu}: this machine offers the CPUs {sorted(present)}")
    if options.layout == "apart" and options.web_cpu == options.outside_cpu:
        raise TestbedError(f"--layout apart: --web-cpu and --outside-cpu are both {options.web_cpu}; the tier needs one of its own")
    cluster.check(options)
    services.php_fpm()
    if options.db == "mariadb":
        services.need("mariadbd", "mariadb-server")
    APPLICATIONS[options.application].check(options)
    if not suits_servers(layout.state):
        raise TestbedError(f"{layout.state}: servers cannot work in this directory, which is there already: its path has to be "
                           f"open to other users, at most {LONGEST} bytes long and without spaces; remove it, and `up` makes "
                           "it a link to one that is, or name another --dir")


def _build_missing(options, say):
    """The project's own httpd, load and interference programs, if they were not built yet."""
    if options.httpd == str(DEFAULT_HTTPD) and not (DEFAULT_HTTPD / "bin" / "httpd").exists():
        say("building httpd (once; takes some minutes)")
        _build([ROOT / "httpd-online" / "build.sh", "--allow-older"], "httpd")
    if not all((INTERFERENCE / name).exists() for name in ("dcopy", "llcprobe", "neighbour")):
        say("building the interference programs")
        _build(["make", "-C", ROOT / "training" / "interference"], "interference")
    if not LOAD_JAR.exists():
        say("building the load driver (once; takes a minute)")
        _build([services.need("mvn", "maven"), "-B", "-q", "-f", ROOT / "pom.xml", "-DskipTests", "-pl",
                "faban-drivers/runtime", "-am", "package"], "load")
    for what, command in APPLICATIONS[options.application].missing().items():
        say(what)
        _build(command, "fetch")
    services.check_httpd(options.httpd)


def _build(command, name):
    log = ROOT / "build" / f"{name}-build.log"
    log.parent.mkdir(exist_ok=True)
    processes.run(command, f"building {name}", log)


def _start(layout, options, hierarchies, running, say):
    """Starts all parts, each of them in `running` as soon as it has a process. Returns the state to write."""
    groups = cgroups.create(hierarchies, layout.name, options.shares, _guests(options) if options.hosted else None)
    outside = Place(groups["outside"], options.outside_cpu, services.DATABASE_NICE)
    for directory in (layout.logs, layout.run, layout.results):
        directory.mkdir(exist_ok=True)
    if options.clustered:
        servers, port = cluster.start(layout, options, hierarchies, outside, running, say)
        return _description_of_all(layout, options, servers, running, port)
    inside = Place(groups["web"], options.web_cpu)
    application = APPLICATIONS[options.application]
    with services.free_ports(len(application.ports)) as free:
        ports = dict(zip(application.ports, free))
        environment = _before_httpd(layout, options, (inside, outside), ports, running, say)
        services.start_httpd(layout, inside, environment, f"http://127.0.0.1:{ports['http']}/health", running)
    services.write_apachectl(layout, options)
    runxml.write(layout, options, ports[options.scheme], application.template(options), application.run_values(layout))
    return _description(layout, options, groups, running, ports)


def _guests(options):
    """The CPUs of tier and neighbour."""
    beside = ARRANGEMENTS[options.layout].placements[0] == "same-core"
    return {"web": options.web_cpu, "neighbour": options.web_cpu if beside else options.outside_cpu}


def _before_httpd(layout, options, places, ports, running, say):
    """Database, data and php-fpm. Returns the environment of the tier's servers."""
    application, (inside, outside) = APPLICATIONS[options.application], places
    copy_for_servers(layout.served)
    say(f"starting the database ({options.db})")
    password = services.start_database(layout, options, outside, {
        **own_environment(), "IC2_STATE": str(layout.state), **application.database}, running)
    environment = application.prepare(layout, options, ports, password)
    say(f"loading the data (scale {options.scale})")
    application.load_data(layout, options, outside, environment)
    say(f"starting php-fpm and httpd ({options.mpm})")
    services.start_php(layout, inside, environment, running)
    return environment


def _description(layout, options, groups, running, ports):
    return {
        **_general(layout, options, running),
        **({"host_group": layout.name} if options.hosted else {}),
        **_tier(layout, options, {role: groups[role] for role in options.shares}, ports),
    }


def _description_of_all(layout, options, servers, running, port):
    """Of a cluster: the site as its visitors see it, and each server as a single tier is described."""
    base = f"http://127.0.0.1:{port}"
    return {
        **_general(layout, options, running),
        "urls": {"http": base + "/", "health": base + "/health"},
        "ports": {"http": port},
        "cgroups": {},
        "files": {"run_xml": str(layout.run_xml), "results": str(layout.results), "logs": str(layout.logs),
                  "haproxy_cfg": str(layout.state / "haproxy.cfg"), "haproxy_socket": str(balancer.stats(layout)),
                  "haproxy_log": str(layout.logs / "haproxy.log")},
        "servers": [{"name": one.name, "options": options.as_json(), "cpus": {"web": options.web_cpu, "outside": options.outside_cpu},
                     **_tier(one.layout, options, one.groups, one.ports)} for one in servers],
    }


def _general(layout, options, running):
    return {
        "version": state.VERSION,
        "directory": str(layout.asked),
        "started": round(time.time(), 3),
        "options": options.as_json(),
        "versions": services.versions(options),
        "processes": {name: {"pid": p.pid, "start": p.start} for name, p in running.items()},
        "cpus": {"web": options.web_cpu, "outside": options.outside_cpu},
    }


def _tier(layout, options, groups, ports):
    """One web tier: where it answers, its groups, its files."""
    application, base = APPLICATIONS[options.application], f"http://127.0.0.1:{ports['http']}"
    return {
        "urls": {"http": base + "/", "https": f"https://127.0.0.1:{ports['https']}/", "health": base + "/health",
                 **application.urls(ports)},
        "ports": ports,
        "cgroups": {role: {"join": [str(d) for d in group.directories], "usage": str(group.usage) if group.usage else None}
                    for role, group in groups.items()},
        "baseline": {"php_children": php_children(layout.state / "php-fpm.d" / "www.conf")},
        "files": {
            "httpd": f"{options.httpd}/bin/httpd", "httpd_conf": str(layout.state / "httpd.conf"),
            "apachectl": str(layout.state / "apachectl"), "tunables": str(layout.state / "tunables.conf"),
            "httpd_pid": str(layout.run / "httpd.pid"), "php_pool": str(layout.state / "php-fpm.d" / "www.conf"),
            "php_pid": str(layout.run / "php-fpm.pid"), "php_status_socket": str(layout.run / "php-status.sock"),
            "environment": str(layout.state / "env"), "logs": str(layout.logs),
            **({"limiter": str(LIMITER)} if LIMITER.exists() else {}), **access_log(layout, options),
            **application.files(layout, options),
            **({"share_socket": str(balancer.control(layout))} if options.clustered
               else {"run_xml": str(layout.run_xml), "results": str(layout.results)}),
        },
    }


def access_log(layout, options):
    return {"access_log": str(layout.state / "log" / "access.log")} if options.settings.get("IC2_ACCESS_LOG") else {}


def php_children(pool):
    return int(re.search(r"(?m)^pm\.max_children\s*=\s*(\d+)", pool.read_text())[1])


def _clear(layout, hierarchies, running):
    """Ends what may be left of an earlier start, in `running` or not, and forgets its state file."""
    _end(running)
    cgroups.remove(hierarchies, layout.name)
    layout.json.unlink(missing_ok=True)
    _clear_outside(layout)
    shutil.rmtree(layout.run, ignore_errors=True)  # pid files and sockets of the dead would mislead the living


def _clear_outside(layout):
    """Without knowing what ran: the state that would say so may be lost."""
    for application in APPLICATIONS.values():
        application.clear(layout)


def _end(running):
    """Balancer and httpd first, so that no client sees the others stop. Returns the names of those that had to be killed."""
    killed = []
    for kind in ("haproxy", "httpd", "php-fpm", "share", "database"):
        names = [name for name in running if name == kind or name.startswith(kind + "-")]
        left = processes.end([running[name] for name in names], signal.SIGTERM, PATIENCE_S)
        killed += [name for name in names if running[name] in left]
    return killed


def down(layout, everything=False):
    """Ends and removes all of it. Returns (whether anything ran, services that had to be killed)."""
    with state.locked(layout):
        hierarchies = cgroups.find_hierarchies()
        known = state.read(layout)
        ran = known is not None or any(g.members() for g in cgroups.all_of(hierarchies, layout.name))
        killed = _end(state.processes(known)) if known else []
        cgroups.remove(hierarchies, layout.name)
        _clear_outside(layout)
        if is_testbed(layout):
            destroy(layout, keep_records=not everything)
        return ran, killed


def set_users(layout, users):
    """Changes the number of users of run.xml on a running testbed; returns its new state."""
    with state.locked(layout):
        known = state.read(layout)
        if known is None:
            raise TestbedError(f"no testbed runs in {layout.asked}")
        known["options"]["users"] = users
        options = Options(**known["options"])
        application = APPLICATIONS[options.application]
        runxml.write(layout, options, known["ports"][options.scheme], application.template(options), application.run_values(layout))
        state.write(layout, known)
        return known


def set_level(known, level):
    """Sets the level of the ladder, as the agent would: by the server's command, or in the file that a stock server reads; of a
    cluster at each server."""
    if "servers" in known:
        for one in known["servers"]:
            set_level(one, level)
        return
    if path := known["files"].get("mitigation_map"):
        new = Path(path + ".new")
        new.write_text(f"MITIGATION {level}\n")
        later = max(int(time.time()), int(os.stat(path).st_mtime) + 1)  # httpd goes by the time, in seconds
        os.utime(new, (later, later))
        os.replace(new, path)
        return
    answer = subprocess.run([known["files"]["apachectl"], "reconfigure", f"MITIGATION={level}"], capture_output=True, text=True)
    if answer.returncode:
        raise TestbedError(f"apachectl reconfigure MITIGATION={level}: {(answer.stdout + answer.stderr).strip()}")


def enter_outside(known, nice=LOAD_NICE):
    """Moves the calling process to where load and harness run: off the tier's CPU, before everybody else."""
    for directory in known["cgroups"].get("outside", {"join": []})["join"]:
        Path(directory, "cgroup.procs").write_text("0")
    os.sched_setaffinity(0, {known["cpus"]["outside"]})
    os.setpriority(os.PRIO_PROCESS, 0, nice)


def neighbour_command(known, placement, words, number=1):
    """The command line of `neighbour` for this testbed: its cgroup, its CPU, its log. No placement: the layout's usual one. In a
    cluster it is in the group of that server."""
    group = cluster.server(known, number)["cgroups"].get("neighbour")
    kind = known["options"]["layout"]
    placements = ARRANGEMENTS[kind].placements
    placement = placement or placements[0]
    if placement not in placements:
        raise TestbedError(f"--placement {placement}: in the layout {kind} the neighbour is {' or '.join(placements)}")
    own = [str(INTERFERENCE / "neighbour"), "--placement", placement]
    own += ["--cpu", str(known["cpus"]["web" if placement == "same-core" else "outside"])]
    if placement == placements[0]:
        own += [word for d in group["join"] for word in ("--cgroup", d)]
    if "--log" not in words:
        own += ["--log", f"{known['files']['results']}/neighbour{number if number > 1 else ''}.csv"]
    words = list(words)
    if "--" in words:
        at = words.index("--") + 1
        if at < len(words) and words[at] in ("dcopy", "llcprobe", "stress-ng"):
            words[at] = str(INTERFERENCE / words[at])
        elif "--ready-after" not in words[:at]:
            own += ["--ready-after", READY_AFTER]
    return own + words
