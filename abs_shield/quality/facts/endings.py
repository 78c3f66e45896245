"""Check that a statement ends with its value, without "per employee" or "in services"."""

from __future__ import annotations

import re
from functools import lru_cache

from abs_shield.quality.facts.grammar import (
    ADVERB,
    ATTRIBUTE_MARK,
    FILL,
    NAME_MARK,
    OTHER_FIGURE,
    OWN_TIME,
    UNIT_MARK,
    VALUE_MARK,
)
from abs_shield.text.values.figure import MONEY, Figure

_UNITS = {
    "km\u00b2": r"km\u00b2|km2|km\^2|sq\.? ?km|square kilomet(?:er|re)s?",
    "m\u00b2": r"m\u00b2|m2|sq\.? ?m|square met(?:er|re)s?",
    "m": r"m|met(?:er|re)s?", "km": r"km|kilomet(?:er|re)s?", "kg": r"kg|kilograms?",
    "cm": r"cm|centimet(?:er|re)s?", "GB": r"GB|gigabytes?", "TB": r"TB|terabytes?",
    "MW": r"MW|megawatts?", "h": r"h|hours?", "ms": r"ms|milliseconds?",
}  # fmt: skip
_PER = re.compile(
    r"^(?:/ ?|(?:per|an?|each|every) )(?P<one>month|year|week|day|user|seat|hour|mo|yr)$"
)
_COUNTS = "people|inhabitants|residents|employees|persons"
_CURRENCY = "(?:US |U\\.S\\. )?dollars?|USD|EUR|euros?|GBP|pounds?"

COMMA_ENDS = re.compile(
    r"[;.!?)]|,? (?:up|down) from\b|,? compared (?:to|with)\b|,? versus\b|, (?:and|but|while|which"
    r"|whereas"
    r"|yet|so|making|placing|putting|although|though)\b| (?:and|but|while|whereas) "
)
_NARROWED = re.compile(
    r"\b(?:per|each|a share|discount(?:s|ed)?|% off|off|sale|promo\w*|coupon|voucher|students?"
    r"|educational"
    r"|nonprofits?|billed|excluding|excl|except|adjusted|pro forma|inflation|combined|together"
    r"|average"
    r"|before tax|after tax|segment|division|alone|including|incl|when|during|if|for|said|says"
    r"|wrote"
    r"|as part|temporar\w+|trial|introductory|limited|offer|refurbished|used|quarter(?:ly)?"
    r"|month(?:ly)?|weekly|daily|best|worst|then|later|tax included|plus|metro\w*|metropolitan"
    r" area|greater)\b",
    re.IGNORECASE,
)
_PHRASE = re.compile(r", (?:on|in|at|with|without|for|to|by|among|across|within|outside|through)\b")
"""A phrase after a value that may qualify it: "$13, on Fridays"."""


def unit_form(rest: str) -> str:
    """Return the pattern of the text after a fact's number: its unit, or "per month"."""
    rest = rest.strip(" .")
    per = _PER.match(rest)
    if per is not None:
        one = {"mo": "month", "yr": "year"}.get(per["one"], per["one"])
        ly = {"month": "monthly", "year": "yearly|annually", "week": "weekly", "day": "daily"}.get(
            one
        )
        return rf"\s?(?:/ ?|(?:per|an?|each|every) ){one}" + (rf"|\s(?:{ly})" if ly else "")
    if rest in _UNITS:
        return rf"\s?(?:{_UNITS[rest]})"
    return rf"\s?{re.escape(rest)}" if rest else ""


# kinds and units of a table of facts are few; compiling takes far longer than matching
@lru_cache(maxsize=512)
def _value_end(kind: str, unit: str) -> re.Pattern[str]:
    plain = _CURRENCY if kind == MONEY else _COUNTS
    measured = (
        rf"(?:{unit})(?: {UNIT_MARK}{FILL}*)?"
        if unit
        else rf"(?: (?:{plain})| {UNIT_MARK}{FILL}*| (?:in |of )?{ATTRIBUTE_MARK}{FILL}*)?"
    )
    return re.compile(
        rf"{measured}(?:,? (?:{ADVERB}|{OWN_TIME}{FILL}*|at (?:the|this) (?:moment|time)|(?:in|at"
        rf"|near) {NAME_MARK}{FILL}*))*[)\"\u201d]?"
        rf"(?=$|[.;:!)|]|,(?!\d)| ?\[| [\u2014\u2013(-]| (?:but|while|which|whereas|making|by"
        rf" [^{VALUE_MARK}]"
        rf"|compared|versus|vs|up from|down from|as|because|since)(?!\w)(?!"
        rf" [{VALUE_MARK}{OTHER_FIGURE}])"
        rf"| and(?! [{VALUE_MARK}{OTHER_FIGURE}])\b)",
        re.IGNORECASE,
    )


def ends_value(marked: str, plain: str, expected: Figure, unit: str) -> bool:
    """Return whether no qualification follows a value, such as "per employee" or "last year"."""
    end = _value_end(expected.kind, unit).match(marked)
    if end is None:
        return False
    behind = plain[end.end() :]
    if _PHRASE.match(behind):
        return False
    stop = COMMA_ENDS.search(behind)
    return not _NARROWED.search(behind[: stop.start()] if stop else behind)
