"""Drafts whose right answer is copied from the prompt, a correction, or the name of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from abs_shield.flywheel.mutate.mutated_values import Entities, misspell, similar_id
from abs_shield.flywheel.mutate.training_example import TrainingExample

_COPY_QUESTIONS = (
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
_COPY_DETAILS = (
    ("", "{value}"),
    (" Answer with the value only.", "{value}"),
    (" Answer in one sentence.", "`{field}` is {value}."),
)


def copy_drafts(
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
        place, level = random.randrange(len(_COPY_QUESTIONS)), random.randrange(len(_COPY_DETAILS))
        wrong = misspell(value, random)
        words = {"tool": tool, "field": argument, "value": value, "wrong": wrong}
        names = {kind: entities.one(kind) for kind in ("person", "period")}
        instruction, answer_form = _COPY_DETAILS[level]
        yield TrainingExample(
            prompt=_COPY_QUESTIONS[place].format(**words, **names, other=similar_id(value, random))
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


_CORRECTION_QUESTIONS = (
    "A draft of {person} says {claim}. What is right instead?",
    "Correct this before it is sent to {person}: {claim}",
    "{person} objects to {claim} in the memo of {period}. Give the right version.",
    "Our checker rejected {claim} in {period}. Replace it.",
    "Proofread for {person}: {claim}",
    "The agent wrote {claim}; the record of {period} disagrees. What does the record say?",
    "Which statement is true, if {claim} is false? {person} asks.",
    "Erratum {period}: for {claim} read ...",
)
_CORRECTION_DETAILS = (
    ("", "{right}"),
    (" Answer with the correction only.", "{right}"),
    (" Answer in one sentence.", "Right is: {right}."),
)


def correction_drafts(
    rights: Mapping[str, str], *, gap: str, entities: Entities, random: Random
) -> Iterator[TrainingExample]:
    """
    Yield examples endlessly.

    Args:
        rights: Right answers by the model's claim.
        gap: Id of the gap.
        entities: Names of people and periods.
        random: The random generator.
    """
    pairs = [*rights.items()]
    turn = 0
    while True:
        claim, right = pairs[turn % len(pairs)]  # in turn, so that none is left out
        place, level = (
            random.randrange(len(_CORRECTION_QUESTIONS)),
            random.randrange(len(_CORRECTION_DETAILS)),
        )
        names = {kind: entities.one(kind) for kind in ("person", "period")}
        instruction, answer_form = _CORRECTION_DETAILS[level]
        yield TrainingExample(
            prompt=_CORRECTION_QUESTIONS[place].format(claim=f'"{claim}"', **names) + instruction,
            answer=answer_form.format(right=right),
            rejected=answer_form.format(right=claim),
            gap=gap,
            kind="correction",
            template=f"correction {place + 1}, detail {level + 1}",
            source=f"right answer of {claim}",
            context={"claim": claim, "right": right},
        )
        turn += 1


_NAME_QUESTIONS = (
    "You have the tools {names}. The plan calls `{wrong}`. Which tool do you call?",
    "Offered: {names}. Call the one for this step: {task}.",
    "The call of `{wrong}` failed: no tool has that name. There are {names}. Correct it.",
    "{person} has a request; the plan files it under '{task}'. Choose a tool from {names}.",
    "Pick the tool for the step '{task}' out of this list: {names}",
    "Which of {names} is the tool for the step '{task}'? A draft says `{wrong}`.",
    "The tool call `{wrong}(...)` does not run. Available are {names}. Which one was meant?",
    "Review this trace: assistant -> `{wrong}`. The schema lists {names}. Name the right tool.",
    "{person} has waited since {period}. Next action: {task}. Tools: {names}.",
    "A step is labelled '{task}'. Which tool name belongs to it: {names}?",
)
_NAME_DETAILS = (
    ("", "{right}"),
    (" Answer with the name only.", "{right}"),
    (" Answer in one sentence.", "The tool to call is {right}."),
)
_VERBS = "find list get create update cancel send check archive export".split()
_NOUNS = "order invoice ticket customer shipment message report booking address file".split()
_MOST_LISTED = 5  # an agent has more tools, but each name is a chance of a second right answer


def name_drafts(
    rights: Mapping[str, str], *, gap: str, entities: Entities, random: Random
) -> Iterator[TrainingExample]:
    """
    Yield examples endlessly.

    Args:
        rights: Invented name to existing name.
        gap: Id of the gap.
        entities: Names of people and periods, and the user's ``tool`` list, if any.
        random: The random generator.
    """
    own = [*dict.fromkeys((*entities.listed("tool"), *rights.values()))]
    pairs = [*rights.items()]
    turn = 0
    while True:
        wrong, right = pairs[turn % len(pairs)]
        place, level = random.randrange(len(_NAME_QUESTIONS)), random.randrange(len(_NAME_DETAILS))
        names = _names_with(right, own, {*rights}, random)
        prompt = _NAME_QUESTIONS[place].format(
            names=", ".join(names),
            wrong=wrong,
            task=right.replace("_", " "),
            person=entities.one("person") if "{person}" in _NAME_QUESTIONS[place] else "",
            period=entities.one("period") if "{period}" in _NAME_QUESTIONS[place] else "",
        )
        instruction, answer_form = _NAME_DETAILS[level]
        yield TrainingExample(
            prompt=prompt + instruction,
            answer=answer_form.format(right=right),
            rejected=answer_form.format(right=wrong),
            gap=gap,
            kind="name",
            template=f"name {place + 1}, detail {level + 1}",
            source=f"right name of {wrong}",
            context={"tools": names, "right": right, "wrong": wrong},
        )
        turn += 1


def _names_with(right: str, own: Sequence[str], invented: set[str], random: Random) -> list[str]:
    """Return the right name among others: the user's, and generated ones."""
    others = [name for name in own if name != right]
    names = random.sample(others, min(len(others), random.randint(1, _MOST_LISTED - 1)))
    # at least three names with the right one, or a guess would often be right; more by chance, so
    # that the number is no hint
    while len(names) < 2 or (len(names) < _MOST_LISTED - 1 and random.random() < 0.5):
        invented_name = f"{random.choice(_VERBS)}_{random.choice(_NOUNS)}"
        if invented_name not in names and invented_name != right and invented_name not in invented:
            names.append(invented_name)
    names.insert(random.randint(0, len(names)), right)
    return names
