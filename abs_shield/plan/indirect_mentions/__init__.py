"""
Indirect mentions: ways in which a run justifies a value without its exact text; one file each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from abs_shield.plan.indirect_mentions.abbreviated_name import abbreviated_name
from abs_shield.plan.indirect_mentions.affirmed_proposal import affirmed_proposal
from abs_shield.plan.indirect_mentions.bank_code import bank_code
from abs_shield.plan.indirect_mentions.company_name import company_name
from abs_shield.plan.indirect_mentions.described_option import described_option
from abs_shield.plan.indirect_mentions.dictated_address import dictated_address
from abs_shield.plan.indirect_mentions.dictated_code import dictated_code
from abs_shield.plan.indirect_mentions.flagged_before import flagged_before
from abs_shield.plan.indirect_mentions.joined_reference import joined_reference
from abs_shield.plan.indirect_mentions.listed_values import listed_values
from abs_shield.plan.indirect_mentions.longer_name import longer_name
from abs_shield.plan.indirect_mentions.misspelt_name import misspelt_name
from abs_shield.plan.indirect_mentions.new_item_key import new_item_key
from abs_shield.plan.indirect_mentions.numbered_id import numbered_id
from abs_shield.plan.indirect_mentions.place_name import place_name
from abs_shield.plan.indirect_mentions.temporary_folder import temporary_folder
from abs_shield.plan.indirect_mentions.ticker_symbol import ticker_symbol
from abs_shield.plan.indirect_mentions.url_template import url_template
from abs_shield.plan.judged_arguments import Argument, Kind
from abs_shield.session import Session

_NAMES: frozenset[Kind] = frozenset({"soft", "public"})
_ALL: frozenset[Kind] = frozenset({"soft", "public", "hard", "slot"})
_IDS: frozenset[Kind] = frozenset({"hard", "slot"})


class IndirectMention(NamedTuple):
    """
    One way in which a value needs no finding.

    Attributes:
        holds: Returns whether it applies to an argument of a session.
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
    # `deletes=False`: these are put together from parts, and a deletion cannot be undone.
    "bank_code": IndirectMention(bank_code, _IDS, deletes=False),
    "joined_reference": IndirectMention(joined_reference, _IDS, deletes=False),
    "temporary_folder": IndirectMention(temporary_folder, _IDS, deletes=False),
    "flagged_before": IndirectMention(flagged_before),
}
"""Each indirect mention by name; `benchmarks/detection.py --ablate` measures what each clears."""


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
    return any(
        argument.judged in mention.kinds
        and not (writes and mention.reads)
        and not (deletes and not mention.deletes)
        and mention.holds(argument, session)
        for mention in INDIRECT_MENTIONS.values()
    )
