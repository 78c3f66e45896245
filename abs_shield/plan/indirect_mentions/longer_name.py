"""A name continues one that the user cut short: ``AMC Metreon 16`` for ``AMC Metreon``."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.normal import normal

_KIND_WORDS = frozenset(
    "restaurant restaurants cuisine bistro cafe café coffee bar grill grille pub tavern diner "
    "kitchen house bakery pizzeria pizza taqueria trattoria steakhouse sushi noodle deli eatery "
    "brasserie theater theatre cinema cinemas multiplex hotel inn suites resort hostel lodge motel "
    "spa salon studio gym museum gallery park mall plaza market store shop clinic hospital "
    "pharmacy school college university library stadium arena hall club airport station "
    "international the and of at".split()
)
"""Words for the kind of place or house, which identify none."""
_NO_WORDS: frozenset[str] = frozenset()
_NUMBER = re.compile(r"\d{1,2}")
"""The number of a house in a chain: ``Century 16``."""
_MIN_LETTERS = 4  # a shorter head, such as "St J", begins too many names
_MAX_WORDS = 8  # names have fewer; each head is looked up


def longer_name(argument: Argument, session: Session) -> bool:
    """
    Return whether a name begins with two words that are adjacent in the run.

    It also applies if all of the name was mentioned except small numbers, and words for the kind
    of house. A single mentioned word is not enough: that would let four in ten invented names pass.
    """
    text = argument.text.split()[:_MAX_WORDS]
    if len(text) < 2:
        return False
    # The longest head first: it is the likeliest to be there.
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
