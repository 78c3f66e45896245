"""Generation of training examples for an accepted gap, without duplicates and leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from abs_shield.errors import ShieldError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.mutate import fact_drafts
from abs_shield.flywheel.mutate.canonical_text import Canonical, canonical, is_duplicate
from abs_shield.flywheel.mutate.example_drafts import copy_drafts, correction_drafts, name_drafts
from abs_shield.flywheel.mutate.leakage import LEAK, find_leaks
from abs_shield.flywheel.mutate.model_rewording import reword
from abs_shield.flywheel.mutate.mutated_values import Entities, unquote
from abs_shield.flywheel.mutate.training_example import Mutation, TrainingExample
from abs_shield.model import Judge, Terms, Undetermined
from abs_shield.quality.facts import Fact, Facts
from abs_shield.text.safe_display import escaped, shown

LEAST, MOST = 20, 50
"""Minimum and maximum number of examples of one gap, as the flywheel's specification has it."""
_DRAFTS = 40
"""Maximum number of drafts per requested example: drafts are endless, and may all be duplicates."""
_WORDINGS = 4  # per question: a fourth of the questions then gives all examples
_USUAL = Terms()


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationSources:
    """
    The sources of right answers and of entities.

    Attributes:
        facts: True facts: a `FactTable`, any facts, or a source that is queried for each claim,
            such as `SparqlFacts`.
        answers: Right answers by the model's claim: ``{"issue_refund": "refund"}``.
        entities: Lists of names by kind: ``subject``, ``period``, ``person``, ``tool``; faker
            generates the other kinds.
        made_up: Share of examples about invented entities, for a gap of facts, in [0, 1]; their
            prompts state the fact.
        judge: A model that rewords prompts; None uses the templates only.
        terms: Time and budget of the model.
    """

    facts: Iterable[Fact] | Facts = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    entities: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # some, so that the model learns to read the record; mostly real ones, which it gets wrong
    made_up: float = 0.2
    judge: Judge | None = None
    terms: Terms = _USUAL


def mutate(
    gap: Gap,
    catches: Sequence[Catch],
    sources: MutationSources,
    *,
    count: int = 30,
    seed: int = 0,
    held_out: Iterable[str] = (),
) -> Mutation:
    """
    Generate training examples for an accepted gap.

    The right answer comes from facts, from the mapping of right answers, from the reviewer of the
    gap, or from a check's verified value; never from the model, and never from a guess by
    spelling. The same seed produces the same examples.

    Args:
        gap: The gap.
        catches: Its catches.
        sources: Facts, right answers and entities.
        count: Number of examples, 20 to 50.
        seed: Random seed.
        held_out: Prompts of evaluation cases; examples equal or similar to them are left out.

    Raises:
        ShieldError: The gap is not accepted, no right answer is known, *count* is out of range,
            or an extra is missing.
    """
    if gap.state is not GapState.ACCEPTED:
        raise ShieldError(f"mutate: gap `{escaped(gap.id)}` is {gap.state}; accept it first")
    if type(count) is not int or not LEAST <= count <= MOST:
        raise ShieldError(f"mutate: `count` is {shown(count)}; use {LEAST} to {MOST}")
    # with the gap's id, so that two gaps with one seed get different examples
    random = Random(f"{seed} {gap.id}")
    entities = Entities(sources.entities, seed=random.randrange(2**32))
    drafts = _drafts(gap, catches, sources, entities=entities, random=random)
    notes: list[str] = []
    if sources.judge is not None:
        drafts = _with_model(drafts, sources, count, notes)
    return _select(islice(drafts, _DRAFTS * count), count, [*held_out], notes)


def _drafts(
    gap: Gap,
    catches: Sequence[Catch],
    sources: MutationSources,
    *,
    entities: Entities,
    random: Random,
) -> Iterator[TrainingExample]:
    """Return drafts for the kind of the gap."""
    is_name = gap.code in ("unknown_tool", "unavailable_tool") or _all_at(catches, "/name")
    rights = _right_answers(
        catches, _reviewed_answers(gap, catches, is_name=is_name) | {**sources.answers}
    )
    if is_name:
        rights = _require_answers(rights, gap, catches)
        return name_drafts(rights, gap=gap.id, entities=entities, random=random)
    copied = _value_shapes(catches, rights)
    # before facts: an id is right if it was copied, whatever the facts say
    if copied:
        return copy_drafts(copied, gap=gap.id, entities=entities, random=random)
    facts = fact_drafts.select_relevant(_facts(sources.facts, catches), catches)
    if not facts and rights:
        return correction_drafts(rights, gap=gap.id, entities=entities, random=random)
    if not facts:
        hint = "give `facts` about it, or `answers` by what the model claimed"
        raise ShieldError(f"mutate: no right answer is known for gap `{escaped(gap.id)}`; {hint}")
    synthetic = fact_drafts.Synthetic(entities, sources.made_up)
    return fact_drafts.drafts(facts, catches, gap=gap.id, synthetic=synthetic, random=random)


