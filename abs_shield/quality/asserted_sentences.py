"""Sentences asserted by an output itself, without questions, quotations and forecasts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.quality.guardrails.guardrail_rule import ClaimScope
from abs_shield.quality.marked_sentences import Reading, Sentence

_OF_OTHERS = re.compile(
    r"\b(?:expect(?:s|ed|ing|ations?)?|forecasts?|forecasted|predict(?:s|ed|ions?)?|project(?:ed"
    r"|ions?)"
    r"|anticipat\w+|targets?|targeted|targeting|guidance|goals?|aims?|aimed|aiming|hopes?|hoped"
    r"|hoping"
    r"|plan(?:s|ned|ning)? (?:to|for)|planned|rumou?r(?:s|ed)?|alleg\w+|claim(?:s|ed|ing)?"
    r"|reportedly"
    r"|supposed(?:ly)?|purported(?:ly)?|belie(?:f|fs|ves?|ved)|think(?:s|ing)?|thought|guess(?:es"
    r"|ed)?"
    r"|fears?|feared|doubts?|doubted|den(?:y|ies|ied)|disput(?:es?|ed)|reject(?:s|ed)?|the (?:idea"
    r"|notion|theory) that|wonder(?:s|ed)?|argu(?:e|es|ed|ing)|analysts?|economists|skeptics"
    r"|sceptics|critics"
    r"|blog(?:s|gers?)?|estimat(?:es?|ed|ing|ions?)|will|would|could|might|should|shall|may|must"
    r"|unless|whether"
    r"|assum(?:e|es|ed|ing|ptions?)|scenarios?|hypothe\w+|imagin\w+|pretend\w*|say,|for instance"
    r"|until|once|formerly|previously|originally|initially|used to|had been|had reached|no longer"
    r"|told|asked|suggest(?:s|ed|ing)?|according to (?!(?:our|its|the|their) )|contrary to|unlike"
    r"|almost|nearly|fiction\w*|novel|myth|joke\w*)\b|\b[A-Z]\w+ (?:said|says|wrote|writes)\b",
    re.IGNORECASE,
)
# the month, which would count as the modal "may"
_MAY = re.compile(r"\b(?:[Ii]n|of|[Oo]n|[Bb]y|[Ss]ince|\d)\s+May\b|\bMay \d")
_WRONG = re.compile(
    r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|false(?:ly)?|untrue|myths?|mistake[ns]?|mistakenly"
    r"|misleading|debunked|inaccurate|outdated|misconception|erroneous(?:ly)?|nonsense|error"
    r"|a typo|hoax|refuted|disproved|disproven|contradicted|corrected)\b",
    re.IGNORECASE,
)
# a sentence that takes back the one before: "This is wrong."
_REFERS_BACK = re.compile(
    r"\W*(?:but |however,? |in fact,? )?(?:this|that|it|these|those|such|the (?:claim|figure"
    r"|number|statement"
    r"|opposite|reality|truth))\b",
    re.IGNORECASE,
)


def own_assertions(reading: Reading) -> Iterator[Sentence]:
    """
    Yield the sentences that an output asserts itself and does not retract in the next sentence.

    >>> from abs_shield.quality.marked_sentences import read_text
    >>> text = "Sales rose. Did sales rise? Some say \\"sales rose\\". Sales fell. That is wrong."
    >>> [text[one.start : one.end] for one in own_assertions(read_text(text))]
    ['Sales rose.', 'That is wrong.']
    """
    following = dict(zip(reading.sentences, reading.sentences[1:], strict=False))
    for sentence in ClaimScope(reading).claims():
        after = following.get(sentence)
        taken_back = (
            after is not None
            and _REFERS_BACK.match(after.plain) is not None
            and (_WRONG.search(after.plain) or not after.asserts)
        )
        if not taken_back and not _BLOCK_QUOTE.match(sentence.plain):
            yield sentence


_BLOCK_QUOTE = re.compile(r"\s*>")


def is_attributed(text: str) -> bool:
    """
    Return whether the words around a statement make it a forecast, a supposition or a quotation.

    >>> [is_attributed(text) for text in ("Analysts expected", "In May 2025", "Some blogs claim")]
    [True, False, True]
    """
    return _OF_OTHERS.search(_MAY.sub(" ", text)) is not None


def is_called_wrong(text: str) -> bool:
    """Return whether a text calls something wrong."""
    return _WRONG.search(text) is not None
