"""Suggest pairs of tools that undo each other on one entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abs_shield.mining.mining_study import Study, times
from abs_shield.mining.policy_draft import Suggestion, SuggestionKind, Undone
from abs_shield.plan import ToolPlan
from abs_shield.plan.tool_action import are_opposite_actions, have_same_noun
from abs_shield.text.identifier_words import subject_words
from abs_shield.text.verbs import VerbEffect

_MAX_PAIRS = 200  # each is a line to read
_MOST_TOOLS = 1_000  # all pairs of names are compared: a million comparisons


def inverses(study: Study) -> Iterator[Suggestion]:
    """``create_user`` and ``delete_user`` meet on ``id``."""
    for first, then, same in pairs_of(study.plans):
        counts = study.evidence.pairs.get((first, then))
        observed = ""
        if study.evidence.calls:
            met = times(counts.met) if counts is not None and counts.met else "never"
            observed = f"; applied to one entity {met} in {study.evidence.runs:,} runs"
        if counts is not None and counts.success + counts.failure:
            observed += (
                f", {counts.success:,} in successful runs, {counts.failure:,} in failed runs"
            )
        # the recorded agents undid something on purpose
        is_deliberate = counts is not None and counts.met > counts.failure
        yield Suggestion(
            kind=SuggestionKind.INVERSE,
            tool=first,
            parameter=same[first],
            declaration=Undone(then, same[then]),
            evidence=f"their names are opposites{observed}",
            objection="recorded runs did both without failing" if is_deliberate else "",
        )


def pairs_of(plans: Mapping[str, ToolPlan]) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield pairs of tools with opposite names, at most 200, with each tool's entity parameter."""
    count = 0
    writing = [name for name, plan in plans.items() if plan.writes][:_MOST_TOOLS]
    for first in writing:
        for then in writing:
            if count < _MAX_PAIRS and first != then and _undoes(plans[first], plans[then]):
                same = _same(plans[first], plans[then])
                if same is not None:
                    count += 1
                    yield first, then, {first: same[0], then: same[1]}


def _undoes(first: ToolPlan, then: ToolPlan) -> bool:
    one, other = first.action, then.action
    if not (one.noun and other.noun) or not have_same_noun(one, other):
        return False
    # made and deleted; others, such as enable and disable, are opposites by their verbs
    if one.does is VerbEffect.MAKE and other.does is VerbEffect.UNMAKE:
        return True
    return one.does is not VerbEffect.UNMAKE and are_opposite_actions(one, other)


def _same(first: ToolPlan, then: ToolPlan) -> tuple[str, str] | None:
    """Return the parameters that name the entity: with the same name, else the only candidates."""
    ones, others = _entities(first), _entities(then)
    # the name that contains the noun first: `user_id` before `id`
    common = sorted(ones & others, key=lambda name: (not _names_noun(name, then), name))
    if common:
        return common[0], common[0]
    one, other = (
        [name for name in names if name in ("id", "name") or _names_noun(name, plan)]
        for names, plan in ((ones, first), (others, then))
    )
    # with more candidates it is unclear which ones are the same entity
    return (one[0], other[0]) if len(one) == len(other) == 1 else None


def _entities(plan: ToolPlan) -> frozenset[str]:
    parameters = plan.schema.declared_names if plan.schema is not None else frozenset()
    return frozenset(name for name in parameters if plan.targets.names_entity((name,)))


def _names_noun(name: str, plan: ToolPlan) -> bool:
    """Return whether a parameter names the tool's noun: ``user_id`` of ``delete_user``."""
    return not subject_words(name).isdisjoint(plan.action.noun)
