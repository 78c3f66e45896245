"""Ids and telephone numbers are present in common spellings."""

from __future__ import annotations

import pytest

from tests.answer.test_facts import missing

SHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"


@pytest.mark.parametrize(
    ("result", "answer", "change"),
    [
        (
            {"iban": "DE89370400440532013000"},
            "IBAN: DE89 3704 0044 0532 0130 00.",
            ("3704", "3705"),
        ),
        ({"msisdn": "+441632960002"}, "The line 01632 960002 is active.", ("02 is", "03 is")),
        ({"phone": "+1 312 555 0111"}, "Call (312) 555-0111.", ("0111", "0112")),
        ({"sha": SHA}, "It failed at commit 9fceb02.", ("9fceb02", "9fceb03")),
        ({"version": "2.14.0"}, "v2.14.0 is live.", ("v2.14.0", "v2.14.1")),
        ({"account": "ES7620770024003102575766"}, "The one ending in 5766.", ("5766", "5767")),
    ],
)
def test_ids_as_people_write_them(result, answer, change):
    """An id may be in groups, shortened, or without the country's code."""
    assert [] == missing(answer, result)
    assert missing(answer.replace(*change), result)


def test_ending_of_an_id_of_the_user():
    """The ending of an id may be that of an id that the user wrote."""
    user = "Change my account to DE89370400440532013000"

    assert [] == missing("The account ending in 3000 is saved.", {"ok": True}, user=user)
