# SPDX-License-Identifier: Apache-2.0
"""build.sh: cached, clear about what is wrong, and careful with what is installed."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from harness.build import BUILD, COMPONENT


def build_sh(*arguments, script=COMPONENT / "build.sh", build=BUILD, path=None):
    search = {"PATH": f"{path}:{os.environ['PATH']}"} if path else {}
    return subprocess.run([script, *arguments], capture_output=True, text=True, timeout=600, check=False,
                          env={**os.environ, "IC2_BUILD": str(build), **search})


@pytest.fixture(scope="module")
def tarball(request):
    """The source that the build under test came from."""
    remembered = BUILD / "httpd-src" / "source"
    if not remembered.exists():
        pytest.skip("HTTPD_PREFIX is given, so there is no downloaded source")
    return remembered.read_text().splitlines()[1]


@pytest.fixture
def component(tmp_path):
    """A copy of what build.sh needs, to be spoilt."""
    copy = tmp_path / "httpd-online"
    copy.mkdir()
    for name in ("build.sh", "series", "sources.sha256"):
        shutil.copy2(COMPONENT / name, copy / name)
    for name in ("lib", "patches", "src", "standby"):
        shutil.copytree(COMPONENT / name, copy / name)
    return copy


def test_second_call_does_nothing(build, tarball):
    def written():
        info = (build.prefix / "bin" / "httpd").stat()
        return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns    # (it may be run, hence read, meanwhile)

    before = written()
    done = build_sh("--allow-older", *(["--sanitize"] if build.sanitized else []))
    assert done.returncode == 0 and "is up to date" in done.stdout, done.stdout + done.stderr
    assert written() == before


def test_modules_of_the_web_tier_are_there(build):
    names = """mpm_worker mpm_event mpm_prefork status proxy_fcgi proxy_http ssl http2 deflate cache cache_socache cache_disk
        socache_shmcb rewrite headers setenvif expires alias log_config remoteip unique_id env mime dir filter authz_core
        authz_host standby""".split()
    linked_in = subprocess.run([build.httpd, "-l"], capture_output=True, text=True, check=True).stdout.split()
    missing = [n for n in names if not (build.prefix / "modules" / f"mod_{n}.so").exists() and f"mod_{n}.c" not in linked_in]
    assert missing == []


@pytest.mark.parametrize("arguments, word", [
    (["--no-such-thing"], "--no-such-thing"), (["--prefix"], "--prefix"), (["--mpms", "event,itk"], "itk"),
])
def test_usage_errors(arguments, word):
    done = build_sh(*arguments)
    assert done.returncode == 2 and word in done.stderr
    assert "usage" in build_sh("--help").stdout


def test_patch_that_does_not_apply_is_named(component, tarball, tmp_path):
    victim = component / "patches" / "0003-spoilt.patch"
    victim.write_text("Subject: spoilt\n\n---\ndiff --git a/server/core.c b/server/core.c\n--- a/server/core.c\n+++ b/server/core.c\n@@ -1,3 +1,1 @@\n-this line\n-is in\n-no\n+release of httpd\n")
    done = build_sh("--allow-older", "--source", tarball, "--prefix", str(tmp_path / "prefix"), script=component / "build.sh",
                    build=tmp_path / "build")
    assert done.returncode == 1
    assert f"{victim.name}: server/core.c: " in done.stderr and "do not apply to httpd 2.4." in done.stderr
    assert "What to do" in done.stderr
    assert not (tmp_path / "prefix").exists()


def test_check_apply_of_a_given_tarball(component, tarball, tmp_path):
    done = build_sh("--check-apply", "--source", tarball, script=component / "build.sh", build=tmp_path / "build")
    assert done.returncode == 0 and "applies" in done.stdout, done.stdout + done.stderr


def test_check_apply_of_a_given_tree_says_which_part_fails(component, tarball, tmp_path):
    tree = tmp_path / "trunk"
    tree.mkdir()
    subprocess.run(["tar", "xf", tarball, "-C", tree, "--strip-components=1"], check=True)
    (tree / "server" / "mpm_fdqueue.c").write_text("/* quite different */\n")
    done = build_sh("--check-apply", "--source", str(tree), script=component / "build.sh", build=tmp_path / "build")
    parts = [line.strip() for line in done.stdout.splitlines() if ".patch: " in line]
    failed = [line for line in parts if "does NOT apply" in line]
    assert done.returncode == 1 and len(parts) == len(list((component / "patches").iterdir())) and len(failed) == 1
    assert "server/mpm_fdqueue.c: " in failed[0]
    assert "can only be checked" in build_sh("--source", str(tree), script=component / "build.sh", build=tmp_path / "build").stderr


def test_nonsense_sources(component, tmp_path):
    def error(source):
        done = build_sh("--source", str(source), "--prefix", str(tmp_path / "prefix"), script=component / "build.sh",
                        build=tmp_path / "build")
        assert done.returncode == 1
        return done.stderr

    assert "no such file" in error(tmp_path / "missing.tar.gz")
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"nonsense")
    assert "cannot be unpacked" in error(broken)
    (tmp_path / "other" / "x").mkdir(parents=True)
    subprocess.run(["tar", "czf", tmp_path / "other.tar.gz", "-C", tmp_path, "other"], check=True)
    assert "no httpd source" in error(tmp_path / "other.tar.gz")


def test_foreign_prefix_is_left_alone(component, tarball, tmp_path):
    prefix = tmp_path / "prefix"
    prefix.mkdir()
    (prefix / "precious").write_text("mine\n")
    done = build_sh("--source", tarball, "--prefix", str(prefix), script=component / "build.sh", build=tmp_path / "build")
    assert done.returncode == 1 and "did not install" in done.stderr
    assert sorted(p.name for p in pathlib.Path(prefix).iterdir()) == ["precious"]


CONFIGURE = """#!/bin/sh
case "$PWD $*" in *"with space"*) echo "a path with spaces: $PWD $*" >&2; exit 1 ;; esac
for word; do case $word in --prefix=*) echo "${word#--prefix=}" >prefix ;; esac; done
"""
MAKEFILE = """all:
install:
\tmkdir -p "$(DESTDIR)$$(cat prefix)/bin" && cp prefix "$(DESTDIR)$$(cat prefix)/bin/httpd"
\tcp apxs "$(DESTDIR)$$(cat prefix)/bin" && chmod 755 "$(DESTDIR)$$(cat prefix)/bin/"*
"""
# compiles nothing, but fails where a source says so
APXS = """#!/bin/sh
! grep -h '#error' *.c || exit 1
mkdir -p .libs && cat *.c >.libs/mod_standby.so
"""
RELEASE = """#define AP_SERVER_MAJORVERSION_NUMBER 2
#define AP_SERVER_MINORVERSION_NUMBER 4
#define AP_SERVER_PATCHLEVEL_NUMBER 68
"""


@pytest.fixture
def quick_source(tmp_path):
    """The tarball of an httpd 2.4.68 whose configure says at once what httpd's would stumble on minutes later."""
    source = tmp_path / "source" / "httpd"
    (source / "include").mkdir(parents=True)
    for name, text in (("configure", CONFIGURE), ("Makefile", MAKEFILE), ("apxs", APXS), ("include/ap_release.h", RELEASE)):
        (source / name).write_text(text)
    (source / "configure").chmod(0o755)
    tarball = tmp_path / "httpd.tar.gz"
    subprocess.run(["tar", "czf", tarball, "-C", source.parent, "httpd"], check=True)
    return tarball


