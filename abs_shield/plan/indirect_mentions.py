"""Indirect mentions: texts of a run that justify a value without containing it verbatim."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from abs_shield.core.events import MessageText
from abs_shield.plan.indirect_ids import (
    abbreviated_name,
    bank_code,
    dictated_address,
    dictated_code,
    joined_reference,
    new_item_key,
    numbered_id,
    temporary_folder,
    url_template,
)
from abs_shield.plan.indirect_names import (
    company_name,
    longer_name,
    misspelt_name,
    place_name,
    ticker_symbol,
)
from abs_shield.plan.indirect_ranges import id_in_range, unversioned_id
from abs_shield.plan.judged_arguments import Argument, Kind
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import chunks, normal
from abs_shield.text.public_names import is_country_code
from abs_shield.text.safe_display import shown

_YES = lazy_pattern(
    r"\W*(?:(?:oh|ok|okay|well|great|perfect|awesome|wonderful|fantastic|excellent|nice|cool|good),?"
    r" )?(?:yes|yeah|yep|yup|ya|sure|ok|okay|correct|right|exactly|absolutely|definitely|certainly"
    r"|of course|indeed|perfect|great|fine|please do|go ahead|sounds|works|looks good"
    r"|(?:that|it|this)(?:'s|\u2019s| is| was| will| would| looks| sounds| works| seems)"
    r"|i(?:'d| would) (?:like|love) (?:that|it)|confirm(?:ed)?|affirmative|good|awesome|excellent"
    r"|wonderful|nice)\b",
    re.IGNORECASE,
)
# "Yes, but ..." agrees to something else.
_BUT = re.compile(r"\b(?:but|no|not|n't|instead|rather|actually|change|different)\b", re.IGNORECASE)
_MAX_TEXT_LENGTH = 4_096  # a message of a conversation; a longer one is a document
_MAX_MESSAGES = 200
"""Messages that are searched, the newest first, as each is split into words for each name."""


def affirmed_proposal(argument: Argument, session: Session) -> bool:
    """Return whether the user agreed to a message of the agent that contains the name."""
    wanted = chunks(normal(argument.text))
    if not wanted:
        return False
    messages = [entry.event for entry in session.entries() if isinstance(entry.event, MessageText)][
        -_MAX_MESSAGES:
    ]
    return any(
        _contains(chunks(normal(proposal.text[:_MAX_TEXT_LENGTH])), wanted)
        for proposal, answer in pairwise(messages)
        if (proposal.role, answer.role) == ("assistant", "user") and _agrees(answer.text)
    )


def _agrees(text: str) -> bool:
    first = text[:_MAX_TEXT_LENGTH].strip()
    # A "but" further on concerns another point.
    return _YES.match(first) is not None and _BUT.search(first[:80]) is None


def _contains(text_chunks: list[str], wanted: list[str]) -> bool:
    size = len(wanted)
    return any(text_chunks[n : n + size] == wanted for n in range(len(text_chunks) - size + 1))


_NUMBERED = re.compile(
    r"(?<![\w.])['\"`]?(\d{1,4})['\"`]? ?"
    r"(?:for|represents?|is|means?|stands? for|denotes?|=|:)(?= ?[a-z])"
)
_QUOTED = lazy_pattern(r"['\"`\u2018\u201c]([\w@.+/-]{1,40})['\"`\u2019\u201d]")
# An example of a format is not a list of the allowed values.
_EXAMPLE = re.compile(r"\b(?:such as|e\.g\.?|for example|for instance|like|format)\b")


def described_option(argument: Argument, session: Session) -> bool:
    """Return whether the parameter's description explains the value, or lists it among others."""
    description, text = argument.description, normal(argument.text)
    if not description:
        return False
    if text in _NUMBERED.findall(description):
        return True
    quoted = set() if _EXAMPLE.search(description) else set(_QUOTED.findall(description))
    # A single quoted word may be an example.
    return len(quoted) > 1 and text in quoted


_MAX_CALLS = 200
"""Calls that are searched, the newest first: an agent soon repeats an invented value."""


def earlier_finding(argument: Argument, session: Session) -> bool:
    """Return whether an executed call of this run already has a finding about this value."""
    got = shown(argument.text)
    ran = {executed.decision_id for executed in record_of(session).newest(_MAX_CALLS)} - {None}
    return bool(ran) and any(
        finding.check == "phantom_target" and finding.code == "unseen" and finding.got == got
        for decision in session.decisions
        if decision.id in ran
        for finding in decision.findings
    )


