"""Forms that begin with a digit are tried only where a number begins, and find the same figures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.values import figure_reader

_PIECES = (
    "May", "12", "1,200", "$", "19", "2024", "-", "Uhr", "h", "pm", "10:30", "USD", "5th", "to",
    "\u00e0 ", "#", "_", "x", "3.5", "million", "percent", "/", "年", "月", "日", " ", ", ", ".",
    "half past ", "quarter to ", "five",
)  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map("".join))
def test_a_form_of_digits_matches_as_in_the_whole_text(text: str) -> None:
    """No form of digits matches at another place than those at which it is tried."""
    text += " " * (figure_reader._SPARSE * len(text))
    starts = figure_reader._number_starts(text)
    assert starts is not None

    for form in figure_reader._OF_DIGITS:
        tried = [match.span() for match in figure_reader._matches(form, text, starts)]

        assert tried == [match.span() for match in form.finditer(text)], form.pattern
