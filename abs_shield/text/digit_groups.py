"""Detection of digits in groups that are one number: an account, a card, a telephone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from abs_shield.text.identifier_words import LONGEST_NAME, name_words, singular, split_words
from abs_shield.text.phones import (
    find_phones,
    is_contact_field,
    is_identifier_field,
    is_phone_field,
)

_RUN = re.compile(r"\d(?<![\w.]\d)\d{0,7}(?:[ ()./-]{1,3}\d{1,8}){1,8}")
_GAP = re.compile(r"\D+")
_JOINTS = frozenset({" ", "-", ") ", " (", ")", ".", "/"})
"""Separators of groups of one number; two spaces separate columns, `` - `` is a range."""
_THOUSANDS = re.compile(r"\d{1,3}(?: \d{3})+")
_OF_MONEY = re.compile(r"(?:,\d\d?)? ?[$%\u00a2-\u00a5\u20a0-\u20cf]|,\d\d?(?!\w)")
"""The end of an amount: a currency, decimals."""
_LONG_PAIR = re.compile(r"\d{6} \d{6}")
"""A bank and an account, or two accounts: groups of one number have fewer than six digits."""
_LEAST_UNEVEN = _LEAST_IN_ROW = 3  # groups; two may be two values, or a count and a number
_LEAST_SIZE = 2  # digits of a group; single digits are a list, or dictated
_MOST_DIGITS = 26
"""The length of a Polish account; cards have at most 19 digits."""
_CARD = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{5}")
_IBAN = re.compile(r"[a-z]{2}\d\d[0-9a-z]{11,30}")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE = re.compile(r"[;!?|]|(?<!\bn[or])\.\s")
_IS = re.compile(r"(?:\b(?:is|was)|['\u2019]s|[=#])\W{0,3}\Z")
"""A statement about one thing, with any label: "my locker is 12 34", "it's 302 4417"."""
_LONGEST_LABEL = 48  # characters before the digits: some five words
_MOST_WORDS = 5  # words before the digits; earlier ones belong to another phrase
_LITTLE = frozenset(
    "is was the of my your our his her their its this that as with new ist es est la le el il der "
    "die das mein meine ma mon mi su".split()
)
_NUMBERS = frozenset("number no nr num nummer numero número numéro номер n nº".split())
_OFFICIAL = frozenset(
    "utr nino tfn abn acn ird bsn kvk cpf cnpj rg pesel regon nip nif nie dni nss cuit cuil rut "
    "ruc nit rfc curp nir pps ppsn oib cnp egn cvr cpr npi dea ndc mpan mprn pdl pce imsi msisdn "
    "eori lei duns orgnr steuernummer steuernr personnummer organisasjonsnummer kennitala ytunnus "
    "инн снилс огрн кпп".split()
)
"""Official numbers of people, companies and supply points, by their names in many countries."""
_LABELS = (
    _NUMBERS
    | _OFFICIAL
    | frozenset(
        "acct acc bank pan claim case contract member membership customer client meter routing "
        "sort bsb aba clabe aadhaar siren siret tax vat tin ein nhs nino licence license permit "
        "confirmation receipt bill "
        "mrn pnr patient student employee badge docket prescription specimen sample incident "
        "request konto kto karte bestellung auftrag rechnung buchung kunde vertrag vorgang sendung "
        "kontonummer kartennummer kundennummer bestellnummer auftragsnummer rechnungsnummer "
        "vertragsnummer sendungsnummer zählernummer "
        "compte carte commande facture réservation dossier contrat colis "
        "cuenta tarjeta pedido factura reserva cliente contrato conta cartão encomenda fatura "
        "conto carta ordine fattura prenotazione contratto rekening bestelling factuur "
        "konta zamówienie faktura счет счёт счёта карта карты заказ заказа телефон".split()
    )
)
"""Labels of numbers, besides the names of fields that hold identifiers."""
_KINDS = _OFFICIAL | frozenset(
    "account acct iban card pan bank routing sort bsb aba clabe konto parcel tracking shipment "
    "passport ssn tin vat ein nhs imei iccid siren siret isbn ean upc gtin barcode aadhaar "
    "beneficiary payee meter konto cuenta conta".split()
)
"""Words in names of parameters whose numbers people write in groups."""


_IN_FOURS = re.compile(r"(?<!\w)[a-z]{2}\d\d(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,3})?(?!\w)")
# Norway's IBANs; digits of a subscriber's number without its area
_SHORTEST_IBAN, _LEAST_PHONE = 15, 8
_IN_GROUPS = re.compile(r"[\d ()./+-]+|[a-z0-9 ]+")  # what a number in groups, or an IBAN, has
_NEAR = 64  # characters around a span; the longest IBAN has 42 with its blanks
_LEAST_OF_TWO, _LEAST_OF_MORE = 4, 2
"""
Minimum digits of a group, for two groups and for more; two short ones may be a count and a day.
"""


class DigitRun(NamedTuple):
    """
    Digits in groups.

    Attributes:
        text: The digits with their separators.
        one: Whether its context, or its form, shows that it is one number.
    """

    text: str
    one: bool


def groups(normalised: str) -> Iterator[DigitRun]:
    """
    Yield the runs of digits in groups.

    They are one number after a singular label (``account 1234 5678``) or "is", in the form of a
    card or of a telephone number with ``+`` or an area in brackets, as a whole value or message,
    without a space between them, if the groups differ in length, and as three or more groups of
    one length that are not a series (``1001 1002 1003``). They are not yielded after a plural
    label (``orders 1234 5678``). An amount has commas in place of its spaces.

    >>> [run.one for run in groups("account 1234 5678")], list(groups("orders 1234 5678"))
    ([True], [])
    >>> [run.one for run in groups("cancel 1234 5678")], [run.one for run in groups("1234 5678")]
    ([False], [True])
    >>> [run.one for run in groups("cancel 842 115 6609")]
    [True]
    """
    for match in _RUN.finditer(normalised):
        if _THOUSANDS.fullmatch(match[0]) and _OF_MONEY.match(normalised, match.end()):
            yield DigitRun(match[0].replace(" ", ","), True)
            continue
        several, one = _classify(normalised, match)
        if not several:
            yield DigitRun(match[0], one)


def _classify(text: str, match: re.Match[str]) -> tuple[bool, bool]:
    """Return whether grouped digits are labelled as several numbers, and whether as one."""
    run, start = match[0], match.start()
    gaps = set(_GAP.findall(run))
    if not any(" " in gap for gap in gaps):
        # One slash separates alternatives; several separate the parts of a date or a tax number.
        return False, "/" not in run or run.count("/") > 1
    if not gaps <= _JOINTS:
        return False, False
    before = text[max(0, start - _LONGEST_LABEL) : start]
    # Before the test for long pairs, because groups of a card or after `+` may be long.
    if before.endswith(("+", "(")) or " (" in gaps or _is_card(run):
        return False, True
    if _LONG_PAIR.search(run) or sum(map(str.isdigit, run)) > _MOST_DIGITS:
        return True, False
    if _is_whole(before, text[match.end() : match.end() + 3], start):
        return False, True
    label = _label(before)
    if not _is_label(label):
        is_stated = _IS.search(before) is not None and singular(label) == label
        return False, is_stated or _is_uneven(run) or _is_row(run)
    several = label not in _LABELS and singular(label) != label
    return several, not several


def _is_uneven(run: str) -> bool:
    """
    Return whether groups separated by spaces differ in length, so that they are not a list.

    >>> [_is_uneven(run) for run in ("842 115 6609", "1001 1002 1003", "12 3456 78 9012")]
    [True, False, False]
    """
    sizes = [len(group) for group in run.split(" ")]
    if not run.replace(" ", "").isdigit() or len(sizes) < _LEAST_UNEVEN:
        return False  # two groups may be a count and a number
    periods = (size for size in range(1, len(sizes)) if len(sizes) % size == 0)
    return all(sizes != sizes[:size] * (len(sizes) // size) for size in periods)


def _is_row(run: str) -> bool:
    """
    Return whether three or more groups of equal length, separated by spaces, are one number.

    A list of numbers has commas, words or lines between them; without these, the groups are one
    number unless they are a series, whose numbers have the same beginning.

    >>> [_is_row(run) for run in ("2982 0044 1234 5678", "12 34 56", "1001 1002 1003", "1234 5678")]
    [True, True, False, False]
    """
    row = run.split(" ")
    size = len(row[0])
    if len(row) < _LEAST_IN_ROW or size < _LEAST_SIZE or any(len(one) != size for one in row):
        return False
    begins = {group[: (size + 1) // 2] for group in row}
    return run.replace(" ", "").isdigit() and not (len(begins) == 1 and len({*row}) == len(row))


def _is_whole(before: str, behind: str, start: int) -> bool:
    """Return whether the digits are the whole message, or a whole cell of a table."""
    begins = start == 0 or before.endswith("| ")
    return begins and behind.strip(" .!\n")[:1] in ("", "|") and behind[:2].strip(" .!\n|") == ""


def _label(before: str) -> str:
    """Return the word that labels the digits after it."""
    clause = _CLAUSE.split(before)[-1]
    words = [word for word in _WORD.findall(clause)[-_MOST_WORDS:] if word not in _LITTLE]
    return words[-1] if words else ""


def _is_label(word: str) -> bool:
    return (
        word in _LABELS
        or singular(word) in _LABELS
        or is_identifier_field(word)
        or is_phone_field(word)
    )


def _is_card(run: str) -> bool:
    """Return whether digits are grouped like a card's number and have a valid check digit."""
    if _CARD.fullmatch(run) is None:
        return False
    digits = [int(c) for c in reversed(run) if c.isdigit()]
    # the Luhn algorithm (ISO/IEC 7812-1)
    return (sum(digits[::2]) + sum(sum(divmod(2 * d, 10)) for d in digits[1::2])) % 10 == 0