_SEPARATOR = re.compile(r"\s*[,;|]\s*")
_MAILBOX = re.compile(r"[^<>@]{1,100}<([^<>\s]{3,254}@[^<>\s]{3,254})>")
"""An address after the recipient's name: ``Ann Li <ann@x.org>``."""
_MAX_PARTS = 50  # each part is looked up on its own


def listed_values(argument: Argument, session: Session) -> bool:
    """
    Return whether a value is a list of mentioned values: ``tx_1,tx_2``; ``48823,US``.

    A country code need not be mentioned. For ``Ann Li <ann@x.org>`` only the address must be.
    """
    text = argument.text.strip()
    split = _SEPARATOR.split(text)
    if "<" in text:
        split = [_MAILBOX.sub(r"\1", part) for part in split]
    if split == [text] or len(split) > _MAX_PARTS or not all(split):
        return False
    are_mentioned = [mentions_of(session).origin(part) is not None for part in split]
    # At least one must be mentioned: a list of country codes alone justifies nothing.
    return any(are_mentioned) and all(
        is_mentioned or is_country_code(part)
        for is_mentioned, part in zip(are_mentioned, split, strict=True)
    )


_NAMES: frozenset[Kind] = frozenset({"soft", "public"})
_ALL: frozenset[Kind] = frozenset({"soft", "public", "hard", "slot"})
_IDS: frozenset[Kind] = frozenset({"hard", "slot"})


class IndirectMention(NamedTuple):
    """
    One form of indirect mention.

    Attributes:
        holds: Returns whether the session mentions an argument in this form.
        kinds: The kinds of judged arguments that it applies to.
        reads: Whether it applies only to calls that read.
        deletes: Whether it also applies to calls that destroy or delete something.
    """

    holds: Callable[[Argument, Session], bool]
    kinds: frozenset[Kind] = _NAMES
    reads: bool = False
    deletes: bool = True


INDIRECT_MENTIONS: dict[str, IndirectMention] = {
    "place_name": IndirectMention(place_name),
    "company_name": IndirectMention(company_name),
    "longer_name": IndirectMention(longer_name),
    "abbreviated_name": IndirectMention(abbreviated_name),
    "misspelt_name": IndirectMention(misspelt_name),
    "affirmed_proposal": IndirectMention(affirmed_proposal),
    "listed_values": IndirectMention(listed_values, _ALL),
    "described_option": IndirectMention(described_option, _ALL),
    "url_template": IndirectMention(url_template, _IDS),
    "ticker_symbol": IndirectMention(ticker_symbol, _ALL, reads=True),
    "new_item_key": IndirectMention(new_item_key, _IDS),
    "dictated_address": IndirectMention(dictated_address, _IDS),
    "dictated_code": IndirectMention(dictated_code, _IDS),
    "numbered_id": IndirectMention(numbered_id, _IDS),
    "id_in_range": IndirectMention(id_in_range, _IDS),
    # `deletes=False`: these values are composed of parts, and a deletion cannot be undone.
    "bank_code": IndirectMention(bank_code, _IDS, deletes=False),
    "joined_reference": IndirectMention(joined_reference, _IDS, deletes=False),
    "unversioned_id": IndirectMention(unversioned_id, _IDS, deletes=False),
    "temporary_folder": IndirectMention(temporary_folder, _IDS, deletes=False),
    "earlier_finding": IndirectMention(earlier_finding),
}
"""The indirect mentions by name; `benchmarks/detection.py --ablate` measures each one's effect."""


def is_mentioned_indirectly(
    argument: Argument, session: Session, *, writes: bool, deletes: bool = False
) -> bool:
    """
    Return whether an indirect mention applies to an argument that is not mentioned verbatim.

    Args:
        argument: The argument.
        session: The run.
        writes: Whether the call changes something.
        deletes: Whether it destroys or deletes something.
    """
    kind = argument.judged
    for holds, kinds, reads, may_delete in INDIRECT_MENTIONS.values():
        if kind not in kinds or (writes and reads) or (deletes and not may_delete):
            continue
        if holds(argument, session):
            return True
    return False
