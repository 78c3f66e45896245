"""Check of claims against the fields of results with a yes, a no or a state."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.answer.checks.plain_statements import (
    PlainStatement,
    Word,
    clauses,
    is_noun,
    is_universal,
    statement_of,
    words_of,
)
from abs_shield.answer.claim_types import Span
from abs_shield.answer.evidence.evidence_passages import Evidence, PassageSource
from abs_shield.text.identifier_words import split_words
from abs_shield.text.json_leaves import Path, leaves, pointer, scalar_text, value_at
from abs_shield.text.polarity import OPPOSITES
from abs_shield.text.safe_display import shown
from abs_shield.text.stem import stem
from abs_shield.text.tokens import STOP
from abs_shield.text.verbs import infinitive

_YES = {"yes": True, "true": True, "no": False, "false": False}
_STATE_NAMES = frozenset("status state stage phase".split())
_NOT_YET = "completed complete finished done delivered arrived resolved settled succeeded"
_EXCLUDED = {
    # one-sided: "pending" excludes "completed", and what is completed may have been pending
    name: frozenset(map(stem, states.split()))
    for names, states in (
        (
            "pending queued scheduled processing running waiting awaiting progress requested "
            "submitted planned started draft ongoing transit shipped dispatched",
            _NOT_YET,
        ),
        # an application under review is complete
        ("review hold held", "delivered arrived resolved settled succeeded"),
        (
            "failed rejected declined denied refused returned aborted error undeliverable",
            f"{_NOT_YET} approved accepted granted passed successful",
        ),
        ("approved accepted granted", "rejected declined denied refused"),
        ("confirmed active booked", "cancelled canceled"),
        ("completed delivered finished succeeded successful resolved", "failed pending cancelled"),
        ("locked", "unlocked"), ("unlocked", "locked"), ("online", "offline"),
        ("offline", "online"),
    )
    for name in names.split()
}  # fmt: skip
"""For each word of a state the stems of the states that it excludes."""
_OTHER_STATES = frozenset("ok success new open ready live valid current inactive".split())
"""Further states that are read: none of them stands for a completed action."""
_AHEAD = frozenset("pending awaiting waiting needs requires".split())
# "signature" to "signed", "approval" to "approved"; the longest ending first
_NOUN_ENDINGS = ("ature", "al", "ment", "ation", "ion", "y", "")
_UNFIT = frozenset("can may should must will need needs require requires allow no not non".split())
"""Words of fields about possibilities, or with a negation."""
_MOMENTS = frozenset("at on date time".split())
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
# more records than that: a claim about one of them cannot be told from one about another
_MOST_FLAGS = 200
"""Fields of one name that are read."""
_MOST_WORDS = 4_000  # words of a long conversation, or of a record with long texts
# a state has one or two words; a value beside it is matched by its first words
_LONGEST_STATE, _LONGEST_VALUE = 30, 400


def has_unread_state(evidence: Evidence) -> bool:
    """Return whether a result has a state in a word that is not known: ``CXL``, "storniert"."""
    return any(
        isinstance(leaf, str)
        and not _STATE_NAMES.isdisjoint(split_words(str(path[-1]))[-1:] if path else ())
        and not any(map(_is_state, leaf.casefold().split()))
        for piece in evidence
        if piece.source is PassageSource.TOOL_RESULT
        for path, leaf in leaves(piece.value, most=_MOST_WORDS)
    )


def _is_state(word: str) -> bool:
    return bool(infinitive(word)) or word in _EXCLUDED or word in _OTHER_STATES


@dataclass(frozen=True, slots=True)
class Flag:
    """
    One field that asserts or denies a property.

    Attributes:
        passage: The place of its passage.
        path: Its path.
        value: Its value, as it is written.
        keys: The stems that name the property.
        is_so: True if it asserts the property.
        is_noun: Whether the property is a noun.
        is_moment: Whether it only has the time of an event, which may be in the future.
    """

    passage: int
    path: Path
    value: str
    keys: frozenset[str]
    is_so: bool
    is_noun: bool = False
    is_moment: bool = False

    @property
    def record(self) -> tuple[int, Path]:
        """The object that contains it."""
        return self.passage, self.path[:-1]

    @property
    def siblings(self) -> tuple[int, Path]:
        """Its path without list indices: the same for this field of all records."""
        return self.passage, tuple(step for step in self.path if isinstance(step, str))

    @property
    def conflict(self) -> str:
        """The field's value, as a one-line message."""
        return f"the evidence has {shown(self.value)} under `{str(self.path[-1])[:60]}`"


