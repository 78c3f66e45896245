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


def various(count: int, seed: int = 1):
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


def counted(store, **time) -> Counter[str]:
    """Return how many decisions of each pattern the store has counted."""
    counts = Counter()
    for count in store.pattern_counts(**time):
        counts[count.pattern.body] += count.decisions
    return counts


def recounted(decisions) -> Counter[str]:
    return Counter(pattern_of(one).body for one in decisions)


def test_counts_agree_with_the_rows(kind, opens):
    """Of all decisions, and of those of some hours."""
    store, made = opens(kind), [*various(400)]
    for one in made:
        store.append(one)

    assert recounted(made) == counted(store)
    some = [one for one in made if START + HOUR <= one.at < START + 3 * HOUR]
    assert recounted(some) == counted(store, since=START + HOUR, until=START + 3 * HOUR)
    spans = [(count.first_at, count.last_at) for count in store.pattern_counts()]
    assert min(one.at for one in made) == min(first for first, _ in spans)
    assert max(one.at for one in made) == max(last for _, last in spans)


def test_times_are_counted_apart(kind, opens):
    """By the hour, or by several hours."""
    store, made = opens(kind), [*various(200)]
    for one in made:
        store.append(one)

    counts = Counter()
    for count in store.pattern_counts(hours=1):
        counts[count.start] += count.decisions
    assert Counter(one.at // HOUR * HOUR for one in made) == counts


def test_ids_times_and_texts_make_no_pattern():
    """Neither do values that a layer's error quotes, nor names that no tool has."""
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


def test_what_is_pruned_is_counted_no_more(kind, opens):
    """The counts of partly pruned hours are those of the rest."""
    store, made = opens(kind), sorted(various(300), key=lambda one: one.at)
    for one in made:
        store.append(one)

    assert store.prune(START + 2.5 * HOUR)
    assert recounted(store.decisions()) == counted(store)


def test_what_an_older_version_wrote_is_counted_when_asked(kind, opens, raw):
    """Once, however often it is asked; what cannot be read is left out."""
    store, made = opens(kind), [*various(50)]
    for one in made:
        store.append(one)
    store.flush()
    raw(kind, "UPDATE records SET pattern = NULL ; DELETE FROM hourly_counts WHERE hour >= 0")
    raw(kind, "UPDATE records SET sealed = '{' WHERE decision_id = 'd-7'")

    assert (50, Counter()) == (store.uncounted(), counted(store))
    assert [50] == [*store.count_uncounted()]
    assert [] == [*store.count_uncounted()]
    assert recounted(one for one in made if one.id != "d-7") == counted(store)


def write(address: str, seed: int) -> None:
    store = open_store(address)
    for one in various(300, seed):
        store.append(one)
    store.close()


def test_processes_that_write_at_the_same_time_lose_no_count(kind, opens, dsn_of):
    store = opens(kind)
    spawn = get_context("spawn")
    processes = [spawn.Process(target=write, args=(dsn_of(kind), seed)) for seed in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert 900 == counted(store).total()
    assert recounted(store.decisions()) == counted(store)


def test_decisions_of_patterns_are_given_in_pages(kind, opens):
    """Newest first, of a time, and behind the page before."""
    store, made = opens(kind), [*various(120)]
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
def test_a_pattern_keeps_what_a_report_counts(probability):
    """And rounds a probability, so that results do not differ in its last places."""
    one = decision(1, probability=probability, agent="billing", model="m", approval="granted",
                   errors=("no date in 'tx_1'",), notes=("background",))  # fmt: skip
    body = pattern_of(one).body

    assert body == pattern_of(decision(2, probability=probability, agent="billing", model="m",
                                       approval="granted", errors=("no date in 'tx_2'",),
                                       notes=("background",))).body  # fmt: skip
    assert ("0.12" in body) == (probability is not None)


def test_any_time_is_counted(kind, opens):
    """A host may give a time that no calendar has."""
    store, made = opens(kind), [decision(n, at=at) for n, at in enumerate((1e300, -5.0, 0.0))]
    for one in made:
        store.append(one)

    assert recounted(made) == counted(store)
