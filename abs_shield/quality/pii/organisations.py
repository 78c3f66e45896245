"""Exclusion of identifiers that belong to a bank or a company."""

from __future__ import annotations

import re

_OWNER = re.compile(
    r"(?<![^\W_])(?:bank(?:['\u2019]?s)?|bank of|branch|building society|credit union|chase"
    r"|citi(?:bank)?|wells fargo|hsbc|barclays|lloyds|natwest|santander|halifax|nationwide"
    r"|commerzbank|sparkasse"
    r"|deutsche bank|jpmorgan|capital one|monzo|starling"
    r"|company(?:['\u2019]?s)?|corporation|firm(?:['\u2019]s)?|supplier(?:['\u2019]s)?"
    r"|vendor(?:['\u2019]s)?|charity|foundation|subsidiary|employer(?:['\u2019]s)|publisher"
    r"|w-?9|inc|llc|ltd|gmbh|plc|corp|s\.?a\.?|ltda|n\.a"
    r"|empresa|companhia|sociedade|fornecedor|swift(?: code)?|bic|for wires|our|nossa?)(?![^\W_])"
    r"|\bcnpj d[aoe]s? (?-i:[A-Z])",
    re.IGNORECASE,
)
"""Names of banks, and words for companies; a bank's number is given with its SWIFT code."""
_PERSON = re.compile(
    r"(?<![^\W_])(?:her|his|my|your|their|customer['\u2019]?s?|client['\u2019]?s?|patient['\u2019]?s?"
    r"|employee['\u2019]?s?|mr|mrs|ms|ssn|social security)(?![^\W_])",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"(?<![^\W_])(?:account|acct|a/c|iban|konto|compte|cuenta|conta)(?![^\W_])[^.\n\d]{0,30}\d{6}"
    r"|\b\d{2}-\d{2}-\d{2}\s+\d{8}\b",
    re.IGNORECASE,
)
"""Words for an account, with which a bank's number identifies its owner."""
_SORT_CODE = re.compile(r"\d\d-\d\d-\d\d")
_STOP = re.compile(r"[.!?]\s|\n\s*\n|\}")
_BEFORE, _BEHIND = 120, 60  # in characters: the sentence before the number, and a clause after it


def is_of_person(text: str, start: int, end: int) -> bool:
    """Return whether a number is not introduced as that of a bank or a company."""
    begin = max(0, start - _BEFORE)
    for stop in _STOP.finditer(text, begin, start):
        begin = stop.end()
    stop_behind = _STOP.search(text, end, end + _BEHIND)
    finish = stop_behind.start() if stop_behind else end + _BEHIND
    if _ACCOUNT.search(text, begin, finish) or _PERSON.search(text, begin, start):
        return True
    return _OWNER.search(text, begin, finish) is None


def is_no_sort_code(text: str, start: int, end: int) -> bool:
    """Return whether a number is not a sort code, which identifies a branch."""
    return _SORT_CODE.fullmatch(text, start, end) is None
