"""Identifiers of people in the Americas."""

from __future__ import annotations

import re

from abs_shield.quality.pii.checksums import digits_of, is_birth, is_luhn, weighted
from abs_shield.quality.pii.impersonal_values import is_personal_account, is_real_ssn
from abs_shield.quality.pii.recogniser import NAMELESS, Recogniser, form, phrases

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


ROWS = (
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
