"""The calls that stand behind what an answer says was done."""

from __future__ import annotations

import re

from abs_shield.answer.deeds import Said, infinitive
from abs_shield.answer.evidence import Deed, Evidence, Source
from abs_shield.answer.figure import ID, SUMS
from abs_shield.answer.figures import figures
from abs_shield.answer.read_ids import id_key
from abs_shield.plan.verbs import Does, commanded, deed
from abs_shield.text.leaves import leaves, scalar_text
from abs_shield.text.names import name_words
from abs_shield.text.synonyms import canonical

_MOST_WORDS = 400
_WORD = re.compile(r"[a-z]{3,20}")


def ids_of(text: str) -> frozenset[str]:
    """Give the ids that a text names, in the form in which they are compared."""
    return frozenset(id_key(one.text) for one in figures(text) if one.kind == ID and not one.soft)


class Backing:
    """The calls of some evidence that did something, and the words that its results say."""

    def __init__(self, evidence: Evidence) -> None:
        self._deeds = [_Done(one) for one in evidence.deeds or () if not one.reads]
        results = (p.text for p in evidence if p.source is Source.TOOL_RESULT)
        words = {word for text in results for word in _WORD.findall(text.casefold())}
        self._told = {verb for verb in map(infinitive, words) if verb}

    def behind(self, said: Said, ids: frozenset[str]) -> bool:
        """
        Whether a call stands behind what is said to be done, or a result says so itself.

        Args:
            said: The deed.
            ids: What the claim names, as `ids_of` gives it.
        """
        if said.passive and said.verb in self._told:
            return True
        able = [done for done in self._deeds if done.could(said.verb)]
        named = {key for done in self._deeds for key in done.ids} & ids
        if not named:
            return bool(able)
        return any(done.ids & named for done in able) or (
            not any(done.ids for done in able) and bool(able)
        )


class _Done:
    """A call that did something."""

    def __init__(self, done: Deed) -> None:
        arguments = done.arguments if isinstance(done.arguments, dict) else {}
        told = commanded(arguments) or deed(done.tool)
        self._does = told.does
        self._known = bool(told.verb)
        self._verbs = {canonical(word) for word in (told.verb, *name_words(done.tool))}
        texts = (scalar_text(leaf) for _, leaf in leaves(done.arguments, most=_MOST_WORDS))
        self.ids = {
            id_key(one.text)
            for text in texts
            if text and len(text) <= 200
            for one in figures(text)
            if (one.kind == ID and not one.soft) or (one.kind in SUMS and len(one.text) > 3)
        }

    def could(self, verb: str) -> bool:
        """Whether this call can be what the verb speaks of."""
        if not self._known or canonical(verb) in self._verbs:
            return True
        does = deed(verb).does
        return (
            does is self._does
            or Does.ACT in (does, self._does)
            or Does.CHANGE in (does, self._does)
        )