def is_part_of_number(text: str, start: int, end: int) -> bool:
    """
    Return whether a span is a part of a longer grouped number, such as a telephone number.

    >>> text = "call +44 579 484 3069 now"
    >>> is_part_of_number(text, 9, 21), is_part_of_number(text, 5, 21)
    (True, False)
    """
    if _IN_GROUPS.fullmatch(text, start, end) is None:
        return False
    # Only the neighbourhood, so that the time for each value does not grow with the text.
    first = max(0, start - _NEAR)
    near, start, end = text[first : end + _NEAR], start - first, end - first
    if not any(map(str.isdigit, near[start:end])):
        return False
    spans = [
        match.span() for form in (find_phones, _cards, _IN_FOURS.finditer) for match in form(near)
    ]
    around = [span for span in spans if span[0] <= start and end <= span[1]]
    if any(begins < start for begins, _ in around):
        return True
    if any(
        begins <= start and end <= ends
        for begins, ends in _labelled_runs(near)
        if (begins, ends) != (start, end)
    ):
        return True
    least = _SHORTEST_IBAN if near[start : start + 1].isalpha() else _LEAST_PHONE
    size = sum(map(str.isalnum, near[start:end]))
    return size < least and any(end < ends for _, ends in around)


def _labelled_runs(text: str) -> Iterator[tuple[int, int]]:
    """
    Yield the spans of grouped digits after a label whose numbers are written in groups.

    The groups of "order 1042 2024" may be separate numbers, those of "account 1042 2024" are not.
    """
    for match in _RUN.finditer(text):
        groups = match[0].split(" ")
        least = _LEAST_OF_TWO if len(groups) == 2 else _LEAST_OF_MORE
        if all(group.isdigit() and len(group) >= least for group in groups):
            label = _label(text[max(0, match.start() - _LONGEST_LABEL) : match.start()])
            if label in _KINDS or is_phone_field(label):
                yield match.span()


def _cards(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _CARD.finditer(text) if _is_card(match[0]))


def is_iban(letters: str) -> bool:
    """
    Return whether letters and digits are an IBAN with valid check digits.

    >>> is_iban("gb29nwbk60161331926819"), is_iban("gb29nwbk60161331926818")
    (True, False)
    """
    if _IBAN.fullmatch(letters) is None:
        return False
    # the check digits of ISO 7064 (MOD 97-10)
    return int("".join(str(int(c, 36)) for c in letters[4:] + letters[:4])) % 97 == 1


def is_grouped_field(name: str) -> bool:
    """
    Return whether a field of this name holds numbers that people write in groups.

    >>> [is_grouped_field(name) for name in ("account_number", "phone", "recipient", "order_id")]
    [True, True, True, False]
    """
    return _is_grouped_name(name[:LONGEST_NAME])


# The names of parameters are the same in every call.
@lru_cache(maxsize=4096)
def _is_grouped_name(name: str) -> bool:
    words = {*name_words(name), *split_words(name)}  # "nhs" is no plural
    return not _KINDS.isdisjoint(words) or is_phone_field(name) or is_contact_field(name)
