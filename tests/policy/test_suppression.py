"""A suppression applies until the end of its day, or until its time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from abs_shield import PolicyError, Suppression


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


LAST, NEXT = "2026-01-31T23:59:59+00:00", "2026-02-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("until", "at", "holds"),
    [
        (None, NEXT, True),
        (date(2026, 1, 31), LAST, True),
        (date(2026, 1, 31), NEXT, False),
        ("2026-01-31", LAST, True),
        ("2026-01-31", NEXT, False),
        (datetime(2026, 1, 31, 12, 0), "2026-01-31T12:00:00+00:00", True),
        (datetime(2026, 1, 31, 12, 0), "2026-01-31T12:00:01+00:00", False),
        (datetime(2026, 1, 31, 12, 0, tzinfo=UTC), "2026-01-31T12:00:01+00:00", False),
        (datetime(2026, 1, 31, 12, tzinfo=timezone(timedelta(hours=-5))), LAST, False),
        (datetime(2026, 1, 31, 20, tzinfo=timezone(timedelta(hours=-5))), LAST, True),
        ("2026-01-31T12:00:00Z", "2026-01-31T11:59:59+00:00", True),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:01+00:00", False),
    ],
)
def test_how_long_it_holds(until: Any, at: str, holds: bool) -> None:
    """A day is included, in UTC; a time without a zone is UTC."""
    suppression = Suppression(check="phantom_tool", reason="known", until=until)

    assert holds == suppression.holds(seconds(at))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"reason": "x"}, "`check`: Field required"),
        ({"check": "phantom_tool"}, "`reason`: Field required"),
        ({"check": "phantom_tool", "reason": ""}, "`reason`"),
        (
            {"check": "phantom_tool", "reason": "x", "until": "soon"},
            'suppression: `until`: got "soon"; give a day or a time, such as `2026-12-31`',
        ),
        ({"check": "phantom_tool", "reason": "x", "untill": "2026"}, "did you mean `until`?"),
        ({"check": "phantom_tool", "reason": "x", "until": "soon"}, "`until"),
        ({"check": "phantom_tool", "reason": "x", "code": ""}, "`code`"),
        (
            {"check": "phantom_tool", "reason": "x", "where": "amount"},
            '`where`: "amount" is not a place in a call; give `/name` or `/arguments/amount`',
        ),
        ({"check": "phantom_tool", "reason": "x", "where": "/argumentsx"}, "`where`"),
        (
            {"check": "spc_anomaly", "reason": "x", "where": "price"},
            '`where`: "price" is not a place in a result; give `/price`',
        ),
        ({"check": "phantom_tool", "reason": "x", "until": "2026-13-01"}, "`until"),
    ],
)
def test_a_wrong_suppression(wrong: dict[str, Any], message: str) -> None:
    """A suppression has a check, a reason, and an end that is a date."""
    with pytest.raises(PolicyError) as caught:
        Suppression(**wrong)

    assert (message in str(caught.value), "\n" in str(caught.value)) == (True, False)


def test_its_text_names_what_it_suppresses() -> None:
    """One line, with texts that a model may have written escaped."""
    whole = Suppression(check="x", tool="a\n", code="c", where="/arguments/\x1b", reason="r")

    assert "`x` for `a\\n`, `c` at `/arguments/\\x1b`" == str(whole)
    assert "`x`" == str(Suppression(check="x", reason="r"))
