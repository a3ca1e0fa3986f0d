# SPDX-License-Identifier: Apache-2.0
"""A client of HTTP/2, without TLS."""

import re
import subprocess


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
