"""Selection of cases: reproducible, and distributed over the runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from abs_shield.planting import KINDS, Joined, Sample
from abs_shield.planting.case_folder import MOST_OF_A_RUN
from tests.planting.conftest import messages, office

Read = Callable[..., Joined]
KIND = KINDS["phantom_target:unseen_wellformed"]


def chosen(*runs: Joined, seed: str = "s", most: int = 4, only: str | None = None) -> list[object]:
    """The cases of one kind."""
    names = None if only is None else frozenset({only})
    sample = Sample(kinds=[KIND], seed=seed, most=most, only=names)
    for run in runs:
        sample.add(run)
    return list(sample.of(KIND))


def test_the_same_seed_chooses_the_same(read: Read) -> None:
    """The order of the runs makes no difference, and another seed does."""
    one, other = read(office(run_id="a")), read(office(run_id="b"))

    assert chosen(one, other) == chosen(other, one)
    assert chosen(one, other) != chosen(one, other, seed="t")


def test_cases_are_distributed_over_the_runs(read: Read) -> None:
    """Each run has one case before any run has two."""
    runs = [read(office(run_id=name)) for name in "abcd"]

    assert {1} == {*Counter(case["run_id"] for case in chosen(*runs)).values()}


def test_more_cases_hold_the_fewer(read: Read) -> None:
    """A larger sample has all cases of a smaller one."""
    runs = [read(office(run_id=name)) for name in "abcd"]

    assert chosen(*runs, most=9)[:4] == chosen(*runs, most=4)


def test_only_one_tool(read: Read) -> None:
    """Only calls of the tool are changed."""
    cases = chosen(read(office()), only="get_order")

    assert {"get_order"} == {case["mutated_call"]["name"] for case in cases}


def test_the_changed_calls_of_a_run_are_limited(read: Read) -> None:
    """At most `MOST_OF_A_RUN` calls of one run are changed."""
    calls = [("get_order", {"order_id": "ord_48213"}, {})] * (MOST_OF_A_RUN + 50)
    cases = chosen(read(office(messages=messages(calls))), most=10_000)

    assert MOST_OF_A_RUN == len(cases)


def test_a_run_with_too_much_text_has_no_cases(read: Read) -> None:
    """If a run is too large to search for a value, nothing is planted in it."""
    calls = [("get_order", {"order_id": "ord_48213"}, "x" * 2_000_001)]

    assert [] == chosen(read(office(messages=messages(calls))))
