"""
Patterns of sentences that state a value of an attribute, and that end with it.

They match a copy of the sentence in which subject, attribute, times, values and names are replaced
by marks of the same length.
"""

from __future__ import annotations

import re
from functools import lru_cache

from abs_shield.text.values.figure import MONEY, Figure

FILL = "\ue13f"  # private-use characters, which texts hardly have
SUBJECT_MARK, ATTRIBUTE_MARK, VERB_MARK, UNIT_MARK, OWN_TIME, OTHER_TIME, OTHER_FIGURE = (
    chr(0xE120 + n) for n in range(7)
)
VALUE_MARK, NAME_MARK = "\ue130", "\ue131"
"""Marks of subject, attribute, its verb, its unit, the fact's time, other times, other figures."""

_NAME_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['\u2019-][^\W\d_a-z][^\W\d_]+)*\.?"
NAME = re.compile(
    rf"(?<![\w\ue120-\ue13f])(?:(?:Dr|Mr|Mrs|Ms|Prof|Sir)\.? )?{_NAME_WORD}"
    rf"(?: (?:(?:de|la|le|van|von|der|den|del|di|da|al|bin|of|the) ){{0,2}}{_NAME_WORD}){{0,4}}"
)

# The grammar of a statement; each optional part includes the blank before it.
_DET = r"(?:[Tt]he |[Oo]ur |[Ii]ts )?(?:(?:city|town|company|capital|plan) (?:of )?)?"
_CORP = (
    r"(?:,? (?:Inc|Corp|Ltd|LLC|GmbH|AG|plc|SE|Co|Corporation|Company)\b\.?)?(?: \([A-Z.:"
    r" ]{1,14}\))?"
)
_SUBJECT = rf"{SUBJECT_MARK}{FILL}*{_CORP}"
_POSSESSIVE = r"['\u2019]s?"
_MOD = (
    r"(?:(?:total|overall|current|present|official|latest|reported|new|global|worldwide"
    r"|consolidated"
    r"|full-year|closing) )*"
)
_ATTRIBUTE = rf"{_MOD}{ATTRIBUTE_MARK}{FILL}*"
ADVERB = (
    r"(?:now|currently|today|also|already|only|just|officially|still|thus|therefore|in fact|indeed"
    r"|actually|already|at present|in total|overall|then)"
)
_BETWEEN = rf"(?:,? (?:{ADVERB}|\(?{OWN_TIME}{FILL}*\)?)(?=[ ,.:]),?)*"
_PRODUCT = r"(?: (?:plan|subscription|tier|license|licence|edition|package))?"
_CLAIMED = (
    rf"(?:{_DET}{_SUBJECT}{_POSSESSIVE} (?:{OWN_TIME}{FILL}* )?{_ATTRIBUTE}"
    rf"|{_DET}{_ATTRIBUTE} (?:of|for|at|in) {_DET}{_SUBJECT}{_PRODUCT}(?!{_POSSESSIVE} )"
    rf"|{_DET}{_SUBJECT}{_PRODUCT} {_ATTRIBUTE})"
)
_FROM = rf"(?:from [{VALUE_MARK}{OTHER_FIGURE}]{FILL}*,? )?"
_TO = (
    r"(?:rose|rises|risen|grew|grows|grown|climbed|climbs|jumped|increased|increases|surged|soared"
    r"|swelled|expanded|fell|falls|fallen|dropped|drops|declined|decreased|shrank|slid|slipped|went"
    rf"|dipped|changed|moved|advanced|improved) {_FROM}to"
)
_STATES = (
    r"(?:is|are|was|were|has been|stands at|stood at|sits at|sat at|has reached|reached|reaches"
    r"|hit|hits"
    r"|has hit|totall?ed|totals|amounted to|amounts to|came to|comes to|came in at|came out at"
    r"|equals"
    rf"|equall?ed|(?:(?:has|have) )?{_TO}|remains(?: at)?|remained(?: at)?|closed at|ended at"
    r"|(?:is|was|are|were|has been) (?:set|fixed|listed|recorded|reported|measured|given|counted"
    r"|put"
    r"|valued) (?:at|as)|is equal to|is now|works out at|of|at)"
)
_ABOUT = (
    r"(?:(?:about|around|roughly|approximately|approx\.|circa|ca\.|some|exactly|precisely|a|an|the"
    r" year|the) ?)?(?:(?:in|on) )?"
)
_LINK = (
    rf"(?:{_BETWEEN},?(?: which| that)? {_STATES}{_BETWEEN} |{_BETWEEN}(?::| =| -| \u2013| \u2014"
    rf"|,? at) |{_BETWEEN} \()"
)
_VALUE = rf"{_ABOUT}~?(?P<value>{VALUE_MARK}{FILL}*)"
_NAMING = rf"(?P<value>{NAME_MARK}{FILL}*)"
_HAS = (
    rf"(?:{_BETWEEN},? (?:has|had|have|with|reports?|reported|posts?|posted|recorded|generates?"
    rf"|generated|boasts"
    r"|carries|reached|hit|achieved|earns?|earned|makes?|made|counts|employs|brings in|brought in"
    r"|booked"
    rf"|commands|(?:ended|closed|finished) {OWN_TIME}{FILL}* with|pays?|paid|offers?|provides?"
    rf"|charges?|comes with|features|delivers|having)"
    rf"|, (?:which|that) (?:has|had|reported)){_BETWEEN}"
)
_BE = r"(?:,? (?:which|that|who))?(?:,? (?:is|was|were|are|has been)| ?,|)"
_PREPOSITION = r"(?:(?:back )?(?:in|on|at|by|with|for|as|since)|:)?"

OF_VALUES = tuple(
    re.compile(one)
    for one in (
        rf"{_CLAIMED}{_LINK}{_VALUE}",
        rf"{_DET}{_SUBJECT}{_PRODUCT}{_HAS} (?:an? |the )?{_ATTRIBUTE}(?: of| at|:) {_VALUE}",
        rf"{_DET}{_SUBJECT}{_HAS} {_VALUE} (?:(?:in|of|as) (?:its )?)?(?:{_ATTRIBUTE}"
        rf"|{UNIT_MARK}{FILL}*)",
        rf"{_DET}{_SUBJECT}{_PRODUCT}{_BETWEEN}{_BE}{_BETWEEN} {_ATTRIBUTE}{_BETWEEN}"
        rf" {_PREPOSITION} ?{_VALUE}",
        rf"{_DET}{_SUBJECT}{_PRODUCT}{_BETWEEN}(?:,? (?:which|that))?{_BETWEEN}"
        rf" {VERB_MARK}{FILL}*{_BETWEEN} {_VALUE}",
        rf"{_DET}{_SUBJECT}{_BETWEEN} (?:is|stands|measures){_BETWEEN} {_VALUE}(?: [\w\u00b2]+)?"
        rf" {UNIT_MARK}{FILL}*",
        rf"Home to {_VALUE} {UNIT_MARK}{FILL}*, {_DET}{_SUBJECT}(?!{_POSSESSIVE})(?=["
        rf" ,.])(?P<done>)",
        rf"(?:(?:[Ww]ith|[Aa]t) (?:an? |the )?)?{_ATTRIBUTE} (?:in|on|of|at|since) {_VALUE},"
        rf" {_DET}{_SUBJECT}"
        rf"(?!{_POSSESSIVE})(?=[ ,.])(?P<done>)",
        rf"(?:{NAME_MARK}{FILL}*|[Hh]e|[Ss]he|[Tt]hey|[Bb]rothers|[Ii]t)(?: and"
        rf" {NAME_MARK}{FILL}*)? {ATTRIBUTE_MARK}{FILL}*"
        rf" {_DET}{_SUBJECT} {_PREPOSITION} ?{_VALUE}",
        rf"[Aa]t {_VALUE}, {_CLAIMED}(?= (?:is|was|has|makes|remains))(?P<done>)",
    )
)
OF_NAMES = tuple(
    re.compile(one)
    for one in (
        rf"{_CLAIMED}(?:{_BETWEEN},? (?:is|are|remains)(?: (?:located |situated )?(?:in|at|called"
        rf"|named))?"
        rf"{_BETWEEN} |: |, (?!where|who){_BETWEEN} ?){_NAMING}",
        rf"{_CLAIMED} {_NAMING}(?= (?:is|was|has|told|wrote|[a-z]{{2,}}(?:s|ed)) )(?P<done>)",
        rf"{_NAMING}{_BETWEEN},? (?:is|remains|serves as|works as|has been){_BETWEEN} {_CLAIMED}"
        r"(?=$|[.,;:!)]| (?:and|who|since|as|but|while)\b)",
        rf"{_NAMING}, {_CLAIMED}(?=,)",
        rf"{_DET}{_SUBJECT}{_BETWEEN}{_BE}{_BETWEEN} {_ATTRIBUTE}{_BETWEEN} (?:in|by|at){_BETWEEN}"
        rf" {_NAMING}",
        rf"{_DET}{_SUBJECT}{_BETWEEN}(?:,? (?:which|that))?{_BETWEEN} {VERB_MARK}{FILL}*{_BETWEEN}"
        rf" {_NAMING}",
        rf"{_DET}{_SUBJECT} has its {_ATTRIBUTE} in {_NAMING}",
        rf"{_DET}{_SUBJECT}{_BETWEEN}{_BE}{_BETWEEN} (?:led|headed|run|managed|chaired) by"
        rf" (?:its |the )?{_ATTRIBUTE},? {_NAMING}",
        rf"{_ATTRIBUTE} {_NAMING} (?:of|at) {_DET}{_SUBJECT}(?!{_POSSESSIVE})(?=[ ,.])(?P<done>)",
        rf"(?:{_ATTRIBUTE}) (?:in|by|at) {_NAMING}, {_DET}{_SUBJECT}(?!{_POSSESSIVE})(?=["
        rf" ,.])(?P<done>)",
    )
)
_OPENING = (
    r"(?:As of today|Today|Now|Currently|At present|Overall|Notably|However|In fact|Indeed"
    r"|Actually|Also"
    r"|Meanwhile|Similarly|In total|In addition|Additionally|Furthermore|Moreover|Finally|First"
    r"|Second"
    r"|Third|In short|In summary|Interestingly|Importantly|For (?:context|reference)|Officially|Yes"
    r"|Specifically|By contrast|In contrast|Then|Still|Thus|Therefore|Here|And|But|So|While"
    r"|Although"
    r"|Though|Because|Since|As|That|Whereas|Given that|(?:Please )?note(?: that)?|It is worth"
    r" noting that"
    r"|We note that|As you know|Remember that|I (?:can )?confirm that|According to (?:our|its|the"
    r"|their)"
    r" (?:[a-z]+ ){0,2}(?:records|reports?|filings?|tables?|data|database|statements?|website"
    r"|accounts)"
    r"|(?:The|Our|This|Its) (?:latest |annual )?(?:reports?|data|figures|filing|table|records)"
    r" (?:shows?|confirms?)"
    r"(?: that)?|(?:Key |Quick )?(?:facts?|summary|note|results?|answer|update|highlights"
    r"|overview))"
).replace("{0,2}", "{0,2}")
BEFORE = re.compile(
    rf"(?:.*(?:;|\u2014|\u2013|:|, (?:and|but|while|whereas|yet|so|though|although|because|since"
    rf"|as)"
    rf"|(?: \b(?:is|are|was|were|has|had|have|\w+ed)\b.*) (?:and|but|while|whereas|although"
    rf"|because|since)))?"
    rf"[\W_]*(?:\d+[.)] )?(?:(?:while|although|though|because|as|since) [^,;]*\b(?:is|are|was|were"
    rf"|has|had"
    rf"|have|rose|fell|grew|\w{{3,}}ed)\b[^,;]*, )?(?:(?:{_OPENING}|{OWN_TIME}{FILL}*)[,:]?"
    rf" )*[(\u2022*-]*",
    re.IGNORECASE | re.DOTALL,
)
WHICH = re.compile(rf"{_DET}{_SUBJECT}, (?:which|who) ")
PREPOSITION_ENDS = re.compile(
    r"\b(?:of|from|for|than|to|with|by|in|on|at|and|or|between|like|outside|near|over) $"
)
"""Prepositions before a name, after which "which" may refer to something else."""


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
