"""The object of a claimed action, compared with the words of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abs_shield.text.stem import stem
from abs_shield.text.tokens import HEDGES, STOP, is_small
from abs_shield.text.verbs import VERB_EFFECTS, VerbEffect, infinitive

_VAGUE = frozenset(
    map(
        stem,
        "detail information info data request change everything thing item system step task action "
        "new old following above".split(),
    )
)
_BROAD = frozenset(
    map(
        stem,
        "account profile record setting preference status order booking reservation case file "
        "document entry list plan customer user issue ticket problem package parcel "
        "shipment".split(),
    )
)
"""Objects that have parts, so that any change may be one of theirs: "I've updated your profile"."""
_NO_EFFECT = frozenset("process complete trigger execute run handle finalize finalise".split())
"""Verbs that do not say what is done."""
_PRONOUNS = frozenset("it this that these those them".split())
WRITTEN = frozenset(
    "file document doc page section code script text content cell sheet paragraph config".split()
)
"""Things that are edited in parts, so that an edit may change anything in them."""
_DISCOUNT = re.compile(r"\b(?:discount|coupon|voucher|promo(?:tion)?)s?\b", re.IGNORECASE)
_DISCOUNTED = frozenset(
    map(stem, "discount coupon voucher promo code deal offer price total amount credit".split())
)
_CONTACTED = frozenset(map(stem, "call phone dial voice ring contact notify".split()))
_CALLED = re.compile(
    r"\bcalled[ ](?:the|your|our)[ ](?:customer|client|patient|guest|hotel|restaurant|clinic|doctor"
    r"|bank|store|shop|airline|manager|supplier|courier|carrier|landlord|tenant|office)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{2,30}")
# "db" or "qty": with a vowel it may be a word of its own
_SHORT = re.compile(r"[a-z][^\W\daeiou_]{1,3}")
# "prescription" and "prescribe" have as much in common; shorter words must agree as a whole
_ROOT = 5


def object_words(verb: str, around: str) -> frozenset[str]:
    """
    Return the stems that name the object of an action; none if the clause does not say enough.

    Args:
        verb: The verb, in the infinitive.
        around: The clause of the verb.

    >>> sorted(object_words("change", "I've changed your password"))
    ['password']
    >>> object_words("change", "I've changed it"), object_words("process", "I processed tea")
    (frozenset(), frozenset())
    """
    words = _WORD.findall(around.casefold())
    place = next((n for n, word in enumerate(words) if infinitive(word) == verb), -1)
    if verb in _NO_EFFECT or _PRONOUNS & {*words[:1], *words[place + 1 : place + 2]}:
        return frozenset()
    return frozenset(_objects(verb, words))


def _objects(verb: str, words: Iterable[str]) -> Iterator[str]:
    removes = VERB_EFFECTS.get(verb) is VerbEffect.UNMAKE
    for word in words:
        key = stem(word)
        is_word = len(word) > 2 and not (word in STOP or is_small(word) or word in HEDGES)
        if not is_word or infinitive(word) or key in _VAGUE or word.endswith("ly"):
            continue
        # a deleted account is no part of another change
        if removes or key not in _BROAD:
            yield key


def share_word(objects: Iterable[str], words: Iterable[str]) -> bool:
    """
    Return whether one of the words begins like an object.

    >>> share_word({"prescription"}, {"prescribe"}), share_word({"password"}, {"order"})
    (True, False)
    """
    roots = tuple(one[:_ROOT] for one in objects)
    return any(word.startswith(roots) for word in words)


def are_abbreviated(objects: Iterable[str], names: Iterable[str]) -> bool:
    """
    Return whether one of the words in names of fields abbreviates an object.

    >>> are_abbreviated({"databas"}, {"db"}), are_abbreviated({"order"}, {"pwd"})
    (True, False)
    """
    short = [name for name in names if _SHORT.fullmatch(name)]
    return any(_abbreviates(name, one) for name in short for one in objects)


def _abbreviates(short: str, word: str) -> bool:
    """Return whether a word begins with a short one's letter and has the others in that order."""
    letters = iter(word)
    return short[0] == word[0] and all(letter in letters for letter in short)


def contradicts_talk(around: str, words: Iterable[str]) -> bool:
    """
    Return whether "applied" or "called" has an object that a call would name.

    >>> contradicts_talk("I've applied the discount", {"order"})
    True
    >>> contradicts_talk("I've applied the discount", {"coupon"})
    False
    """
    words = [*words]
    if _CALLED.search(around):
        return not share_word(_CONTACTED, words)
    return _DISCOUNT.search(around) is not None and not share_word(_DISCOUNTED, words)
