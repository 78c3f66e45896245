"""Words of change: directions of a quantity, and words that distinguish two times."""

from __future__ import annotations

import re

_UP = (
    r"(?:ris(?:e|es|en|ing)|rose|gr(?:ew|ow|ows|own|owing|owth)|increas(?:e|es|ed|ing)"
    r"|climb(?:s|ed|ing)?|gain(?:s|ed|ing)?|jump(?:s|ed|ing)?|surg(?:e|es|ed|ing)|uplift"
    r"|advanc(?:e|es|ed|ing)|improvement|went up|up|expanded|expansion|higher|soar(?:s|ed|ing)?)"
)
_DOWN = (
    r"(?:fall(?:s|en|ing)?|fell|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)"
    r"|drop(?:s|ped|ping)?|shr(?:ank|inks?|inking|unk)|reduc(?:e|es|ed|ing|tion)|slid"
    r"|slump(?:s|ed)?|plunge[sd]?|went down|down|lower(?:ed)?|tumbled|dip(?:s|ped)?)"
)
MOVE = rf"(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b"
"""A word of change, in a group `up` or `down`."""
ARTICLES = (
    r"(?:an? |the |or |i\.e\.,? |by |which (?:is|was) |that is,? |representing |marking |equal to "
    r"|with |for |about )*"
)
"""Words between a comma and a change."""
BREAK = r",? ?[,;:(\u2013\u2014=-] ?"
"""A mark between two parts of a sentence."""
GAP = r"(?:(?: [^\W\d_][\w'\u2019.-]{0,24}| <Y>){0,7}?)"
"""Words and years between two figures."""
PRIOR = re.compile(
    r"\b(?:last (?:year|quarter|month|week|season|time)"
    r"|(?:the )?(?:previous|prior|preceding) (?:fiscal )?(?:year|quarter|month|week|period|season)"
    r"|(?:a|one|the) (?:year|quarter|month|week) (?:ago|earlier|before|prior))",
    re.IGNORECASE,
)
CHANGED = re.compile(
    rf"\b(?:{_UP}|{_DOWN}|doubled|tripled|originally|initial(?:ly)?|now|new|later|then|earlier"
    r"|previous(?:ly)?|prior|formerly|last|next|current(?:ly)?|revised?|corrected|adjust(?:ed|s)?"
    r"|updated?|by (?:then|now)|after(?:wards)?|before|eventually|final(?:ly)?|since|still|once"
    r"|until|forecasts?|expect(?:ed|s)?|projected|planned|targets?|estimates?|budgeted|guidance"
    r"|claim(?:s|ed)?|according|report(?:s|ed)?|said|says|alleged(?:ly)?|whereas|while|but|however"
    r"|instead|actual(?:ly)?|second|third|other|another|each|per|respectively|former|latter)\b",
    re.IGNORECASE,
)
"""Words of another time, source or thing, for which a quantity can have another value."""
