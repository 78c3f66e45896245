"""The learnt state of an engine is saved, loaded, and merged across processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import sys
from contextlib import closing
from copy import deepcopy
from threading import Barrier, Event, Thread
from time import sleep

import pytest

from abs_shield import StoreError
from abs_shield.verification import VerificationEngine
from abs_shield.verification.tool_state import OUT_OF_DATE
from tests.requirements import needs_proc
from tests.rows import each_row


def trained_engine(*, start=0, calls=30, tool="t"):
    """Return an engine that has learnt from prices of 100 to 104 and from a few labels."""
    engine = VerificationEngine()
    give(engine, start=start, calls=calls, tool=tool)
    return engine


def give(engine, *, start=0, calls=30, tool="t"):
    for n in range(start, start + calls):
        engine.verify(
            tool, args={"of": "x"}, result={"price": 100.0 + n % 5}, execution_time_ms=30.0,
            session_id="s",
        )  # fmt: skip


def judge_price(engine, price=40.0):
    result = engine.verify("t", args={"of": "x"}, result={"price": price}, execution_time_ms=30.0)
    return result.verdict, round(result.posterior, 6)


@pytest.fixture(params=["state.json", "state.db"])
def path(request, tmp_path):
    return tmp_path / request.param


def test_a_saved_engine_goes_on(path):
    """Loaded into a new engine, results are judged as in the old one."""
    engine = trained_engine()
    engine.calibrate("t", block_threshold=0.7)
    for _ in range(7):
        engine.record_feedback("t", confidence_score=0.3, was_hallucination=True)
    engine.save(path)
    loaded = VerificationEngine().load(path)

    assert engine.get_calibration("t") == loaded.get_calibration("t")
    assert engine.snapshot() == loaded.snapshot()
    assert judge_price(engine) == judge_price(loaded)


def test_loading_twice_changes_nothing(path):
    """Loading a file again adds no result."""
    engine = trained_engine()
    engine.save(path)
    engine.load(path).load(path)

    assert 30 == len(engine.snapshot()["results"])


def test_quarantined_results_are_saved(path):
    """A label can release a quarantined result after a restart."""
    engine = trained_engine()
    result = judge_price(engine)
    engine.save(path)
    loaded = VerificationEngine().load(path)

    assert "accept" != result[0]
    assert 1 == len(loaded.snapshot()["quarantine"])
    loaded.record_feedback("t", confidence_score=round(result[1], 3), was_hallucination=False)
    assert {} == loaded.snapshot()["quarantine"]


def test_two_engines_are_merged():
    """Each learns what the other knows, in whichever order."""
    one, other = trained_engine(calls=20), trained_engine(calls=20)
    snapshot = one.snapshot()
    one.restore(other.snapshot())
    other.restore(snapshot)

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
    engine = trained_engine(start=start, calls=10)
    engine.save(path)


@pytest.mark.slow
@pytest.mark.release
def test_processes_share_one_database(tmp_path):
    """Four processes save concurrently: the results of each are there."""
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

    with closing(sqlite3.connect(path)) as database:
        (rows,) = database.execute("SELECT count(*) FROM verification").fetchone()
    assert rows <= 100 + 2


@pytest.fixture
def hasty():
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def run_concurrently(work, threads=8):
    """Run *work* in several threads that start together; return the errors that they raise."""
    raised, ready = [], Barrier(threads)

    def run(number):
        ready.wait()
        try:
            work(number)
        except Exception as error:
            raised.append(error)

    running = [Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return raised


def test_no_result_is_lost_among_threads(hasty):
    """Eight threads verify results of one tool: what it knows is what one thread teaches it."""
    fields = {f"k{n}": 5 for n in range(20)}

    def work(number):
        for _ in range(12):
            result = engine.verify(
                "t", args={"n": 1}, result=fields, execution_time_ms=30.0, session_id="s"
            )
            assert "accept" == result.verdict

    for _ in range(6):
        engine = VerificationEngine()
        assert [] == run_concurrently(work)
        baseline = engine._learnt.memory.tool("t").baseline
        assert 96 == len(engine.snapshot()["results"]) == baseline.n
        assert {96} == {series.total for series in baseline.fields.values()}


def test_no_label_is_lost_among_threads(hasty):
    """Eight threads label results of one tool: its limits are those that one thread gives."""
    alone = VerificationEngine()
    for _ in range(16):
        alone.record_feedback("t0", confidence_score=0.3, was_hallucination=True)
    usual = alone.get_calibration("t0")
    engine, tools = VerificationEngine(), [f"t{n}" for n in range(150)]

    def work(number):
        for tool in tools:
            for _ in range(2):
                engine.record_feedback(tool, confidence_score=0.3, was_hallucination=True)

    assert [] == run_concurrently(work)
    assert [usual | {"tool": tool} for tool in tools] == [
        engine.get_calibration(tool) for tool in tools
    ]


@pytest.mark.parametrize(
    "act",
    [
        lambda engine: engine.verify("t", result={}, execution_time_ms=30.0),
        lambda engine: engine.record_feedback("t", confidence_score=0.3, was_hallucination=True),
        lambda engine: engine.calibrate("t", prior=0.1),
        lambda engine: engine.get_calibration("t"),
        lambda engine: engine.unregister_tool("t"),
        lambda engine: engine.snapshot(),
        lambda engine: engine.restore(VerificationEngine().snapshot()),
    ],
)
def test_the_engine_is_locked_while_it_judges(act):
    """Any other call of the engine waits until the result is judged."""
    engine, order, inside = VerificationEngine(), [], Event()
    engine.register_tool_profile("t", required_fields=["x"])

    def slow(name, signal):
        inside.set()
        sleep(0.05)
        order.append("judged")
        return False

    def ask():
        inside.wait(10)
        act(engine)
        order.append("asked")

    thread = Thread(target=ask)
    thread.start()
    engine.verify("t", result={}, execution_time_ms=30.0, suppressed=slow)
    thread.join()

    assert "asked" == order[-1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.json", None, "there is no file"),
        ("missing.db", None, "there is no file"),
        ("broken.json", "{", "cannot be used"),
        ("broken.db", "not a database, but long enough to look like one" * 9, "cannot be used"),
        ("other.json", "[]", "is not a snapshot"),
        ("newer.json", '{"schema_version": 99}', "schema_version 99"),
        ("damaged.json", json.dumps({"schema_version": 1, "settings": {}}), "is damaged"),
    ],
)
def test_what_cannot_be_loaded(tmp_path, name, content, message):
    """One line says what is wrong, and the engine is as it was."""
    path, engine = tmp_path / name, trained_engine()
    before = engine.snapshot()
    if content is not None:
        path.write_text(content)
    with pytest.raises(StoreError, match=message) as caught:
        engine.load(path)

    assert "\n" not in str(caught.value)
    assert before == engine.snapshot()


@needs_proc
def test_a_file_that_is_no_database_is_closed_again(tmp_path):
    """Also while the host holds the error."""
    path = tmp_path / "broken.db"
    path.write_text("not a database, but long enough to look like one" * 9)
    with pytest.raises(StoreError) as caught:
        VerificationEngine().load(path)

    files = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
    assert "cannot be used" in str(caught.value)
    assert str(path) not in files


def full_snapshot():
    """Return a snapshot of a calibrated tool with entries in every part."""
    engine = trained_engine()
    judge_price(engine)
    engine.record_feedback("t", confidence_score=0.3, was_hallucination=True)
    labelled = [({"schema_mismatch": n % 3 == 0}, n % 3 == 0) for n in range(90)]
    engine.calibrate("t", labelled=labelled, block_threshold=0.7)
    engine.verify("gone", result={"x": 1}, execution_time_ms=9.0)
    engine.unregister_tool("gone")
    return json.loads(json.dumps(engine.snapshot()))


NUMBERS = [float("nan"), float("inf"), -float("inf"), 10**400, -1e300, "a", None, True, [], {}]
SHARES = [0.0, 1.0, 1.5, *NUMBERS]
DAMAGES = [
    *(("results", "at", at) for at in [1e18, 1e200, -1.0, *NUMBERS]),
    *(("labels", "at", at) for at in [1e18, *NUMBERS]),
    *(("settings", "at", at) for at in [1e18, *NUMBERS]),
    *(("forgotten", "all", at) for at in [1e18, float("nan"), "a"]),
    *(("results", "numbers", {"price": x}) for x in NUMBERS if x != -1e300),
    *(("results", "latency_ms", x) for x in NUMBERS),
    *(("results", "size", x) for x in [-1, 1.5, *NUMBERS[3:]] if x != 10**400),
    *(("results", "probability", x) for x in [1.5, *NUMBERS]),
    *(("results", name, 7) for name in ("tool", "arguments", "session", "names", "kinds", "kind")),
    ("results", "types", 7), ("results", "types", ["string"] * 9),
    ("results", "arguments", "xy"), ("results", "arguments", "abc"),
    ("quarantine", "probability", 2), ("quarantine", "numbers", {"price": float("nan")}),
    *(("labels", "score", x) for x in [1.5, *NUMBERS]),
    *(("labels", "hallucinated", x) for x in [1, 0, None, "yes"]),
    *(
        ("settings", name, x)
        for name in ("prior", "accept_threshold", "block_threshold") for x in SHARES
    ),
    ("settings", "accept_threshold", 0.9),
    ("settings", "likelihood_ratios", {"spc_anomaly": 0}),
    ("settings", "likelihood_ratios", {"spc_anomaly": float("nan")}),
    ("settings", "likelihood_ratios", {"spc_anomly": 3.0}),
    ("settings", "calibration", {}), ("settings", "calibration", 7),
    *((part, "surplus", 1) for part in ("results", "labels", "settings")),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot():
    return full_snapshot()


@each_row(("part", "name", "value"), DAMAGES)
def test_a_damaged_part_changes_nothing(snapshot, part, name, value):
    """One number of a snapshot is none: one line says which, and nothing was restored."""
    damaged = deepcopy(snapshot)
    next(iter(damaged[part].values()))[name] = value
    engine = trained_engine(tool="u", calls=3)
    before = engine.snapshot()
    with pytest.raises(StoreError, match=r"is damaged: .*; nothing was restored") as caught:
        engine.restore(damaged)

    assert "\n" not in str(caught.value)
    assert before == engine.snapshot()


@pytest.mark.parametrize("rate", [0, 1, float("nan"), "a", None])
def test_a_damaged_rate_changes_nothing(snapshot, rate):
    """A snapshot whose calibration has an invalid rate or an unknown signal is refused."""
    for unit, name in (("groups", "schema"), ("signals", "schema_mismatch"), ("groups", "none")):
        damaged, engine = deepcopy(snapshot), VerificationEngine()
        taught_ = next(iter(damaged["settings"].values()))["calibration"]
        taught_[unit][name] = [0.5, 0.5 if name == "none" else rate]
        with pytest.raises(StoreError, match="is damaged"):
            engine.restore(damaged)
        assert VerificationEngine().snapshot() == engine.snapshot()


@pytest.mark.parametrize("version", [0, -3, True, None, "1", 1.0])
def test_a_snapshot_with_an_invalid_version_is_refused(snapshot, version):
    """A snapshot with an invalid `schema_version` raises a StoreError."""
    with pytest.raises(StoreError, match="is not a snapshot of an engine; nothing was restored"):
        VerificationEngine().restore({**snapshot, "schema_version": version})


@pytest.mark.parametrize("part", ["results", "quarantine", "labels", "settings", "forgotten"])
def test_a_missing_part_is_reported(snapshot, part):
    """Each part of a snapshot is there, if it is empty."""
    with pytest.raises(StoreError, match=f"`{part}`: Field required"):
        VerificationEngine().restore(
            {name: state for name, state in snapshot.items() if name != part}
        )


@pytest.mark.parametrize("body", ["NaN", "{}", "[", "7", '{"at": 1e999}'])
@pytest.mark.parametrize("part", ["results", "settings", "nothing", "schema_version"])
def test_a_damaged_database_changes_nothing(tmp_path, part, body):
    """A database with an invalid row is neither loaded nor overwritten."""
    path = tmp_path / "state.db"
    trained_engine().save(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO verification VALUES (?, 'x', ?)", (part, body))
        database.commit()
    content, engine = path.read_bytes(), VerificationEngine()
    for keep in (engine.load, engine.save):
        with pytest.raises(StoreError, match=r"is damaged|cannot be used"):
            keep(path)

    assert (content, VerificationEngine().snapshot()) == (path.read_bytes(), engine.snapshot())


# Forgetting ---------------------------------------------------------------------------------------


def test_an_unregistered_tool_is_not_restored(path):
    """Loading a file or a snapshot restores neither its results nor its labels and calibration."""
    engine = trained_engine()
    give(engine, tool="kept")
    engine.record_feedback("t", confidence_score=0.1, was_hallucination=True)
    engine.calibrate("t", block_threshold=0.7)
    before = engine.snapshot()
    engine.save(path)
    engine.unregister_tool("t")
    for again in (lambda: engine.save(path), lambda: engine.restore(before)):
        again()
        assert {"kept"} == {kept["tool"] for kept in engine.snapshot()["results"].values()}
        assert (0, 0.5) == (
            engine.get_calibration("t")["labels"], engine.get_calibration("t")["block_threshold"],
        )  # fmt: skip

    assert engine.snapshot() == VerificationEngine().load(path).snapshot()


def test_other_engines_forget_it_too():
    """Earlier state of the tool is dropped; later state is new."""
    one, other = trained_engine(), trained_engine()
    one.unregister_tool("t")
    give(one, calls=2)
    other.restore(one.snapshot())

    assert 2 == len(other.snapshot()["results"])
    assert one.snapshot() == other.snapshot()


def verdict_on(engine, n, price):
    """Return the verdict on a price of a call with other arguments."""
    result = {"price": price}
    return engine.verify("t", args={"of": n}, result=result, execution_time_ms=30.0).verdict


def engine_without_baseline(path):
    """Return an engine that discarded a baseline of about 102, and its earlier snapshot."""
    engine = VerificationEngine()
    for n in range(40):
        verdict_on(engine, n, 100.0 + n % 5)
    engine.save(path)
    before = engine.snapshot()
    assert 1 == [verdict_on(engine, n, 1e9) for n in range(40, 42 + OUT_OF_DATE)].count("accept")
    return engine, before


def test_a_baseline_that_was_abandoned_does_not_come_back(path):
    """Thirty results in a row were unlike it; the file still had the results behind it."""
    engine, _ = engine_without_baseline(path)
    engine.save(path)

    assert "accept" == verdict_on(engine, 150, 1e9)
    assert "accept" == verdict_on(VerificationEngine().load(path), 150, 1e9)


def test_an_old_snapshot_does_not_bring_a_baseline_back(tmp_path):
    """Long afterwards, when others were refused too: what is usual now is all that is usual."""
    engine, before = engine_without_baseline(tmp_path / "state.db")
    for n in range(150, 180):
        verdict_on(engine, n, 1e9 + n)
    for n in range(180, 200):
        assert "accept" != verdict_on(engine, n, -1e9)
    verdict_on(engine, 240, 1e9)
    state = [
        [
            VerificationEngine().restore(snapshot).verify(
                "t", args={}, result={"price": price}, execution_time_ms=30.0
            ).posterior
            for price in (102.0, 1.1e9, 5e9, -1e9)
        ]
        for snapshot in (engine.snapshot(), engine.restore(before).snapshot())
    ]  # fmt: skip

    assert state[0] == state[1]
    assert state[0][0] >= 0.2


def test_results_that_were_refused_in_a_row_are_counted_on(tmp_path):
    """Saving after each: after thirty of them the old baseline is given up all the same."""
    engines = [VerificationEngine(), VerificationEngine()]
    for engine in engines:
        for n in range(40):
            verdict_on(engine, n, 100.0 + n % 5)
    messages = [[], []]
    for n in range(40, 145):
        for engine, verdicts in zip(engines, messages, strict=True):
            verdicts.append(verdict_on(engine, n, 1e9))
        other = trained_engine(tool=f"u{n}", calls=1)
        engines[1].restore(other.snapshot())

    assert "accept" == messages[0][-1]
    assert messages[0] == messages[1]


# Writing ------------------------------------------------------------------------------------------


def test_threads_save_one_snapshot(path):
    """Eight concurrent saves all succeed, and the file is one of theirs."""
    engine, errors = trained_engine(), []

    def work():
        for _ in range(10):
            try:
                engine.save(path)
            except StoreError as error:
                errors.append(error)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == errors
    assert engine.snapshot() == VerificationEngine().load(path).snapshot()
    assert [path.name] == [file.name for file in path.parent.iterdir()]


def test_concurrent_saves_to_one_database_are_serialised(tmp_path):
    """The second save waits for the first, and no result is lost."""
    path, reading = tmp_path / "state.db", Event()

    class Slow(VerificationEngine):
        def restore(self, snapshot):
            reading.set()
            sleep(0.2)
            return super().restore(snapshot)

    trained_engine(calls=3).save(path)
    slow = Slow()
    give(slow, calls=5)
    thread = Thread(target=slow.save, args=(path,))
    thread.start()
    assert reading.wait(10)
    trained_engine(calls=7).save(path)
    thread.join()

    assert 3 + 5 + 7 == len(VerificationEngine().load(path).snapshot()["results"])


def test_a_newer_database_is_refused(tmp_path):
    """The error names the version, and the database stays unchanged."""
    path = tmp_path / "state.db"
    trained_engine().save(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 9")

    with pytest.raises(StoreError, match="schema_version 9"):
        trained_engine().save(path)


def test_unregistering_removes_the_state_of_the_tool():
    """The profile, results and labels of the tool are removed; other tools are unchanged."""
    engine = trained_engine()
    give(engine, tool="kept")
    engine.register_tool_profile("t", required_fields=["price"])
    engine.record_feedback("t", confidence_score=0.1, was_hallucination=False)
    engine.unregister_tool("t")

    assert engine.profile("t") is None
    assert 0 == engine.get_calibration("t")["labels"]
    assert {"kept"} == {entry["tool"] for entry in engine.snapshot()["results"].values()}


def test_a_released_result_does_not_change_earlier_results():
    """A released result of another type is added and leaves the stored results unchanged."""
    engine = VerificationEngine().register_tool_profile("t", required_fields=["x"])
    for _ in range(8):
        engine.verify("t", result={"x": 1.5}, execution_time_ms=30.0)
    before = engine.snapshot()["results"]
    result = engine.verify("t", result={"x": "one"}, execution_time_ms=30.0)
    engine.record_feedback("t", confidence_score=result.confidence, was_hallucination=False)
    after = engine.snapshot()["results"]

    assert "accept" != result.verdict
    assert before == {ident: after[ident] for ident in before}
    assert [{"x": "string"}] == [kept["kinds"] for i, kept in after.items() if i not in before]
