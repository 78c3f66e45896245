"""Bounds of one session, and of the sessions that one Shield keeps."""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    Bounds of one session.

    Attributes:
        text: Characters of the newest raw text that are stored.
        keys: Keys of the provenance index; beyond, the oldest half is forgotten.
        message: Characters of one message that are indexed.
        executed: Executed calls that are stored.
        decisions: Decisions that are stored.
        sessions: Sessions that one Shield keeps in memory.
        memory_bytes: Memory that they hold together, about.
        idle_s: Seconds without use after which a session is forgotten.

    Raises:
        PolicyError: A bound is not an integer of at least 1.
    """

    # some twenty pages; all of it is searched for a spelling that no table has
    text: int = 64 * 1024
    keys: int = 40_000  # one to four megabytes, depending on how many are in packed tables
    message: int = 256 * 1024  # some 65,000 tokens, half of many a model's context
    executed: int = 1_000  # a run has some dozen; layers read the newest
    decisions: int = 1_000  # one for each call, and some for results and answers
    sessions: int = 10_000  # with the memory below, 26 KB each if all are in use
    memory_bytes: int = 256 * 1024 * 1024  # about half of a small container's memory
    idle_s: int = 24 * 60 * 60  # a day: people answer the next morning

    def __post_init__(self) -> None:
        for name in self.__slots__:
            bound = getattr(self, name)
            if not isinstance(bound, int) or bound < 1:
                raise PolicyError(f"limits: `{name}` is {shown(bound)}; give an integer from 1")
