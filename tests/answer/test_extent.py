"""Limits on the evidence that is read: the rest is reported, and proves nothing."""

from __future__ import annotations

import pytest

from abs_shield import Shield, shield
from abs_shield.answer import checked, evidence_from
from abs_shield.answer.evidence.reading_limits import (
    MOST_NUMBERS,
    MOST_NUMBERS_OF_ANSWER,
    MOST_PASSAGES,
    beginning,
    count,
)
from abs_shield.answer.evidence.result_lines import flatten
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.report_assembly import Checked
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.values.figure_reader import figures
from tests.hostile.steps import steps

FACT = "The Nord hotel costs 120 euros a night."
MANY = "17; " * (MOST_NUMBERS + 10)


def statuses(found: Checked) -> list[str]:
    return [claim.status for claim in found.report.claims]


def after(*results: str) -> Checked:
    """An answer with the fact, behind a run's results."""
    firewall = Shield(shield.configure(), hooks=None)
    with firewall.session() as session:
        session.user("What does the Nord cost?")
        for result in results:
            session.tool_result("look", result)
        return checked(FACT, session=session)


def test_what_stands_before_the_end_of_what_is_read_is_found() -> None:
    """A long text is read from its beginning."""
    report = checked(FACT, evidence=f"{FACT}\n{MANY}")

    assert (["grounded"], "emit") == (statuses(report), report.report.action)
    assert "evidence_cut" in report.notes


@pytest.mark.parametrize("answer", [FACT, "The Sud hotel has a sauna on its roof."])
def test_what_may_stand_behind_it_is_unverified(answer: str) -> None:
    """Neither missing nor grounded: the answer is not emitted, and the notes say why."""
    report = checked(answer, evidence=f"{MANY}\n{FACT}")

    assert (["unverified"], "revise") == (statuses(report), report.report.action)
    assert "evidence_cut" in report.notes
    assert [()] == [one.missing for one in report.claims]


def test_other_documents_than_the_first_are_left_out() -> None:
    """Documents come in the order of their use; as many are read as there are passages."""
    whole = ["-"] * (MOST_PASSAGES - 1) + [FACT]
    cut = ["-"] * MOST_PASSAGES + [FACT]

    assert ["grounded"] == statuses(checked(FACT, evidence=whole))
    assert ["unverified"] == statuses(checked(FACT, evidence=cut))
    assert MOST_PASSAGES == len(evidence_from(cut).pieces)


def test_of_a_run_the_newest_is_read() -> None:
    """Of what is older the session remembers the values it has seen; others are unverified."""
    assert ["grounded"] == statuses(after(MANY, FACT))
    assert ["grounded"] == statuses(after(FACT, MANY))
    assert ["unverified"] == statuses(after(FACT.replace("120", "130"), MANY))


def test_json_is_cut_between_its_values_and_inside_a_text() -> None:
    """One number of a list or a text more than are read is left out, and says so."""
    rows = [{"text": "7 " * 100} for _ in range(MOST_NUMBERS // 100 + 1)]
    flat, whole = flatten(rows), flatten(rows[:-1])

    assert (True, False) == (flat.cut, whole.cut)
    assert len(whole.lines) == len(flat.lines)
    assert flatten({"text": MANY}).cut


@pytest.mark.parametrize("piece", ["a\n", "A b. ", "- a\n", "|a|\n", "\u597d\u3002"])
def test_sentences_are_counted_as_well(piece: str) -> None:
    """A text of many short lines is work without a number in it."""
    assert [*sentence_spans(piece * 100)][99:]
    assert 100 <= count(piece * 101, 10_000)


def test_a_beginning_ends_between_two_values() -> None:
    """At the end of a line or of a word, where there is one near."""
    text = "Booked on 2024-05-15. Paid 1,200.50 euros and 7 cents"

    assert "Booked on 2024-05-15. Paid" == beginning(text, 2)
    assert "Booked on 2024-05-15. Paid 1,200.50 euros and" == beginning(text, 4)
    assert text == beginning(text, 9)
    assert "a 1" == beginning("a 1\nb 2 c 3", 3)


@pytest.mark.parametrize(
    "piece",
    ["1,", "1\t", "ann@b.de ", "one, ", "id is ABCDEF ", "noon ", "x.md ", "1/2/3/4 ", "5-6-7 ",
     "www.a.de/b ", "2024-05-15T10:00 ", "$1.5k ", "1:2:3:4 "],
)  # fmt: skip
def test_values_are_few_for_each_number_that_is_counted(piece: str) -> None:
    """So that the count bounds the work, whatever a value looks like."""
    text = piece * 500

    assert len(figures(text)) <= 3 * count(text, 10_000)


@pytest.mark.slow
def test_twice_the_evidence_beyond_what_is_read_takes_no_more_steps() -> None:
    """Neither of its text nor of its values."""

    def read(times: int) -> int:
        evidence = evidence_from(MANY * times)
        return steps(lambda: ValueIndex(evidence))

    assert read(2) <= 1.01 * read(1)


# The answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rest", ["The room is free. " * 12_000, "17, " * (MOST_NUMBERS_OF_ANSWER + 10)]
)
def test_the_rest_of_an_answer_that_is_not_read_is_unverified(rest: str) -> None:
    """It is one claim with its place, which is neither scored nor probed; it is not emitted."""
    answer = f"{FACT}\n{rest}"
    report = checked(answer, evidence=f"{FACT} The room is free.")
    last = report.claims[-1].claim

    assert (None, frozenset()) == (report.claims[-1].score, last.kinds)
    assert answer[last.start : last.end] == last.text != ""
    assert ("grounded", "unverified") == (statuses(report)[0], statuses(report)[-1])
    assert "emit" != report.report.action
    assert "answer_cut" in report.notes


def test_what_is_read_of_an_answer_is_judged() -> None:
    """A wrong value in it blocks, whatever comes behind."""
    answer = FACT.replace("120", "380") + "\n" + "The room is free. " * 12_000

    assert "block" == checked(answer, evidence=FACT).report.action


def test_an_answer_of_common_length_is_read_whole() -> None:
    """Its last claim is one of its sentences."""
    report = checked(f"{FACT} " * 500, evidence=FACT)

    assert "answer_cut" not in report.notes
    assert {"grounded"} == set(statuses(report))


@pytest.mark.slow
def test_twice_the_answer_beyond_what_is_read_takes_no_more_steps() -> None:
    """Neither of its claims nor of its values."""

    def judged(times: int) -> int:
        return steps(lambda: checked("The room is free. " * 12_000 * times, evidence=FACT))

    judged(1)
    assert judged(2) <= 1.01 * judged(1)
