"""Labels of calls: hallucinated or ok, as people judged them."""

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
        run_id: The run; None if only the session is named.
        session_id: The session; None if only the run is named.
        call_index: Counts the run's calls from 0; None if only the id is named.
        call_id: The call's id; None if only the index is named.
    """

    label: Truth
    run_id: str | None = None
    session_id: str | None = None
    call_index: int | None = None
    call_id: str | None = None

    @property
    def keys(self) -> Iterator[_Key]:
        """The keys under which the label is stored; a session's index only without a better key."""
        calls = [call for call in (self.call_index, self.call_id) if call is not None]
        if self.run_id is not None:
            yield from (("run", self.run_id, call) for call in calls)
        if self.session_id is not None and self.call_id is not None:
            yield ("session", self.session_id, self.call_id)
        elif self.session_id is not None and self.run_id is None and self.call_index is not None:
            # an index counts the calls of a run, and is only unique in a session of one run
            yield ("session", self.session_id, self.call_index)


_Key = tuple[str, str, int | str]


class Labels:
    """
    Labels of calls, in memory.

    Attributes:
        by_key: Position and label by key.
    """

    def __init__(self) -> None:
        self.by_key: dict[_Key, tuple[int, Truth]] = {}
        self.count = 0

    def add(self, line: LabelLine) -> None:
        """
        Store one label.

        Raises:
            ValueError: The call already has another label.
        """
        keys = list(line.keys)
        for key in keys:
            existing = self.by_key.get(key)
            if existing is not None and existing[1] is not line.label:
                raise ValueError(f"{_call(key)} is labelled {existing[1]} already; give one label")
        # a repeated line, as files are often concatenated, is no second label
        if keys and all(key in self.by_key for key in keys):
            return
        for key in keys:
            self.by_key.setdefault(key, (self.count, line.label))
        self.count += 1

    def of(self, run: Run, judged: Judged) -> dict[int, Truth]:
        """Return the labels of one call by their position; more than one if they disagree."""
        # the usual backtest has no labels
        if not self.by_key:
            return {}
        calls: list[int | str] = [judged.call_index]
        calls += [judged.call_id] if judged.call_id else []
        scopes = [("run", run.run_id)]
        scopes += [("session", run.session_id)] if run.session_id else []
        matches = (self.by_key.get((what, name, call)) for what, name in scopes for call in calls)
        # by position: a call found by two keys is one label
        return dict(one for one in matches if one is not None)


def _call(key: _Key) -> str:
    what, scope, call = key
    call_text = f"call {call}" if isinstance(call, int) else f"call `{escaped(call)}`"
    return f"{call_text} of {what} `{escaped(scope)}`"
