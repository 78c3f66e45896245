"""A target resolves to its promoted version, and a rollback restores the previous one."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from abs_shield.errors import ShieldError, StoreError
from abs_shield.flywheel.curate import curate
from abs_shield.flywheel.drift import Trend, drift
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.gap import GapState, gap_with_catches, mark_gap
from abs_shield.flywheel.harvest import harvest
from abs_shield.flywheel.harvest_tables import Book
from abs_shield.flywheel.review import Choice, Review, review
from abs_shield.flywheel.status import status
from abs_shield.flywheel.version_artifact import hash_at
from abs_shield.flywheel.version_registry import (
    NewVersion,
    Version,
    VersionRegistry,
    VersionState,
    resolve,
)
from abs_shield.stores import MemoryStore
from tests.flywheel.catches import catch, gap

WHO = {"by": "ann"}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return a file with one accepted gap and its catch."""
    path = tmp_path / "flywheel.db"
    one, caught = gap(), catch()
    with database(path, create=True) as connection:
        row = (one.id, one.state.value, json.dumps(one.to_dict()))
        connection.execute("INSERT INTO gaps VALUES (?, ?, ?)", row)
        row = (caught.id, 0.0, caught.decision_id, one.id, json.dumps(caught.to_dict()))
        connection.execute("INSERT INTO catches VALUES (?, ?, ?, ?, ?)", row)
    return path


def prompt(folder: Path, text: str) -> str:
    """Write a prompt to a file and return the path."""
    path = folder / f"{text}.txt"
    path.write_text(text)
    return str(path)


def good(location: str, *present: str) -> dict[str, Any]:
    """Return a promoting evaluation of the file at one location against those at others."""
    hashes = {"candidate": {location: hash_at(location)}}
    hashes["present"] = {one: hash_at(one) for one in present}
    return {"outcome": "promote", "reasons": ["target is better"], **hashes}


def add_version(book: Path, text: str, *present: str, **changed: object) -> Version:
    """Add a version of a prompt that was compared with those of these texts."""
    location = str(changed.get("location", prompt(book.parent, text)))
    evaluation = good(location, *(str(book.parent / f"{one}.txt") for one in present))
    fields = {"target": "prompt", "location": location, "gap": "g1", "evaluation": evaluation}
    return VersionRegistry(book).add(NewVersion(**{**fields, **changed}), **WHO)  # type: ignore[arg-type]


def state_of(book: Path) -> GapState:
    """Return the state of the gap."""
    return gap_with_catches(book, "g1")[0].state


def test_a_promoted_version_is_what_its_target_resolves_to(book: Path) -> None:
    """Before, the target is itself; its gap is fixed."""
    registry = VersionRegistry(book)
    version = add_version(book, "one")
    assert "prompt" == registry.resolve("prompt")
    registry.promote(version.id, reason="it is better", **WHO)

    assert "one" == Path(resolve(book, "prompt")).read_text()
    assert GapState.FIXED is state_of(book)


def test_a_rollback_takes_one_step_back(book: Path) -> None:
    """To the parent, then to what was there before; the reason stays, the gap is open again."""
    registry = VersionRegistry(book)
    first = add_version(book, "one")
    second = add_version(book, "two", "one")
    for version in (first, second):
        registry.promote(version.id, reason="it is better", **WHO)
    now = registry.rollback("prompt", reason="worse in production", **WHO)

    assert now is not None
    assert (first.id, 1) == (now.id, now.number)
    assert "one" == Path(registry.resolve("prompt")).read_text()
    assert GapState.FIXED is state_of(book)  # the version that is in use again is for it
    back = registry.versions("prompt")[1]
    assert (VersionState.ROLLED_BACK, "worse in production") == (back.state, back.reason)
    assert None is registry.rollback("prompt", reason="this one, too", **WHO)
    assert "prompt" == registry.resolve("prompt")
    assert GapState.OPEN is state_of(book)
    with pytest.raises(StoreError, match="no version of `prompt` is in use"):
        registry.rollback("prompt", reason="again", **WHO)


