"""Every row of the table recognises its value, and nothing that only looks like it."""

from __future__ import annotations

import pytest

from abs_shield.errors import PolicyError
from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.phone_numbering import phonenumbers
from abs_shield.quality.pii.recogniser import Recogniser, form
from abs_shield.quality.pii.scan import scan
from tests.rows import each_row

from .cases import CASES, NATIONAL, Case

planned = pytest.mark.skipif(phonenumbers() is None, reason="needs `pip install phonenumbers`")
CHECKED = [case for case in CASES if case.broken]
WEAK = [case for case in CASES if not case.alone]


def names(text: str) -> list[str]:
    """Return the names of the entities in a text."""
    return [one.name for one in scan(text)]


def test_every_row_has_a_case():
    """No recogniser is untested."""
    assert {row.key for row in RECOGNISERS} == {case.key for case in (*CASES, *NATIONAL)}


@each_row("case", CASES)
def test_a_value_is_found_in_its_sentence(case: Case):
    """From its first character to its last."""
    text = case.sentence.format(case.value)

    (finding,) = scan(text)

    assert (case.name, case.value) == (finding.name, text[finding.start : finding.end])


@planned
@each_row("case", NATIONAL)
def test_a_national_telephone_number_is_found(case: Case):
    """A national number is found after words that introduce it in the country's language."""
    text = case.sentence.format(case.value)

    (finding,) = scan(text, jurisdictions=[case.key[:2]])

    assert (case.name, case.value) == (finding.name, text[finding.start : finding.end])


@each_row("case", CHECKED)
def test_a_wrong_check_digit_is_not_found(case: Case):
    """A value of the same form with a wrong check digit is not found."""
    assert case.name not in names(case.sentence.format(case.broken))


@each_row("case", CASES)
def test_a_distinctive_value_is_found_without_context(case: Case):
    """A value that is easily confused with others is found only after introducing words."""
    assert ([case.name] if case.alone else []) == names(f"It is {case.value}.")


@each_row("case", WEAK)
def test_an_order_number_is_not_personal_data(case: Case):
    """A number that another word introduces is not found, whatever precedes it."""
    start = case.sentence.partition("{}")[0]

    assert case.name not in names(f"{start}unknown; order number {case.value}.")


@each_row("case", CASES)
def test_part_of_a_longer_token_is_not_found(case: Case):
    """A longer id contains no identifier."""
    assert case.name not in names(f"x{case.value}9_77".replace("@", " "))


@each_row("case", CASES)
def test_a_finding_has_no_character_of_the_value(case: Case):
    """The masked form has no letter and no digit."""
    (finding,) = scan(case.sentence.format(case.value))

    assert [] == [one for one in finding.masked if one.isalnum()]


@pytest.mark.parametrize(
    "wrong", [{"strength": 0.3}, {"strength": 1.5}, {"strength": 0.6, "reach": 90}], ids=str
)
def test_a_row_that_can_not_count_is_refused(wrong: dict[str, float]):
    """When it is declared."""
    with pytest.raises(PolicyError, match="Badge"):
        Recogniser(name="Badge", pattern=form(r"BX\d{6}"), **wrong)
