"""What a claim says is so, or is not, against the yes and no of the record that it names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.answer.checks.assertions import (
    Said,
    Word,
    clauses,
    is_noun,
    labelled,
    said_of,
    words_of,
)
from abs_shield.answer.evidence.records import Leaf, Row, Steps, is_foreign, walked
from abs_shield.answer.evidence.types import Evidence, Passage, Source
from abs_shield.answer.evidence.values import Place
from abs_shield.answer.types import Span
from abs_shield.text.leaves import pointer
from abs_shield.text.names import split
from abs_shield.text.opposites import OPPOSITES
from abs_shield.text.show import shown
from abs_shield.text.stem import stem
from abs_shield.text.tokens import STOP

_YES = {"yes": True, "true": True, "no": False, "false": False}
_STATES = frozenset("status state".split())
_ALSO = {
    stem(one): stem(other)
    for pair in "approved rejected|locked unlocked|online offline".split("|")
    for one, other in (pair.split(), pair.split()[::-1])
}
"""Opposites of states."""
_UNFIT = frozenset("can may should must will need needs require requires allow no not non".split())
"""Words of fields that say what could be, or deny."""
_MOST = 200
"""Fields of one name that are looked at."""
_MOST_WORDS = 4_000
_LONGEST_STATE = 30
_LONGEST_VALUE = 400


@dataclass(frozen=True, slots=True)
class Flag:
    """
    One field that says yes or no.

    Attributes:
        piece: The place of its piece.
        steps: The way to it.
        shown: Its value, as it stands.
        keys: The stems that speak of it.
        so: Whether that of which they speak is so.
        noun: Whether it is something that one has.
    """

    piece: int
    steps: Steps
    shown: str
    keys: frozenset[str]
    so: bool
    noun: bool

    @property
    def field(self) -> str:
        """The name under which it stands."""
        return next((step for step in reversed(self.steps) if type(step) is str), "")

    @property
    def record(self) -> tuple[int, Steps]:
        """The record in which it stands: the object that holds it."""
        return self.piece, self.steps[:-1]


class Flags:
    """The fields of some evidence that say yes or no, found by the words of their names."""

    def __init__(self, evidence: Evidence) -> None:
        self._pieces = evidence.pieces
        self._found: dict[str, list[Flag]] = defaultdict(list)
        self._words: dict[tuple[int, Steps], frozenset[str]] = {}
        for place in _fresh(evidence):
            for leaf in walked(self._pieces[place].value):
                for flag in _flags(place, leaf):
                    held = self._found[min(flag.keys)]
                    if len(held) <= _MOST:
                        held.append(flag)

    def __bool__(self) -> bool:
        return bool(self._found)

    def against(
        self, claim: str, places: Sequence[Place], *, above: Callable[[], Sequence[Place]]
    ) -> Flag | None:
        """
        Give the field that says the opposite of a claim; None where there is none, or any agrees.

        Args:
            claim: The claim.
            places: The records that it names; where it names none, there has to be only one.
            above: Asked for the records that stand over it, one of which a label has to have.
        """
        told = [one for clause in clauses(claim) for one in self._said(clause)]
        label = labelled(claim)
        if label and not told:
            told = [*self._labelled(label)]
            places = above() if told else ()
        words = frozenset(word.key for word in words_of(claim))
        told = [one for one in told if _is_meant(one[0], words, places)]
        if places or label or len({flag.record for flag, _ in told}) > 1:
            told = [one for one in told if any(_within(place, one[0]) for place in places)]
        wrong = [flag for flag, so in told if flag.so != so]
        return wrong[0] if wrong and len(wrong) == len(told) else None

    def span(self, flag: Flag) -> Span | None:
        """Give the line of evidence on which a field stands."""
        piece, where = self._pieces[flag.piece], pointer(flag.steps)
        lines = ((start, end) for start, end, way in piece.lines if way == where)
        start, end = next(lines, (0, 0))
        return Span(piece.id, start, end, piece.text[start:end], where) if end else None

    def _labelled(self, label: tuple[frozenset[str], bool]) -> Iterator[tuple[Flag, bool]]:
        keys, so = label
        for flag in self._known(keys):
            if flag.keys == keys:
                yield flag, so

    def _said(self, clause: tuple[Word, ...]) -> Iterator[tuple[Flag, bool]]:
        """The fields of which a clause speaks, each with what it says."""
        read: dict[tuple[frozenset[str], bool], Said | None] = {}
        for flag in self._known({key for word in clause for key in (word.key, word.bare)}):
            form = flag.keys, flag.noun
            if form not in read:
                read[form] = said_of(clause, flag.keys, noun=flag.noun)
            said = read[form]
            if said is not None and self._is_about(flag, said):
                yield flag, said.so

    def _known(self, keys: Iterable[str]) -> Iterator[Flag]:
        """The fields whose names have one of these stems; none of a name that too many have."""
        for key in sorted(keys):
            held = self._found.get(key, ())
            if len(held) <= _MOST:
                yield from held

    def _is_about(self, flag: Flag, said: Said) -> bool:
        """Whether a record has all words of what is spoken of, but for a kind before its id."""
        words = self._words_of(flag)
        ids = [word.text.isalpha() is False for word in said.about]
        return all(
            word.key in words or any(ids[n + 1 : n + 3]) for n, word in enumerate(said.about)
        )

    def _words_of(self, flag: Flag) -> frozenset[str]:
        found = self._words.get(flag.record)
        if found is None:
            piece = self._pieces[flag.piece]
            found = frozenset(islice(_record_words(piece, flag.steps), _MOST_WORDS))
            self._words[flag.record] = found
        return found


def told(flag: Flag) -> str:
    """Give in one line what a field says."""
    return f"the evidence has {shown(flag.shown)} under `{flag.field[:60]}`"


def _fresh(evidence: Evidence) -> list[int]:
    """The results that nothing has changed since: the newest alone, where something was done."""
    results = [
        n
        for n, piece in enumerate(evidence.pieces)
        if piece.source is Source.TOOL_RESULT and isinstance(piece.value, (dict, list))
    ]
    if evidence.deeds is None:
        done = any(evidence.pieces[n].name for n in results)
    else:
        done = any(not deed.reads for deed in evidence.deeds)
    return results[-1:] if done else results


def _flags(place: int, leaf: Leaf) -> Iterator[Flag]:
    """What a field says, in its own words and, of a state, in those of its opposite."""
    names = split(leaf.field)
    if leaf.named or not leaf.steps or type(leaf.steps[-1]) is not str or _UNFIT & {*names}:
        return
    so = _so(leaf.value)
    if so is not None:
        keys = _keys(names)
        if keys:
            text = str(leaf.value).casefold()
            yield Flag(place, leaf.steps, text, keys, so, is_noun(names[-1]))
    elif isinstance(leaf.value, str) and len(leaf.value) <= _LONGEST_STATE:
        yield from _state(place, leaf, names)


def _so(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return _YES.get(value.strip().casefold()) if isinstance(value, str) else None


def _state(place: int, leaf: Leaf, names: list[str]) -> Iterator[Flag]:
    said = split(str(leaf.value))
    if _STATES.isdisjoint(names) or not said or not "".join(said).isalpha() or _UNFIT & {*said}:
        return
    of = frozenset(_keys([name for name in names if name not in _STATES]))
    if keys := _keys(said):
        yield Flag(place, leaf.steps, str(leaf.value), keys | of, True, False)
    for other in _opposites(said):
        yield Flag(place, leaf.steps, str(leaf.value), of | {other}, False, False)


def _opposites(said: list[str]) -> frozenset[str]:
    """The stems of what a state of one word is not."""
    key = stem(said[0])
    if len(said) > 1:
        return frozenset()
    return OPPOSITES.get(key, frozenset()) | ({_ALSO[key]} if key in _ALSO else frozenset())


def _keys(names: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(name) for name in names if name not in STOP)


def _record_words(piece: Passage, steps: Steps) -> Iterator[str]:
    """The stems of all that a record, the names on the way to it and its call say."""
    for name in (piece.name, *(str(step) for step in steps[:-1])):
        yield from map(stem, split(name))
    for leaf in walked(piece.arguments):
        yield from _stems(leaf)
    inner: Any = piece.value
    for step in steps[:-1]:
        inner = inner[step]
    for leaf in walked(inner):
        yield from _stems(leaf)


def _stems(leaf: Leaf) -> Iterator[str]:
    yield from map(stem, split(leaf.field))
    yield from (word.key for word in words_of(str(leaf.value)[:_LONGEST_VALUE]))


def _is_meant(flag: Flag, said: frozenset[str], places: Sequence[Place]) -> bool:
    """Whether a claim speaks of the object that holds a field, or has a key beside it."""
    above = flag.steps[-2:-1]
    if not above or isinstance(above[0], (int, Row)) or _keys(split(above[0])) <= said:
        return True
    return any((place.piece, place.steps[:-1]) == flag.record for place in places)


def _within(place: Place, flag: Flag) -> bool:
    """Whether a field belongs to the record of a key."""
    return place.piece == flag.piece and not is_foreign(place.steps, flag.steps)
