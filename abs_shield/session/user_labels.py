"""Words with which users label the values in their texts: ``order 1042``, "username ann7"."""

from __future__ import annotations

from itertools import islice

from abs_shield.session.word_lookup import plain
from abs_shield.text.labelled_values import assigned_names, labelled_codes

_LONGEST_TEXT = 16 * 1024  # characters of a message that are searched for labelled values
_NEAR = 4_000  # newest values that are searched; all values of a run would take seconds
_SECRETS = frozenset("password passcode passphrase token secret".split())
"""A value labelled as one of these is checked closely for a parameter of another kind."""


class UserLabels:
    """
    A bounded table of the label words of values in users' texts.

    Args:
        most: Labelled values after which no further text is read.
    """

    __slots__ = ("_most", "_names", "_nouns", "words")

    def __init__(self, most: int) -> None:
        self._most = most
        self.words: dict[str, frozenset[str]] = {}
        self._nouns: frozenset[str] = frozenset()
        self._names: dict[str, None] = {}

    def __bool__(self) -> bool:
        """Return whether a user labelled or named a value."""
        return bool(self.words or self._names)

    @property
    def names(self) -> list[str]:
        """Values that a user introduced as a name: "call it guide_1.md"."""
        return [*self._names]

    def add(self, normalised: str) -> None:
        """Read the labels in a normalised text of a user."""
        if len(self.words) >= self._most:
            return
        for value, words in labelled_codes(normalised[:_LONGEST_TEXT]):
            existing = self.words.get(value)
            self.words[value] = words if existing is None else existing | words
            self._nouns |= words
        self._names.update(dict.fromkeys(assigned_names(normalised[:_LONGEST_TEXT])))

    def is_labelled_otherwise(self, value: str, kind_words: frozenset[str]) -> bool:
        """
        Return whether the user labelled *value* as another kind, and another value as the asked
        one.
        """
        words = self.words.get(value)
        return (
            words is not None
            and words.isdisjoint(kind_words)
            and not self._nouns.isdisjoint(kind_words)
        )

    def fits(self, value: str, kind_words: frozenset[str]) -> bool:
        """Return whether the user labelled *value* as the kind asked for, or not at all."""
        words = self.words.get(value)
        if words is None or not words.isdisjoint(kind_words):
            return True
        return self._nouns.isdisjoint(kind_words) and words.isdisjoint(_SECRETS)

    def is_called_one_of(self, value: str, kinds: frozenset[str]) -> bool:
        """
        Return whether the user labelled *value*, as it is written, as one of *kinds* or as a
        secret.
        """
        words = self.words.get(value, frozenset())
        return not (words.isdisjoint(kinds) and words.isdisjoint(_SECRETS))

    def of(self, value: str) -> frozenset[str]:
        """Return the label words that precede *value* in the user's texts."""
        return self.words.get(plain(value), frozenset())

    def find(self, words: frozenset[str], *, most: int) -> list[str]:
        """Return values that all of *words* precede in the user's texts."""
        newest = islice([*self.words.items()][::-1], _NEAR)
        return [*islice((value for value, labels in newest if words <= labels), most)]
