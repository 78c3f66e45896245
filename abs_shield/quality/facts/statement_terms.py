"""Synonyms of attributes, and times, in statements: "CEO", "the fourth quarter of 2025"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from abs_shield.text.values.date_values import MONTHS


class _Words(NamedTuple):
    """
    The words of one attribute.

    Attributes:
        nouns: Its names: "the CEO of Acme", "Acme's CEO".
        verbs: Verbs between subject and value: "Acme Pro costs $15".
        units: Units after the value: "Berlin has 3.7 million inhabitants".
    """

    nouns: str = ""
    verbs: str = ""
    units: str = ""


_ROWS = (
    _Words("market cap|market capitalization|market capitalisation"),
    _Words("CEO|chief executive officer|chief executive"),
    _Words("CFO|chief financial officer"),
    _Words("CTO|chief technology officer"),
    _Words("COO|chief operating officer"),
    _Words("revenue|revenues|annual revenue|annual revenues"),
    _Words("price|list price", "costs|is priced at|sells for|retails for|is sold for|is sold at"),
    _Words("cost", "costs"),
    _Words(
        "population", "is home to|has a population of",
        "inhabitants|residents|people|citizens",
    ),
    _Words(
        "employees|number of employees|employee count|headcount|workforce", "employs",
        "employees|people|staff|workers|staff members",
    ),
    _Words("founded|established|year of foundation|founding year|year founded|foundation year"),
    _Words("founder", "was founded by"),
    _Words(
        "headquarters|head office|headquartered|based",
        "is headquartered in|is based in|has its headquarters in|has its head office in",
    ),
    _Words("height", "", "tall|high"),
    _Words("length", "", "long"),
    _Words("width", "", "wide"),
    _Words("depth", "", "deep"),
    _Words("weight", "weighs"),
    _Words("battery life|duration|running time", "lasts|runs for"),
    _Words("launched|launch date|launch year"),
    _Words("released|release date|release year"),
    _Words("completed|completion year|year of completion"),
    _Words("opened|opening year|opening date"),
    _Words("born|date of birth|birth date|year of birth"),
    _Words("area", "covers|has an area of"),
)  # fmt: skip
_PREPOSITIONS = ("in", "on", "at", "by", "of", "with", "for")


def words_of(attribute: str, aliases: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """
    Return the nouns, verbs and units that texts use for an attribute.

    >>> words_of("based in", ())[0]
    ['based', 'headquarters', 'head office', 'headquartered']
    """
    nouns: dict[str, None] = {}
    verbs: dict[str, None] = {}
    units: dict[str, None] = {}
    for written in (attribute, *aliases):
        name = _without_preposition(written)
        nouns[name] = None
        for row in _ROWS:
            if name.casefold() in row.nouns.casefold().split("|"):
                nouns |= dict.fromkeys(_several(row.nouns))
                verbs |= dict.fromkeys(_several(row.verbs))
                units |= dict.fromkeys(_several(row.units))
    # reversed, so that of two spellings the first one stays
    distinct = {one.casefold(): one for one in reversed(nouns)}
    return [*reversed(distinct.values())], [*verbs], [*units]


def _several(words: str) -> list[str]:
    return words.split("|") if words else []


def _without_preposition(attribute: str) -> str:
    words = attribute.split()
    return " ".join(words[:-1] if len(words) > 1 and words[-1] in _PREPOSITIONS else words)


_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "final": 4,
}  # fmt: skip
_FISCAL = r"(?:FY|fiscal(?:[ ]year)?|financial[ ]year)"
_YEAR = r"(?:19|20)\d\d"
_OTHER = "?"  # equal to no period, so that a fact is never compared with it
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_RELATIVE = (
    r"(?:(?:(?:the|this|that|a|one)[ ])?(?:last|previous|prior|next|past|following|preceding"
    r"|coming|same)[ ](?:fiscal[ ]|few[ ])?(?:years?|quarters?|months?|weeks?|decades?)"
    r"|yesterday|tomorrow|(?:\w+|\d+)[ ](?:years?|months?|quarters?|weeks?|decades?)[ ](?:ago"
    r"|earlier|before|later)|at[ ](?:the|that)[ ]time|back[ ]then|in[ ]the[ ]past|over[ ]time"
    r"|(?:the[ ])?(?:early[ ]|late[ ]|mid-?)?(?:19|20)?\d0s)"
)
_TIME = re.compile(
    r"(?<![\w$\u20ac\u00a3.,/-])"
    r"(?:(?P<prep>in|for|during|at|by|as[ ]of|since|until|till|before|after|from|of|on|through"
    r"|ahead[ ]of)[ ])?(?:the[ ])?"
    r"(?:(?P<part>early|mid|late)[ -])?(?:(?:end|close)[ ]of[ ])?(?:the[ ])?"
    rf"(?:(?P<quarter>Q[1-4]|[1-4]Q|H[12]|(?:{'|'.join(_ORDINALS)})[ -](?:{_FISCAL}[ ])?"
    rf"(?P<half>quarter|half))(?:[ ]?(?:,|of|in|/|-)?[ ]?(?:the[ ])?(?:year["
    rf" ])?(?P<fiscal>{_FISCAL})?"
    rf"[ ]?['\u2019]?(?P<of>{_YEAR}|\d\d(?![\d%]|[.,]\d)))?"
    rf"|(?P<first>{_YEAR})[ /-]?(?P<then>Q[1-4])"
    rf"|(?P<month>{_MONTH})\.?(?:[ ]\d{{1,2}}(?:st|nd|rd|th)?(?!\d))?(?:,?[ ](?:of["
    rf" ])?(?P<in>{_YEAR}))?"
    rf"|(?:(?P<fy>{_FISCAL})|(?:calendar[ ])?year)?[ ]?['\u2019]?(?P<year>{_YEAR})(?!s)"
    rf"|(?P<relative>{_RELATIVE}))(?![\w%]|[.,]\d|-\d)",
    re.IGNORECASE,
)
_BOUNDS = frozenset("since until till before after from through".split()) | {"ahead of"}
"""Words that make a time the bound of a period."""


class Period(NamedTuple):
    """
    A time in a text.

    Attributes:
        start: Offset of its first character, a preposition included.
        end: Offset after its last character.
        key: Canonical form of the time; "?" if unknown.
    """

    start: int
    end: int
    key: str


def periods(text: str) -> Iterator[Period]:
    """
    Yield the times in a text.

    >>> [one.key for one in periods("in Q4 2025, the fourth quarter of 2025, and last year")]
    ['q4 2025', 'q4 2025', '?']
    """
    for match in _TIME.finditer(text):
        month = match["month"]
        if month is not None and not month[0].isupper():
            continue  # "may"
        if month is not None and match["in"] is None and match["prep"] is None:
            continue  # the name of a person, "May", or the modal
        yield Period(match.start(), match.end(), _key(match))


def period_key(text: str) -> str:
    """Return the key of a text that is a time; otherwise its own words."""
    times = [*periods(text.strip())]
    if len(times) == 1 and times[0].end - times[0].start == len(text.strip()):
        return times[0].key
    return " ".join(text.casefold().split())


def _key(match: re.Match[str]) -> str:
    prep = (match["prep"] or "").casefold()
    if match["relative"] or match["part"] or prep in _BOUNDS:
        return _OTHER
    year = match["of"] or match["first"] or match["in"] or match["year"]
    if year is None:
        return _OTHER
    year = year if len(year) > 2 else f"20{year}"  # "'25"
    fiscal = "fy " if match["fiscal"] or match["fy"] else ""
    written = (match["quarter"] or match["then"] or "").casefold()
    if written:
        fiscal = fiscal or ("fy " if "fiscal" in written or "financial" in written else "")
        number = next((n for word, n in _ORDINALS.items() if written.startswith(word)), None)
        if number is None:
            number = int(re.sub(r"\D", "", written))
        half = match["half"] == "half" or written.startswith("h")
        return f"{fiscal}{'h' if half else 'q'}{number} {year}"
    if match["month"]:
        return f"{match['month'][:3].casefold()} {year}"
    return f"{fiscal}{year}"
