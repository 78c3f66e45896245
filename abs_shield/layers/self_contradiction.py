"""Layer 4: the call undoes a recent one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from abs_shield.core import RAN, Coverage, Finding, Unavailable, Verdict
from abs_shield.core.events import MessageText, ToolCall
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.dry_runs import is_dry_run
from abs_shield.plan.entity_moves import is_move, is_replacement
from abs_shield.plan.entity_write import Write, have_same_subject, subject_entities, undoes
from abs_shield.plan.layer import NO_SESSION, Check, Layer
from abs_shield.plan.parameter_names import classify_name
from abs_shield.plan.parameter_values import NUMBER_NAMES, is_token
from abs_shield.plan.proposed_writes import ProposedWrites
from abs_shield.plan.requested_steps import requests_both_steps, requests_enclosing_step
from abs_shield.plan.requested_values import names_both_values
from abs_shield.plan.result_ids import entity_text
from abs_shield.plan.spellings import is_same_entity
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.tool_action import are_opposite_actions, are_opposite_words
from abs_shield.plan.write_extraction import resolve_action
from abs_shield.plan.write_history import WriteHistory
from abs_shield.policy import Inverse
from abs_shield.session import Session
from abs_shield.session.call_states import object_of
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.text.identifier_words import is_free_text_field, name_words
from abs_shield.text.json_leaves import Path, name_of, pointer, scalar_text
from abs_shield.text.safe_display import escaped
from abs_shield.text.verbs import VerbEffect

_DECLARED, _UNDONE, _WEAK = 3, 2, 1
"""Ranks: the contradiction of the highest rank in the window is reported."""
_RANKS = {
    (VerbEffect.MAKE, VerbEffect.UNMAKE): _UNDONE,
    (VerbEffect.UNMAKE, VerbEffect.MAKE): _WEAK,
    (VerbEffect.CHANGE, VerbEffect.UNMAKE): _WEAK,
}
"""Ranks of two verbs on one noun, the earlier verb first; all other pairs have none."""
_MAX_SIBLINGS = 32  # earlier calls of the turn; more than the default window of 10
# A longer message is a pasted document, which would be searched for each step.
_MAX_TEXT_LENGTH = 8_192
_MIN_ARGUMENTS = 2  # one argument does not show that both calls are about the same thing
_USER_NOUNS = frozenset("user profile account setting preference password me my".split())
"""Things that the current user has only one of."""
_PART_WORDS = frozenset(
    "key name field setting option preference attribute property range cell row column index "
    "position offset selector line old find anchor element ref child children insert append page "
    "sheet tab section block part chunk item op operation operations edit patch diff data status "
    "stage phase progress scope occurrence instance".split()
)
"""Words of parameters that select one of several values, or state a progress."""
_HANDLES = frozenset(
    "file connection session browser tab page stream cursor transaction socket document window app "
    "lock".split()
)
"""Objects that are opened and closed."""
_CLOSING_VERBS = frozenset("close disconnect release unlock leave end stop".split())

_Ranked = tuple[int, Finding | None]
_NO_CONTRADICTION: _Ranked = (0, None)


def self_contradiction(proposal: Proposal, session: Session) -> Iterable[Finding | Unavailable]:
    """``create_user(id=1)`` is followed by ``delete_user(id=1)`` in the same turn."""
    record = record_of(session)
    if record.ephemeral:
        return (Unavailable("no session"),)
    tool = proposal.tool
    if tool is None or not tool.writes:
        return ()
    history = WriteHistory.of(record, proposal.terms.plans, owner=proposal.terms.owner)
    if not history.writes and not proposal.siblings:
        return ()
    if not _may_contradict_any(tool, proposal, history):
        return ()
    proposed = ProposedWrites.of(history, proposal, session)
    siblings = _sibling_writes(proposed, proposal)
    earlier = [*_open_writes(history, proposal, session), *siblings]
    if not earlier or is_dry_run(tool.tool, proposal.arguments):
        return ()
    then = proposed.add(proposal.call, tool, proposal.arguments)
    return _contradictions(earlier, then, proposal, session, history=history)


def prepare_self_contradiction(plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]) -> Check:
    """Prepare a check that returns RAN if the turn has no write yet."""

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return NO_SESSION
        writes = WriteHistory.of(record, terms.plans, owner=terms.owner).writes
        # A contradiction needs an earlier write of the same turn; the newest write is the last.
        return RAN if not writes or writes[-1].turn != record.turns else None

    def reading(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        return NO_SESSION if record.ephemeral else RAN

    return check if plan.writes else reading


def _may_contradict_any(tool: ToolPlan, proposal: Proposal, history: WriteHistory) -> bool:
    """Return whether a call can contradict any earlier one; see `_may_contradict`."""
    # before any write of the turn is built, because most writes are of this kind
    if tool.inverses or resolve_action(tool.action, proposal.arguments).does is not VerbEffect.ACT:
        return True
    return any(
        call.name == tool.name and len(object_of(call)) >= _MIN_ARGUMENTS
        for call in proposal.siblings[-_MAX_SIBLINGS:]
    ) or any(
        write.tool == tool.name and len(write.arguments) >= _MIN_ARGUMENTS
        for write in history.writes
    )


def _contradictions(
    earlier: Sequence[Write],
    then: Write,
    proposal: Proposal,
    session: Session,
    *,
    history: WriteHistory,
) -> Iterator[Finding]:
    """
    Yield the contradiction of the highest rank, the newest of equal ones, unless intended.

    Not the newest of all: a user that was created, then updated nine times, would be reported as
    updated and deleted.
    """
    gravest = 0
    finding_to_report: Finding | None = None
    assert proposal.tool is not None
    declared = {pair.first for pair in proposal.tool.inverses}
    # Newest first, so that the newest of equal ranks is selected.
    for n, first in reversed([*enumerate(earlier)]):
        if first.tool not in declared and not _may_contradict(first, then):
            continue
        rank, finding = _contradiction(first, then, proposal)
        if finding is None:
            continue
        # The author declared the pair, and can declare exceptions with `unless=`.
        if rank != _DECLARED and (
            _is_intended(first, then, earlier[n + 1 :], session)
            or is_replacement(first, then, history.writes)
        ):
            if finding.code == "undone":
                return
            continue
        if rank > gravest:
            gravest, finding_to_report = rank, finding
    if finding_to_report is not None:
        yield finding_to_report


def _open_writes(history: WriteHistory, proposal: Proposal, session: Session) -> Iterator[Write]:
    """Yield the writes of this turn within the window that are not undone yet."""
    calls, seconds = proposal.terms.window
    writes = history.writes
    for n in range(max(0, len(writes) - calls), len(writes)):
        first = writes[n]
        near = history.write_count - first.position <= calls and proposal.at - first.at <= seconds
        # It was proposed after this call, and ran earlier only because calls run in parallel.
        if first.call_key in proposal.later:
            continue
        if near and first.turn == session.turns and first.position not in history.undone:
            yield first


def _sibling_writes(proposed: ProposedWrites, proposal: Proposal) -> list[Write]:
    """Return the writes that the same turn proposed before this one, within the window."""
    calls, _ = proposal.terms.window
    writes: list[Write] = []
    plans: dict[str, ToolPlan | None] = {}
    # The newest first, because the window may have room for fewer of them.
    for call in reversed(proposal.siblings[-_MAX_SIBLINGS:]):
        if call.name not in plans:
            plans[call.name] = proposal.plan(call.name)
        plan = plans[call.name]
        if plan is not None and plan.writes and not is_dry_run(plan.tool, object_of(call)):
            writes.append(proposed.write(call, plan))
            if len(writes) == calls:
                break
    return writes[::-1]


def _may_contradict(first: Write, then: Write) -> bool:
    """
    Return whether two writes can contradict each other at all, judging by their actions.

    A call is compared with each write of the window, and few pairs can.
    """
    does = then.action.does
    if first.tool == then.tool and (
        does is VerbEffect.CHANGE or len(first.arguments) >= _MIN_ARGUMENTS
    ):
        return True
    return (first.action.does, does) in _RANKS or (
        does is VerbEffect.UNMAKE and first.action.is_undoable
    )


def _contradiction(first: Write, then: Write, proposal: Proposal) -> _Ranked:
    assert proposal.tool is not None
    for pair in proposal.tool.inverses:
        if pair.first == first.tool and _have_same_entity(pair, first, then, proposal.tool):
            if _is_excepted(pair, first, then):
                return _NO_CONTRADICTION
            parameter = pair.same[pair.then]
            return _DECLARED, _finding(first, then, "declared", "undone", parameter=parameter)
    # After the declared pairs, because an author may declare that closing is a mistake.
    if _is_handle(then):
        return _NO_CONTRADICTION
    rank = _rank_by_verbs(first, then)
    # A move is neither a reversal nor a conflict, whatever its rank.
    if is_move(first, then):
        return _NO_CONTRADICTION
    if rank and (first.shared_identifiers(then) or then.repeats_content_of(first)):
        return rank, _finding(first, then, "contradiction", "undone")
    if undoes(first, then):
        return _UNDONE, _finding(first, then, "contradiction", "undone")
    if _is_conflicting(first, then):
        return _WEAK, _finding(first, then, "contradiction", "conflicting")
    if _reverses_one_value(first, then):
        return _WEAK, _finding(first, then, "contradiction", "undone")
    return _NO_CONTRADICTION


def _is_intended(first: Write, then: Write, between: Sequence[Write], session: Session) -> bool:
    """Return whether the user asked for both steps, or the second one resumes a paused state."""
    user_text = _newest_user_text(session)
    if first.tool == then.tool:
        pairs, of = _differing(first, then), subject_entities(first) | subject_entities(then)
        return any(names_both_values(user_text, one, other, of=of) for one, other in pairs)
    if requests_both_steps(first.action, then.action, user_text):
        return True
    other_tool_ran = any(write.tool not in (first.tool, then.tool) for write in between)
    if other_tool_ran and _is_toggled(first, then) and requests_enclosing_step(user_text):
        return True
    resumes = first.action.does is VerbEffect.UNMAKE and then.action.does is VerbEffect.MAKE
    worked_on = (
        write for write in between if write.action.does in (VerbEffect.CHANGE, VerbEffect.ACT)
    )
    return resumes and any(first.shared_identifiers(write) for write in worked_on)


def _is_toggled(first: Write, then: Write) -> bool:
    """Return whether both toggle one state, and neither creates an object."""
    return are_opposite_actions(first.action, then.action) and not (
        first.action.creates or then.action.creates
    )


def _differing(first: Write, then: Write) -> list[tuple[Any, Any]]:
    """Return the pairs of values that two calls set differently."""
    return [
        (first.values[path], then.values[path])
        for path in first.values.keys() & then.values.keys()
        if first.values[path] != then.values[path]
    ]


def _newest_user_text(session: Session) -> str:
    events = (entry.event for entry in session.entries())
    texts = [
        event.text for event in events if isinstance(event, MessageText) and event.role == "user"
    ]
    return texts[-1][:_MAX_TEXT_LENGTH] if texts else ""


def _rank_by_verbs(first: Write, then: Write) -> int:
    """Return the rank of a pair of verbs on one noun that undo each other; 0 if they do not."""
    # The verbs first: a call is compared with each write of the window, and few pairs have a rank.
    rank = _RANKS.get((first.action.does, then.action.does), 0)
    if not rank or not have_same_subject(first, then):
        return 0
    if not (first.action.noun and then.action.noun) and first.action.does is not VerbEffect.MAKE:
        return 0
    return rank


def _is_handle(then: Write) -> bool:
    """Return whether a call closes a handle: a file, a connection, a lock."""
    return then.action.verb in _CLOSING_VERBS and not _HANDLES.isdisjoint(then.action.noun)


def _have_same_entity(pair: Inverse, first: Write, then: Write, tool: ToolPlan) -> bool:
    one, name = first.arguments.get(pair.same[pair.first]), pair.same[pair.then]
    other = then.arguments.get(name)
    text, other_text = entity_text(one), entity_text(other)
    if text is None or other_text is None:
        # An entity that is not a scalar has no other spelling, so the values are compared.
        return one is not None and type(one) is type(other) and bool(one == other)
    return is_same_entity(text, other_text, number=tool.targets.parameters.at((name,)).field.number)


def _is_excepted(pair: Inverse, first: Write, then: Write) -> bool:
    if pair.unless is None:
        return False
    calls = (ToolCall(w.tool, dict(w.arguments)) for w in (first, then))
    return bool(pair.unless(*calls))


def _is_conflicting(first: Write, then: Write) -> bool:
    """Return whether the same tool sets another value on the same entity."""
    if (
        first.tool != then.tool
        or then.action.does is not VerbEffect.CHANGE
        or then.action.verb == "move"
    ):
        return False
    if subject_entities(first) != subject_entities(then):
        return False
    differing = {
        path
        for path in first.values.keys() & then.values.keys()
        if first.values[path] != then.values[path]
    }
    if any(_names_part_or_text(path) or _is_number_of_entity(path) for path in differing):
        return False
    return bool(differing) if _has_subject(then) else _is_setting(first, then, differing)


def _reverses_one_value(first: Write, then: Write) -> bool:
    """Return whether two calls differ in one value, which is the opposite: buy, then sell."""
    if first.tool != then.tool or len(first.arguments) < _MIN_ARGUMENTS:
        return False
    if first.arguments.keys() != then.arguments.keys():
        return False
    pairs = ((value, then.arguments[name]) for name, value in first.arguments.items())
    # Types as well, because `True == 1`.
    differing = [pair for pair in pairs if pair[0] != pair[1] or type(pair[0]) is not type(pair[1])]
    if len(differing) != 1:
        return False
    one, other = differing[0]
    if isinstance(one, bool) and isinstance(other, bool):
        return True
    return isinstance(one, str) and isinstance(other, str) and are_opposite_words(one, other)


def _is_setting(first: Write, then: Write, paths: set[Path]) -> bool:
    """Return whether two writes without an entity differ in one value, that of a setting."""
    if len(paths) != 1 or first.values.keys() != then.values.keys():
        return False
    (path,) = paths
    value = then.values[path]
    if isinstance(value, str):
        return not is_token(value)  # a value with digits may name another thing
    return isinstance(value, float) or classify_name(name_of(path)) == "never"


def _names_part_or_text(path: Path) -> bool:
    """Return whether a parameter selects a part of the entity, or contains a text to edit."""
    words = name_words(name_of(path))
    return is_free_text_field(name_of(path)) or not _PART_WORDS.isdisjoint(words)


def _is_number_of_entity(path: Path) -> bool:
    """Return whether a parameter is a number of the changed entity: ``accession_number``."""
    name = name_of(path)
    return name_words(name)[-1:] in NUMBER_NAMES and classify_name(name) == "hard"


def _has_subject(write: Write) -> bool:
    """Return whether a write names its entity, or acts on one that exists once: the user."""
    return bool(subject_entities(write)) or not _USER_NOUNS.isdisjoint(write.action.noun)


def _finding(first: Write, then: Write, basis: str, code: str, *, parameter: str = "") -> Finding:
    value = scalar_text(then.arguments.get(parameter)) if parameter else None
    shared = [value] if value else sorted(first.shared_identifiers(then))[:1]
    entity = f" on `{escaped(shared[0])}`" if shared else ""
    did = "undoes" if code == "undone" else "sets other values than"
    where = parameter or next(
        (n for n, values in then.entities.items() if shared and shared[0] in values), ""
    )
    return Finding(
        check="self_contradiction",
        verdict=Verdict.SUSPICIOUS,
        strength=STRENGTHS[basis].strength,
        basis=basis,
        where="/arguments" + (pointer((where,)) if where else ""),
        detail=f"this call{entity} {did} `{first.tool}`, which ran a moment ago",
        code=code,
        hint="do this only if the user asked for it",
        expected=f"no call that contradicts `{first.tool}` in the same turn",
        evidence={"first": first.tool},
    )


LAYER = Layer("self_contradiction", self_contradiction, prepare_self_contradiction, of_model=True)
