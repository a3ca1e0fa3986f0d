# SPDX-License-Identifier: Apache-2.0
"""The loader: the same rows for the same seed, on both databases; nothing lost by accident."""
import sqlite3
import subprocess

import pytest

import installation

TABLES = {"person": "id", "event": "id", "tag": "id", "event_tag": "tag_id, event_id", "attendance": "event_id, person_id",
          "comment": "id"}


def rows(environment, table, order):
    code = ("require getenv('APP') . '/src/autoload.php'; $c = Olio\\Config::fromEnvironment();"
            "$d = Olio\\Database::connect($c->dsn, $c->dbUser, $c->dbPassword);"
            f"foreach ($d->rows('SELECT * FROM {table} ORDER BY {order}') as $r) echo json_encode($r), \"\\n\";")
    return subprocess.run(["php", "-r", code], env=dict(environment, APP=str(installation.APP)), capture_output=True,
                          text=True, check=True).stdout


@pytest.fixture
def sqlite(tmp_path):
    (tmp_path / "data").mkdir()
    return installation.app_environment(tmp_path)


def everything(environment):
    return {table: rows(environment, table, order) for table, order in TABLES.items()}


def test_the_same_seed_gives_the_same_rows(sqlite):
    assert installation.load(sqlite).returncode == 0
    first = everything(sqlite)
    assert installation.load(sqlite, "0.05", "1", "--replace").returncode == 0
    assert everything(sqlite) == first
    assert installation.load(sqlite, "0.05", "2", "--replace").returncode == 0
    assert everything(sqlite)["event"] != first["event"]


@pytest.mark.skipif(not installation.has_mariadb(), reason="mariadbd is missing; install the package mariadb-server")
def test_both_databases_hold_the_same_rows(sqlite, short_tmp):
    assert installation.load(sqlite, "0.03", "7").returncode == 0
    with installation.mariadb(short_tmp / "loader") as database:
        other = dict(sqlite, **database)
        assert installation.load(other, "0.03", "7").returncode == 0
        assert everything(other) == everything(sqlite)


def test_loading_again_does_nothing_and_other_data_are_not_replaced_by_accident(sqlite, tmp_path):
    assert "loaded 100 events" in installation.load(sqlite).stdout
    with sqlite3.connect(tmp_path / "data/olio.sqlite") as db:
        db.execute("UPDATE tag SET uses = 777 WHERE id = 1")
    again = installation.load(sqlite)
    assert again.returncode == 0 and "already loaded" in again.stdout
    refused = installation.load(sqlite, "0.1")
    assert refused.returncode == 1 and "--replace" in refused.stderr
    with sqlite3.connect(tmp_path / "data/olio.sqlite") as db:
        assert db.execute("SELECT uses FROM tag WHERE id = 1").fetchone() == (777,)


def test_every_tag_has_events_and_the_counts_are_true(sqlite, tmp_path):
    installation.load(sqlite)
    with sqlite3.connect(tmp_path / "data/olio.sqlite") as db:
        assert db.execute("SELECT COUNT(*) FROM tag t WHERE uses = 0 OR uses <> "
                          "(SELECT COUNT(*) FROM event_tag WHERE tag_id = t.id)").fetchone() == (0,)
        assert db.execute("SELECT COUNT(*) FROM event e WHERE attendees <> "
                          "(SELECT COUNT(*) FROM attendance WHERE event_id = e.id)").fetchone() == (0,)
        assert db.execute("SELECT COUNT(*) FROM comment").fetchone() == (2500,)


@pytest.mark.parametrize("arguments,said", [
    (["--scale", "0"], "--scale 0"), (["--scale", "many"], "--scale many"), (["--seed", "-1"], "--seed -1"),
    (["--base", "2026-13-01"], "--base 2026-13-01"), (["extra"], "unexpected argument extra")])
def test_wrong_usage_is_named(sqlite, arguments, said):
    result = subprocess.run(["php", str(installation.APP / "load.php"), *arguments], env=sqlite, capture_output=True, text=True)
    assert result.returncode == 2 and said in result.stderr


def test_a_database_that_is_not_there_is_named(sqlite):
    result = installation.load(dict(sqlite, OLIO_DSN="mysql:unix_socket=/nowhere/x.sock;dbname=olio"))
    assert result.returncode == 1 and "does not take the data" in result.stderr
    result = installation.load(dict(sqlite, OLIO_DSN="pgsql:dbname=x"))
    assert result.returncode == 1 and "OLIO_DSN=pgsql:dbname=x" in result.stderr
