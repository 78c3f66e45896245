"""Collection of the evidence for an answer from a session or from documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from abs_shield.answer.evidence.evidence_allowlist import is_pattern, vouch
from abs_shield.answer.evidence.evidence_passages import (
    Evidence,
    ExecutedAction,
    Passage,
    PassageSource,
)
from abs_shield.answer.evidence.reading_limits import MOST_NUMBERS, MOST_PASSAGES, beginning, count
from abs_shield.answer.evidence.result_lines import flatten
from abs_shield.answer.evidence.undone_actions import undone
from abs_shield.core.events import MessageText, Returned
from abs_shield.errors import ShieldError
from abs_shield.plan.tool_action import find_second_write_verb, parse_action, parse_action_argument
from abs_shield.session import Session
from abs_shield.session.call_states import Executed, TooLarge, is_feedback
from abs_shield.session.session_record import record_of
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.json_leaves import leaves, parse_container
from abs_shield.text.safe_display import shown

_SOURCES = {"user": PassageSource.USER, "system": PassageSource.SYSTEM}
_EVERY = 1 << 30  # all of them: the record has its own bound
# this package's own exceptions come back to the model as a tool's error
_OWN_ERROR = "ShieldError: "
_LEAST_ECHO = 3
"""Fewest characters of an argument that an error repeats; shorter ones occur in any text."""
# an error repeats a few arguments; each is an alternative of one pattern
_MOST_ECHOES, _LONGEST_ECHO = 50, 256
_CUT = "a result is too large to be read whole"
_UNREAD = (
    f"the evidence has more than {MOST_NUMBERS:,} numbers and sentences, or"
    f" {MOST_PASSAGES:,} passages"
)


def evidence_of(
    session: Session, *, strict_tool_evidence: bool = False, allow: Iterable[Any] = ()
) -> Evidence:
    """
    Collect the evidence of a run, in order of occurrence.

    It consists of tool results, user and system text, and values that the policy allows, each
    with its source. The agent's own words, failed and blocked calls, and withheld results are
    not evidence.

    Args:
        session: The run. A sub-agent's session also has the evidence of its parent.
        strict_tool_evidence: Whether only tool results are evidence.
        allow: Values, globs and callables that the policy allows.

    Returns:
        The evidence. ``blind`` is set if the run has forgotten text, or the model saw text that is
        not recorded here; ``executed`` is None if calls are forgotten.
    """
    allow = tuple(allow)
    line = _lineage(session)
    record, records = record_of(session), [*map(record_of, line)]
    calls = _calls(session, line)
    passages = list(_passages(session, line, calls))
    if strict_tool_evidence:
        passages = [passage for passage in passages if passage.source is PassageSource.TOOL_RESULT]
    else:
        passages += _allowed_passages(allow)
    read = [*_within_limits(reversed(passages))][::-1]  # newest first, as an answer reports those
    failed = [_has_failed(call) for call in calls]
    # forgotten calls may have performed what the answer claims
    is_complete = not record.opaque_reasons and record.execution_count <= len(record.executions)
    blind = next(
        (one.mentions.unknown_reason for one in records if one.mentions.unknown_reason), ""
    )
    unread = _unread(read, len(passages))
    forgot = bool(unread) or any(one.log.is_truncated for one in records)
    return Evidence(
        tuple(read),
        executed=tuple(_action(call) for call, off in zip(calls, failed, strict=True) if not off)
        if is_complete
        else None,
        failed=tuple(_action(call) for call, off in zip(calls, failed, strict=True) if off),
        blind=blind,
        unread=unread,
        vouches=vouch(session, allow, forgot=forgot, strict=strict_tool_evidence),
    )


class CachedEvidence:
    """
    The evidence of a run, collected again only after the run has gone on: drafts share its index.

    Args:
        session: The run.
        allow: Values, globs and callables that the policy allows.
    """

    def __init__(self, session: Session, *, allow: Iterable[Any] = ()) -> None:
        self._session = session
        self._allow = tuple(allow)
        self._newest: tuple[Any, Evidence] | None = None

    def __call__(self, *, strict_tool_evidence: bool) -> Evidence:
        records = map(record_of, _lineage(self._session))
        state = [
            (one.log.version, one.execution_count, one.child_execution_count) for one in records
        ]
        key = (state, strict_tool_evidence)
        # sessions only grow, so the same counts mean the same content
        if self._newest is None or self._newest[0] != key:
            evidence = evidence_of(
                self._session, strict_tool_evidence=strict_tool_evidence, allow=self._allow
            )
            self._newest = (key, evidence)
        return self._newest[1]


def evidence_from(context: Any, *, name: str = "context") -> Evidence:
    """
    Collect evidence from documents.

    Args:
        context: A text, or a list of texts or of ``{"id", "text"}``; JSON in a text is parsed.
            Without an id a document is named by its position: ``doc:1``; the second passage
            with the same id is ``id#2``.
        name: Name of the argument in error messages.

    Raises:
        ShieldError: *context* has another type.
    """
    documents = [context] if isinstance(context, (str, Mapping)) else context
    if not isinstance(documents, (list, tuple)):
        raise ShieldError(f"`{name}` is {shown(context)}; give a text or a list of documents")
    for place, document in enumerate(documents, 1):
        if not isinstance(document, str):
            _validate(document, name, place)
    some = (_document(document, place) for place, document in enumerate(documents, 1))
    passages = tuple(_with_unique_ids(_within_limits(some)))
    return Evidence(passages, unread=_unread(passages, len(documents)))


# Extent -------------------------------------------------------------------------------------------


def _within_limits(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Yield passages up to 40,000 numbers and sentences, and 20,000 passages."""
    numbers = 0
    for passage in islice(passages, MOST_PASSAGES):
        left = MOST_NUMBERS - numbers
        numbers += passage.numbers
        if numbers > MOST_NUMBERS:
            if not passage.lines:  # JSON lines are cut while they are flattened
                text = beginning(passage.text, left)
                value = text if isinstance(passage.value, str) else None
                yield replace(passage, text=text, value=value, cut=True)
            return
        yield passage


