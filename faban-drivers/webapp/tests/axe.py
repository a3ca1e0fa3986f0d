# SPDX-License-Identifier: Apache-2.0
"""What axe finds of a page's accessibility. The engine (MPL-2.0) is Deque's own package from Maven Central, kept in build/axe."""
import fcntl
import os
import pathlib
import shlex
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERSION = "4.10.1"
KEPT = pathlib.Path(os.environ.get("IC2_BUILD", ROOT / "build")) / "axe"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy"
# color-contrast is skipped by axe where it cannot tell; what it can tell counts
FINDINGS = """return axe.run(document).then(found => found.violations.flatMap(rule => rule.nodes.map(node =>
    [rule.impact, rule.id + ": " + node.target.join(" ") + ": " + node.failureSummary.replace(/\\s+/g, " ")])))"""


def source():
    """The engine's text; of several tests one after the other fetches it, once."""
    KEPT.mkdir(parents=True, exist_ok=True)
    jar = KEPT / f"selenium-{VERSION}.jar"
    with open(KEPT / ".fetching", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not jar.exists():
            maven = shlex.split(os.environ.get("MAVEN", "mvn"))
            subprocess.run([*maven, "-B", "-q", COPY, f"-Dartifact=com.deque.html.axe-core:selenium:{VERSION}",
                            f"-DoutputDirectory={KEPT}"], check=True, cwd=KEPT)
    with zipfile.ZipFile(jar) as packed:
        return packed.read("axe.min.js").decode()


def serious(window):
    """What users cannot do on the page that a window of browser.py shows: axe's findings that are serious or critical."""
    return [text for impact, text in window.run(source() + ";\n" + FINDINGS) if impact in ("serious", "critical")]
