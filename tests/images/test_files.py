# SPDX-License-Identifier: Apache-2.0
"""compose.yaml and the examples for Kubernetes are what their schemas say, and name what is there."""
import json
import pathlib
import re
import subprocess

import jsonschema
import pytest
import yaml

import containers

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = pathlib.Path(__file__).parent / "schema"
KUBERNETES = sorted((ROOT / "docker" / "kubernetes").glob("*.yaml"))
KINDS = {"Deployment": "io.k8s.api.apps.v1.Deployment", "ConfigMap": "io.k8s.api.core.v1.ConfigMap"}
CONTAINERFILE = (ROOT / "docker" / "Containerfile").read_text(encoding="ascii")
TARGETS = set(re.findall(r"^FROM \S+ AS (\S+)$", CONTAINERFILE, re.MULTILINE))
IC2 = ROOT / "bin" / "ic2"


def kubernetes_schema(kind):
    return {**json.loads((SCHEMA / "kubernetes.json").read_text()), "$ref": f"#/$defs/{KINDS[kind]}"}


def documents(file):
    return list(yaml.safe_load_all(file.read_text()))


def pod(file):
    return next(document for document in documents(file) if document["kind"] == "Deployment")["spec"]["template"]["spec"]


def test_compose_is_what_its_schema_says():
    schema = json.loads((SCHEMA / "compose-spec.json").read_text())
    jsonschema.Draft7Validator(schema).validate(yaml.safe_load(containers.COMPOSE.read_text()))
    wrong = yaml.safe_load(containers.COMPOSE.read_text())
    wrong["services"]["web"]["read-only"] = True
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate(wrong)


@pytest.mark.parametrize("file", KUBERNETES, ids=lambda file: file.name)
def test_kubernetes_would_take(file):
    for document in documents(file):
        jsonschema.Draft202012Validator(kubernetes_schema(document["kind"])).validate(document)


def test_manifests_that_kubernetes_would_refuse_are_refused():
    wrong = next(document for document in documents(KUBERNETES[0]) if document["kind"] == "Deployment")
    wrong["spec"]["template"]["spec"]["containers"][0]["imagePullPolice"] = "Always"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(kubernetes_schema("Deployment")).validate(wrong)


def test_maven_finds_the_pom_of_each_module_in_the_image():
    """Without one of them it builds nothing, nor without the pages of which it makes others."""
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = set(re.findall(r"^COPY (\S+) ", CONTAINERFILE, re.MULTILINE))
    pages = re.findall(r"<argument>\$\{project.basedir\}/../(docs/[^<]*)</argument>", (ROOT / "ic2-agent" / "pom.xml").read_text())
    assert pages and set(pages) <= copied & allowed
    modules = re.findall("<module>(.*)</module>", (ROOT / "pom.xml").read_text())
    assert len(modules) > 5
    for module in modules:
        assert {module, f"{module}/pom.xml"} & copied, module
        assert {module, f"{module}/pom.xml"} & allowed, module


@pytest.mark.parametrize("jar", ["ic2-agent/target/ic2.jar", "faban-drivers/runtime/target/ic2-load.jar"])
def test_java_of_the_images_has_the_modules_that_our_classes_use(jar):
    said = subprocess.run(["jdeps", "--multi-release", "17", "--ignore-missing-deps", "-v", ROOT / jar], check=True, capture_output=True, text=True).stdout
    uses = [line.split() for line in said.splitlines()]
    used = {words[3] for words in uses if len(words) == 4 and words[0].startswith("org.ic2.") and words[1] == "->"} - {pathlib.Path(jar).name}
    given = re.search(r"jlink --add-modules (\S+)", CONTAINERFILE)[1].split(",")
    assert "java.base" in used and used <= set(given)


def test_files_that_the_images_copy_exist():
    for words in re.findall(r"^COPY (?!--from)(.*)$", CONTAINERFILE, re.MULTILINE):
        for source in words.split()[:-1]:
            assert (ROOT / source).exists(), source


def test_compose_builds_targets_and_mounts_volumes_that_are_there():
    file = yaml.safe_load(containers.COMPOSE.read_text())
    for name, service in containers.services().items():
        assert service["build"]["target"] in TARGETS, name
        assert service["image"] == f"ic2-{service['build']['target']}"
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in file["volumes"], name
    names = {service.get("container_name") for service in containers.services().values()}
    assert containers.services()["agent"]["pid"].removeprefix("container:") in names


@pytest.mark.parametrize("file", KUBERNETES, ids=lambda file: file.name)
def test_pods_mount_volumes_that_are_there_and_selectors_find_them(file):
    deployment = next(document for document in documents(file) if document["kind"] == "Deployment")
    assert deployment["spec"]["selector"]["matchLabels"] == deployment["spec"]["template"]["metadata"]["labels"]
    volumes = {volume["name"] for volume in pod(file)["volumes"]}
    everybody = pod(file)["containers"] + pod(file).get("initContainers", [])
    assert {mount["name"] for container in everybody for mount in container["volumeMounts"]} == volumes
    maps = {document["metadata"]["name"] for document in documents(file) if document["kind"] == "ConfigMap"}
    assert {volume["configMap"]["name"] for volume in pod(file)["volumes"] if "configMap" in volume} == maps


def configurations():
    yield pytest.param((ROOT / "docker" / "agent" / "ic2.yaml").read_text(), id="compose")
    for file in KUBERNETES:
        text = next(document["data"]["ic2.yaml"] for document in documents(file) if document["kind"] == "ConfigMap")
        yield pytest.param(text, id=file.stem)


@pytest.mark.parametrize("text", configurations())
def test_the_agent_reads_its_configuration(text, tmp_path):
    config = tmp_path / "ic2.yaml"
    config.write_text(text)
    done = subprocess.run([IC2, "explain", "-c", config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_bounds_of_the_agent_are_within_those_of_the_helper():
    bounds = yaml.safe_load((ROOT / "docker" / "agent" / "ic2.yaml").read_text())["bounds"]
    said = subprocess.run([ROOT / "packaging" / "ic2-reconfigure", "bounds"], check=True, stdout=subprocess.PIPE, text=True,
                          env={"IC2_RECONFIGURE_CONF": ROOT / "docker" / "web" / "reconfigure.conf", "PATH": "/usr/bin:/bin"}).stdout
    helper = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in said.splitlines() if not line.startswith("status")}
    assert helper["MaxRequestWorkers"] == bounds["max-request-workers"]
    assert helper["KeepAliveTimeout"] == [1000 * int(bound.removesuffix("s")) for bound in bounds["keep-alive-timeout"]]
    assert helper["MITIGATION"] == bounds["mitigation"]
