"""What a run has seen: its own index, and that of the run that started it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from threading import RLock
from typing import Any

from abs_shield.core.events import Said
from abs_shield.core.forked import renewed
from abs_shield.session.call_states import Executed
from abs_shield.session.field import NO_FIELD, Field
from abs_shield.session.limits import Limits
from abs_shield.session.origin import Origin
from abs_shield.session.provenance import Introduced, Provenance
from abs_shield.session.token_index import SYSTEM, USER

_MOST_ALIKE = 200
_NOTHING = Provenance()
"""The index of every run in which nothing was said yet; nobody writes to it."""

Vouches = Callable[[str, frozenset[str]], bool | None]
"""Whether a value needs no closer look, given the words that say what is asked for."""


class Mentions:
    """
    Everything that was said and returned in one run, to be asked where a value came from.

    A sub-agent's run reads its parent's too; what the parent agent writes to it is an agent's
    word, and counts for nothing.

    Attributes:
        user_chunks: What a user of this run wrote, chunk by chunk, in the form in which it is
            compared.
    """

    __slots__ = (
        "_index", "_limits", "_lock", "_opaque", "_parent", "_systems", "_users", "user_chunks",
    )  # fmt: skip

    def __init__(
        self, limits: Limits, *, parent: Mentions | None = None, lock: RLock | None = None
    ) -> None:
        self._limits = limits
        self._index = _NOTHING
        self.user_chunks = _NOTHING.user_chunks
        self._lock = renewed(RLock()) if lock is None else lock
        self._opaque = ""
        self._parent = parent
        self._users = self._systems = 0

    # What happens --------------------------------------------------------------------------------

    def said(self, said: Said, version: int) -> None:
        """A person's words count; the agent's own never do."""
        with self._lock:
            if said.role == "system":
                self._systems += bool(said.text.strip())
                self._filled().said(said.text, SYSTEM, version)
            elif said.role == "user" and self._parent is None:
                self._users += 1
                self._filled().said(said.text, USER, version)

    def vouched(self, text: str, version: int) -> None:
        """The host put *text* into a call; in a sub-agent's run too it counts as the user's."""
        with self._lock:
            self._filled().said(text, USER, version)

    def returned(self, executed: Executed, value: Any, version: int) -> None:
        """A result mentions what it holds; an error proves nothing, what breaks is not read."""
        if executed.error:
            return
        with self._lock:
            try:
                self._filled().returned(
                    value,
                    version,
                    tool=executed.tool,
                    call_id=executed.call_id or "",
                    arguments=executed.arguments,
                    known=None if self._parent is None else self._known_before,
                )
            except Exception as error:  # an object of the host's may break when it is read
                self.opaque(f"a result that could not be read ({type(error).__name__})")

    def _filled(self) -> Provenance:
        """The run's own index, from its first text on."""
        if self._index is _NOTHING:
            bounds = self._limits
            self._index = Provenance(
                keys=bounds.keys, text=bounds.message, scan=bounds.text, lock=self._lock
            )
            self.user_chunks = self._index.user_chunks
        return self._index

    def _known_before(self, text: str) -> bool:
        """Whether the run that started this one knows *text*."""
        return self._parent is not None and self._parent.origin(text) is not None

    def opaque(self, reason: str) -> None:
        """The model saw what we did not: from now on a miss proves nothing."""
        self._opaque = self._opaque or reason

    @property
    def held_bytes(self) -> int:
        """Memory that the run's own index holds, about."""
        return self._index.held_bytes

    # What is asked -------------------------------------------------------------------------------

    @property
    def blind(self) -> str:
        """Why a miss proves nothing in this run; empty where it does."""
        own = self._index.forgot or self._opaque
        return own or (self._parent.blind if self._parent is not None else "")

    @property
    def forgot(self) -> str:
        """Why a bound of this run keeps a miss from proving anything; empty where none does."""
        return next((run._index.forgot for run in self._line() if run._index.forgot), "")

    @property
    def has_task(self) -> bool:
        """
        Whether a user or a system text is known of this run.

        Of a sub-agent's run: of the run that started it. What its own messages say is the word of
        the agent above, who may have it from a user that is not known here.
        """
        if self._parent is not None:
            return self._parent.has_task
        return self._users > 0 or self._systems > 0

    @property
    def in_english(self) -> bool:
        """
        Whether a user of this run wrote English, and nothing in it is of another script.

        Where no user message is known, the system text has the task, and its language counts.
        """
        level = USER if any(run._users for run in self._line()) else SYSTEM
        return any(level in run._index.english for run in self._line()) and not self.foreign

    @property
    def foreign(self) -> bool:
        """Whether some text is in another script than Latin, so that names may be transcribed."""
        return any(run._index.foreign for run in self._line())

    def _line(self) -> list[Mentions]:
        """This run, the one that started it, and so on."""
        runs = [self]
        while runs[-1]._parent is not None:
            runs.append(runs[-1]._parent)
        return runs

    @property
    def has_labels(self) -> bool:
        """Whether a user called some value something: "username ann7"."""
        if self._parent is None:
            return self._index.has_labels
        return any(run._index.has_labels for run in self._line())

    @property
    def names(self) -> list[str]:
        """What a user gave as a name: "call it guide_1.md"."""
        return [name for run in self._line() for name in run._index.names]

    def vouches(self, text: str, asks: frozenset[str]) -> bool | None:
        """
        Whether *text* stands in this run as it is; None where nobody knows it.

        Args:
            text: The value.
            asks: Words that say what is asked for: ``order`` of ``order_id``.
        """
        known = self._index.vouches(text, asks)  # a hit while others write is a hit: no lock
        if known is None and self._parent is not None:
            return self._parent.vouches(text, asks)
        return known

    def origin(self, text: str, *, apart: bool = False, field: Field = NO_FIELD) -> Origin | None:
        """
        Return who mentioned *text*; None where nobody did, whatever was forgotten.

        Args:
            text: The value.
            apart: Whether the words of a name may stand apart.
            field: The parameter that it stands in: leading zeros mean nothing in a number, or
                where a result had it under the same name, and a telephone may have its country's
                code or not.
        """
        with self._lock:
            hit = self._index.find(text, field)
            if hit is None and apart:
                hit = self._index.words_apart(text)
            if hit is not None:
                return self._index.origin(hit, text)
        return None if self._parent is None else self._parent.origin(text, apart=apart, field=field)

    def fits_label(self, text: Any, asks: frozenset[str]) -> bool:
        """Whether a user called *text* nothing, as it is written here, or what is asked for."""
        return self._index.fits_label(text, asks)

    def is_called_one_of(self, text: Any, kinds: frozenset[str]) -> bool:
        """Whether a user called *text*, as it is written here, one of *kinds*, or a secret."""
        return self._index.is_called_one_of(text, kinds)

    def is_labelled_otherwise(self, text: str, asks: frozenset[str]) -> bool:
        """Whether a user called *text* another thing, and another value what is asked for."""
        if self._index.is_labelled_otherwise(text.strip().casefold(), asks):
            return True
        return self._parent is not None and self._parent.is_labelled_otherwise(text, asks)

    def labels(self, text: str) -> frozenset[str]:
        """Return the words by which a user called an identifier."""
        own = self._index.labels(text)
        return own if own or self._parent is None else self._parent.labels(text)

    def labelled(self, words: frozenset[str], *, most: int) -> list[str]:
        """Return identifiers that a user called by all of *words*."""
        own = self._index.labelled(words, most=most)
        return own if self._parent is None else own + self._parent.labelled(words, most=most)

    def below(self, text: str) -> bool:
        """Whether *text* is a seen path or URL and plain words behind it: an exploring step."""
        with self._lock:
            found = self._index.below(text)
        return found or (self._parent is not None and self._parent.below(text))

    def introduced(self, text: str) -> Introduced | None:
        """The call that brought *text* into this run before anybody mentioned it."""
        with self._lock:
            return self._index.introduced(text)

    def alike(self, text: str) -> list[str]:
        """Give seen values of the same shape, newest first; at most 200 of each run."""
        with self._lock:
            found = [*islice(self._index.alike(text), _MOST_ALIKE)]
        return found + (self._parent.alike(text) if self._parent is not None else [])

    def kin(self, wanted: Callable[[str], bool], *, most: int) -> list[str]:
        """Give the newest values that stood under a field that is *wanted*."""
        with self._lock:
            found = [*islice(self._index.kin(wanted), most)]
        return found + (self._parent.kin(wanted, most=most) if self._parent is not None else [])
