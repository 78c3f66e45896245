"""Shares of one whole that add up to more than 100 %."""

from __future__ import annotations

import re

from abs_shield.quality.consistency.part_totals import sum_of
from abs_shield.quality.consistency.text_relations import Relations, fault, render, up_to_words
from abs_shield.quality.marked_sentences import Reading, Sentence, form

_CODE = "CONTRADICTORY_PERCENTAGE"
_REMEDY = "Make the shares of one whole add up to 100%"
_HUNDRED = 100  # percent: more cannot be shares of one whole; less may leave a rest unmentioned
_NAME = up_to_words(5, least=1)
_SPENT = form(
    rf"\b(?:spend|spends|spent|invest|invested|allocated?|budgeted)(?: [a-z]+){{0,3}}? "
    rf"<P> (?:of [a-z ]{{1,30}}?)?(?P<by>on|to|for|in){_NAME}"
    rf"(?:, <P> (?P=by){_NAME})*,? and <P> (?P=by){_NAME}[.!]?$"
)
# each pattern reaches to the end of the sentence, so that nothing after it changes the meaning
_GOES = form(
    rf"^<P> of (?:the |our |its |their |my )?[a-z ]{{1,30}}? (?:goes|went|go) to{_NAME}"
    rf"(?:, <P>(?: (?:goes|went|go))? to{_NAME})*,? and <P>(?: (?:goes|went|go))? to{_NAME}[.!]?$"
)
_CHOSE = form(
    rf"^<P>(?: of [a-z ]{{1,30}}?)? (?P<verb>prefer|preferred|chose|picked|selected|voted for"
    rf"|favou?red|favou?r){_NAME}(?:, <P>(?: (?P=verb))?{_NAME})*,? and <P>(?: (?P=verb))?"
    rf"{_NAME}[.!]?$"
)
_SEVERAL = re.compile(
    r"\b(?:both|also|too|multiple|several|at least|first|second|each|respectively|more than one"
    r"|while|whereas|but|among|as well|years?|than|up|down)\b",
    re.IGNORECASE,
)
"""Words that indicate overlapping shares, or several wholes."""


def allocations(reading: Reading) -> Relations:
    """Find shares above 100 %, such as 60 % for staff, 30 % for rent and 20 % for travel."""
    for sentence in reading.sentences:
        if len(sentence.marked("P")) > 1 and sentence.asserts:
            yield from _compare_allocations(reading, sentence)


def _compare_allocations(reading: Reading, sentence: Sentence) -> Relations:
    # another figure may be the whole, or a second time
    if _SEVERAL.search(sentence.plain) or sentence.marked("NMXYD"):
        return
    if sentence.plain.count(" of ") > 1:
        return  # shares of several wholes
    if not any(form.search(sentence.plain) for form in (_SPENT, _GOES, _CHOSE)):
        return
    total = sum_of(sentence.marked("P"))
    if total.low <= _HUNDRED:
        yield None
        return
    detail = f"the shares of one whole add up to {render(total)}%, more than 100%"
    span = sentence.start, sentence.end
    yield fault(reading, span, _CODE, detail=detail, remedy=_REMEDY)
