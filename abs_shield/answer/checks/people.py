"""People whom an answer names with a title, and whom nothing in the evidence names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from abs_shield.answer.checks.opinions import ABSENT, FOUND, NOTHING
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.types import Claim, MissingValue, Opinion, Unavailable
from abs_shield.text.normal import latin, normal, unaccented, words

_TITLE = re.compile(
    r"\b(?:(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx|Dott|Ing|Sra?|Mme|Mlle)\b\.?|Doctor|Professor|Nurse|Herrn?"
    r"|Frau|Se\u00f1ora?|Signora?|Madame|Monsieur)[ ](?=[^\W\d_])){1,3}"
)
_WORD = re.compile(r"([^\W\d_](?:\.|[\w'\u2019-]{0,40}))(?:[ ]|(?=\W)|\Z)")
_PARTICLES = frozenset("van von de der den di da del la le al bin".split())
_MOST_WORDS = 6
"""Words of one name."""
_LEAST = 3
"""Letters of a name that is looked for."""
_MOST_ENDING = 2
"""Letters that a language may add to a name: ``Herrn M\u00fcllers``."""
_MOST = 50


class Person(NamedTuple):
    """
    Somebody with a title.

    Attributes:
        start: Where the name begins.
        end: Where it ends.
        family_names: What may be the family name, in normal form: the last word, and of a German
            title any, for its nouns have capitals as well.
    """

    start: int
    end: int
    family_names: tuple[str, ...]


def people(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """
    Look for the family name of everybody who has a title: "Dr. Okonkwo", where it is Dr. Okafor.

    A given name is not looked for, since it may be a nickname; nor is anybody where a part of the
    evidence is written in another script.

    Args:
        claims: The claims of one answer.
        evidence: What they may rest on.
        question: What was asked; who is named there needs no other evidence.
        answer: Not needed.
    """
    named = [[*islice(titled(one.text), _MOST)] for one in claims]
    if not any(named):
        return (NOTHING,) * len(claims)
    found = evidence.derived(_Known)
    if not found.is_latin:
        return tuple(Unavailable("another script") if some else NOTHING for some in named)
    known = found.words | _words_in(question or "")
    pairs = zip(claims, named, strict=True)
    return tuple(_opinion(claim, some, known, evidence) for claim, some in pairs)


def titled(text: str) -> Iterator[Person]:
    """
    Yield who is named with a title, and with a name of three letters or more.

    >>> [one.family_names for one in titled("See Dr. Ada van der Berg in room 4, or Mr. Li.")]
    [('berg',)]
    """
    behind = 0
    while title := _TITLE.search(text, behind):
        behind, names = title.end(), list[str]()
        for _ in range(_MOST_WORDS):
            word = _WORD.match(text, behind)
            if word is None or not (word[1][0].isupper() or word[1] in _PARTICLES):
                break
            if _TITLE.match(text, behind):
                break
            names += [word[1]] if word[1][0].isupper() else []
            behind = word.end()
        some = names if title[0].startswith(("Herr", "Frau")) else names[-1:]
        if some and all(len(name) >= _LEAST for name in some):
            end = len(text[:behind].rstrip())
            yield Person(title.end(), end, tuple(map(_name_of, some)))


def _name_of(word: str) -> str:
    return unaccented(normal(word.removesuffix("'s").removesuffix("\u2019s")))


def _opinion(
    claim: Claim, named: list[Person], known: frozenset[str], evidence: Evidence
) -> Opinion | Unavailable:
    if not named:
        return NOTHING
    absent = [one for one in named if not any(_is_known(name, known) for name in one.family_names)]
    if absent and evidence.blind:
        return Unavailable(evidence.blind)
    missing = (
        MissingValue(
            "name", claim.text[one.start : one.end], claim.start + one.start, claim.start + one.end
        )
        for one in absent
    )
    return Opinion(score=ABSENT if absent else FOUND, missing=tuple(missing))


def _is_known(name: str, known: frozenset[str]) -> bool:
    """Return whether the evidence has a name, but for an ending; of a double name both."""
    return all(
        any(part[: len(part) - cut] in known for cut in range(_MOST_ENDING + 1))
        for part in words(name)
    )


class _Known:
    """The words of some evidence, and whether all of it is in Latin script."""

    def __init__(self, evidence: Evidence) -> None:
        texts = [piece.text for piece in evidence]
        texts += [str(one.arguments) for one in evidence.deeds or ()]
        self.is_latin = all(latin(normal(text)) for text in texts)
        self.words = frozenset[str]().union(*map(_words_in, texts if self.is_latin else ()))


def _words_in(text: str) -> frozenset[str]:
    return frozenset(words(unaccented(normal(text))))
