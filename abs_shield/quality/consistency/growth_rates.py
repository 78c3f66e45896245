"""Growth: a current value equals its prior value times one plus the rate."""

from __future__ import annotations

import re
from typing import NamedTuple

from abs_shield.quality.consistency.text_relations import (
    ARTICLES,
    BREAK,
    GAP,
    MOVE,
    PRIOR,
    Relations,
    exact,
    fault,
    interval_of,
    is_alike,
    is_positive,
    render,
    share_of,
    span_of,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import Figure

CODE = "CONTRADICTORY_GROWTH"
_REMEDY = "Make the current value, the prior value and the change consistent"
_WINDOW = 3  # farther apart, the values mostly belong to another quantity
"""Maximum distance, in sentences, of a change from its base and its result."""
_KIND = r"(?: [a-z][a-z-]{0,24}){0,3}? "
_AGAINST = (
    rf"{GAP},? (?:from|on|over|than|against|versus|vs\.?|(?:as )?compared (?:with|to))"
    rf"(?: [^\W\d_][\w'\u2019-]{{0,24}}){{0,6}}? ?\(?"
)
_BOTH = rf"\bfrom <prior:NM>{GAP},? to <current:NM>{GAP}{BREAK}{ARTICLES}"
_YEARS = (
    rf"<prior:NM> in <first:Y>,?(?: and| to| but)?{GAP} <current:NM> in <last:Y>{GAP}{BREAK}"
    rf"{ARTICLES}"
)
_RATED = rf"<rate:P>{_KIND}{MOVE}"
_MOVED_BY = rf"(?:[a-z-]+ )?{MOVE}(?: of| by)? <rate:P>"
_FORMS = tuple(
    map(
        form,
        (
            rf"\b{MOVE}(?: by)? <rate:P>,?{GAP},? from <prior:NM>{GAP},? to <current:NM>",
            rf"\b{MOVE}(?: by)? <rate:P>,?{GAP},? to <current:NM>,?{GAP},? from <prior:NM>",
            rf"<rate:P>{_KIND}{MOVE}(?: in {GAP})?,? ?\(?from <prior:NM>{GAP},? to <current:NM>",
            _BOTH + _RATED,
            _BOTH + _MOVED_BY,
            _YEARS + _RATED,
            _YEARS + _MOVED_BY,
            rf"<current:NM>{GAP}{BREAK}{ARTICLES}{_MOVED_BY}{_AGAINST}<prior:NM>",
            rf"<current:NM>{GAP}{BREAK}{ARTICLES}{_RATED}{_AGAINST}<prior:NM>",
        ),
    )
)
_MOVED = form(rf"\b{MOVE}(?: [a-z]+){{0,2}} from <prior:NMP>(?: in <Y>)?,? to <current:NMP>")
_NOT_UP = frozenset("up higher down lower".split())
_CHANGE = form(rf"<a:P>{_KIND}{MOVE}|\b{MOVE.replace('up>', 'up2>').replace('down>', 'down2>')}"
               rf"(?: of| by)? <b:P>")  # fmt: skip
_POINTS = re.compile(r"^[^\w]? ?(?:percentage )?points?\b", re.IGNORECASE)
_THIS = re.compile(
    r"^(?:this|that|it|which|these|the)\b.{0,60}?\b(?:is|was|were|are|represent(?:s|ed)?|mark(?:s"
    r"|ed)"
    r"|means|reflects?|amounts? to|equals?|corresponds? to|constitutes?|translates?)\b",
    re.IGNORECASE,
)
_STATED = form(
    r"^(?P<label>.{3,90}?) (?:was|were|is|are|reached|stood at|came to|came in at"
    r"|totall?ed|hit|amounted to)(?: at)? <value:NM>(?P<behind>.*)$"
)
_TIME = frozenset(
    keys_of("year quarter month week season last this previous prior preceding ago earlier current")
)


class _TimedValue(NamedTuple):
    """A value of a quantity at one time."""

    sentence: Sentence
    figure: Figure
    keys: frozenset[str]
    is_prior: bool


def growth(reading: Reading) -> Relations:
    """Find wrong growth, such as revenue of 50 called 10 % more than 55."""
    for sentence in reading.sentences:
        if len(sentence.figures) > 1 and sentence.asserts:
            yield from _compare_rates(reading, sentence)
    for paragraph in reading.paragraphs:
        for n in range(len(paragraph)):
            if paragraph[n].figures:
                yield from _compare_across_sentences(reading, paragraph, n)


def _compare_rates(reading: Reading, sentence: Sentence) -> Relations:
    rated: set[int] = set()
    pairs: set[tuple[int, int]] = set()  # a second rate for the same pair is the reverse change
    for pattern in _FORMS:
        for match in pattern.finditer(sentence.plain):
            figures = [sentence.figure(match, name) for name in ("prior", "current", "rate")]
            pair = match.start("prior"), match.start("current")
            if match.start("rate") in rated or pair in pairs:
                continue
            if _are_years_in_order(sentence, match):
                rated.add(match.start("rate"))
                pairs.add(pair)
                yield from _compare(
                    reading, span_of(sentence, match), figures, match["up"] is not None
                )
    for match in () if rated else _MOVED.finditer(sentence.plain):
        yield from _compare_direction(reading, sentence, match)


def _are_years_in_order(sentence: Sentence, match: re.Match[str]) -> bool:
    """Return whether the years of a form, if any, are in order."""
    if "first" not in match.re.groupindex:
        return True
    first, last = sentence.figure(match, "first"), sentence.figure(match, "last")
    return first is not None and last is not None and first.numbers[0] < last.numbers[0]


def _compare(
    reading: Reading, span: tuple[int, int], figures: list[Figure | None], is_up: bool
) -> Relations:
    prior, current, rate = figures
    if prior is None or current is None or rate is None or not is_alike(prior, current):
        return
    before, after, share = interval_of(prior), interval_of(current), share_of(rate)
    # a loss that "grows" has no defined rate
    if not is_positive(before, after) or share.low <= 0 or (share.high >= 1 and not is_up):
        return
    factor = exact(1) + share if is_up else exact(1).minus(share)
    # from the result back to the base, as a reader would check it
    base = after.over(factor)
    if base.agrees(before):
        yield None
        return
    way, sign = ("increase", 1) if is_up else ("decrease", -1)
    middle = exact(current.numbers[0] / (1 + sign * rate.numbers[0] / 100))
    detail = (
        f'a {rate.text} {way} to "{current.text}" means a prior value of {render(middle)}, '
        f'not "{prior.text}"'
    )
    yield fault(reading, span, CODE, detail=detail, remedy=_REMEDY)


def _compare_direction(reading: Reading, sentence: Sentence, match: re.Match[str]) -> Relations:
    """Compare the direction of "rose from A to B" with A and B."""
    prior, current = sentence.figure(match, "prior"), sentence.figure(match, "current")
    if prior is None or current is None or prior.unit != current.unit or prior.soft:
        return
    rises = current.numbers[0] > prior.numbers[0]
    word = match["up"] or match["down"]
    # "up" and "down" may be a place or a rank
    if current.numbers[0] == prior.numbers[0] or word.casefold() in _NOT_UP:
        return
    if rises == (match["up"] is not None):
        yield None
        return
    change = "a decrease" if rises else "an increase"
    detail = f'"{prior.text}" to "{current.text}" is not {change}'
    yield fault(reading, span_of(sentence, match), CODE, detail=detail, remedy=_REMEDY)


def _compare_across_sentences(
    reading: Reading, paragraph: tuple[Sentence, ...], n: int
) -> Relations:
    """Compare a change stated in a separate sentence with the two values around it."""
    change = paragraph[n]
    match = _CHANGE.search(change.plain)
    if match is None or not change.asserts or len(change.marked("PNMX")) != 1:
        return
    if not _THIS.match(change.plain):
        return
    place = match.start("a") if match["a"] else match.start("b")
    if _POINTS.match(change.plain[place + 1 :]):
        return
    near = paragraph[max(0, n - _WINDOW + 1) : n + _WINDOW]
    statements = [one for one in map(_read_statement, near) if one is not None]
    priors = [one for one in statements if one.is_prior]
    currents = [one for one in statements if not one.is_prior]
    # with several, it is unknown which ones the change relates
    if len(priors) != 1 or len(currents) != 1:
        return
    prior, current = priors[0], currents[0]
    # both have to be about the same quantity
    if not (prior.keys and current.keys) or not (
        prior.keys <= current.keys or current.keys <= prior.keys
    ):
        return
    sentences = [prior.sentence, current.sentence, change]
    span = min(one.start for one in sentences), max(one.end for one in sentences)
    is_up = match["up"] is not None or match["up2"] is not None
    yield from _compare(
        reading, span, [prior.figure, current.figure, change.figure_at(place)], is_up
    )


def _read_statement(sentence: Sentence) -> _TimedValue | None:
    match = _STATED.match(sentence.plain)
    if match is None or not sentence.asserts or len(sentence.marked("NMPX")) != 1:
        return None
    figure = sentence.figure(match, "value")
    if figure is None:
        return None
    is_prior = PRIOR.search(sentence.plain) is not None
    return _TimedValue(sentence, figure, frozenset(keys_of(match["label"])) - _TIME, is_prior)
