"""Whether a statement speaks of anything that the context speaks of."""

from __future__ import annotations

from abs_shield.answer.evidence.sentence_index import Index
from abs_shield.text.mentions import Kind, mentions
from abs_shield.text.normal import normal, words
from abs_shield.text.stem import stem
from abs_shield.text.tokens import keys_of

_ENTITIES = frozenset({Kind.NAME, Kind.ID, Kind.EMAIL, Kind.URL, Kind.PATH})
_POINTING = frozenset(
    "it its they them their theirs he him his she her hers this that these those both such "
    "er sie es ihr sein dieser diese dieses il elle ils elles ce cette ello ella esto este".split()
)
"""Words that speak of what was spoken of before."""
_EVERYDAY = frozenset(
    map(
        stem,
        "located situated built build made make found find know called name use includes contain "
        "consist offers provides give take get go come see say tell need want work start begin "
        "end open close large big small new old long high low good best well first last next one "
        "two three year day time way thing people place number part world today now".split(),
    )
)
"""Stems that two texts share without sharing what they speak of."""


def shares_entity(statement: str, context: Index) -> bool:
    """Whether a name, an id or an address of the statement stands in the context."""
    for mention in mentions(statement):
        if mention.kind in _ENTITIES and any(
            key in context.postings for key in keys_of(mention.text)
        ):
            return True
    return False


def shares_subject(statement: str, context: Index) -> bool:
    """Whether any word of the statement that says what it is about stands in the context."""
    said = [key for key in keys_of(statement) if key not in _EVERYDAY]
    return any(key in context.postings for key in said if not key.isdigit())


def points_back(statement: str) -> bool:
    """Whether its first word speaks of something said before: ``It is 330 meters tall``."""
    return bool(_POINTING.intersection(words(normal(statement[:40]))[:1]))