def test_a_version_names_its_parent_data_and_events(book: Path) -> None:
    """Everything that led to it."""
    registry = VersionRegistry(book)
    data = {"train.jsonl": hash_at(prompt(book.parent, "train"))}
    first = registry.promote(add_version(book, "one", data=data).id, reason="first", **WHO)
    second = registry.promote(add_version(book, "two", "one").id, reason="second", **WHO)

    assert ("", first.id) == (first.parent, second.parent)
    assert first.id == second.events[-1].predecessor
    assert data == first.data
    assert ["added", "promoted", "retired"] == [
        event.what for event in registry.versions("prompt")[0].events
    ]
    assert [first.id, second.id] == [one.id for one in registry.versions()]


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        ({}, "not evaluated"),
        ({"outcome": "undecided"}, "undecided"),
        ({"outcome": "reject", "reasons": ["sums is worse"]}, "reject"),
    ],
)
def test_only_what_its_evaluation_says_is_promoted(
    book: Path, evaluation: dict[str, object], message: str
) -> None:
    """An override is recorded in its events."""
    registry = VersionRegistry(book)
    version = add_version(book, "one", evaluation=evaluation)

    with pytest.raises(StoreError, match=message):
        registry.promote(version.id, reason="please", **WHO)
    assert GapState.ACCEPTED is state_of(book)
    promoted = registry.promote(version.id, reason="better", override="an emergency", **WHO)
    assert f"better; override: an emergency ({message})" == promoted.reason


def test_a_rejected_version_keeps_its_reasons(book: Path) -> None:
    """A rejected version is stored with the state and the reasons."""
    evaluation = {"outcome": "reject", "reasons": ["sums is worse"]}
    version = add_version(book, "one", evaluation=evaluation)

    assert (VersionState.REJECTED, "sums is worse") == (version.state, version.reason)


def test_a_changed_file_is_not_resolved(book: Path) -> None:
    """If the file of a version changed since its evaluation, resolving it is an error."""
    registry = VersionRegistry(book)
    version = registry.promote(add_version(book, "one").id, reason="better", **WHO)
    Path(version.location).write_text("changed")

    with pytest.raises(StoreError, match="is no longer version 1 of `prompt`"):
        registry.resolve("prompt")


def test_a_policy_of_a_file_is_loaded(book: Path) -> None:
    """``file.py:attr`` resolves to the object; so does ``module:attr``."""
    policy = book.parent / "policy.py"
    policy.write_text("limits = {'refund': 100}\n")
    registry = VersionRegistry(book)
    for target, location in (("limits", f"{policy}:limits"), ("loads", "json:loads")):
        version = add_version(book, target, target=target, location=location, gap="")
        registry.promote(version.id, reason="better", **WHO)

    assert {"refund": 100} == registry.load("limits")
    assert [1] == registry.load("loads")("[1]")


def test_what_is_missing_is_named(book: Path) -> None:
    """A location, a version, a gap, a reason."""
    registry = VersionRegistry(book)
    with pytest.raises(StoreError, match="No such file"):
        registry.add(NewVersion(target="a", location=str(book.parent / "none")))
    with pytest.raises(StoreError, match="no attribute `nope`"):
        registry.add(NewVersion(target="a", location="json:nope"))
    with pytest.raises(StoreError, match="no module `nosuch`"):
        registry.add(NewVersion(target="a", location="nosuch:attr"))
    with pytest.raises(StoreError, match="no version has the id"):
        registry.promote("x", reason="a", **WHO)
    with pytest.raises(StoreError, match="did you mean `g1`"):
        gap_with_catches(book, "g2")
    with pytest.raises(StoreError, match="needs a reason"):
        registry.promote(add_version(book, "one").id, reason=" ", **WHO)
    with pytest.raises(StoreError, match="needs a reason"):
        registry.rollback("prompt", reason="", **WHO)


