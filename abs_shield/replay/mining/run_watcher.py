"""Watches recorded runs while they are judged, and counts what their calls show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import LAYER_NAMES, Finding
from abs_shield.core.names import PHANTOM_TARGET as _TARGET
from abs_shield.plan import Proposal
from abs_shield.policy import Policy
from abs_shield.replay.mining.run_evidence import PairEvidence, ParameterEvidence, RunEvidence
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.runs import Run
from abs_shield.session import Executed, Session
from abs_shield.session.field import Field
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.failure import tells_failure
from abs_shield.text.leaves import Path, leaves, name_of, scalar_text
from abs_shield.text.names import split
from abs_shield.text.shape import is_address, is_code

Met = tuple[str, str, Mapping[str, str]]
"""A pair of tools and the parameter by which each names the entity."""

_MOST_LEAVES = 200
_LONGEST = 100
"""Characters from which a text is no identifier, and is not looked for."""
_MOST_KEPT = 1_000
"""Values of one session of which it is kept who brought them."""


class RunWatcher:
    """
    Plays runs before a policy with one layer more, which sees every call and finds nothing.

    Args:
        policy: What judges the calls; its tools are those that are counted.
        pairs: Pairs of tools that may meet on one entity.
    """

    def __init__(self, policy: Policy, *, pairs: Sequence[Met] = ()) -> None:
        self.evidence = RunEvidence()
        self._last: _Sight | None = None
        self._named = frozenset(tool.name for tool in policy.tools)
        self._pairs = pairs

        def watching(proposal: Proposal, session: Session) -> Iterable[Finding]:
            self._last = _seen(proposal, session)
            return ()

        self._firewalls = Firewalls(policy.model_copy(update={"layers": (*LAYER_NAMES, watching)}))

    def forget(self) -> None:
        """Forget every session: whatever comes next begins anew."""
        self._firewalls.forget()

    def run(self, run: Run) -> None:
        """Count one run."""
        self.evidence.runs += 1
        for judged in judge_run(run, self._firewalls.of(run)):
            self.evidence.calls += 1
            sight, self._last = self._last, None
            if sight is not None and judged.call.name in self._named:
                self._call(judged, sight)

    def _call(self, judged: Judged, sight: _Sight) -> None:
        tool = self.evidence.tool(judged.call.name)
        tool.calls += 1
        worked = _worked(sight)
        tool.worked += worked
        alarmed = {_root(f) for f in judged.decision.findings if f.check == _TARGET and f.weighs}
        past = record_of(sight.session).derive(_Past, owner=self)
        for name, argument in sight.arguments.items():
            seen = tool.parameter(name)
            _count(seen, argument)
            if worked:
                if (drawn := past.drawn_of(judged.call.name, name)) is not None:
                    seen.values.update(argument.value, drawn=drawn.texts)
                    seen.numbers.update(argument.value, drawn=drawn.numbers)
                if argument.judged and judged.success is not False:
                    seen.held += 1
                    seen.alarms += name in alarmed
            if argument.tool in self._named and _is_handed_over(argument, name):
                feeding = self.evidence.tool(argument.tool)
                if len(feeding.feeds) < _MOST_KEPT:
                    feeding.feeds[argument.field, judged.call.name, name] += 1
        self._follow(judged, sight, worked=worked)

    def _follow(self, judged: Judged, sight: _Sight, *, worked: bool) -> None:
        """Count what this call does with what earlier ones of the session brought in or touched."""
        past = record_of(sight.session).derive(_Past, owner=self)
        tool = judged.call.name
        for name, argument in sight.arguments.items():
            maker = past.brought.get(argument.text) if argument.text else None
            if maker is not None and maker != (tool, name) and (argument.judged or argument.shaped):
                self.evidence.tool(maker[0]).parameter(maker[1]).reused += 1
            if worked and argument.new and sight.writes and len(past.brought) < _MOST_KEPT:
                past.brought.setdefault(argument.text, (tool, name))
                self.evidence.tool(tool).parameter(name).minted += 1
        for first, then, same in self._pairs:
            if tool == then and _value(sight, same[then]) in past.touched.get(first, ()):
                _meet(self.evidence.pair(first, then), judged.success)
            if tool == first and worked and (text := _value(sight, same[first])):
                touched = past.touched.setdefault(first, set())
                if len(touched) < _MOST_KEPT:
                    touched.add(text)


class _Past:
    """What earlier calls of one session brought in, touched, and chose among few texts."""

    def __init__(self) -> None:
        self.brought: dict[str, tuple[str, str]] = {}
        self.touched: dict[str, set[str]] = {}
        self._drawn: dict[tuple[str, str], _Drawn] = {}

    def drawn_of(self, tool: str, parameter: str) -> _Drawn | None:
        """Return the values that a parameter has had; None where too many parameters are known."""
        if (tool, parameter) not in self._drawn and len(self._drawn) >= _MOST_KEPT:
            return None
        return self._drawn.setdefault((tool, parameter), _Drawn())


@dataclass(slots=True)
class _Drawn:
    """What one parameter has had in one session."""

    texts: set[str] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)


@dataclass(slots=True)
class _Argument:
    """One parameter of one call: its values, and where the run had them from."""

    value: Any = None
    text: str = ""
    asked: bool = True
    sourced: bool = True
    shaped: bool = True
    judged: bool = False
    new: bool = False
    source: str = ""
    tool: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class _Sight:
    """One call when it was proposed, before its result was known."""

    session: Session
    call_id: str | None
    writes: bool
    arguments: dict[str, _Argument]


def _seen(proposal: Proposal, session: Session) -> _Sight:
    arguments: dict[str, _Argument] = {}
    for path, leaf in leaves(proposal.arguments, most=_MOST_LEAVES):
        root = str(path[0])
        argument = arguments.get(root)
        if argument is None:
            argument = arguments[root] = _Argument(value=leaf if len(path) == 1 else ())
        _look(argument, path, leaf, session)
    tool = proposal.tool
    for found in tool.targets.judged_arguments(proposal.arguments) if tool is not None else ():
        if found.judged in ("hard", "soft") and (argument := arguments.get(str(found.path[0]))):
            argument.judged = True
    writes = tool is not None and tool.writes
    return _Sight(session, proposal.call.id, writes, arguments)


def _look(argument: _Argument, path: Path, leaf: Any, session: Session) -> None:
    """Ask where one value came from; what is no text or number, or too long, is not asked for."""
    text, mentions = scalar_text(leaf), mentions_of(session)
    if not text or len(text) > _LONGEST or not mentions.has_task:
        argument.asked = False
        return
    argument.text = text
    argument.shaped = argument.shaped and (is_code(text) or is_address(text))
    field = Field(name_of(path), number=not isinstance(leaf, str))
    origin = mentions.origin(text, apart=" " in text, field=field)
    if origin is None:
        argument.asked = argument.asked and not mentions.blind
        argument.sourced, argument.new = False, True
    elif not argument.source:
        argument.source = str(origin)
        argument.tool, argument.field = origin.tool, next(iter(origin.fields), "")


def _is_handed_over(argument: _Argument, name: str) -> bool:
    """
    Return whether a call took its value from a field of a result, and not by chance.

    A word or a small number stands in many results: "economy" in `available_seats`. It counts where
    it is an identifier, or the field is called as the parameter is.
    """
    if not argument.field:
        return False
    alike = not {*split(argument.field)}.isdisjoint(split(name))
    return argument.judged or argument.shaped or alike


def _count(seen: ParameterEvidence, argument: _Argument) -> None:
    seen.given += 1
    if not argument.asked:
        return
    seen.asked += 1
    seen.sourced += argument.sourced
    seen.shaped += argument.shaped
    seen.judged += argument.judged
    if argument.sourced and argument.source:
        seen.from_source(argument.source)


def _worked(sight: _Sight) -> bool:
    """Return whether the file holds a result of the call that tells of no failure."""
    ended = _result(sight)
    if ended is None or ended.error:
        return False
    return not tells_failure(ended.value)


def _result(sight: _Sight) -> Executed | None:
    newest = sight.session.executed[-1:]
    return newest[0] if newest and newest[0].call_id == sight.call_id else None


def _value(sight: _Sight, name: str) -> str:
    argument = sight.arguments.get(name)
    return argument.text if argument is not None else ""


def _meet(pair: PairEvidence, success: bool | None) -> None:
    pair.met += 1
    pair.success += success is True
    pair.failure += success is False


def _root(finding: Finding) -> str:
    """The parameter at the top level at which a finding points."""
    step = finding.where.removeprefix("/arguments/").split("/")[0]
    return step.replace("~1", "/").replace("~0", "~")
