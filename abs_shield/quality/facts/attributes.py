"""Unambiguous synonyms of attributes: "CEO" and "chief executive"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


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
