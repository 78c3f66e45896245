"""Drafts whose right answer must be copied from the prompt: ids, amounts, dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from abs_shield.flywheel.mutate.mutated_values import Entities, misspell, similar_id
from abs_shield.flywheel.mutate.training_example import TrainingExample

QUESTIONS = (
    "{person} wrote: please handle {value}. Which `{field}` do you pass to `{tool}`?",
    "Summary so far: the customer {person} mentioned {value} and waits. Call `{tool}`: `{field}`?",
    "Earlier result: {{'{field}': '{value}'}}. Fill in `{field}` of `{tool}`.",
    "Notes of {period}: {value} ({person}), open. Next step `{tool}`, argument `{field}`:",
    "Copy the `{field}` for `{tool}` out of this message: '{person}, re {value}, urgent'.",
    "A draft calls `{tool}` with {wrong}, but {person} said {value}. Correct `{field}`.",
    "Two were discussed: {other} is closed, {value} is open. Which `{field}` gets `{tool}`?",
    "Transcript: '{value}? yes, that one', says {person}. `{tool}` needs its `{field}`.",
    "Ticket from {person}, {period}. Reference {value}. Give the `{field}` that `{tool}` takes.",
    "Repeat exactly, without a change, the `{field}` {person} gave for `{tool}`: {value}",
)
DETAILS = (
    ("", "{value}"),
    (" Answer with the value only.", "{value}"),
    (" Answer in one sentence.", "`{field}` is {value}."),
)


def drafts(
    shapes: Mapping[tuple[str, str], str], *, gap: str, entities: Entities, random: Random
) -> Iterator[TrainingExample]:
    """
    Yield examples endlessly, with values of the same shape as the right ones.

    Args:
        shapes: A value with the right shape for each tool and argument.
        gap: Id of the gap.
        entities: Names of people and periods.
        random: The random generator.
    """
    arguments = [*shapes.items()]
    turn = 0
    while True:
        # in turn, so that none is left out
        (tool, argument), shape = arguments[turn % len(arguments)]
        value = similar_id(shape, random)
        place, level = random.randrange(len(QUESTIONS)), random.randrange(len(DETAILS))
        wrong = misspell(value, random)
        words = {"tool": tool, "field": argument, "value": value, "wrong": wrong}
        names = {kind: entities.one(kind) for kind in ("person", "period")}
        instruction, answer_form = DETAILS[level]
        yield TrainingExample(
            prompt=QUESTIONS[place].format(**words, **names, other=similar_id(value, random))
            + instruction,
            answer=answer_form.format(**words),
            rejected=answer_form.format(**{**words, "value": wrong}),
            gap=gap,
            kind="copy",
            template=f"copy {place + 1}, detail {level + 1}",
            source="the prompt",
            context=words,
        )
        turn += 1
