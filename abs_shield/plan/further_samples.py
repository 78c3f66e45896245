"""Further sample calls for a rule that gives the same answer to every first sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from abs_shield.plan.proof_context import Arguments, ProofContext
from abs_shield.plan.value_lines import (
    build_value_line,
    listed_values,
    schema_alternatives,
    schema_kind,
)

# every day of 28 years is some 10,000; more would use up the time limit of a rule
_MAX_VALUES = 20_000
_MAX_TEXTS = 12  # texts that each word of the rule is inserted into
_MAX_REPEATS = 300  # a rule about lengths counts a few hundred characters; more makes huge texts
_MAX_DIGIT_TEXTS = 3
"""Texts in which two adjacent characters are replaced by every pair of digits, for checksums."""


def generate_further_calls(
    samples: Sequence[Arguments], names: Iterable[str], words: Sequence[Any], *, tool: str,
    context: ProofContext,
) -> Iterator[Arguments]:  # fmt: skip
    """
    Yield calls that a tool's schema accepts, each like a sample except for one value.

    Args:
        samples: Arguments that the schema accepts.
        names: The parameters to vary.
        words: Numbers and strings in the rule's code.
        tool: The name of the tool.
        context: The compiled tools.
    """
    schema = context.plans[tool].schema
    for name in sorted(names):
        with_name = [each for each in samples if name in each]
        values = [each[name] for each in with_name]
        for value in islice(_values(name, values, words, tool, context), _MAX_VALUES):
            call = {**with_name[0], name: value}
            if schema is not None and schema.accepts(call):
                yield call


def _values(
    name: str, values: Sequence[Any], words: Sequence[Any], tool: str, context: ProofContext
) -> Iterator[Any]:
    if not values:
        return
    alternatives = schema_alternatives(context.tools[tool].parameters, name)
    kind = schema_kind(alternatives) if listed_values(alternatives) is None else ""
    if kind == "text":
        yield from _texts([each for each in values if isinstance(each, str)], words)
    elif kind:
        line = build_value_line(kind, words, values, at=context.at, suffix="Z")
        yield from (line.value_at(point) for point in line.points) if line is not None else ()


def _texts(values: Sequence[str], words: Sequence[Any]) -> Iterator[str]:
    """Yield texts that begin or end with a word, repeat it, or have other digits."""
    strings = [word for word in words if isinstance(word, str) and word]
    counts = {
        number + off
        for number in words
        if type(number) is int and 0 < number < _MAX_REPEATS
        # The limit itself and one above it.
        for off in (0, 1)
    }
    for word in strings:
        yield from (word * count for count in sorted(counts))
        yield from (f"{word} " * count for count in sorted(counts))
        for text in values[:_MAX_TEXTS]:
            yield from (word + text[len(word) :], text[: -len(word)] + word, word + text)
    # The longest texts are the likeliest to have a checksum.
    for text in sorted(values, key=len, reverse=True)[:_MAX_DIGIT_TEXTS]:
        for place in range(len(text) - 1):
            yield from (f"{text[:place]}{number:02}{text[place + 2 :]}" for number in range(100))


def has_free_text(names: Iterable[str], *, tool: str, context: ProofContext) -> bool:
    """Return whether a parameter takes text that the schema does not list."""
    root = context.tools[tool].parameters
    alternatives = [schema_alternatives(root, name) for name in names]
    return any(listed_values(each) is None and schema_kind(each) == "text" for each in alternatives)
