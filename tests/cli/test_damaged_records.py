"""Unreadable records of a log are left out and counted, without Python's error texts."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest

from abs_shield import Shield
from abs_shield.core.label import Label, Truth
from abs_shield.stores import open_store
from tests.cli.shop import fill_log, order, policy

DAMAGE = ("no", "[]", "{}", '{"schema_version": 1, "body": 7}', '{"schema_version": 1, "body": {}}')


@pytest.fixture(params=DAMAGE)
def damaged_log(request, tmp_path):
    """Return a log of six calls in which one record was overwritten."""
    path = str(tmp_path / "log.db")
    fill_log(path, *map(order, range(6)))
    damage(path, request.param, seq=3)
    return path


def damage(path, text, *, seq):
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE records SET sealed = ? WHERE seq = ?", (text, seq))


def own_words(text):
    """Return whether a text has no name of a Python exception or library."""
    return not any(word in text for word in ("Error", "Exception", "string indices", "line 1"))


def test_a_report_leaves_out_an_unreadable_record(command, damaged_log):
    """One line has the number of records left out and names the first one."""
    done = command("report", damaged_log)

    assert 2 == done.code
    assert "  1 record could not be read" in done.out
    assert "5 calls of " in done.out
    assert done.err.startswith("1 record is left out; first: record 3 of chain ")
    assert own_words(done.err)
    assert 1 == json.loads(command("report", damaged_log, "--format", "json").out)["unreadable"]


def test_a_verified_report_says_that_the_log_is_not_intact(command, damaged_log, tmp_path):
    """`report --verify` prints a warning and exits with 1, and the page has the warning as well."""
    page = tmp_path / "page.html"
    done = command("report", damaged_log, "--verify", "--html", page)

    assert 1 == done.code
    assert "THE LOG IS NOT INTACT: " in done.out
    assert "5 calls of " in done.out
    assert own_words(done.out)
    assert "THE LOG IS NOT INTACT: " in page.read_text()


def test_labelling_and_calibration_skip_an_unreadable_record(command, damaged_log, tmp_path):
    """`label --next` exits with 2 and `calibrate` continues, both without the record."""
    walk = command("label", "--next", "--db", damaged_log, stdin="q\n")
    calibrated = command("calibrate", damaged_log, "--engine", tmp_path / "engine.db")

    assert 2 == walk.code
    assert walk.err.startswith("1 record is left out; first: record 3 of chain ")
    assert "Answers: 0 labelled answers" in calibrated.out


def test_a_label_that_cannot_be_read_is_left_out(command, tmp_path):
    """`calibrate` reports an unreadable label once, and exits with 2."""
    path = str(tmp_path / "log.db")
    fill_log(path, order(1))
    with contextlib.closing(open_store(path)) as store:
        (one,) = store.scan()
        store.label(Label(decision_id=one.id, truth=Truth.OK, at=1.0))
        store.flush()
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE records SET sealed = 'no' WHERE kind = 'label'")
    done = command("calibrate", path)

    assert (2, 1) == (done.code, done.err.count("1 record is left out"))
    assert "it is not valid JSON" in done.err


@pytest.mark.parametrize("kind", ["label", "decision"])
def test_an_export_of_labels_leaves_out_an_unreadable_record(command, tmp_path, kind):
    """If a label or its decision cannot be read, the other labels are exported."""
    path = str(tmp_path / "log.db")
    fill_log(path, *map(order, range(3)))
    with contextlib.closing(open_store(path)) as store:
        for n, one in enumerate(store.scan()):
            store.label(Label(decision_id=one.id, truth=Truth.OK, at=float(n)))
        store.flush()
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        (seq,) = database.execute("SELECT min(seq) FROM records WHERE kind = ?", (kind,)).fetchone()
        database.execute("UPDATE records SET sealed = 'no' WHERE seq = ?", (seq,))
    done = command("label", "--export", "-", "--db", path)

    assert (2, 2) == (done.code, done.out.count("\n"))
    assert 1 == done.err.count("\n")
    assert done.err.startswith("1 record is left out; first: record ")


def test_show_leaves_out_an_unreadable_record_of_the_session(command, tmp_path):
    """The decision is shown, and an unreadable neighbour in its session is counted."""
    path = str(tmp_path / "log.db")
    firewall = Shield(policy(), store=open_store(path))
    with firewall.session("s1"):
        one, _, _ = map(firewall.check_call, map(order, range(3)))
    assert firewall.close()
    damage(path, "no", seq=2)
    done = command("show", one.id, "--db", path)

    assert (2, True) == (done.code, done.out.startswith("call of get_order: "))
    assert 2 == done.out.partition("In its session")[2].count("call of get_order")
    assert done.err.startswith("1 record is left out; first: record 2 of chain ")


def test_a_page_of_the_database_that_cannot_be_read(command, tmp_path):
    """The report covers the readable records, and `--verify` says that the log is not intact."""
    log = tmp_path / "log.db"
    fill_log(str(log), *map(order, range(300)))
    with contextlib.closing(sqlite3.connect(log)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    data = bytearray(log.read_bytes())
    start = data.rfind(b"schema_version", 0, len(data) // 2) // 4096 * 4096
    data[start : start + 4096] = b"\xff" * 4096
    log.write_bytes(data)
    done = command("report", log, "--verify")

    assert 1 == done.code
    assert "THE LOG IS NOT INTACT: " in done.out
    assert "left out; first: " in done.err


def test_an_invalid_engine_file_is_refused(command, tmp_path):
    """A text file, an empty file and invalid JSON are each refused in one line."""
    log = str(tmp_path / "log.db")
    fill_log(log, order(1))
    for name, text, words in (
        ("text.db", "no database " * 99, "it is not a SQLite database"),
        ("empty.db", "", "it holds no state of a verification engine"),
        ("broken.json", "{", "it is not valid JSON"),
    ):
        (tmp_path / name).write_text(text)
        done = command("calibrate", log, "--engine", tmp_path / name)
        assert (2, True) == (done.code, f"cannot be used: {words}; give" in done.err)