def test_from_a_path_with_spaces_httpd_is_built_elsewhere_and_linked(tmp_path, quick_source):
    build = tmp_path / "with space" / "build"
    (build / "httpd-stock").mkdir(parents=True)     # as a clone has it that came here with its build
    prefix = build / "httpd-stock"
    try:
        for said in ("installed", "is up to date"):
            done = build_sh("--stock", "--allow-older", "--source", str(quick_source), build=build)
            assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr
        assert (prefix / "bin" / "httpd").read_text() == f"{prefix.resolve()}\n"
        assert prefix.resolve().parent.stat().st_mode & 0o777 == 0o700
        refused = build_sh("--stock", "--source", str(quick_source), "--prefix", str(tmp_path / "with space" / "prefix"), build=build)
        assert refused.returncode == 1 and "only be installed below a path of" in refused.stderr
    finally:
        shutil.rmtree(prefix.resolve().parent if prefix.is_symlink() else prefix)


def test_change_of_the_module_alone_compiles_it_alone(component, quick_source, tmp_path):
    prefix = tmp_path / "prefix"
    module, source = prefix / "modules" / "mod_standby.so", component / "standby" / "mod_standby.c"

    def build():
        return build_sh("--stock", "--allow-older", "--source", str(quick_source), "--prefix", str(prefix), script=component / "build.sh",
                        build=tmp_path / "build")

    done = build()
    assert done.returncode == 0 and module.read_text().count(source.read_text()) == 1, done.stdout + done.stderr
    httpd = (prefix / "bin" / "httpd").stat()
    assert "mod_standby" not in build().stdout, "nothing has changed"
    with open(source, "a") as file:
        file.write("/* another one */\n")
    done = build()
    assert done.returncode == 0 and f"installed {module}" in done.stdout and "is up to date" in done.stdout, done.stdout + done.stderr
    assert "another one" in module.read_text() and (prefix / "bin" / "httpd").stat().st_ino == httpd.st_ino
    # one that cannot be compiled is named, leaves what is there, and is tried again
    with open(source, "a") as file:
        file.write("#error nonsense\n")
    for _ in range(2):
        done = build()
        assert done.returncode == 1 and "mod_standby cannot be compiled" in done.stderr, done.stdout + done.stderr
    assert "nonsense" not in module.read_text()


