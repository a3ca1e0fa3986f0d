import pytest

from pyhttpd.conf import HttpdConf


# mod_so itself is always linked in
class TestBuiltinModule:

    def install(self, env, module, file):
        conf = HttpdConf(env, extras={
            'base': f'LoadModule {module} "{env.libexec_dir}/{file}"',
        })
        conf.add_vhost_test1()
        conf.install()

    @pytest.fixture(autouse=True, scope='class')
    def _class_scope(self, env):
        yield
        HttpdConf(env).install()
        assert env.apache_restart() == 0

    # a module that is linked in need not be loaded, whether or not there is a file
    @pytest.mark.parametrize("file", ["mod_so.so", "mod_alias.so"])
    def test_core_021_01(self, env, file):
        self.install(env, "so_module", file)
        assert env.apache_restart() == 0
        r = env.curl_get(env.mkurl("http", "test1", "/alive.json"))
        assert r.response["status"] == 200

    # one that is neither linked in nor there is an error as before
    @pytest.mark.parametrize("module", ["none_module", "s_module", "so_modul", "core_module"])
    def test_core_021_02(self, env, module):
        self.install(env, module, "mod_none.so")
        assert env.apache_fail() == 0
