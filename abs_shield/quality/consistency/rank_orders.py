"""Orders: comparisons and ranks of one text must not form a cycle."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.quality.consistency.text_relations import Relations, fault, span_of
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.normal_form import normal
from abs_shield.text.values.figure import MONEY

CODE = "CONTRADICTORY_ORDER"
_REMEDY = "Make the comparisons consistent with each other"
_MOST = 200  # each is searched for a cycle with all others
"""Maximum number of comparisons of a text."""
_SCALES = {
    "tall": "taller higher longer/shorter lower", "large": "larger bigger greater/smaller",
    "old": "older/younger newer", "fast": "faster quicker/slower", "heavy": "heavier/lighter",
    "expensive": "costlier pricier/cheaper", "good": "better/worse",
    "warm": "warmer hotter/colder cooler", "rich": "richer wealthier/poorer",
    "deep": "deeper/shallower", "wide": "wider broader/narrower", "strong": "stronger/weaker",
    "hard": "harder tougher/easier", "early": "earlier/later", "safe": "safer/riskier",
    "close": "closer nearer/farther further", "busy": "busier/quieter",
}  # fmt: skip
"""Scales, each with the words for more and, after the slash, for less of it."""
_SIDES = {
    word: (scale, side == 0)
    for scale, words in _SCALES.items()
    for side, several in enumerate(words.split("/"))
    for word in several.split()
}
_NO_NAME = (
    r"(?!(?:is|was|are|were|than|and|but|has|had|which|while|because|so|in|on|at|by|for|with|of"
    r"|that"
    r"|who|as|or|finished|came|ranked|ranks|placed|comes|beat|runs?|costs?|weighs|then|whereas|also"
    r"|where|since|however|therefore|stands|lies)\b)"
)
_PIECE = rf"{_NO_NAME}[^\W_](?:[\w'\u2019&-]|\.(?=\w)){{0,24}}"
_NAME = rf"(?:(?:the|our|its|their|a|an) )?{_PIECE}(?: {_PIECE}){{0,3}}"
_ADJECTIVES = "|".join(sorted(_SIDES, key=len, reverse=True))
_COMPARED = form(
    rf"(?:^|[.,;] (?:and |but |while |whereas )?|\b(?:and|but|while|whereas|that|because|so|since)"
    rf" )"
    rf"(?:however, |also, |finally, |in turn, |meanwhile, |yet |then |therefore,? )?"
    rf"(?P<one>{_NAME})(?: ?\(<left:NM>[^()]{{0,20}}\))? (?:is|was|are|were|runs?|ran|costs?"
    rf"|ranks?|lies|weighs"
    rf"|performs?|performed|stands|arrived|finished)(?: (?:even|much|far|still|slightly|also"
    rf"|considerably|significantly|a bit))*"
    rf" (?:(?P<word>{_ADJECTIVES})|(?P<degree>more|less) (?P<adjective>[a-z]{{3,16}}))"
    rf"(?: in [a-z]+)? than (?P<other>{_NAME})(?: ?\(<right:NM>[^()]{{0,20}}\))?"
    rf"(?=[.,;!]|$| (?:and|but|while|whereas|which|because|so)\b)"
)
_ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1
    )
}
_RANKED = form(
    rf"\b(?P<who>{_NAME}) (?:(?:is |was )?(?:ranked|ranks|came|finished|placed|comes|is|was)(?:"
    rf" in)?) "
    rf"(?:(?P<word>{'|'.join(_ORDINALS)})|<place:O>)(?: place| overall)?(?=[.,;]|$| (?:and|but"
    rf"|while|in the|ahead|behind)\b)"
)
_AHEAD = form(
    rf"\b(?P<who>{_NAME}) (?:(?:is|was|finished|came|placed|ranked|ranks)? ?"
    rf"(?P<way>ahead of|above|before|behind|below|after)|(?P<beat>beat|outranks?|outranked"
    rf"|overtook)) (?P<whom>{_NAME})(?=[.,;]|$| (?:and|but|in)\b)"
)
_HAS_RANK = form(rf"<O>|\b(?:{'|'.join(_ORDINALS)})\b")
_PRONOUNS = frozenset(
    "it he she they this that these those which who one ones both others the former the latter "
    "other "
    "another each all some expected before average most last ever usual normal none nothing "
    "anything "
    "anyone everyone no someone the other there we you i what average yesterday today".split()
)
_AT_TIMES = re.compile(
    r"\b(?:before|after|later|until|then|now|today|yesterday|originally|initially|once|used to|will"
    r"|sometimes|often|usually|previously|formerly|in (?:winter|summer|spring|autumn|fall|practice"
    r"|theory"
    r"|terms)|when|per|at (?:night|first)|on average|may|can|should|arguably|year|month|week"
    r"|season)\b",
    re.IGNORECASE,
)


class _Edge(NamedTuple):
    """One comparison: *more* has more of a scale than *less*."""

    scale: str
    more: str
    less: str
    span: tuple[int, int]


def orders(reading: Reading) -> Relations:
    """Find cyclic comparisons: A is taller than B, B than C, and C than A."""
    edges: list[_Edge] = []
    for sentence in reading.sentences:
        if " than " in sentence.plain and sentence.asserts and len(edges) < _MOST:
            edges += _comparisons(sentence)
            yield from _with_values(reading, sentence)
    by_scale: dict[str, list[_Edge]] = defaultdict(list)
    for edge in edges:
        by_scale[edge.scale].append(edge)
    for some in by_scale.values():
        yield from _order(reading, some)
    for paragraph in reading.paragraphs:
        yield from _compare_ranks(reading, paragraph)


def _comparisons(sentence: Sentence) -> Iterator[_Edge]:
    # an order may differ at another time
    if sentence.marked("YD") or _AT_TIMES.search(sentence.plain):
        return
    for match in _COMPARED.finditer(sentence.plain):
        one, other = _name(match["one"]), _name(match["other"])
        side = _side(match)
        if one and other and one != other:
            more, less = (one, other) if side[1] else (other, one)
            yield _Edge(side[0], more, less, span_of(sentence, match))


def _side(match: re.Match[str]) -> tuple[str, bool]:
    """Return the scale of a comparison, and whether its subject has more of it."""
    if match["word"]:
        return _SIDES[match["word"].casefold()]
    return match["adjective"].casefold(), match["degree"].casefold() == "more"


def _name(text: str) -> str:
    """Return a normalised name; empty for a pronoun."""
    words = normal(text).split()
    while words and words[0] in ("the", "our", "its", "their", "a", "an"):
        words = words[1:]
    return "" if not words or _PRONOUNS.intersection(words) else " ".join(words)


def _order(reading: Reading, edges: list[_Edge]) -> Relations:
    """Add comparisons one by one, and yield a finding for each that closes a cycle."""
    below: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        if edge.less in below and _reaches(below, edge.less, edge.more):
            start = min(one.span[0] for one in edges)
            detail = (
                f"{len(edges)} comparisons of one scale contradict each other: they form a cycle"
            )
            end = max(one.span[1] for one in edges)
            yield fault(reading, (start, end), CODE, detail=detail, remedy=_REMEDY)
            continue
        below[edge.more].add(edge.less)
        if len(edges) > 1:
            yield None


def _reaches(below: dict[str, set[str]], start: str, end: str) -> bool:
    # not recursive: a text may have a chain of any length
    visited, stack = {start}, [start]
    while stack:
        for name in below.get(stack.pop(), ()):
            if name == end:
                return True
            if name not in visited:
                visited.add(name)
                stack.append(name)
    return False


def _with_values(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "A (30) is cheaper than B (20)" with the values in brackets."""
    for match in _COMPARED.finditer(sentence.plain) if "(" in sentence.plain else ():
        left, right = sentence.figure(match, "left"), sentence.figure(match, "right")
        if left is None or right is None or left.kind != right.kind:
            continue
        scale, more = _side(match)
        # the value has to measure the scale: a rank or a year does not
        if scale not in _VALUED or (scale == "expensive") != (left.kind == MONEY):
            continue
        if left.unit != right.unit or left.numbers[0] == right.numbers[0]:
            continue
        if (left.numbers[0] > right.numbers[0]) == more:
            yield None
            continue
        detail = f'"{left.text}" and "{right.text}" are in the other order'
        yield fault(reading, span_of(sentence, match), CODE, detail=detail, remedy=_REMEDY)


