# SPDX-License-Identifier: Apache-2.0
"""Other ways than FastCGI in which httpd reaches an application: HTTP (mod_proxy_http) and CGI."""

import http.server
import threading


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parameters = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in self.headers.items()}
        headers, body = self.server.respond({**parameters, "PATH_INFO": self.headers["X-Path-Info"], "REQUEST_METHOD": "GET"})
        body = body.encode()
        self.send_response_only(int(dict(headers)["Status"].split()[0]))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Http:
    """Answers over HTTP/1.0 with what `respond` says (see harness.fcgi). The path comes in a header, for SetHandler does
    not pass it on; CONFIG are the lines for httpd."""

    CONFIG = 'SetHandler "proxy:http://127.0.0.1:{port}"\n    RequestHeader set X-Path-Info "expr=%{{PATH_INFO}}"'

    def __init__(self, respond):
        self.respond = respond

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.respond = self.respond
        self.config = self.CONFIG.format(port=self.server.server_address[1])
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


# The headers are lines of the file headers/PATH_INFO beside the script; "@" becomes the serial number of the page.
CGI_SCRIPT = """#!/bin/sh
serial=$(date +%s%N)$$
[ ! -f "headers$PATH_INFO" ] || sed "s/@/$serial/" "headers$PATH_INFO"
printf 'Content-Type: text/html\\n\\n<!-- serial=%s -->\\nuser=anon path=%s\\n' "$serial" "$PATH_INFO"
"""
