"""Identifiers of people in the United Kingdom and Ireland."""

from __future__ import annotations

import re

from abs_shield.quality.pii.checksums import digits_of, weighted
from abs_shield.quality.pii.recogniser import NAMELESS, Recogniser, capitals, form, phrases

# prefixes that are not issued
_NINO = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]")
_PPS_CHECK = "WABCDEFGHIJKLMNOPQRSTUV"


def _is_nino(number: str) -> bool:
    return _NINO.match(number) is not None


def _is_nhs(number: str) -> bool:
    digits = digits_of(number)
    return len(set(number)) > 1 and weighted(digits, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _is_utr(number: str) -> bool:
    digits = digits_of(number)
    rest = weighted(digits[1:], (6, 7, 8, 9, 10, 5, 4, 3, 2)) % 11
    return number[0] == "21987654321"[rest] and len(set(number)) > 1


def _is_pps(number: str) -> bool:
    extra = "WABCDEFGHI".find(number[8]) if len(number) == 9 else 0
    total = weighted(digits_of(number[:7]), (8, 7, 6, 5, 4, 3, 2)) + 9 * max(extra, 0)
    return _PPS_CHECK[total % 23] == number[7]


ROWS = (
    Recogniser(
        name="NINO",
        pattern=capitals(r"[A-Z]{2}([ -]?)\d{2}\1\d{2}\1\d{2}\1[A-D]"),
        validator=_is_nino,
        context=phrases("nino, ni number, ni no, national insurance, national insurance number"),
        jurisdiction="GB",
        strength=0.55,
        yields=NAMELESS,
    ),
    Recogniser(
        name="NHSNumber",
        pattern=form(r"\d{3}([ -]?)\d{3}\1\d{4}"),
        validator=_is_nhs,
        context=phrases("nhs, nhs number, nhs no, national health, patient"),
        jurisdiction="GB",
        strength=0.3,
    ),
    Recogniser(
        name="UTR",
        pattern=form(r"\d{5} ?\d{5}"),
        validator=_is_utr,
        context=phrases("utr, unique taxpayer, taxpayer reference, self assessment"),
        jurisdiction="GB",
        strength=0.3,
    ),
    Recogniser(
        name="PPSNumber",
        pattern=form(r"\d{7}[A-W][ABHWTX]?"),
        validator=_is_pps,
        context=phrases("pps, ppsn, pps number, personal public service"),
        jurisdiction="IE",
        strength=0.3,
    ),
)
