# SPDX-License-Identifier: Apache-2.0
"""ic2-fleet on a real cluster: a master and two workers of Spark's own standalone mode, one of which is killed in the middle of a fit."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLEET = ROOT / "bin" / "ic2-fleet"
TARGET = ROOT / "training" / "fleet" / "target"
DATA = ROOT / "training" / "data"
PATIENCE_S = 600    # all of it may get no more than what others leave idle
CHEAP = "-Xmx1g -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def wait(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not (seen := condition()):
        assert time.monotonic() < end, f"waited {PATIENCE_S} s in vain for {what}"
        time.sleep(0.01)
    return seen


class Cluster:
    """Processes of Spark's classes, on ports that the system chooses; what they start belongs to their own group each."""

    def __init__(self, home):
        self.home = home
        (home / "jars").mkdir(parents=True)
        # workers start executors with what is in SPARK_HOME/jars; a distribution has the same files there
        for jar in (TARGET / "spark.classpath").read_text().strip().split(":"):
            (home / "jars" / pathlib.Path(jar).name).symlink_to(jar)
        self.processes = {}

    def start(self, name, *words):
        log = self.home / f"{name}.log"
        command = ["java", *CHEAP.split(), "-Dlog4j2.level=INFO", "-cp", f"{self.home}/jars/*", *words]
        with open(log, "wb") as out:
            self.processes[name] = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, cwd=self.home, env={
                **os.environ, "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SCALA_VERSION": "2.12",
                "SPARK_LOCAL_DIRS": str(self.home / "local")})   # what is killed leaves its folders there
        return lambda pattern: (found := re.search(pattern, log.read_text(errors="replace"))) and found.group(1)

    def up(self):
        said = self.start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.master = wait(lambda: said(r"(spark://127\.0\.0\.1:\d+)"), "the master")
        for worker in ("worker-1", "worker-2"):
            self.start(worker, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--cores", "1",
                       "--memory", "1g", "--work-dir", str(self.home / worker), self.master)
        wait(lambda: (self.home / "master.log").read_text().count("Registering worker") == 2, "two workers")

    def kill(self, name):
        """As kill -9 does: the worker alone, not what it has started."""
        os.kill(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def down(self):
        for process in self.processes.values():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def fleet(*words, flags=""):
    return subprocess.Popen([FLEET, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                            env={**os.environ, "JAVA_OPTS": f"{CHEAP} {flags}"})


def ended(process):
    said = process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == 0, said
    return said


@pytest.fixture
def running(tmp_path):
    """A cluster that is not up yet, and what is to be ended with it."""
    cluster, programs = Cluster(tmp_path / "spark"), []
    try:
        yield cluster, lambda *words, **options: programs.append(fleet(*words, **options)) or programs[-1]
    finally:
        cluster.down()
        for program in programs:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()


def test_a_worker_is_killed_in_the_middle_of_a_fit_and_the_tree_is_the_same(running, tmp_path):
    cluster, start = running
    store, alone, together = tmp_path / "store", tmp_path / "alone", tmp_path / "together"
    generating = start("generate", DATA / "phase-1", DATA / "observed", "--rows", 16000, "--seconds", 2000, "--episodes", 9, "--out", store)
    cluster.up()
    ended(generating)
    fit = ("fit", store, "--attributes", "relative+steal_excess", "--held-out", "0.25")
    parts = "-Dspark.sql.adaptive.coalescePartitions.enabled=false -Dspark.sql.shuffle.partitions=8"
    one = start(*fit, "--out", alone, flags=f"-Dspark.master=local[2] {parts}")
    many = start(*fit, "--out", together, flags=f"-Dspark.master={cluster.master} -Dspark.jars={TARGET / 'ic2-fleet.jar'}"
                 f" -Dspark.executor.memory=512m -Dspark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -Dspark.driver.host=127.0.0.1"
                 f" -Dspark.driver.bindAddress=127.0.0.1 {parts}")
    # rows are being made of samples: some tasks have written theirs, others have not
    wait(lambda: list(tmp_path.glob(".ic2-fleet-together-*/**/_temporary/0/task_*")) or many.poll() is not None, "the first task")
    cluster.kill("worker-1")
    assert many.poll() is None, many.communicate()[0]
    assert not list(tmp_path.glob(".ic2-fleet-together-*/**/_SUCCESS"))
    ended(many)
    ended(one)
    assert "Removing worker" in (cluster.home / "master.log").read_text()
    assert (together / "classifier.json").read_bytes() == (alone / "classifier.json").read_bytes()
    assert json.loads((together / "manifest.json").read_text())["counts"] == json.loads((alone / "manifest.json").read_text())["counts"]
