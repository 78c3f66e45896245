"""A log is opened, brought up to date, or refused with one line that says why."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import stat
import tempfile
from pathlib import Path

import pytest

from abs_shield.errors import StoreError
from abs_shield.stores import SqliteStore, open_store, verify
from abs_shield.stores.schema_migrations import POSTGRES_STEPS, SQLITE_STEPS
from abs_shield.stores.sqlite_store import SqliteLedger
from abs_shield.stores.store_address import KEY, LOG, default_log, log_key
from tests.stores.conftest import decision, ids

FIRST_SCHEMA = {
    "sqlite": """
        DROP INDEX records_session; DROP INDEX records_kind;
        ALTER TABLE heads DROP COLUMN seal;
        DROP INDEX records_pattern; DROP INDEX records_uncounted;
        ALTER TABLE records DROP COLUMN pattern;
        DROP TABLE patterns; DROP TABLE hourly_counts;
        PRAGMA user_version = 1
    """,
    "postgres": """
        DROP INDEX abs_shield_records_session; DROP INDEX abs_shield_records_kind;
        ALTER TABLE abs_shield_heads DROP COLUMN seal;
        ALTER TABLE abs_shield_records DROP COLUMN pattern;
        DROP TABLE abs_shield_patterns; DROP TABLE abs_shield_hourly_counts;
        DELETE FROM abs_shield_schema WHERE version > 1
    """,
}
"""What makes a log of the first schema of one of today."""


def refusal(address, **options) -> str:
    with pytest.raises(StoreError) as refused:
        open_store(str(address), **options)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_both_databases_have_the_same_steps():
    """A schema number means the same in each."""
    assert len(SQLITE_STEPS) == len(POSTGRES_STEPS)


def test_an_old_log_is_brought_up_to_date(kind, opens, raw, dsn_of):
    """One of the first schema keeps its records and gets what is new."""
    store = opens(kind)
    store.append(decision(1))
    store.close()
    raw(kind, FIRST_SCHEMA[kind])

    again = opens(kind)
    again.append(decision(2))
    assert ["d-1", "d-2"] == ids(again.decisions(session_id=""))
    assert [] == list(verify(again))


def test_a_newer_log_is_refused(kind, opens, raw, dsn_of):
    """Its records may mean what this version does not know."""
    opens(kind).close()
    raw(kind, "PRAGMA user_version = 99" if kind == "sqlite" else
        "INSERT INTO abs_shield_schema VALUES (99)")  # fmt: skip

    assert "has schema 99, this version supports up to 4" in refusal(dsn_of(kind))


def test_only_its_owner_can_read_the_file(opens, tmp_path):
    """Findings quote values of arguments."""
    store = opens("sqlite")
    store.append(decision(1))
    store.flush()

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert {0o600} == set(modes.values())


@pytest.mark.parametrize("readable", [True, False])
def test_a_log_that_may_only_be_read_is_read(tmp_path, readable):
    """A copy kept as evidence verifies."""
    with contextlib.closing(SqliteStore(tmp_path / "log.db")) as store:
        store.append(decision(1))
    (tmp_path / "log.db").chmod(0o400)

    copy = open_store(str(tmp_path / "log.db"), existing=True)
    assert (["d-1"], []) == (ids(copy.decisions()), list(verify(copy)))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("host=db password=s3cret dbname=agents", "host=... password=... dbname=..."),
        ("password = 's3cret' user=ann", "password=... user=..."),
        ("PASSWORD=s3cret", "password=..."),
        ("dbname=agents passfile=s3cret", "dbname=..."),
    ],
)
def test_a_password_becomes_no_file(address, words, tmp_path, monkeypatch):
    """Formats of libpq are refused with the valid one, and no value is repeated."""
    monkeypatch.chdir(tmp_path)

    assert refusal(address) == (
        f"`{words}` is not a log address; use `postgresql://user@host:port/database`"
    )
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["./host=db", "./log of host=db", "log of host=db", "run=5.db"])
def test_a_file_may_have_such_a_name(name, tmp_path, monkeypatch):
    """A path that does not begin with such a word is a path."""
    monkeypatch.chdir(tmp_path)
    open_store(name).close()

    assert (tmp_path / name).is_file()


def test_another_file_is_no_log(tmp_path):
    """Neither a foreign database nor a text becomes one."""
    with contextlib.closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE records (x)")
    (tmp_path / "text").write_text("no database at all, and long enough to be read as one" * 9)

    assert "is a SQLite file but not a decision log" in refusal(tmp_path / "other.db")
    assert "it is not a SQLite database" in refusal(tmp_path / "text")


def test_a_log_that_is_not_there_is_reported(tmp_path, dsn_of):
    """To read, it has to be there; to write, its folder has to."""
    assert "there is no such file" in refusal(tmp_path / "no.db", existing=True)
    assert "there is no such file or folder" in refusal(tmp_path / "no" / "log.db")
    assert "contains no decision log" in refusal(dsn_of("postgres"), existing=True)


def test_an_address_that_is_none_is_reported():
    """Passwords are not repeated."""
    message = refusal("postgresql://ann:hunter2@127.0.0.1:1/none")

    assert "cannot reach the decision log `postgresql://127.0.0.1:1/none`" in message
    assert "hunter2" not in message
    assert "use a file's path" in refusal("mysql://host/db")


@pytest.mark.parametrize(
    ("options", "expected"), [({"most": 0}, "most=0; use 1 or more"), ({"key": b""}, "empty `key`")]
)
def test_wrong_options_are_refused(tmp_path, options, expected):
    """A buffer of nothing, and a key that is none."""
    with pytest.raises(StoreError, match=expected):
        SqliteStore(tmp_path / "log.db", **options)


def test_the_usual_log_is_the_users_own(monkeypatch, tmp_path):
    """An environment variable names another; nothing goes to the working directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv(LOG, raising=False)
    assert str(tmp_path / "abs_shield" / "decisions.db") == default_log()
    with contextlib.closing(open_store()) as store:
        store.append(decision(1))
    assert (tmp_path / "abs_shield" / "decisions.db").is_file()
    monkeypatch.setenv(LOG, "elsewhere.db")
    assert "elsewhere.db" == default_log()


