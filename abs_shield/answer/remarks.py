"""The sentences of an answer that are no claims but comment on the question: "Yes, I have."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abs_shield.answer.claim_types import Claim
from abs_shield.answer.markdown_blocks import BlockForm, blocks
from abs_shield.answer.speech_acts import asks, asks_user, is_courtesy, refuses
from abs_shield.text.sentences import sentence_spans

_WORD = re.compile(r"\w")


def remarks_of(answer: str, claims: Sequence[Claim]) -> list[str]:
    """
    Return the sentences, and parts of sentences, outside the claims of *answer*, in linear time.

    Greetings, offers, refusals, questions to the user, lead-ins, headings and code are left out:
    honest answers have them, whatever the evidence says.

    >>> answer = "Hi! Yes, it is great. It opened in 1889. Shall I book it?"
    >>> remarks_of(answer, [Claim("It opened in 1889.", 22, 40)])
    ['Yes, it is great.']
    """
    return [
        sentence
        for part in _parts(answer, claims)
        for sentence in (part[start:end] for start, end in sentence_spans(part))
        if _is_remark(sentence)
    ]


def _parts(answer: str, claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the parts of the blocks of *answer* that are outside its claims."""
    place = at = 0
    for block in blocks(answer):
        end = block.start + len(block.text)
        at = max(at, block.start)
        while place < len(claims) and claims[place].start < end:
            yield block.text[at - block.start : claims[place].start - block.start]
            at = max(at, claims[place].end)
            place += 1
        if block.form is not BlockForm.HEADING and at < end:
            yield block.text[at - block.start :]


def _is_remark(sentence: str) -> bool:
    if not _WORD.search(sentence) or sentence.rstrip(" *_\n").endswith((":", "\uff1a")):
        return False
    if asks(sentence):
        return not asks_user(sentence)
    return not is_courtesy(sentence) and not refuses(sentence)