class Flags:
    """The fields of some evidence that assert or deny a property, by the words of their names."""

    def __init__(self, evidence: Evidence) -> None:
        self._passages = evidence.pieces
        self._flags: dict[str, list[Flag]] = defaultdict(list)
        self._words: dict[tuple[int, Path], frozenset[str]] = {}
        users = (one.text for one in evidence if one.source is PassageSource.USER)
        texts = islice((word.key for text in users for word in words_of(text)), _MOST_WORDS)
        self._user_words = frozenset(texts)
        for place in _current(evidence):
            for path, leaf in leaves(self._passages[place].value):
                for flag in _flags(place, path, leaf):
                    some = self._flags[min(flag.keys)]
                    # one more than the bound marks the name as too frequent, see `_statements`
                    if len(some) <= _MOST_FLAGS:
                        some.append(flag)

    def find_conflict(self, claim: str) -> Flag | None:
        """Return a field that contradicts a claim, if no other field agrees; else None."""
        if not self._flags:
            return None
        stated = [one for clause in clauses(claim) for one in self._statements(clause, claim)]
        words = frozenset(word.key for word in words_of(claim))
        stated = [one for one in stated if self._is_meant(one[0], words)]
        # a time alone says that something happened, and not that it is still so
        wrong = [flag for flag, is_so in stated if flag.is_so != is_so and not flag.is_moment]
        if is_universal(claim):  # "all rooms are heated" needs the same field of several records
            alike = {flag.siblings for flag, _ in stated}
            return wrong[0] if wrong and len(stated) > 1 and len(alike) == 1 else None
        stated = self._select_flags(stated, words)
        wrong = [flag for flag, is_so in stated if flag.is_so != is_so and not flag.is_moment]
        # a single field that agrees is enough: it may be the one that is meant
        return wrong[0] if wrong and len(wrong) == len(stated) else None

    def span(self, flag: Flag) -> Span | None:
        """Return the line of the evidence with a field."""
        passage, where = self._passages[flag.passage], pointer(flag.path)
        lines = ((start, end) for start, end, way in passage.lines if way == where)
        start, end = next(lines, (0, 0))
        return Span(passage.id, start, end, passage.text[start:end], where) if end else None

    def _statements(self, clause: tuple[Word, ...], claim: str) -> Iterator[tuple[Flag, bool]]:
        """Yield the fields that a clause is about, each with the clause's statement."""
        read: dict[tuple[frozenset[str], bool], PlainStatement | None] = {}
        for key in sorted({key for word in clause for key in (word.key, word.bare)}):
            flags = self._flags.get(key, ())
            for flag in flags if len(flags) <= _MOST_FLAGS else ():
                form = flag.keys, flag.is_noun
                if form not in read:
                    read[form] = statement_of(clause, flag.keys, noun=flag.is_noun)
                stated = read[form]
                if stated is not None and self._is_about(flag, stated, claim):
                    yield flag, stated.is_so

    def _is_about(self, flag: Flag, stated: PlainStatement, claim: str) -> bool:
        """Return whether a record has all words of a statement, apart from a noun before its id."""
        words = self._words_of(flag)
        words = words | self._user_words if is_universal(claim) else words
        ids = [not word.text.isalpha() for word in stated.about]
        # "booking B-10": the noun may be in no record, the id is
        return all(
            word.key in words or any(ids[n + 1 : n + 3]) for n, word in enumerate(stated.about)
        )

    def _is_meant(self, flag: Flag, words: frozenset[str]) -> bool:
        """Return whether a claim names the object that contains a field, or a value beside it."""
        above = flag.path[-2:-1]
        if not above or isinstance(above[0], int) or _keys(split_words(above[0])) <= words:
            return True
        beside = value_at(self._passages[flag.passage].value, flag.path[:-1])
        values = beside.values() if isinstance(beside, Mapping) else ()
        return any(_names(words, value) for value in values)

    def _select_flags(
        self, stated: list[tuple[Flag, bool]], words: frozenset[str]
    ) -> list[tuple[Flag, bool]]:
        """Return the fields of the records that a claim singles out by their own words."""
        records = {flag.record: self._words_of(flag) for flag, _ in stated}
        if len(records) < 2:
            return stated
        common = frozenset.intersection(*records.values())
        telling = words & frozenset.union(*records.values()) - common
        return [one for one in stated if telling <= records[one[0].record]]

    def _words_of(self, flag: Flag) -> frozenset[str]:
        place, path = flag.record
        last = max((n for n, step in enumerate(path) if isinstance(step, int)), default=-1)
        entity = place, path[: last + 1]
        if entity not in self._words:
            words = islice(self._record_words(flag, entity[1]), _MOST_WORDS)
            self._words[entity] = frozenset(words)
        return self._words[entity]

    def _record_words(self, flag: Flag, path: Path) -> Iterator[str]:
        """Yield the stems of a record, of the names on its path and of its call."""
        passage = self._passages[flag.passage]
        for name in (passage.name, *(str(step) for step in path)):
            yield from map(stem, split_words(name))
        for value in (value_at(passage.value, path), passage.arguments):
            for way, leaf in leaves(value, most=_MOST_WORDS):
                for step in way:
                    yield from map(stem, split_words(step)) if isinstance(step, str) else ()
                yield from (word.key for word in words_of(str(leaf)[:_LONGEST_VALUE]))


