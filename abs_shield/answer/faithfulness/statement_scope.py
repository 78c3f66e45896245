"""Scope of statements: whether they refer to the context."""

from __future__ import annotations

from abs_shield.answer.evidence.sentence_index import SentenceIndex
from abs_shield.text.mentions import MentionKind, mentions
from abs_shield.text.sentences import starts_with_pronoun
from abs_shield.text.stem import stem
from abs_shield.text.tokens import keys_of

_NAMES = frozenset(
    {MentionKind.NAME, MentionKind.ID, MentionKind.EMAIL, MentionKind.URL, MentionKind.PATH}
)
_COMMON = frozenset(
    map(
        stem,
        "located situated built build made make found find know called name use includes contain "
        "consist offers provides give take get go come see say tell need want work start begin "
        "end open close large big small new old long low high good best well first last next one "
        "two three year day time way thing people place number part world today now".split(),
    )
)
"""Stems that occur in texts about any subject."""


def subject_of(statement: str) -> list[str]:
    """Return the stems of the words that name a statement's subject."""
    return [key for key in keys_of(statement) if key not in _COMMON]


def shares_name(statement: str, context: SentenceIndex) -> bool:
    """Return whether a name, an id or an address of a statement occurs in the context."""
    return any(key in context.postings for key in _names(statement))


def is_out_of_scope(statement: str, context: SentenceIndex) -> bool:
    """
    Return whether a statement has a subject of its own, and shares nothing with the context.

    Its subject is a name or its first noun. A statement without one is about the subject of the
    text: otherwise unsupported answers of a dialogue would pass.
    """
    # a pronoun refers to the subject of the text
    if starts_with_pronoun(statement) or not _names(statement):
        return False
    return not any(key in context.postings for key in subject_of(statement))


def _names(statement: str) -> list[str]:
    texts = (one.text for one in mentions(statement) if one.kind in _NAMES)
    return [key for text in texts for key in keys_of(text)]
