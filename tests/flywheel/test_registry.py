"""A promoted version is what its target resolves to; one step takes it back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from abs_shield.errors import StoreError
from abs_shield.flywheel.accepted import gap_with_catches
from abs_shield.flywheel.artifact import hash_at
from abs_shield.flywheel.database import database
from abs_shield.flywheel.drift import Trend, drift
from abs_shield.flywheel.gap import GapState
from abs_shield.flywheel.registry import NewVersion, Version, VersionRegistry, VersionState, resolve
from abs_shield.flywheel.status import status
from tests.flywheel.catches import catch, gap

GOOD = {"outcome": "promote", "reasons": ["target is better"]}
WHO = {"by": "ann"}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return a file with one accepted gap and its catch."""
    path = tmp_path / "flywheel.db"
    one, caught = gap(), catch()
    with database(path) as connection:
        row = (one.id, one.state.value, json.dumps(one.to_dict()))
        connection.execute("INSERT INTO gaps VALUES (?, ?, ?)", row)
        row = (caught.id, 0.0, caught.decision_id, one.id, json.dumps(caught.to_dict()))
        connection.execute("INSERT INTO catches VALUES (?, ?, ?, ?, ?)", row)
    return path


def prompt(folder: Path, text: str) -> str:
    """Write a prompt to a file of its own, and return its path."""
    path = folder / f"{text}.txt"
    path.write_text(text)
    return str(path)


def added(book: Path, text: str, **changed: object) -> Version:
    """Add a version of a prompt."""
    location = prompt(book.parent, text)
    fields = {"target": "prompt", "location": location, "gap": "g1", "evaluation": GOOD}
    return VersionRegistry(book).add(NewVersion(**{**fields, **changed}), **WHO)  # type: ignore[arg-type]


def state_of(book: Path) -> GapState:
    """Return the state of the gap."""
    return gap_with_catches(book, "g1")[0].state


def test_a_promoted_version_is_what_its_target_resolves_to(book: Path) -> None:
    """Before, the target is itself; its gap is fixed."""
    registry = VersionRegistry(book)
    version = added(book, "one")
    assert "prompt" == registry.resolve("prompt")
    registry.promote(version.id, reason="it is better", **WHO)

    assert "one" == Path(resolve(book, "prompt")).read_text()
    assert GapState.FIXED is state_of(book)


def test_a_rollback_takes_one_step_back(book: Path) -> None:
    """To the parent, then to what was there before; the reason stays, the gap is open again."""
    registry = VersionRegistry(book)
    first, second = added(book, "one"), added(book, "two")
    for version in (first, second):
        registry.promote(version.id, reason="it is better", **WHO)
    now = registry.rollback("prompt", reason="worse in production", **WHO)

    assert now is not None
    assert (first.id, 1) == (now.id, now.number)
    assert "one" == Path(registry.resolve("prompt")).read_text()
    assert GapState.OPEN is state_of(book)
    back = registry.versions("prompt")[1]
    assert (VersionState.ROLLED_BACK, "worse in production") == (back.state, back.reason)
    assert None is registry.rollback("prompt", reason="this one, too", **WHO)
    assert "prompt" == registry.resolve("prompt")
    with pytest.raises(StoreError, match="no version of `prompt` is in use"):
        registry.rollback("prompt", reason="again", **WHO)


def test_a_version_names_its_parent_data_and_events(book: Path) -> None:
    """Everything that led to it."""
    registry = VersionRegistry(book)
    data = {"train.jsonl": hash_at(prompt(book.parent, "train"))}
    first = registry.promote(added(book, "one", data=data).id, reason="first", **WHO)
    second = registry.promote(added(book, "two").id, reason="second", **WHO)

    assert ("", first.id) == (first.parent, second.parent)
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
    """Unless somebody overrides it, which stands in its events."""
    registry = VersionRegistry(book)
    version = added(book, "one", evaluation=evaluation)

    with pytest.raises(StoreError, match=message):
        registry.promote(version.id, reason="please", **WHO)
    assert GapState.ACCEPTED is state_of(book)
    promoted = registry.promote(version.id, reason="an emergency", override=True, **WHO)
    assert "promoted, overriding its evaluation" == promoted.events[-1].what


