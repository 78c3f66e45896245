"""Identifiers of people in Germany, Austria, Switzerland, the Netherlands and Poland."""

from __future__ import annotations

from collections import Counter

from abs_shield.quality.pii.checksums import digits_of, is_birth, is_ean, is_mod_11_10, weighted
from abs_shield.quality.pii.recogniser import NAMELESS, Recogniser, capitals, form, phrases

_ID_CARD_LETTERS = "CFGHJKLMNPRTVWXYZ"


def _is_tax_id(number: str) -> bool:
    """Check that one of the first ten digits occurs two or three times, the others at most once."""
    most = sorted(Counter(number[:10]).values(), reverse=True)
    # exactly one digit occurs twice or three times
    return number[0] != "0" and most[0] in (2, 3) and most[1] == 1 and is_mod_11_10(number)


def _is_id_card(number: str) -> bool:
    digits = digits_of(number)
    if not any(map(str.isdigit, number[1:])):
        return False
    return len(number) == 9 or weighted(digits[:9], (7, 3, 1) * 3) % 10 == digits[9]


def _added(value: int) -> int:
    return value // 10 + value % 10


def _is_pension(number: str) -> bool:
    letter = f"{ord(number[8]) - 64:02}"
    digits = digits_of(number[:8] + letter + number[9:11])
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    check = sum(_added(digit * weight) for digit, weight in zip(digits, weights, strict=True)) % 10
    # from 50 on, the day is one of a second series
    day = int(number[2:4])
    return int(number[11]) == check and is_birth(day - 50 if day > 50 else day, int(number[4:6]))


def _is_insured(number: str) -> bool:
    digits = digits_of(f"{ord(number[0]) - 64:02}{number[1:9]}")
    return sum(_added(digit * (1 + n % 2)) for n, digit in enumerate(digits)) % 10 == int(number[9])


def _is_bsn(number: str) -> bool:
    digits = digits_of(number)
    return weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and len(set(number)) > 1


def _is_pesel(number: str) -> bool:
    digits = digits_of(number)
    month = int(number[2:4]) % 20  # the century is added to the month
    if not is_birth(int(number[4:6]), month):
        return False
    return weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _is_social_insurance(number: str) -> bool:
    digits = digits_of(number)
    rest = weighted(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11
    return number[0] != "0" and rest == digits[3] and int(number[4:6]) <= 31


CENTRAL_EUROPEAN_ROWS = (
    Recogniser(
        name="SteuerID",
        pattern=form(r"\d{11}|\d{2} \d{3} \d{3} \d{3}"),
        validator=_is_tax_id,
        context=phrases(
            "steuer id, steuerid, steuer identifikationsnummer, steueridentifikationsnummer, "
            "identifikationsnummer, idnr, steuernummer, steuerliche identifikationsnummer, "
            "steuer identnummer, tax id, tin, tax identification"
        ),
        jurisdiction="DE",
        strength=0.3,
    ),
    Recogniser(
        name="Personalausweis",
        pattern=capitals(rf"[{_ID_CARD_LETTERS}][{_ID_CARD_LETTERS}0-9]{{8}}\d?"),
        validator=_is_id_card,
        context=phrases(
            "personalausweis, personalausweisnummer, ausweisnummer, ausweis, ausweis nr, "
            "german id, identity card, id card"
        ),
        jurisdiction="DE",
        strength=0.3,
    ),
    Recogniser(
        name="Rentenversicherungsnummer",
        pattern=form(r"\d{2} ?\d{6} ?[A-Z] ?\d{3}"),
        validator=_is_pension,
        context=phrases(
            "rentenversicherung, rentenversicherungsnummer, rvnr, sozialversicherungsnummer, "
            "versicherungsnummer, sv nummer, social security"
        ),
        jurisdiction="DE",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="Krankenversichertennummer",
        pattern=form(r"[A-Z]\d{9}"),
        validator=_is_insured,
        context=phrases(
            "krankenversichertennummer, kvnr, versichertennummer, krankenkasse, "
            "krankenversicherung, krankenversicherungsnummer, health insurance, insurance number"
        ),
        jurisdiction="DE",
        strength=0.3,
    ),
    Recogniser(
        name="BSN",
        pattern=form(r"\d{9}|\d{4}\.\d{2}\.\d{3}|\d{3}[ .]\d{3}[ .]\d{3}"),
        validator=_is_bsn,
        context=phrases(
            "bsn, burgerservicenummer, burger service nummer, sofinummer, sofi nummer, "
            "citizen service number"
        ),
        jurisdiction="NL",
        strength=0.3,
    ),
    Recogniser(
        name="PESEL",
        pattern=form(r"\d{11}"),
        validator=_is_pesel,
        context=phrases("pesel, numer pesel, pesel number"),
        jurisdiction="PL",
        strength=0.3,
    ),
    Recogniser(
        name="AHV",
        pattern=form(r"756([. ]?)\d{4}\1\d{4}\1\d{2}"),
        validator=is_ean,
        context=phrases(
            "ahv, ahv nummer, ahvn, sozialversicherungsnummer, avs, numero avs, "
            "assurance vieillesse, social security"
        ),
        jurisdiction="CH",
        strength=0.7,
    ),
    Recogniser(
        name="Sozialversicherungsnummer",
        pattern=form(r"\d{4} ?\d{6}"),
        validator=_is_social_insurance,
        context=phrases("sozialversicherungsnummer, svnr, sv nummer, versicherungsnummer"),
        jurisdiction="AT",
        strength=0.3,
    ),
)
