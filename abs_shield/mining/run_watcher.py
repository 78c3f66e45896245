"""Replay recorded runs with an observing layer, and count what their calls contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import LAYER_NAMES, Finding
from abs_shield.core.vocabularies import PHANTOM_TARGET as _TARGET
from abs_shield.mining.run_evidence import PairEvidence, ParameterEvidence, RunEvidence
from abs_shield.plan import Proposal
from abs_shield.policy import Policy
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.run_reader import Run
from abs_shield.session import Executed, Session
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.session.value_field import Field
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.identifier_words import split_words
from abs_shield.text.json_leaves import Path, leaves, name_of, scalar_text
from abs_shield.text.value_shapes import is_address, is_code

ToolPair = tuple[str, str, Mapping[str, str]]
"""A pair of tools, and each tool's parameter for the entity."""

_MOST_LEAVES = 200  # arguments of one call
_LONGEST = 100
"""Length from which a text is not an identifier, and is not searched for: it is prose."""
_MAX_STORED = 1_000
"""Maximum number of values of one session whose origin is stored, against hostile runs."""


class RunWatcher:
    """
    Replays runs with one additional layer, which observes every call and finds nothing.

    Args:
        policy: The policy that judges the calls; only its tools are counted.
        pairs: Pairs of tools that may act on the same entity.
    """

    def __init__(self, policy: Policy, *, pairs: Sequence[ToolPair] = ()) -> None:
        self.evidence = RunEvidence()
        self._last: _Observation | None = None
        self._tool_names = frozenset(tool.name for tool in policy.tools)
        self._pairs = pairs

        def watching(proposal: Proposal, session: Session) -> Iterable[Finding]:
            self._last = _observe(proposal, session)
            return ()

        self._firewalls = Firewalls(policy.model_copy(update={"layers": (*LAYER_NAMES, watching)}))

    def forget(self) -> None:
        """Forget every session, so that later runs start anew."""
        self._firewalls.forget()

    def run(self, run: Run) -> None:
        """Count one run."""
        self.evidence.runs += 1
        for judged in judge_run(run, self._firewalls.of(run)):
            self.evidence.calls += 1
            sight, self._last = self._last, None
            # other tools are not proposed
            if sight is not None and judged.call.name in self._tool_names:
                self._call(judged, sight)

    def _call(self, judged: Judged, sight: _Observation) -> None:
        tool = self.evidence.tool(judged.call.name)
        tool.calls += 1
        worked = _succeeded(sight)
        tool.worked += worked
        alarmed = {_root(f) for f in judged.decision.findings if f.check == _TARGET and f.weighs}
        past = record_of(sight.session).derive(_Past, owner=self)
        for name, argument in sight.arguments.items():
            counts = tool.parameter(name)
            _count(counts, argument)
            if worked:
                if (drawn := past.values_of(judged.call.name, name)) is not None:
                    counts.values.update(argument.value, drawn=drawn.texts)
                    counts.numbers.update(argument.value, drawn=drawn.numbers)
                # a failed run may have failed because of this value
                if argument.judged and judged.success is not False:
                    counts.held += 1
                    counts.alarms += name in alarmed
            if argument.tool in self._tool_names and _is_handed_over(argument, name):
                feeding = self.evidence.tool(argument.tool)
                if len(feeding.feeds) < _MAX_STORED:
                    feeding.feeds[argument.field, judged.call.name, name] += 1
        self._follow(judged, sight, worked=worked)

    def _follow(self, judged: Judged, sight: _Observation, *, worked: bool) -> None:
        """Count how this call uses values that earlier calls of the session created or changed."""
        past = record_of(sight.session).derive(_Past, owner=self)
        tool = judged.call.name
        for name, argument in sight.arguments.items():
            maker = past.brought.get(argument.text) if argument.text else None
            if maker is not None and maker != (tool, name) and (argument.judged or argument.shaped):
                self.evidence.tool(maker[0]).parameter(maker[1]).reused += 1
            if worked and argument.new and sight.writes and len(past.brought) < _MAX_STORED:
                past.brought.setdefault(argument.text, (tool, name))  # the first call that had it
                self.evidence.tool(tool).parameter(name).minted += 1
        for first, then, same in self._pairs:
            if tool == then and _value(sight, same[then]) in past.touched.get(first, ()):
                _count_pair(self.evidence.pair(first, then), judged.success)
            if tool == first and worked and (text := _value(sight, same[first])):
                touched = past.touched.setdefault(first, set())
                if len(touched) < _MAX_STORED:
                    touched.add(text)