def test_a_promotion_requires_an_evaluation_against_the_current_version(book: Path) -> None:
    """An evaluation of another file, or against another version, is refused without an override."""
    registry = VersionRegistry(book)
    other = good(prompt(book.parent, "other"))
    with pytest.raises(StoreError, match=r"its evaluation is not of .*one.txt"):
        registry.promote(add_version(book, "one", evaluation=other).id, reason="a", **WHO)
    registry.promote(add_version(book, "one").id, reason="better", **WHO)
    second = add_version(book, "two", "other")
    with pytest.raises(StoreError, match="with another version than the one in use"):
        registry.promote(second.id, reason="better", **WHO)
    registry.promote(second.id, reason="better", override="seen by hand", **WHO)

    assert "override: seen by hand (its evaluation compares" in registry.versions()[-1].reason


def test_the_first_version_is_compared_with_the_file_in_use(book: Path) -> None:
    """If the target is a file, its content is the current version."""
    registry, target = VersionRegistry(book), prompt(book.parent, "original")
    with pytest.raises(StoreError, match="another version than the one in use"):
        registry.promote(add_version(book, "one", target=target).id, reason="better", **WHO)
    version = add_version(book, "one", "original", target=target)

    assert VersionState.CURRENT is registry.promote(version.id, reason="better", **WHO).state


@pytest.mark.parametrize("state", [GapState.OPEN, GapState.REJECTED, GapState.MERGED])
def test_only_an_accepted_gap_is_fixed(book: Path, state: GapState) -> None:
    """An override does not replace the person who accepts it."""
    with database(book) as connection:
        mark_gap(connection, "g1", state)
    version = add_version(book, "one")

    with pytest.raises(StoreError, match=f"gap `g1` is {state}; accept it"):
        VersionRegistry(book).promote(version.id, reason="a", override="b", **WHO)
    assert state is state_of(book)


def test_what_was_rolled_back_needs_an_override(book: Path) -> None:
    """The version itself, and the same content added anew."""
    registry = VersionRegistry(book)
    first = add_version(book, "one", gap="")
    registry.promote(first.id, reason="better", **WHO)
    registry.rollback("prompt", reason="harmful", **WHO)
    for one in (first, add_version(book, "one", gap="")):
        with pytest.raises(StoreError, match="version 1, which is the same, was rolled back: harm"):
            registry.promote(one.id, reason="again", **WHO)

    assert None is registry.current("prompt")


def test_a_rollback_leaves_what_was_decided_since(book: Path) -> None:
    """A gap that was merged or rejected after the promotion is not opened by its rollback."""
    registry = VersionRegistry(book)
    registry.promote(add_version(book, "one").id, reason="better", **WHO)
    with database(book) as connection:
        mark_gap(connection, "g1", GapState.MERGED)
    registry.rollback("prompt", reason="worse", **WHO)

    assert GapState.MERGED is state_of(book)


def test_rollbacks_return_to_the_original(book: Path) -> None:
    """Each promotion is one step, also a second promotion of the same version."""
    registry = VersionRegistry(book)
    first, second = add_version(book, "one", gap=""), add_version(book, "two", "one", gap="")
    for version in (first, second, first):
        registry.promote(version.id, reason="better", override="a test", **WHO)
    steps = [registry.rollback("prompt", reason="worse", **WHO) for _ in range(3)]

    assert [2, 1, None] == [one and one.number for one in steps]
    assert ["", ""] == [one.parent for one in registry.versions()]


def test_a_rollback_to_a_missing_file_is_an_error(book: Path) -> None:
    """If the file of the previous version is missing, the current version stays in use."""
    registry, target = VersionRegistry(book), prompt(book.parent, "original")
    first = add_version(book, "one", "original", target=target, gap="")
    registry.promote(first.id, reason="better", **WHO)
    second = add_version(book, "two", "one", target=target, gap="")
    registry.promote(second.id, reason="better", **WHO)
    Path(first.location).unlink()
    with pytest.raises(StoreError, match=r"No such file.*version 1 cannot be used again"):
        registry.rollback(target, reason="worse", **WHO)
    assert second.location == registry.resolve(target)
    prompt(book.parent, "one")
    registry.rollback(target, reason="worse", **WHO)
    Path(target).unlink()

    with pytest.raises(StoreError, match="before the first version is gone"):
        registry.rollback(target, reason="worse", **WHO)


