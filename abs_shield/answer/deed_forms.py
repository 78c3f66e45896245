"""How an English text says that something was done: the forms, verbs and conditions of `deeds`."""

from __future__ import annotations

import re

_ADVERBS = (
    r"(?:[ ](?:just|now|also|already|successfully|gone[ ]ahead[ ]and|went[ ]ahead[ ]and"
    r"|finally|since|then"
    r"|officially|fully|safely|both|all|promptly|immediately|recently))*"
)
_ABLE = (
    r"(?:(?:was|were|have[ ]been|['\u2019]ve[ ]been|am|are)[ ]able[ ]to"
    r"|(?:have[ ]|['\u2019]ve[ ])?managed[ ]to)"
)
FIRST = re.compile(
    rf"\b(?:I|we)(?:['\u2019]ve|[ ]have)?{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b", re.IGNORECASE
)
MANAGED = re.compile(rf"\b(?:I|we)[ ]?{_ABLE}{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b", re.IGNORECASE)
PASSIVE = re.compile(
    rf"\b(?:(?:has|have){_ADVERBS}[ ]been"
    rf"|(?:is|are|was|were){_ADVERBS}[ ]successfully|(?:is|are)[ ]now)"
    rf"{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b",
    re.IGNORECASE,
)
SHORT = re.compile(
    r"(?:^|[:\u2705\u2714*\-][ ]{0,2})successfully[ ](?P<verb>[a-z]{3,20})\b", re.IGNORECASE
)
AND = re.compile(
    rf",?[ ]and{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})"
    r"(?=[ ](?:the|an?|your|it|you|them|him|her|this|that|all|both)\b|[ ][A-Z#$\u20ac\u00a3\d])"
)
"""A second deed of the same person."""
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
CLAUSE = re.compile(r"[;:!?\n]|\.(?!\d)|,[ ](?:and|but|so)[ ]|[ ]but[ ]|[ ]\u2013[ ]|[ ]\u2014[ ]")
CLAUSE_END = re.compile(r"[;:!?\n]|\.(?!\d)|[ ](?:but|so|because|which|that)[ ]")
TALK = frozenset(
    "accept confirm note draft write generate make build mark show apply label flag detach like "
    "hold "
    "save log record run call process return open start stop clear follow look order test watch "
    "release trigger access put set convert share open close leave detach resume pause define "
    "request select filter attach post pin tag bookmark admit allow abort".split()
)
"""Verbs that also say what somebody thinks, reads or writes in the answer itself."""
RARE = frozenset(
    "renew discharge dispatch prescribe ship reroute onboard waive reimburse redeem redirect repay "
    "expedite escalate".split()
)
"""Verbs of deeds that name few tools."""
PAST = {
    "sent": "send", "made": "make", "bought": "buy", "paid": "pay", "put": "put", "set": "set",
    "built": "build", "drew": "draw", "withdrawn": "withdraw", "withdrew": "withdraw",
    "undone": "undo", "undid": "undo", "frozen": "freeze", "froze": "freeze", "lent": "lend",
    "reset": "reset", "held": "hold", "written": "write", "wrote": "write", "shut": "close",
    "rebooked": "book", "resent": "send", "emailed": "send", "mailed": "send", "messaged": "send",
    "texted": "send", "forwarded": "forward", "wired": "transfer", "refunded": "refund",
    "rescheduled": "reschedule", "cancelled": "cancel", "canceled": "cancel",
}  # fmt: skip
