"""Layer 4: this call undoes one made a moment ago."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from abs_shield.core import RAN, Coverage, Finding, Unavailable, Verdict
from abs_shield.core.call import ToolCall
from abs_shield.core.events import Said
from abs_shield.plan import Proposal, Terms, ToolPlan
from abs_shield.plan.asked import asked_for, is_around
from abs_shield.plan.history import (
    History,
    Spelt,
    Write,
    of_one_noun,
    own_entities,
    undoes,
    write_of,
)
from abs_shield.plan.layer import NO_SESSION, Check
from abs_shield.plan.meant import names_both
from abs_shield.plan.moves import moves
from abs_shield.plan.names import by_name
from abs_shield.plan.proposed import Proposed
from abs_shield.plan.result_ids import entity_text
from abs_shield.plan.spellings import Spellings, is_same_entity
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.values import is_token
from abs_shield.plan.verbs import are_opposite, opposite
from abs_shield.policy import Inverse
from abs_shield.session import Session
from abs_shield.session.call_states import object_of
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.text.leaves import Path, name_of, pointer, scalar_text
from abs_shield.text.names import is_free, name_words
from abs_shield.text.show import escaped
from abs_shield.text.verbs import Does

_DECLARED, _UNDONE, _WEAK = 3, 2, 1
"""Ranks: which of several contradictions of one window a call is flagged for."""
_MOST_SIBLINGS = 32
_MOST_READ = 8_192
_LEAST_ALIKE = 2
_SELF = frozenset("user profile account setting preference password me my".split())
"""Nouns of what belongs to the user who speaks."""
_WHERE = frozenset(
    "key name field setting option preference attribute property range cell row column index "
    "position offset selector line old find anchor element ref child children insert append page "
    "sheet tab section block part chunk item op operation operations edit patch diff data status "
    "stage phase progress".split()
)
"""Words of parameters that say which of several values is set, or how far a thing has come."""
_NUMBERS = (("number",), ("no",), ("num",))
_HANDLES = frozenset(
    "file connection session browser tab page stream cursor transaction socket document window app "
    "lock".split()
)
"""What is opened to be closed again."""
_CLOSING = frozenset("close disconnect release unlock leave end stop".split())

_Ranked = tuple[int, Finding | None]
_NONE: _Ranked = (0, None)


def self_contradiction(proposal: Proposal, session: Session) -> Iterable[Finding | Unavailable]:
    """``create_user(id=1)`` is followed at once by ``delete_user(id=1)``."""
    record = record_of(session)
    if record.ephemeral:
        return (Unavailable("no session"),)
    tool = proposal.tool
    if tool is None or not tool.writes:
        return ()
    history = History.of(record, proposal.terms.plans, owner=proposal.terms.owner)
    if not history.writes and not proposal.siblings:
        return ()
    spelt = Spellings(history.spellings).learn
    earlier = [*_open(history, proposal, session), *_siblings(history, proposal, session, spelt)]
    if not earlier:
        return ()
    then = write_of(
        tool, proposal.arguments, place=history.place, at=proposal.at, turn=session.turns,
        spelt=spelt,
    )  # fmt: skip
    return _contradictions(earlier, then, proposal, session)


def prepare_self_contradiction(plan: ToolPlan, terms: Terms, names: tuple[str, ...]) -> Check:
    """Clean where nothing was written in this turn yet."""

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return NO_SESSION
        writes = History.of(record, terms.plans, owner=terms.owner).writes
        return RAN if not writes or writes[-1].turn != record.turns else None

    def reading(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        return NO_SESSION if record.ephemeral else RAN

    return check if plan.writes else reading


def _contradictions(
    earlier: Sequence[Write], then: Write, proposal: Proposal, session: Session
) -> Iterator[Finding]:
    """
    The gravest contradiction of the window, the newest of equal ones, unless one is meant.

    Not the newest of all: the user that was just created and updated nine times would only be
    one that is updated and deleted.
    """
    gravest = 0
    found: Finding | None = None
    for n, first in reversed([*enumerate(earlier)]):
        rank, finding = _contradiction(first, then, proposal)
        if finding is None:
            continue
        if rank != _DECLARED and _is_meant(first, then, earlier[n + 1 :], session):
            if finding.code == "undone":
                return
            continue
        if rank > gravest:
            gravest, found = rank, finding
    if found is not None:
        yield found


def _open(history: History, proposal: Proposal, session: Session) -> Iterator[Write]:
    """Writes of this turn within the window that nothing has taken back yet."""
    calls, seconds = proposal.terms.window
    writes = history.writes
    for n in range(max(0, len(writes) - calls), len(writes)):
        first = writes[n]
        near = history.place - first.place <= calls and proposal.at - first.at <= seconds
        if first.call_id in proposal.later:
            continue
        if near and first.turn == session.turns and first.place not in history.spent:
            yield first


def _siblings(history: History, proposal: Proposal, session: Session, spelt: Spelt) -> list[Write]:
    """Writes that were proposed before this one in the same turn, within the window."""
    calls, _ = proposal.terms.window
    newest = reversed(proposal.siblings[-_MOST_SIBLINGS:])
    planned = ((call, plan) for call in newest if (plan := proposal.plan(call.name)) is not None)
    writes = [*islice((one for one in planned if one[1].writes), calls)][::-1]

    def read(call: ToolCall, plan: ToolPlan) -> Write:
        place, turn = history.place, session.turns
        return write_of(plan, object_of(call), place=place, at=proposal.at, turn=turn, spelt=spelt)

    return Proposed.writes(writes, proposal, session, read)


def _contradiction(first: Write, then: Write, proposal: Proposal) -> _Ranked:
    assert proposal.tool is not None
    for pair in proposal.tool.inverses:
        if pair.first == first.tool and _meets(pair, first, then, proposal.tool):
            if _excused(pair, first, then):
                return _NONE
            named = pair.same[pair.then]
            return _DECLARED, _finding(first, then, "declared", "undone", named=named)
    if _is_handle(then):
        return _NONE
    rank = _rank(first, then)
    if moves(first, then):
        return _NONE
    if rank and (first.meets(then) or then.has_content_of(first)):
        return rank, _finding(first, then, "contradiction", "undone")
    if undoes(first, then):
        return _UNDONE, _finding(first, then, "contradiction", "undone")
    if _conflicts(first, then):
        return _WEAK, _finding(first, then, "contradiction", "conflicting")
    if _turns_round(first, then):
        return _WEAK, _finding(first, then, "contradiction", "undone")
    return _NONE


def _is_meant(first: Write, then: Write, between: Sequence[Write], session: Session) -> bool:
    """Whether the user asked for both steps, or the second one resumes what was interrupted."""
    said = _newest_words(session)
    if first.tool == then.tool:
        pairs, of = _differing(first, then), own_entities(first) | own_entities(then)
        return any(names_both(said, one, other, of=of) for one, other in pairs)
    if asked_for(first.deed, then.deed, said):
        return True
    another = any(write.tool not in (first.tool, then.tool) for write in between)
    if another and _is_switched(first, then) and is_around(said):
        return True
    resumes = first.deed.does is Does.UNMAKE and then.deed.does is Does.MAKE
    worked_on = (write for write in between if write.deed.does in (Does.CHANGE, Does.ACT))
    return resumes and any(first.meets(write) for write in worked_on)


def _is_switched(first: Write, then: Write) -> bool:
    """Whether what is off is put on, or back, and nothing is made for the time of another deed."""
    return opposite(first.deed, then.deed) and not (first.deed.mints or then.deed.mints)


def _differing(first: Write, then: Write) -> list[tuple[Any, Any]]:
    """The values of a tool that two calls set to something else."""
    return [
        (first.values[path], then.values[path])
        for path in first.values.keys() & then.values.keys()
        if first.values[path] != then.values[path]
    ]


def _newest_words(session: Session) -> str:
    said = (entry.event for entry in session.entries())
    told = [event.text for event in said if isinstance(event, Said) and event.role == "user"]
    return told[-1][:_MOST_READ] if told else ""


def _rank(first: Write, then: Write) -> int:
    """Return how surely two verbs on one noun take each other back, as a rank; 0 of others."""
    if not of_one_noun(first, then):
        return 0
    if not (first.deed.noun and then.deed.noun) and first.deed.does is not Does.MAKE:
        return 0
    pair = (first.deed.does, then.deed.does)
    if pair == (Does.MAKE, Does.UNMAKE):
        return _UNDONE
    if pair in ((Does.UNMAKE, Does.MAKE), (Does.CHANGE, Does.UNMAKE)):
        return _WEAK
    return 0


def _is_handle(then: Write) -> bool:
    """Whether a call closes what is opened to be closed: a file, a connection, a lock."""
    return then.deed.verb in _CLOSING and not _HANDLES.isdisjoint(then.deed.noun)


def _meets(pair: Inverse, first: Write, then: Write, tool: ToolPlan) -> bool:
    one, name = first.arguments.get(pair.same[pair.first]), pair.same[pair.then]
    other = then.arguments.get(name)
    text, spelt = entity_text(one), entity_text(other)
    if text is None or spelt is None:
        return one is not None and type(one) is type(other) and bool(one == other)
    return is_same_entity(text, spelt, number=tool.targets.parameters.at((name,)).field.number)


def _excused(pair: Inverse, first: Write, then: Write) -> bool:
    if pair.unless is None:
        return False
    calls = (ToolCall(w.tool, dict(w.arguments)) for w in (first, then))
    return bool(pair.unless(*calls))


def _conflicts(first: Write, then: Write) -> bool:
    """Whether the same write on the same entity sets one value to something else."""
    if first.tool != then.tool or then.deed.does is not Does.CHANGE or then.deed.verb == "move":
        return False
    if own_entities(first) != own_entities(then):
        return False
    differing = {
        path
        for path in first.values.keys() & then.values.keys()
        if first.values[path] != then.values[path]
    }
    if any(_says_where(path) or _numbers(path) for path in differing):
        return False
    return bool(differing) if _has_subject(then) else _is_setting(first, then, differing)


def _turns_round(first: Write, then: Write) -> bool:
    """Whether two calls are alike but for one value, which says the opposite: buy, then sell."""
    if first.tool != then.tool or first.arguments.keys() != then.arguments.keys():
        return False
    pairs = ((value, then.arguments[name]) for name, value in first.arguments.items())
    differing = [pair for pair in pairs if pair[0] != pair[1] or type(pair[0]) is not type(pair[1])]
    if len(differing) != 1 or len(first.arguments) < _LEAST_ALIKE:
        return False
    one, other = differing[0]
    if isinstance(one, bool) and isinstance(other, bool):
        return True
    return isinstance(one, str) and isinstance(other, str) and are_opposite(one, other)


def _is_setting(first: Write, then: Write, differing: set[Path]) -> bool:
    """Whether two writes on nothing that has a name are alike but for one value, a setting's."""
    if len(differing) != 1 or first.values.keys() != then.values.keys():
        return False
    (path,) = differing
    value = then.values[path]
    if isinstance(value, str):
        return not is_token(value)  # one with digits may name another thing
    return isinstance(value, float) or by_name(name_of(path)) == "never"


