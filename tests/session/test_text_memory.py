"""The newest text is stored, and values are found in it with any separators."""

from __future__ import annotations

from abs_shield.session.recent_text import At, RecentText
from abs_shield.text.separatorless import separators


def text_log(*texts: tuple[str, int], limit: int = 10_000) -> RecentText:
    recent = RecentText(limit)
    for version, (text, level) in enumerate(texts):
        recent.add(text, At(level, version))
    return recent


def test_a_value_is_found_in_its_text() -> None:
    """Texts are searched together, and a match has the position of its own text."""

    assert At(2, 1) == text_log(("one", 2), ("call 555-0100", 2), ("two", 2)).find(
        "5550100", separators("555 0100")
    )


def test_the_most_trusted_text_is_returned() -> None:
    """If several texts contain a value, the most trusted one is its source."""

    assert At(1, 1) == text_log(("ab-12", 3), ("ab 12", 1)).find("ab12", separators("ab_12"))


def test_nothing_is_found_across_two_texts() -> None:
    """A value is not composed of the end of one text and the beginning of the next."""

    assert text_log(("order 12", 2), ("34 left", 2)).find("1234", separators("12 34")) is None


def test_older_text_is_dropped() -> None:
    """At most the limit is stored, in whole blocks."""
    recent = text_log(*((f"{n:04} " + "x " * 4_000, 2) for n in range(8)), limit=20_000)

    assert (None, At(2, 7)) == (recent.find("0000", bytes(3)), recent.find("0007", bytes(3)))


def test_dropped_text_without_blanks_is_reported() -> None:
    """Dropped text of a script without blanks is marked, as no table has its parts."""
    recent = text_log(*(("订单" * 5_000, 2) for _ in range(3)), limit=10_000)

    assert recent.has_dropped


def test_the_oldest_text_is_dropped_first() -> None:
    """The oldest text is dropped first, whatever its source."""
    texts = [("a user's word", 1), *((f"{n:04} " + "x " * 500, 2) for n in range(40))]
    recent = text_log(*texts, ("id x1y 2z3", 1), *texts[1:10], limit=20_000)

    assert (None, 1) == (
        recent.find("ausersword", separators("a users word")),
        getattr(recent.find("x1y2z3", bytes(5)), "level", None),
    )
