"""Makes training examples from one accepted gap: drawn, checked, without duplicates and leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from abs_shield.errors import ShieldError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.mutate import of_copies, of_corrections, of_facts, of_names
from abs_shield.flywheel.mutate.canonical import Canonical, canonical
from abs_shield.flywheel.mutate.entities import Entities
from abs_shield.flywheel.mutate.errors import unquote
from abs_shield.flywheel.mutate.example import Mutation, TrainingExample
from abs_shield.flywheel.mutate.leakage import LEAK, find_leaks
from abs_shield.flywheel.mutate.likeness import is_duplicate
from abs_shield.flywheel.mutate.of_models import reword
from abs_shield.model import Judge, Terms, Undetermined
from abs_shield.quality.facts import Fact, Facts
from abs_shield.text.show import escaped, shown

LEAST, MOST = 20, 50
"""Examples of one gap."""
_DRAFTS = 40
"""Drafts that are drawn for each example wanted, at most."""
_WORDINGS = 4
_USUAL = Terms()


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationSources:
    """
    What right answers and other entities are taken from.

    Attributes:
        facts: Facts that are known to hold: a `FactTable`, any facts, or a source that is asked
            about each claim, such as `SparqlFacts`.
        answers: Right answers by what the model claimed: ``{"issue_refund": "refund"}``.
        entities: Lists of names by kind: ``subject``, ``period``, ``person``, ``tool``; faker
            makes what is not listed.
        made_up: Share of examples about entities that are made up, of a gap of facts, in [0, 1];
            their prompts state the fact.
        judge: A model that words prompts; None draws from the templates alone.
        terms: On what terms it is asked.
    """

    facts: Iterable[Fact] | Facts = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    entities: Mapping[str, Sequence[str]] = field(default_factory=dict)
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
    Make training examples around a gap that somebody accepted.

    The right answer comes from facts, from the mapping of right answers, from the person who
    accepted the gap, or from what a check verified; never from the model, and never from what is
    only spelt like it. The same seed makes the same examples.

    Args:
        gap: The gap.
        catches: Its catches.
        sources: Facts, right answers and entities.
        count: How many examples, 20 to 50.
        seed: Seed of every draw.
        held_out: Prompts of evaluation cases; no example is one of them, or near one.

    Raises:
        ShieldError: The gap is not accepted, no right answer is known, *count* is out of range,
            or an extra is missing.
    """
    if gap.state is not GapState.ACCEPTED:
        raise ShieldError(f"mutate: gap `{escaped(gap.id)}` is {gap.state}; accept it first")
    if type(count) is not int or not LEAST <= count <= MOST:
        raise ShieldError(f"mutate: `count` is {shown(count)}; use {LEAST} to {MOST}")
    random = Random(f"{seed} {gap.id}")
    entities = Entities(sources.entities, seed=random.randrange(2**32))
    drafts = _drafts(gap, catches, sources, entities=entities, random=random)
    notes: list[str] = []
    if sources.judge is not None:
        drafts = _with_model(drafts, sources, count, notes)
    return _chosen(islice(drafts, _DRAFTS * count), count, [*held_out], notes)


def _drafts(
    gap: Gap,
    catches: Sequence[Catch],
    sources: MutationSources,
    *,
    entities: Entities,
    random: Random,
) -> Iterator[TrainingExample]:
    """Return the drafts of the kind of gap that it is."""
    is_name = gap.code in ("unknown_tool", "unavailable_tool") or _stand_at(catches, "/name")
    rights = _rights(catches, _confirmed(gap, catches, is_name=is_name) | {**sources.answers})
    if is_name:
        rights = _required(rights, gap, catches)
        return of_names.drafts(rights, gap=gap.id, entities=entities, random=random)
    copied = _shapes(catches, rights)
    if copied:
        return of_copies.drafts(copied, gap=gap.id, entities=entities, random=random)
    facts = of_facts.select_relevant(_facts(sources.facts, catches), catches)
    if not facts and rights:
        return of_corrections.drafts(rights, gap=gap.id, entities=entities, random=random)
    if not facts:
        hint = "give `facts` about it, or `answers` by what the model claimed"
        raise ShieldError(f"mutate: no right answer is known of gap `{escaped(gap.id)}`; {hint}")
    made_up = of_facts.Synthetic(entities, sources.made_up)
    return of_facts.drafts(facts, catches, gap=gap.id, made_up=made_up, random=random)


