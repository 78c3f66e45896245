"""Dates of an answer against the dated statements of a text that it repeats."""

from __future__ import annotations

import pytest
import yaml

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.claim_types import Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session

PLAN = """Trip to Madeira

  - June 11: Boat tour from Funchal
  - June 12: Levada walk with Ana to the Rabacal waterfall
  - June 13: Dinner at the old harbour
"""
TASKS = """Minutes of 17 May
- Ann: order new projectors for the meeting room. Deadline: 2031-05-20.
- Ben: send the floor plan to the landlord. Deadline: 2031-05-21.
"""
WALK = "On June 12 you take the Levada walk with Ana to the Rabacal waterfall."


def conflicts(answer: str, *results: object, request: str = "What is planned?") -> list[str]:
    """Return why the claims of an answer contradict the results of a run."""
    session = Session()
    session.user(request)
    for result in results:
        session.tool_result("read_file", result)
    return contradictions_in(answer, session)


def contradictions_in(answer: str, session: Session) -> list[str]:
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    return [one.contradicted for one in scored if isinstance(one, Opinion) and one.contradicted]


def folded(text: str) -> str:
    """Return a text as YAML writes it in lines of 40 characters."""
    return yaml.safe_dump([{"content": text, "file": "plan.docx"}], width=40)


@pytest.mark.parametrize("result", [PLAN, folded(PLAN)], ids=["plain", "folded"])
def test_another_date_of_the_plan_contradicts(result: str) -> None:
    wrong = WALK.replace("12", "13")

    assert ['the answer has "June 13", the evidence has "June 12"'] == conflicts(wrong, result)
    assert [] == conflicts(WALK, result)


def test_a_date_in_a_sentence_of_its_own_belongs_to_the_sentence_before() -> None:
    answer = "- Ben: send the floor plan to the landlord. Deadline: 2031-05-{}."

    assert 1 == len(conflicts(answer.format(20), TASKS))
    assert [] == conflicts(answer.format(21), TASKS)


@pytest.mark.parametrize(
    "answer",
    [
        "The Levada walk with Ana to the Rabacal waterfall is the day after June 11.",
        "On June 11 there is no Levada walk with Ana to the Rabacal waterfall.",
        "June 11 is the boat tour, June 12 the Levada walk with Ana to the Rabacal waterfall.",
        "On June 13 we take a Levada walk with Ana in Funchal.",
        "From June 11 on Ana is here.",
    ],
)
def test_an_honest_date_passes(answer: str) -> None:
    assert [] == conflicts(answer, PLAN)


def test_a_date_of_the_user_passes() -> None:
    answer = "OK, the Levada walk with Ana to the Rabacal waterfall is now on June 13."

    assert [] == conflicts(answer, PLAN, request="Move the walk to June 13.")


def test_a_date_of_a_call_passes() -> None:
    session = Session()
    session.tool_result("read_file", PLAN)
    call = {"name": "move_event", "arguments": '{"title": "walk", "day": "June 13"}'}
    session.add(
        [
            {"role": "assistant", "tool_calls": [{"id": "c1", "function": call}]},
            {"role": "tool", "tool_call_id": "c1", "content": "OK"},
        ]
    )
    answer = "The Levada walk with Ana to the Rabacal waterfall is now on June 13."

    assert [] == contradictions_in(answer, session)


def test_a_newer_result_may_have_moved_it() -> None:
    answer = "The Levada walk with Ana to the Rabacal waterfall is now on June 13."

    assert [] == conflicts(answer, PLAN, {"walk": "June 13"})


def test_a_statement_of_several_days_has_no_other_date() -> None:
    log = "June 1: backup of the main database done\nJune 2: backup of the main database done\n"

    assert [] == conflicts("The backup of the main database was done on June 2.", log)


def test_spans_have_the_offsets_of_the_tool_s_own_text() -> None:
    session = Session()
    written = folded(PLAN)
    session.tool_result("read_file", written)
    answer = WALK
    (one,) = hard(claims_of(answer), evidence_of(session), answer=answer)

    assert isinstance(one, Opinion)
    assert ["June 12"] == [written[span.start : span.end] for span in one.spans]