def test_the_key_comes_from_the_environment(monkeypatch):
    """It is never in a command line; an empty one counts as missing."""
    monkeypatch.setenv(KEY, "k")
    assert b"k" == log_key()
    monkeypatch.setenv(KEY, "")
    assert log_key() is None


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://ann:hunter2@host/db",
        "mysql://ann:hunter2@host/db",
        "postgresql://ann:hun/hunter2@127.0.0.1/db",
        "postgresql://ann:hunter2%zz@127.0.0.1:1/db",
        "POSTGRESQL://ann:hunter2@127.0.0.1:1/db",
    ],
)
def test_no_address_shows_its_password(address):
    """However it is written, and wherever a reader takes its parts to be."""
    message = refusal(address)

    assert "hunter2" not in message
    assert "host/database`" in message or "127.0.0.1:1/db" in message


def test_an_empty_file_is_no_log_to_read(tmp_path):
    """Looking at evidence does not write to it."""
    (tmp_path / "empty.db").touch()

    assert "contains no decision log" in refusal(tmp_path / "empty.db", existing=True)
    assert 0 == (tmp_path / "empty.db").stat().st_size


NOBODY = 65_534


def told_by_nobody(act) -> str:
    """Run *act* as a user without rights; give what it says."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            text = str(act())
        except StoreError as error:
            text = f"refused: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return pipe.read()


@pytest.fixture
def evidence():
    """Yield a function that makes a read-only folder with copies of files."""
    folder = Path(tempfile.mkdtemp())  # a folder of pytest's may be entered by its user alone

    def copy(*files: Path, mode: int) -> Path:
        for file in files:
            shutil.copy(file, folder / file.name)
            (folder / file.name).chmod(mode)
            shutil.chown(folder / file.name, NOBODY, NOBODY)
        shutil.chown(folder, NOBODY, NOBODY)
        folder.chmod(0o555)
        return folder / files[0].name

    yield copy
    shutil.rmtree(folder)


def seen(path: Path) -> str:
    with contextlib.closing(open_store(str(path), existing=True)) as store:
        return f"{ids(store.decisions())} {len(list(verify(store)))}"


@pytest.mark.skipif(os.geteuid() != 0, reason="another user can only be played by a superuser")
@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_a_closed_log_in_a_folder_that_may_not_be_written_is_read(tmp_path, evidence, mode):
    """By a user without privileges, whether or not the file is writable."""
    with contextlib.closing(SqliteStore(tmp_path / "log.db")) as store:
        store.append(decision(1))
    path = evidence(tmp_path / "log.db", mode=mode)

    assert "['d-1'] 0" == told_by_nobody(lambda: seen(path))


@pytest.mark.skipif(os.geteuid() != 0, reason="another user can only be played by a superuser")
@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_a_copy_of_a_crashed_log_is_not_read_without_its_newest_records(tmp_path, evidence, mode):
    """They stand in the file beside it; without it the copy would verify as whole."""
    child = os.fork()
    if not child:
        store = SqliteStore(tmp_path / "log.db")
        store.append(decision(1))
        store.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    path = evidence(tmp_path / "log.db", tmp_path / "log.db-wal", mode=mode)
    text = told_by_nobody(lambda: seen(path))

    assert text.startswith("refused: the newest records of")
    assert "are in `log.db-wal`" in text
    assert "copy both files to a folder of your own" in text
    assert "['d-1'] 0" == seen(tmp_path / "log.db")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_is_not_utf8_is_refused(postgres, encoding):
    """It cannot hold what a model may write, or gives it back as something else."""
    import psycopg

    name = f"in_{encoding.lower()}"
    with psycopg.connect(postgres.dsn("public"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(
            f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
            " TEMPLATE template0"
        )
    message = refusal(postgres.dsn("public").replace("/postgres?", f"/{name}?"))

    assert f"is encoded in {encoding}, a log needs UTF8" in message
    assert "createdb --encoding UTF8" in message


def test_every_script_is_kept_whatever_the_client_is_set_to(dsn, monkeypatch):
    """The environment's encoding is not the log's."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with contextlib.closing(open_store(dsn)) as store:
        store.append(decision(1, tool="订单 возврат 🧾"))

        assert ["订单 возврат 🧾"] == [d.tool for d in store.scan()]
        assert [] == list(verify(store))


def test_the_few_records_of_other_kinds_are_found_by_their_index(tmp_path, monkeypatch):
    """Labels among a million decisions need no look at each."""
    requests = []
    stream = SqliteLedger.stream

    def streaming(ledger, sql, values):
        plan = ledger.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        requests.append(" ".join(step[-1] for step in plan))
        return stream(ledger, sql, values)

    monkeypatch.setattr(SqliteLedger, "stream", streaming)
    with contextlib.closing(SqliteStore(tmp_path / "log.db")) as store:
        assert ({}, []) == (store.labels(), list(store.gaps()))

    assert [True, True] == ["records_kind" in plan for plan in requests]