def _unread(read: Sequence[Passage], total: int) -> str:
    """Return why a part of the evidence is not read; empty if all is read."""
    if len(read) < total:
        return _UNREAD
    return _CUT if any(passage.cut for passage in read) else ""


# Calls --------------------------------------------------------------------------------------------


def _lineage(session: Session) -> list[Session]:
    """Return a session after those whose records it may read, oldest first."""
    line = [session]
    # a session that is its own ancestor would loop
    while (parent := line[-1].parent) is not None and parent not in line:
        line.append(parent)
    return line[::-1]


def _calls(session: Session, line: list[Session]) -> list[Executed]:
    below = record_of(session).newest(_EVERY, of_children=True)
    own = [call for one in line for call in one.executed]
    return sorted((*own, *below), key=lambda call: call.at)


def _has_failed(call: Executed) -> bool:
    if call.error or is_failure_result(call.value):
        return True
    return _writes(call) and undone(call.tool, call.arguments, call.value)


def _writes(call: Executed) -> bool:
    ordered = parse_action_argument(call.arguments)
    return (ordered or parse_action(call.tool)).writes or bool(find_second_write_verb(call.tool))


def _action(call: Executed) -> ExecutedAction:
    value = None if isinstance(call.value, TooLarge) else call.value
    arguments = flatten(call.arguments).value
    return ExecutedAction(call.tool, arguments, reads=not _writes(call), value=value)


# Passages -----------------------------------------------------------------------------------------


def _passages(session: Session, line: list[Session], calls: list[Executed]) -> Iterator[Passage]:
    """Yield the passages of a run: results that the log has forgotten, then its messages."""
    by_id: dict[str, list[Executed]] = defaultdict(list)
    # a call of a decorated function has no id, so that its result is known by identity
    unidentified: dict[tuple[str, int], list[Executed]] = defaultdict(list)
    for call in calls:
        by_id[call.call_id or ""].append(call)
        if not call.call_id:
            unidentified[call.tool, id(call.value)].append(call)
    logs = [[*one.entries()] for one in line]
    returned = [{event.call_id for _, event in log if isinstance(event, Returned)} for log in logs]
    if any(record_of(one).log.is_truncated for one in line):
        events = (event for log in logs for _, event in log)
        # by identity, for results without a call id
        unnamed = {id(one.value) for one in events if isinstance(one, Returned) and not one.call_id}
        for call_id, some in by_id.items():
            if not any(call_id in ids for ids in returned):
                for call in (one for one in some if id(one.value) not in unnamed):
                    place = call_id or f"{call.tool}:{call.at}"
                    # a nested call's result was seen by its caller, not by the model
                    value = None if call.nested else call.value
                    forgotten = Returned(call.tool, value, call.call_id, call.error)
                    yield from _result(forgotten, call, place)
    for n, (one, log) in enumerate(zip(line, logs, strict=True)):
        below = set().union(*returned[n + 1 :])  # a sub-agent's own results reach its parent too
        for version, event in log:
            place = f"{version}" if one is session else f"{one.id}:{version}"
            if isinstance(event, MessageText) and event.role in _SOURCES:
                yield _text_passage(f"{event.role}:{place}", _SOURCES[event.role], event.text)
            elif isinstance(event, Returned) and not (event.call_id and event.call_id in below):
                key = event.name, id(event.value)
                some = by_id[event.call_id] if event.call_id else unidentified[key]
                yield from _result(event, some.pop(0) if some else None, place)


