"""Drafts whose right answer is an existing name of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from abs_shield.flywheel.mutate.mutated_values import Entities
from abs_shield.flywheel.mutate.training_example import TrainingExample

QUESTIONS = (
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
DETAILS = (
    ("", "{right}"),
    (" Answer with the name only.", "{right}"),
    (" Answer in one sentence.", "The tool to call is {right}."),
)
_VERBS = "find list get create update cancel send check archive export".split()
_NOUNS = "order invoice ticket customer shipment message report booking address file".split()
_MOST_LISTED = 5  # an agent has more tools, but each name is a chance of a second right answer


def drafts(
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
        place, level = random.randrange(len(QUESTIONS)), random.randrange(len(DETAILS))
        names = _names_with(right, own, {*rights}, random)
        prompt = QUESTIONS[place].format(
            names=", ".join(names),
            wrong=wrong,
            task=right.replace("_", " "),
            person=entities.one("person") if "{person}" in QUESTIONS[place] else "",
            period=entities.one("period") if "{period}" in QUESTIONS[place] else "",
        )
        instruction, answer_form = DETAILS[level]
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
