"""Names in the records of some evidence, whole or without their first words."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from abs_shield.answer.evidence.evidence_value import LONGEST_NAME, KeyPlace
from abs_shield.text.mentions import FUNCTION_WORDS
from abs_shield.text.normal_form import normal, words


class RecordNames:
    """
    The names in the records of some evidence, in normal form.

    Attributes:
        places: The places of each name.
    """

    def __init__(self) -> None:
        self.places: dict[str, list[KeyPlace]] = defaultdict(list)

    def add(self, text: str, place: KeyPlace) -> None:
        """Add a text of a result that may be a name."""
        # an address is an id, and its first word would make a given name ambiguous
        if len(text) <= LONGEST_NAME and "@" not in text and any(map(str.isalpha, text)):
            parts = words(normal(text))
            if 1 <= len(parts) <= 6:  # as many words as `RecordScope` looks up
                self.places[" ".join(parts)].append(place)

    @cached_property
    def first_words(self) -> dict[str, str]:
        """The first word of each name, to the name; to "" if several names begin with it."""
        names: dict[str, str] = {}
        for name in self.places:
            first = name.partition(" ")[0]
            names[first] = "" if first in names or first in FUNCTION_WORDS else name
        return names

    @cached_property
    def shortened_names(self) -> dict[str, str]:
        """Each name without its first word, to the name; to "" if several names end so."""
        names: dict[str, str] = {}
        for name in self.places:
            rest = name.partition(" ")[2]
            if " " in rest:  # one word may be any word of the answer
                names[rest] = "" if rest in names or rest in self.places else name
        return names

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The words with which a name or a shortened name begins."""
        return frozenset(name.partition(" ")[0] for name in (*self.places, *self.shortened_names))
