"""A name goes on where the user broke off: ``AMC Metreon 16`` where ``AMC Metreon`` was said."""

from __future__ import annotations

import re

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.normal import normal

_KINDS = frozenset(
    "restaurant restaurants cuisine bistro cafe café coffee bar grill grille pub tavern diner "
    "kitchen house bakery pizzeria pizza taqueria trattoria steakhouse sushi noodle deli eatery "
    "brasserie theater theatre cinema cinemas multiplex hotel inn suites resort hostel lodge motel "
    "spa salon studio gym museum gallery park mall plaza market store shop clinic hospital "
    "pharmacy school college university library stadium arena hall club airport station "
    "international the and of at".split()
)
"""Words that say what kind of place or house a name is of, and name none."""
_ANYTHING: frozenset[str] = frozenset()
_NUMBER = re.compile(r"\d{1,2}")
"""Of a house in a chain: ``Century 16``."""
_LEAST = 4
_MOST_WORDS = 8


def longer_name(argument: Argument, session: Session) -> bool:
    """
    Return whether a name begins with two words that stand side by side in the run.

    Or whether all of it was said but small numbers, and words for the kind of house. Not where
    any word of it was said: that would let four in ten invented names pass.
    """
    text = argument.text.split()[:_MOST_WORDS]
    if len(text) < 2:
        return False
    heads = (" ".join(text[:size]) for size in range(len(text) - 1, 1, -1))
    if any(_is_long(head) and mentions_of(session).vouches(head, _ANYTHING) for head in heads):
        return True
    telling = [word for word in text if not _tells_little(word)]
    core = " ".join(telling)
    return 0 < len(telling) < len(text) and _is_long(core) and _stands(core, session)


def _tells_little(word: str) -> bool:
    plain = normal(word).strip(".,&'")
    return not plain or plain in _KINDS or _NUMBER.fullmatch(plain) is not None


def _is_long(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= _LEAST


def _stands(core: str, session: Session) -> bool:
    return mentions_of(session).origin(core, apart=True) is not None
