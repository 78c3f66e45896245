"""Selection of cases: reproducible, and spread over the runs."""

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


def test_every_run_comes_first_once(read: Read) -> None:
    """Of four runs each has one case before any has two."""
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


def test_a_long_run_is_searched_so_far(read: Read) -> None:
    """Of a run of any length so many calls are changed, and no more."""
    calls = [("get_order", {"order_id": "ord_48213"}, {})] * (MOST_OF_A_RUN + 50)
    cases = chosen(read(office(messages=messages(calls))), most=10_000)

    assert MOST_OF_A_RUN == len(cases)


def test_a_run_with_too_much_text_is_left_as_it_is(read: Read) -> None:
    """Where a value cannot be looked for everywhere, nothing is planted."""
    calls = [("get_order", {"order_id": "ord_48213"}, "x" * 2_000_001)]

    assert [] == chosen(read(office(messages=messages(calls))))