def _facts(source: Iterable[Fact] | Facts, catches: Iterable[Catch]) -> list[Fact]:
    """Return all facts; for a source that cannot be listed, those about the claims."""
    if isinstance(source, Iterable):
        return [*source]
    facts: dict[Fact, None] = {}
    for catch in catches:
        facts.update(dict.fromkeys(source.facts_about(catch.claim)))
    return [*facts]


def _all_at(catches: Sequence[Catch], where: str) -> bool:
    return bool(catches) and all(one.where == where for one in catches)


def _right_answers(catches: Iterable[Catch], answers: Mapping[str, str]) -> dict[str, str]:
    """Return right answers by claim: the user's, else those verified by a check."""
    verified = {
        unquote(one.claim): unquote(one.verified_value)
        for one in catches
        if one.claim and one.verified_value
    }
    rights = {claim: answers.get(claim, right) for claim, right in verified.items()}
    claims = {unquote(one.claim) for one in catches}
    rights |= {claim: right for claim, right in answers.items() if claim in claims or not claims}
    return {claim: right for claim, right in rights.items() if claim != right}


def _reviewed_answers(gap: Gap, catches: Iterable[Catch], *, is_name: bool) -> dict[str, str]:
    """Return the reviewer's right answer by claim: for any names, else only for a single claim."""
    claims = {unquote(one.claim) for one in catches if one.claim}
    fits = gap.right_answer and (is_name or len(claims) == 1)
    return dict.fromkeys(claims, gap.right_answer) if fits else {}


def _value_shapes(
    catches: Iterable[Catch], rights: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """
    Return a value with the right shape for each tool and argument.

    A guess is enough, because the prompt contains the value to copy.
    """
    shapes = {
        (one.tool, one.where.rpartition("/")[2]): (
            rights.get(unquote(one.claim)) or unquote(one.suggested_value)
        )
        for one in catches
        if one.where.startswith("/arguments/")
    }
    return {argument: shape for argument, shape in shapes.items() if shape}


def _require_answers(rights: dict[str, str], gap: Gap, catches: Iterable[Catch]) -> dict[str, str]:
    if not rights:
        guess = next((one for one in catches if one.suggested_value), None)
        hint = "give `answers`, such as {'issue_refund': 'refund'}"
        if guess is not None:
            hint = (
                f"`{escaped(guess.suggested_value)}` for `{escaped(unquote(guess.claim))}` is only"
                " a guess: write the right answer in the review, or give `answers`"
            )
        raise ShieldError(f"mutate: no right name is known for gap `{escaped(gap.id)}`; {hint}")
    return rights


def _with_model(
    drafts: Iterator[TrainingExample], sources: MutationSources, count: int, notes: list[str]
) -> Iterator[TrainingExample]:
    """Yield the model's rewordings of some drafts, then the drafts themselves."""
    assert sources.judge is not None
    originals = [*islice(drafts, max(1, count // _WORDINGS))]
    rewordings = reword(originals, sources.judge, each=_WORDINGS, terms=sources.terms)
    for one in rewordings:
        if isinstance(one, Undetermined):
            notes.append(one.reason)
        else:
            yield one
    yield from originals
    yield from drafts


def _select(
    drafts: Iterable[TrainingExample], count: int, held_out: list[str], notes: list[str]
) -> Mutation:
    """Select the first drafts that are neither wrong, nor duplicates, nor evaluation cases."""
    chosen: list[tuple[TrainingExample, Canonical]] = []
    duplicates = leaks = wrong = 0
    for draft in drafts:
        form = canonical(draft.prompt)
        # a wrong answer that says the same as the right one would teach nothing, or the opposite
        if draft.rejected and canonical(draft.answer).keys == canonical(draft.rejected).keys:
            wrong += 1
        elif any(is_duplicate(form, other) for _, other in chosen):
            duplicates += 1
        elif held_out and not find_leaks([draft.prompt], held_out, least_likeness=LEAK).is_clean:
            leaks += 1
        else:
            chosen.append((draft, form))
        if len(chosen) == count:
            break
    if len(chosen) < LEAST:
        notes = [*notes, f"only {len(chosen)} examples differ enough; give more facts or entities"]
    return Mutation(
        examples=tuple(example for example, _ in chosen),
        duplicates=duplicates,
        leaks=leaks,
        wrong=wrong,
        notes=tuple(dict.fromkeys(notes)),
    )
