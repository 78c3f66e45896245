"""A right call of a recorded run, and the text of its run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from abs_shield.core.events import Event, MessageText, Proposed, Returned
from abs_shield.planting.argument_values import (
    ArgumentValue,
    fold_value,
    is_identifier,
    leaves_of,
)
from abs_shield.policy import Tool
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import leaves, scalar_text

MOST_TEXT = 2_000_000
"""Maximum length of a run in which faults are planted; longer ones are not changed."""
_MOST_VALUES = 50_000  # of one message: as many make a run too long to be changed
MOST_READ = 50
"""Calls of a run whose results are searched for values to plant."""
_MOST_IDENTIFIERS = 500  # each is compared with each target
_BETWEEN = "\n"  # no value contains a line break, so that none is found across two texts


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """
    One call of a run, whether right or not.

    Attributes:
        index: Counts the run's calls from 0.
        turn: Index of the event that proposes it.
        arguments: The arguments; None if they are not an object.
        result: The result, or None.
    """

    index: int
    turn: int
    name: str
    arguments: Mapping[str, Any] | None
    result: Returned | None
    right: bool


@dataclass(frozen=True)
class RunText:
    """
    The text of one run, computed when first needed.

    Attributes:
        events: The events of the run.
        tools: The tools by name; empty if unknown.
        calls: Every call, in order.
    """

    events: Sequence[Event]
    tools: Mapping[str, Tool]
    calls: Sequence[RecordedCall]

    @cached_property
    def is_short(self) -> bool:
        """True if the text is short enough to be searched for every value."""
        return sum(map(len, self._parts)) <= MOST_TEXT

    @cached_property
    def raw(self) -> str:
        """The text of the run and of its tools, in lower case."""
        return _BETWEEN.join(self._parts).casefold()

    def mentions(self, text: str) -> bool:
        """Return whether *text* occurs anywhere in the run, in any spelling."""
        return fold_value(text) in self._everything

    def precedes(self, text: str, turn: int) -> bool:
        """Return whether the host, the user or a tool wrote *text* before the event at *turn*."""
        source, ends = self._sources
        wanted = fold_value(text)
        if wanted not in self._first:  # cached, as the same value is looked up for each kind
            at = source.find(wanted) if wanted else -1
            self._first[wanted] = len(source) + 1 if at < 0 else at + len(wanted)
        return self._first[wanted] <= ends[turn]

    @cached_property
    def identifiers(self) -> Sequence[ArgumentValue]:
        """Identifiers in the first calls and results whose names contain a noun."""
        identifiers: list[ArgumentValue] = []
        for call in self.calls[:MOST_READ]:
            values = [call.arguments, None if call.result is None else call.result.value]
            for value in values:
                if isinstance(value, dict | list):
                    nested = leaves_of({"": value}, None)
                    identifiers += [leaf for leaf in nested if leaf.nouns and is_identifier(leaf)]
        return identifiers[:_MOST_IDENTIFIERS]

    @cached_property
    def nouns(self) -> Mapping[str, frozenset[str]]:
        """The nouns in the names of each identifier, by its normalised text."""
        words: dict[str, frozenset[str]] = {}
        for leaf in self.identifiers:
            key = fold_value(leaf.text)
            words[key] = words.get(key, frozenset()) | leaf.nouns
        return words

    @cached_property
    def user_words(self) -> frozenset[str]:
        """The words of the user's messages."""
        statements = [event for event in self.events if isinstance(event, MessageText)]
        texts = [event.text for event in statements if event.role == "user"]
        return frozenset(word for text in texts for word in normalised_words(text))

    @cached_property
    def _first(self) -> dict[str, int]:
        """The end of the first occurrence of each text that was searched."""
        return {}

    @cached_property
    def _parts(self) -> list[str]:
        schemas = [
            text
            for tool in self.tools.values()
            for text in (tool.name, tool.description, json.dumps(tool.parameters, default=str))
        ]
        return [*schemas, *(text for event in self.events for text in _texts(event))]

    @cached_property
    def _everything(self) -> str:
        return _BETWEEN.join(map(fold_value, self._parts))

    @cached_property
    def _sources(self) -> tuple[str, list[int]]:
        """The text not written by the agent, and its length before each event."""
        parts, ends, size = [], [], 0
        for event in self.events:
            ends.append(size)
            # what the agent wrote is no source
            if isinstance(event, Proposed) or (
                isinstance(event, MessageText) and event.role == "assistant"
            ):
                continue
            for text in _texts(event):
                parts.append(fold_value(text) + _BETWEEN)
                size += len(parts[-1])
        return "".join(parts), ends


def normalised_words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, without plurals."""
    for word in text.split():
        yield from name_words(word)


def _texts(event: Event) -> Iterator[str]:
    match event:
        case MessageText():
            yield event.text
        case Returned():
            yield from _scalars(event.value)
        case Proposed():
            for call in event.calls:
                yield call.name
                yield from _scalars(call.arguments)


def _scalars(value: Any) -> Iterator[str]:
    for _, leaf in leaves(value, most=_MOST_VALUES):
        text = scalar_text(leaf)
        if text:
            yield text


@dataclass(frozen=True, slots=True, kw_only=True)
class RightCall:
    """A right call in which a fault may be planted, with the values of its arguments."""

    call: RecordedCall
    arguments: Mapping[str, Any]
    tool: Tool | None
    run: RunText
    values: Sequence[ArgumentValue] = field(default=())

    @classmethod
    def of(cls, call: RecordedCall, run: RunText) -> RightCall:
        """Return *call* in its run; arguments that are not an object count as none."""
        tool, arguments = run.tools.get(call.name), call.arguments or {}
        values = tuple(leaves_of(arguments, None if tool is None else tool.parameters))
        return cls(call=call, arguments=arguments, tool=tool, run=run, values=values)

    def is_mentioned_before(self, leaf: ArgumentValue) -> bool:
        """Return whether someone other than the agent wrote the value before the call."""
        return self.run.precedes(leaf.text, self.call.turn)

    @property
    def others(self) -> Iterator[RecordedCall]:
        """The other calls of the run."""
        return (call for call in self.run.calls if call.index != self.call.index)
