"""Tags and reasoning in an answer: what is no claim, and what is checked anyway."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.check_pipeline import checked
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.markdown_blocks import without_json, without_markup


def claim_texts(answer):
    return [claim.text for claim in claims_of(answer)]


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("<thinking>\nThe fee may be 7.\n</thinking>\nThe fee is 5.", ["The fee is 5."]),
        ("<THINK>It is 7.</THINK>The fee is 5.", ["The fee is 5."]),
        ("<think>It is 7. The fee is 5.", ["It is 7.", "The fee is 5."]),
        ("It is 7.</think> The fee is 5.", ["It is 7.", "The fee is 5."]),
        ("<p>The fee is 5.</p>", ["The fee is 5."]),
        ('<span class="a b">The fee is 5.</span>', ["The fee is 5."]),
        ("<answer>\nThe fee is 5.\n</answer>", ["The fee is 5."]),
        ("The fee is < 5 and the rest > 3.", ["The fee is < 5 and the rest > 3."]),
        ("Write to <mia@example.com> at 5 pm.", ["Write to <mia@example.com> at 5 pm."]),
    ],
)
def test_claims_are_found_beside_markup(answer, wanted):
    """Closed reasoning is no claim; after an unclosed tag the claims are still checked."""
    assert wanted == claim_texts(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "<think>" * 20_000,
        "<think>a</think>" * 20_000,
        "<a b=" * 20_000,
        "<" * 100_000,
        "<a " * 9_999,
    ],
)
def test_removing_markup_keeps_the_length(answer):
    """Markup is replaced by blanks, so that offsets into the answer stay correct."""
    assert len(answer) == len(without_markup(answer))


def test_removing_markup_keeps_line_breaks():
    """Line breaks around removed markup are kept."""
    assert "\n \n" == without_markup("\n<br>\n").replace("    ", " ")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_an_answer_in_json_is_read_as_its_texts(indent, ascii_only):
    """Escaped line breaks of a JSON object end a sentence, and its figures are compared."""
    message = "It\u2019s booked \U0001f600.\n\n- Room: 412\n- Price: $90.00\nSee you soon!"
    answer = json.dumps({"message": message}, indent=indent, ensure_ascii=ascii_only)
    found = checked(answer, evidence="Room 412 is booked and costs $80.00.")

    assert "Price: $90.00" in [one.claim.text.strip() for one in found.claims]
    assert "$90.00" in [miss.text for one in found.claims for miss in one.missing]


@pytest.mark.parametrize(
    "answer",
    ["{order} is paid.", '{"a": 1', '["a", "b"]', "{" * 5_000 + "}", '{"a": "\\ud800\\n"}', "{}"],
)
def test_any_answer_keeps_its_length_without_json(answer):
    """Whatever an answer is, its plain text is as long, can be encoded, and is read."""
    plain = without_json(answer)

    assert len(answer) == len(plain)
    assert plain.encode()