_VALUED = frozenset("tall large old heavy expensive deep wide".split())
"""Scales on which a greater number means more."""


def _compare_ranks(reading: Reading, paragraph: tuple[Sentence, ...]) -> Relations:
    """Compare "A came third, B fifth" with "B finished ahead of A"."""
    ranks: dict[str, set[int]] = defaultdict(set)
    for sentence in paragraph:
        if sentence.asserts and not sentence.marked("YD") and _HAS_RANK.search(sentence.plain):
            for match in _RANKED.finditer(sentence.plain):
                place = sentence.figure(match, "place")
                word = match["word"]
                rank = _ORDINALS[word.casefold()] if word else int(place.numbers[0]) if place else 0
                ranks[_name(match["who"])].add(rank)
    # a name with two ranks has them in two rankings
    if len(ranks) < 2 or any(len(some) > 1 for some in ranks.values()):
        return
    for sentence in paragraph:
        if not sentence.asserts or sentence.marked("YD"):
            continue
        for match in _AHEAD.finditer(sentence.plain):
            who, whom = ranks.get(_name(match["who"])), ranks.get(_name(match["whom"]))
            if not who or not whom or who == whom:
                continue
            way = (match["way"] or "ahead of").casefold()
            ahead = way in ("ahead of", "above", "before")
            if (min(who) < min(whom)) == ahead:
                yield None
                continue
            span = paragraph[0].start, sentence.end
            detail = f"ranks {min(who)} and {min(whom)} are in the other order"
            yield fault(reading, span, CODE, detail=detail, remedy=_REMEDY)
