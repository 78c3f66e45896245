"""Opening a decision log: migration of old schemas, and errors of one line."""

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
"""Statements that turn a log of the current schema into one of the first schema."""


def refusal(address, **options) -> str:
    with pytest.raises(StoreError) as error:
        open_store(str(address), **options)
    message = str(error.value)
    assert "\n" not in message
    return message


def test_both_databases_have_the_same_migrations():
    """A schema number has the same meaning in SQLite and PostgreSQL."""
    assert len(SQLITE_STEPS) == len(POSTGRES_STEPS)


def test_an_old_log_is_migrated(kind, opens, raw, dsn_of):
    """A log of the first schema keeps its records and accepts new ones."""
    store = opens(kind)
    store.append(decision(1))
    store.close()
    raw(kind, FIRST_SCHEMA[kind])

    again = opens(kind)
    again.append(decision(2))
    assert ["d-1", "d-2"] == ids(again.decisions(session_id=""))
    assert [] == list(verify(again))


def test_a_newer_log_is_rejected(kind, opens, raw, dsn_of):
    """This version might misread its records."""
    opens(kind).close()
    raw(kind, "PRAGMA user_version = 99" if kind == "sqlite" else
        "INSERT INTO abs_shield_schema VALUES (99)")  # fmt: skip

    assert "has schema 99, this version supports up to 4" in refusal(dsn_of(kind))


def test_only_its_owner_can_read_the_file(opens, tmp_path):
    """The file is private, because findings quote values of arguments."""
    store = opens("sqlite")
    store.append(decision(1))
    store.flush()

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert {0o600} == set(modes.values())


@pytest.mark.parametrize("readable", [True, False])
def test_a_read_only_log_is_readable(tmp_path, readable):
    """A read-only copy can be verified."""
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
def test_a_libpq_address_is_rejected(address, words, tmp_path, monkeypatch):
    """The error shows the valid form and no value, and no file is created."""
    monkeypatch.chdir(tmp_path)

    assert refusal(address) == (
        f"`{words}` is not a log address; use `postgresql://user@host:port/database`"
    )
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["./host=db", "./log of host=db", "log of host=db", "run=5.db"])
def test_a_path_may_contain_a_libpq_keyword(name, tmp_path, monkeypatch):
    """Only an address that begins with a libpq keyword is rejected."""
    monkeypatch.chdir(tmp_path)
    open_store(name).close()

    assert (tmp_path / name).is_file()


def test_a_file_of_another_kind_is_rejected(tmp_path):
    """A database of another program and a text file are both rejected."""
    with contextlib.closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE records (x)")
    (tmp_path / "text").write_text("no database at all, and long enough to be read as one" * 9)

    assert "is a SQLite file but not a decision log" in refusal(tmp_path / "other.db")
    assert "it is not a SQLite database" in refusal(tmp_path / "text")


def test_a_missing_log_is_reported(tmp_path, dsn_of):
    """Reading requires the log to exist, and writing requires its folder to exist."""
    assert "there is no such file" in refusal(tmp_path / "no.db", existing=True)
    assert "there is no such file or folder" in refusal(tmp_path / "no" / "log.db")
    assert "contains no decision log" in refusal(dsn_of("postgres"), existing=True)


def test_an_invalid_address_is_reported():
    """The error does not contain the password."""
    message = refusal("postgresql://ann:hunter2@127.0.0.1:1/none")

    assert "cannot reach the decision log `postgresql://127.0.0.1:1/none`" in message
    assert "hunter2" not in message
    assert "use a file's path" in refusal("mysql://host/db")


@pytest.mark.parametrize(
    ("options", "expected"), [({"most": 0}, "most=0; use 1 or more"), ({"key": b""}, "empty `key`")]
)
def test_invalid_options_are_rejected(tmp_path, options, expected):
    """An empty buffer and an empty key are errors."""
    with pytest.raises(StoreError, match=expected):
        SqliteStore(tmp_path / "log.db", **options)


