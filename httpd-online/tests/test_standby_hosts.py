# SPDX-License-Identifier: Apache-2.0
"""mod_standby with several virtual hosts, TLS, and a proxy in front: a page stays with the host, the scheme and the people that
it was built for."""

import codecs
import subprocess
import types

import pytest

from harness.application import Application, parse
from harness.fcgi import FastCgi
from harness.http2 import curl
from harness.ladder import AGE, ATTACKED, ages, build_of, hit, new_visitor, passed_by, plain, standby_server, standby_status
from harness.server import Server
from harness.standby import standby_module
from harness.waiting import eventually

CONFIG = r"""
LoadModule standby_module {module}
AddOutputFilterByType DEFLATE text/html
<Files "index.php">
    SetHandler "proxy:fcgi://127.0.0.1:{port}"
</Files>
StandbyLevel @LEVEL@
StandbyStore @ROOT@/store
<Directory "@ROOT@/htdocs">
    StandbyApplication @ROOT@/htdocs/index.php
    StandbyPages /*
    FallbackResource /index.php
    {ages}
</Directory>
SSLSessionCache "shmcb:@ROOT@/run/ssl(64000)"
Listen 127.0.0.1:@PORT1@
Listen 127.0.0.2:@PORT1@
Listen 127.0.0.1:@PORT2@
Listen 127.0.0.1:@PORT3@
Listen 127.0.0.1:@PORT4@
Listen 127.0.0.1:@PORT5@
Listen 127.0.0.1:@PORT6@
<VirtualHost 127.0.0.1:@PORT1@>
    ServerName site
    ServerAlias other
</VirtualHost>
<VirtualHost 127.0.0.2:@PORT1@>
    ServerName site
    <Location "/">
        Require ip 127.251.0.0/16
        SetEnv ROLE staff
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT2@>
    ServerName site
    ProxyFCGISetEnvIf "true" ROLE staff
    <Location "/">
        Require ip 127.251.0.0/16
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT3@>
    ServerName site
    Protocols h2 http/1.1
    SSLEngine On
    SSLCertificateFile {tls.cert}
    SSLCertificateKeyFile {tls.key}
    SSLCACertificateFile {tls.cert}
    SSLVerifyClient optional
    SSLOptions +StdEnvVars
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT4@>
    ServerName site
    RemoteIPHeader X-Forwarded-For
    RemoteIPInternalProxy 127.0.0.1
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT5@>
    ServerName site
    StandbyVolatileHeaders X-Real-IP
    StandbyClientHeader X-Real-IP
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT6@>
    ServerName site
    SSLEngine On
    SSLCertificateFile {tls.cert}
    SSLCertificateKeyFile {tls.key}
    SSLVerifyClient optional_no_ca
    SSLOptions +StdEnvVars
</VirtualHost>
"""
PUBLIC, BY_PORT, TLS, PROXIED, NAMED, TLS_WITHOUT_CA = range(6)


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate for the server, which is the authority too, and `alice` with one of a client."""
    directory = tmp_path_factory.mktemp("tls")
    for name in ("server", "alice"):
        openssl("req", "-x509" if name == "server" else "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", *(
                ["-days", "2"] if name == "server" else []), "-keyout", directory / f"{name}.key", "-out", directory / f"{name}.pem")
    openssl("x509", "-req", "-in", directory / "alice.pem", "-CA", directory / "server.pem", "-CAkey", directory / "server.key",
            "-days", "2",
            "-set_serial", "7", "-out", directory / "alice.pem")
    server, alice = (types.SimpleNamespace(cert=directory / f"{name}.pem", key=directory / f"{name}.key") for name in ("server", "alice"))
    return types.SimpleNamespace(cert=server.cert, key=server.key, alice=alice)


class Hosts:
    """The server, and what visitors get from one of its hosts."""

    def __init__(self, server, application):
        self.server, self.application, self.go = server, application, server.ladder.go

    def see(self, number, path, *, source=None, **kwargs):
        """(what the page shows, the response)"""
        kwargs.setdefault("host", "site")
        kwargs["headers"] = {"Accept-Encoding": "gzip", **kwargs.get("headers", {})}
        response = self.server.get(path, port=self.server.ports[number], source=source or new_visitor(), **kwargs)
        return parse(plain(response)).get("shows"), response

    def until_kept(self, number, path, **kwargs):
        def kept():
            shows, response = self.see(number, path, **kwargs)
            return [shows] if hit(response) else None
        return eventually(kept, what=f"{path} to be answered from the store")[0]


@pytest.fixture(scope="module", params=ATTACKED)
def hosts(request, tls):
    only = request.config.getoption("--mpm")
    if only and request.param not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    build = build_of(request.param, request.config.getoption("--asan"))
    application = Application(build_seconds=0)
    with FastCgi(application) as fcgi:
        server = standby_server(lambda mpm, *, of, start, **kwargs: Server(of, mpm, **kwargs),
                                "event" if request.param == "stock" else request.param,
                                CONFIG.format(module=standby_module(build), port=fcgi.port, ages=ages(AGE), tls=tls), of=build,
                                extra_ports=6,
                                modules=("ssl", "http2"))
        (server.root / "htdocs" / "index.php").write_text("the application answers in its place\n")
        server.log.expect("AH01630", text="client denied by server configuration")
        server.log.expect("AH10034", text="prefork")      # mod_http2 does not work with it
        server.log.expect("AH01909", text="server certificate does NOT include an ID")
        server.log.expect("AH01906", text="server certificate is a CA certificate")
        # Debian's newest httpd is unpacked, not installed, and may be newer than this machine's OpenSSL
        server.log.expect("AH01882", text="compiled against a newer library")
        try:
            server.start()
            yield Hosts(server, application)
        finally:
            server.finish()


def staff():
    """An address that the guarded hosts let in."""
    return "127.251." + new_visitor().rpartition(".")[0].partition(".")[2]


def disguised(text):
    """So that no search finds it."""
    return codecs.encode(text, "rot13")[::-1]


@pytest.mark.parametrize("guarded", ["address", "port"])
def test_page_of_a_guarded_host_stays_there(hosts, guarded):
    """Two virtual hosts of one name, split by address or by port, before one application."""
    path = f"/guarded/{guarded}"
    hosts.application.shows[path] = lambda p: p.get("ROLE", "nobody")
    if guarded == "address":
        kwargs = {"host": "site", "address": "127.0.0.2"}
        number = PUBLIC
    else:
        kwargs, number = {"host": "site"}, BY_PORT
    names = ["site", f"site:{hosts.server.ports[BY_PORT]}", f"site:{hosts.server.ports[PUBLIC]}", "other"]
    for level in (4, 0, 4):
        hosts.go(level)
        for _ in range(3):
            assert hosts.see(number, path, source=staff(), **kwargs)[0] == "staff"
        assert {hosts.see(number, path, **kwargs)[1].status for _ in range(3)} == {403}, "a stranger at the guarded host"
        for name in names:
            seen = [hosts.see(PUBLIC, path, host=name) for _ in range(3)]
            assert {shows for shows, _ in seen} == {"nobody"}, (level, name)
    assert hosts.until_kept(PUBLIC, path) == "nobody"
    assert {hosts.see(number, path, **kwargs)[1].status for _ in range(3)} == {403}
    assert hosts.see(number, path, source=staff(), **kwargs)[0] == "staff"


def test_page_for_one_name_is_not_anothers(hosts):
    hosts.application.shows["/name"] = lambda p: disguised(p["HTTP_HOST"])
    hosts.go(4)
    for name in ("site", "other", f"site:{hosts.server.ports[PUBLIC]}", "SITE") * 2:
        for _ in range(3):      # two prove what the third may get
            assert hosts.see(PUBLIC, "/name", host=name)[0] == disguised(name)


@pytest.mark.parametrize("host", [TLS, TLS_WITHOUT_CA], ids=["optional", "optional_no_ca"])
def test_page_built_for_a_client_certificate_is_nobody_elses(hosts, tls, host):
    path = f"/certificate/{host}"
    hosts.application.shows[path] = lambda p: disguised(p.get("SSL_CLIENT_S_DN_CN", "nobody"))
    for level in (4, 0, 4):
        hosts.go(level)
        for _ in range(3):
            shows, response = hosts.see(host, path, tls=True, certificate=tls.alice)
            assert shows == disguised("alice") and passed_by(response)
        assert {hosts.see(host, path, tls=True)[0] for _ in range(4)} == {disguised("nobody")}
    assert hosts.until_kept(host, path, tls=True) == disguised("nobody")
    assert hosts.see(host, path, tls=True, certificate=tls.alice)[0] == disguised("alice")


def test_page_built_for_a_client_certificate_over_http2_is_nobody_elses(hosts, tls):
    if hosts.server.mpm == "prefork":
        pytest.skip("httpd speaks no HTTP/2 with prefork")
    hosts.application.shows["/h2"] = lambda p: disguised(p.get("SSL_CLIENT_S_DN_CN", "nobody"))

    def see(certificate=None):
        response = curl(hosts.server.ports[TLS], "/h2", source=new_visitor(), tls=True, certificate=certificate)
        return parse(plain(response))["shows"], response

    for level in (4, 0, 4):
        hosts.go(level)
        for _ in range(3):
            shows, response = see(tls.alice)
            assert shows == disguised("alice") and passed_by(response)
        assert {see()[0] for _ in range(3)} == {disguised("nobody")}
    eventually(lambda: hit(see()[1]), what="the page to be answered from the store over HTTP/2")
    assert see(tls.alice)[0] == disguised("alice")


def test_page_for_one_scheme_is_not_the_others(hosts):
    hosts.application.shows["/scheme"] = lambda p: disguised(p.get("HTTPS", "off"))
    hosts.go(4)
    for tls, shown in ((False, "off"), (True, "on"), (False, "off")):
        assert {hosts.see(TLS if tls else PUBLIC, "/scheme", tls=tls)[0] for _ in range(3)} == {disguised(shown)}


def test_visitors_behind_a_proxy_are_told_apart_by_mod_remoteip(hosts):
    def see(path, address):
        return hosts.see(PROXIED, path, source="127.0.0.1", headers={"X-Forwarded-For": address})

    hosts.application.shows["/proxied/address"] = lambda p: p["REMOTE_ADDR"]
    hosts.go(4)
    assert not any(hit(see("/proxied", "203.0.113.7")[1]) for _ in range(6)), "one visitor proves nothing"
    eventually(lambda: hit(see("/proxied", "198.51.100.8")[1]), what="another visitor to prove it")
    for address in ("203.0.113.7", "203.0.113.7", "198.51.100.8", "198.51.100.8", "192.0.2.9", "203.0.113.70", "203.0.113.7") * 2:
        assert see("/proxied/address", address)[0] == address
    reflected = standby_status(hosts.server.ports[PUBLIC], host="site").pages["StandbyReflects"]
    assert "/proxied/address the client's address" in reflected, "the address behind the proxy is looked for"


@pytest.mark.parametrize("alike, another", [(("203.0.113.7", "203.0.113.8", "203.0.113.200"), "198.51.100.8"),
                                            (("2001:db8:1::1", "2001:db8:1:ffff::2", "2001:db8:1:5::3"), "2001:db8:2::1")])
def test_visitors_of_one_network_prove_nothing(hosts, alike, another):
    """They may all be of one office, and one owner of IPv6 has as many addresses as one likes."""
    path = f"/network/{another[:4]}"
    hosts.application.shows[path] = lambda p: "office" if p["REMOTE_ADDR"] in alike else "public"
    hosts.go(4)
    for address in alike * 2:
        shows, response = hosts.see(PROXIED, path, source="127.0.0.1", headers={"X-Forwarded-For": address})
        assert shows == "office" and not hit(response)
    assert hosts.see(PROXIED, path, source="127.0.0.1", headers={"X-Forwarded-For": another})[0] == "public"


def test_visitors_behind_a_proxy_are_told_apart_by_the_named_header(hosts):
    def see(path, address):
        headers = {"X-Real-IP": address} if address else {}
        return hosts.see(NAMED, path, source="127.0.0.1", headers=headers)

    hosts.application.shows["/named/address"] = lambda p: p.get("HTTP_X_REAL_IP", "none")
    hosts.go(4)
    assert not any(hit(see("/named", "203.0.113.7")[1]) for _ in range(6)), "one visitor proves nothing"
    eventually(lambda: hit(see("/named", "198.51.100.8")[1]), what="another visitor to prove it")
    for address in ("203.0.113.7", "203.0.113.7", "198.51.100.8", "198.51.100.8", None, None, "192.0.2.9", "203.0.113.7") * 2:
        assert see("/named/address", address)[0] == (address or "none")


@pytest.mark.parametrize("alike", [("203.0.113.7", "203.0.113.9"), ("2001:db8:1:2::a", "2001:db8:1:3::b"), ("198.51.100.8:4711", "192.0.2.9:4712"),
                                   ("198.51.100.8, 203.0.113.7", "192.0.2.9, 203.0.113.7")], ids=["ipv4", "ipv6", "ports", "lists"])
def test_addresses_of_one_network_in_the_named_header_are_one_visitor(hosts, alike):
    """So is what is no address: each connection may have another."""
    hosts.go(4)
    path = "/network/" + "-".join(character for character in alike[0] if character.isalnum())
    assert not any(hit(hosts.see(NAMED, path, source="127.0.0.1", headers={"X-Real-IP": address})[1]) for address in alike * 4)


def test_address_of_a_visitor_is_on_nobody_elses_page(hosts):
    hosts.application.shows["/address"] = lambda p: f"you come from {p['REMOTE_ADDR']}."
    hosts.go(4)
    visitors = [new_visitor() for _ in range(4)]
    for source in [*visitors, *visitors[:1] * 3, *visitors, "127.0.0.1", "127.0.0.11", "127.0.0.1", "127.0.0.11"]:
        assert hosts.see(PUBLIC, "/address", source=source)[0] == f"you come from {source}."
    assert any(line.startswith("/address") for line in standby_status(hosts.server.ports[PUBLIC], host="site").pages["StandbyReflects"])