def _says_where(path: Path) -> bool:
    """Whether a parameter says which part of the entity is set, or holds a text that is edited."""
    said = name_words(name_of(path))
    return is_free(name_of(path)) or not _WHERE.isdisjoint(said)


def _numbers(path: Path) -> bool:
    """Whether a parameter numbers the thing that is changed: ``accession_number``."""
    name = name_of(path)
    return name_words(name)[-1:] in _NUMBERS and by_name(name) == "hard"


def _has_subject(write: Write) -> bool:
    """Whether a write says what it is done to, or is done to what there is one of: the user."""
    return bool(own_entities(write)) or not _SELF.isdisjoint(write.deed.noun)


def _finding(first: Write, then: Write, basis: str, code: str, *, named: str = "") -> Finding:
    told = scalar_text(then.arguments.get(named)) if named else None
    met = [told] if told else sorted(first.meets(then))[:1]
    entity = f" on `{escaped(met[0])}`" if met else ""
    did = "undoes" if code == "undone" else "sets other values than"
    where = named or next((n for n, found in then.entities.items() if met and met[0] in found), "")
    return Finding(
        check="self_contradiction",
        verdict=Verdict.SUSPICIOUS,
        strength=STRENGTHS[basis].strength,
        basis=basis,
        where="/arguments" + (pointer((where,)) if where else ""),
        detail=f"this call{entity} {did} `{first.tool}`, which ran a moment ago",
        code=code,
        hint="do this only if the user asked for it",
        expected=f"no call against `{first.tool}` in the same turn",
        evidence={"first": first.tool},
    )
