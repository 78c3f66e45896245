"""Payment cards and bank accounts."""

from __future__ import annotations

import re

from abs_shield.quality.pii.checksums import digits_of, is_luhn, is_mod_97_10, weighted
from abs_shield.quality.pii.impersonal_values import is_no_sort_code, is_personal_account, is_real
from abs_shield.quality.pii.recogniser import (
    NO_DATE,
    RIVALS,
    PhraseMatch,
    Recogniser,
    capitals,
    form,
    phrases,
)

_MAESTRO = r"5[06-9]|6[0137]"
_ISSUERS = {
    12: _MAESTRO,
    13: rf"4|{_MAESTRO}",
    14: rf"3(?:0[0-5]|[689])|{_MAESTRO}",
    15: rf"3[47]|2131|1800|{_MAESTRO}",
    16: r"4|5[0-9]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)|3(?:0[0-5]|[689])"
    r"|6(?:[013-7]|011)|62|35(?:2[89]|[3-8])",
    17: rf"62|{_MAESTRO}",
    18: rf"62|{_MAESTRO}",
    19: rf"4|62|35(?:2[89]|[3-8])|6(?:011|4[4-9]|5)|{_MAESTRO}",
}
"""First digits of cards by length: Visa, Mastercard, American Express, Diners, JCB and others."""
_ISSUED = {length: re.compile(first) for length, first in _ISSUERS.items()}
_CARD_WORDS = phrases(
    "card, cards, card number, credit card, debit card, visa, mastercard, amex, american express, "
    "diners, jcb, maestro, pan, creditcard, kreditkarte, karte, kartennummer, carte, "
    "carte bancaire, tarjeta, carta, carta di credito, cartao, kaart, karta, karty, kort, "
    "kortnummer, luottokortti, "
    "カード, 카드, 卡号, 信用卡"
)
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27,
    "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
    "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
    "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
    "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}  # fmt: skip
"""Characters of an IBAN, by country (SWIFT's IBAN registry)."""
_IBANS = "|".join(
    rf"(?:{'|'.join(c for c, n in _IBAN_LENGTHS.items() if n == length)})"
    rf"\d\d(?:[ -]?[A-Z0-9]){{{length - 4}}}"
    for length in sorted(set(_IBAN_LENGTHS.values()))
)
"""Each country's exact length, so that words after an IBAN are not included."""
_ACCOUNT_WORDS = phrases(
    "bank account, bank accounts, account number, account numbers, account no, account nr, "
    "acct, acct no, a c no, checking account, savings account, current account, account iban, "
    "deposit account, bank details, bankverbindung, kontonummer, konto, konto nr, kontonr, "
    "bankkonto, girokonto, numero de compte, compte bancaire, compte, numero de cuenta, "
    "cuenta bancaria, cuenta corriente, cuenta, conto corrente, conto bancario, conta corrente, "
    "numero da conta, conta bancaria, conta, rekeningnummer, bankrekening, rekening, "
    "numer konta, numer rachunku, rachunek, bankkontonummer, tilinumero, pankkitili, clabe, bban, "
    "sort code, bsb, ifsc, iban, to account, into account, from account, wire account, "
    "her account, his account, my account, 口座番号, 口座, 계좌번호, 계좌, 银行账号, 账号, 银行账户"
)
_LONGEST_ACCOUNT = 28  # with letters and separators: longer than any national account number
_VAGUE = phrases(
    "to account, into account, from account, account number, account numbers, account no, "
    "account nr, acct, acct no, a c no"
)
"""Shops, clouds and utilities have account numbers, too."""
_BANK = re.compile(
    r"(?<![^\W_])(?:bank(?:s|ing)?|iban|swift|bic|bban|routing|aba|ach|sepa|bacs|sort[ _-]?code"
    r"|bsb|ifsc|clabe|blz|bankleitzahl|wir(?:e|ed|ing)|transfer(?:s|red)?|deposit(?:s|ed)?|withdraw(?:al|n|s)?"
    r"|checking|chequing|savings|payroll|payout|direct[ _-]debit|beneficiary|payee|remit(?:tance)?"
    r"|account[ _-]holder|ssn|social[ _-]security)(?![^\W_])",
    re.IGNORECASE,
)
"""Words for payments and for a person's identity; an account next to them is a bank account."""
_HIS = re.compile(r"\b(?:her|his|my) (?:[a-z]+ )?$", re.IGNORECASE)
_BANK_BEFORE, _BANK_BEHIND = 150, 60  # characters: a sentence before, and the rest of its own


