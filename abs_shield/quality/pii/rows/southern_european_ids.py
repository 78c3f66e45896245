"""Identifiers of people in France, Belgium, Spain, Portugal, Italy and Turkey."""

from __future__ import annotations

from abs_shield.quality.pii.checksums import digits_of, is_birth, weighted
from abs_shield.quality.pii.recogniser import NAMELESS, Recogniser, form, phrases

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD_REST = (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (*_ODD_DIGITS, *_ODD_DIGITS, *_ODD_REST),
        strict=True,
    )
)
"""Values of characters at odd places of a codice fiscale."""
_OMOCODIA = str.maketrans("LMNPQRSTUV", "0123456789")
"""Letters that replace digits where two people have the same codice fiscale."""


def _is_nir(number: str) -> bool:
    month = int(number[3:5])
    # from 20 on: births whose month was not recorded
    if not (1 <= month <= 12 or 20 <= month <= 42 or 50 <= month <= 99):
        return False
    body = number[:13].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body) % 97 == int(number[13:])


def _is_dni(number: str) -> bool:
    return _DNI_LETTERS[int(number[:8]) % 23] == number[8] and len(set(number[:8])) > 1


def _is_nie(number: str) -> bool:
    return _DNI_LETTERS[int(str("XYZ".index(number[0])) + number[1:8]) % 23] == number[8]


def _is_codice_fiscale(number: str) -> bool:
    day = int(number[9:11].translate(_OMOCODIA))  # of a woman, it has 40 added
    if not is_birth(day - 40 if day > 40 else day, "ABCDEHLMPRST".index(number[8]) + 1):
        return False
    even = sum(int(one) if one.isdigit() else ord(one) - 65 for one in number[1:15:2])
    return (even + sum(_ODD[one] for one in number[:15:2])) % 26 == ord(number[15]) - 65


def _is_national_number(number: str) -> bool:
    check = int(number[9:])
    # numbers of births since 2000 are computed with a 2 in front
    return any(97 - int(century + number[:9]) % 97 == check for century in ("", "2"))


def _is_nif(number: str) -> bool:
    digits = digits_of(number)
    rest = weighted(digits[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return number[0] in "123" and digits[8] == (0 if rest < 2 else 11 - rest)


def _is_tckn(number: str) -> bool:
    digits = digits_of(number)
    tenth = (sum(digits[:9:2]) * 7 - sum(digits[1:8:2])) % 10
    return number[0] != "0" and digits[9] == tenth and sum(digits[:10]) % 10 == digits[10]


SOUTHERN_EUROPEAN_ROWS = (
    Recogniser(
        name="NIR",
        pattern=form(
            r"[12]\d{4}(?:\d{2}|2[AB])\d{8}"
            r"|[12] \d{2} \d{2} (?:\d{2}|2[AB]) \d{3} \d{3}(?: |/)\d{2}"
        ),
        validator=_is_nir,
        context=phrases(
            "nir, insee, securite sociale, numero de securite sociale, secu, numero de secu, "
            "social security"
        ),
        jurisdiction="FR",
        strength=0.7,
    ),
    Recogniser(
        name="DNI",
        pattern=form(r"\d{8}-?[A-Z]|\d{2}\.\d{3}\.\d{3}-?[A-Z]"),
        validator=_is_dni,
        context=phrases("dni, nif, documento nacional, documento de identidad, identidad"),
        jurisdiction="ES",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="NIE",
        pattern=form(r"[XYZ]-?\d{7}-?[A-Z]"),
        validator=_is_nie,
        context=phrases("nie, numero de extranjero, extranjero, identidad de extranjero"),
        jurisdiction="ES",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="CodiceFiscale",
        pattern=form(
            r"[A-Z]{3} ?[A-Z]{3} ?[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2} ?"
            r"[A-Z][0-9LMNPQRSTUV]{3}[A-Z]"
        ),
        validator=_is_codice_fiscale,
        context=phrases("codice fiscale, cod fisc, cf, tax code"),
        jurisdiction="IT",
        strength=0.8,
    ),
    Recogniser(
        name="NationalNumber",
        pattern=form(r"\d{2}\.\d{2}\.\d{2}[- ]\d{3}\.\d{2}"),
        validator=_is_national_number,
        context=phrases("rijksregisternummer, numero national, registre national, insz, niss"),
        jurisdiction="BE",
        strength=0.7,
    ),
    Recogniser(
        name="NationalNumber",
        pattern=form(r"\d{11}"),
        validator=_is_national_number,
        context=phrases("rijksregisternummer, numero national, registre national, insz, niss"),
        jurisdiction="BE",
        strength=0.3,
    ),
    Recogniser(
        name="NIF",
        pattern=form(r"\d{3}( ?)\d{3}\1\d{3}"),
        validator=_is_nif,
        context=phrases("nif, contribuinte, numero de contribuinte, identificacao fiscal"),
        jurisdiction="PT",
        strength=0.3,
    ),
    Recogniser(
        name="TCKN",
        pattern=form(r"[1-9]\d{10}"),
        validator=_is_tckn,
        context=phrases("tckn, tc kimlik, kimlik no, kimlik numarasi, t c kimlik"),
        jurisdiction="TR",
        strength=0.3,
    ),
)