def _current(evidence: Evidence) -> list[int]:
    """Return the places of the results that are current: in a run with actions only the newest."""
    results = [
        n for n, one in enumerate(evidence.pieces) if one.source is PassageSource.TOOL_RESULT
    ]
    if evidence.executed is None:
        has_acted = any(evidence.pieces[n].name for n in results)
    else:
        has_acted = any(not one.reads for one in evidence.executed)
    # earlier results may have been changed by an action since
    current = results[-1:] if has_acted else results
    return [n for n in current if isinstance(evidence.pieces[n].value, (dict, list))]


def _flags(place: int, path: Path, leaf: Any) -> Iterator[Flag]:
    """Yield the properties that a field asserts, and those that its state excludes."""
    name = path[-1] if path else 0
    names = split_words(name) if isinstance(name, str) else []
    if not names or _UNFIT & {*names}:  # `needs_approval: false` says nothing of an approval
        return
    is_so = leaf if isinstance(leaf, bool) else None
    if isinstance(leaf, str):
        is_so = _YES.get(leaf.strip().casefold())
    if is_so is not None and (keys := _keys(names)):
        yield Flag(place, path, str(leaf).casefold(), keys, is_so, is_noun(names[-1]))
    elif names[-1] in _MOMENTS and len(names) > 1 and infinitive(names[-2]):
        happened = isinstance(leaf, str) and _ISO.match(leaf) is not None
        if happened or leaf is None:
            keys = _keys(names[:-1])
            yield Flag(
                place, path, "null" if leaf is None else leaf, keys, happened, False, happened
            )
    elif isinstance(leaf, str) and len(leaf) <= _LONGEST_STATE:
        yield from _state(place, path, leaf, names)


def _state(place: int, path: Path, state: str, names: list[str]) -> Iterator[Flag]:
    words = split_words(state)
    if _STATE_NAMES.isdisjoint(names) or not "".join(words).isalpha() or _UNFIT & {*words}:
        return
    of = _keys(name for name in names if name not in _STATE_NAMES)
    if keys := _keys(words):
        yield Flag(place, path, state, keys | of, True)
    for other in _exclude_states(words):
        yield Flag(place, path, state, of | {other}, False)


def _exclude_states(words: list[str]) -> frozenset[str]:
    """
    Return the stems of the states that a state excludes.

    >>> sorted(_exclude_states(["pending", "signature"]) & {"sign", "complet", "reject"})
    ['complet', 'sign']
    """
    stems = frozenset[str]().union(*(_EXCLUDED.get(word, frozenset()) for word in words))
    if len(words) == 1:
        stems |= OPPOSITES.get(stem(words[0]), frozenset())
    if words[0] in _AHEAD and len(words) > 1:
        stems |= {stem(f"{words[-1].removesuffix(end)}ed") for end in _NOUN_ENDINGS}
    return stems - _keys(words)


def _keys(names: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(name) for name in names if name not in STOP)


def _names(words: frozenset[str], value: Any) -> bool:
    """Return whether a claim has all words of an id or a name."""
    text = scalar_text(value) if isinstance(value, str) else None
    keys = {word.key for word in words_of(text[:_LONGEST_VALUE])} if text else set()
    return bool(keys) and keys <= words