def _result(event: Returned, call: Executed | None, place: str) -> Iterator[Passage]:
    value = event.value
    if value is None or _is_own_feedback(event):
        return
    id, name = f"result:{place}", event.name or (call.tool if call else "")
    arguments = call.arguments if call else None
    # an error is evidence of its own words, not of the arguments that it repeats
    if event.error or is_failure_result(value):
        yield _text_passage(id, PassageSource.TOOL_RESULT, _without_echoes(value, arguments), name)
    else:
        yield _passage(id, value, name=name, arguments=arguments)


def _text_passage(id: str, source: PassageSource, text: str, name: str = "") -> Passage:
    numbers = count(text, MOST_NUMBERS)
    cut = numbers > MOST_NUMBERS
    text = beginning(text, MOST_NUMBERS) if cut else text
    return Passage(id, source, text, name, cut=cut, numbers=min(numbers, MOST_NUMBERS))


def _is_own_feedback(event: Returned) -> bool:
    """Return whether a result is this package's message about a call, and not the tool's."""
    value = event.value
    if any(is_feedback(value, status) for status in ("blocked", "withheld")):
        return True
    return event.error and isinstance(value, str) and value.startswith(_OWN_ERROR)


def _without_echoes(value: Any, arguments: Any) -> str:
    """Return an error's text without repeated arguments, which are the model's words."""
    text = "" if isinstance(value, TooLarge) else flatten(value).text
    repeated = () if arguments is None else islice(leaves(arguments), _MOST_ECHOES)
    values = {str(leaf)[:_LONGEST_ECHO] for _, leaf in repeated}
    # the longest first, so that a shorter one does not leave the rest of it
    echoes = sorted((one for one in values if len(one) >= _LEAST_ECHO), key=len, reverse=True)
    if not echoes:
        return text
    return re.sub(rf"(?<![\w-])(?:{'|'.join(map(re.escape, echoes))})(?!-?\w)", " ", text)


def _passage(id: str, value: Any, *, name: str = "", arguments: Any = None) -> Passage:
    large = isinstance(value, TooLarge)
    value = parse_container(value) or value if isinstance(value, str) else value
    flat = flatten(None if large else value)
    return Passage(
        id,
        PassageSource.TOOL_RESULT,
        flat.text if flat.value is not None else "",
        name,
        lines=flat.lines if isinstance(flat.value, (dict, list)) else (),
        value=flat.value,
        arguments=None if arguments is None else flatten(arguments).value,
        cut=flat.cut or large,
        numbers=flat.numbers,
    )


def _allowed_passages(allow: Iterable[Any]) -> Iterator[Passage]:
    for place, value in enumerate(allow, 1):
        plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
        if plain and not is_pattern(value):
            yield Passage(f"allowed:{place}", PassageSource.ALLOWLIST, flatten(value).text)


def _validate(document: Any, name: str, place: int) -> None:
    text = document.get("text") if isinstance(document, Mapping) else document
    if not isinstance(text, str):
        raise ShieldError(
            f"document {place} of `{name}` is {shown(document)}; give a text or "
            '`{"id": ..., "text": ...}`'
        )


def _document(document: Any, place: int) -> Passage:
    id, text = None, document
    if isinstance(document, Mapping):
        id, text = document.get("id"), document["text"]
    # an id of a document is repeated in every span
    return _passage(f"doc:{place}" if id is None else str(id)[:1_024], text)


def _with_unique_ids(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Yield passages with unique ids: several documents often share one."""
    times: Counter[str] = Counter()
    taken: set[str] = set()
    for passage in passages:
        id = passage.id
        while id in taken:
            times[passage.id] += 1
            id = f"{passage.id}#{times[passage.id] + 1}"
        taken.add(id)
        yield passage if id == passage.id else replace(passage, id=id)