# an httpd that serves one page, and says that it changes; where SPOILT is, it does not start
HTTPD = """#!/usr/bin/python3
import http.server, os, re, signal, subprocess, sys
arguments = sys.argv[1:]
config = open(arguments[1]).read()
root, port = re.search(r'ServerRoot "(.*)"', config)[1], int(re.search(r"Listen 127.0.0.1:(.*)", config)[1])
if arguments[2:] == ["serve"]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200), self.end_headers(), self.wfile.write(b"served")
    http.server.HTTPServer(("127.0.0.1", port), Page).serve_forever()
elif arguments[3] == "start":
    SPOILT
    child = subprocess.Popen([sys.argv[0], *arguments[:2], "serve"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    open(f"{root}/httpd.pid", "w").write(str(child.pid))
elif arguments[3] == "reconfigure":
    print("MaxRequestWorkers: 4 -> 2")
elif os.path.exists(f"{root}/httpd.pid"):
    os.kill(int(open(f"{root}/httpd.pid").read()), signal.SIGTERM)
    os.remove(f"{root}/httpd.pid")
"""
INSTALL = """all:
install:
\tmkdir -p "$(DESTDIR)$$(cat prefix)/bin" && cp apxs program.py "$(DESTDIR)$$(cat prefix)/bin"
\tmv "$(DESTDIR)$$(cat prefix)/bin/program.py" "$(DESTDIR)$$(cat prefix)/bin/httpd" && chmod 755 "$(DESTDIR)$$(cat prefix)/bin/"*
"""


@pytest.fixture
def release(component, tarball, tmp_path):
    """release(PATCHLEVEL, hunk_fails=, smoke_fails=): the tarball of the real source as that release, which configures and compiles at once."""
    def pack(patchlevel, hunk_fails=False, smoke_fails=False):
        tree = tmp_path / f"release-{patchlevel}" / f"httpd-2.4.{patchlevel}"
        tree.mkdir(parents=True)
        subprocess.run(["tar", "xf", tarball, "-C", tree, "--strip-components=1"], check=True)
        header = tree / "include" / "ap_release.h"
        header.write_text(re.sub(r"(AP_SERVER_PATCHLEVEL_NUMBER +)\d+", rf"\g<1>{patchlevel}", header.read_text()))
        # none of these is the series' business; fake Makefiles would be rewritten by a real configure alone
        for name, text in (("configure", CONFIGURE), ("apxs", APXS), ("Makefile", INSTALL),
                           ("program.py", HTTPD.replace("SPOILT", "sys.exit('no such thing')" if smoke_fails else "pass"))):
            (tree / name).write_text(text)
        (tree / "configure").chmod(0o755)
        if hunk_fails:
            (tree / "server" / "mpm_fdqueue.c").write_text("/* quite different */\n")
        packed = tmp_path / f"release-{patchlevel}.tar.gz"
        subprocess.run(["tar", "czf", packed, "-C", tree.parent, tree.name], check=True)
        return packed

    return pack


