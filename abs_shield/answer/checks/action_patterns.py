"""Patterns of English sentences that report a completed action."""

from __future__ import annotations

import re

from abs_shield.text.verbs import infinitive_of_gerund, is_action

# each adverb brings its own blank, so that the repetition cannot backtrack
_ADVERBS = (
    r"(?:[ ](?:just|now|also|already|successfully|gone[ ]ahead[ ]and|went[ ]ahead[ ]and"
    r"|finally|since|then|officially|fully|safely|both|all|promptly|immediately|recently))*"
)
_VERB = r"(?P<verb>[a-z]{3,20})\b"
# at most 40 characters, as every comma of a long list is tried
_ASIDE = r"(?:,[^,.;:!?\n]{1,40},)?"
ACTIVE = re.compile(
    rf"\b(?:I|we)(?:['\u2019]ve|[ ]have)?{_ADVERBS}{_ASIDE}{_ADVERBS}[ ]{_VERB}", re.IGNORECASE
)
"""Active voice: "I have now, as requested, cancelled"."""
MANAGED = re.compile(
    r"\b(?:I|we)[ ]?(?:did|(?:was|were|have[ ]been|['\u2019]ve[ ]been)[ ]able[ ]to"
    rf"|(?:have[ ]|['\u2019]ve[ ])?managed[ ]to){_ADVERBS}[ ]{_VERB}",
    re.IGNORECASE,
)
"""Ability: "I was able to cancel"."""
PASSIVE = re.compile(
    rf"\b(?:(?:has|have){_ADVERBS}[ ]been"
    rf"|(?:is|are|was|were){_ADVERBS}[ ]successfully|(?:is|are)[ ]now){_ADVERBS}[ ]{_VERB}",
    re.IGNORECASE,
)
"""Passive voice: "It has been cancelled"."""
STATE = re.compile(
    r"(?:\b(?:is|are|was|were)|\b(?:[Ii]t|[Tt]hat)['\u2019]s)"
    rf"(?:[ ](?:also|all|both|already|just))?[ ]{_VERB}"
    r"(?![ ](?:by|automatically|from|because|due|as)\b)"
    # at most 80 characters: each verb looks ahead
    r"(?!.{0,80}\b(?:if|when|once|unless|after|before|until)\b)"
)
"""State: "It is cancelled", which may report a record or an action."""
# after a mark of a list, or a lead such as "Done:"; each word brings its own blank
_LEAD = (
    r"(?:^|[\n:,;\u2013\u2014]|[ ]-[ ]|[.!][ ])[ \t]{0,8}"
    r"(?:[-*\u2022+][ ]|\d{1,3}[.)][ ])?[*_ ]{0,4}"
)
_DONE = r"(?=[*_\"')]{0,4}[ ]{0,2}(?:[.!,;:(\n\u2013\u2014]|\Z|and[ ]))"
SHORT = re.compile(
    rf"{_LEAD}(?:(?:The|Your|the|your|[Bb]oth|[Aa]ll)[ ])?"
    r"(?P<object>(?:[A-Za-z0-9#][\w#-]{0,30}[ ]){0,3})(?:successfully[ ])?"
    rf"(?P<verb>[A-Za-z]{{3,20}}){_DONE}"
)
"""A sentence without an auxiliary: "Order cancelled.", "Refund issued.", "Cancelled!"."""
HEADLESS = re.compile(
    rf"{_LEAD}(?:[Ss]uccessfully[ ])?(?P<verb>[A-Za-z]{{3,20}})"
    r"(?=[ ](?:the|an?|your|it|them|both|all|order|booking|refund|[A-Z]{1,4}-?\d)\b)"
)
"""A sentence without a subject: "Successfully cancelled your order."."""
COMPLETED = re.compile(
    r"\b(?P<verb>cancellation|refund|reimbursement|deletion|rollback)[ ]"
    r"(?:(?:for|of|to)[ ][^.,;:!?\n]{1,40}[ ])?"
    r"(?:(?:is|was|has[ ]been)[ ](?:now[ ]|all[ ])?)?"
    r"(?:complete|completed|confirmed|done|successful|finali[sz]ed)\b"
    r"(?!.{0,80}\b(?:if|when|once|unless|after|before|until)\b)",
    re.IGNORECASE,
)
"""A completed action, named by its noun: "Your cancellation is complete."."""
AND = re.compile(
    rf"(?:,?[ ]and|,){_ADVERBS}[ ]{_VERB}"
    r"(?=[ ](?:the|an?|your|it|you|them|him|her|this|that|all|both)\b|[ ][A-Z#$\u20ac\u00a3\d])"
)
"""A further action of the same person."""
CONDITION = re.compile(
    r"\b(?:if|once|when|whenever|after|until|unless|before|should|would|could|can|will|may|might|must"
    r"|nothing|nobody|no[ ]one|hear|you[ ](?:said|say|told|mentioned|wrote|asked|confirmed)"
    r"|shall|whether|assuming|provided|in[ ]case|as[ ]soon[ ]as|not|never|no|none|neither|nor"
    r"|cannot|unable|without|['\u2019]?ll|to[ ]have|please|ensure|make[ ]sure|verify"
    r"|confirm[ ](?:if|that)|check)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words before a verb that make it a plan, a condition or a denial."""
ADVICE = re.compile(r"\b(?:ensure|make[ ]sure|verify|consider)\b", re.IGNORECASE)
"""Words of a sentence that advises the user to do something."""
RELATIVE = re.compile(r"\b(?:that|which|who)[ ]$")
"""Relative pronouns of a description: "bookings that have been cancelled"."""
# a full stop inside "1.5" or "a.b" does not end a clause
CLAUSE = re.compile(r"[;:!?\n]|\.(?!\w)|,[ ](?:and|but|so)[ ]|[ ]but[ ]|[ ]\u2013[ ]|[ ]\u2014[ ]")
CLAUSE_END = re.compile(
    r"[;:!?\n]|\.(?!\w)|[ ](?:but|so|because|which|that)[ ]|[ ](?:I|[Ww]e)[ '\u2019]"
)
TALK_OBJECT = re.compile(
    r"[ ](?:the[ ])?`"
    r"|[ ](?:\w{1,20}ing|to|by|with|from|in|at|off|out|up|it|this|that|my|you|and|here|below)\b"
    r"|[^.;:!?\n]{0,40}?\b(?:search|look-?up|query|queri|analys[ei]s|review|check|calculation"
    r"|comparison|research|summar(?:y|ie)|list|report|table|answer|response|reply|repli|question"
    r"|request|detail|information|info|result|data|page|site|website|link|url|file|document|step"
    r"|tool|function|api|process|task|investigation|verification|assessment|evaluation|audit|scan"
    r"|test|part|phase|round|work|filter|by|email|message|text|mistake|typo|error)(?:e?s)?\b",
    re.IGNORECASE,
)
"""Objects of verbs about looking, thinking or writing."""
FAILURE = re.compile(
    r"\b(?:not|never|fail(?:ed|s|ure)?|error|unable|could|reject(?:ed)?|declined|denied|refused"
    r"|timed|except|remains?)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words of a sentence that admits that a part was not done."""
NOTICE = re.compile(
    r"\b(?:e-?mail|confirmation|notification|notice|receipt|sms|reminder)s?\b", re.IGNORECASE
)
"""Messages that a system sends by itself after an action."""
# an e-mail that "was sent" is more often one that was read
OWN_NOTICE = re.compile(r"\b(?:confirmation|notification|receipt|sms|reminder)s?\b", re.IGNORECASE)
"""Messages that an agent sends rather than reads."""
OLD = re.compile(
    r"^\D{0,40}?\b(?:your|the|its|their|an?)[ ](?:old|previous|former|original|prior)[ ]",
    re.IGNORECASE,
)
"""The object that a change replaces: "I cancelled the old slot and booked another one"."""
MESSAGE = re.compile(
    r"\b(?:e-?mail|messag|text|notif|confirmation|receipt|sms|reminder)", re.IGNORECASE
)
"""Words of a clause that is about a message, not about goods or money."""
_WORD = re.compile(r"[a-z]{3,20}")
_ATTRIBUTE = re.compile(r"\b([a-z]{3,20})\s+(?:an?|the|any|each|every)\s+[a-z]{3,20}\b(?=\s+[a-z])")
"""A participle between an article and a noun; after a verb it reports nothing."""
_CONDITIONAL = re.compile(
    r"(?<![a-z])(?:if|when|once|until|unless|not|never)[ _](?:been[ _])?[a-z]{3,20}"
)
"""A participle of a condition or a denial: ``fee_if_cancelled``."""


def reporting_words(text: str) -> list[str]:
    """
    Return the words of a result that may report an action.

    A participle after an instruction or a gerund describes a thing; elsewhere it may report what
    was done.

    >>> texts = ("delete the sent email", "the email was sent", "the refunded amount is 20")
    >>> ["sent" in reporting_words(text) for text in (*texts[:2], "after deleting the sent email")]
    [False, True, False]
    >>> "refunded" in reporting_words(texts[2]), reporting_words("fee_if_cancelled")
    (True, ['fee'])
    """
    text = _CONDITIONAL.sub(" ", text)
    return _WORD.findall(
        _ATTRIBUTE.sub(lambda match: " " if _is_verb(match[1]) else match[0], text)
    )


def unconditional_words(text: str) -> list[str]:
    """Return the words of a lower-case text without participles of conditions and denials."""
    return _WORD.findall(_CONDITIONAL.sub(" ", text))


def _is_verb(word: str) -> bool:
    """Return whether a word is an action verb in the infinitive or the gerund."""
    return is_action(word) or infinitive_of_gerund(word) != ""
