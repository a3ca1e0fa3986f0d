# SPDX-License-Identifier: Apache-2.0
"""The results of real Xen are read as they were recorded; garbage is an error; what does not hold is said."""

import pathlib
import random
import shutil
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import results  # noqa: E402
from findings import EXPERIMENTS, PARTS, Findings, judge  # noqa: E402
from results import ResultError  # noqa: E402

RECORDED = HERE.parent / "recorded"
READERS = [results.xentop, results.domains, results.xenalyze, results.memory, results.schedule]


def test_what_was_recorded_holds_what_the_study_says():
    broken = [str(finding) for finding in judge(RECORDED) if not finding.holds]
    assert not broken, "\n".join(broken)


def test_a_record_keeps_command_status_and_both_outputs(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("# $ xl list\n# rc=1\n# --- stdout\na\n# --- stderr\nb\n")
    assert results.kept(path) == results.Kept("xl list", 1, "a\n", "b\n")


def test_xentop_is_read_from_the_right_and_its_first_round_is_dropped():
    head = ("      NAME  STATE   CPU(sec) CPU(%)     MEM(k) MEM(%)  MAXMEM(k) MAXMEM(%) VCPUS NETS NETTX(k) NETRX(k)"
            " VBDS   VBD_OO   VBD_RD   VBD_WR  VBD_RSECT  VBD_WSECT SSID\n")
    row = "  my guest -----r   4   {}      98304    5.3      99328       5.4     1    0  0  0  0  0  0  0  0  0  0\n"
    assert results.xentop(head + row.format("0.0") + head + row.format("25.5")) == [{"my guest": 25.5}]


def test_two_calls_in_one_file_of_xl_list_are_two_lists():
    lists = results.memory(results.kept(RECORDED / "37-mem-set.txt").out)
    assert len(lists) == 2 and lists[0]["g1"] < lists[1]["g1"] == 96


def test_what_pools_and_guests_are_set_to_is_read():
    text = results.kept(RECORDED / "32-xentop-credit1-pool-weights-1-2-4.txt").out
    pools = results.schedule(text[:text.index("      NAME")])
    assert pools["Pool-G"]["tslice"] == 30 and pools["Pool-G"]["ratelimit"] == 1000
    assert {name: at["weight"] for name, at in pools["Pool-G"]["domains"].items()} == {"g1": 256, "g2": 512, "g3": 1024}
    assert pools["Pool-0"]["domains"] == {"Domain-0": {"weight": 256, "cap": 0}}


def test_each_state_of_each_vcpu_of_a_trace_is_read():
    vcpus, seconds = results.xenalyze(results.kept(RECORDED / "36-credit1-equal-xenalyze.txt").out)
    names = results.domains(results.kept(RECORDED / "36-credit1-equal-domains.txt").out)
    assert seconds == pytest.approx(3, abs=0.2)
    for guest in ("g1", "g2", "g3"):
        states = vcpus[names[guest], 0]
        assert states["running"].count > 5 and states["running"].mean > 10**5 and states["runnable"].seconds > 1


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
@pytest.mark.parametrize("text", ["", "\n", "xl: command not found\n", "Name\n", "\x00\xff" * 40], ids=range(5))
def test_garbage_is_an_error(read, text):
    with pytest.raises(ResultError):
        read(text)


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_torn_records_are_read_or_refused(read):
    texts = [results.kept(RECORDED / f"{name}.txt").out for name in
             ("14-xentop-weights-1-2-4", "18-xl-list", "36-credit1-equal-xenalyze", "37-mem-set", "13-set-weights")]
    drawn = random.Random(1)
    for _ in range(300):
        text = drawn.choice(texts)
        begin, end = sorted(drawn.choices(range(len(text)), k=2))
        try:
            read(text[:begin] + text[end:])
        except ResultError:
            pass


def test_an_experiment_that_left_nothing_does_not_hold(tmp_path):
    found = judge(tmp_path)
    assert {finding.name for finding in found} == set(EXPERIMENTS) and not any(finding.holds for finding in found)


def test_each_finding_comes_from_one_machine():
    assert sorted(name for names in PARTS.values() for name in names) == sorted(EXPERIMENTS)


def test_parts_are_judged_alone(tmp_path):
    assert {finding.name for finding in judge(tmp_path, ["lever", "kernels"])} == {"T6 lever", "P2 spin", "P2 EP"}


def test_a_result_that_is_otherwise_does_not_hold(tmp_path):
    for path in RECORDED.iterdir():
        shutil.copy(path, tmp_path)
    shutil.copy(RECORDED / "32-xentop-credit1-pool-weights-1-2-4.txt", tmp_path / "14-xentop-weights-1-2-4.txt")
    broken = [finding for finding in judge(tmp_path) if not finding.holds]
    assert [finding.name for finding in broken] == ["T8 pinned"] and str(broken[0]).startswith("FAIL T8 pinned")


def test_the_ends_of_one_kernel_are_read_and_no_other_of_like_name():
    text = "SUM cg mean 2.470 sd 0.318 cv 0.129\nSUM cg-block mean 0.256 sd 0.043 cv 0.169\nSUM cg mean 1.0\nSUM cg mean 2.436 sd 1.568 cv 0.643\n"
    assert results.kernels(text, "cg") == [(2.47, 0.318), (2.436, 1.568)]
    assert results.kernels(text, "cg-block") == [(0.256, 0.043)]


def test_a_trace_without_time_is_an_error():
    with pytest.raises(ResultError, match="no traced time"):
        results.xenalyze(results.kept(RECORDED / "35-xenalyze-of-nothing.txt").out)


def test_a_guest_is_found_by_its_name():
    assert Findings(RECORDED).states("90-cap25-three", "g2")["running"].count > 5


def test_parked_time_is_read_too():
    running, waiting, parked = Findings(RECORDED).times("91-cap25-alone", "g2")
    assert running + waiting + parked == pytest.approx(4, abs=0.1)
