# SPDX-License-Identifier: Apache-2.0
"""Web applications as Debian packages them, on a plain Debian's own apache2 with php-fpm. Each is installed by its own means and filled
with pages; what it serves is what a visitor of it would see."""
import json
import pathlib
import random
import subprocess

from plain import ALONE, PATIENCE_S, PHP, put, served, start, wordpress

STRANGERS = pathlib.Path(__file__).with_name("strangers.py")
MAP = "/var/lib/ic2/ladder/mitigation.map"

WORDS = """lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua enim ad
minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat""".split()

# Debian's sites have none, and its httpd asks for one
NAMED = "echo ServerName localhost >/etc/apache2/conf-available/server-name.conf && a2enconf -q server-name"
MEDIAWIKI = """
$wgUseCdn = true;
$wgCdnServers = [ '127.0.0.1:{port}' ];
$wgMainCacheType = CACHE_ACCEL;
"""
MEDIAWIKI_DATABASE = "CREATE DATABASE wiki; CREATE USER wiki@localhost IDENTIFIED BY 'wiki'; GRANT ALL ON wiki.* TO wiki@localhost"
PASSWORD = "not-a-secret-42"


def article(number, count, size):
    """Wiki text with headings, and links to others."""
    draw, lines = random.Random(number), []
    while sum(map(len, lines)) < size:
        words = [draw.choice(WORDS) for _ in range(60)]
        words.insert(draw.randrange(60), f"[[Article {draw.randrange(count)}]]")
        lines.append(("\n== " + draw.choice(WORDS).title() + " ==\n" if len(lines) % 4 == 3 else "") + " ".join(words) + ".\n")
    return "\n".join(lines) + f"\n[[Category:Kind {number % 5}]]\n"


def ask(view, *words):
    """What curl says, without a failure for what httpd answers."""
    return view.run("curl", "-sS", "--max-time", "60", *words)


