"""Whether a sentence says plainly that something is so, or that it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.text.polarity import NEGATORS
from abs_shield.text.stem import lowered, stem
from abs_shield.text.tokens import STOP

_LONGEST = 1_000
_WORD = re.compile(r"[^\W_]{1,64}(?:['\u2019][^\W\d_]{1,3}(?![^\W_]))?")
_BREAK = re.compile(
    r"[,;:.!?](?=\s|$)|[()|\n]|[ ][-\u2013\u2014][ ]"
    r"|\b(?:and|but|or|which|that|who|because|so|although|though|while|whereas)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\?|\b(?:if|whether|unless|until|till|once|when|before|after|as soon|would|could|should|might"
    r"|may|can|can['\u2019]?t|cannot|will|won['\u2019]t|shall|must|going to|to be|being|expect\w*"
    r"|need\w*|want\w*|please|ensure\w*|make sure|making sure|verif\w*|confirm that|check\w*"
    r"|say|says|said|told|ask\w*|mention\w*|claim(?:s|ed)?|think|believe\w*|assum\w*|previous\w*"
    r"|former\w*|original\w*|earlier|used to|only|part(?:ly|ially)|almost|nearly|some|most|except"
    r"|instead|rather|another|other|normally|usual\w*|typically|generally|appears?|seems?|likely"
    r"|example|in case|otherwise|both|either)\b",
    re.IGNORECASE,
)
"""Words with which something is asked, planned, told by another or true in part."""
_PROPOSAL = re.compile(
    r"\b(?:please confirm|confirm if|confirm that you|for confirmation|to proceed|go ahead with"
    r"|shall i|should i)\b|\byes/no\b",
    re.IGNORECASE,
)
_BE = frozenset("is are was were been be isn't aren't wasn't weren't 's 're".split())
_HAVE = frozenset("has have had with hasn't haven't".split())
_FILLER = frozenset(
    "a an the any known now currently already still yet also indeed actually fully successfully "
    "longer at in on under".split()
)
_TAIL = frozenset("yet now currently still already today moment time present".split())
_FORMS = re.compile(r"(?:able|ible|ed|en|ing)$")
_UN = re.compile(
    "(?:un|non)(?=[a-z]{4})|(?:in|im|ir|il)(?=[a-z]{2,}(?:[ai]ble|ive|ent|ete|ect|id)$)"
)
_YES = {"yes": True, "true": True, "no": False, "false": False}
_LABEL = re.compile(
    r"[\s>*_\u2022|+-]{0,12}([^\W\d_][\w \t-]{0,60}?)[*_\s]{0,6}[:|][*_\s|`]{0,8}"
    r"(yes|no|true|false)(?=[\s.,;*_|`)]{0,8}$)",
    re.IGNORECASE,
)


class Word(NamedTuple):
    """
    One word of a clause.

    Attributes:
        text: It in lower case.
        key: Its stem.
        bare: The stem of it without a negating prefix; empty where it has none.
    """

    text: str
    key: str
    bare: str = ""


class Said(NamedTuple):
    """
    What a clause says of something.

    Attributes:
        so: Whether it says that it is so; None of a clause that cannot be told.
        about: The words that say of what, and those behind it.
    """

    so: bool
    about: tuple[Word, ...]


def is_proposal(answer: str) -> bool:
    """
    Whether an answer asks to confirm what it says: that is what will be, and not what is.

    >>> is_proposal("Insurance: no. Shall I go on?"), is_proposal("It is insured.")
    (True, False)
    """
    return _PROPOSAL.search(answer) is not None


def clauses(text: str) -> Iterator[tuple[Word, ...]]:
    """
    Give the clauses of a sentence that says plainly what is so; none of one that asks or plans.

    >>> [[word.text for word in some] for some in clauses("It is open, and it isn't full.")]
    [['it', 'is', 'open'], ['it', "isn't", 'full']]
    >>> [*clauses("If it is open, go.")]
    []
    """
    text = text[:_LONGEST]
    if _DOUBT.search(text):
        return
    for clause in _BREAK.split(text):
        found = tuple(words_of(clause))
        if found:
            yield found


def labelled(text: str) -> tuple[frozenset[str], bool] | None:
    """
    Give the stems of a label and the yes or no behind it; None of any other text.

    >>> labelled("- **Refundable:** no"), labelled("It is refundable.")
    ((frozenset({'refundabl'}), False), None)
    """
    found = _LABEL.match(text[:_LONGEST])
    if found is None:
        return None
    said = frozenset(word.key for word in words_of(found[1]) if word.text not in STOP)
    return said, _YES[found[2].casefold()]


def words_of(text: str) -> Iterator[Word]:
    """Give the words of a text, in order."""
    for found in _WORD.finditer(text):
        word = lowered(found[0]).replace("\u2019", "'")
        head, mark, tail = word.partition("'")
        if mark and tail in ("s", "re"):
            yield Word(head, stem(head))
            word = mark + tail
        bare = _UN.match(word)
        yield Word(word, stem(word), stem(word[bare.end() :]) if bare else "")


def said_of(clause: tuple[Word, ...], keys: frozenset[str], *, noun: bool) -> Said | None:
    """
    Give what a clause says of that which the stems *keys* name; None where nobody can tell.

    Args:
        clause: Its words.
        keys: Stems that all have to stand in it, the last of them right behind its verb.
        noun: Whether it may be had: an allergy, no allergy.

    >>> clause, = clauses("Booking B-10 isn't refundable.")
    >>> said_of(clause, frozenset({"refundabl"}), noun=False).so
    False
    """
    places = {key: n for n, word in enumerate(clause) for key in {word.key, word.bare} & keys}
    if len(places) < len(keys):
        return None
    last = max(places.values())
    verb = _verb(clause, last, keys, noun=noun)
    denials = [n for n, word in enumerate(clause) if _denies(word)]
    denials += [n for n in places.values() if clause[n].key not in keys]
    if verb is None or len(denials) > 1 or any(n > last for n in denials):
        return None
    about = (*clause[:verb], *clause[last + 1 :])
    return Said(not denials, tuple(word for word in about if _tells(word, keys)))


def _denies(word: Word) -> bool:
    return word.text in NEGATORS or word.text.endswith("n't") or word.text == "non"


def _tells(word: Word, keys: frozenset[str]) -> bool:
    small = word.text in STOP or word.text in _TAIL or word.text in _BE or _denies(word)
    return not small and word.key not in keys and word.bare not in keys


def _verb(clause: tuple[Word, ...], last: int, keys: frozenset[str], *, noun: bool) -> int | None:
    """Where the verb stands of which the word at *last* is said; only small words are between."""
    for n in range(last - 1, -1, -1):
        word = clause[n]
        if word.text in _BE:
            return n
        if word.text in _HAVE:
            return n if noun else None
        if not (word.text in _FILLER or _denies(word) or {word.key, word.bare} & keys):
            return None
    return None


def is_noun(word: str) -> bool:
    """
    Whether a word of a field's name may be something that one has.

    >>> is_noun("allergy"), is_noun("delivered"), is_noun("refundable")
    (True, False, False)
    """
    return _FORMS.search(word) is None
