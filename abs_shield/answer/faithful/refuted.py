"""What the sentence nearest to a statement says otherwise: a negation, a count, a name."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from abs_shield.answer.lexis.index import NEGATORS
from abs_shield.answer.lexis.opposites import OPPOSITES
from abs_shield.answer.lexis.tokens import Token, lowered, stem, tokens
from abs_shield.text.show import escaped

_LONGEST = 2_000
_MOST_WORDS = 400
_REACH = 3
"""Words behind a negator among which the first that says something is denied."""
_SAME = 0.75
"""The share of a statement's words in a sentence that says the same but for a negation."""
_AKIN = 0.6
_LEAST = 4
_DENYING = frozenset(
    map(stem, "avoid unable fail refuse lack except unless prohibit forbid unlike".split())
)
_NOT_DENIED = frozenset(map(stem, "only just merely sure necessarily".split()))
_BREAKS = re.compile(r"[,;:.()]|\b(?:but|if|because|while|when)\b")
_BE = frozenset("is are was were be has have had will can may must".split())
_UNITS = frozenset(
    map(
        stem,
        "seconds minutes hours days weeks months years decades grams kilograms milligrams mg kg g "
        "pounds ounces tons millimeters centimeters meters kilometers mm cm m km inches feet miles "
        "liters milliliters l ml gallons degrees euros dollars yen".split(),
    )
)
"""Units of which one does not stand for another."""


def refuted(statement: str, sentence: str) -> str:
    """
    Give why *sentence*, the evidence nearest to *statement*, says something else; else nothing.

    Nearly all of the statement's words have to stand in the sentence. Small edits of other kinds
    are beyond it.

    >>> refuted("Sale items can be returned.", "Sale items cannot be returned.")
    '`return` is denied in one of the two'
    >>> refuted("The shop closes at 9.", "The shop opens at 9.")
    '`clos` is the opposite of `open`'
    """
    said, there = _read(statement[:_LONGEST]), _read(sentence[:_LONGEST])
    checks = (_negated, _turned, _counted, _renamed)
    return next((told for check in checks if (told := check(said, there))), "")


@dataclass(frozen=True)
class _Words:
    """The words of one sentence."""

    text: str
    words: tuple[Token, ...]

    @cached_property
    def content(self) -> tuple[Token, ...]:
        return tuple(word for word in self.words if word.content or word.figure)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.content)

    @cached_property
    def denies(self) -> bool:
        """Whether anything in it is denied, in whatever words."""
        return any(self.negates(n) or one.key in _DENYING for n, one in enumerate(self.words))

    @cached_property
    def denied(self) -> frozenset[str]:
        """The words that a negator stands before, the nearest in its clause, and nowhere else."""
        found = Counter(self._behind(n) for n, _ in enumerate(self.words) if self.negates(n))
        stands = Counter(word.key for word in self.content)
        return frozenset(key for key, times in found.items() if key and times >= stands[key])

    @cached_property
    def counted(self) -> dict[str, set[str]]:
        """Of each word that a number stands before the numbers."""
        found: dict[str, set[str]] = {}
        for number, word in zip(self.words, self.words[1:], strict=False):
            if number.figure and word.content:
                found.setdefault(word.key, set()).add(number.key)
        return found

    def negates(self, n: int) -> bool:
        """Whether a word denies what stands behind it; a ``No,`` denies nothing."""
        word = self.words[n]
        written = lowered(self.text[word.start : word.end])
        if written not in NEGATORS and not written.endswith("n't"):
            return False
        behind = self.text[word.end : word.end + 1]
        follows = self.words[n + 1 : n + 2]
        return behind != "," and not any(one.key in _NOT_DENIED for one in follows)

    def _behind(self, n: int) -> str:
        start = self.words[n].end
        for word in self.words[n + 1 : n + 1 + 2 * _REACH]:
            if _BREAKS.search(self.text, start, word.start):
                return ""
            if word.content or word.figure:
                return word.key
        return ""


def _read(text: str) -> _Words:
    return _Words(text, tuple(tokens(text, most=_MOST_WORDS)))


def _share(said: frozenset[str], there: frozenset[str]) -> float:
    return len(said & there) / len(said) if said else 0.0


def _negated(said: _Words, there: _Words) -> str:
    if said.denies == there.denies or _share(said.keys, there.keys) < _SAME:
        return ""
    denied = (said.denied & there.keys) | (there.denied & said.keys)
    return f"`{escaped(min(denied))}` is denied in one of the two" if denied else ""


def _turned(said: _Words, there: _Words) -> str:
    """An opposite, where what stands beside it is the same."""
    turned = {key for key in said.keys - there.keys if key in OPPOSITES}
    if not turned or _share(said.keys - turned, there.keys) < _AKIN:
        return ""
    beside = _neighbours(there)
    for before, key, after in _neighbours(said):
        for other in OPPOSITES[key] if key in turned else ():
            if any(o == other and (b == before or a == after) for b, o, a in beside):
                return f"`{escaped(key)}` is the opposite of `{escaped(other)}`"
    return ""


def _neighbours(of: _Words) -> list[tuple[str, str, str]]:
    """Each word that says something, with those before and behind it."""
    keys = [word.key for word in of.content]
    return list(zip(["\n", *keys], keys, [*keys[1:], "\n"], strict=False))


def _counted(said: _Words, there: _Words) -> str:
    """Another number of the same thing, or the same number of another unit."""
    for what, numbers in said.counted.items():
        others = there.counted.get(what, set())
        if others and not numbers & others:
            return f"{escaped(min(numbers))} where it says {escaped(min(others))}"
        units = {unit for unit, some in there.counted.items() if unit in _UNITS and some & numbers}
        if what in _UNITS and units and not others:
            return f"`{escaped(what)}` where it says `{escaped(min(units))}`"
    return ""


def _renamed(said: _Words, there: _Words) -> str:
    """Another name where every other word is the same, in the same order."""
    mine, n = said.words, len(said.words)
    if n < _LEAST:
        return ""
    for at in range(len(there.words) - n + 1):
        pairs = list(zip(mine, there.words[at : at + n], strict=True))
        differ = [m for m, pair in enumerate(pairs) if pair[0].key != pair[1].key]
        if len(differ) == 1 and _names(pairs, differ[0], at):
            one, other = pairs[differ[0]]
            other_text = there.text[other.start : other.end]
            return f"`{escaped(said.text[one.start : one.end])}` where it says `{other_text}`"
    return ""


def _names(pairs: list[tuple[Token, Token]], at: int, start: int) -> bool:
    """Whether two words are names: both written so, or what a whole sentence is about."""
    one, other = pairs[at]
    if one.named and other.named:
        return True
    subject = at == start == 0 and one.content and other.content
    return subject and len(pairs) > 1 and pairs[1][0].key in _BE
