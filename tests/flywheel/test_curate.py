"""Catches are grouped into gaps, which have a frequency and a severity."""

from __future__ import annotations

import pytest

from abs_shield.core import Subject, Verdict
from abs_shield.flywheel.curate import curate
from abs_shield.flywheel.gap import Gap
from abs_shield.flywheel.harvest import harvest
from abs_shield.flywheel.status import status
from abs_shield.stats.share_intervals import wilson
from abs_shield.stores import MemoryStore
from tests.flywheel.conftest import HOSTILE, catches, decision, finding, label


def figure(about: str, wrong: str = "$3.2T", right: str = "$3.1T"):
    """Return the finding of a figure that a fact contradicts."""
    return finding(
        check="hallucination", code="ENTITY_MISMATCH", where="/stages/3/findings/0", got=None,
        detail=f'"{wrong}" unverified (actual: {right})', nearest="",
        evidence={"about": about, "task_type": "market_research", "confidence": 0.87},
    )  # fmt: skip


def output(number: int, *findings, **changes):
    """Return a decision about an output."""
    return decision(number, *findings, **({"subject": Subject.OUTPUT, "tool": ""} | changes))


def phantom(number: int, name: str):
    """Return a decision about a call of a tool that does not exist."""
    return decision(
        number, finding(check="phantom_tool", code="unknown_tool", where="/name"), tool=name
    )


def curate_decisions(log, book, *decisions) -> list[Gap]:
    """Harvest decisions, and return the gaps."""
    for one in decisions:
        log.append(one)
    harvest(log, book)
    return curate(book)


def test_the_gap_of_the_seed(log, book):
    """Market cap claims are off again and again: one gap, with what is right."""
    wrong = [output(n, figure("market cap", f"$3.{n}T")) for n in range(4)]
    (gap,) = curate_decisions(log, book, *wrong, *(output(n) for n in range(4, 20)))

    assert ("Entity mismatch: market cap", 1, True) == (gap.title, gap.tier, gap.systematic)
    assert (4, 4, 20, 0.2, *wilson(4, 20)) == (
        gap.count, gap.affected, gap.decisions, gap.rate, gap.low, gap.high,
    )  # fmt: skip
    (first, *_) = catches(book)
    assert ("$3.0T", "$3.1T", 0.87, "market_research") == (
        first.claim, first.verified_value, first.confidence, first.task_type,
    )  # fmt: skip


def test_variants_of_a_name_are_the_same_gap(log, book):
    """Case, abbreviations, synonyms, misspellings and other values do not make another gap."""
    about = ("market cap", "market capitalisation", "Market Cap")
    names = ("delete_user", "removeUser", "delete_users")
    gaps = curate_decisions(
        log, book, *(output(n, figure(text)) for n, text in enumerate(about)),
        *(phantom(n, name) for n, name in enumerate(names, 10)),
    )  # fmt: skip

    assert [3, 3] == [gap.count for gap in gaps]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (output(0, figure("market cap")), output(1, figure("market share"))),
        (phantom(0, "get_order"), phantom(1, "cancel_order")),
        (decision(0, finding()), decision(1, finding(where="/arguments/account"))),
        (decision(0, finding()), decision(1, finding(), tool="cancel")),
        (decision(0, finding()), decision(1, finding(code="placeholder"))),
        (decision(0, finding()), decision(1, finding(), subject=Subject.RESULT)),
    ],
    ids=["attribute", "name", "field", "tool", "code", "subject"],
)
def test_different_subjects_are_different_gaps(log, book, one, other):
    """Another attribute, tool, field, code or subject is another gap."""
    assert [1, 1] == [gap.count for gap in curate_decisions(log, book, one, other)]


def test_items_of_a_list_are_one_field(log, book):
    """The position in a list does not matter."""
    wrong = [decision(n, finding(where=f"/arguments/ids/{n}/value")) for n in range(3)]

    assert [3] == [gap.count for gap in curate_decisions(log, book, *wrong)]


def test_a_rate_is_of_decisions_of_the_same_kind(log, book):
    """The rate of a tool is that of its calls; the rate of an invented tool that of all calls."""
    others = [decision(n, tool="search") for n in range(10, 16)]
    phantoms = [phantom(20, "web_search"), phantom(21, "web_search")]
    gaps = curate_decisions(log, book, decision(0, finding()), decision(1), *others, *phantoms)

    assert {"refund": (1, 2), "web_search": (2, 10)} == {
        next(iter(gap.task_types)): (gap.affected, gap.decisions) for gap in gaps
    }


def test_an_output_counts_once(log, book):
    """A later finding of the background is a catch of the same output."""
    later = output(1, figure("market cap"), notes=("background",))
    (gap,) = curate_decisions(log, book, output(0), later)

    assert (1, 1) == (gap.affected, gap.decisions)


