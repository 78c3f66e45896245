"""Remarks: the sentences of an answer that are no claims but comment on the question."""

from __future__ import annotations

import pytest

from abs_shield.answer import check_answer
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.remarks import remarks_of

BOWLING = "Bowling is one of the major forms of throwing sports."


@pytest.mark.parametrize(
    ("answer", "remarks"),
    [
        ("I have not. It is one of the major forms of throwing sports.", ["I have not."]),
        ("Yes! The Nord has 85 rooms. That is great!", ["Yes!", "That is great!"]),
        ("Do you shop there? The Nord has 85 rooms.", ["Do you shop there?"]),
        ("Hello Mia! The Nord has 85 rooms. Let me know if you need more.", []),
        ("The Nord has 85 rooms. I could not find its price.", []),
        ("The Nord has 85 rooms. Shall I book it?", []),
        ("# The Nord\n\nHere it is:\n\n- The Nord has 85 rooms.\n\n```\nx = 1\n```", []),
        ("<think>Maybe it is so.</think>The Nord has 85 rooms.", []),
    ],
)
def test_remarks_are_what_is_left_of_an_answer(answer: str, remarks: list[str]) -> None:
    """Comments are remarks; claims, courtesies, refusals, offers, headings and code are not."""
    found = remarks_of(answer, claims_of(answer, questions=True))

    assert remarks == [one.strip() for one in found]


def test_an_answer_without_claims_is_all_remarks() -> None:
    """Without claims, every sentence that is no courtesy is a remark."""
    assert ["That is so cool."] == remarks_of("That is so cool.", [])


def test_a_copied_sentence_after_a_reply_about_the_speaker_is_revised() -> None:
    """The document does not say that the speaker has never bowled, so the answer is not emitted."""
    copied = "It is one of the major forms of throwing sports."
    report = check_answer(f"I have not. {copied}", evidence=BOWLING, question="Do you bowl?")

    assert "emit" == check_answer(copied, evidence=BOWLING).action
    assert "revise" == report.action
