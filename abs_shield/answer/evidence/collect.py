"""What an answer may stand on, gathered from a session, or from documents given with it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from abs_shield.answer.evidence.allowlist import is_pattern, vouching
from abs_shield.answer.evidence.flatten import flattened
from abs_shield.answer.evidence.types import Evidence, ExecutedAction, Passage, Source
from abs_shield.answer.evidence.undone import undone
from abs_shield.core.events import Event, Returned, Said
from abs_shield.errors import ShieldError
from abs_shield.plan.verbs import also_writes, commanded, deed
from abs_shield.session import Session
from abs_shield.session.calls import Executed, TooLarge, is_feedback
from abs_shield.text.failure import tells_failure
from abs_shield.text.leaves import leaves, opened
from abs_shield.text.show import shown

_SOURCES = {"user": Source.USER, "system": Source.SYSTEM}
_EVERY = 1 << 30


def evidence_of(
    session: Session, *, strict_tool_evidence: bool = False, allow: Iterable[Any] = ()
) -> Evidence:
    """
    Gather what a run really returned, in the order in which it was seen.

    Tool results, user and system text, and what the policy allows, each with its source. The
    agent's own words are no evidence, nor are failed and blocked calls, and withheld results.

    Args:
        session: The run. A sub-agent's session reads what its parent has seen as well.
        strict_tool_evidence: Leave out everything but tool results.
        allow: Values that the policy allows; for what matches a glob or a callable, these vouch.

    Returns:
        The evidence. ``blind`` says why a miss proves nothing, where the run has forgotten text
        or the model saw what was not shown here; ``deeds`` is None where calls are forgotten.
    """
    allow = tuple(allow)
    calls = _calls(session)
    pieces = [*_pieces(session, calls)]
    if strict_tool_evidence:
        pieces = [piece for piece in pieces if piece.source is Source.TOOL_RESULT]
    else:
        pieces += _allowed(allow)
    blind = next((one.seen.blind for one in _line(session) if one.seen.blind), "")
    blind = blind or next((_CUT for piece in pieces if piece.cut), "")
    known = not session.opaque_reasons and session.ran_so_far <= len(session.executed)
    failed = tuple(_deed(call) for call in calls if _undone(call))
    deeds = tuple(_deed(call) for call in calls if not _undone(call)) if known else None
    forgot = any(one.forgot for one in _line(session))
    vouches = vouching(session, allow, forgot=forgot, strict=strict_tool_evidence)
    return Evidence(tuple(pieces), deeds=deeds, failed=failed, blind=blind, vouches=vouches)


class Gathered:
    """
    The evidence of a run, gathered again only when the run has gone on: drafts share its index.

    Args:
        session: The run.
        allow: As `evidence_of` has it.
    """

    def __init__(self, session: Session, *, allow: Iterable[Any] = ()) -> None:
        self._session = session
        self._allow = tuple(allow)
        self._kept: tuple[Any, Evidence] | None = None

    def __call__(self, *, strict_tool_evidence: bool) -> Evidence:
        line = _line(self._session)
        seen = [(one.log.version, one.ran_so_far, one.heard_so_far) for one in line]
        key = (seen, strict_tool_evidence)
        if self._kept is None or self._kept[0] != key:
            found = evidence_of(
                self._session, strict_tool_evidence=strict_tool_evidence, allow=self._allow
            )
            self._kept = (key, found)
        return self._kept[1]


def evidence_from(context: Any) -> Evidence:
    """
    Gather evidence from documents.

    Args:
        context: A text, or a list of texts or of ``{"id", "text"}``; JSON in a text is opened.
            Without an id a document is called after its place: ``doc:1``; the second passage
            of one id is ``id#2``.

    Raises:
        ShieldError: It is none of these.
    """
    documents = [context] if isinstance(context, (str, Mapping)) else context
    if not isinstance(documents, (list, tuple)):
        raise ShieldError(f"`context` is {shown(context)}; give a text or a list of documents")
    pieces = _apart([_document(document, place) for place, document in enumerate(documents, 1)])
    return Evidence(tuple(pieces), blind=next((_CUT for piece in pieces if piece.cut), ""))


_OWN_ERROR = "ShieldError: "
_LEAST_ECHO = 3
"""Characters of an argument that an error repeats; shorter ones stand in any text."""
_MOST_ECHOES, _LONGEST_ECHO = 50, 256
_CUT = "a result is too large to be read whole"


def _line(session: Session) -> list[Session]:
    """The session behind those that it may read, oldest first."""
    found = [session]
    while (parent := found[-1].parent) is not None and parent not in found:
        found.append(parent)
    return found[::-1]


def _calls(session: Session) -> list[Executed]:
    own = session.executed
    below = session.newest(_EVERY, heard=True)
    above = [call for one in _line(session)[:-1] for call in one.executed]
    return sorted((*above, *own, *below), key=lambda call: call.at)


def _undone(call: Executed) -> bool:
    if call.error or tells_failure(call.value):
        return True
    return _writes(call) and undone(call.tool, call.arguments, call.value)


def _pieces(session: Session, calls: Iterable[Executed]) -> Iterator[Passage]:
    made: dict[str, list[Executed]] = defaultdict(list)
    for call in calls:
        made[call.call_id or ""].append(call)
    logs = [(one, [*one.entries()]) for one in _line(session)]
    own = [{_call_id(event) for _, event in entries} for _, entries in logs]
    forgot = any(one.forgot for one in _line(session))
    for call_id, some in made.items() if forgot else ():
        for call in some if not any(call_id in ids for ids in own) else ():
            yield from _result(_heard(call), call, call_id or f"{call.tool}:{call.at}")
    for n, (one, entries) in enumerate(logs):
        below = {None}.union(*own[n + 1 :])  # what a sub-agent was told, its parent heard too
        for version, event in entries:
            place = f"{version}" if one is session else f"{one.id}:{version}"
            if isinstance(event, Said) and event.role in _SOURCES:
                yield Passage(f"{event.role}:{place}", _SOURCES[event.role], event.text)
            elif isinstance(event, Returned) and (not event.call_id or event.call_id not in below):
                calls_of_it = made.get(event.call_id or "", [])
                found = calls_of_it.pop(0) if event.call_id and calls_of_it else None
                yield from _result(event, found, place)


def _call_id(event: Event) -> str | None:
    return event.call_id if isinstance(event, Returned) else None


def _heard(call: Executed) -> Returned:
    """What the model was told of a call, where the log has forgotten it."""
    return Returned(call.tool, None if call.nested else call.value, call.call_id, call.error)


def _result(event: Returned, call: Executed | None, place: str) -> Iterator[Passage]:
    value = event.value
    if value is None or _is_ours(event):
        return
    name = event.name or (call.tool if call else "")
    given = call.arguments if call else None
    if event.error or tells_failure(value):
        yield Passage(f"result:{place}", Source.TOOL_RESULT, _without(value, given), name)
        return
    yield _piece(f"result:{place}", event.value, name=name, arguments=given)


def _is_ours(event: Returned) -> bool:
    """Whether a result is this package's word about a call, and no tool's."""
    said = event.value
    if any(is_feedback(said, status) for status in ("blocked", "withheld")):
        return True
    return event.error and isinstance(said, str) and said.startswith(_OWN_ERROR)


def _without(value: Any, arguments: Any) -> str:
    """What an error says, without what it repeats of its call: that is the model's own word."""
    text = "" if isinstance(value, TooLarge) else flattened(value).text
    given = () if arguments is None else islice(leaves(arguments), _MOST_ECHOES)
    said = {str(leaf)[:_LONGEST_ECHO] for _, leaf in given}
    echoes = sorted((one for one in said if len(one) >= _LEAST_ECHO), key=len, reverse=True)
    if not echoes:
        return text
    return re.sub(rf"(?<![\w-])(?:{'|'.join(map(re.escape, echoes))})(?!-?\w)", " ", text)