def test_the_default_log_is_in_the_state_folder(monkeypatch, tmp_path):
    """An environment variable overrides it; nothing is written to the working directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv(LOG, raising=False)
    assert str(tmp_path / "abs_shield" / "decisions.db") == default_log()
    with contextlib.closing(open_store()) as store:
        store.append(decision(1))
    assert (tmp_path / "abs_shield" / "decisions.db").is_file()
    monkeypatch.setenv(LOG, "elsewhere.db")
    assert "elsewhere.db" == default_log()


def test_the_key_comes_from_the_environment(monkeypatch):
    """An empty variable counts as a missing key."""
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
    """Errors omit the password for every driver, spelling and encoding of an address."""
    message = refusal(address)

    assert "hunter2" not in message
    assert "host/database`" in message or "127.0.0.1:1/db" in message


def test_reading_an_empty_file_does_not_write_to_it(tmp_path):
    """It is reported as a file without a log, and stays empty."""
    (tmp_path / "empty.db").touch()

    assert "contains no decision log" in refusal(tmp_path / "empty.db", existing=True)
    assert 0 == (tmp_path / "empty.db").stat().st_size


UNPRIVILEGED = 65_534


def run_unprivileged(act) -> str:
    """Return the result of *act* as text, run by a user without privileges."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setgid(UNPRIVILEGED)
        os.setuid(UNPRIVILEGED)
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
    """Yield a function that copies files to a read-only folder."""
    folder = Path(tempfile.mkdtemp())  # only the user of pytest may enter its own folders

    def copy(*files: Path, mode: int) -> Path:
        for file in files:
            shutil.copy(file, folder / file.name)
            (folder / file.name).chmod(mode)
            shutil.chown(folder / file.name, UNPRIVILEGED, UNPRIVILEGED)
        shutil.chown(folder, UNPRIVILEGED, UNPRIVILEGED)
        folder.chmod(0o555)
        return folder / files[0].name

    yield copy
    shutil.rmtree(folder)


def read_and_verify(path: Path) -> str:
    with contextlib.closing(open_store(str(path), existing=True)) as store:
        return f"{ids(store.decisions())} {len(list(verify(store)))}"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to switch to another user")
@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_a_closed_log_in_a_read_only_folder_is_readable(tmp_path, evidence, mode):
    """A user without privileges can read it, whether or not the file is writable."""
    with contextlib.closing(SqliteStore(tmp_path / "log.db")) as store:
        store.append(decision(1))
    path = evidence(tmp_path / "log.db", mode=mode)

    assert "['d-1'] 0" == run_unprivileged(lambda: read_and_verify(path))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to switch to another user")
@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_a_crashed_log_in_a_read_only_folder_is_rejected(tmp_path, evidence, mode):
    """Its newest records are in the WAL file; without them the log would verify as complete."""
    child = os.fork()
    if not child:
        store = SqliteStore(tmp_path / "log.db")
        store.append(decision(1))
        store.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    path = evidence(tmp_path / "log.db", tmp_path / "log.db-wal", mode=mode)
    text = run_unprivileged(lambda: read_and_verify(path))

    assert text.startswith("refused: the newest records of")
    assert "are in `log.db-wal`" in text
    assert "copy both files to a folder of your own" in text
    assert "['d-1'] 0" == read_and_verify(tmp_path / "log.db")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_without_utf8_is_rejected(postgres, encoding):
    """Other encodings cannot store every text of a model, or change it."""
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


def test_every_script_is_stored_with_any_client_encoding(dsn, monkeypatch):
    """The client encoding of the environment does not apply to the log."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with contextlib.closing(open_store(dsn)) as store:
        store.append(decision(1, tool="订单 возврат 🧾"))

        assert ["订单 возврат 🧾"] == [d.tool for d in store.scan()]
        assert [] == list(verify(store))


def test_rare_kinds_of_records_are_found_by_an_index(tmp_path, monkeypatch):
    """Reading labels and gaps does not scan all decisions."""
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
