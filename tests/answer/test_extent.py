"""Evidence and answers beyond the read limit are reported and prove nothing."""

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
    """Return the check of FACT as the answer of a run with these results."""
    firewall = Shield(shield.configure(), hooks=None)
    with firewall.session() as session:
        session.user("What does the Nord cost?")
        for result in results:
            session.tool_result("look", result)
        return checked(FACT, session=session)


def test_evidence_before_the_limit_is_found() -> None:
    """A fact at the beginning of a text that is too long is found."""
    report = checked(FACT, evidence=f"{FACT}\n{MANY}")

    assert (["grounded"], "emit") == (statuses(report), report.report.action)
    assert "evidence_cut" in report.notes


@pytest.mark.parametrize("answer", [FACT, "The Sud hotel has a sauna on its roof."])
def test_claim_is_unverified_if_evidence_was_cut(answer: str) -> None:
    """A claim is unverified if the evidence for it may be beyond the limit."""
    report = checked(answer, evidence=f"{MANY}\n{FACT}")

    assert (["unverified"], "revise") == (statuses(report), report.report.action)
    assert "evidence_cut" in report.notes
    assert [()] == [one.missing for one in report.claims]


def test_documents_beyond_the_limit_are_not_read() -> None:
    """Only the first MOST_PASSAGES documents are read."""
    whole = ["-"] * (MOST_PASSAGES - 1) + [FACT]
    cut = ["-"] * MOST_PASSAGES + [FACT]

    assert ["grounded"] == statuses(checked(FACT, evidence=whole))
    assert ["unverified"] == statuses(checked(FACT, evidence=cut))
    assert MOST_PASSAGES == len(evidence_from(cut).pieces)


def test_newest_results_of_a_run_are_read() -> None:
    """The newest results are read; of older ones only remembered values are grounded."""
    assert ["grounded"] == statuses(after(MANY, FACT))
    assert ["grounded"] == statuses(after(FACT, MANY))
    assert ["unverified"] == statuses(after(FACT.replace("120", "130"), MANY))


def test_json_is_cut_between_its_values_and_inside_a_text() -> None:
    """JSON beyond the limit is cut between values or inside a text, and marked as cut."""
    rows = [{"text": "7 " * 100} for _ in range(MOST_NUMBERS // 100 + 1)]
    flat, whole = flatten(rows), flatten(rows[:-1])

    assert (True, False) == (flat.cut, whole.cut)
    assert len(whole.lines) == len(flat.lines)
    assert flatten({"text": MANY}).cut


@pytest.mark.parametrize("piece", ["a\n", "A b. ", "- a\n", "|a|\n", "\u597d\u3002"])
def test_sentences_are_counted_as_well(piece: str) -> None:
    """Sentences count towards the limit even without numbers."""
    assert [*sentence_spans(piece * 100)][99:]
    assert 100 <= count(piece * 101, 10_000)


def test_a_beginning_ends_between_two_values() -> None:
    """A cut text ends between two values, at a line or word boundary if one is near."""
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
def test_number_of_values_is_bounded_by_the_count(piece: str) -> None:
    """A text has at most three values per counted number."""
    text = piece * 500

    assert len(figures(text)) <= 3 * count(text, 10_000)


@pytest.mark.slow
def test_evidence_beyond_the_limit_takes_no_steps() -> None:
    """Doubling evidence beyond the limit does not increase the number of steps."""

    def read(times: int) -> int:
        evidence = evidence_from(MANY * times)
        return steps(lambda: ValueIndex(evidence))

    assert read(2) <= 1.01 * read(1)


# The answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rest", ["The room is free. " * 12_000, "17, " * (MOST_NUMBERS_OF_ANSWER + 10)]
)
def test_answer_beyond_the_limit_is_one_unverified_claim(rest: str) -> None:
    """The part of an answer beyond the limit is one unverified claim without a score."""
    answer = f"{FACT}\n{rest}"
    report = checked(answer, evidence=f"{FACT} The room is free.")
    last = report.claims[-1].claim

    assert (None, frozenset()) == (report.claims[-1].score, last.kinds)
    assert answer[last.start : last.end] == last.text != ""
    assert ("grounded", "unverified") == (statuses(report)[0], statuses(report)[-1])
    assert "emit" != report.report.action
    assert "answer_cut" in report.notes


def test_wrong_value_before_the_limit_blocks() -> None:
    """A wrong value before the limit blocks an answer that is too long."""
    answer = FACT.replace("120", "380") + "\n" + "The room is free. " * 12_000

    assert "block" == checked(answer, evidence=FACT).report.action


def test_an_answer_of_common_length_is_read_whole() -> None:
    """An answer of 500 sentences is read in full."""
    report = checked(f"{FACT} " * 500, evidence=FACT)

    assert "answer_cut" not in report.notes
    assert {"grounded"} == set(statuses(report))


@pytest.mark.slow
@pytest.mark.release
def test_answer_beyond_the_limit_takes_no_steps() -> None:
    """Doubling an answer beyond the limit does not increase the number of steps."""

    def check_steps(times: int) -> int:
        return steps(lambda: checked("The room is free. " * 12_000 * times, evidence=FACT))

    check_steps(1)
    assert check_steps(2) <= 1.01 * check_steps(1)
