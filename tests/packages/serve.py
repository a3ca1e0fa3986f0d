# SPDX-License-Identifier: Apache-2.0
"""Leaves an application of sites.py running on a plain Debian, set up by `ic2 init`, until it is ended: for loads of one's own. As root;
needs what tests/packages need. Says how to get at it, one NAME=VALUE a line; what is behind `enter` runs in its network, where any address
of 127.0.0.0/8 is a client's."""
import argparse
import pathlib
import signal
import sys
import tempfile

import sites
from plain import RELEASES, debian, have_agent, install_agent
from test_protected import COPIES
from view import View

#: Each page says when it was built.
BUILT = """$wgHooks['SkinAfterBottomScripts'][] = function ( $skin, &$text ) {
    $text .= sprintf( '<!-- built=%.3F -->', $_SERVER['REQUEST_TIME_FLOAT'] );
};
"""
APPLICATIONS = {
    "mediawiki": lambda view, asked: sites.mediawiki(view, articles=asked.articles, size=asked.size, settings=BUILT),
    "wordpress": lambda view, asked: sites.wordpress_site(view, asked.articles, COPIES),
    "dokuwiki": lambda view, asked: sites.dokuwiki(view, asked.articles)}


def main():
    parser = argparse.ArgumentParser(prog="serve.py", description=__doc__)
    parser.add_argument("application", choices=APPLICATIONS)
    parser.add_argument("--articles", type=int, default=160, help="default: %(default)s")
    parser.add_argument("--size", type=int, default=28_000, help="letters of an article of MediaWiki; default: %(default)s")
    parser.add_argument("--workers", type=int, default=5, help="php-fpm's processes; default: %(default)s, as Debian has it")
    parser.add_argument("--release", choices=RELEASES, default="bookworm", help="default: %(default)s")
    asked = parser.parse_args()
    base = debian(asked.release)
    with tempfile.TemporaryDirectory(prefix="ic2-serve-") as directory:
        place = pathlib.Path(directory)
        view = View(place, base=base, apart=True)
        try:
            view.run("sh", "-c", f"sed -i 's/^pm.max_children = .*/pm.max_children = {asked.workers}/' /etc/php/*/fpm/pool.d/www.conf")
            site = APPLICATIONS[asked.application](view, asked)
            have_agent(view)
            install_agent(view)
            print(site.set_up(), file=sys.stderr)
            print(f"url={site.server}{site.start_page}\npid={view.first}\nenter=nsenter --net --target={view.first}\n"
                  f"shell=nsenter --mount --net --pid --target={view.first} chroot {place}/all\nlevel={place}/all{sites.MAP}\n"
                  f"set-level=nsenter --mount --target={view.first} sh -c 'echo MITIGATION 3 >{place}/all{sites.MAP}'", flush=True)
            signal.pause()
        finally:
            view.end()


if __name__ == "__main__":
    for number in signal.SIGTERM, signal.SIGINT:
        signal.signal(number, lambda *_: sys.exit(0))
    main()