def test_a_missing_or_foreign_file_is_left_alone(tmp_path: Path) -> None:
    """Neither is made nor written to; a service does not get the old policy in silence."""
    missing, foreign, empty = (tmp_path / name for name in ("none.db", "notes.db", "empty.db"))
    empty.touch()
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()
    before = foreign.read_bytes()
    for path, message in ((missing, "no file"), (foreign, "not made by"), (empty, "is empty")):
        for act in (resolve, lambda book, target: curate(book), lambda book, target: status(book)):
            with pytest.raises(StoreError, match=message):
                act(path, "prompt")
        if path != missing:
            continue
        with pytest.raises(StoreError, match="harvest"):
            add_version(path, "one", gap="")
    with pytest.raises(StoreError, match="not made by"):
        harvest(MemoryStore(), foreign)

    assert (False, before, b"") == (missing.exists(), foreign.read_bytes(), empty.read_bytes())


def test_damaged_rows_are_named(book: Path) -> None:
    """A version and a gap whose JSON was cut off."""
    registry = VersionRegistry(book)
    registry.promote(add_version(book, "one").id, reason="better", **WHO)
    with database(book) as connection:
        connection.execute("UPDATE versions SET body = '{'")
    for act in (registry.versions, lambda: status(book), lambda: registry.resolve("prompt")):
        with pytest.raises(StoreError, match=r"version `.*` is damaged in the file"):
            act()
    with database(book) as connection:
        connection.execute("UPDATE gaps SET body = '[]'")
        connection.execute("INSERT INTO patterns VALUES ('p', 'g1', 'b', '{')")
    with pytest.raises(StoreError, match="gap `g1` is damaged"):
        gap_with_catches(book, "g1")
    with pytest.raises(StoreError, match="a pattern of gap `g1` is damaged"):
        curate(book)


@pytest.mark.parametrize("evaluation", [{"outcome": "yes"}, {"outcome": "promote", "reasons": [1]}])
def test_what_is_not_an_evaluation_is_refused(book: Path, evaluation: dict[str, Any]) -> None:
    """With the field that is wrong."""
    with pytest.raises(ShieldError, match=r"evaluation: `(outcome|reasons)` is"):
        add_version(book, "one", evaluation=evaluation)


def write_day(book: Path, day: int, made: int, wrong: int) -> None:
    """Write the decisions of a day, and catches that no curation has grouped yet."""
    with database(book) as connection:
        row = ("output", "", f"2026-04-{day:02}", made)
        connection.execute("INSERT INTO tallies VALUES (?, ?, ?, ?)", row)
        Book(connection).write(
            catch(decision_id=f"{day}-{n}", about="market cap",
                  timestamp=f"2026-04-{day:02}T09:00:00Z")
            for n in range(wrong)
        )  # fmt: skip


def at(monkeypatch: pytest.MonkeyPatch, day: int) -> None:
    """Make it noon of a day."""
    moment = datetime(2026, 4, day, 12, tzinfo=UTC).timestamp()
    monkeypatch.setattr("time.time", lambda: moment)


@pytest.fixture
def gap_of_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """Return a file with an accepted gap of 20 % on the fifth of April."""
    path = tmp_path / "log.flywheel"
    harvest(MemoryStore(), path)
    write_day(path, 5, 100, 20)
    [one] = curate(path)
    review(path, [Review(gap=one.id, choice=Choice.ACCEPT, by="ann", why="seen")])
    return path, one.id