DPKG_QUERY = """#!/bin/sh
[ -z "$FAKE_INSTALLED" ] || echo "installed $FAKE_INSTALLED"
"""
APT_CACHE = """#!/bin/sh
case "$*" in
    *policy*) echo "  Candidate: ${FAKE_CANDIDATE:-(none)}" ;;
    *showsrc*)
        for v in $FAKE_LISTED; do
            echo "Version: $v"
            [ ! -f "$FAKE_ARCHIVE/${v%-*}" ] || echo " $(sha256sum <"$FAKE_ARCHIVE/${v%-*}" | cut -c1-64) 1 apache2_${v%-*}.orig.tar.gz"
        done ;;
esac
"""
APT_GET = """#!/bin/sh
case "$*" in
    *apache2=*)
        version=${*##*apache2=} version=${version%-*}
        cp "$FAKE_ARCHIVE/$version" "apache2_$version.orig.tar.gz" 2>/dev/null || { echo "404  Not Found [IP: 203.0.113.1 80]"; exit 100; } ;;
    *update) exit $FAKE_UPDATE ;;
esac
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """machine(INSTALLED=, CANDIDATE=, LISTED=, UPDATE=): what dpkg and apt say and can fetch on it; returns what PATH needs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("dpkg-query", DPKG_QUERY), ("apt-cache", APT_CACHE), ("apt-get", APT_GET)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)

    def say(*tarballs, **facts):
        """The tarballs are those of 2.4.68, 2.4.69 and so on, which apt can fetch."""
        archive = tmp_path / "archive"
        archive.mkdir(exist_ok=True)
        for number, packed in enumerate(tarballs, 68):
            shutil.copy(packed, archive / f"2.4.{number}")
        for name, value in {"INSTALLED": "", "CANDIDATE": "", "LISTED": "", "UPDATE": "0", **facts}.items():
            monkeypatch.setenv(f"FAKE_{name}", value)
        monkeypatch.setenv("FAKE_ARCHIVE", str(archive))
        monkeypatch.setenv("HTTPD_ARCHIVE_URL", f"file://{tmp_path}/apache")
        return programs

    return say


def test_older_than_what_the_machine_has_or_could_have_is_refused(tmp_path, quick_source, machine):
    prefix = tmp_path / "prefix"

    def build(*arguments, **facts):
        return build_sh("--stock", "--prefix", str(prefix), *arguments, build=tmp_path / "build", path=machine(quick_source, **facts))

    given = ("--source", str(quick_source))
    for arguments, facts, known in (
            (given, {"INSTALLED": "2.4.71-1~deb12u1"}, "2.4.71-1~deb12u1 (installed)"),
            (given, {"CANDIDATE": "2.4.71-1~deb12u1", "INSTALLED": "2.4.68-1~deb12u1"}, "2.4.71-1~deb12u1 (apt's candidate)"),
            ((), {"LISTED": "2.4.68-1 2.4.70-1"}, "2.4.70-1 (listed as source)")):
        done = build(*arguments, **facts)
        assert done.returncode == 1 and f"error: httpd 2.4.68 is older than apache2 {known}" in done.stderr, done.stderr
        assert "--allow-older" in done.stderr and not prefix.exists()
    # what it remembers of the source it has got goes on to count, and that a test's build is there does not
    assert "older than apache2 2.4.70-1" in build().stderr
    done = build("--allow-older", LISTED="2.4.68-1 2.4.70-1")
    assert done.returncode == 0 and (prefix / "bin" / "httpd").exists()
    assert "note: httpd 2.4.68 is older than apache2 2.4.70-1 (listed as source), and may lack security fixes" in done.stderr
    again = build(*given, INSTALLED="2.4.71-1")
    assert again.returncode == 1 and "older than apache2 2.4.71-1" in again.stderr
    assert build(*given, CANDIDATE="2.4.68-1~deb12u1").stderr == ""
    assert "apache2 2.4.68-1~deb11u3 (apt's candidate) has patches of Debian's" in build(*given, CANDIDATE="2.4.68-1~deb11u3").stderr
    assert "cannot be told" in build(*given).stderr


