"""Limits on how much of the evidence and of an answer is read."""

from __future__ import annotations

import re
from itertools import islice

from abs_shield.text.values.numerals import NUMBER_WORDS

MOST_NUMBERS = 40_000
"""
Numbers and sentences of all evidence that are read, and of one result.

Dates, ids and addresses count as numbers, lines as sentences. Each takes memory in the indexes.
"""
MOST_PASSAGES = 20_000
"""Passages that are read; each costs an entry in every index, even if it is empty."""
MOST_OF_ANSWER = 200_000
"""Characters of an answer that are read, some 80 pages; each is searched by many patterns."""
MOST_NUMBERS_OF_ANSWER = 5_000
"""Numbers and sentences of an answer that are read; each may become a value or a claim."""
_MARK = re.compile(
    r"\d+(?:[-:./]\d+){0,2}|[@:](?=\w)|(?<=\w)\.(?=[a-z])"
    # the lookahead skips most words without trying all alternatives
    rf"|\b(?=[aotfsenhmbzircpl])(?:{NUMBER_WORDS}|noon|midnight|ids?|number|code|ref(?:erence)?"
    r"|confirmation|locator|pnr|sku)\b|[.!?](?=\s)|[\n\u3002\uff01\uff1f]",
    re.IGNORECASE,
)
"""A part of any value except a name, or the end of a sentence."""
_LONGEST_BACK = 1_000  # a line or a word of more is data, and is cut inside


def count(text: str, most: int) -> int:
    """
    Return the approximate number of numbers and sentences in *text*, at most ``most + 1``.

    >>> count("3 rooms on 2024-05-15 for ann@example.org.\\nPaid.", 10), count("1 2 3", 1)
    (6, 2)
    """
    if len(text) < 2:
        return 1
    return sum(1 for _ in islice(_MARK.finditer(text), most + 1))


def beginning(text: str, most: int) -> str:
    """
    Return the beginning of *text* with about *most* numbers and sentences.

    It ends at the end of a line or of a word, if one is near.

    >>> beginning("a 1, b 2, c 3", 2), beginning("a 1, b 2", 2)
    ('a 1, b 2, c', 'a 1, b 2')
    """
    further = next(islice(_MARK.finditer(text), most, None), None)
    return text if further is None else _until(text, further.start())


def read_of_answer(answer: str) -> str:
    """
    Return the part of an answer that is read: 200,000 characters, 5,000 numbers and sentences.

    >>> [len(read_of_answer("room " * n)) for n in (100, 100_000)]
    [500, 199999]
    """
    if len(answer) > MOST_OF_ANSWER:
        answer = _until(answer, MOST_OF_ANSWER)
    return beginning(answer, MOST_NUMBERS_OF_ANSWER)


def _until(text: str, end: int) -> str:
    """Return *text* up to an offset, or to the end of the line or the word before it."""
    low = max(0, end - _LONGEST_BACK)
    stop = max(text.rfind("\n", low, end), -1)
    if stop < 0:
        stop = max(text.rfind(" ", low, end), text.rfind("\t", low, end))
    return text[: stop if stop > 0 else end]
