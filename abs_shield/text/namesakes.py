"""Places, companies and things named after people, such as Martin Luther King Jr. Day."""

from __future__ import annotations

import re

_BEFORE = frozenset(
    "san santa santo st. saint mount mt. lake port fort cape king queen pope sir hurricane "
    "the at in near via hôpital hospital rue calle avenida plaza place avenue boulevard aéroport "
    "airport aeropuerto flughafen université university universidad lycée école institut instituto "
    "stade gare clinique klinik krankenhaus teatro stadion".split()
)
"""Words before such a name; an article never precedes a person."""
_BEHIND = re.compile(
    r"(?:['\u2019]s?)?(?:[ ][^\W\d_][\w.]{0,20})?[ ](?:Jr\.?|Day|Springs?|Beach|City|County|Street"
    r"|St|Avenue|Ave|Road|Rd|Blvd|Boulevard|Square|Park|Airport|Station|Hospital|University|College"
    r"|School|Institute|Cent(?:er|re)|Museum|Bridge|Islands?|Lake|River|Valley|[Ll]ine|Department"
    r"|Foundation|Prize|Award|Law|Theorem|[Cc]orrelation|[Tt]est|[Mm]ethod|Group|Company|Inc|Ltd"
    r"|Holdings|Bank|Hotel|Stadium|Theat(?:er|re)|Library|Telescope|Panthers|Clinic)\b"
)
_WHOLE = frozenset(
    "raymond james,edward jones,thomas cook,philip morris,ralph lauren,michael kors,calvin klein,"
    "tommy hilfiger,charles schwab,john deere,john lewis,louis vuitton,christian dior,paul smith,"
    "giorgio armani,marc jacobs,jack daniel,harry potter,peter pan,santa claus,john doe,"
    "jane doe".split(",")
)
"""Well-known companies and fictional characters, and placeholder names."""


def is_namesake(text: str, start: int, end: int, before: str) -> bool:
    """
    Return whether a person's name here is that of a place, a company or a thing.

    Args:
        text: The text.
        start: Where the name begins.
        end: Where it ends.
        before: The word before it; empty if there is none.

    >>> text = "Mary Adler opened the Mary Adler School near Alice Springs."
    >>> is_namesake(text, 0, 10, ""), is_namesake(text, 22, 32, "the")
    (False, True)
    """
    whole = text[start:end].casefold()
    return before.casefold() in _BEFORE or whole in _WHOLE or _BEHIND.match(text, end) is not None
