"""Identifiers of people in the Americas, Asia and Australia."""

from __future__ import annotations

import re

from abs_shield.quality.pii.checksums import (
    digits_of,
    is_birth,
    is_luhn,
    is_mod_11_2,
    is_verhoeff,
    is_year_month_day,
    weighted,
)
from abs_shield.quality.pii.impersonal_values import is_personal_account, is_real_ssn
from abs_shield.quality.pii.recogniser import NAMELESS, Recogniser, capitals, form, phrases

_SSN_WORDS = phrases(
    "ssn, ssns, social security, social security number, social security no, social, "
    "soc sec, ss number, seguro social"
)
_ITIN_WORDS = phrases("itin, tin, taxpayer, taxpayer identification, tax id, individual taxpayer")
_ITIN_GROUP = re.compile(r"(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])")
_CPF_WORDS = phrases("cpf, cadastro, cadastro de pessoas fisicas, contribuinte, tax id")
_CNPJ_WORDS = phrases("cnpj, cadastro nacional, empresa, company")


def _is_ssn(number: str) -> bool:
    if number[:3] in ("000", "666") or number[0] == "9":  # never assigned; 9 begins an ITIN
        return False
    return number[3:5] != "00" and number[5:] != "0000" and len(set(number)) > 1


def _is_itin(number: str) -> bool:
    return number[0] == "9" and _ITIN_GROUP.match(number[3:5]) is not None


def _is_sin(number: str) -> bool:
    return number[0] not in "08" and len(set(number)) > 1 and is_luhn(number)


def _check_mod_11(values: list[int], weights: tuple[int, ...]) -> int:
    rest = weighted(values, weights) % 11
    return 0 if rest < 2 else 11 - rest  # the check digit has one place: 10 and 11 become 0


def _is_cpf(number: str) -> bool:
    digits = digits_of(number)
    return (
        len(set(number)) > 1
        and digits[9] == _check_mod_11(digits, (10, 9, 8, 7, 6, 5, 4, 3, 2))
        and digits[10] == _check_mod_11(digits, (11, 10, 9, 8, 7, 6, 5, 4, 3, 2))
    )


def _is_cnpj(number: str) -> bool:
    # since July 2026 its first twelve characters may be letters, which count from A = 17
    values = [ord(character) - 48 for character in number]
    first = (5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    return (
        len(set(number)) > 1
        and values[12] == _check_mod_11(values, first)
        and values[13] == _check_mod_11(values, (6, *first))
    )


def _is_curp(number: str) -> bool:
    values = ["0123456789ABCDEFGHIJKLMN_OPQRSTUVWXYZ".index(one) for one in number[:17]]
    if not is_birth(int(number[8:10]), int(number[6:8])):
        return False
    return int(number[17]) == -weighted(values, range(18, 1, -1)) % 10


def _is_npi(number: str) -> bool:
    return is_luhn("80840" + number)  # the prefix of health applications in the United States


AMERICAN_ROWS = (
    Recogniser(
        name="SSN",
        pattern=form(r"\d{3}-\d{2}-\d{4}"),
        validator=_is_ssn,
        context=_SSN_WORDS,
        jurisdiction="US",
        fits=is_real_ssn,
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="SSN",
        pattern=form(r"\d{9}|\d{3}([ .])\d{2}\1\d{4}"),
        validator=_is_ssn,
        context=_SSN_WORDS,
        jurisdiction="US",
        fits=is_real_ssn,
        strength=0.2,
    ),
    Recogniser(
        name="ITIN",
        pattern=form(r"\d{3}-\d{2}-\d{4}"),
        validator=_is_itin,
        context=_ITIN_WORDS,
        jurisdiction="US",
        strength=0.6,
        yields=NAMELESS,
    ),
    Recogniser(
        name="ITIN",
        pattern=form(r"\d{9}|\d{3}([ .])\d{2}\1\d{4}"),
        validator=_is_itin,
        context=_ITIN_WORDS,
        jurisdiction="US",
        strength=0.2,
    ),
    Recogniser(
        name="EIN",
        pattern=form(r"\d{2}-\d{7}"),
        context=phrases("ein, fein, tax id, employer identification, federal tax, tin"),
        jurisdiction="US",
        fits=is_personal_account,
        strength=0.3,
    ),
    Recogniser(
        name="SIN",
        pattern=form(r"\d{3}([ -]?)\d{3}\1\d{3}"),
        validator=_is_sin,
        context=phrases("sin, social insurance, social insurance number, assurance sociale, nas"),
        jurisdiction="CA",
        strength=0.3,
    ),
    Recogniser(
        name="CPF",
        pattern=form(r"\d{3}\.\d{3}\.\d{3}-\d{2}"),
        validator=_is_cpf,
        context=_CPF_WORDS,
        jurisdiction="BR",
        strength=0.8,
    ),
    Recogniser(
        name="CPF",
        pattern=form(r"\d{9}-?\d{2}"),
        validator=_is_cpf,
        context=_CPF_WORDS,
        jurisdiction="BR",
        strength=0.3,
    ),
    Recogniser(
        name="CNPJ",
        pattern=form(r"[A-Z0-9]{2}\.[A-Z0-9]{3}\.[A-Z0-9]{3}/[A-Z0-9]{4}-\d{2}"),
        validator=_is_cnpj,
        context=_CNPJ_WORDS,
        jurisdiction="BR",
        fits=is_personal_account,
        strength=0.8,
    ),
    Recogniser(
        name="CNPJ",
        pattern=form(r"[A-Z0-9]{12}\d{2}"),
        validator=_is_cnpj,
        context=_CNPJ_WORDS,
        jurisdiction="BR",
        fits=is_personal_account,
        strength=0.3,
    ),
    Recogniser(
        name="CURP",
        pattern=form(r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d"),
        validator=_is_curp,
        context=phrases("curp, clave unica"),
        jurisdiction="MX",
        strength=0.8,
    ),
    Recogniser(
        name="NPI",
        pattern=form(r"[12]\d{9}"),
        validator=_is_npi,
        context=phrases("npi, national provider, provider number"),
        jurisdiction="US",
        strength=0.3,
    ),
)


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


ASIAN_ROWS = (
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
