"""Plain statements: clauses that say directly that something is so, or is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.text.months import ENGLISH_OR_SHORT
from abs_shield.text.polarity import NEGATORS
from abs_shield.text.stem import lowered, stem
from abs_shield.text.tokens import STOP

_LONGEST = 1_000  # a statement is a sentence; each pattern reads all of it
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
    r"|say|says|said|told|ask\w*|mention\w*|claim(?:s|ed)\b|think|believe\w*|assum\w*|previous\w*"
    r"|former\w*|original\w*|earlier|used to|only|part(?:ly|ially)|almost|nearly|some|most|except"
    r"|instead|rather|another|other|normally|usual\w*|typically|generally|appears?|seems?|likely"
    r"|what|example|in case|otherwise|both|either)\b",
    re.IGNORECASE,
)
"""Words of questions, plans, reports of others' words and partial truths."""
_DATE = re.compile(
    rf"\b(?:on )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{ENGLISH_OR_SHORT}"
    rf"|{ENGLISH_OR_SHORT} \d{{1,2}})\b(?:,? \d{{4}}\b)?",
    re.IGNORECASE,
)
_NEED = re.compile(r"\b(?:(?:do|does)(?P<no>n['\u2019]t| not)? )?(?:need|require)s?(?= an? | any )")
_SUCCESS = re.compile(
    r"\b(?:(?:went|(?:has |have )?gone) through|(?:is|are|was|were|has been) successful)\b"
)
_ALL = re.compile(r"\b(?:all|every|each|none)\b", re.IGNORECASE)
_BE = frozenset("is are was were been be isn't aren't wasn't weren't 's 're".split())
_HAVE = frozenset("has have had with hasn't haven't".split())
_FILLER = frozenset(
    "a an the any known now currently already still yet also indeed actually fully successfully "
    "longer at in on under".split()
)
_TAIL = frozenset("yet now currently still already today moment time present".split())
_FORMS = re.compile(r"(?:able|ible|ed|en|ing)$")
# with at least four letters after "un": "uncle" and "under" deny nothing
_UN = re.compile(
    "(?:un|non)(?=[a-z]{4})|(?:in|im|ir|il)(?=[a-z]{2,}(?:[ai]ble|ive|ent|ete|ect|id)$)"
)
_BY_ITSELF = frozenset("arrived finished expired failed succeeded departed landed ended".split())
"""Participles whose state is expressed with "has" and not with "is"."""


class Word(NamedTuple):
    """
    One word of a clause.

    Attributes:
        text: The word in lower case.
        key: Its stem.
        bare: Its stem without a negating prefix; empty if it has none.
    """

    text: str
    key: str
    bare: str = ""


class PlainStatement(NamedTuple):
    """
    A clause's statement about a property.

    Attributes:
        is_so: True if it asserts the property, False if it denies it.
        about: The words of its subject, and those after the property.
    """

    is_so: bool
    about: tuple[Word, ...]


def clauses(text: str) -> Iterator[tuple[Word, ...]]:
    """
    Yield the clauses of a plain statement; none for a question, condition or plan.

    >>> [[word.text for word in some] for some in clauses("It is open, and it isn't full.")]
    [['it', 'is', 'open'], ['it', "isn't", 'full']]
    >>> [*clauses("If it is open, go.")]
    []
    """
    # "went through" has no adjective to compare with a field
    text = _SUCCESS.sub("is succeeded", text[:_LONGEST])
    text = _NEED.sub(lambda match: "is not required" if match["no"] else "is required", text)
    text = _DATE.sub(" ", text)  # a date's number or month would be a word of the subject
    if _DOUBT.search(text):
        return
    for clause in _BREAK.split(text):
        if words := tuple(words_of(clause)):
            yield words


def is_universal(text: str) -> bool:
    """Return whether a text is about all things of a kind."""
    return _ALL.search(text[:_LONGEST]) is not None


def has_predicate(text: str) -> bool:
    """
    Return whether a form of "be" or "have" joins a subject to a predicate.

    >>> has_predicate("It is ready."), has_predicate("All set"), has_predicate("The cost is")
    (True, False, False)
    """
    words = [word.text for word in words_of(text[:_LONGEST])]
    return any(word in _BE or word in _HAVE - {"with"} for word in words[1:-1])


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text, in order."""
    for match in _WORD.finditer(text):
        word = lowered(match[0]).replace("\u2019", "'")
        head, mark, tail = word.partition("'")
        if mark and tail in ("s", "re"):  # "it's" is two words, "isn't" is one
            yield Word(head, stem(head))
            word = mark + tail
        bare = _UN.match(word)
        yield Word(word, stem(word), stem(word[bare.end() :]) if bare else "")


def statement_of(
    clause: tuple[Word, ...], keys: frozenset[str], *, noun: bool
) -> PlainStatement | None:
    """
    Return a clause's statement about the property that the stems *keys* name; None if unclear.

    Args:
        clause: Its words.
        keys: Stems that must all occur, the last of them directly after the verb.
        noun: Whether the property is something one has: an allergy, no allergy.

    >>> clause, = clauses("Booking B-10 isn't refundable.")
    >>> statement_of(clause, frozenset({"refundabl"}), noun=False).is_so
    False
    """
    # adverbs change no subject: "fully refundable"
    words = [(n, word) for n, word in enumerate(clause) if not word.text.endswith("ly")]
    places = {key: n for n, word in words for key in {word.key, word.bare} & keys}
    if len(places) < len(keys):
        return None
    last = max(places.values())
    verb = _verb(clause, last, keys, noun=noun)
    denials = [n for n, word in enumerate(clause) if _denies(word)]
    denials += [n for n in places.values() if clause[n].key not in keys]
    # double negations, and a denial after the property, are unclear
    if verb is None or len(denials) > 1 or any(n > last for n in denials):
        return None
    about = (*clause[:verb], *clause[last + 1 :])
    return PlainStatement(not denials, tuple(word for word in about if _is_about(word, keys)))


def is_noun(word: str) -> bool:
    """
    Return whether a word of a field's name may be a noun.

    >>> is_noun("allergy"), is_noun("delivered"), is_noun("refundable")
    (True, False, False)
    """
    return _FORMS.search(word) is None


def _denies(word: Word) -> bool:
    return word.text in NEGATORS or word.text.endswith("n't") or word.text == "non"


def _is_about(word: Word, keys: frozenset[str]) -> bool:
    small = word.text in STOP or word.text in _TAIL or word.text in _BE or _denies(word)
    small = small or _ALL.fullmatch(word.text) is not None
    return not small and word.key not in keys and word.bare not in keys


def _verb(clause: tuple[Word, ...], last: int, keys: frozenset[str], *, noun: bool) -> int | None:
    """Return the place of the verb of the word at *last*, if only function words are between."""
    for n in range(last - 1, -1, -1):
        word = clause[n]
        if word.text in _BE:
            return n
        if word.text in _HAVE:
            # "has arrived" is a state, "has cancelled" an action of somebody
            return n if noun or clause[last].text in _BY_ITSELF else None
        if not (word.text in _FILLER or _denies(word) or {word.key, word.bare} & keys):
            return None
    return None
