# SPDX-License-Identifier: Apache-2.0
"""A cluster on one machine: servers (httpd and php-fpm each, the same application) with a quota of the tier's CPU each, in groups in
which a neighbour can be too, on one database; HAProxy before them, and at each the responder that it asks for the share."""

import signal
from dataclasses import dataclass

from . import balancer, cgroups, processes, runxml, services, state
from .applications import APPLICATIONS, own_environment
from .errors import TestbedError
from .layout import Layout
from .options import Options
from .places import copy_for_servers
from .processes import Place

MOST_WEBS = 9
QUOTA = (0.05, 0.9)
WEIGHT = (0.1, 10)
PORTS = ("http", "https", "agent")


def check(options):
    """What a cluster cannot be."""
    if not options.clustered:
        if options.webs != 1:
            raise TestbedError(f"--webs {options.webs}: several servers need --balancer haproxy before them")
        return
    if not 1 <= options.webs <= MOST_WEBS:
        raise TestbedError(f"--webs {options.webs}: expected 1 to {MOST_WEBS}")
    for name, value, (low, high) in (("quota", options.quota, QUOTA), ("weight", options.weight, WEIGHT)):
        if not low <= value <= high:
            raise TestbedError(f"--{name} {value:g}: expected {low:g} to {high:g}")
    for name, value, only in (("application", options.application, "olio"), ("layout", options.layout, "overcommitted"),
                              ("scheme", options.scheme, "http"), ("hosted", options.hosted, False), ("db", options.db, "mariadb")):
        if value != only:
            raise TestbedError(f"--{name} {value}: a cluster (--balancer) has {only}" if only else f"--{name}: not with --balancer")
    balancer.need()


@dataclass(frozen=True)
class Server:
    """One of the cluster: its name at the balancer, its files, its groups, its ports."""

    name: str
    layout: Layout
    groups: dict
    ports: dict


def start(layout, options, hierarchies, outside, running, say):
    """Starts all of it, each process in `running` as soon as there is one. Returns the servers and the balancer's port."""
    copy_for_servers(layout.served)
    say(f"starting the database ({options.db})")
    application = APPLICATIONS[options.application]
    password = services.start_database(layout, options, outside, {
        **own_environment(), "IC2_STATE": str(layout.state), **application.database}, running)
    with services.free_ports(1 + len(PORTS) * options.webs) as free:
        port, rest = free[0], free[1:]
        servers = [_server(layout, options, hierarchies, number, rest[len(PORTS) * (number - 1):]) for number in range(1, options.webs + 1)]
        environments = [application.prepare(one.layout, options, one.ports, password) for one in servers]
        say(f"loading the data (scale {options.scale})")
        application.load_data(layout, options, outside, environments[0])
        for one in servers:
            _share_uploads(one.layout, servers[0].layout)
        say(f"starting {options.webs} x php-fpm and httpd ({options.mpm}), and HAProxy")
        for one, environment in zip(servers, environments):
            place = Place(one.groups["web"], options.web_cpu)
            services.start_php(one.layout, place, environment, running, f"php-fpm-{one.name}")
            services.start_httpd(one.layout, place, environment, f"http://127.0.0.1:{one.ports['http']}/health", running, f"httpd-{one.name}")
            services.write_apachectl(one.layout, options)
            balancer.start_responder(one.layout, f"share-{one.name}", outside, one.ports["agent"], running)
        balancer.start(layout, outside, _configuration(layout, options, port, {one.name: one.ports for one in servers}), running)
    processes.await_true(lambda: services.health(f"http://127.0.0.1:{port}/health") == "ok", "the site does not answer through HAProxy",
                         services.WEB_PATIENCE_S, layout.logs / "haproxy.log")
    runxml.write(layout, options, port, application.template(options), application.run_values(layout))
    return servers, port


def _server(layout, options, hierarchies, number, free):
    own = layout.server(number)
    for directory in (own.state, own.logs, own.run):
        directory.mkdir(exist_ok=True)
    groups = cgroups.create_server(hierarchies, layout.name, number, options.quota, options.weight)
    return Server(f"web{number}", own, groups, dict(zip(PORTS, free)))


def _share_uploads(layout, first):
    """A picture that one server was sent is there at all of them, as on a disk that they share."""
    own, shared = (each.state / "media" / "up" for each in (layout, first))
    if own != shared and not own.is_symlink():
        own.rmdir()
        own.symlink_to(shared)


def _configuration(layout, options, port, ports):
    return balancer.configuration(balancer.stats(layout), port, options.balance, options.sticky,
                                  [{"name": name, **its} for name, its in ports.items()])


def change_balance(layout, known, balance, sticky):
    """Restarts HAProxy with another way to choose a server, and responders that have died: open connections are cut off."""
    options = Options(**{**known["options"], "balance": balance, "sticky": sticky})
    running = state.processes(known)
    processes.end([running["haproxy"]], signal.SIGTERM, balancer.PATIENCE_S)
    text = _configuration(layout, options, known["ports"]["http"], {one["name"]: one["ports"] for one in known["servers"]})
    started = {}
    hierarchies = cgroups.find_hierarchies()
    place = Place(cgroups.group_of(hierarchies, layout.name, "outside", ruled=False), options.outside_cpu, services.DATABASE_NICE)
    for number, one in enumerate(known["servers"], 1):
        if not running[f"share-{one['name']}"].alive():
            balancer.start_responder(layout.server(number), f"share-{one['name']}", place, one["ports"]["agent"], started)
    balancer.start(layout, place, text, started)
    known["options"] |= {"balance": balance, "sticky": sticky}
    known["processes"] |= {name: {"pid": p.pid, "start": p.start} for name, p in started.items()}
    state.write(layout, known)


def servers(known):
    """The servers of a running testbed, as `testbed.json` has them; a single tier's is the testbed itself."""
    return known.get("servers", [known])


def server(known, number):
    """One of them, or a message."""
    several = servers(known)
    if not 1 <= number <= len(several):
        raise TestbedError(f"--server {number}: expected 1 to {len(several)}")
    return several[number - 1]


def refuse(known, verb):
    """For what measures or changes one tier only."""
    if "servers" in known:
        raise TestbedError(f"{verb}: not on a cluster; it is for a testbed of one tier")
