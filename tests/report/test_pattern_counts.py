"""A report from the counts of a store equals a report from its decisions."""

from __future__ import annotations

import random
from typing import Any

import pytest

from abs_shield.core import Action, Coverage, Decision, Finding, Mode, Outcome, Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.report import Readiness, Report, modes, rollout
from abs_shield.report.spread_estimate import Spreads
from abs_shield.stores import SqliteStore

START = 1_767_225_600.0
NOT_COUNTED = {"lower", "upper", "sessions", "unlabelled", "newest", "days", "where"}
"""Data that a store does not count: sessions, ids, and places that the model chose."""


def random_decisions(count: int, seed: int) -> list[Decision]:
    """Return decisions about calls, results, answers and outputs, some with errors."""
    draw = random.Random(seed)
    return [random_decision(draw, number) for number in range(count)]


def random_decision(draw: random.Random, number: int) -> Decision:
    subject = draw.choice([Subject.CALL] * 5 + [Subject.RESULT, Subject.ANSWER, Subject.OUTPUT])
    check = {
        Subject.CALL: draw.choice(["phantom_target", "parameter_mismatch"]),
        Subject.RESULT: "verification",
        Subject.ANSWER: "answer",
        Subject.OUTPUT: "guardrails",
    }[subject]
    verdict = draw.choice([Verdict.CLEAN] * 4 + [Verdict.SUSPICIOUS, Verdict.HALLUCINATED])
    outcome = draw.choice([Outcome.RAN] * 6 + [Outcome.UNAVAILABLE, Outcome.ERROR])
    broken = outcome is Outcome.ERROR
    suppressed = draw.random() < 0.2
    results = Finding(
        check=check, verdict=verdict, strength=0.9, where="/arguments/id", code="unseen",
        detail=f"{number} is not mentioned", suppressed=suppressed,
    )  # fmt: skip
    flagged = verdict is not Verdict.CLEAN
    shown = Verdict.CLEAN if suppressed else verdict
    return Decision(
        id=f"d-{number}",
        subject=subject,
        tool=draw.choice(["refund", "transfer"]) if subject in ("call", "result") else "",
        verdict=shown,
        action=Action.ALLOW if shown is Verdict.CLEAN else Action.FLAG,
        mode=Mode.AUDIT if number < 400 else Mode.STRICT,
        blocked=False,
        would_block=shown is Verdict.HALLUCINATED or broken,
        policy_revision="r1" if number < 400 else "r2",
        at=START + number * 60,
        findings=(results,) if flagged else (),
        coverage={check: Coverage(outcome, "" if outcome is Outcome.RAN else "no schema")},
        errors=("a layer broke",) if broken else (),
        probability=round(draw.random(), 2) if subject is Subject.RESULT else None,
        session_id=f"s-{number // 4}",
        agent=draw.choice([None, "billing"]),
    )


def countable(value: Any) -> Any:
    """Return a report's data without what a store does not count."""
    if isinstance(value, dict):
        return {k: countable(v) for k, v in value.items() if k not in NOT_COUNTED}
    if isinstance(value, list):
        result = [countable(item) for item in value]
        return (
            sorted(result, key=repr) if all(isinstance(item, dict) for item in result) else result
        )
    return value


@pytest.mark.parametrize("seed", range(4))
def test_counts_by_pattern_make_the_same_report(tmp_path, seed):
    """All counts, shares, sweeps and revisions are equal, with and without labels."""
    store, log_store = SqliteStore(tmp_path / "log.db"), random_decisions(600, seed)
    for decision in log_store:
        store.append(decision)
    store.flush()
    draw = random.Random(seed)
    for decision in draw.sample(log_store, 60):
        truth = draw.choice([Truth.OK, Truth.HALLUCINATED])
        store.label(Label(decision_id=decision.id, truth=truth, at=START))
    labels = store.labels()
    labelled = [(one, labels[one.id]) for one in log_store if one.id in labels]

    whole = Report.of(store.scan(), labels)
    quick = Report.of_counts(store.pattern_counts(), labelled)

    assert countable(whole.to_dict()) == countable(quick.to_dict())
    assert whole.layers() == quick.layers()
    store.close()


@pytest.mark.parametrize("seed", range(4))
def test_intervals_count_sessions(tmp_path, seed):
    """With the counts of all sessions, every interval equals that of the decisions."""
    store, log_store = SqliteStore(tmp_path / "log.db"), random_decisions(600, seed)
    for decision in log_store:
        store.append(decision)
    labels = {
        one.id: Label(decision_id=one.id, truth=Truth.HALLUCINATED, at=START)
        for one in log_store[::9]
    }
    labelled = [(one, labels[one.id]) for one in log_store if one.id in labels]
    counts = store.pattern_counts()
    patterns = {count.number: count.pattern for count in counts}
    spreads = Spreads(store.session_counts(newest=10_000), patterns, labelled)
    store.close()

    whole, quick = Report.of(log_store, labels), Report.of_counts(counts, labelled, spreads=spreads)
    for layer in whole.columns():
        for row in (None, *whole.rows()):
            mine, other = whole.place(layer, row).counts, quick.place(layer, row).counts
            for share in ("coverage", "stops", "alert_rate", "precision", "block_precision"):
                one, two = getattr(mine, share), getattr(other, share)
                assert (one.hits, one.of, one.sessions) == (two.hits, two.of, two.sessions)
                assert one.ends == pytest.approx(two.ends)


def test_the_rollout_follows_from_the_counts(tmp_path):
    """The same layers are safe to enforce, if each decision has its own session."""
    store = SqliteStore(tmp_path / "log.db")
    ran = {name: Coverage(Outcome.RAN) for name in ("phantom_target", "parameter_mismatch")}
    decisions = [
        Decision(
            id=f"d-{n}", subject=Subject.CALL, tool="refund", verdict=Verdict.CLEAN,
            action=Action.ALLOW, mode=Mode.AUDIT, blocked=False, would_block=False,
            policy_revision="r1", at=START + n, coverage=ran, session_id=f"s-{n}",
        )
        for n in range(500)
    ]  # fmt: skip
    for decision in decisions:
        store.append(decision)

    whole, quick = Report.of(decisions), Report.of_counts(store.pattern_counts())
    assert modes(rollout(whole, Readiness())) == modes(rollout(quick, Readiness()))
    assert {"phantom_target": Mode.STRICT} == {
        k: v for k, v in modes(rollout(quick, Readiness())).items() if k == "phantom_target"
    }
    store.close()
