"""Tags and reasoning of an answer: what is left out, and what nothing may hide."""

from __future__ import annotations

import pytest

from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.markdown_blocks import without_markup


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
def test_what_is_a_claim_beside_markup(answer, wanted):
    """Reasoning that is closed is none; what nothing closes hides nothing."""
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
def test_it_is_as_long_as_it_was(answer):
    """Whatever stands there; offsets into the answer stay right."""
    assert len(answer) == len(without_markup(answer))


def test_lines_stay_lines():
    """Omitted markup keeps its line breaks."""
    assert "\n \n" == without_markup("\n<br>\n").replace("    ", " ")
