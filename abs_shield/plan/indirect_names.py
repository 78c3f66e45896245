"""Indirect mentions of names: in part, misspelt, or by a ticker symbol."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.parameter_names import is_place
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.identifier_words import abbreviates, name_words
from abs_shield.text.json_leaves import name_of
from abs_shield.text.name_forms import bare_place, foreign_names, short_city_names
from abs_shield.text.nearest import is_misspelt
from abs_shield.text.normal_form import normal, words

_NO_WORDS: frozenset[str] = frozenset()


def place_name(argument: Argument, session: Session) -> bool:
    """Return whether a place was mentioned in other words: ``Los Angeles, CA`` as ``LA``."""
    if not (is_place(name_of(argument.path)) or "," in argument.text):
        return False
    name, mentions = bare_place(argument.text), mentions_of(session)
    if any(mentions.origin(text, apart=True) for text in (name, *foreign_names(name))):
        return True
    # a code of two letters occurs inside many words, so it must be a word of its own
    short = (*short_city_names(name), *short_city_names(argument.text.split(",")[0]))
    return any(mentions.vouches(text, _NO_WORDS) for text in short)


_COMPANY_SUFFIXES = frozenset(
    "inc ltd llc llp plc corp corporation co company gmbh ag kg se sa s.a sarl srl spa ab a/s "
    "as oy bv nv pty group holding holdings limited incorporated foundation bank".split()
)


def company_name(argument: Argument, session: Session) -> bool:
    """Return whether the first word of a company's name was mentioned."""
    first, *rest = argument.text.split()
    if not any(word.strip(".,").casefold() in _COMPANY_SUFFIXES for word in rest):
        return False
    return mentions_of(session).origin(first, apart=True) is not None


_KIND_WORDS = frozenset(
    "restaurant restaurants cuisine bistro cafe café coffee bar grill grille pub tavern diner "
    "kitchen house bakery pizzeria pizza taqueria trattoria steakhouse sushi noodle deli eatery "
    "brasserie theater theatre cinema cinemas multiplex hotel inn suites resort hostel lodge motel "
    "spa salon studio gym museum gallery park mall plaza market store shop clinic hospital "
    "pharmacy school college university library stadium arena hall club airport station "
    "international the and of at".split()
)
"""Words for kinds of places and buildings, which identify no particular one."""
_NUMBER = re.compile(r"\d{1,2}")
"""The number of a branch of a chain: ``Century 16``."""
_MIN_LETTERS = 4  # a shorter beginning, such as "St J", is common to too many names
_MAX_WORDS = 8  # names have fewer; each beginning of a name is looked up


def longer_name(argument: Argument, session: Session) -> bool:
    """
    Return whether a name begins with two words that are adjacent in the run.

    It also applies if all of the name was mentioned except small numbers and words for the kind of
    place. A single mentioned word is not enough: 40 % of invented names would pass.
    """
    text = argument.text.split()[:_MAX_WORDS]
    if len(text) < 2:
        return False
    # The longest beginning first, as it is the likeliest to occur.
    heads = (" ".join(text[:size]) for size in range(len(text) - 1, 1, -1))
    if any(_is_long(head) and mentions_of(session).vouches(head, _NO_WORDS) for head in heads):
        return True
    specific = [word for word in text if not _is_generic(word)]
    core = " ".join(specific)
    return 0 < len(specific) < len(text) and _is_long(core) and _is_mentioned(core, session)


def _is_generic(word: str) -> bool:
    word_in_normal_form = normal(word).strip(".,&'")
    return (
        not word_in_normal_form
        or word_in_normal_form in _KIND_WORDS
        or _NUMBER.fullmatch(word_in_normal_form) is not None
    )


def _is_long(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= _MIN_LETTERS


def _is_mentioned(core: str, session: Session) -> bool:
    return mentions_of(session).origin(core, apart=True) is not None


_MIN_LENGTH = 5  # one letter turns a shorter word into another word


def misspelt_name(argument: Argument, session: Session) -> bool:
    """
    Return whether all words of a place or a well-known name occur, exactly one of them misspelt.

    Names of people are excluded, as there the misspelling may be the agent's.
    """
    if argument.judged != "public" and not is_place(name_of(argument.path)):
        return False
    corrected = 0
    for word in words(normal(bare_place(argument.text))):
        if mentions_of(session).vouches(word, _NO_WORDS):
            continue
        if len(word) < _MIN_LENGTH or not word.isalpha() or not _has_misspelling(word, session):
            return False
        corrected += 1
    # With two misspelt words it is another name.
    return corrected == 1


def _has_misspelling(word: str, session: Session) -> bool:
    return any(is_misspelt(chunk, word) for chunk in mentions_of(session).user_chunks)


# One letter would abbreviate nearly every word.
_SYMBOL = re.compile(r"[A-Z]{2,5}")
_SYMBOL_WORDS = frozenset("ticker symbol stock".split())


def ticker_symbol(argument: Argument, session: Session) -> bool:
    """Return whether a word of the users' texts has the letters of a ticker symbol in order."""
    if _SYMBOL.fullmatch(argument.text) is None:
        return False
    if _SYMBOL_WORDS.isdisjoint(name_words(name_of(argument.path))):
        return False
    letters = argument.text.casefold()
    return any(abbreviates(letters, word) for word in mentions_of(session).user_chunks)
