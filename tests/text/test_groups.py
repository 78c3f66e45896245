"""Groups of digits: one number or several."""

from __future__ import annotations

import pytest

from abs_shield.text.digit_groups import groups


@pytest.mark.parametrize(
    "text",
    [
        "account 1234 5678",
        "account number is 1234 5678",
        "order no. 4421 0987",
        "kunde nr. 4421 0987",
        "commande 4421 0987",
        "номер 4421 0987",
        "+49 151 1234567",
        "(030) 1234567",
        "4111 1111 1111 1111",
        "pay with 4111 1111 1111 1111 now",
        "cancel 4111 1111 1111 1112",
        "3782 822463 10005",
        "1234 5678",
        "1234 5678.",
        "x | 1234 5678 | y",
        "it is 1234-5678",
        "it is 12/345/67890",
        "that makes 1 500 €",
        "that makes 1 500,00",
    ],
)
def test_one_number(text):
    """By the word before it, by its form, as a whole value, in a row, and without a blank."""
    assert [True] == [run.one for run in groups(text)]


@pytest.mark.parametrize(
    "text",
    [
        "cancel 1234 5678",
        "cancel 1234  5678",
        "from 1234 - 5678",
        "see 1234/5678",
        "cancel 1001 1002 1003",
        "it is my account. 1234 5678 too",
    ],
)
def test_ambiguous_groups_are_not_one_number(text):
    """Groups separated by blanks, dashes or slashes are not joined."""
    assert [False] == [run.one for run in groups(text)]


@pytest.mark.parametrize(
    "text", ["orders 1234 5678", "accounts: 1234 5678", "37040044 0532013000", "1234 5678 " * 4]
)
def test_several_numbers(text):
    """A plural, two groups of six digits or more, more digits than a number has."""
    assert [] == list(groups(text))


@pytest.mark.parametrize("text", ["UTR 12345 67890", "cpf 111 444", "my PESEL 440514 01458"])
def test_an_official_number_is_one_number(text):
    """Numbers of people and companies in two groups are one number after their name."""
    assert [True] == [run.one for run in groups(text.casefold())]
