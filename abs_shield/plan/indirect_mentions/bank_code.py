"""A bank's BIC is known from an IBAN: registers list them, and so do models."""

from __future__ import annotations

import re
from itertools import chain

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.event_texts import texts_of
from abs_shield.text.countries import is_country_code
from abs_shield.text.digit_groups import is_iban
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import name_of

# Only under these names: many words of eight capitals look like a BIC.
_NAMES = (("bic",), ("swift",))
_BIC = re.compile(r"(?<!\w)[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?!\w)")
_IBAN = re.compile(
    r"(?<!\w)[A-Z]{2}\d\d(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?!\w)"
)
_MAX_TEXTS = 5_000
"""Texts of a run that are searched; the patterns read each of them in full."""


def bank_code(argument: Argument, session: Session) -> bool:
    """Return whether the run has an IBAN of a BIC's country, and no BIC."""
    bic = _BIC.fullmatch(argument.text.strip())
    if bic is None or name_words(name_of(argument.path))[-1:] not in _NAMES:
        return False
    has_iban = False
    texts = chain.from_iterable(texts_of(entry.event) for entry in session.entries())
    for text, _ in zip(texts, range(_MAX_TEXTS), strict=False):
        # The run has a BIC: an invented one would differ from it.
        if any(is_country_code(match[1]) for match in _BIC.finditer(text)):
            return False
        ibans = (match[0].replace(" ", "").casefold() for match in _IBAN.finditer(text))
        # `is_iban` checks the sum, as the pattern also fits part numbers.
        has_iban = has_iban or any(
            iban[:2] == bic[1].casefold() and is_iban(iban) for iban in ibans
        )
    return has_iban
