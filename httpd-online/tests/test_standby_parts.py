# SPDX-License-Identifier: Apache-2.0
"""standby-parts.php: a part is built below the levels, served while it is young above, and is never somebody else's."""

import json
import os
import pathlib
import re
import subprocess

import pytest

LIBRARY = pathlib.Path(__file__).resolve().parents[1] / "docs/php/standby-parts.php"
#: A cache of PSR-16 and one of PSR-6, in memory, that hold to what those say of keys.
CACHES = r"""
function key_is_legal(string $key): void {
    if ($key === '' || preg_match('~[{}()/\\\\@:]~', $key) || strlen($key) > 100) { throw new InvalidArgumentException("illegal key $key"); }
}
final class Simple {
    public array $all = [];
    public function get($key, $default = null) { key_is_legal($key); return $this->all[$key] ?? $default; }
    public function set($key, $value, $ttl = null) { key_is_legal($key); assert(is_int($ttl) && $ttl > 0); $this->all[$key] = $value; return true; }
    public function delete($key) { key_is_legal($key); unset($this->all[$key]); return true; }
}
final class Item {
    public bool $hit = false; public mixed $value = null; public mixed $ttl = null;
    public function __construct(public string $key) {}
    public function isHit() { return $this->hit; }
    public function get() { return $this->value; }
    public function set($value) { $this->value = $value; return $this; }
    public function expiresAfter($ttl) { $this->ttl = $ttl; return $this; }
}
final class Pool {
    public array $all = [];
    public function getItem($key) { key_is_legal($key); $item = new Item($key); if (isset($this->all[$key])) { $item->hit = true; $item->value = $this->all[$key]; } return $item; }
    public function save($item) { assert(is_int($item->ttl) && $item->ttl > 0); $this->all[$item->key] = $item->value; return true; }
    public function deleteItem($key) { unset($this->all[$key]); return true; }
}
"""
STORES = {"psr-16": "new Simple()", "psr-6": "new Pool()", "apcu": "new Ic2\\ApcuParts()", "files": "new Ic2\\FileParts($argv[1])"}