class Site:
    """An application that a view serves."""

    def __init__(self, view, server, start_page):
        self.view = view
        self.server = server
        self.start_page = start_page

    def ask(self, path, *words, address="127.0.0.4"):
        """Head and body of an answer."""
        return self.view.run("curl", "-si", "--max-time", "60", "--interface", address, "-H", "Accept-Language: en", *words, self.server + path)

    def header(self, path, name, *words, **more):
        """None if the answer has no such header."""
        head = self.ask(path, *words, **more).split("\r\n\r\n")[0].splitlines()[1:]
        return next((line.split(":", 1)[1].strip() for line in head if line.lower().startswith(name.lower() + ":")), None)

    def level(self, number):
        """As the agent sets it; httpd reads it for each request."""
        self.view.as_user("ic2", "sh", "-c", f"echo 'MITIGATION {number}' >{MAP}.new && mv {MAP}.new {MAP}")

    def strangers(self, *words, given=None):
        done = subprocess.run(["nsenter", "--net", f"--target={self.view.first}", "/usr/bin/python3", STRANGERS, *words], input=json.dumps(given),
                              stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def crawl(self, limit):
        """The addresses of pages that two strangers have seen at level 0."""
        self.level(0)
        return self.strangers(self.server + self.start_page, str(limit))

    def compare(self, pages, level):
        """What the first of them and a third get there at this level, and what is wrong with it."""
        self.level(level)
        return self.strangers("compare", given=pages)

    def set_up(self, status=0):
        """With the agent's own command. Returns what it said."""
        return self.view.run("ic2", "init", "--yes", status=status)


def mediawiki(view, articles=30, size=6000, port=80, language="en", settings=""):
    """A wiki in MariaDB with articles that link to each other, at /mediawiki, set up as Debian and docs/applications.md say."""
    assert view.there(), view.answer
    view.run("sh", "-c", f"{ALONE} && {PHP['event and php-fpm']} && {NAMED} && a2enconf -q mediawiki")
    start(view, "mariadb", "php-fpm")
    view.run("mariadb", "-e", MEDIAWIKI_DATABASE)
    server = "http://localhost" + (f":{port}" if port != 80 else "")
    view.run("php", "/usr/share/mediawiki/maintenance/install.php", "--dbname", "wiki", "--dbuser", "wiki", "--dbpass", "wiki", "--server", server,
             "--scriptpath", "/mediawiki", "--lang", language, "--pass", PASSWORD, "--confpath", "/etc/mediawiki", "Test wiki", "Admin")
    view.run("sh", "-c", "mkdir /tmp/articles && chgrp www-data /etc/mediawiki/LocalSettings.php && chmod 640 /etc/mediawiki/LocalSettings.php")
    put(view, "/tmp/settings", (MEDIAWIKI.format(port=port) + settings).encode())
    view.run("sh", "-c", "cat /tmp/settings >>/etc/mediawiki/LocalSettings.php")
    texts = {f"Article {number}": article(number, articles, size) for number in range(articles)}
    texts[{"en": "Main Page", "de": "Hauptseite"}[language]] = "Welcome.\n\n" + "\n".join(f"* [[{name}]]" for name in texts)
    # in one call: each would take half a second
    put(view, "/tmp/fill", "".join(f"{name}\0{text}\0" for name, text in texts.items()).encode())
    view.run("sh", "-c", "cd /tmp/articles && php -r '$all = explode(\"\\0\", file_get_contents(\"/tmp/fill\")); "
             "for ($i = 0; $i + 1 < count($all); $i += 2) file_put_contents($all[$i] . \".txt\", $all[$i + 1]);'")
    view.run("sh", "-c", "cd /tmp/articles && php /usr/share/mediawiki/maintenance/importTextFiles.php --overwrite -u Admin *.txt && "
             "php /usr/share/mediawiki/maintenance/runJobs.php")
    start(view, "apache2")
    served.wait(lambda: "Welcome." in ask(view, "-L", f"{server}/mediawiki/index.php"), "the wiki", PATIENCE_S)
    return Site(view, server, "/mediawiki/index.php")


def wordpress_site(view, posts, copies):
    """The WordPress of test_install with more posts."""
    place = wordpress(view, "event and php-fpm")
    view.run("mariadb", "blog", "-e", copies.format(posts=posts))
    return Site(view, "http://localhost", place.page)


DOKUWIKI = """
<Directory /usr/share/dokuwiki>
    Require all granted
</Directory>
"""


def dokuwiki(view, articles=10):
    """A wiki of text files at /dokuwiki, for everybody."""
    assert view.there(), view.answer
    view.run("sh", "-c", f"{ALONE} && {PHP['event and php-fpm']} && {NAMED} && a2enconf -q dokuwiki && "
             "sed -i -e '/order allow,deny/d' -e '/Allow from/d' /etc/dokuwiki/apache.conf && "
             # Debian 13 sets up rights that nobody has before an administrator grants them
             "sed -i \"/'useacl'/s/1/0/\" /etc/dokuwiki/local.php")
    put(view, "/etc/apache2/conf-available/open.conf", DOKUWIKI.encode())
    view.run("a2enconf", "-q", "open")
    view.run("sh", "-c", "install -d -o www-data -g www-data /var/lib/dokuwiki/data/pages")
    for number in range(articles):
        text = article(number, articles, 2000).replace("[[Article ", "[[article_")
        put(view, f"/var/lib/dokuwiki/data/pages/article_{number}.txt", text.encode())
    put(view, "/var/lib/dokuwiki/data/pages/start.txt", "\n".join(f"  * [[article_{number}]]" for number in range(articles)).encode())
    start(view, "php-fpm", "apache2")
    served.wait(lambda: "article_1" in ask(view, "-L", "http://localhost/dokuwiki/doku.php"), "the wiki", PATIENCE_S)
    return Site(view, "http://localhost", "/dokuwiki/doku.php")
