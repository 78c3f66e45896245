"""A rule asked about sampled calls: how often it accepted, rejected, or could not answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.case import Arguments, Case
from abs_shield.plan.compile import refuses
from abs_shield.plan.constants import constants_of
from abs_shield.plan.rules import RulePlan
from abs_shield.schema.samples import Pool
from abs_shield.session import Executed, Session
from abs_shield.text.show import escaped, shown

SECONDS = 3.0
"""After so long a rule is asked no more about one tool."""
_MOST_WITH_SESSION = 150
_MOST_TOOLS = 64
_SHOWN = 4


@dataclass(slots=True, kw_only=True)
class Trial:
    """
    What a rule said about sampled calls of one tool.

    Attributes:
        sampled: Calls that the schema accepts; 1 where none can have what the rule takes.
        asked: Calls about which it was asked, once a session.
        raised: The first exception and its arguments, in words; empty where there was none.
        odd: The first answer that is none, in words.
        late: Whether it was stopped because it took too long.
    """

    sampled: int = 0
    asked: int = 0
    accepted: int = 0
    rejected: int = 0
    raised: str = ""
    odd: str = ""
    late: bool = False
    _ends: float = field(default_factory=lambda: perf_counter() + SECONDS)

    def ask(self, plan: RulePlan, call: ToolCall, session: Session, *, real: bool) -> None:
        """Ask once; what it raises is told where the session is *real*."""
        arguments: Arguments = call.arguments
        self.asked += 1
        try:
            said = plan.ask(arguments, session, call)
        except Exception as error:
            if real and not self.raised:
                what = f"{type(error).__name__}: {escaped(str(error))}"
                self.raised = f"{what.removesuffix(': ')}, asked about {_words(plan, arguments)}"
        else:
            self._count(said, plan, arguments)
        self.late = perf_counter() > self._ends

    def _count(self, said: Any, plan: RulePlan, arguments: Arguments) -> None:
        if said is None or said is True or said == "":
            self.accepted += 1
        elif said is False or isinstance(said, str):
            self.rejected += 1
        elif not self.odd:
            self.odd = f"{shown(said)}, asked about {_words(plan, arguments)}"


def tried(plan: RulePlan, tool: str, case: Case) -> Trial:
    """Ask a rule about what its tool's schema accepts, near the numbers and words of its code."""
    schema = case.plans[tool].schema
    if schema is None or any(refuses(schema, name) for name in plan.needs):
        return Trial(sampled=int(schema is not None))
    focus = None if plan.takes_all or (plan.call and not plan.takes) else plan.takes
    pool = Pool.of((*plan.rule.tries, *constants_of(plan.rule.function)))
    samples = [*case.samples(tool, pool=pool, focus=focus)]
    trial = Trial(sampled=len(samples))
    applying = [arguments for arguments in samples if plan.runs_on(arguments)]
    for arguments in applying[: _MOST_WITH_SESSION if plan.session else None]:
        for session, real in _sessions(plan, tool, arguments, case):
            if not trial.late:
                trial.ask(plan, ToolCall(tool, arguments), session, real=real)
    return trial


def _sessions(
    plan: RulePlan, tool: str, arguments: Arguments, case: Case
) -> Iterator[tuple[Session, bool]]:
    """
    Give sessions, each with whether every run begins as it does: one in which nothing happened.

    Else others ran before, all ran with these arguments three times, or all failed.
    """
    empty = Session(limits=case.policy.limits)
    yield empty, True
    if not plan.session:
        return
    names = [*case.tools][:_MOST_TOOLS]
    others = [name for name in names if name != tool]
    for ran, error in ((others, False), (names * 3, False), (names, True)):
        session = Session(limits=case.policy.limits)
        session.user(json.dumps(arguments))
        for name in ran:
            session.ran(Executed(tool=name, arguments=arguments, value=arguments, error=error))
        yield session, False


def _words(plan: RulePlan, arguments: Arguments) -> str:
    names = [name for name in arguments if plan.takes_all or name in plan.takes]
    said = [f"{escaped(name)}={shown(arguments[name])}" for name in names[:_SHOWN]]
    return ", ".join(said) or "a call"
