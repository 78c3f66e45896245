"""Identifiers of people in the United Kingdom, Ireland, Sweden, Norway, Denmark and Finland."""

from __future__ import annotations

import re

from abs_shield.quality.pii.checksums import digits_of, is_birth, is_luhn, weighted
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


BRITISH_ROWS = (
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


_HETU_CHECK = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def _is_personnummer(number: str) -> bool:
    last = number[-10:]
    day = int(last[4:6])  # a coordination number adds 60
    if len(number) == 12 and number[:2] not in ("18", "19", "20"):
        return False
    return is_birth(day - 60 if day > 60 else day, int(last[2:4])) and is_luhn(last)


def _is_fodselsnummer(number: str) -> bool:
    digits = digits_of(number)
    day = int(number[:2])  # a D number adds 40
    return (
        is_birth(day - 40 if day > 40 else day, int(number[2:4]) % 40)
        and weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11 == 0
        and weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
    )


def _is_cpr(number: str) -> bool:
    return is_birth(int(number[:2]), int(number[2:4]))


def _is_hetu(number: str) -> bool:
    if not is_birth(int(number[:2]), int(number[2:4])):
        return False
    return _HETU_CHECK[int(number[:6] + number[-4:-1]) % 31] == number[-1]


NORDIC_ROWS = (
    Recogniser(
        name="Personnummer",
        pattern=form(r"(?:\d{2})?\d{6}[-+]\d{4}"),
        validator=_is_personnummer,
        context=phrases("personnummer, samordningsnummer, personal identity number, pnr"),
        jurisdiction="SE",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="Personnummer",
        pattern=form(r"(?:\d{2})?\d{10}"),
        validator=_is_personnummer,
        context=phrases("personnummer, samordningsnummer, personal identity number"),
        jurisdiction="SE",
        strength=0.3,
    ),
    Recogniser(
        name="Fodselsnummer",
        pattern=form(r"\d{6} ?\d{5}"),
        validator=_is_fodselsnummer,
        context=phrases("fodselsnummer, fødselsnummer, personnummer, d nummer, fnr"),
        jurisdiction="NO",
        strength=0.3,
    ),
    Recogniser(
        name="CPR",
        pattern=form(r"\d{6}-?\d{4}"),
        validator=_is_cpr,
        context=phrases("cpr, cpr nummer, cpr number, personnummer"),
        jurisdiction="DK",
        strength=0.3,
    ),
    Recogniser(
        name="HETU",
        pattern=form(r"\d{6}[-+ABCDEFUVWXY]\d{3}[0-9A-FHJ-NPR-Y]"),
        validator=_is_hetu,
        context=phrases("hetu, henkilotunnus, henkilötunnus, personbeteckning"),
        jurisdiction="FI",
        strength=0.6,
        yields=NAMELESS,
    ),
)