def test_check_apply_fails_when_the_newest_was_not_checked(component, tarball, tmp_path, machine):
    def check(**facts):
        return build_sh("--check-apply", script=component / "build.sh", build=tmp_path / "build", path=machine(tarball, **facts))

    done = check(LISTED="2.4.71-1 2.4.68-1")
    assert done.returncode == 1 and "2.4.68" in done.stdout and "applies" in done.stdout
    assert "the newest, apache2 2.4.71-1 (listed as source), was not checked" in done.stderr
    assert check(LISTED="2.4.68-1", CANDIDATE="2.4.70-1").returncode == 1
    done = check(LISTED="2.4.68-1", UPDATE="100")
    assert done.returncode == 1 and "apt could not read every source list" in done.stderr.splitlines()[-1]
    done = check(LISTED="2.4.68-1", CANDIDATE="2.4.68-1")
    assert done.returncode == 0 and "error" not in done.stderr, done.stderr


def test_source_that_does_not_fit_gives_way_to_an_older_one(component, release, tmp_path, machine):
    """In tests' builds; of two newer ones a hunk of the first fails, and the second does not start."""
    prefix, script, build = tmp_path / "prefix", component / "build.sh", tmp_path / "build"
    path = machine(release(68), release(69, smoke_fails=True), release(70, hunk_fails=True), LISTED="2.4.70-1 2.4.71-1 2.4.69-1 2.4.68-1")

    def built(*arguments):
        return build_sh("--prefix", str(prefix), *arguments, script=script, build=build, path=path)

    refused = built()
    assert refused.returncode == 1 and "httpd 2.4.70 is older than apache2 2.4.71-1 (listed as source)" in refused.stderr
    assert not prefix.exists()
    done = built("--allow-older")
    assert done.returncode == 0 and f"installed {prefix}/bin/httpd (httpd 2.4.68)" in done.stdout, done.stdout + done.stderr
    assert done.stderr.count("note:") == 1 and "error" not in done.stderr, done.stderr
    note, *reasons = done.stderr.splitlines()
    assert "httpd 2.4.68 is older than apache2 2.4.71-1 (listed as source), and may lack security fixes: do not put it into service" in note
    # (what the first call has got is tried first)
    assert [line.strip().split(": ")[:2] for line in reasons] == [["not taken", "apache2_2.4.70.orig.tar.gz"], ["not taken", "apache2 2.4.71-1"],
                                                                   ["not taken", "apache2_2.4.69.orig.tar.gz"]]
    assert "the patches do not apply to httpd 2.4.70: " in reasons[0] and "404  Not Found" in reasons[1]
    assert "server/mpm_fdqueue.c: " in reasons[0] and "fails its smoke test: worker: httpd -k start ends with 1: no such thing" in reasons[2]
    again = built("--allow-older")
    assert again.returncode == 0 and "is up to date (httpd 2.4.68)" in again.stdout, "what fits is remembered"


def test_after_all_that_are_listed_comes_the_apache_archive(component, release, tmp_path, machine):
    fits, build = release(68), tmp_path / "build"
    path = machine(release(69, hunk_fails=True), LISTED="2.4.68-1")     # called 2.4.68 by the list: the archive's is another

    def built():
        return build_sh("--prefix", str(tmp_path / "prefix"), "--allow-older", script=component / "build.sh", build=build, path=path)

    done = built()
    assert done.returncode == 1 and "error: no httpd source that fits" in done.stderr and "What to do: give one with --source" in done.stderr
    assert "not taken: apache2_2.4.68.orig.tar.gz: the patches do not apply" in done.stderr
    assert f"not taken: file://{tmp_path}/apache/httpd-2.4.68.tar.gz: cannot be fetched" in done.stderr
    (tmp_path / "apache").mkdir()
    shutil.copy(fits, tmp_path / "apache" / "httpd-2.4.68.tar.gz")
    assert "has not the sha256 of httpd-online/sources.sha256" in built().stderr
    total = subprocess.run(["sha256sum", fits], capture_output=True, text=True, check=True).stdout.split()[0]
    (component / "sources.sha256").write_text(f"{total}  httpd-2.4.68.tar.gz\n")
    done = built()
    assert done.returncode == 0 and "(Apache archive: sha256 as listed" in done.stdout, done.stdout + done.stderr
    assert "not taken: apache2_2.4.68.orig.tar.gz: the patches do not apply to httpd 2.4.69: " in done.stderr
