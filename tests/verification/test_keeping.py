"""What an engine learnt is saved, loaded, and merged across processes."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from threading import Thread

import pytest

from abs_shield import StoreError
from abs_shield.verification import VerificationEngine


def taught(*, start=0, calls=30, tool="t"):
    """An engine that learnt from a price of about 100 to 104, and from a few labels."""
    engine = VerificationEngine()
    give(engine, start=start, calls=calls, tool=tool)
    return engine


def give(engine, *, start=0, calls=30, tool="t"):
    for n in range(start, start + calls):
        engine.verify(
            tool, args={"of": "x"}, result={"price": 100.0 + n % 5}, execution_time_ms=30.0,
            session_id="s",
        )  # fmt: skip


def judged(engine, price=40.0):
    told = engine.verify("t", args={"of": "x"}, result={"price": price}, execution_time_ms=30.0)
    return told.verdict, round(told.posterior, 6)


@pytest.fixture(params=["state.json", "state.db"])
def path(request, tmp_path):
    return tmp_path / request.param


def test_a_saved_engine_goes_on(path):
    """Loaded into a new engine, results are judged as in the old one."""
    engine = taught()
    engine.calibrate("t", block_threshold=0.7)
    for _ in range(7):
        engine.record_feedback("t", confidence_score=0.3, was_hallucination=True)
    engine.save(path)
    loaded = VerificationEngine().load(path)

    assert engine.get_calibration("t") == loaded.get_calibration("t")
    assert engine.snapshot() == loaded.snapshot()
    assert judged(engine) == judged(loaded)


def test_loading_twice_changes_nothing(path):
    """What is known already counts once."""
    engine = taught()
    engine.save(path)
    engine.load(path).load(path)

    assert 30 == len(engine.snapshot()["results"])


def test_what_was_held_back_is_saved_too(path):
    """A label may release it after a restart."""
    engine = taught()
    told = judged(engine)
    engine.save(path)
    loaded = VerificationEngine().load(path)

    assert "accept" != told[0]
    assert 1 == len(loaded.snapshot()["quarantine"])
    loaded.record_feedback("t", confidence_score=round(told[1], 3), was_hallucination=False)
    assert {} == loaded.snapshot()["quarantine"]


def test_two_engines_are_merged():
    """Each learns what the other knows, in whichever order."""
    one, other = taught(calls=20), taught(calls=20)
    told = one.snapshot()
    one.restore(other.snapshot())
    other.restore(told)

    assert one.snapshot() == other.snapshot()
    assert 40 == len(one.snapshot()["results"])


def test_a_calibration_travels(tmp_path):
    """The rates that labels taught hold in the process that loads them."""
    engine = VerificationEngine()
    labelled = [({"schema_mismatch": n % 3 == 0}, n % 3 == 0) for n in range(90)]
    engine.calibrate("t", labelled=labelled).save(tmp_path / "state.db")

    assert engine.get_calibration("t") == (
        VerificationEngine().load(tmp_path / "state.db").get_calibration("t")
    )


def test_no_text_of_a_result_is_saved(path):
    """Numbers and digests, and no argument and no text."""
    engine = VerificationEngine()
    engine.verify(
        "t", args={"iban": "DE89370400440532013000"}, result={"name": "Ann Canary", "x": 1},
        execution_time_ms=30.0,
    )  # fmt: skip
    engine.save(path)

    kept = path.read_bytes()
    assert b"Canary" not in kept
    assert b"DE8937" not in kept


def _work(path, start):
    engine = taught(start=start, calls=10)
    engine.save(path)


def test_processes_share_one_database(tmp_path):
    """Four of them save at once: each one's results are there."""
    path = tmp_path / "shared.db"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(path, 10 * n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [0] * 4 == [worker.exitcode for worker in workers]
    assert 40 == len(VerificationEngine().load(path).snapshot()["results"])


def test_what_windows_forget_leaves_the_database(tmp_path):
    """A file does not grow beyond what an engine remembers."""
    path, engine = tmp_path / "state.db", VerificationEngine()
    for _ in range(4):
        give(engine, calls=90)
        engine.save(path)

    with sqlite3.connect(path) as database:
        (rows,) = database.execute("SELECT count(*) FROM verification").fetchone()
    assert rows <= 100 + 2


def test_no_update_is_lost_among_threads():
    """Eight threads verify and label: every result and every label counts."""
    engine = VerificationEngine()

    def work(name):
        for n in range(50):
            engine.verify(
                name, args={"n": n % 2}, result={"x": n % 7}, execution_time_ms=30.0,
                session_id=name,
            )  # fmt: skip
            engine.verify("shared", args={"n": name}, result={"x": 5}, execution_time_ms=30.0)
            engine.record_feedback("shared", confidence_score=0.1, was_hallucination=False)

    threads = [Thread(target=work, args=(f"tool {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    told = engine.snapshot()
    by_tool = [entry["tool"] for entry in told["results"].values()]
    assert 400 == engine.get_calibration("shared")["labels"]
    assert [50] * 8 == [by_tool.count(f"tool {n}") for n in range(8)]
    assert 400 == by_tool.count("shared")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("missing.json", None, "there is no file"),
        ("missing.db", None, "there is no file"),
        ("broken.json", "{", "cannot be used"),
        ("broken.db", "not a database, but long enough to look like one" * 9, "cannot be used"),
        ("other.json", "[]", "is no snapshot"),
        ("newer.json", '{"schema_version": 99}', "schema_version 99"),
        ("damaged.json", json.dumps({"schema_version": 1, "settings": {}}), "is damaged"),
    ],
)
def test_what_cannot_be_loaded(tmp_path, name, content, told):
    """One line says what is wrong, and the engine is as it was."""
    path, engine = tmp_path / name, taught()
    before = engine.snapshot()
    if content is not None:
        path.write_text(content)
    with pytest.raises(StoreError, match=told) as caught:
        engine.load(path)

    assert "\n" not in str(caught.value)
    assert before == engine.snapshot()


def test_a_newer_database_is_refused(tmp_path):
    """Its version is named, and nothing is written into it."""
    path = tmp_path / "state.db"
    taught().save(path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 9")

    with pytest.raises(StoreError, match="schema_version 9"):
        taught().save(path)


def test_unregistering_forgets_everything():
    """Its profile, its results, its labels; other tools keep theirs."""
    engine = taught()
    give(engine, tool="kept")
    engine.register_tool_profile("t", required_fields=["price"])
    engine.record_feedback("t", confidence_score=0.1, was_hallucination=False)
    engine.unregister_tool("t")

    assert engine.profile("t") is None
    assert 0 == engine.get_calibration("t")["labels"]
    assert {"kept"} == {entry["tool"] for entry in engine.snapshot()["results"].values()}


def test_what_is_remembered_of_a_result_stays():
    """Another type that a label releases changes what is usual, and no earlier result."""
    engine = VerificationEngine().register_tool_profile("t", required_fields=["x"])
    for _ in range(8):
        engine.verify("t", result={"x": 1.5}, execution_time_ms=30.0)
    before = engine.snapshot()["results"]
    told = engine.verify("t", result={"x": "one"}, execution_time_ms=30.0)
    engine.record_feedback("t", confidence_score=told.confidence, was_hallucination=False)
    after = engine.snapshot()["results"]

    assert "accept" != told.verdict
    assert before == {ident: after[ident] for ident in before}
    assert [{"x": "string"}] == [kept["kinds"] for i, kept in after.items() if i not in before]