def _piece(id: str, value: Any, *, name: str = "", arguments: Any = None) -> Passage:
    given = None if arguments is None else flattened(arguments).value
    value = opened(value) or value if isinstance(value, str) else value
    flat = flattened(None if isinstance(value, TooLarge) else value, tables=True)
    cut = flat.cut or isinstance(value, TooLarge)
    tree = isinstance(flat.value, (dict, list))
    return Passage(
        id, Source.TOOL_RESULT, flat.text if flat.value is not None else "", name,
        lines=flat.lines if tree else (), value=flat.value, arguments=given, cut=cut,
    )  # fmt: skip


def _document(document: Any, place: int) -> Passage:
    if isinstance(document, str):
        return _piece(f"doc:{place}", document)
    text = document.get("text") if isinstance(document, Mapping) else None
    if not isinstance(text, str):
        raise ShieldError(
            f"document {place} of `context` is {shown(document)}; give a text or "
            '`{"id": ..., "text": ...}`'
        )
    given = document.get("id")
    return _piece(f"doc:{place}" if given is None else str(given)[:1_024], text)


def _apart(pieces: Iterable[Passage]) -> list[Passage]:
    """Give every piece an id of its own: passages are often called after their document."""
    seen: Counter[str] = Counter()
    told: dict[str, Passage] = {}
    for piece in pieces:
        id = piece.id
        while id in told:
            seen[piece.id] += 1
            id = f"{piece.id}#{seen[piece.id] + 1}"
        told[id] = piece if id == piece.id else replace(piece, id=id)
    return list(told.values())


def _allowed(allow: Iterable[Any]) -> Iterator[Passage]:
    for place, value in enumerate(allow, 1):
        plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
        if plain and not is_pattern(value):
            yield Passage(f"allowed:{place}", Source.ALLOWLIST, flattened(value).text)


def _deed(call: Executed) -> ExecutedAction:
    given = flattened(call.arguments).value
    value = None if isinstance(call.value, TooLarge) else call.value
    return ExecutedAction(call.tool, given, reads=not _writes(call), value=value)


def _writes(call: Executed) -> bool:
    ordered = commanded(call.arguments)
    return (ordered or deed(call.tool)).writes or bool(also_writes(call.tool))
