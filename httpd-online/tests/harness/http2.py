# SPDX-License-Identifier: Apache-2.0
"""Clients of HTTP/2."""

import re
import subprocess

from .client import Response


def nghttp(server, *paths, headers=()):
    """Response headers of each stream of one connection, in the order of the streams."""
    options = [word for name, value in dict(headers).items() for word in ("-H", f"{name}: {value}")]
    done = subprocess.run(["nghttp", "-v", "-n", "--no-dep", *options, *(f"http://127.0.0.1:{server.port}{p}" for p in paths)],
                          capture_output=True, text=True, timeout=120, check=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    streams = {}
    for stream, name, value in re.findall(r"recv \(stream_id=(\d+)\) (\S+): (.*)", plain):
        streams.setdefault(int(stream), {})[name] = value
    return [streams[number] for number in sorted(streams)]


def curl(port, path, *, source="127.0.0.1", headers=(), method="GET", tls=False, certificate=None, body=None):
    """One request over HTTP/2 from an address of one's own."""
    options = [word for name, value in dict(headers).items() for word in ("-H", f"{name}: {value}")]
    options += ["-k", "--http2"] if tls else ["--http2-prior-knowledge"]
    options += ["--cert", certificate.cert, "--key", certificate.key] if certificate else []
    options += ["--data-binary", body] if body is not None else []
    command = ["curl", "-s", "-i", "--max-time", "60", "--interface", source, "-X", method, *options,
               f"{'https' if tls else 'http'}://127.0.0.1:{port}{path}"]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    assert first.startswith("HTTP/2 "), first
    return Response(int(first.split()[1]), [tuple(part.strip() for part in line.lower().split(":", 1)[:1]) + (line.split(":", 1)[1].strip(),)
                                            for line in lines], body, 0)