def test_catches_that_wait_for_a_curation_count(
    gap_of_log: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gap that got worse does not rank lower before the next `curate`."""
    path, name = gap_of_log
    at(monkeypatch, 10)
    VersionRegistry(path).promote(add_version(path, "one", gap=name).id, reason="better", **WHO)
    write_day(path, 12, 100, 50)
    waiting = status(path)
    curate(path)

    worse = drift((20, 100), (50, 100))
    assert [worse, worse] == [one.versions[0].drift for one in (waiting, status(path))]
    assert (50, Trend.HIGHER) == (waiting.ungrouped, worse.trend)


def test_each_promotion_has_its_own_days(
    gap_of_log: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version is compared with what it replaced, also after the next one was rolled back."""
    path, name = gap_of_log
    registry = VersionRegistry(path)
    at(monkeypatch, 10)
    registry.promote(add_version(path, "one", gap=name).id, reason="better", **WHO)
    write_day(path, 12, 100, 50)
    at(monkeypatch, 15)
    registry.promote(add_version(path, "two", "one", gap=name).id, reason="better", **WHO)
    write_day(path, 17, 100, 10)
    second = status(path).versions[0]
    at(monkeypatch, 20)
    registry.rollback("prompt", reason="slow", **WHO)
    write_day(path, 22, 100, 40)
    first = status(path).versions[0]

    assert (2, drift((50, 100), (10, 100))) == (second.number, second.drift)
    assert (1, drift((20, 100), (90, 200))) == (first.number, first.drift)
    assert "version 2 was rolled back: slow" == first.reason


def test_a_gap_is_read_with_its_catches(book: Path) -> None:
    """A gap and its catches are returned as they were stored."""
    assert (gap(), [catch()]) == gap_with_catches(book, "g1")


def test_a_folder_is_hashed_with_its_names(tmp_path: Path) -> None:
    """A file of another name, or with another text, is another version."""
    (tmp_path / "a").mkdir()
    prompt(tmp_path / "a", "one")
    first = hash_at(str(tmp_path / "a"))
    prompt(tmp_path / "a", "two")

    assert first != hash_at(str(tmp_path / "a"))


@pytest.mark.parametrize(
    ("before", "after", "trend"),
    [
        ((40, 1_000), (8, 900), Trend.LOWER),
        ((8, 900), (40, 1_000), Trend.HIGHER),
        ((4, 100), (3, 100), Trend.UNCLEAR),
        ((40, 1_000), (0, 0), Trend.UNCLEAR),
    ],
)
def test_drift_is_what_the_interval_says(
    before: tuple[int, int], after: tuple[int, int], trend: Trend
) -> None:
    """A trend only where the interval of the difference leaves zero out."""
    evaluation = drift(before, after)

    assert trend is evaluation.trend
    assert evaluation.low <= evaluation.after - evaluation.before <= evaluation.high


def test_status_compares_the_rate_since_a_promotion(book: Path, monkeypatch: Any) -> None:
    """The days before with those after; the day of the promotion belongs to neither."""
    monkeypatch.setattr("time.time", lambda: datetime(2026, 4, 10, 12, tzinfo=UTC).timestamp())
    version = add_version(book, "one")
    VersionRegistry(book).promote(version.id, reason="it is better", **WHO)
    with database(book) as connection:
        for day, result, wrong in (("05", 180, 60), ("10", 50, 50), ("12", 180, 2)):
            row = ("output", "", f"2026-04-{day}", result)
            connection.execute("INSERT INTO tallies VALUES (?, ?, ?, ?)", row)
            for n in range(wrong):
                one = catch(decision_id=f"{day}-{n}", timestamp=f"2026-04-{day}T09:00:00Z")
                row = (one.id, 0.0, one.decision_id, "g1", json.dumps(one.to_dict()))
                connection.execute("INSERT INTO catches VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("DELETE FROM catches WHERE decision_id = 'd1'")
    [report] = status(book).versions

    assert ("prompt", 1, "g1", "2026-04-10") == (
        report.target, report.number, report.gap, report.since,
    )  # fmt: skip
    assert drift((60, 180), (2, 180)) == report.drift
    assert report.drift is not None
    assert Trend.LOWER is report.drift.trend
    VersionRegistry(book).rollback("prompt", reason="worse", **WHO)
    [report] = status(book).versions
    assert (0, None, "the first version was rolled back: worse") == (
        report.number, report.drift, report.reason,
    )  # fmt: skip


def test_status_waits_for_decisions_after_a_promotion(book: Path) -> None:
    """Until there are some nothing is compared."""
    version = add_version(book, "one")
    VersionRegistry(book).promote(version.id, reason="it is better", **WHO)

    assert [None] == [one.drift for one in status(book).versions]
