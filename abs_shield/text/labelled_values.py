"""Labels in text: lines ``name: value``, and ``order`` in "my order number is W-77"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from abs_shield.text.identifier_words import singular

# A longer label is prose; the bounds keep the time linear.
_LINE = re.compile(
    r"^[ \t\-*]*[\"']?([^\W\d][\w .-]{0,40}?)[\"']?[ \t]*[:=][ \t]*(\S.{0,63})$", re.MULTILINE
)
_QUOTES = " \"',"


def labelled_values(text: str) -> Iterator[tuple[str, str]]:
    """
    Yield each label with its value.

    >>> list(labelled_values("- id_: '27'\\n  title: Lunch"))
    [('id_', '27'), ('title', 'Lunch')]
    """
    return ((match[1], match[2].strip(_QUOTES)) for match in _LINE.finditer(text))


_END = re.compile(r"[,;!?\n]+|\.(?=\s|$)")
_RUN = re.compile(r"[\w@./#-]+")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[a-z]{2,30}")
_BREAK = re.compile(r"\band\b|\bor\b|\bwith\b|\bfor\b|\bto\b|\bfrom\b|\bby\b")
_FUNCTION_WORDS = frozenset(
    "the my a an is are was be id ids number no code reference ref of as in on at it its his her "
    "their our your please use using this that these those named called identified identifier "
    "value key name new old current same then also".split()
)
_REQUEST_VERBS = frozenset(
    "cancel delete remove merge move send find get show check open close update change assign add "
    "see need want have take give put make pull".split()
)
"""Verbs of requests, which do not label a thing."""
_ASSIGNED = re.compile(
    r"\b(?:named?|titled?|called|call (?:it|this|that|them))(?: (?:it|this|that|them))?[ :]{1,2}"
    r"['\"`]?([\w./-]*\d[\w./-]*\w)"
)
_MOST_WORDS = 5  # words before a code; earlier ones describe something else


def labelled_codes(normalised: str) -> Iterator[tuple[str, frozenset[str]]]:
    """
    Yield each code of a text with the words directly before it, in the singular.

    >>> [(code, sorted(words)) for code, words in labelled_codes("my order w-77, ticket id 4711.")]
    [('w-77', ['order']), ('4711', ['ticket'])]
    >>> list(labelled_codes("cancel 4207"))
    []
    """
    for clause in _END.split(normalised):
        # A fast check first, because most clauses have no code.
        if not _DIGIT.search(clause):
            continue
        end = 0
        for run in _RUN.finditer(clause):
            if not _DIGIT.search(run[0]):
                continue
            code = run[0].rstrip("@./#-")  # punctuation after the code
            before = clause[end : run.start()]
            end = run.start() + len(code)
            words = [w for part in _pieces(before) for w in _WORD.findall(part)][-_MOST_WORDS:]
            labels = frozenset(map(singular, words)) - _FUNCTION_WORDS - _REQUEST_VERBS
            if labels:
                yield code.strip("#/.-"), _intern(labels)


@lru_cache(maxsize=1_024)
def _intern(words: frozenset[str]) -> frozenset[str]:
    """Return a shared copy of a set of words, which saves memory in long conversations."""
    return words


def assigned_names(normalised: str) -> list[str]:
    """
    Return the codes that a text assigns as names.

    >>> assigned_names("let's call it 'guide_1.md'"), assigned_names("call 4711")
    (['guide_1.md'], [])
    """
    return _ASSIGNED.findall(normalised)


def _pieces(before: str) -> list[str]:
    """Return the words before a code, from the last conjunction that a content word follows."""
    pieces = _BREAK.split(before)
    for n in range(len(pieces) - 1, -1, -1):
        if any(word not in _FUNCTION_WORDS for word in _WORD.findall(pieces[n])):
            return pieces[n:]
    return pieces
