"""Intervals count sessions, where calls of one session repeat each other."""

from __future__ import annotations

import dataclasses
import random

from abs_shield.core import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.report import Readiness, Report, Standing, rollout
from abs_shield.stats.share_intervals import wilson
from tests.report.test_report import judged, labels_for

CLEAN, WRONG = judged(("first", 1), ("first", "x"))


def calls(sessions: int, each: int, wrong: int = 0) -> list[Decision]:
    """Sessions of so many calls each; in the first ones every call is wrong."""
    return [
        dataclasses.replace(
            WRONG if session < wrong else CLEAN, id=f"d{session}-{n}", session_id=f"s{session}"
        )
        for n in range(each)
        for session in range(sessions)
    ]


def stops(decisions: list[Decision], tool: str | None = None):
    """The calls that `parameter_mismatch` would block."""
    return Report.of(decisions).place("parameter_mismatch", tool).counts.stops


def standing(decisions: list[Decision]) -> Standing:
    """Return what the rule says of `parameter_mismatch`."""
    steps = rollout(Report.of(decisions), Readiness())
    return next(s.standing for s in steps if (s.layer, s.tool) == ("parameter_mismatch", ""))


def test_a_session_of_one_call_is_a_call():
    """Nothing changes where no session has a second one."""
    assert wilson(3, 600) == stops(calls(600, 1, wrong=3)).ends


def test_calls_that_repeat_each_other_add_nothing():
    """Twenty equal calls of a session tell what one of them tells."""
    share = stops(calls(40, 20, wrong=4))
    alone = stops(calls(40, 1, wrong=4)).ends

    assert (80, 800, 40) == (share.hits, share.of, share.sessions)
    assert all(abs(end - one) < 0.01 for end, one in zip(share.ends, alone, strict=True))


def test_without_a_finding_sessions_are_counted():
    """500 clean calls of 25 sessions are no proof; of 500 sessions they are."""
    few, many = calls(25, 20), calls(500, 1)

    assert wilson(0, 25)[1] == stops(few).ends[1]
    assert (Standing.NOT_YET, Standing.SAFE) == (standing(few), standing(many))


def test_a_session_is_one_on_all_tools_together():
    """On its tool each call is alone; on all tools they are of one session."""
    pairs = [
        dataclasses.replace(one, tool=tool, id=f"{tool}{n}", session_id=f"s{n}")
        for n, one in enumerate(calls(30, 1))
        for tool in ("first", "second")
    ]

    assert (30, 30) == (stops(pairs, "first").of, stops(pairs, "first").sessions)
    assert (60, 30) == (stops(pairs).of, stops(pairs).sessions)


def test_the_order_of_calls_does_not_matter():
    """Sessions that run side by side count as those that run one after the other."""
    ordered = calls(30, 5, wrong=3)
    mixed = random.Random(1).sample(ordered, len(ordered))

    assert stops(ordered).ends == stops(mixed).ends


def test_labels_of_one_session_are_one_proof():
    """35 right labels prove a layer; of one session they do not."""
    truth = Truth.HALLUCINATED
    apart, together = calls(40, 1, wrong=40), calls(1, 40, wrong=1)
    proofs = [
        Report.of(some, labels_for(some, truth)).place("parameter_mismatch").counts
        for some in (apart, together)
    ]

    assert [True, False] == [Readiness().proven(counts) for counts in proofs]


def test_the_labels_asked_for_are_of_sessions():
    """So many more labels, each of another session, and the rule is content."""
    blocked = calls(200, 2, wrong=60)
    report = Report.of(blocked)
    rule, counts = Readiness(), report.place("parameter_mismatch").counts
    more = rule.labels_needed(counts)
    assert more is not None
    newest = {d.session_id: d for d in blocked if d.would_block}
    labels = {
        d.id: Label(decision_id=d.id, truth=Truth.HALLUCINATED, at=1.0)
        for d in list(newest.values())[:more]
    }
    place = Report.of(blocked, labels).place("parameter_mismatch")

    assert [] == [r.code for r in rule.reasons(place) if r.code != "few_calls"]


def test_the_sessions_that_are_followed_are_bounded(monkeypatch):
    """One that comes back later counts as another."""
    monkeypatch.setattr("abs_shield.report.layer_counts._OPEN", 3)

    assert 20 == stops(calls(10, 2)).sessions
    assert 10 == stops(sorted(calls(10, 2), key=lambda d: d.session_id)).sessions
