# SPDX-License-Identifier: Apache-2.0
"""From a plain Debian 12 and 13 that serves WordPress by Debian's packages to an agent that watches, and back."""
import pytest
from plain import PHP, have_agent, install_agent, served, wordpress
from view import View


@pytest.fixture(scope="module", params=PHP)
def blog(debian, request, tmp_path_factory):
    seen = View(tmp_path_factory.mktemp("view"), base=debian, apart=True)
    try:
        place = wordpress(seen, request.param)
        have_agent(seen)
        seen.run("apt-get", "install", "-y", "/tmp/libapache2-mod-standby.deb")
        place.plain = place.etc()
        install_agent(seen)
        yield place
    finally:
        seen.end()


def test_set_up_while_visitors_come_and_taken_back(blog):
    served.set_up_and_taken_back(blog)


def test_pages_come_from_the_store_and_no_member_gets_one(blog):
    said = blog.view.run("ic2", "init", "--yes")
    assert "WordPress in /usr/share/wordpress" in said
    said = blog.view.as_user("ic2", "ic2", "check", "--ladder", "http://localhost/", "--cookie", "wordpress_logged_in_5c01=ann")
    assert "MISSING" not in said and "3 of 3 from the store" in said and "its owner is kept away from the store" in said, said
    blog.view.run("ic2", "init", "--remove")


def test_what_fails_in_the_middle_leaves_all_as_it_was(blog):
    served.broken_in_the_middle_all_is_as_it_was(blog)


def test_gone_with_the_package(blog):
    served.left_with_the_package(blog, blog.plain)
    assert not blog.view.has("/tmp/hsperfdata_root"), "Java left its figures"
