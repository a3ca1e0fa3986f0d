# SPDX-License-Identifier: Apache-2.0
"""A whole private web tier for tests: httpd and php-fpm from docker/web's files, SQLite, free ports."""
import contextlib
import os
import pathlib
import re
import subprocess

import installation
from installation import ROOT, wait_for
from testbed.places import copy_for_servers

WEB = ROOT / "docker" / "web"
HTTPD = pathlib.Path(os.environ.get("IC2_HTTPD", ROOT / "build" / "httpd")).resolve()


AGES = (6, 12)  # s that a page may be old, on level 3 and from 4 on


class Tier:
    """One tier in a state directory. start() and stop() may be repeated."""

    def __init__(self, state, mpm="worker", **inputs):
        self.state = pathlib.Path(state)
        ports = {"IC2_HTTP_PORT": str(installation.free_port()), "IC2_HTTPS_PORT": str(installation.free_port())}
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("OLIO_", "IC2_"))}
        usual = {"IC2_START_SERVERS": "2", "OLIO_WAIT_MS": "0", "OLIO_CPU_ROUNDS": "0", "OLIO_WALK_STEPS": "2000"}
        self.environment = {**clean, "IC2_STATE": str(state), "IC2_HTTPD": str(HTTPD), "IC2_MPM": mpm, **usual,
                            **ports, **inputs}
        self.plain = f"http://127.0.0.1:{ports['IC2_HTTP_PORT']}"
        self.tls = f"https://127.0.0.1:{ports['IC2_HTTPS_PORT']}"
        self.php = None

    def prepare(self):
        served = copy_for_servers(self.state / "served")
        subprocess.run([str(served / "docker" / "web" / "prepare")], env=self.environment, check=True, stdout=subprocess.DEVNULL, timeout=600)
        listing = subprocess.run(["bash", "-c", '. "$IC2_STATE/env"; env -0'], env=self.environment, check=True,
                                 capture_output=True, text=True).stdout
        self.environment.update(item.split("=", 1) for item in listing.split("\0") if item.startswith(("IC2_", "OLIO_", "PHP_")))
        # ages that a test can wait for
        instance = self.state / "httpd.conf"
        instance.write_text(f"Define MITIGATION_AGE {AGES[0]}\nDefine MITIGATION_LONG_AGE {AGES[1]}\n{instance.read_text()}")
        # the tests need few children; the file is the instance's own
        pool = self.state / "php-fpm.d" / "www.conf"
        pool.write_text(re.sub(r"pm.max_children = \d+", "pm.max_children = 12", pool.read_text()))
        loaded = installation.load(self.environment)
        assert loaded.returncode == 0, loaded.stderr

    def httpd(self, *arguments, check=True):
        return subprocess.run([str(HTTPD / "bin" / "httpd"), "-f", str(self.state / "httpd.conf"), *arguments],
                              capture_output=True, text=True, timeout=180, check=check)

    def start_php(self):
        configuration = self.environment["IC2_WEB"] + "/conf"
        with open(self.state / "log" / "php-fpm.out", "ab") as log:
            self.php = subprocess.Popen([self.environment["IC2_PHP_FPM"], "--nodaemonize", "--fpm-config", configuration + "/php-fpm.conf",
                                         "-c", configuration + "/php.ini"], env=self.environment, stdout=log, stderr=log)

    def stop_php(self):
        installation.end(self.php)

    def start(self):
        self.start_php()
        checked = self.httpd("-t", check=False)
        assert checked.returncode == 0, checked.stderr
        self.httpd("-k", "start")
        wait_for(lambda: installation.answers(self.plain), f"{self.plain}/health; see {self.state}/log")

    def stop(self):
        """Ends what runs, also after a start that has failed half way."""
        pid = self.state / "run" / "httpd.pid"
        try:
            # one that has only just been started has yet to write the file by which it is found
            wait_for(lambda: pid.exists() or not self.processes(), "httpd says its process")
            self.httpd("-k", "stop", check=False)
            # httpd's last act is not to remove the file, but nearly
            wait_for(lambda: not pid.exists() and not self.processes(), "httpd has stopped")
        finally:
            if self.php:
                self.stop_php()

    def processes(self):
        """Command lines that name this tier's httpd."""
        listed = subprocess.run(["ps", "-e", "-o", "args"], capture_output=True, text=True, check=True).stdout
        return [line for line in listed.splitlines() if f"{self.state}/httpd.conf" in line]

    def level(self, level):
        """Moves to a level of the ladder; returns when all children have acknowledged it."""
        self.httpd("-k", "reconfigure", f"MITIGATION={level}")


@contextlib.contextmanager
def running(state, mpm="worker", **inputs):
    tier = Tier(state, mpm, **inputs)
    tier.prepare()
    try:
        tier.start()
        yield tier
    finally:
        tier.stop()
