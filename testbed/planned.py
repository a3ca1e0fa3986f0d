# SPDX-License-Identifier: Apache-2.0
"""What testbed.json would hold of a testbed that is not started, as far as others plan by it."""

from . import bed, cluster, state
from .applications import APPLICATIONS
from .layout import ROOT

POOL = ROOT / "docker" / "web" / "conf" / "pool.conf"


def description(layout, options):
    """Options, baseline and what else a plan asks for; no process, no port, no control group. Raises as `up` does."""
    cluster.check(options)
    application = APPLICATIONS[options.application]
    application.check(options)
    tier = {
        "options": options.as_json(),
        "baseline": {"php_children": _children(application, options)},
        "files": {**bed.access_log(layout, options), **application.files(layout, options)},
    }
    return {
        "version": state.VERSION,
        "directory": str(layout.asked),
        **({"host_group": layout.name} if options.hosted else {}),
        **tier,
        **({"servers": [{"name": f"web{number}", **tier} for number in range(1, options.webs + 1)]} if options.clustered else {}),
    }


def _children(application, options):
    """An application with a number of its own takes another one from --set."""
    own = getattr(application, "defaults", {})
    return int({**own, **options.settings}["IC2_PHP_CHILDREN"]) if own else bed.php_children(POOL)
