"""Which calls are hallucinated and which are not, as people said it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abs_shield.core.label import Truth
from abs_shield.replay.run_judging import Judged
from abs_shield.replay.runs import Run
from abs_shield.text.show import escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLine:
    """
    The label of one call.

    Attributes:
        run_id: The run; None where only the session is named.
        session_id: The session; None where only the run is named.
        call_index: Counts the run's calls from 0; None where only the id is named.
        call_id: The call's id; None where only the index is named.
    """

    label: Truth
    run_id: str | None = None
    session_id: str | None = None
    call_index: int | None = None
    call_id: str | None = None

    @property
    def keys(self) -> Iterator[_Key]:
        """What it is found by; an index counts in a session only where nothing better is named."""
        calls = [call for call in (self.call_index, self.call_id) if call is not None]
        if self.run_id is not None:
            yield from (("run", self.run_id, call) for call in calls)
        if self.session_id is not None and self.call_id is not None:
            yield ("session", self.session_id, self.call_id)
        elif self.session_id is not None and self.run_id is None and self.call_index is not None:
            yield ("session", self.session_id, self.call_index)


_Key = tuple[str, str, int | str]


class Labels:
    """
    Labels of calls, in memory, with what became of them.

    Attributes:
        said: Where a label is looked for to its place among the labels, and the label.
    """

    def __init__(self) -> None:
        self.said: dict[_Key, tuple[int, Truth]] = {}
        self.count = 0

    def add(self, line: LabelLine) -> None:
        """
        Keep one label.

        Raises:
            ValueError: The same call has another label already.
        """
        keys = list(line.keys)
        for key in keys:
            known = self.said.get(key)
            if known is not None and known[1] is not line.label:
                raise ValueError(f"{_call(key)} is labelled {known[1]} already; give one label")
        if keys and all(key in self.said for key in keys):
            return
        for key in keys:
            self.said.setdefault(key, (self.count, line.label))
        self.count += 1

    def of(self, run: Run, judged: Judged) -> dict[int, Truth]:
        """Return the labels of one call by their place; more than one where they disagree on it."""
        if not self.said:
            return {}
        calls: list[int | str] = [judged.call_index]
        calls += [judged.call_id] if judged.call_id else []
        scopes = [("run", run.run_id)]
        scopes += [("session", run.session_id)] if run.session_id else []
        found = (self.said.get((what, name, call)) for what, name in scopes for call in calls)
        return dict(one for one in found if one is not None)


def _call(key: _Key) -> str:
    what, scope, call = key
    named = f"call {call}" if isinstance(call, int) else f"call `{escaped(call)}`"
    return f"{named} of {what} `{escaped(scope)}`"
