import gzip
import os

import pytest

from pyhttpd.conf import HttpdConf


class TestDeflateLevel:

    # something that a higher level makes less of
    TEXT = "".join(f"{n * 7919 % 1000} and {n % 13};" for n in range(5000)).encode()

    @pytest.fixture(autouse=True, scope='class')
    def _class_scope(self, env):
        with open(os.path.join(env.server_docs_dir, "test1", "deflate-level.txt"), 'wb') as fd:
            fd.write(TestDeflateLevel.TEXT)
        conf = HttpdConf(env, extras={
            'base': [
                "DeflateCompressionLevel 1",
                'SetEnvIf X-Level "^(.*)$" deflate-level=$1',
            ],
        })
        conf.add_vhost_test1()
        conf.install()
        assert env.apache_restart() == 0

    def compressed(self, env, level=None):
        options = ["-H", "Accept-Encoding: gzip"]
        if level is not None:
            options.extend(["-H", f"X-Level: {level}"])
        url = env.mkurl("http", "test1", "/deflate-level.txt")
        r = env.curl_get(url, options=options)
        assert r.response["status"] == 200
        assert r.response["header"]["content-encoding"] == "gzip"
        assert gzip.decompress(r.response["body"]) == TestDeflateLevel.TEXT
        return r.response["body"]

    # each response has the level that the variable names
    def test_core_020_01(self, env):
        sizes = [len(self.compressed(env, level=n)) for n in (1, 6, 9)]
        assert max(sizes) == sizes[0] and len(set(sizes)) == 3

    # without it, that of DeflateCompressionLevel
    def test_core_020_02(self, env):
        configured = self.compressed(env)
        assert configured == self.compressed(env, level=1)
        assert configured != self.compressed(env, level=9)

    # what is no level is as if it were not there
    @pytest.mark.parametrize("level", ["0", "10", "-1", "9x", "x9", "9 9", "nine"])
    def test_core_020_03(self, env, level):
        assert self.compressed(env, level=level) == self.compressed(env)
