# SPDX-License-Identifier: Apache-2.0
"""A FastCGI responder that answers with the parameters it got, one NAME=value a line."""

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
                body = "".join(f"{n}={v}\n" for n, v in sorted(parse_parameters(parameters).items()))
                self._answer(request, f"Status: 200\r\nContent-Type: text/plain\r\n\r\n{body}".encode())
                parameters = b""

    def _answer(self, request, data):
        out = b""
        for at in range(0, len(data), 65535):
            part = data[at:at + 65535]
            out += HEADER.pack(1, STDOUT, request, len(part), 0) + part
        out += HEADER.pack(1, STDOUT, request, 0, 0) + HEADER.pack(1, END, request, 8, 0) + bytes(8)
        self.wfile.write(out)


class _Tcp(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class FastCgi:
    def __enter__(self):
        self.server = _Tcp(("127.0.0.1", 0), _Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
