"""Identifiers of people in Asia and Australia."""

from __future__ import annotations

from abs_shield.quality.pii.checksums import (
    digits_of,
    is_mod_11_2,
    is_verhoeff,
    is_year_month_day,
    weighted,
)
from abs_shield.quality.pii.recogniser import NAMELESS, Recogniser, capitals, form, phrases

_AADHAAR_WORDS = phrases("aadhaar, aadhar, adhaar, uidai, uid, आधार")
_RRN_WORDS = phrases("rrn, resident registration, 주민등록번호, 주민번호, 주민등록")


def _is_aadhaar(number: str) -> bool:
    # numbers that begin with 0 or 1, and palindromes, are not issued
    return number[0] not in "01" and number != number[::-1] and is_verhoeff(number)


def _is_tfn(number: str) -> bool:
    weights = (1, 4, 3, 7, 5, 8, 6, 9, 10) if len(number) == 9 else (10, 7, 8, 4, 6, 3, 5, 1)
    return weighted(digits_of(number), weights) % 11 == 0 and len(set(number)) > 1


def _is_medicare(number: str) -> bool:
    digits = digits_of(number)
    return weighted(digits[:8], (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == digits[8]


def _is_my_number(number: str) -> bool:
    digits = digits_of(number)
    rest = weighted(digits[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return digits[11] == (0 if rest < 2 else 11 - rest) and len(set(number)) > 1


def _is_rrn(number: str) -> bool:
    # numbers issued since October 2020 have no check digit
    return is_year_month_day(number[:6])


def _is_checked_rrn(number: str) -> bool:
    digits = digits_of(number)
    check = (11 - weighted(digits[:12], (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10
    return is_year_month_day(number[:6]) and check == digits[12]


def _is_nric(number: str) -> bool:
    total = weighted(digits_of(number[1:8]), (2, 7, 6, 5, 4, 3, 2))
    shift = {"T": 4, "G": 4, "M": 3}.get(number[0], 0)
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "M": "XWUTRQPNJLK"}
    return letters.get(number[0], "XWUTRQPNMLK")[(total + shift) % 11] == number[8]


def _is_resident(number: str) -> bool:
    return is_year_month_day(number[6:14]) and is_mod_11_2(number)


ROWS = (
    Recogniser(
        name="Aadhaar",
        pattern=form(r"\d{4}([ -])\d{4}\1\d{4}(?!\1\d)"),  # nor a card
        validator=_is_aadhaar,
        context=_AADHAAR_WORDS,
        jurisdiction="IN",
        strength=0.55,
        yields=NAMELESS,
    ),
    Recogniser(
        name="Aadhaar",
        pattern=form(r"\d{12}"),
        validator=_is_aadhaar,
        context=_AADHAAR_WORDS,
        jurisdiction="IN",
        strength=0.3,
    ),
    Recogniser(  # its fourth letter is the kind of holder; it has no published check
        name="PAN",
        pattern=capitals(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]"),
        context=phrases("pan, pan card, pan number, permanent account, income tax"),
        jurisdiction="IN",
        strength=0.5,
        yields=NAMELESS,
    ),
    Recogniser(
        name="TFN",
        pattern=form(r"\d{3}([ -]?)\d{3}\1\d{2,3}"),
        validator=_is_tfn,
        context=phrases("tfn, tax file, tax file number"),
        jurisdiction="AU",
        strength=0.3,
    ),
    Recogniser(
        name="MedicareNumber",
        pattern=form(r"[2-6]\d{3}([ -]?)\d{5}\1\d(?:[ /-]?\d)?"),
        validator=_is_medicare,
        context=phrases("medicare, medicare card, medicare number"),
        jurisdiction="AU",
        strength=0.3,
    ),
    Recogniser(
        name="MyNumber",
        pattern=form(r"\d{4}([ -]?)\d{4}\1\d{4}"),
        validator=_is_my_number,
        context=phrases(
            "my number, mynumber, individual number, マイナンバー, 個人番号, 個人識別番号"
        ),
        jurisdiction="JP",
        strength=0.3,
    ),
    Recogniser(
        name="RRN",
        pattern=form(r"\d{6}-[1-8]\d{6}"),
        validator=_is_rrn,
        context=_RRN_WORDS,
        jurisdiction="KR",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="RRN",
        pattern=form(r"\d{6} ?[1-8]\d{6}"),
        validator=_is_checked_rrn,
        context=_RRN_WORDS,
        jurisdiction="KR",
        strength=0.3,
    ),
    Recogniser(
        name="NRIC",
        pattern=form(r"[STFGM]\d{7}[A-Z]"),
        validator=_is_nric,
        context=phrases("nric, fin, ic number, identity card"),
        jurisdiction="SG",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="ResidentID",
        pattern=form(r"[1-8]\d{16}[0-9X]"),
        validator=_is_resident,
        context=phrases("resident id, resident identity, id card, 身份证, 身份证号, 公民身份号码"),
        jurisdiction="CN",
        strength=0.7,
    ),
)
