"""Every hostile case, through the decorator in both modes and through replay."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from abs_shield import CallBlocked, Decision
from abs_shield.core import LAYER_NAMES, Outcome
from abs_shield.text.json_leaves import leaves
from tests.hostile.cases import CASES, GROUPS, Case
from tests.hostile.entry_points import call, replayed
from tests.hostile.packs import PACK_CASES, RULES
from tests.policy.packs.test_packs import factories

MOST_FINDINGS = 250
MOST_CHARACTERS = 300_000

EVERY = [*CASES, *PACK_CASES]
KINDS = {
    (number, case.verdict, case.codes, case.failed, case.unavailable, case.bad_line): case.name
    for number, group in enumerate([*GROUPS, PACK_CASES])
    for case in group
}
"""A case of each kind: those of one group of which the same has to be said."""

SLOW = {
    "1,000 items against 1,100 branches",
    "100,000 arguments",
    "5,000 objects",
    "99,000 items against two branches",
    "a megabyte of '1,' before the packs",
    "two branches back to the same place, 60 deep",
}
"""Cases that take half a second or more."""


def all_cases(marks: Callable[[Case], list[pytest.MarkDecorator]]) -> pytest.MarkDecorator:
    """Every case, with its marks."""
    cases = [pytest.param(case, id=case.name, marks=marks(case)) for case in EVERY]
    return pytest.mark.parametrize("case", cases)


def kind_marks(case: Case) -> list[pytest.MarkDecorator]:
    """One case of each kind is judged in the quick run, and all of them before a release."""
    is_quick = case.name in KINDS.values() and case.name not in SLOW
    return [] if is_quick else [pytest.mark.slow, pytest.mark.release]


every_case = all_cases(lambda case: [pytest.mark.slow] if case.name in SLOW else [])
every_kind = all_cases(kind_marks)


def outcome_of(decision: Decision) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The verdict, the codes of the findings, and the layers that could not look."""
    failed = [k for k, coverage in decision.coverage.items() if coverage.outcome is Outcome.ERROR]
    return decision.verdict, tuple(sorted({f.code for f in decision.findings})), tuple(failed)


def expected(case: Case) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return case.verdict, case.codes, case.failed


def is_stopped(case: Case) -> bool:
    return case.verdict == "HALLUCINATED" or bool(case.failed)


def is_small(decision: Decision) -> bool:
    """Return whether a record is small, and every layer has a coverage."""
    assert set(LAYER_NAMES) == set(decision.coverage)
    feedback = (decision.to_json(), str(decision.feedback()), decision.explain())
    return len(decision.findings) <= MOST_FINDINGS and len("".join(feedback)) <= MOST_CHARACTERS


@every_case
def test_strict_mode_stops_wrong_calls(case: Case) -> None:
    """A call that is wrong or cannot be judged does not run; others run unchanged."""
    arguments = case.arguments()
    outcome = call(case, arguments, mode="strict")

    assert expected(case) == outcome_of(outcome.decision)
    if case.unavailable:
        assert Outcome.UNAVAILABLE is outcome.decision.coverage[case.unavailable].outcome
    assert is_stopped(case) == outcome.decision.blocked == isinstance(outcome.error, CallBlocked)
    assert is_stopped(case) == (not outcome.ran)
    assert is_small(outcome.decision)


def values_of(arguments: object) -> set[str]:
    """Return the texts and numbers of arguments that are too long to occur by chance."""
    if isinstance(arguments, str):
        return {arguments[:12]} if len(arguments) > 5 else set()
    try:
        results = [value for _, value in islice(leaves(arguments), 10_000)]
    except RuntimeError:  # the case is an object that refuses to list its items
        return set()
    texts = (_text(value)[:60] for value in results if isinstance(value, (str, int, float)))
    return {text for text in texts if len(text) > 5}


def _text(value: str | float) -> str:
    """Return *value* as text, an integer of more digits than Python writes in hexadecimal."""
    try:
        return str(value)
    except ValueError:
        assert isinstance(value, int)
        return hex(value)


@every_kind
def test_error_and_summary_contain_no_value_of_the_arguments(case: Case) -> None:
    """This holds for calls that are blocked and for calls that run."""
    arguments = case.arguments()
    outcome = call(case, arguments, mode="strict")
    texts = f"{outcome.error} {outcome.decision.summary(names=frozenset())}"

    assert [] == [value for value in values_of(arguments) if value in texts]


@every_kind
def test_audit_mode_stops_no_call(case: Case) -> None:
    """The decision is the same, and the tool runs with the arguments unless they are unreadable."""
    arguments = case.arguments()
    before = shape([*arguments.values()]) if isinstance(arguments, dict) else None
    outcome = call(case, arguments, mode="audit")

    assert expected(case) == outcome_of(outcome.decision)
    assert (False, is_stopped(case)) == (outcome.decision.blocked, outcome.decision.would_block)
    if before is not None:
        assert [before] == [shape([*option.values()]) for option in outcome.ran]
    assert is_small(outcome.decision)


def shape(value: object) -> list[object]:
    """Return a value as a list in which each part is compared by type, not by its own equality."""
    results: list[object] = []
    left, calls = [value], set()
    while left:
        item = left.pop()
        if type(item) not in (dict, list) or id(item) in calls:
            results.append(id(item))
            continue
        calls.add(id(item))
        results.append((type(item), *(item if type(item) is dict else ())))
        left.extend(item.values() if type(item) is dict else item)
    return results


@every_kind
def test_replay_makes_the_same_decision(case: Case, tmp_path: Path) -> None:
    """A case that a run file cannot hold is reported as a bad line."""
    judged, bad = replayed(case, tmp_path)

    assert case.bad_line == bool(bad) == (not judged)
    for each in judged:
        assert expected(case) == outcome_of(each.decision)
        assert (False, is_stopped(case)) == (each.decision.blocked, each.decision.would_block)
        assert is_small(each.decision)


def test_every_slow_case_exists() -> None:
    """Each name in the list of slow cases is the name of a case."""
    assert {case.name for case in EVERY} >= SLOW


def test_every_rule_of_every_pack_is_tested() -> None:
    """Every factory of every pack is called with texts that are made to slow it down."""

    assert {name for name, _ in factories()} == {*RULES}


@pytest.mark.parametrize(
    "case", [case for case in EVERY if case.in_file], ids=lambda case: case.name
)
def test_a_case_that_differs_in_a_run_file_has_a_reason(case: Case) -> None:
    """A case that a run file cannot hold says why."""
    assert case.why_other
