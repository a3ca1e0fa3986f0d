# SPDX-License-Identifier: Apache-2.0
"""The images of docker/Containerfile, built by podman, and the tier of docker/compose.yaml in what was built. Takes minutes."""
import json
import os
import shutil
import subprocess

import pytest

import containers
from containers import Container, Image, Network

TARGETS = ("web", "db", "agent", "load", "neighbour")


@pytest.fixture(scope="module")
def images():
    if os.geteuid() != 0 or not shutil.which("podman") or not shutil.which("mmdebstrap"):
        pytest.skip("needs root, podman and mmdebstrap")
    containers.base()
    for target in TARGETS:
        containers.build(target)
    built = {target: Image(f"ic2-{target}") for target in TARGETS}
    yield built
    for image in built.values():
        image.end()


@pytest.fixture(scope="module")
def tier(images, tmp_path_factory):
    """Started in the file's order, each when those that it depends on are healthy."""
    if not containers.CGROUPS or not os.access(containers.CGROUPS / "cgroup.procs", os.W_OK):
        pytest.skip("needs control groups of version 2 that can be written")
    place = tmp_path_factory.mktemp("tier")
    place.chmod(0o755)
    network = Network()
    running = {}

    def start(name, image, **options):
        running[name] = Container(place, name, containers.services()[name], images[image], network, **options)
        return running[name]
    try:
        start("db", "db").await_healthy()
        start("web", "web").await_healthy()
        start("agent", "agent", beside=running["web"]).await_healthy()
        running["start"] = start
        running["network"] = network
        yield running
    finally:
        for name in ("agent", "load", "neighbour", "web", "db"):
            if name in running:
                running[name].stop()
        network.end()


def asked(network, url):
    """The status, and head and body of the answer, as a visitor has them."""
    answer = subprocess.run([*network.enter, "curl", "-sik", "--max-time", "10", url], stdout=subprocess.PIPE, text=True,
                            check=False).stdout
    return (answer.split()[1] if answer else None), answer


def level(network):
    return next(line.split()[1] for line in asked(network, "http://127.0.0.1:8080/server-status?auto")[1].splitlines()
                if line.startswith("IC2-Mitigation:"))


@pytest.mark.parametrize("target", TARGETS)
def test_no_image_runs_as_root_and_users_are_numbers(images, target):
    user = images[target].config["User"]
    assert all(part.isdigit() and part != "0" for part in user.split(":")), user


@pytest.mark.parametrize("target, most_mb", [("web", 200), ("db", 250), ("agent", 110), ("load", 90), ("neighbour", 50)])
def test_images_add_little_to_their_base(images, target, most_mb):
    size = (images[target].described["Size"] - containers.described("localhost/ic2-base")["Size"]) / 1e6
    print(f"{target}: {size:.0f} MB")
    assert size < most_mb


def test_pages_come_over_http_and_tls(tier):
    for url in ("http://127.0.0.1:8080/", "https://127.0.0.1:8443/"):
        status, answer = asked(tier["network"], url)
        assert status == "200" and "</html>" in answer, tier["web"].said()


def test_the_store_of_pages_is_ready(tier):
    assert "\nStandbyStore: ok" in asked(tier["network"], "http://127.0.0.1:8080/server-status?auto")[1].replace("\r", ""), tier["web"].said()


def test_the_agent_sees_all_that_it_was_told_to_look_at(tier):
    said = tier["agent"].run("ic2", "check")
    assert "MISSING" not in said, said


def test_the_agent_moves_httpd_through_the_socket_and_nothing_else(tier):
    assert level(tier["network"]) == "0"
    tier["agent"].run("ic2", "apply", "--mitigation", "3")
    assert level(tier["network"]) == "3"
    said = tier["agent"].run("ic2", "apply", "--kat", "9s", status=1)
    assert "bounds" in said, said
    tier["agent"].run("ic2", "restore")
    assert level(tier["network"]) == "0"
    tier["agent"].run("ic2", "resume")


def test_users_get_their_pages_beside_a_neighbour(tier):
    tier["start"]("neighbour", "neighbour", command=["--log", "/dev/stdout", "-s", "1s on, 1s off", "--duration", "6s", "--", "llcprobe",
                                                     "--size", "8MiB"])
    load = tier["start"]("load", "load", command=["run", "-f", "/etc/ic2/run.xml", "--users", "10", "--ramp-up", "2s", "--steady", "6s",
                                                  "--ramp-down", "1s", "--runtime-stats", "1s", "--out", "/tmp/run"])
    assert load.wait(60) == 0, load.said()
    assert ", 0 errors\n" in load.said(), load.said()
    assert tier["neighbour"].wait(60) == 0, tier["neighbour"].said()
    assert ',start,"llcprobe' in tier["neighbour"].said(), tier["neighbour"].said()
    assert json.loads(tier["agent"].run("ic2", "status", "--json"))["sample"]["throughput"] > 0


def test_at_its_end_the_agent_restores(tier):
    tier["agent"].run("ic2", "apply", "--mitigation", "3")
    tier["agent"].run("ic2", "resume")
    tier["agent"].stop()
    assert level(tier["network"]) == "0", tier["agent"].said()
    tier.pop("agent")


def test_the_pod_of_the_patched_httpd_runs_too(images, tmp_path):
    tmp_path.chmod(0o755)
    described, volumes = containers.pod(containers.ROOT / "docker" / "kubernetes" / "patched-httpd.yaml")
    containers.kubelets_volumes(tmp_path, volumes, 33)
    network = Network()
    running = []
    try:
        for name, service in described.items():
            running.append(Container(tmp_path, name, service, images[service["image"].removeprefix("ic2-")], network))
        for container in running:
            container.await_healthy()
        agent = running[-1]
        assert "MISSING" not in agent.run("ic2", "check")
        agent.run("ic2", "apply", "--mitigation", "3")
        assert level(network) == "3"
        assert "\nStandbyStore: ok" in asked(network, "http://127.0.0.1:8080/server-status?auto")[1].replace("\r", "")
        agent.stop()
        running.pop()
        assert asked(network, "http://127.0.0.1:8080/")[0] == "200"
    finally:
        for container in reversed(running):
            container.stop()
        network.end()
