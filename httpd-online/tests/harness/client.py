# SPDX-License-Identifier: Apache-2.0
"""A raw HTTP/1.1 client for one connection: it sees what the server does to the connection."""

import select
import socket
import ssl
import time
from dataclasses import dataclass, field


class Closed(Exception):
    """The server closed or reset the connection; `sent` tells whether a request was on the wire."""


@dataclass
class Response:
    status: int
    headers: list
    body: bytes
    seconds: float
    at: float = field(default_factory=time.monotonic)

    def __getitem__(self, name):
        """The value of the header, or None."""
        return next((v for n, v in self.headers if n == name.lower()), None)

    @property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def keep_alive(self):
        """Seconds of the Keep-Alive header, None if there is none."""
        for part in (self["keep-alive"] or "").split(","):
            name, _, value = part.strip().partition("=")
            if name == "timeout":
                return int(value)
        return None

    @property
    def closing(self):
        return (self["connection"] or "").lower() == "close"


class Connection:
    """One connection. Times out after `timeout` seconds, which is a failure. `source` is the client's own port, or its address:
    any of 127.0.0.0/8 will do. `certificate` is what the client shows, with .cert and .key."""

    def __init__(self, port, *, host="localhost", tls=False, timeout=60, address="127.0.0.1", source=0, certificate=None):
        self.host = host
        own = (source, 0) if isinstance(source, str) else ("", source)
        self.socket = socket.create_connection((address, port), timeout=timeout, source_address=own)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            if certificate:
                context.load_cert_chain(certificate.cert, certificate.key)
            self.socket = context.wrap_socket(self.socket, server_hostname=host)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, path="/", *, method="GET", headers=(), body=b""):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}"]
        # httpd sends the Keep-Alive header, with the timeout, only to those who ask for it
        lines += [f"{n}: {v}" for n, v in {"Connection": "keep-alive", **dict(headers)}.items()]
        if body and not any(line.startswith("Transfer-Encoding") for line in lines):
            lines.append(f"Content-Length: {len(body)}")
        try:
            self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed(str(error)) from error

    def get(self, path="/", *, headers=(), method="GET", body=b""):
        start = time.monotonic()
        self.send(path, headers=headers, method=method, body=body)
        return self.receive(start, head_only=method == "HEAD")

    def receive(self, start=None, *, head_only=False):
        start = start or time.monotonic()
        head = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = int(head[0].split()[1])
        headers = [(n.strip().lower(), v.strip()) for n, _, v in (line.partition(":") for line in head[1:] if line)]
        response = Response(status, headers, b"", 0)
        if status == 100:
            return self.receive(start, head_only=head_only)
        if head_only or status in (204, 304):
            response.body = b""
        elif "chunked" in (response["transfer-encoding"] or ""):
            response.body = self._chunks()
        elif response["content-length"] is not None:
            response.body = self._exactly(int(response["content-length"]))
        else:
            response.body = self._rest()
        response.seconds = time.monotonic() - start
        response.at = time.monotonic()
        return response

    def wait_closed(self, timeout):
        """Seconds until the server closes this idle connection; None if it did not within `timeout`."""
        start = time.monotonic()
        ready, _, _ = select.select([self.socket], [], [], timeout)
        if not ready:
            return None
        try:
            data = self.socket.recv(4096)
        except ConnectionResetError:
            data = b""
        assert data == b"", f"the server sent {data!r} without a request"
        return time.monotonic() - start

    def is_open(self):
        return self.wait_closed(0) is None

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError as error:
            raise Closed("reset by the server") from error
        if not data:
            raise Closed(f"closed by the server after {len(self.buffer)} bytes of a response")
        self.buffer += data

    def _until(self, mark):
        while mark not in self.buffer:
            self._more()
        head, _, self.buffer = self.buffer.partition(mark)
        return head

    def _exactly(self, count):
        while len(self.buffer) < count:
            self._more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def _chunks(self):
        body = b""
        while True:
            size = int(self._until(b"\r\n").split(b";")[0], 16)
            if size == 0:
                while self._until(b"\r\n"):
                    pass
                return body
            body += self._exactly(size)
            self._exactly(2)

    def _rest(self):
        while True:
            try:
                self._more()
            except Closed:
                data, self.buffer = self.buffer, b""
                return data


def fetch(port, path="/", *, headers=(), method="GET", body=b"", **kwargs):
    """One request on a connection of its own; see Connection for the arguments."""
    with Connection(port, **kwargs) as connection:
        return connection.get(path, headers={"Connection": "close", **dict(headers)}, method=method, body=body)