def php(code, directory="", *, status=0):
    """What the code prints, as JSON, and what it logs."""
    script = f"require '{LIBRARY}'; {CACHES} {code}"
    done = subprocess.run(["php", "-d", "apc.enable_cli=1", "-d", "zend.assertions=1", "-d", "error_log=", "-d", "display_errors=stderr", "-r", script, "--",
                           str(directory)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if done.stdout else None, done.stderr


@pytest.fixture(params=STORES)
def store(request):
    return STORES[request.param]


def test_below_the_levels_it_is_built_and_above_it_is_stored(store, tmp_path):
    said, errors = php(f"""
        $store = {store}; $out = [];
        foreach ([0, 2, 3, 4, 6, 2, 3] as $level) {{
            $parts = new Ic2\\StandbyParts($store, server: ['MITIGATION' => (string) $level], cookies: [], everybody: true);
            $out[] = $parts->part('news', function () use (&$built) {{ return 'build ' . ++$built; }});
        }}
        echo json_encode($out);""", tmp_path)
    assert said == ["build 1", "build 2", "build 2", "build 2", "build 2", "build 3", "build 3"] and not errors


def test_it_gets_as_old_as_the_level_allows_and_no_older(store, tmp_path):
    said, _ = php(f"""
        $store = {store}; $out = []; $begun = microtime(true);
        $part = fn (int $level) => (new Ic2\\StandbyParts($store, [3 => 1, 4 => 3], server: ['MITIGATION' => (string) $level], cookies: [], everybody: true))
            ->part('news', fn () => microtime(true));
        for ($end = microtime(true) + 5; microtime(true) < $end; usleep(20000)) {{
            foreach ([3, 4] as $level) {{ $asked = microtime(true); $out[] = [$level, $asked - $part($level)]; }}
        }}
        echo json_encode($out);""", tmp_path)
    oldest = {level: max(age for of, age in said if of == level) for level in (3, 4)}
    assert 0.5 < oldest[3] < 1 and oldest[4] < 3, oldest


def test_no_part_is_another_users(store, tmp_path):
    """Keys and users that a careless joining would take for one another, private and public, in any order."""
    said, _ = php(f"""
        $store = {store}; $wrong = []; $kept = 0; $seen = [];
        $users = ['ann', 'bob', '', '0', "ann\\n", 'null', "a\\nb"]; $keys = ['basket', "basket\\nann", '', 'a', "a\\na", 'true', "\\xff", "\\xfe", '["basket",true,"ann"]'];
        mt_srand(7);
        for ($i = 0; $i < 20000; $i++) {{
            $user = $users[mt_rand(0, 6)]; $key = $keys[mt_rand(0, 8)]; $private = mt_rand(0, 1) === 1;
            $parts = new Ic2\\StandbyParts($store, user: fn () => $user, server: ['MITIGATION' => (string) mt_rand(2, 6)], cookies: [], everybody: true);
            $fresh = false;
            $got = $parts->part($key, function () use (&$fresh, $user, $key, $private) {{ $fresh = true; return bin2hex($key) . ($private ? '/' . bin2hex($user) : ''); }}, $private);
            $kept += !$fresh;
            if ($got !== bin2hex($key) . ($private ? '/' . bin2hex($user) : '')) {{ $wrong[] = [$user, $key, $got]; }}
            if ($private && $user === '' && !$fresh) {{ $wrong[] = ['nobody', $key]; }}
        }}
        echo json_encode([count($wrong), $kept], JSON_INVALID_UTF8_SUBSTITUTE);""", tmp_path)
    assert said[0] == 0 and said[1] > 5000


def test_who_has_just_written_gets_it_built_and_so_do_others_then(store, tmp_path):
    said, _ = php(f"""
        $store = {store};
        $part = fn (array $cookies, string $text) => (new Ic2\\StandbyParts($store, server: ['MITIGATION' => '4'], cookies: $cookies, everybody: true))->part('list', fn () => $text);
        echo json_encode([$part([], 'old'), $part([], 'x'), $part(['ic2_fresh' => '1'], 'new'), $part([], 'y')]);""", tmp_path)
    assert said == ["old", "old", "new", "new"]


def test_what_is_forgotten_is_built(store, tmp_path):
    said, _ = php(f"""
        $parts = new Ic2\\StandbyParts({store}, user: fn () => 'ann', server: ['MITIGATION' => '4'], cookies: [], everybody: true);
        $out = [$parts->part('a', fn () => 1), $parts->part('a', fn () => 2, private: true)];
        $parts->forget('a');
        $out[] = $parts->part('a', fn () => 3); $out[] = $parts->part('a', fn () => 4, private: true);
        $parts->forget('a', private: true); $parts->forget('never-there');
        $out[] = $parts->part('a', fn () => 5); $out[] = $parts->part('a', fn () => 6, private: true);
        echo json_encode($out);""", tmp_path)
    assert said == [1, 2, 3, 2, 3, 6]


@pytest.mark.parametrize("value", ["''", "null", "false", "0", "1.5", "['a' => [1, null, 'x']]", "str_repeat('x', 2000000)"])
def test_each_value_comes_back(store, tmp_path, value):
    said, _ = php(f"""
        $parts = new Ic2\\StandbyParts({store}, server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        $value = {value};
        echo json_encode([$parts->part('v', fn () => $value) === $value, $parts->part('v', fn () => 'another') === $value]);""", tmp_path)
    assert said == [True, True]


def test_an_object_is_refused(store, tmp_path):
    said, _ = php(f"""
        $parts = new Ic2\\StandbyParts({store}, server: ['MITIGATION' => '0'], cookies: [], everybody: true);
        try {{ $parts->part('o', fn () => ['a' => new DateTime()]); }} catch (InvalidArgumentException $e) {{ echo json_encode($e->getMessage()); }}""", tmp_path)
    assert said == "standby_part: o: expected text, or scalars and arrays, got DateTime"


@pytest.mark.parametrize("level", ["''", "'-1'", "'3x'", "' 3'", "'999999'", "'3\\n'", "null", "3", "[]"])
def test_a_level_that_is_none_is_0(level):
    said, _ = php(f"echo json_encode([(new Ic2\\StandbyParts(new Simple(), server: ['MITIGATION' => {level}], cookies: [], everybody: true))->level()]);")
    assert said == [0]


def test_the_level_after_an_internal_redirect():
    said, _ = php("echo json_encode([(new Ic2\\StandbyParts(new Simple(), server: ['REDIRECT_MITIGATION' => '4'], cookies: [], everybody: true))->level()]);")
    assert said == [4]


@pytest.mark.parametrize("method", ["get", "set"])
def test_a_store_that_fails_takes_no_page_away(method):
    said, errors = php(f"""
        final class Broken {{
            public function get($key) {{ if ('{method}' === 'get') {{ throw new RuntimeException("down\\nFake: line"); }} return null; }}
            public function set($key, $value, $ttl) {{ throw new RuntimeException("down\\nFake: line"); }}
            public function delete($key) {{ throw new RuntimeException('down'); }}
        }}
        $parts = new Ic2\\StandbyParts(new Broken(), server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        $parts->forget('a');
        echo json_encode([$parts->part('a', fn () => 1), $parts->part('a', fn () => 2)]);""")
    assert said == [1, 2] and "standby_part: the store failed, so the part is built: down Fake: line" in errors


@pytest.mark.parametrize("kept", ["'text'", "[]", "['built' => 'x', 'value' => 1]", "['built' => 1.0]", "['built' => microtime(true) + 50, 'value' => 'of the future']",
                                  "42", "false"])
def test_garbage_in_the_store_is_built_anew(kept):
    said, _ = php(f"""
        final class Garbage {{ public function get($key) {{ return {kept}; }} public function set($key, $value, $ttl) {{ return true; }} }}
        $parts = new Ic2\\StandbyParts(new Garbage(), server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        echo json_encode($parts->part('a', fn () => 'built'));""")
    assert said == "built"


def test_garbage_in_a_file_is_built_anew(tmp_path):
    code = """
        $parts = new Ic2\\StandbyParts(new Ic2\\FileParts($argv[1]), server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        echo json_encode($parts->part('a', fn () => 'built'));"""
    php(code, tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    for broken in (b"", whole[:-3], b"O:8:\"DateTime\":0:{}", b"\xff" * 100, b"b:0;"):
        kept.write_bytes(broken)
        assert php(code, tmp_path)[0] == "built"


@pytest.mark.parametrize("options, error", [
    ("new Simple(), [3 => 0]", "ages: expected level => seconds such as 3 => 60, got 3 => 0"),
    ("new Simple(), [-1 => 60]", "ages: expected level => seconds such as 3 => 60, got -1 => 60"),
    ("new Simple(), ['x' => 60]", "ages: expected level => seconds such as 3 => 60, got x => 60"),
    ("new stdClass()", "store: expected a cache of PSR-16 or PSR-6, got stdClass"),
    ("new Ic2\\FileParts('/nowhere/at/all')", "/nowhere/at/all: expected a directory of this user"),
    ("new Ic2\\FileParts('/tmp')", "/tmp: expected a directory of this user that nobody else may write to")])
def test_a_wrong_configuration_is_refused(options, error):
    said, _ = php(f"try {{ new Ic2\\StandbyParts({options}); }} catch (InvalidArgumentException $e) {{ echo json_encode($e->getMessage()); }}")
    assert said.startswith("standby_part: ") and error in said


def test_what_a_build_throws_is_thrown_on_and_nothing_is_stored(store, tmp_path):
    said, _ = php(f"""
        $parts = new Ic2\\StandbyParts({store}, server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        try {{ $parts->part('a', fn () => throw new LogicException('no database')); }} catch (LogicException $e) {{ $out[] = $e->getMessage(); }}
        $out[] = $parts->part('a', fn () => 'built');
        echo json_encode($out);""", tmp_path)
    assert said == ["no database", "built"]


def test_the_functions_use_one_configuration():
    said, _ = php("""
        Ic2\\StandbyParts::shared(new Ic2\\StandbyParts(new Simple(), user: fn () => 'ann', server: ['MITIGATION' => '3'], cookies: [], everybody: true));
        $out = [standby_part('a', fn () => 1), standby_part('a', fn () => 2), standby_part('a', fn () => 3, private: true)];
        standby_part_forget('a');
        $out[] = standby_part('a', fn () => 4);
        echo json_encode($out);""")
    assert said == [1, 1, 3, 4]


def test_what_is_left_out_otherwise_is_kept_only_while_it_is_young(store, tmp_path):
    said, _ = php(f"""
        $store = {store}; $out = [];
        $at = fn (int $level, array $cookies = []) => new Ic2\\StandbyParts($store, [3 => 1, 4 => 60], fn () => 'ann', ['MITIGATION' => (string) $level], $cookies);
        $out['nothing'] = $at(4)->kept('a');
        $at(0)->part('a', fn () => ['built']); $at(0)->part('b', fn () => null);
        $out['below'] = $at(2)->kept('a');
        $out['kept'] = $at(4)->kept('a');
        $out['of somebody'] = $at(4)->kept('a', true);
        $out['fresh'] = $at(4, ['ic2_fresh' => '1'])->kept('a');
        usleep(1100000);
        $out['old'] = $at(3)->kept('a');
        $out['still'] = $at(4)->kept('a');
        echo json_encode($out);""", tmp_path)
    assert said == {"nothing": None, "below": None, "kept": ["built"], "of somebody": None, "fresh": None, "old": None, "still": ["built"]}


def test_who_is_not_logged_in_gets_parts_built_as_a_cache_of_pages_keeps_them_already(store, tmp_path):
    said, _ = php(f"""
        $store = {store}; $out = [];
        $as = fn (?string $user, string $text, bool $everybody = false) => (new Ic2\\StandbyParts($store, user: fn () => $user, server: ['MITIGATION' => '4'],
            cookies: [], everybody: $everybody))->part('list', fn () => $text);
        $out = [$as(null, 'a'), $as('', 'b'), $as('ann', 'c'), $as('bob', 'd'), $as(null, 'e'), $as('bob', 'f'), $as(null, 'g', true)];
        echo json_encode($out);""", tmp_path)
    assert said == ["a", "b", "b", "b", "e", "e", "e"], "built by nobody, it is stored for all who are somebody"


def test_what_holds_a_stored_part_is_as_old_as_that(store, tmp_path):
    said, _ = php(f"""
        $store = {store};
        $parts = fn (int $age) => new Ic2\\StandbyParts($store, [3 => $age], server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        $outer = fn (int $age, string $say) => $parts($age)->part('outer', fn () => 'outer ' . $parts($age)->part('inner', fn () => $say));
        $parts(2)->part('inner', fn () => 'first');
        usleep(1200000);
        $out = [$outer(2, 'second')];
        try {{ $parts(2)->part('fails', fn () => throw new Exception('no')); }} catch (Exception) {{}}
        $out[] = $parts(2)->part('after', fn () => 'built');
        usleep(1200000);
        $out[] = $outer(2, 'third');
        $out[] = $parts(2)->part('after', fn () => 'again');
        echo json_encode($out);""", tmp_path)
    assert said == ["outer first", "built", "outer third", "built"]


def test_applications_that_share_a_memory_share_no_part(tmp_path):
    other = tmp_path / "standby-parts.php"
    other.write_bytes(LIBRARY.read_bytes())
    said, _ = php(f"""
        $code = str_replace(['namespace Ic2', 'Ic2\\\\', 'function standby'], ['namespace Other', 'Other\\\\', 'function other'], file_get_contents('{other}'));
        file_put_contents('{other}', $code); require '{other}';
        $store = new Simple();
        $at = ['store' => $store, 'server' => ['MITIGATION' => '3'], 'cookies' => [], 'everybody' => true];
        echo json_encode([(new Ic2\\StandbyParts(...$at))->part('news', fn () => 'of one shop'), (new Other\\StandbyParts(...$at))->part('news', fn () => 'of another')]);""")
    assert said == ["of one shop", "of another"]


def test_a_store_that_takes_nothing_is_logged_and_takes_no_page_away():
    said, errors = php("""
        $store = new class { public function get($k) { return null; } public function set($k, $v, $t) { return false; } public function delete($k) { return false; } };
        $parts = new Ic2\\StandbyParts($store, server: ['MITIGATION' => '3'], cookies: [], everybody: true);
        echo json_encode([$parts->part('a', fn () => 1), $parts->part('a', fn () => 2)]);""")
    assert said == [1, 2] and "standby_part: the store failed, so the part is built: it took no part" in errors


def test_many_processes_share_files_and_none_reads_half_of_one(tmp_path):
    code = """
        $store = new Ic2\\FileParts($argv[1]); $wrong = 0;
        for ($i = 0; $i < 1500; $i++) {
            $key = 'key ' . $i % 5; $text = str_repeat($key, 5000);
            $parts = new Ic2\\StandbyParts($store, server: ['MITIGATION' => (string) mt_rand(2, 3)], cookies: [], everybody: true);
            $wrong += $parts->part($key, fn () => $text) !== $text;
        }
        echo json_encode($wrong);"""
    script = f"require '{LIBRARY}'; {code}"
    running = [subprocess.Popen(["php", "-r", script, "--", str(tmp_path)], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    assert [process.communicate(timeout=120)[0] for process in running] == ["0"] * 6
    assert all(re.fullmatch(r"standby-[0-9a-f]{12}\.[0-9a-f]{64}", kept.name) for kept in tmp_path.iterdir())


def test_old_files_go(tmp_path):
    old = tmp_path / ("standby." + "0" * 64)
    old.write_text("x")
    os.utime(old, (1, 1))
    php("""
        $parts = new Ic2\\StandbyParts(new Ic2\\FileParts($argv[1]), server: ['MITIGATION' => '0'], cookies: [], everybody: true);
        for ($i = 0; $i < 5000; $i++) { $parts->part('a', fn () => $i); }""", tmp_path)
    assert not old.exists() and len(list(tmp_path.iterdir())) == 1


def test_the_package_names_what_is_there():
    package = json.loads(LIBRARY.with_name("composer.json").read_text())
    assert package["license"] == "Apache-2.0" and package["autoload"]["files"] == [LIBRARY.name]
