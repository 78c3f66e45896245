"""Bounds of one session, and of all sessions in the memory of one Shield."""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.core.declared_fields import checked_fields
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown


@checked_fields
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    Bounds of one session, and of the sessions of one Shield; each is an integer of at least 1.

    Attributes:
        text: Characters of the newest raw text that are stored.
        keys: Keys of the provenance index; beyond that number the older half is dropped.
        message: Characters of one message that are indexed.
        executed: Executed calls that are stored.
        decisions: Decisions that are stored, for each subject.
        sessions: Sessions that one Shield keeps in memory.
        memory_bytes: Approximate memory of these sessions together, in bytes.
        idle_s: Seconds without use after which a session is dropped.

    Raises:
        PolicyError: A bound is unknown, or not an integer of at least 1.
    """

    # about twenty pages; all of it is searched for spellings that no table contains
    text: int = 64 * 1024
    keys: int = 40_000  # one to four megabytes, depending on the share in packed tables
    message: int = 256 * 1024  # about 65,000 tokens, half the context of many models
    executed: int = 1_000  # a run has a few dozen; layers read the newest
    decisions: int = 1_000  # one for each call, and some for results and answers
    sessions: int = 10_000  # with the memory below, 26 KB each if all are in use
    memory_bytes: int = 256 * 1024 * 1024  # about half of a small container's memory
    idle_s: int = 24 * 60 * 60  # a day: people answer the next morning

    def __post_init__(self) -> None:
        for name in self.__slots__:
            bound = getattr(self, name)
            # true is an integer of Python, but no number of anything
            if not isinstance(bound, int) or isinstance(bound, bool) or bound < 1:
                raise PolicyError(f"limits: `{name}` is {shown(bound)}; give an integer from 1")