def test_a_rejected_version_keeps_its_reasons(book: Path) -> None:
    """It is kept as rejected."""
    evaluation = {"outcome": "reject", "reasons": ["sums is worse"]}
    version = added(book, "one", evaluation=evaluation)

    assert (VersionState.REJECTED, "sums is worse") == (version.state, version.reason)


def test_a_file_that_changed_is_no_longer_the_version(book: Path) -> None:
    """What was evaluated is what is used."""
    registry = VersionRegistry(book)
    version = registry.promote(added(book, "one").id, reason="better", **WHO)
    Path(version.location).write_text("changed")

    with pytest.raises(StoreError, match="is no longer version 1 of `prompt`"):
        registry.resolve("prompt")


def test_a_policy_of_a_file_is_loaded(book: Path) -> None:
    """``file.py:attr`` resolves to the object; so does ``module:attr``."""
    policy = book.parent / "policy.py"
    policy.write_text("limits = {'refund': 100}\n")
    registry = VersionRegistry(book)
    for target, location in (("limits", f"{policy}:limits"), ("loads", "json:loads")):
        version = added(book, target, target=target, location=location, gap="")
        registry.promote(version.id, reason="better", **WHO)

    assert {"refund": 100} == registry.load("limits")
    assert [1] == registry.load("loads")("[1]")


def test_what_is_missing_is_named(book: Path) -> None:
    """A location, a version, a gap, a reason."""
    registry = VersionRegistry(book)
    with pytest.raises(StoreError, match="No such file"):
        registry.add(NewVersion(target="a", location=str(book.parent / "none")))
    with pytest.raises(StoreError, match="no module `nosuch`"):
        registry.add(NewVersion(target="a", location="nosuch:attr"))
    with pytest.raises(StoreError, match="no version has the id"):
        registry.promote("x", reason="a", **WHO)
    with pytest.raises(StoreError, match="did you mean `g1`"):
        gap_with_catches(book, "g2")
    with pytest.raises(StoreError, match="needs a reason"):
        registry.promote(added(book, "one").id, reason=" ", **WHO)
    with pytest.raises(StoreError, match="needs a reason"):
        registry.rollback("prompt", reason="", **WHO)


def test_a_gap_is_read_with_its_catches(book: Path) -> None:
    """As they were written."""
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
    found = drift(before, after)

    assert trend is found.trend
    assert found.low <= found.after - found.before <= found.high


def test_status_compares_the_rate_since_a_promotion(book: Path, monkeypatch: Any) -> None:
    """The days before with those after; the day of the promotion belongs to neither."""
    monkeypatch.setattr("time.time", lambda: datetime(2026, 4, 10, 12, tzinfo=UTC).timestamp())
    version = added(book, "one")
    VersionRegistry(book).promote(version.id, reason="it is better", **WHO)
    with database(book) as connection:
        for day, made, wrong in (("05", 180, 60), ("10", 50, 50), ("12", 180, 2)):
            row = ("output", "", f"2026-04-{day}", made)
            connection.execute("INSERT INTO tallies VALUES (?, ?, ?, ?)", row)
            for n in range(wrong):
                one = catch(decision_id=f"{day}-{n}", timestamp=f"2026-04-{day}T09:00:00Z")
                row = (one.id, 0.0, one.decision_id, "g1", json.dumps(one.to_dict()))
                connection.execute("INSERT INTO catches VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("DELETE FROM catches WHERE decision_id = 'd1'")
    [found] = status(book).versions

    assert ("prompt", 1, "g1", "2026-04-10") == (
        found.target, found.number, found.gap, found.since,
    )  # fmt: skip
    assert drift((60, 180), (2, 180)) == found.drift
    assert found.drift is not None
    assert Trend.LOWER is found.drift.trend
    VersionRegistry(book).rollback("prompt", reason="worse", **WHO)
    assert () == status(book).versions


def test_status_waits_for_decisions_after_a_promotion(book: Path) -> None:
    """Until there are some nothing is compared."""
    version = added(book, "one")
    VersionRegistry(book).promote(version.id, reason="it is better", **WHO)

    assert [None] == [one.drift for one in status(book).versions]
