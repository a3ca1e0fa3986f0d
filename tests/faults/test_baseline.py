# SPDX-License-Identifier: Apache-2.0
"""ic2-baseline takes back what a killed agent left, on the real httpd and through the real helper; the next start's journal knows."""
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from agent import BASELINE_PROGRAM  # noqa: E402
from lane import Lane  # noqa: E402
from tier import BASELINE, eventually, send  # noqa: E402
from trial import Trial  # noqa: E402

PATIENCE = 120
HANDED_OVER = "the command was run"
COMMAND = ["/bin/echo", HANDED_OVER]

pytestmark = pytest.mark.xdist_group("event-helper-baseline")


@pytest.fixture(scope="module")
def lane(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    running = Lane((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "ic2-faults")
    yield running
    running.close()


def begun(tier, agent, disks, steps):
    """A trial that has come so far, with nothing of an earlier one."""
    trial = Trial(tier, agent, disks)
    trial.run([])
    for step in steps.split("; "):
        name, *words = step.split()
        getattr(trial, "do_" + name.replace("-", "_"))(*words)
    return trial


class Killed:
    """A tier whose agent was killed while it was mitigated."""

    def __init__(self, tier, agent, disks):
        self.tier, self.agent = tier, agent
        self.trial = begun(tier, agent, disks, "start; ready; loud; mitigated; kill bare")
        tier.neighbour.loud = False
        self.plan = agent.state / "baseline.plan"
        self.outcome = agent.state / "baseline.outcome"
        assert tier.values() != BASELINE

    def restore(self, *command):
        """Status and output."""
        done = subprocess.run([BASELINE_PROGRAM, self.agent.state, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.tier.environment, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout

    def started(self):
        """The entries of the journal that a new start of the agent has added."""
        before = len(self.agent.entries())
        self.agent.start()
        assert self.agent.ready(PATIENCE)
        assert eventually(lambda: self.tier.orders() == [], PATIENCE)
        return self.agent.entries()[before:]

    def close(self):
        self.agent.signal(signal.SIGTERM)
        if self.agent.process:
            self.agent.process.wait(PATIENCE)


@pytest.fixture
def killed(lane):
    made = Killed(*lane.tier("event", "helper"))
    yield made
    made.close()


def test_the_baseline_is_restored_and_the_next_start_does_not_restore_again(killed):
    assert killed.restore(*COMMAND)[0] == 0
    assert killed.tier.values() == BASELINE
    assert killed.plan.stat().st_mode & 0o777 == killed.outcome.stat().st_mode & 0o777 == 0o600
    added = killed.started()
    assert [(entry["kind"], entry.get("id")) for entry in added[:3]] == [("intent", "baseline"), ("applied", "baseline"), ("start", None)], added
    assert "ic2-baseline restored the baseline" in added[0]["reason"]
    assert not [entry for entry in added[3:] if entry["kind"] in ("intent", "manual")], "it was restored already"
    assert not killed.outcome.exists() and "\nstate baseline\n" in killed.plan.read_text()


def test_a_value_set_by_a_person_stays_and_the_next_start_is_in_manual_mode(killed):
    ours = {int(value) for value in re.search(r"^knob max-request-workers .* (\S+)$", killed.plan.read_text(), re.M)[1].split(",")}
    theirs = next(value for value in range(11, 20) if value not in ours)
    assert killed.tier.control("reconfigure", f"MaxRequestWorkers={theirs}")[0] == 0
    status, said = killed.restore(*COMMAND)
    assert status == 0 and HANDED_OVER not in said, said
    wanted = BASELINE._replace(mxc=theirs)
    assert killed.tier.values() == wanted
    added = killed.started()
    assert f"MXC {theirs}" in next(entry["reason"] for entry in added if entry["kind"] == "manual")
    assert killed.agent.status()["state"] == "MANUAL" and killed.tier.values() == wanted
    killed.agent.ask(verb="resume")


def test_a_second_run_finds_that_all_is_done(killed):
    assert killed.restore(*COMMAND)[0] == 0
    assert killed.restore(*COMMAND) == (0, "the baseline was restored before\n")


def test_without_the_outcome_a_second_run_sends_nothing(killed):
    assert killed.restore(*COMMAND)[0] == 0
    killed.outcome.unlink()
    if "\nopen\n" not in killed.plan.read_text():
        (killed.tier.httpd / "begun").unlink()
    status, said = killed.restore(*COMMAND)
    assert status == 0 and "was in force" in said and not (killed.tier.httpd / "begun").exists(), said


def test_after_an_end_that_restored_there_is_nothing_to_do(killed):
    killed.started()
    killed.close()
    assert killed.tier.values() == BASELINE
    assert killed.restore(*COMMAND) == (0, "nothing was left\n")


def test_while_an_agent_runs_nothing_is_done(killed):
    killed.started()
    killed.tier.neighbour.loud = True
    killed.trial.do_mitigated()
    killed.agent.signal(signal.SIGSTOP)
    before = killed.tier.values()
    status, said = killed.restore(*COMMAND)
    killed.agent.signal(signal.SIGCONT)
    assert status == 0 and "journal.jsonl.lock" in said and HANDED_OVER not in said and before != BASELINE


def test_values_that_another_agent_manages_are_left_alone(killed):
    server = next(line.split()[1] for line in killed.plan.read_text().splitlines() if line.startswith("lock ") and "journal" not in line)
    before = killed.tier.values()
    with open(server, "r+", encoding="utf-8") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        status, said = killed.restore(*COMMAND)
    assert status == 0 and server in said and HANDED_OVER not in said and killed.tier.values() == before
    assert killed.restore()[0] == 0 and killed.tier.values() == BASELINE


def test_values_that_the_server_refuses_are_left_to_the_command_and_the_next_start(killed):
    killed.tier.switch("refuse")
    status, said = killed.restore()
    assert status == 1 and "refused by the trial" in said
    status, said = killed.restore(*COMMAND)
    assert status == 0 and HANDED_OVER in said and killed.tier.values() != BASELINE
    killed.tier.unswitch()
    added = killed.started()
    assert [entry["kind"] for entry in added[:3]] == ["intent", "failed", "start"], added
    assert "refused by the trial" in added[1]["problem"]
    assert eventually(lambda: killed.tier.values() == BASELINE, PATIENCE)


def test_a_server_that_hangs_does_not_keep_the_command_waiting(killed):
    killed.tier.switch("hang")
    status, said = killed.restore(*COMMAND)
    assert status == 0 and HANDED_OVER in said, said
    killed.tier.unswitch()
    killed.started()
    assert eventually(lambda: killed.tier.values() == BASELINE, PATIENCE)


def test_without_the_helper_the_command_is_run(killed):
    killed.tier.activator.gone()
    status, said = killed.restore(*COMMAND)
    killed.tier.activator.back()
    assert status == 0 and HANDED_OVER in said and "helper.sock" in said


def test_killed_in_the_middle_it_can_be_run_again_and_leaves_no_outcome(killed):
    killed.tier.switch("before", "2")
    (killed.tier.httpd / "begun").unlink(missing_ok=True)
    with subprocess.Popen([BASELINE_PROGRAM, killed.agent.state], env=killed.tier.environment) as process:
        assert eventually(lambda: (killed.tier.httpd / "begun").exists(), PATIENCE)
        send([process.pid], signal.SIGKILL)
    assert not killed.outcome.exists()
    killed.tier.unswitch()
    assert killed.restore()[0] == 0 and killed.tier.values() == BASELINE


def test_a_change_without_an_outcome_is_overtaken(lane):
    tier, agent, disks = lane.tier("event", "helper")
    begun(tier, agent, disks, "start; ready; before 4; loud; order 0.3; kill bare")
    tier.neighbour.loud = False
    tier.unswitch()
    assert "\nopen\n" in (agent.state / "baseline.plan").read_text()
    done = subprocess.run([BASELINE_PROGRAM, agent.state], env=tier.environment, timeout=PATIENCE, check=False)
    assert done.returncode == 0 and eventually(lambda: not tier.orders(), PATIENCE)
    assert tier.values() == BASELINE


@pytest.mark.parametrize("broken", ["cut", "garbage", "empty", "long", "binary", "group", "link", "fifo", "missing", "owner"])
def test_a_plan_that_cannot_be_believed_is_left_to_the_command(killed, broken):
    text, before = killed.plan.read_text(), killed.tier.values()
    texts = {"cut": text[:-4], "garbage": text.replace("state away", "state elsewhere"), "empty": "", "long": text + "x" * 70_000,
             "binary": text.replace("id ", "id \0", 1)}
    if broken in texts:
        killed.plan.write_text(texts[broken])
    elif broken == "group":
        killed.plan.chmod(0o660)
    elif broken == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(killed.plan, 65534, 65534)
    else:
        killed.plan.rename(killed.plan.with_suffix(".away"))
        if broken == "link":
            killed.plan.symlink_to(killed.plan.with_suffix(".away"))
        elif broken == "fifo":
            os.mkfifo(killed.plan)
    status, said = killed.restore(*COMMAND)
    assert status == 0 and HANDED_OVER in said and "baseline.plan: " in said, said
    assert killed.tier.values() == before and not killed.outcome.exists()
    killed.started()
    assert eventually(lambda: killed.tier.values() == BASELINE, PATIENCE)


def test_an_outcome_of_another_plan_is_not_believed(killed):
    assert killed.restore()[0] == 0
    killed.outcome.write_text(killed.outcome.read_text().replace("id ", "id 0", 1))
    added = killed.started()
    assert killed.agent.said("not of the last plan") and added[0]["kind"] == "start"
    assert killed.tier.values() == BASELINE


def test_usage():
    done = subprocess.run([BASELINE_PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("usage: ic2-baseline DIRECTORY")
