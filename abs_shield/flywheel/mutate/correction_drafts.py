"""Drafts that correct a claim whose right answer is known, but not as a fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from abs_shield.flywheel.mutate.mutated_values import Entities
from abs_shield.flywheel.mutate.training_example import TrainingExample

QUESTIONS = (
    "A draft of {person} says {claim}. What is right instead?",
    "Correct this before it is sent to {person}: {claim}",
    "{person} objects to {claim} in the memo of {period}. Give the right version.",
    "Our checker rejected {claim} in {period}. Replace it.",
    "Proofread for {person}: {claim}",
    "The agent wrote {claim}; the record of {period} disagrees. What does the record say?",
    "Which statement is true, if {claim} is false? {person} asks.",
    "Erratum {period}: for {claim} read ...",
)
DETAILS = (
    ("", "{right}"),
    (" Answer with the correction only.", "{right}"),
    (" Answer in one sentence.", "Right is: {right}."),
)


def drafts(
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
        place, level = random.randrange(len(QUESTIONS)), random.randrange(len(DETAILS))
        names = {kind: entities.one(kind) for kind in ("person", "period")}
        instruction, answer_form = DETAILS[level]
        yield TrainingExample(
            prompt=QUESTIONS[place].format(claim=f'"{claim}"', **names) + instruction,
            answer=answer_form.format(right=right),
            rejected=answer_form.format(right=claim),
            gap=gap,
            kind="correction",
            template=f"correction {place + 1}, detail {level + 1}",
            source=f"right answer of {claim}",
            context={"claim": claim, "right": right},
        )
        turn += 1