def _facts(source: Iterable[Fact] | Facts, catches: Iterable[Catch]) -> list[Fact]:
    """Return all facts; of a source that cannot be listed those about the claims."""
    if isinstance(source, Iterable):
        return [*source]
    facts: dict[Fact, None] = {}
    for catch in catches:
        facts.update(dict.fromkeys(source.facts_about(catch.claim)))
    return [*facts]


def _stand_at(catches: Sequence[Catch], where: str) -> bool:
    return bool(catches) and all(one.where == where for one in catches)


def _rights(catches: Iterable[Catch], answers: Mapping[str, str]) -> dict[str, str]:
    """Return right answers by claim: the user's, else what a check verified."""
    verified = {
        unquote(one.claim): unquote(one.verified_value)
        for one in catches
        if one.claim and one.verified_value
    }
    rights = {claim: answers.get(claim, right) for claim, right in verified.items()}
    claims = {unquote(one.claim) for one in catches}
    rights |= {claim: right for claim, right in answers.items() if claim in claims or not claims}
    return {claim: right for claim, right in rights.items() if claim != right}


def _confirmed(gap: Gap, catches: Iterable[Catch], *, is_name: bool) -> dict[str, str]:
    """Return what the reviewer says is right: of every name, but only of a claim that is alone."""
    claims = {unquote(one.claim) for one in catches if one.claim}
    fits = gap.right_answer and (is_name or len(claims) == 1)
    return dict.fromkeys(claims, gap.right_answer) if fits else {}


def _shapes(catches: Iterable[Catch], rights: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """
    Return of each tool and argument the shape of a right value.

    The value to copy stands in the prompt, so that a guess is enough for its shape.
    """
    shapes = {
        (one.tool, one.where.rpartition("/")[2]): (
            rights.get(unquote(one.claim)) or unquote(one.suggested_value)
        )
        for one in catches
        if one.where.startswith("/arguments/")
    }
    return {argument: shape for argument, shape in shapes.items() if shape}


def _required(rights: dict[str, str], gap: Gap, catches: Iterable[Catch]) -> dict[str, str]:
    if not rights:
        guess = next((one for one in catches if one.suggested_value), None)
        hint = "give `answers`, such as {'issue_refund': 'refund'}"
        if guess is not None:
            hint = (
                f"`{escaped(guess.suggested_value)}` for `{escaped(unquote(guess.claim))}` is only"
                " a guess: write the right answer in the review, or give `answers`"
            )
        raise ShieldError(f"mutate: no right name is known of gap `{escaped(gap.id)}`; {hint}")
    return rights


def _with_model(
    drafts: Iterator[TrainingExample], sources: MutationSources, count: int, notes: list[str]
) -> Iterator[TrainingExample]:
    """Yield what the model words for some drafts, then the other drafts."""
    assert sources.judge is not None
    originals = [*islice(drafts, max(1, count // _WORDINGS))]
    made = reword(originals, sources.judge, each=_WORDINGS, terms=sources.terms)
    for one in made:
        if isinstance(one, Undetermined):
            notes.append(one.reason)
        else:
            yield one
    yield from originals
    yield from drafts


def _chosen(
    drafts: Iterable[TrainingExample], count: int, held_out: list[str], notes: list[str]
) -> Mutation:
    """Return the first drafts that are neither wrong, nor duplicates, nor evaluation cases."""
    chosen: list[tuple[TrainingExample, Canonical]] = []
    duplicates = leaks = wrong = 0
    for draft in drafts:
        form = canonical(draft.prompt)
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