def _is_card(number: str) -> bool:
    issued = _ISSUED[len(number)].match(number)
    return issued is not None and len(set(number)) > 1 and is_luhn(number)


def _is_introduced_card(number: str) -> bool:
    return len(set(number)) > 1 and is_luhn(number)


def _is_iban(number: str) -> bool:
    return len(set(number[4:])) > 1 and is_mod_97_10(number[4:] + number[:4])


def _is_routing(number: str) -> bool:
    prefix = int(number[:2])
    # the districts of the Federal Reserve, their thrifts and electronic numbers
    if not (0 < prefix <= 12 or 21 <= prefix <= 32 or 61 <= prefix <= 72 or prefix == 80):
        return False
    return weighted(digits_of(number), (3, 7, 1, 3, 7, 1, 3, 7, 1)) % 10 == 0


def _is_account(number: str) -> bool:
    digits = sum(map(str.isdigit, number))
    # fewer than six digits are a year or a postcode; mostly letters are a word
    return 6 <= digits and len(number) <= _LONGEST_ACCOUNT and digits * 2 > len(number)


def _is_of_bank(text: str, hit: PhraseMatch, place: tuple[int, int]) -> bool:
    """Return whether an account is described as a bank account, or as another person's."""
    if _HIS.search(text, max(0, hit.start - 20), hit.start):
        return True
    start, end = min(hit.start, place[0]), max(hit.end, place[1])
    return _BANK.search(text, max(0, start - _BANK_BEFORE), end + _BANK_BEHIND) is not None


CARD_ROWS = (
    Recogniser(
        name="CreditCardNumber",
        pattern=form(r"\d{4}([ .-])\d{4}\1\d{4}\1\d{4}|\d{4}([ .-])\d{6}\2\d{5}|\d{15,16}"),
        validator=_is_card,
        context=_CARD_WORDS,
        strength=0.7,
        yields=RIVALS,
        fits=is_real,
    ),
    Recogniser(  # other lengths and issuers are as often ids and times
        name="CreditCardNumber",
        pattern=form(r"\d{4}([ -])\d{6}\1\d{4}|\d{12,19}|(?:\d{4}[ -]){3,4}\d{1,4}|\d{8}[ -]\d{8}"),
        validator=_is_introduced_card,
        context=_CARD_WORDS,
        strength=0.3,
        fits=is_real,
        reach=40,
    ),
    Recogniser(
        name="IBAN",
        pattern=form(_IBANS),
        validator=_is_iban,
        context=phrases("iban, bank account, account, konto, compte, cuenta, conto, rekening"),
        strength=0.9,
    ),
    Recogniser(
        name="RoutingNumber",
        pattern=form(r"\d{9}|\d{4}-\d{4}-\d"),
        validator=_is_routing,
        context=phrases(
            "routing, routing number, routing no, routing transit, aba, aba number, rtn, "
            "transit number, bank code"
        ),
        jurisdiction="US",
        strength=0.3,
        fits=is_personal_account,
    ),
    Recogniser(
        name="BankAccountNumber",
        pattern=form(r"\d{2}-\d{2}-\d{2} \d{8}"),
        context=_ACCOUNT_WORDS,
        vague=_VAGUE,
        backed=_is_of_bank,
        jurisdiction="GB",
        strength=0.4,
    ),
    Recogniser(
        name="BankAccountNumber",
        pattern=capitals(NO_DATE + r"[A-Z]{0,4}\d(?:[ -]?\d){5,24}[A-Z]{0,3}"),
        validator=_is_account,
        context=_ACCOUNT_WORDS,
        vague=_VAGUE,
        backed=_is_of_bank,
        strength=0.15,
        reach=30,
        fits=is_no_sort_code,
    ),
)
