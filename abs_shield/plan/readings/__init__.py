"""Other ways in which a run mentions a value, or needs no mention of it: one file each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from abs_shield.plan.readings.abbreviated import abbreviated
from abs_shield.plan.readings.affirmed import affirmed
from abs_shield.plan.readings.bank import bank
from abs_shield.plan.readings.dictated import dictated
from abs_shield.plan.readings.firm import firm
from abs_shield.plan.readings.flagged_before import flagged_before
from abs_shield.plan.readings.form import form
from abs_shield.plan.readings.joined import joined
from abs_shield.plan.readings.longer_name import longer_name
from abs_shield.plan.readings.misspelt import misspelt
from abs_shield.plan.readings.new_item import new_item
from abs_shield.plan.readings.numbered import numbered
from abs_shield.plan.readings.option import option
from abs_shield.plan.readings.parts import parts
from abs_shield.plan.readings.place import place
from abs_shield.plan.readings.spoken import spoken
from abs_shield.plan.readings.temporary import temporary
from abs_shield.plan.readings.ticker import ticker
from abs_shield.plan.targets import Argument, Kind
from abs_shield.session import Session

_NAMES: frozenset[Kind] = frozenset({"soft", "public"})
_ALL: frozenset[Kind] = frozenset({"soft", "public", "hard", "slot"})
_IDS: frozenset[Kind] = frozenset({"hard", "slot"})


class Reading(NamedTuple):
    """
    One way in which a value needs no finding.

    Attributes:
        holds: Returns whether it holds for an argument of a session.
        kinds: How the arguments are judged that it is for.
        reads: Whether it is for calls alone that only look at something.
        deletes: Whether it is for calls, too, that destroy or delete something.
    """

    holds: Callable[[Argument, Session], bool]
    kinds: frozenset[Kind] = _NAMES
    reads: bool = False
    deletes: bool = True


READINGS: dict[str, Reading] = {
    "place": Reading(place),
    "firm": Reading(firm),
    "longer_name": Reading(longer_name),
    "abbreviated": Reading(abbreviated),
    "misspelt": Reading(misspelt),
    "affirmed": Reading(affirmed),
    "parts": Reading(parts, _ALL),
    "option": Reading(option, _ALL),
    "form": Reading(form, _IDS),
    "ticker": Reading(ticker, _ALL, reads=True),
    "new_item": Reading(new_item, _IDS),
    "spoken": Reading(spoken, _IDS),
    "dictated": Reading(dictated, _IDS),
    "numbered": Reading(numbered, _IDS),
    "bank": Reading(bank, _IDS, deletes=False),
    "joined": Reading(joined, _IDS, deletes=False),
    "temporary": Reading(temporary, _IDS, deletes=False),
    "flagged_before": Reading(flagged_before),
}
"""Each reading by name; `benchmarks/detection.py --ablate` says what each one clears and costs."""


def is_read(argument: Argument, session: Session, *, writes: bool, deletes: bool = False) -> bool:
    """
    Return whether one of the readings holds for an argument that nobody mentioned as it is.

    Args:
        argument: The argument.
        session: The run.
        writes: Whether the call changes something.
        deletes: Whether it destroys or deletes something.
    """
    return any(
        argument.judged in reading.kinds
        and not (writes and reading.reads)
        and not (deletes and not reading.deletes)
        and reading.holds(argument, session)
        for reading in READINGS.values()
    )
