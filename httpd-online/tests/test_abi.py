# SPDX-License-Identifier: Apache-2.0
"""Third-party modules: what they were compiled with stays as it is."""

import pathlib
import re
import subprocess

from harness.errorlog import RECONFIGURE
from harness.waiting import eventually

PROBE = r"""
#include "httpd.h"
#include "http_config.h"
#include "http_core.h"
#include "scoreboard.h"
#include "util_filter.h"
#include "ap_mpm.h"
#include "ap_mmn.h"
#include <stddef.h>
#include <stdio.h>
#define SIZE(t) printf(#t " %zu\n", sizeof(t))
#define PLACE(t, m) printf(#t "." #m " %zu\n", offsetof(t, m))
int main(void)
{
    SIZE(server_rec); SIZE(conn_rec); SIZE(request_rec); SIZE(process_rec); SIZE(conn_state_t); SIZE(module);
    SIZE(worker_score); SIZE(process_score); SIZE(global_score); SIZE(scoreboard); SIZE(ap_filter_t);
    SIZE(core_dir_config); SIZE(core_server_config); SIZE(cmd_parms);
    PLACE(server_rec, keep_alive_timeout); PLACE(server_rec, context); PLACE(request_rec, subprocess_env);
    PLACE(request_rec, useragent_ip); PLACE(conn_rec, keepalive); PLACE(process_score, quiescing);
    printf("MAJOR %d\nMINOR %d\n", MODULE_MAGIC_NUMBER_MAJOR, MODULE_MAGIC_NUMBER_MINOR);
    return 0;
}
"""


def facts(build, directory):
    source, program = directory / f"probe-{build.prefix.name}.c", directory / f"probe-{build.prefix.name}"
    source.write_text(PROBE)
    flags = subprocess.run(["apr-1-config", "--cppflags", "--includes"], capture_output=True, text=True, check=True).stdout
    apu = subprocess.run(["apu-1-config", "--includes"], capture_output=True, text=True, check=True).stdout
    subprocess.run(["cc", f"-I{build.prefix}/include", *flags.split(), *apu.split(), "-o", program, source], check=True)
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: int(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_structures_and_magic_number(build, stock, tmp_path):
    ours, theirs = facts(build, tmp_path), facts(stock, tmp_path)
    assert ours.pop("MINOR") > theirs.pop("MINOR"), "new functions need a minor bump"
    assert ours == theirs


def test_stock_module_runs_in_the_patched_server(build, stock, make_server):
    """A module that was compiled for stock httpd and looks into the scoreboard: mod_status itself."""
    server = make_server("event", start=False)
    text = server.config.read_text()
    assert f"{build.prefix}/modules/mod_headers.so" in text
    for module in ("headers", "setenvif", "alias", "expires", "deflate", "status"):
        text = text.replace(f"{build.prefix}/modules/mod_{module}.so", f"{stock.prefix}/modules/mod_{module}.so")
    server.config.write_text(text + 'Header set X-Module "of stock"\n')
    server.log.expect("AH12007", *RECONFIGURE)
    server.start()
    assert server.get("/")["x-module"] == "of stock"
    # the worker of the request before may still be on its way to the others
    eventually(lambda: server.status().busy == 1, what="one busy worker, that of mod_status")
    # the running values are there nevertheless; only idle and withheld workers are one to it, of which the log warns
    server.reconfigure("MaxRequestWorkers=13")
    assert server.status().max_request_workers == 13
    eventually(lambda: server.status().withheld == 7, what="seven withheld workers")
    assert server.log.with_text("counts withheld workers as idle")
    assert "MaxRequestWorkers 13 (7 workers withheld" in server.get("/server-status").text


def exported(build):
    symbols = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", build.httpd], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in symbols.splitlines()}
    return {name for name in names if not name.startswith("__odr_asan")}     # AddressSanitizer's, one for each variable


def test_exported_names_are_httpds(build, stock):
    """Whatever a module calls its own functions, they are not ours."""
    ours = exported(build) - exported(stock)
    assert {"ap_reconfigure_status", "online_env_module"} <= ours
    assert sorted(name for name in ours if not name.startswith("ap_")) == ["online_env_module"]


def test_installed_header_has_what_modules_may_call(build):
    """What only the core and MPMs call, as it changes the running server, is in a header that is not installed."""
    header = (build.prefix / "include" / "ap_reconfigure.h").read_text()
    functions = re.findall(r"^AP_DECLARE(?:_HOOK)?\([^\n]*?(?:\)|, *)\s*\(?(\w+)", header, re.M)
    assert sorted(functions) == ["ap_reconfigure_declare", "ap_reconfigure_enabled", "ap_reconfigure_status", "ap_reconfigure_values",
                                 "ap_reconfigure_withheld", "reconfigure_publish"]
    assert not (build.prefix / "include" / "mpm_reconfigure.h").exists()


def test_the_command_is_linked_without_the_server(build, tmp_path):
    """With httpd's assertions, too, whose httpd.h puts functions of the server's in place of the C library's."""
    source = pathlib.Path(__file__).resolve().parents[1] / "src"
    files = [*(source / "support").glob("*.c"), source / "server/reconfigure_file.c"]
    flags = subprocess.run(["apr-1-config", "--cppflags", "--includes"], capture_output=True, text=True, check=True).stdout
    subprocess.run(["cc", "-c", "-DAP_DEBUG", f"-I{source}/include", f"-I{source}/server", f"-I{build.prefix}/include", *flags.split(), *files],
                   cwd=tmp_path, check=True)
    names = subprocess.run(["nm", "--format=posix", *tmp_path.glob("*.o")], capture_output=True, text=True, check=True).stdout
    used, made = ({line.split()[0] for line in names.splitlines() if " " in line and (line.split()[1] == "U") == needed} for needed in (True, False))
    assert not {name for name in used - made if name.startswith("ap_")}
