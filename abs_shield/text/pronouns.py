"""Sentences that begin with a pronoun and therefore refer to the sentence before."""

from __future__ import annotations

from abs_shield.text.normal import normal, words

_PRONOUNS = frozenset(
    "it its they them their theirs he him his she her hers this that these those both such "
    "er sie es ihr sein dieser diese dieses il elle ils elles ce cette ello ella esto este".split()
)
_FIRST = 40
"""Characters that are searched for the first word; a pronoun has fewer than ten."""


def starts_with_pronoun(sentence: str) -> bool:
    """
    Return whether a sentence begins with a pronoun.

    >>> starts_with_pronoun("It is 330 meters tall."), starts_with_pronoun("The tower is tall.")
    (True, False)
    """
    return bool(_PRONOUNS.intersection(words(normal(sentence[:_FIRST]))[:1]))
