# SPDX-License-Identifier: Apache-2.0
"""A small blog that treats a web server as WordPress does: a front controller behind rewrite rules that take every address
that is no file, further scripts in a directory of their own, cookies whose names end in hashes, comments that are followed
by a redirection, and links that believe X-Forwarded-Proto. It sends a validator with every page."""

import itertools
import re
import threading

HASH = "5c016e8f0f95f039102cbe8366c5c7f3"
MEMBER = f"wordpress_logged_in_{HASH}"
# WordPress' own rules, for a virtual host and for .htaccess; there with a common one before them, against slashes at the end
RULES = """
    RewriteEngine On
    RewriteRule ^/index\\.php$ - [L]
    RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f
    RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d
    RewriteRule . /index.php [L]
"""
HTACCESS = """RewriteEngine On
RewriteBase /
RewriteCond %{REQUEST_FILENAME} !-d
RewriteCond %{REQUEST_URI} (.+)/$
RewriteRule ^ %1 [L,R=301]
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
"""
FILES = {"index.php": "the blog answers\n", "wp-login.php": "the blog answers\n", "wp-comments-post.php": "the blog answers\n",
         "wp-admin/index.php": "the blog answers\n", "licence": "a file without a suffix\n", "empty/.keep": ""}


def lay_out(htdocs):
    for name, text in FILES.items():
        (htdocs / name).parent.mkdir(exist_ok=True)
        (htdocs / name).write_text(text)


class Blog:
    def __init__(self, root):
        self.root = str(root)
        self.serial = itertools.count()
        self.lock = threading.Lock()
        self.comments = []

    def __call__(self, parameters):
        script = re.sub(r"^proxy:fcgi://[^/]*", "", parameters["SCRIPT_FILENAME"]).removeprefix(self.root)
        uri = parameters["REQUEST_URI"]
        member = re.search(rf"{MEMBER}=(\w+)", parameters.get("HTTP_COOKIE", ""))
        headers = [("Status", "200"), ("Content-Type", "text/html; charset=UTF-8"), ("ETag", '"page"')]
        if parameters["REQUEST_METHOD"] == "POST":
            with self.lock:
                self.comments.append(parameters["QUERY_STRING"])
            if "refused" in parameters["QUERY_STRING"]:
                return [("Status", "403"), ("Content-Type", "text/html")], "no\n"
            if "thanks" in parameters["QUERY_STRING"]:
                return headers, "thank you\n"
            to = "/on-the-way" if "far" in parameters["QUERY_STRING"] else "/2024/post"
            return [("Status", "302"), ("Location", to), ("Content-Type", "text/html")], ""
        if uri == "/on-the-way":
            return [("Status", "302"), ("Location", "/2024/post"), ("Content-Type", "text/html")], ""
        cart = re.search(r"cart=(\w+)", parameters.get("HTTP_COOKIE", ""))
        asked = ",".join(f"{name}={value}" for name, value in sorted(parameters.items())
                         if re.match(r"HTTP_(X_|HOST|FRONT|ORIGIN|FORWARDED|ACCEPT$)|CONTENT_LENGTH", name) and value)
        with self.lock:
            comments = ",".join(self.comments)
        return headers, "\n".join([f"script={script}", f"uri={uri}", f"name={parameters['SCRIPT_NAME']}",
                                   f"info={parameters.get('PATH_INFO', '')}", f"member={member[1] if member else ''}",
                                   f"cart={cart[1] if cart else ''}", f"asked={asked}", f"comments={comments}",
                                   f"<!-- serial={next(self.serial)} -->", ""])


def facts(response):
    """What a page says of itself; of other answers the text."""
    lines = [line.removeprefix("<!-- ").removesuffix(" -->").partition("=") for line in response.text.splitlines()]
    return {name: value for name, _, value in lines} if response.text.startswith("script=") else {"text": response.text}