class _Past:
    """Values that earlier calls of a session created, changed, and used."""

    def __init__(self) -> None:
        self.brought: dict[str, tuple[str, str]] = {}
        self.touched: dict[str, set[str]] = {}
        self._drawn: dict[tuple[str, str], _SessionValues] = {}

    def values_of(self, tool: str, parameter: str) -> _SessionValues | None:
        """
        Return the previous values of a parameter; None beyond the maximum number of parameters.
        """
        if (tool, parameter) not in self._drawn and len(self._drawn) >= _MAX_STORED:
            return None
        return self._drawn.setdefault((tool, parameter), _SessionValues())


@dataclass(slots=True)
class _SessionValues:
    """The values of one parameter in one session."""

    texts: set[str] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)


@dataclass(slots=True)
class _Argument:
    """One parameter of one call: its values, and their origin."""

    value: Any = None
    text: str = ""
    checked: bool = True
    sourced: bool = True
    shaped: bool = True
    judged: bool = False
    new: bool = False
    source: str = ""
    tool: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class _Observation:
    """One call at its proposal, before its result is known."""

    session: Session
    call_id: str | None
    writes: bool
    arguments: dict[str, _Argument]


def _observe(proposal: Proposal, session: Session) -> _Observation:
    arguments: dict[str, _Argument] = {}
    for path, leaf in leaves(proposal.arguments, most=_MOST_LEAVES):
        root = str(path[0])
        argument = arguments.get(root)
        if argument is None:
            argument = arguments[root] = _Argument(value=leaf if len(path) == 1 else ())
        _trace_origin(argument, path, leaf, session)
    tool = proposal.tool
    for target in tool.targets.judged_arguments(proposal.arguments) if tool is not None else ():
        if target.judged in ("hard", "soft") and (argument := arguments.get(str(target.path[0]))):
            argument.judged = True
    writes = tool is not None and tool.writes
    return _Observation(session, proposal.call.id, writes, arguments)


def _trace_origin(argument: _Argument, path: Path, leaf: Any, session: Session) -> None:
    """Determine the origin of one value; long values and other types are not checked."""
    text, mentions = scalar_text(leaf), mentions_of(session)
    # without a task in the session, nothing shows where a value came from
    if not text or len(text) > _LONGEST or not mentions.has_task:
        argument.checked = False
        return
    argument.text = text
    argument.shaped = argument.shaped and (is_code(text) or is_address(text))
    field = Field(name_of(path), number=not isinstance(leaf, str))
    origin = mentions.origin(text, apart=" " in text, field=field)
    if origin is None:
        # the session saw text that is not recorded
        argument.checked = argument.checked and not mentions.unknown_reason
        argument.sourced, argument.new = False, True
    elif not argument.source:
        argument.source = str(origin)
        argument.tool, argument.field = origin.tool, next(iter(origin.fields), "")


def _is_handed_over(argument: _Argument, name: str) -> bool:
    """
    Return whether a call took its value from a result's field, not by coincidence.

    A word or a small number occurs in many results: "economy" in `available_seats`. It counts if it
    is an identifier, or if the names of field and parameter share a word.
    """
    if not argument.field:
        return False
    alike = not {*split_words(argument.field)}.isdisjoint(split_words(name))
    return argument.judged or argument.shaped or alike


def _count(counts: ParameterEvidence, argument: _Argument) -> None:
    counts.present += 1
    if not argument.checked:
        return
    counts.checked += 1
    counts.sourced += argument.sourced
    counts.shaped += argument.shaped
    counts.judged += argument.judged
    if argument.sourced and argument.source:
        counts.from_source(argument.source)


def _succeeded(sight: _Observation) -> bool:
    """Return whether the file has a result of the call that reports no failure."""
    ended = _result(sight)
    if ended is None or ended.error:
        return False
    return not is_failure_result(ended.value)


def _result(sight: _Observation) -> Executed | None:
    newest = sight.session.executed[-1:]
    # by id, as a call without a result leaves the result of the one before
    return newest[0] if newest and newest[0].call_id == sight.call_id else None


def _value(sight: _Observation, name: str) -> str:
    argument = sight.arguments.get(name)
    return argument.text if argument is not None else ""


def _count_pair(pair: PairEvidence, success: bool | None) -> None:
    pair.met += 1
    pair.success += success is True
    pair.failure += success is False


def _root(finding: Finding) -> str:
    """Return the top-level parameter of a finding."""
    step = finding.where.removeprefix("/arguments/").split("/")[0]
    return step.replace("~1", "/").replace("~0", "~")  # JSON pointers escape both, in this order
