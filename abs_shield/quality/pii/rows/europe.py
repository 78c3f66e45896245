"""Identifiers of people in Europe."""

from __future__ import annotations

import re
from collections import Counter

from abs_shield.quality.pii.births import is_birth
from abs_shield.quality.pii.checksums import digits_of, is_ean, is_luhn, is_mod_11_10, weighted
from abs_shield.quality.pii.recogniser import Recogniser, capitals, form, phrases

_NINO = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]")
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
"""What a character at an odd place of a codice fiscale counts."""
_OMOCODIA = str.maketrans("LMNPQRSTUV", "0123456789")
"""Letters that replace digits where two people have the same codice fiscale."""
_ID_CARD_LETTERS = "CFGHJKLMNPRTVWXYZ"
_HETU_CHECK = "0123456789ABCDEFHJKLMNPRSTUVWXY"
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


def _is_tax_id(number: str) -> bool:
    """Of the first ten digits one stands there two or three times, each other once at most."""
    most = sorted(Counter(number[:10]).values(), reverse=True)
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


def _is_nir(number: str) -> bool:
    month = int(number[3:5])
    if not (1 <= month <= 12 or 20 <= month <= 42 or 50 <= month <= 99):
        return False
    body = number[:13].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body) % 97 == int(number[13:])


def _is_dni(number: str) -> bool:
    return _DNI_LETTERS[int(number[:8]) % 23] == number[8] and len(set(number[:8])) > 1


def _is_nie(number: str) -> bool:
    return _DNI_LETTERS[int(str("XYZ".index(number[0])) + number[1:8]) % 23] == number[8]


def _is_codice_fiscale(number: str) -> bool:
    day = int(number[9:11].translate(_OMOCODIA))
    if not is_birth(day - 40 if day > 40 else day, "ABCDEHLMPRST".index(number[8]) + 1):
        return False
    even = sum(int(one) if one.isdigit() else ord(one) - 65 for one in number[1:15:2])
    return (even + sum(_ODD[one] for one in number[:15:2])) % 26 == ord(number[15]) - 65


def _is_bsn(number: str) -> bool:
    digits = digits_of(number)
    return weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and len(set(number)) > 1


def _is_pesel(number: str) -> bool:
    digits = digits_of(number)
    month = int(number[2:4]) % 20  # the century is added to the month
    if not is_birth(int(number[4:6]), month):
        return False
    return weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


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


def _is_national_number(number: str) -> bool:
    check = int(number[9:])
    return any(97 - int(century + number[:9]) % 97 == check for century in ("", "2"))


def _is_social_insurance(number: str) -> bool:
    digits = digits_of(number)
    rest = weighted(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11
    return number[0] != "0" and rest == digits[3] and int(number[4:6]) <= 31


def _is_nif(number: str) -> bool:
    digits = digits_of(number)
    rest = weighted(digits[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return number[0] in "123" and digits[8] == (0 if rest < 2 else 11 - rest)


def _is_pps(number: str) -> bool:
    extra = "WABCDEFGHI".find(number[8]) if len(number) == 9 else 0
    total = weighted(digits_of(number[:7]), (8, 7, 6, 5, 4, 3, 2)) + 9 * max(extra, 0)
    return _PPS_CHECK[total % 23] == number[7]


def _is_tckn(number: str) -> bool:
    digits = digits_of(number)
    tenth = (sum(digits[:9:2]) * 7 - sum(digits[1:8:2])) % 10
    return number[0] != "0" and digits[9] == tenth and sum(digits[:10]) % 10 == digits[10]


ROWS = (
    Recogniser(
        name="NINO",
        pattern=form(r"[A-Z]{2}([ -]?)\d{2}\1\d{2}\1\d{2}\1[A-D]"),
        validator=_is_nino,
        context=phrases("nino, ni number, ni no, national insurance, national insurance number"),
        jurisdiction="GB",
        strength=0.55,
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
    ),
    Recogniser(
        name="NIE",
        pattern=form(r"[XYZ]-?\d{7}-?[A-Z]"),
        validator=_is_nie,
        context=phrases("nie, numero de extranjero, extranjero, identidad de extranjero"),
        jurisdiction="ES",
        strength=0.6,
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
        name="Personnummer",
        pattern=form(r"(?:\d{2})?\d{6}[-+]\d{4}"),
        validator=_is_personnummer,
        context=phrases("personnummer, samordningsnummer, personal identity number, pnr"),
        jurisdiction="SE",
        strength=0.6,
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
        name="Sozialversicherungsnummer",
        pattern=form(r"\d{4} ?\d{6}"),
        validator=_is_social_insurance,
        context=phrases("sozialversicherungsnummer, svnr, sv nummer, versicherungsnummer"),
        jurisdiction="AT",
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
        name="PPSNumber",
        pattern=form(r"\d{7}[A-W][ABHWTX]?"),
        validator=_is_pps,
        context=phrases("pps, ppsn, pps number, personal public service"),
        jurisdiction="IE",
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
