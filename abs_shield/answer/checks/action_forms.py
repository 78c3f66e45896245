"""How an English text says that something was done: the forms, verbs and conditions of `deeds`."""

from __future__ import annotations

import re

_ADVERBS = (
    r"(?:[ ](?:just|now|also|already|successfully|gone[ ]ahead[ ]and|went[ ]ahead[ ]and"
    r"|finally|since|then"
    r"|officially|fully|safely|both|all|promptly|immediately|recently))*"
)
_ASIDE = r"(?:,[^,.;:!?\n]{1,40},)?"
_ABLE = (
    r"(?:did|(?:was|were|have[ ]been|['\u2019]ve[ ]been|am|are)[ ]able[ ]to"
    r"|(?:have[ ]|['\u2019]ve[ ])?managed[ ]to)"
)
FIRST = re.compile(
    rf"\b(?:I|we)(?:['\u2019]ve|[ ]have)?{_ADVERBS}{_ASIDE}{_ADVERBS}[ ]"
    r"(?P<verb>[a-z]{3,20})\b",
    re.IGNORECASE,
)
MANAGED = re.compile(rf"\b(?:I|we)[ ]?{_ABLE}{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b", re.IGNORECASE)
PASSIVE = re.compile(
    rf"\b(?:(?:has|have){_ADVERBS}[ ]been"
    rf"|(?:is|are|was|were){_ADVERBS}[ ]successfully|(?:is|are)[ ]now)"
    rf"{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b",
    re.IGNORECASE,
)
STATE = re.compile(
    r"(?:\b[Yy]our[ ](?:[\w#'\u2019-]{1,30}[ ]){1,5}|\b(?=\S{0,30}\d)[A-Z#][\w#-]{2,40}[ ])"
    r"(?:is|are|was|were)(?:[ ](?:also|all|both|already|just))?[ ](?P<verb>[a-z]{3,20})\b"
    r"(?![ ](?:by|on|in|at|within|automatically|from|because|due|as)\b)"
    r"(?!.{0,80}\b(?:if|when|once|unless|after|before|until)\b)"
)
"""What a passive says of a thing of its own: it may tell of what was found, or of a deed."""
SHORT = re.compile(
    r"(?:^|[:\u2705\u2714*\-][ ]{0,2})successfully[ ](?P<verb>[a-z]{3,20})\b", re.IGNORECASE
)
AND = re.compile(
    rf"(?:,?[ ]and|,){_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})"
    r"(?=[ ](?:the|an?|your|it|you|them|him|her|this|that|all|both)\b|[ ][A-Z#$\u20ac\u00a3\d])"
)
"""A further deed of the same person."""
OPEN = re.compile(
    r"\b(?:if|once|when|whenever|after|until|unless|before|should|would|could|can|will|may|might|must"
    r"|nothing|nobody|no[ ]one|hear|you[ ](?:said|say|told|mentioned|wrote|asked|confirmed)"
    r"|shall|whether|assuming|provided|in[ ]case|as[ ]soon[ ]as|not|never|no|none|neither|nor"
    r"|cannot|unable"
    r"|without|['\u2019]?ll|to[ ]have|please|ensure|make[ ]sure|verify|confirm[ ](?:if|that)"
    r"|check)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What makes of a deed a plan, a condition, or none."""
RELATIVE = re.compile(r"\b(?:that|which|who)[ ]$")
"""What makes of a deed a description: bookings that have been cancelled."""
CLAUSE = re.compile(r"[;:!?\n]|\.(?!\w)|,[ ](?:and|but|so)[ ]|[ ]but[ ]|[ ]\u2013[ ]|[ ]\u2014[ ]")
CLAUSE_END = re.compile(
    r"[;:!?\n]|\.(?!\w)|[ ](?:but|so|because|which|that)[ ]|[ ](?:I|[Ww]e)[ '\u2019]"
)
SPOKEN_OF = re.compile(
    r"[ ](?:\w{1,20}ing|to|by|with|from|in|at|off|out|up|it|this|that|my|you|and|here|below)\b"
    r"|[^.;:!?\n]{0,40}?\b(?:search|look-?up|query|queri|analys[ei]s|review|check|calculation"
    r"|comparison|research|summar(?:y|ie)|list|report|table|answer|response|reply|repli|question"
    r"|request|detail|information|info|result|data|page|site|website|link|url|file|document|step"
    r"|tool|function|api|process|task|investigation|verification|assessment|evaluation|audit|scan"
    r"|test|part|phase|round|work|filter|by|email|message|text|mistake|typo|error)(?:e?s)?\b",
    re.IGNORECASE,
)
"""What follows a verb that only speaks of looking, thinking or writing."""
