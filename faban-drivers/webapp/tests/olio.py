# SPDX-License-Identifier: Apache-2.0
"""A client for the web application: cookies, forms, uploads, no redirects of its own. Standard library only."""
import gzip
import http.client
import itertools
import re
import secrets
import ssl
import urllib.parse


class Page:
    """One response. Header names are in lower case; of a repeated header the last one counts."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.cookies = [value for name, value in headers if name.lower() == "set-cookie"]
        self.body = body

    @property
    def text(self):
        packed = self.headers.get("content-encoding") == "gzip"
        return (gzip.decompress(self.body) if packed else self.body).decode("utf-8")

    @property
    def from_cache(self):
        return self.headers.get("x-cache", "").startswith("HIT")

    @property
    def user(self):
        return self.headers.get("x-user")

    @property
    def built(self):
        """When the application built the page, in epoch seconds."""
        return float(self.headers["x-built"])

    @property
    def name(self):
        match = re.search(r'<body data-page="([a-z-]+)" data-user="([a-z0-9]+)"', self.text)
        return match.group(1) if match else None

    @property
    def shown_user(self):
        return re.search(r'data-user="([a-z0-9]+)"', self.text).group(1)

    @property
    def csrf(self):
        return re.search(r'name="_csrf" value="([0-9a-f]{32})"', self.text).group(1)

    @property
    def location(self):
        return self.headers.get("location")


# 127.1.1.1 and on: each visitor has an address of its own, as on the Internet
_addresses = (f"127.{a}.{b}.{c}" for a, b, c in itertools.product(range(1, 250), repeat=3))


class Client:
    """One visitor with an address of its own, cookies and one kept connection."""

    def __init__(self, base, headers=None, timeout=30):
        self.base = urllib.parse.urlsplit(base)
        self.headers = headers or {}
        self.cookies = {}
        self.timeout = timeout
        self.connection = None
        self.source = (next(_addresses), 0) if self.base.hostname == "127.0.0.1" else None

    def _connect(self):
        if self.base.scheme == "https":
            # a certificate made for this run: no authority has signed it
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            return http.client.HTTPSConnection(self.base.hostname, self.base.port, timeout=self.timeout, context=context,
                                               source_address=self.source)
        return http.client.HTTPConnection(self.base.hostname, self.base.port, timeout=self.timeout, source_address=self.source)

    def request(self, method, path, body=None, headers=None):
        cookies = [f"{name}={value}" for name, (value, where) in self.cookies.items() if path.startswith(where)]
        all_headers = dict(self.headers, **(headers or {}))
        if cookies:
            all_headers["Cookie"] = "; ".join(cookies)
        fresh = self.connection is None
        if fresh:
            self.connection = self._connect()
        try:
            self.connection.request(method, path, body, all_headers)
            response = self.connection.getresponse()
            page = Page(response.status, response.getheaders(), response.read())
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.close()
            if fresh:
                raise
            return self.request(method, path, body, headers)
        if response.will_close:
            self.close()
        self._keep(page)
        return page

    def _keep(self, page):
        for cookie in page.cookies:
            name, value = cookie.split(";")[0].split("=", 1)
            where = re.search(r"path=([^;]+)", cookie, re.I)
            if re.search(r"Max-Age=0", cookie, re.I):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = (value, where.group(1) if where else "/")

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def post(self, path, **fields):
        return self.request("POST", path, urllib.parse.urlencode(fields),
                            {"Content-Type": "application/x-www-form-urlencoded"})

    def multipart(self, path, fields, image=None, document=None):
        """image, document: (file name, content type, bytes) for the fields of these names."""
        edge = secrets.token_hex(12)
        parts = [f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                 for name, value in fields.items()]
        for field, file in (("image", image), ("document", document)):
            if not file:
                continue
            name, kind, data = file
            parts.append(f'--{edge}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
                         f"Content-Type: {kind}\r\n\r\n".encode() + data + b"\r\n")
        parts.append(f"--{edge}--\r\n".encode())
        return self.request("POST", path, b"".join(parts), {"Content-Type": f"multipart/form-data; boundary={edge}"})

    def login(self, person):
        """Logs in as one of the seeded persons; returns the answer to the POST."""
        form = self.get("/login")
        return self.post("/login", _csrf=form.csrf, login=f"user{person}", password=f"pass{person}")

    def add_event(self, image=None, document=None, **changed):
        form = self.get("/add-event")
        fields = {"_csrf": form.csrf, "title": "Harbour Swim", "summary": "We swim across the harbour.",
                  "description": "Bring a towel.\nAnd a friend.", "place": "Old Pier", "starts": "2026-08-01T10:00",
                  "tags": "swimming, harbour"}
        fields.update(changed)
        return self.multipart("/add-event", fields, image, document)

    def add_person(self, image=None, **changed):
        form = self.get("/add-person")
        fields = {"_csrf": form.csrf, "login": "n" + secrets.token_hex(6), "password": "correct horse", "name": "Nelly New",
                  "city": "Riga", "summary": "I swim."}
        fields.update(changed)
        return self.multipart("/add-person", fields, image)
