"""What a text says of the very thing that a claim says, with another value or a negation."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from typing import NamedTuple

from abs_shield.answer.evidence import Evidence, Source
from abs_shield.text.normal import normal
from abs_shield.text.polarity import denial, opposite, read, without_reply
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.values.figure import DATE, SUMS, Day, Figure
from abs_shield.text.values.reader import figures

_WORD = re.compile(r"[^\W\d_]{2,40}")
_EMPTY = frozenset(
    "the an of to in on at for by with and or as is are was were be been has have had do does did "
    "it "
    "its this that these those he she they we you his her their our your my from into than then "
    "there "
    "which who whom will would can could may not no never only also very so such "
    "about around cannot".split()
)
_CONTRACTED = re.compile(r"\b\w{2,20}n['\u2019]{1,2}t\b", re.IGNORECASE)
"""``aren't``: a negation, which `polarity` reads, and no word that says something."""
_REQUEST = re.compile(
    r"[\W\d]*(?:please )?(?:verify|check|make sure|be sure|ensure|confirm|see to it)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
_SURE = 0.8
_SAME = 0.6
_MOST_SENTENCES = 400
"""Sentences in which one word is looked up; a word in more says little."""


class Sentence(NamedTuple):
    """One sentence of the evidence."""

    piece: int
    start: int
    end: int
    text: str
    words: frozenset[str]


def content(text: str) -> frozenset[str]:
    """
    Give the words of *text* that say something, without their endings.

    >>> sorted(content("The towers weren't opened in Paris"))
    ['open', 'pari', 'tower']
    """
    bare = normal(_CONTRACTED.sub(" ", text))
    return frozenset(_stem(word) for word in _WORD.findall(bare) if word not in _EMPTY)


def _stem(word: str) -> str:
    for ending in ("ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


class Sentences:
    """The sentences of results and documents that are running text, found by their words."""

    def __init__(self, evidence: Evidence) -> None:
        self._all: list[Sentence] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for place, piece in enumerate(evidence):
            if piece.source is Source.TOOL_RESULT and not piece.lines:
                for start, end in sentence_spans(piece.text):
                    self._add(Sentence(place, start, end, piece.text[start:end], frozenset()))

    def _add(self, sentence: Sentence) -> None:
        words = content(sentence.text)
        for word in words:
            self._by_word[word].append(len(self._all))
        self._all.append(sentence._replace(words=words))

    def nearest(self, words: frozenset[str]) -> Sentence | None:
        """Give the sentence that has most of *words*; the first of equals; None where none has."""
        votes: Counter[int] = Counter()
        for word in sorted(words)[:60]:
            votes.update(islice(self._by_word.get(word, ()), _MOST_SENTENCES))
        if not votes:
            return None
        best = max(votes.items(), key=lambda one: (one[1], -len(self._all[one[0]].words)))
        return self._all[best[0]]


def other_value(
    claim: str, missing: Figure, sentences: Sentences
) -> tuple[Sentence, Figure] | None:
    """
    Give what a sentence that says the same has in place of *missing*; None where nobody can tell.

    It has to have nearly all words of the claim, and one value of that kind; fewer words suffice
    where the two values differ by their magnitude or their year alone.
    """
    words = content(claim)
    nearest = sentences.nearest(words) if len(words) >= _LEAST_WORDS else None
    if nearest is None:
        return None
    share = len(words & nearest.words) / len(words)
    if share < _SAME:
        return None
    alike = [one for one in figures(nearest.text) if _alike(missing, one)]
    if len({one.values for one in alike}) != 1:
        return None
    if share >= _SURE or _shifted(missing, alike[0]):
        return nearest, alike[0]
    return None


def _alike(missing: Figure, other: Figure) -> bool:
    return missing.kind == other.kind and missing.unit == other.unit


def _shifted(missing: Figure, other: Figure) -> bool:
    """Whether two values differ by a power of ten, or two days by the year, alone."""
    if missing.kind in SUMS:
        one, another = missing.numbers[0].normalize(), other.numbers[0].normalize()
        return one.as_tuple().digits == another.as_tuple().digits and len(one.as_tuple().digits) > 1
    a, b = missing.value, other.value
    if missing.kind == DATE and isinstance(a, Day) and isinstance(b, Day):
        return a[1:] == b[1:] and None not in (a.year, b.year)
    return False


def _asks_for(sentence: str) -> bool:
    """Return whether a sentence of the evidence asks for what it says: it is not so, maybe."""
    return _REQUEST.match(sentence) is not None


def contrary(claim: str, sentences: Sentences) -> tuple[Sentence, str] | None:
    """
    Return the sentence that says the same but for a negation or an opposite, and which; or None.

    It has all words of the claim but for that one, and one more at most: nothing else may differ.
    """
    said = without_reply(claim)
    if said.rstrip().endswith("?"):  # "Isn't it refundable?" denies nothing
        return None
    words = content(said)
    nearest = sentences.nearest(words) if len(words) >= _LEAST_WORDS else None
    if nearest is None or len(nearest.words) > len(words) + 1 or _asks_for(nearest.text):
        return None
    new = len(words - nearest.words)
    compare = (denial, opposite)[new] if new < 2 else None
    told = compare(read(said), read(nearest.text)) if compare else ""
    return (nearest, told) if told else None
