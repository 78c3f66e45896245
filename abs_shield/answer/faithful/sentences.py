"""The statements of a text, one a sentence, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.answer.claim import Claim
from abs_shield.answer.stems import stems
from abs_shield.text.sentences import sentence_spans

_MARK = re.compile(r"(?:[-*+\u2022>#]{1,6}|\(?\d{1,3}[.)])[ \t]{1,8}")
_LEAST = 2
"""Stems of a sentence that states something."""


def sentence_claims(text: str) -> tuple[Claim, ...]:
    """
    Give the sentences that state something; questions and courtesies do not.

    >>> [claim.text for claim in sentence_claims("Hello! It was built in 1889. Anything else?")]
    ['It was built in 1889.']
    """
    return tuple(_claims(text))


def _claims(text: str) -> Iterator[Claim]:
    for start, end in sentence_spans(text):
        mark = _MARK.match(text, start, end)
        start = mark.end() if mark else start
        sentence = text[start:end]
        asks = sentence.rstrip("\"')\u201d\u2019").endswith(("?", "\uff1f", "\u061f"))
        if not asks and len(set(stems(sentence))) >= _LEAST:
            yield Claim(sentence, start, end)
