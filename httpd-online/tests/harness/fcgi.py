# SPDX-License-Identifier: Apache-2.0
"""A FastCGI responder: answers with the parameters it got, one NAME=value a line, or as a function says."""

import socketserver
import struct
import threading

BEGIN, END, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6
HEADER = struct.Struct(">BBHHBx")


def _length(data, at):
    if data[at] < 128:
        return data[at], at + 1
    return struct.unpack_from(">I", data, at)[0] & 0x7FFFFFFF, at + 4


def parse_parameters(data):
    at, parameters = 0, {}
    while at < len(data):
        name_length, at = _length(data, at)
        value_length, at = _length(data, at)
        name = data[at:at + name_length].decode()
        parameters[name] = data[at + name_length:at + name_length + value_length].decode()
        at += name_length + value_length
    return parameters


class Broken(str):
    """The beginning of a body whose application then dies."""


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        parameters = b""
        while True:
            header = self.rfile.read(HEADER.size)
            if len(header) < HEADER.size:
                return
            _, kind, request, length, padding = HEADER.unpack(header)
            content = self.rfile.read(length + padding)[:length]
            if kind == PARAMS:
                parameters += content
            elif kind == STDIN and not length:
                headers, body = self.server.respond(parse_parameters(parameters))
                head = "".join(f"{n}: {v}\r\n" for n, v in headers)
                broken = isinstance(body, Broken)
                self._answer(request, f"{head}\r\n{body}".encode(), end=not broken)
                if broken:
                    return
                parameters = b""

    def _answer(self, request, data, end=True):
        out = b""
        for at in range(0, len(data), 65535):
            part = data[at:at + 65535]
            out += HEADER.pack(1, STDOUT, request, len(part), 0) + part
        if end:
            out += HEADER.pack(1, STDOUT, request, 0, 0) + HEADER.pack(1, END, request, 8, 0) + bytes(8)
        self.wfile.write(out)


def echo(parameters):
    """The default answer."""
    return ([("Status", "200"), ("Content-Type", "text/plain")],
            "".join(f"{n}={v}\n" for n, v in sorted(parameters.items())))


class _Tcp(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 1024


class FastCgi:
    """`respond`: from the parameters to a list of headers, Status among them, and the body."""

    def __init__(self, respond=echo):
        self.respond = respond

    def __enter__(self):
        self.server = _Tcp(("127.0.0.1", 0), _Handler)
        self.server.respond = self.respond
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
