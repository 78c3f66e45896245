"""Intervals count sessions, where calls of one session repeat each other."""

from __future__ import annotations

import dataclasses
import random

from abs_shield.core import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.report import Readiness, Report, Standing, rollout
from abs_shield.stats.share_intervals import wilson
from tests.report.test_report import judge_calls, labels_for

CLEAN, WRONG = judge_calls(("first", 1), ("first", "x"))


def calls(sessions: int, each: int, wrong: int = 0) -> list[Decision]:
    """Return *each* calls for every session; in the first *wrong* sessions all are wrong."""
    return [
        dataclasses.replace(
            WRONG if session < wrong else CLEAN, id=f"d{session}-{n}", session_id=f"s{session}"
        )
        for n in range(each)
        for session in range(sessions)
    ]


def stops(decisions: list[Decision], tool: str | None = None):
    """Return the share of calls that `parameter_mismatch` would block."""
    return Report.of(decisions).place("parameter_mismatch", tool).counts.stops


def standing(decisions: list[Decision]) -> Standing:
    """Return the standing of `parameter_mismatch` in the rollout."""
    steps = rollout(Report.of(decisions), Readiness())
    return next(s.standing for s in steps if (s.layer, s.tool) == ("parameter_mismatch", ""))


def test_sessions_of_one_call_count_like_calls():
    """If every session has one call, the interval is that of the calls."""
    assert wilson(3, 600) == stops(calls(600, 1, wrong=3)).ends


def test_equal_calls_of_a_session_do_not_narrow_the_interval():
    """The interval of 20 equal calls per session is that of one call per session."""
    share = stops(calls(40, 20, wrong=4))
    alone = stops(calls(40, 1, wrong=4)).ends

    assert (80, 800, 40) == (share.hits, share.of, share.sessions)
    assert all(abs(end - one) < 0.01 for end, one in zip(share.ends, alone, strict=True))


def test_clean_calls_count_by_session():
    """500 clean calls in 25 sessions do not make a layer safe; in 500 sessions they do."""
    few, many = calls(25, 20), calls(500, 1)

    assert wilson(0, 25)[1] == stops(few).ends[1]
    assert (Standing.NOT_YET, Standing.SAFE) == (standing(few), standing(many))


def test_a_session_with_calls_of_two_tools_counts_once():
    """On both tools together there are 60 calls in 30 sessions."""
    pairs = [
        dataclasses.replace(one, tool=tool, id=f"{tool}{n}", session_id=f"s{n}")
        for n, one in enumerate(calls(30, 1))
        for tool in ("first", "second")
    ]

    assert (30, 30) == (stops(pairs, "first").of, stops(pairs, "first").sessions)
    assert (60, 30) == (stops(pairs).of, stops(pairs).sessions)


def test_the_order_of_calls_does_not_change_the_interval():
    """Concurrent sessions count like sequential ones."""
    ordered = calls(30, 5, wrong=3)
    mixed = random.Random(1).sample(ordered, len(ordered))

    assert stops(ordered).ends == stops(mixed).ends


def test_labels_in_one_session_do_not_prove_a_layer():
    """40 right labels prove a layer if each is in another session, but not in one session."""
    truth = Truth.HALLUCINATED
    apart, together = calls(40, 1, wrong=40), calls(1, 40, wrong=1)
    proofs = [
        Report.of(some, labels_for(some, truth)).place("parameter_mismatch").counts
        for some in (apart, together)
    ]

    assert [True, False] == [Readiness().proven(counts) for counts in proofs]


def test_labels_needed_counts_sessions():
    """With `labels_needed` more right labels, each in another session, the layer is safe."""
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


def test_the_number_of_open_sessions_is_bounded(monkeypatch):
    """A session whose calls continue after it was evicted counts as a new one."""
    monkeypatch.setattr("abs_shield.report.layer_counts._OPEN", 3)

    assert 20 == stops(calls(10, 2)).sessions
    assert 10 == stops(sorted(calls(10, 2), key=lambda d: d.session_id)).sessions
