"""Lookup of values in the index of a run and in the index of its parent run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from threading import RLock
from typing import Any

from abs_shield.core.events import MessageText
from abs_shield.core.fork_safety import renewed
from abs_shield.session.argument_echoes import Introduced
from abs_shield.session.call_states import Executed
from abs_shield.session.limits import Limits
from abs_shield.session.origin import Origin
from abs_shield.session.provenance import Provenance
from abs_shield.session.token_index import SYSTEM, USER
from abs_shield.session.value_field import NO_FIELD, Field

_MOST_ALIKE = 200  # values that are compared for a hint; `closest_spelling` reads no more
_EMPTY_INDEX = Provenance()
"""The shared index of runs without texts; nothing is added to it."""

Vouches = Callable[[str, frozenset[str]], bool | None]
"""
Returns whether a run mentions a value, so that no further check is needed; None if no text has it.

Its arguments are the value and the words for the kind of entity that the parameter kind_words for.
"""


class Mentions:
    """
    The texts and results of one run, with queries about where a value came from.

    The run of a sub-agent also reads its parent's index. Messages of the parent agent to the
    sub-agent do not count as mentions, as an agent wrote them.

    Attributes:
        user_chunks: The normalised chunks of what a user of this run wrote.
    """

    __slots__ = (
        "_index", "_limits", "_lock", "_opaque", "_parent", "_systems", "_users", "user_chunks",
    )  # fmt: skip

    def __init__(
        self, limits: Limits, *, parent: Mentions | None = None, lock: RLock | None = None
    ) -> None:
        self._limits = limits
        self._index = _EMPTY_INDEX
        self.user_chunks = _EMPTY_INDEX.user_chunks
        self._lock = renewed(RLock()) if lock is None else lock
        self._opaque = ""
        self._parent = parent
        self._users = self._systems = 0

    # Adding texts and results --------------------------------------------------------------------

    def add_text(self, event: MessageText, version: int) -> None:
        """Index a text of a person or the system; the agent's own texts never count."""
        with self._lock:
            if event.role == "system":
                self._systems += bool(event.text.strip())
                self._own_index().add_text(event.text, SYSTEM, version)
            elif event.role == "user" and self._parent is None:
                self._users += 1
                self._own_index().add_text(event.text, USER, version)

    def add_host_text(self, text: str, version: int) -> None:
        """
        Index *text*, which the host wrote into a call, like a text of a user.
        """
        with self._lock:
            self._own_index().add_text(text, USER, version)

    def add_result(self, executed: Executed, value: Any, version: int) -> None:
        """Index a result, unless it is an error; an object that raises when read is opaque."""
        if executed.error:
            return
        with self._lock:
            try:
                index = self._index
                if index is _EMPTY_INDEX:
                    index = self._own_index()
                index.add_result(
                    value,
                    version,
                    tool=executed.tool,
                    call_id=executed.call_id or "",
                    arguments=executed.arguments,
                    is_mentioned_before=None if self._parent is None else self._parent_mentions,
                )
            except Exception as error:  # an object of the host may raise when it is read
                self.mark_opaque(f"a result that could not be read ({type(error).__name__})")

    def _own_index(self) -> Provenance:
        """Return the run's own index, created with its first text."""
        # A session without texts needs no index, and an empty one takes kilobytes.
        if self._index is _EMPTY_INDEX:
            bounds = self._limits
            self._index = Provenance(
                keys=bounds.keys, text=bounds.message, scan=bounds.text, lock=self._lock
            )
            self.user_chunks = self._index.user_chunks
        return self._index

    def _parent_mentions(self, text: str) -> bool:
        """Return whether the parent run mentions *text*."""
        return self._parent is not None and self._parent.origin(text) is not None

    def mark_opaque(self, reason: str) -> None:
        """Record that the model read something unrecorded, so that a miss proves nothing."""
        self._opaque = self._opaque or reason

    @property
    def held_bytes(self) -> int:
        """Approximate memory of the run's own index in bytes."""
        return self._index.held_bytes

    # Queries -------------------------------------------------------------------------------------

    @property
    def unknown_reason(self) -> str:
        """The reason why a miss proves nothing in this run; empty if a miss counts."""
        own = self._index.incomplete_reason or self._opaque
        return own or (self._parent.unknown_reason if self._parent is not None else "")

    @property
    def incomplete_reason(self) -> str:
        """The reason why a miss proves nothing if text was dropped or cut; else empty."""
        own = self._index.incomplete_reason
        return own or ("" if self._parent is None else self._parent.incomplete_reason)

    @property
    def has_task(self) -> bool:
        """
        Return whether this run has a text of a user or of the system.

        For a sub-agent's run the parent run decides, as the parent agent writes the messages of the
        sub-agent, which may repeat a user who is not recorded.
        """
        if self._parent is not None:
            return self._parent.has_task
        return self._users > 0 or self._systems > 0

    @property
    def in_english(self) -> bool:
        """
        Return whether the users of this run wrote only English, and no text is in another script.

        Without a user message, the language of the system text counts, as it states the task.
        """
        runs = self._ancestry()
        level = USER if any([run._users for run in runs]) else SYSTEM
        return (
            any([level in run._index.english_levels for run in runs])
            and not self.has_foreign_script
        )

    @property
    def has_foreign_script(self) -> bool:
        """Return whether a text has a script other than Latin, so that names may be transcribed."""
        return any(run._index.has_foreign_script for run in self._ancestry())

    def _ancestry(self) -> list[Mentions]:
        """Return this run, its parent run, and so on."""
        runs = [self]
        while runs[-1]._parent is not None:
            runs.append(runs[-1]._parent)
        return runs

    @property
    def has_labels(self) -> bool:
        """Return whether a user labelled a value: "username ann7"."""
        if self._parent is None:
            return bool(self._index.labels)
        return any(run._index.labels for run in self._ancestry())

    @property
    def names(self) -> list[str]:
        """Values that a user introduced as a name: "call it guide_1.md"."""
        return [name for run in self._ancestry() for name in run._index.labels.names]

    def vouches(self, text: str, kind_words: frozenset[str]) -> bool | None:
        """
        Return whether *text* occurs in this run verbatim; None if no text has it.

        Args:
            text: The value.
            kind_words: Words for the kind of entity that is asked for: ``order`` for ``order_id``.
        """
        occurs = self._index.vouches(text, kind_words)  # no lock: a match during a write is a match
        if occurs is None and self._parent is not None:
            return self._parent.vouches(text, kind_words)
        return occurs

    def origin(self, text: str, *, apart: bool = False, field: Field = NO_FIELD) -> Origin | None:
        """
        Return the first mention of *text*; None without one, even if text was dropped.

        Args:
            text: The value.
            apart: Whether the words of a name may occur separately.
            field: The parameter of the value. Leading zeros are ignored in a number, or if a result
                has the value under the same name; a telephone number may omit its country code.
        """
        with self._lock:
            hit = self._index.find(text, field)
            if hit is None and apart:
                hit = self._index.find_words_apart(text)
            if hit is not None:
                return self._index.origin(hit, text)
        return None if self._parent is None else self._parent.origin(text, apart=apart, field=field)

    def fits_label(self, text: Any, kind_words: frozenset[str]) -> bool:
        """Return whether a user labelled *text* with one of the words asked for, or not at all."""
        return self._index.labels.fits(text, kind_words)

    def is_called_one_of(self, text: Any, kinds: frozenset[str]) -> bool:
        """
        Return whether a user labelled *text*, as it is written, as one of *kinds* or as a secret.
        """
        return self._index.labels.is_called_one_of(text, kinds)

    def is_labelled_otherwise(self, text: str, kind_words: frozenset[str]) -> bool:
        """
        Return whether a user labelled *text* as another kind, and another value as the asked one.
        """
        if self._index.labels.is_labelled_otherwise(text.strip().casefold(), kind_words):
            return True
        return self._parent is not None and self._parent.is_labelled_otherwise(text, kind_words)

    def labels(self, text: str) -> frozenset[str]:
        """Return the words with which a user labelled a value."""
        own = self._index.labels.of(text)
        return own if own or self._parent is None else self._parent.labels(text)

    def find_labelled(self, words: frozenset[str], *, most: int) -> list[str]:
        """Return values that a user labelled with all of *words*, at most *most* for each run."""
        own = self._index.labels.find(words, most=most)
        return own if self._parent is None else own + self._parent.find_labelled(words, most=most)

    def extends_mentioned_path(self, text: str) -> bool:
        """
        Return whether *text* is a mentioned path or URL followed by plain words.
        """
        with self._lock:
            is_extension = self._index.extends_mentioned_path(text)
        return is_extension or (
            self._parent is not None and self._parent.extends_mentioned_path(text)
        )

    def find_introduction(self, text: str) -> Introduced | None:
        """Return the call that first had *text* in its arguments before any text mentioned it."""
        with self._lock:
            return self._index.find_introduction(text)

    def find_similar(self, text: str) -> list[str]:
        """Return mentioned values of the same shape, newest first; at most 200 for each run."""
        with self._lock:
            values = [*islice(self._index.find_similar(text), _MOST_ALIKE)]
        return values + (self._parent.find_similar(text) if self._parent is not None else [])

    def values_under(self, wanted: Callable[[str], bool], *, most: int) -> list[str]:
        """Return the newest values in fields that are *wanted*, at most *most* for each run."""
        with self._lock:
            values = [*islice(self._index.values_under(wanted), most)]
        return values + (
            self._parent.values_under(wanted, most=most) if self._parent is not None else []
        )
