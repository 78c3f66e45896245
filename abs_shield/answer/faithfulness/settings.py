"""The settings of the faithfulness guardrail, read and checked when they are declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from abs_shield.answer.evidence.collect import evidence_from
from abs_shield.answer.evidence.types import Evidence
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.text.nearest import nearest
from abs_shield.text.show import shown

MISSING = "--"
"""What the guardrail's own format writes where there is no context."""
PASS, EXCLUDE, FAIL = "pass", "exclude", "fail"
_SCOPES = (PASS, EXCLUDE, FAIL)


def threshold_of(given: Any) -> Fraction:
    """
    Give a threshold exactly as it is written.

    >>> threshold_of(0.8)
    Fraction(4, 5)

    Raises:
        PolicyError: It is no number in [0, 1].
    """
    return share_of("threshold", given)


def share_of(name: str, given: Any) -> Fraction:
    """
    Give a share exactly as it is written.

    Raises:
        PolicyError: It is no number in [0, 1].
    """
    number = isinstance(given, int | float | Decimal | Fraction) and not isinstance(given, bool)
    if not number or not isfinite(given) or not 0 <= given <= 1:
        raise PolicyError(f"faithfulness: `{name}` is {shown(given)}; give a number in [0, 1]")
    return Fraction(repr(given)) if isinstance(given, float) else Fraction(given)


def switch(name: str, given: Any) -> None:
    """
    Check that a setting is true or false.

    Raises:
        PolicyError: It is neither.
    """
    if not isinstance(given, bool):
        raise PolicyError(f"faithfulness: `{name}` is {shown(given)}; give True or False")


def scope_of(given: Any, *, excluding: bool) -> str:
    """
    Give what is done with statements out of scope: ``pass``, ``exclude`` or ``fail``.

    Args:
        given: What is asked for; None follows *excluding*.
        excluding: ``exclude_out_of_scope_statements``: they pass where it is True.

    Raises:
        PolicyError: It is none of the three, or what *excluding* forbids.
    """
    if given is None:
        return PASS if excluding else FAIL
    if given not in _SCOPES:
        near = nearest(str(given), _SCOPES, floor=0)[0]
        raise PolicyError(f"faithfulness: `out_of_scope` is {shown(given)}; did you mean `{near}`?")
    if given != FAIL and not excluding:
        raise PolicyError(
            f"faithfulness: `out_of_scope` is {shown(given)}, but "
            "`exclude_out_of_scope_statements` is False, which means `fail`; leave one out"
        )
    return str(given)


def evidence_of(context: Any) -> Evidence:
    """
    Give a context as evidence, one piece a document; blanks and ``--`` are none.

    JSON in a document is opened, as a tool's result would be.

    Raises:
        PolicyError: It is no text and no list of texts or of ``{"id", "text"}``.
    """
    if isinstance(context, Evidence):
        return context
    documents = [context] if isinstance(context, str) or context is None else context
    if not isinstance(documents, Sequence):
        raise PolicyError(f"faithfulness: `context` is {shown(context)}; give a text or a list")
    for one in documents:
        if not isinstance(one, str | Mapping | None):
            raise PolicyError(f"faithfulness: `context` holds {shown(one)}; give texts")
    try:
        return evidence_from([one for one in documents if not _blank(one)])
    except ShieldError as error:
        raise PolicyError(f"faithfulness: {error}") from None


def _blank(document: Any) -> bool:
    return not document or (isinstance(document, str) and document.strip() in ("", MISSING))
