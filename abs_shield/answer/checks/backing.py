"""The calls that stand behind what an answer says was done."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from abs_shield.answer.checks.action_kin import Kin
from abs_shield.answer.checks.action_verbs import BOOKED, infinitive
from abs_shield.answer.checks.actions import Said
from abs_shield.answer.checks.named_ids import Named, stands_at
from abs_shield.answer.evidence.records import walked
from abs_shield.answer.evidence.types import Evidence, ExecutedAction, Source
from abs_shield.plan.verbs import Does, deed
from abs_shield.text.leaves import leaves, scalar_text
from abs_shield.text.values.figure import ID, SUMS
from abs_shield.text.values.ids import id_key
from abs_shield.text.values.reader import figures

_MOST_WORDS, _MOST_STRANGERS = 400, 20
_LONGEST_ID, _LONGEST_TEXT = 64, 1_000
_WORD = re.compile(r"[a-z]{3,20}")
_BY_ITSELF = re.compile(
    r"\b(?:will|automatically|always)\b[^.\n]{0,60}\b(?:e-?mail|notification|message|sms)s?\b",
    re.IGNORECASE,
)
"""What instructions say of letters that no call sends."""


class Backing:
    """The calls of some evidence that did something, and the words that its results say."""

    def __init__(self, evidence: Evidence) -> None:
        self._deeds = [_Done(one) for one in evidence.deeds or () if not one.reads]
        self._failed = [_Done(one) for one in evidence.failed if not one.reads]
        self._ids = {key for done in (*self._deeds, *self._failed) for key in done.ids}
        results = (p.text for p in evidence if p.source is Source.TOOL_RESULT)
        words = {word for text in results for word in _WORD.findall(text.casefold())}
        self._told = {verb for verb in map(infinitive, words) if verb} | (words & BOOKED)
        self._words = words
        others = (p.text for p in evidence if p.source is Source.SYSTEM)
        self._writes_itself = any(_BY_ITSELF.search(text) for text in others)
        self._evidence = evidence
        self._states: dict[str, bool] = {}

    def behind(self, said: Said, ids: Named) -> bool:
        """
        Whether a call stands behind what is said to be done, or a result says so itself.

        Args:
            said: The deed.
            ids: What the claim names.
        """
        if said.passive and said.verb in self._told:
            return True
        if said.loose:
            return bool(self._deeds) or not (self._evidence.deeds or self._failed)
        if said.state:
            if said.verb not in self._states:
                self._states[said.verb] = self._tells(said.verb)
            if self._states[said.verb]:
                return True
        able = [done for done in self._deeds if done.kin.could(said.verb)]
        if said.verb == "send" and (said.passive or self._writes_itself):
            able = self._deeds
        if any(one.failed_at(said.verb, ids.all) for one in self._failed):
            able = [done for done in able if done.kin.close(said.verb)]
        if not able:
            return False
        named = self._ids & ids.all
        if not all(done.ids for done in able):
            return True
        if named:
            return any(done.ids & named for done in able) and not self._more(said, ids, able)
        if deed(said.verb).does is Does.MAKE and not all(done.told for done in able):
            return True  # what was made may be called after what nobody has read
        return not self._others(ids.all, able)

    def _tells(self, verb: str) -> bool:
        """Whether anything seen may be told as such a state: of a refund, ``refund: 40``."""
        if self._evidence.blind:
            return True
        stem = verb.rstrip("e")
        if any(word.startswith(stem) and not word.endswith("able") for word in self._words):
            return True
        others = (piece.text for piece in self._evidence if piece.source is not Source.TOOL_RESULT)
        return any(
            infinitive(word) == verb for text in others for word in _WORD.findall(text.casefold())
        )

    def _more(self, said: Said, ids: Named, able: list[_Done]) -> bool:
        """Whether a list names an id that no call had, beside one that a call had."""
        reached = _reached(able)
        return any(
            some.ids & reached and self._others(some.ids - reached, able)
            for some in ids.lists
            if stands_at(some, said.start, said.end, ids.text, before=said.passive)
        )

    def _others(self, ids: Iterable[str], able: list[_Done]) -> bool:
        """Whether ids are of the kind of those that every call names, and in none of the calls."""
        reached = _reached(able)
        strangers = [key for key in ids if key not in reached and _is_code(key)]
        return any(
            all(
                any(self._alike(key, own) for own in done.shaped.get(_shape(key), ()))
                for done in able
            )
            for key in strangers[:_MOST_STRANGERS]
        )

    def _alike(self, one: str, other: str) -> bool:
        """Whether no field says that two ids name different things."""
        fields: _Fields = self._evidence.derived(_Fields)
        a, b = fields.of.get(one), fields.of.get(other)
        return not (a and b) or not a.isdisjoint(b)


def _reached(able: Iterable[_Done]) -> set[str]:
    return {key for done in able for key in (*done.ids, *done.given)}


def _is_code(key: str) -> bool:
    return any(map(str.isdigit, key)) and any(map(str.isalpha, key)) and "@" not in key


def _shape(key: str) -> str:
    return "".join("9" if one.isdigit() else "a" if one.isalpha() else one for one in key)


class _Fields:
    """The names of the fields under which results and calls have ids."""

    def __init__(self, evidence: Evidence) -> None:
        self.of: dict[str, set[str]] = defaultdict(set)
        values = (value for piece in evidence for value in (piece.value, piece.arguments))
        calls = (deed.arguments for deed in (*(evidence.deeds or ()), *evidence.failed))
        for value in (*values, *calls):
            for leaf in walked(value) if isinstance(value, (dict, list)) else ():
                text = leaf.value
                if isinstance(text, str) and len(text) <= _LONGEST_ID and _is_code(text):
                    self.of[id_key(text)].add(leaf.field)


class _Done:
    """A call that did something, or failed to."""

    def __init__(self, done: ExecutedAction) -> None:
        self.kin = Kin(done.tool, done.arguments)
        self.ids = frozenset(_ids(done.arguments))
        self.given = frozenset(_ids(done.value))
        self.shaped: dict[str, list[str]] = defaultdict(list)
        for key in filter(_is_code, self.ids):
            self.shaped[_shape(key)].append(key)
        self.told = done.value is not None

    def failed_at(self, verb: str, ids: frozenset[str]) -> bool:
        """Whether its failure is that of a deed with these ids."""
        return self.kin.same(verb) and (not ids or not self.ids or not ids.isdisjoint(self.ids))


def _ids(value: Any) -> Iterator[str]:
    for _, leaf in leaves(value, most=_MOST_WORDS):
        for one in figures((scalar_text(leaf) or "")[:_LONGEST_TEXT]):
            if (one.kind == ID and not one.soft) or (one.kind in SUMS and len(one.text) > 3):
                yield id_key(one.text)
