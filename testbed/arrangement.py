# SPDX-License-Identifier: Apache-2.0
"""How web tier and neighbour meet on one machine: which groups have CPU shares of their own, and where the neighbour may run.

`overcommitted`: two VMs on one CPU, half of it for each. `apart`: the tier's CPU is its own, and the neighbour takes cache and
memory bandwidth from the other one, where database, load and agent go before it. These need a group of their own for that:
nice values count among the processes of one session only where the kernel has autogroups (Debian's does)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Arrangement:
    """`shares`: the groups with CPU shares of their own, as a part of the largest share that there is. `placements`: of the
    neighbour, the usual one first."""

    shares: dict
    placements: tuple


ARRANGEMENTS = {
    "overcommitted": Arrangement({"web": 1, "neighbour": 1}, ("same-core", "other-core")),
    "apart": Arrangement({"web": 1, "outside": 1, "neighbour": 0.01}, ("other-core",)),
}
