# SPDX-License-Identifier: Apache-2.0
"""What `testbed up` can be told, and the recommended setting (docs/testbed.md has the measurements behind it)."""

import re
from dataclasses import asdict, dataclass, field

from .arrangement import ARRANGEMENTS
from .errors import TestbedError
from .layout import DEFAULT_HTTPD

# Inputs of docker/web/prepare, and a WordPress' ages of pages, that --set may change; ports, paths and users are the testbed's own business.
SETTABLE = {
    "IC2_THREADS_PER_CHILD", "IC2_SERVER_LIMIT", "IC2_START_SERVERS", "IC2_MAX_SPARE_THREADS", "IC2_MITIGATION",
    "IC2_ACCESS_LOG", "IC2_PHP_CHILDREN", "IC2_PHP_JIT", "OLIO_WALK_STEPS", "OLIO_CPU_ROUNDS", "OLIO_GRAPH_NODES", "OLIO_WAIT_MS", "OLIO_PASSWORD_COST",
    "OLIO_PARTS",
    "MITIGATION_AGE", "MITIGATION_AGE_EARLY", "MITIGATION_LONG_AGE", "MITIGATION_LONG_AGE_EARLY",
}


BALANCE = ("balance", "sticky")  # what the verb `balance` changes


@dataclass(frozen=True)
class Options:
    """One testbed. Two that are equal need no second start."""

    mpm: str = "worker"
    db: str = "mariadb"
    scale: str = "1"           # of the loaded data: 2000 events and persons each
    seed: int = 1
    httpd: str = str(DEFAULT_HTTPD)
    users: int = 100           # of run.xml; `testbed calibrate` finds the number for another machine
    think_ms: int = 1000       # mean cycle time of run.xml; the paper's is 5000
    scheme: str = "https"      # of run.xml
    web_cpu: int = 0           # web tier and same-core neighbour
    outside_cpu: int = 1       # database, load, neighbour's clock, other-core neighbour
    settings: dict = field(default_factory=dict)
    application: str = "olio"
    server: str = "patched"    # or stock: Debian's own httpd
    profile: str = "public"    # of our own application and its load; or olio: the original Olio's
    layout: str = "overcommitted"  # how tier and neighbour meet: arrangement.py
    hosted: bool = False       # tier and neighbour are in one group, for ic2-host
    webs: int = 1              # servers behind the balancer
    balancer: str = "none"     # or haproxy: a cluster, cluster.py
    quota: float = 0.3         # CPUs of each of its servers, neighbour included
    weight: float = 1          # of the neighbour in it, to 1 of the tier
    balance: str = "roundrobin"     # how it chooses a server
    sticky: bool = False       # a cookie keeps a visitor at a server
    load_first: bool = False   # database, load and agent come before all else on their CPU, in a group with the largest share

    @property
    def clustered(self):
        return self.balancer != "none"

    @property
    def shares(self):
        """The groups with CPU shares of their own, as a part of the largest share that there is."""
        return {} if self.clustered else {**ARRANGEMENTS[self.layout].shares, **({"outside": 1} if self.load_first else {})}

    def as_json(self):
        return asdict(self)

    def differences(self, running):
        """What a running testbed's options (JSON) say otherwise, but for what can change while it runs."""
        asked = self.as_json()
        return {k: (running.get(k), v) for k, v in asked.items() if k not in ("users", *BALANCE) and running.get(k) != v}


def read_settings(words):
    """NAME=VALUE words of --set as a dict."""
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in SETTABLE:
            raise TestbedError(f"--set {word}: expected NAME=VALUE, NAME one of {', '.join(sorted(SETTABLE))}")
        if not re.fullmatch(r"[\w./:-]*", value):
            raise TestbedError(f"--set {word}: the value may hold letters, digits and ._/:- only")
        settings[name] = value
    return settings
