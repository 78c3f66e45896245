"""Check of the names of people in an answer against the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from abs_shield.answer.checks.exempt_values import is_example
from abs_shield.answer.claim_types import ABSENT, NOTHING, PRESENT, Claim, MissingValue, Opinion
from abs_shield.answer.evidence.evidence_passages import Evidence, PassageSource
from abs_shield.core import Unavailable
from abs_shield.text.normal_form import is_latin, normal, remove_accents, words
from abs_shield.text.person_names import FIRST_NAMES, SHORT_FOR, is_namesake

_TITLE = re.compile(
    r"\b(?:(?:(?:Dr|Prof|Mr|Mrs|Ms|Mx|Dott|Ing|Sra?|Mme|Mlle)\b\.?|Doctor|Professor|Nurse|Herrn?"
    r"|Frau|Se\u00f1ora?|Signora?|Madame|Monsieur)[ ](?=[^\W\d_])){1,3}"
)
_WORD = re.compile(r"([^\W\d_](?:\.|[\w'\u2019-]{0,40}))(?:[ ]|(?=\W)|\Z)")
_PARTICLES = frozenset("van von de der den di da del la le al bin".split())
_FIRST_NAME = re.compile(r"(?<![\w@#/.\-'\u2019])[^\W\d_]{3,20}(?![\w@/\-])(?!['\u2019]s[ ]Day\b)")
# at most one middle initial and two particles, so that the search stays linear
_FAMILY = re.compile(
    rf"[ ](?:[^\W\d_]\.[ ]?)?(?:(?:{'|'.join(sorted(_PARTICLES))})[ ]){{0,2}}"
    r"(?P<name>(?![^\W\d_A-Z\u00c0-\u00de])[^\W\d_](?:[\w-]|['\u2019](?!s\b)){1,40})"
)
_WITHIN = re.compile(r"[^\W\d_]+,?[ ]\Z")
"""The word before a name in the middle of a sentence."""
_INVENTS = re.compile(
    r"\b(?:story|stories|poem|fiction\w*|novel|fairy tale|tale|role[- ]?play|sample|example"
    r"|placeholder|dummy|fake|template|invent|imagin\w+|make up|made[- ]up"
    r"|test (?:data|users?|patients?))\b",
    re.IGNORECASE,
)
"""Words of a request for invented names."""
_MYSELF = re.compile(
    r"\b(?:i['\u2019]m|i am|my name is|this is|it['\u2019]s|ich bin|soy|je suis|sono)[ ]\Z",
    re.IGNORECASE,
)
_ALSO = re.compile(r",?[ ](?:(?:and|or|und|oder|y|o|et|ou|e)[ ])?")
_MOST_WORDS = 6  # more capitals in a row are a heading
"""Words of one name."""
_LEAST = 3  # initials and syllables such as "Li" are words or codes, too
"""Fewest letters of a name that is checked."""
_LEAST_INSIDE = 4  # three letters are inside of many words
"""Fewest letters of a name that may be part of a word: Silva in ``emmasilva7@x.org``."""
# two letters would make Al of Alan and Alice one name
_BEGINNING = 3
"""Leading letters that a given name shares with its short forms: Ale of Alex and Alexandra."""
_BEGINNINGS = re.compile(rf"(?<![^\W_])[A-Z][a-z]{{{_BEGINNING - 1}}}")
_BEFORE = 24  # the words of an introduction: "my name is"
_HANDLES = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})(?=[._\d@-])")
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))")
# transliterations, as addresses and older systems have them
_DIGRAPHS = str.maketrans(
    {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00f8": "oe", "\u00e5": "aa"}
)
# a genitive or dative: "Herrn Müllers"; three letters would change the name
_MOST_ENDING = 2
"""Letters of an inflected ending of a name: ``Herrn M\u00fcllers``."""
# a list of more people is data
_MOST = 200
"""People of one answer that are checked: each may take a search through all of the evidence."""


class Person(NamedTuple):
    """
    A person whom a text names.

    Attributes:
        start: Offset of the name's first character.
        end: Offset after its last character.
        names: The parts of the name, in normal form. The evidence should have one of them: after
            a title the family name, after a German title any, since German nouns have capitals
            too; without a title the given name and the family name.
        has_title: Whether a title precedes the name.
    """

    start: int
    end: int
    names: tuple[str, ...]
    has_title: bool = False


def people(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """
    Check that the evidence names each person of an answer: not "Dr. Okonkwo" for Dr. Okafor.

    After a title the family name must occur, since the given name may be a nickname; otherwise
    one of both. A given name alone is checked only in the middle of a sentence. Nothing is
    checked if a part of the evidence is in another script.

    Args:
        claims: The claims of one answer.
        evidence: The evidence.
        question: The user's question; people named in it need no other evidence.
        answer: Not needed.
    """
    room = _MOST  # one bound for all claims, as each name costs a search
    persons: list[list[Person]] = []
    for claim in claims:
        persons.append([*islice(_persons(claim.text), room)])
        room -= len(persons[-1])
    if room == _MOST:  # before the evidence is prepared, which most answers do not need
        return (NOTHING,) * len(claims)
    evidence_names = evidence.derived(_EvidenceNames)
    # a name in another script has no letter in common with its transliteration
    if not evidence_names.is_latin:
        return tuple(Unavailable("another script") if some else NOTHING for some in persons)
    sources = (evidence_names.words, _NameText.of(question or "", question or ""))
    pairs = zip(claims, persons, strict=True)
    return tuple(_opinion(claim, some, sources, evidence) for claim, some in pairs)


def _persons(text: str) -> Iterator[Person]:
    """Yield every person, in order; a name with a title is not reported again without it."""
    end = 0
    for one in merge(find_titled(text), find_untitled(text), key=attrgetter("start")):
        if one.start >= end:  # the title's person begins first, so its given name is left out here
            yield one
            end = one.end


def find_titled(text: str) -> Iterator[Person]:
    """
    Yield the people named with a title and a name of at least three letters.

    >>> [one.names for one in find_titled("See Dr. Ada van der Berg in room 4, or Mr. Li.")]
    [('berg',)]
    """
    behind = 0
    while title := _TITLE.search(text, behind):
        behind, names = title.end(), list[str]()
        for _ in range(_MOST_WORDS):
            word = _WORD.match(text, behind)
            if word is None or not (word[1][0].isupper() or word[1] in _PARTICLES):
                break
            if _TITLE.match(text, behind):  # a second title: "Herr Dr. Weber"
                break
            names += [word[1]] if word[1][0].isupper() else []
            behind = word.end()
        # German nouns have capitals, too, so the last word may be no name
        some = names if title[0].startswith(("Herr", "Frau")) else names[-1:]
        if some and all(len(name) >= _LEAST for name in some):
            end = len(text[:behind].rstrip())
            yield Person(title.end(), end, tuple(map(_name_of, some)), has_title=True)


def find_untitled(text: str) -> Iterator[Person]:
    """
    Yield the people named with a common given name, with or without a family name.

    Examples and speakers who introduce themselves are left out.

    >>> [one.names for one in find_untitled("Ines B. Kessler moved San Diego to Ingrid, like Bob.")]
    [('ines', 'kessler'), ('ingrid',)]
    """
    example = -1
    for match in filter(_is_first_name, _FIRST_NAME.finditer(text)):
        start, end = match.span()
        before = text[max(0, start - _BEFORE) : start]
        last = before.rsplit(maxsplit=1)[-1] if before.strip() else ""
        family = _FAMILY.match(text, end)
        behind = family.end("name") if family else end
        if _is_next(text, example, start) or is_example(text, start):
            example = behind
        elif _MYSELF.search(before) or is_namesake(text, start, end, last):
            continue
        elif family and not is_namesake(text, start, behind, last):
            yield Person(start, behind, (_name_of(match[0]), _name_of(family["name"])))
        # at the beginning of a sentence, a given name may be another word
        elif not family and _WITHIN.search(before) and not last[0].isupper():
            yield Person(start, end, (_name_of(match[0]),))


def _is_first_name(word: re.Match[str]) -> bool:
    name = word[0]
    is_name = name[0].isupper() and name[1:].islower()
    return is_name and remove_accents(_name_of(name)) in FIRST_NAMES


def _is_next(text: str, example: int, start: int) -> bool:
    """Return whether a name directly follows an example: "such as Olga or Ingrid"."""
    return example >= 0 and _ALSO.fullmatch(text, example, start) is not None


def _name_of(word: str) -> str:
    return normal(word.removesuffix("'s").removesuffix("\u2019s"))


def _opinion(
    claim: Claim, persons: list[Person], sources: tuple[_NameText, ...], evidence: Evidence
) -> Opinion | Unavailable:
    if not persons:
        return NOTHING
    absent = [one for one in persons if not any(some.has_person(one) for some in sources)]
    if absent and evidence.blind:  # the evidence that was dropped may have named them
        return Unavailable(evidence.blind)
    missing = (
        MissingValue(
            "name", claim.text[one.start : one.end], claim.start + one.start, claim.start + one.end
        )
        for one in absent
    )
    return Opinion(score=ABSENT if absent else PRESENT, missing=tuple(missing))


class _NameText(NamedTuple):
    """
    A text that is searched for names.

    Attributes:
        text: The text, in normal form.
        words: Its words.
        beginnings: The first three letters of its words with a capital, and of its handles.
        invents: Whether it asks for invented names.
    """

    text: str
    words: frozenset[str]
    beginnings: frozenset[str]
    invents: bool = False

    @classmethod
    def of(cls, text: str, user_text: str = "") -> _NameText:
        """
        Return a text prepared for search; any word of the users' messages may be a name.
        """
        # results may be a Python repr or JSON, with letters as escapes
        text = _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
        plain = remove_accents(normal(text))
        beginnings = {one.lower() for one in _BEGINNINGS.findall(text)}
        beginnings |= {one[:_BEGINNING] for one in _HANDLES.findall(plain)}
        beginnings |= {one[:_BEGINNING] for one in words(remove_accents(normal(user_text)))}
        return cls(
            plain,
            frozenset(words(plain)),
            frozenset(beginnings),
            _INVENTS.search(user_text) is not None,
        )

    def has_person(self, one: Person) -> bool:
        """Return whether the text has a part of the name that identifies a person."""
        if any(map(self._has, one.names)):
            return True
        if one.has_title:
            # a title is formal: no nickname, no handle
            return False
        if self.invents or any(map(self._has_short, one.names[:1])):
            return True
        if len(one.names) == 1:  # Alex may be short for Alexandra, and the other way round
            return one.names[0][:_BEGINNING] in self.beginnings
        # both names are known, so the beginning of one is not enough
        return self._has_handle(*one.names)

    def _has(self, name: str) -> bool:
        """Return whether the text has a name, apart from an ending; of a double name both parts."""
        spellings = {name, name.translate(_DIGRAPHS)}
        return any(all(map(self._has_part, words(remove_accents(each)))) for each in spellings)

    def _has_part(self, part: str) -> bool:
        # at least three letters are left: "do" of Dora and "no" of Noah are words of any text
        cuts = range(min(_MOST_ENDING, max(0, len(part) - _LEAST)) + 1)
        return any(part[: len(part) - cut] in self.words for cut in cuts) or (
            len(part) >= _LEAST_INSIDE and part in self.text
        )

    def _has_short(self, name: str) -> bool:
        """Return whether the text has a short form that differs from the name's beginning."""
        return any(
            name in long.split() and short in self.words for short, long in SHORT_FOR.items()
        )

    def _has_handle(self, first_name: str, family: str) -> bool:
        """Return whether initial and family name occur as one word: hlee, dobrien, aelsayed."""
        families = {"".join(words(remove_accents(family))), *words(remove_accents(family))}
        initials = rf"(?:{re.escape(first_name[:1])}[._]?)?"
        return any(
            re.search(rf"(?<![^\W\d_]){initials}{re.escape(one)}(?![^\W\d_])", self.text)
            for one in families
            if len(one) > 1  # an initial is inside of any text
        )


class _EvidenceNames:
    """The words of some evidence, and whether all of it is in Latin script."""

    def __init__(self, evidence: Evidence) -> None:
        texts = [piece.text for piece in evidence]
        texts += [str(one.arguments) for one in evidence.executed or ()]
        user_texts = [piece.text for piece in evidence if piece.source is PassageSource.USER]
        self.is_latin = all(is_latin(normal(text)) for text in texts)
        sources = ("\n".join(texts), "\n".join(user_texts)) if self.is_latin else ("", "")
        self.words = _NameText.of(*sources)
