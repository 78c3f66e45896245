"""Decisions are counted by hour and pattern as they are written; the counts agree with the rows."""

from __future__ import annotations

import random
from collections import Counter
from multiprocessing import get_context

import pytest

from abs_shield.core import Action, Coverage, Finding, Mode, Outcome, Verdict
from abs_shield.stores import open_store
from abs_shield.stores.decision_patterns import pattern_of
from tests.stores.conftest import decision

HOUR = 3_600.0
START = 1_767_225_600.0


def varied_decisions(count: int, seed: int = 1):
    """Return decisions of several tools, verdicts and agents, over some hours."""
    draw = random.Random(seed)
    for number in range(count):
        verdict = draw.choice([Verdict.CLEAN, Verdict.CLEAN, Verdict.SUSPICIOUS])
        finding = Finding(
            check="phantom_target", verdict=verdict, strength=0.931, where="/arguments/id",
            detail=f"nobody mentioned tx_{number}", code="unseen",
        )  # fmt: skip
        yield decision(
            number,
            tool=draw.choice(["refund", "transfer"]),
            verdict=verdict,
            action=Action.ALLOW if verdict is Verdict.CLEAN else Action.FLAG,
            findings=() if verdict is Verdict.CLEAN else (finding,),
            agent=draw.choice([None, "billing"]),
            session_id=f"s-{number // 5}",
            at=START + draw.random() * 5 * HOUR,
        )


def stored_counts(store, **time) -> Counter[str]:
    """Return the number of decisions of each pattern as the store has counted them."""
    counts = Counter()
    for count in store.pattern_counts(**time):
        counts[count.pattern.body] += count.decisions
    return counts


def counts_of(decisions) -> Counter[str]:
    return Counter(pattern_of(one).body for one in decisions)


def test_counts_equal_the_stored_decisions(kind, opens):
    """This holds for all decisions, and for those of a time range."""
    store, made = opens(kind), [*varied_decisions(400)]
    for one in made:
        store.append(one)

    assert counts_of(made) == stored_counts(store)
    some = [one for one in made if START + HOUR <= one.at < START + 3 * HOUR]
    assert counts_of(some) == stored_counts(store, since=START + HOUR, until=START + 3 * HOUR)
    spans = [(count.first_at, count.last_at) for count in store.pattern_counts()]
    assert min(one.at for one in made) == min(first for first, _ in spans)
    assert max(one.at for one in made) == max(last for _, last in spans)


def test_decisions_are_counted_per_hour(kind, opens):
    """`pattern_counts(hours=1)` has one count for each hour and pattern."""
    store, made = opens(kind), [*varied_decisions(200)]
    for one in made:
        store.append(one)

    counts = Counter()
    for count in store.pattern_counts(hours=1):
        counts[count.start] += count.decisions
    assert Counter(one.at // HOUR * HOUR for one in made) == counts


def test_ids_times_and_texts_do_not_change_the_pattern():
    """Values in a layer's error and the names of unregistered tools do not change it either."""
    broken = [
        decision(n, coverage={
            "impossible_state": Coverage(Outcome.ERROR, f"`late` raised KeyError: 'tx_{n}', {n}"),
        })
        for n in range(3)
    ]  # fmt: skip
    invented = [
        decision(n, tool=f"tool_{n}", findings=(
            Finding(check="phantom_tool", verdict=Verdict.HALLUCINATED, strength=1.0,
                    where="/name", detail="", code="unknown_tool"),
        ))
        for n in range(3)
    ]  # fmt: skip

    assert 1 == len(set(map(pattern_of, broken)))
    assert 1 == len(set(map(pattern_of, invented)))
    assert 2 == len({pattern_of(decision(1)), pattern_of(decision(1, mode=Mode.AUDIT))})


def test_pruned_decisions_are_not_counted(kind, opens):
    """The count of a partly pruned hour equals the decisions that are left."""
    store, made = opens(kind), sorted(varied_decisions(300), key=lambda one: one.at)
    for one in made:
        store.append(one)

    assert store.prune(START + 2.5 * HOUR)
    assert counts_of(store.decisions()) == stored_counts(store)


def test_decisions_of_an_older_version_are_counted_on_request(kind, opens, raw):
    """`count_uncounted` counts them once, without records that cannot be read."""
    store, made = opens(kind), [*varied_decisions(50)]
    for one in made:
        store.append(one)
    store.flush()
    raw(kind, "UPDATE records SET pattern = NULL ; DELETE FROM hourly_counts WHERE hour >= 0")
    raw(kind, "UPDATE records SET sealed = '{' WHERE decision_id = 'd-7'")

    assert (50, Counter()) == (store.uncounted(), stored_counts(store))
    assert [50] == [*store.count_uncounted()]
    assert [] == [*store.count_uncounted()]
    assert counts_of(one for one in made if one.id != "d-7") == stored_counts(store)


def write(address: str, seed: int) -> None:
    store = open_store(address)
    for one in varied_decisions(300, seed):
        store.append(one)
    store.close()


def test_concurrent_processes_lose_no_count(kind, opens, dsn_of):
    store = opens(kind)
    spawn = get_context("spawn")
    processes = [spawn.Process(target=write, args=(dsn_of(kind), seed)) for seed in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert 900 == stored_counts(store).total()
    assert counts_of(store.decisions()) == stored_counts(store)


def test_newest_returns_decisions_of_patterns_in_pages(kind, opens):
    """`newest` returns the newest first, within a time range, and before a place."""
    store, made = opens(kind), [*varied_decisions(120)]
    for one in made:
        store.append(one)
    verdicts = {c.number: c.pattern.decision().verdict for c in store.pattern_counts()}
    flagged = [number for number, verdict in verdicts.items() if verdict is Verdict.SUSPICIOUS]
    wanted = [one.id for one in made if one.verdict is Verdict.SUSPICIOUS][::-1]

    first = store.newest(flagged, limit=10)
    second = store.newest(flagged, limit=10, before=first[-1][0])
    assert wanted[:20] == [one.id for _, one in (*first, *second)]
    late = store.newest(flagged, limit=500, since=START + 2 * HOUR, until=START + 3 * HOUR)
    assert {one.id for _, one in late} == {
        one.id
        for one in made
        if one.verdict is Verdict.SUSPICIOUS and START + 2 * HOUR <= one.at < START + 3 * HOUR
    }


@pytest.mark.parametrize("probability", [None, 0.12345])
def test_a_pattern_has_no_values_of_errors_and_a_rounded_probability(probability):
    """Decisions that differ only in such details share a pattern."""
    one = decision(1, probability=probability, agent="billing", model="m", approval="granted",
                   errors=("no date in 'tx_1'",), notes=("background",))  # fmt: skip
    body = pattern_of(one).body

    assert body == pattern_of(decision(2, probability=probability, agent="billing", model="m",
                                       approval="granted", errors=("no date in 'tx_2'",),
                                       notes=("background",))).body  # fmt: skip
    assert ("0.12" in body) == (probability is not None)


def test_decisions_of_any_time_are_counted(kind, opens):
    """A host may set a time that is outside the calendar, e.g. a negative one or 1e300."""
    store, made = opens(kind), [decision(n, at=at) for n, at in enumerate((1e300, -5.0, 0.0))]
    for one in made:
        store.append(one)

    assert counts_of(made) == stored_counts(store)