def test_decisions_before_the_first_catch_do_not_count(log, book):
    """A gap that began last week is measured from its first day."""
    day = 86_400
    early = [decision(n, at=1_775_398_980.0 - 3 * day) for n in range(9)]
    (gap,) = curate_decisions(log, book, *early, decision(10, finding()), decision(11))

    assert (1, 2) == (gap.affected, gap.decisions)


def test_one_session_that_repeats_itself_is_not_systematic(log, book):
    """Several decisions of several sessions are."""
    wrong = [decision(n, finding(), session_id="s") for n in range(5)]
    (once,) = curate_decisions(log, book, *wrong)
    (again,) = curate_decisions(log, book, decision(9, finding()))

    assert (False, 2) == (once.systematic, once.tier)
    assert (True, 1) == (again.systematic, again.tier)


@pytest.mark.parametrize(
    ("agents", "scope"),
    [((None,) * 4, "unknown"), (("a",) * 4, "task-specific"), (("a", "a", "b", "b"), "general")],
)
def test_a_gap_of_several_agents_is_general(log, book, agents, scope):
    """A gap of one agent is task-specific; without agent names the scope is unknown."""
    wrong = [decision(n, finding(), agent=name) for n, name in enumerate(agents)]

    assert [scope] == [gap.scope for gap in curate_decisions(log, book, *wrong)]


@pytest.mark.parametrize(
    ("verdict", "strength", "tier"),
    [
        (Verdict.HALLUCINATED, 1.0, 1),
        (Verdict.SUSPICIOUS, 0.9, 2),
        (Verdict.SUSPICIOUS, 0.2, 3),
    ],
)
def test_tiers(log, book, verdict, strength, tier):
    """High, medium and low impact, all frequent."""
    wrong = [decision(n, finding(verdict=verdict, strength=strength)) for n in range(4)]

    assert [tier] == [gap.tier for gap in curate_decisions(log, book, *wrong)]


def test_a_false_alarm_is_not_a_gap(log, book):
    """A catch labelled ok is stored and not in a gap, until its label changes."""
    (gap,) = curate_decisions(log, book, decision(0, finding()), decision(1, finding()))
    log.label(label(0, "ok"))
    (less,) = curate_decisions(log, book)

    assert (2, 1) == (gap.count, less.count)
    assert (2, 1) == (status(book).catches, status(book).false_alarms)
    log.label(label(1, "ok"))
    assert [] == curate_decisions(log, book)
    log.label(label(1, "hallucinated", at=1_775_399_999.0))
    assert [gap.id] == [one.id for one in curate_decisions(log, book)]


def test_a_suppressed_finding_is_not_a_gap(log, book):
    """A suppressed or uncounted finding is a catch of low priority unless it is labelled."""
    log.append(decision(0, finding(suppressed=True)))
    log.append(decision(1, finding(counted=False)))
    harvest(log, book)

    assert ["low", "low"] == [one.priority for one in catches(book)]
    assert [] == curate(book)
    log.label(label(0, "hallucinated"))
    harvest(log, book)
    assert [1] == [gap.count for gap in curate(book)]


def test_a_hostile_log_is_curated(log, book):
    """Titles of gaps are short and printable for any text of a model."""
    gaps = curate_decisions(
        log, book, phantom(0, HOSTILE), phantom(1, "_" * 99), phantom(2, ""),
        output(3, figure(HOSTILE * 99)), decision(4, finding(where=HOSTILE)),
    )  # fmt: skip

    assert 4 == len(gaps)  # two names hold no word
    assert all(gap.title.isprintable() and len(gap.title) < 130 for gap in gaps)


def test_ids_are_stable(log, book):
    """A later catch joins its gap, also where its words are other ones."""
    (before,) = curate_decisions(log, book, output(0, figure("market cap")))
    (after,) = curate_decisions(
        log, book, *(output(n, figure("market capitalisation")) for n in range(1, 9))
    )

    assert (before.id, 9) == (after.id, after.count)


def test_the_gravest_gap_comes_first(log, book):
    """By tier, then by frequency times impact."""
    wrong = [decision(n, finding()) for n in range(4)]
    mild = [
        decision(n, finding(code="other", verdict=Verdict.SUSPICIOUS, strength=0.1))
        for n in range(10, 19)
    ]

    assert [(1, 4), (3, 9)] == [
        (gap.tier, gap.count) for gap in curate_decisions(log, book, *mild, *wrong)
    ]


def test_an_empty_file_has_no_gaps(book):
    """Curating an empty file returns no gap and raises nothing."""
    harvest(MemoryStore(), book)
    assert ([], 0) == (curate(book), status(book).decisions)
