"""A trial run of a rule on sampled calls: how often it accepts, rejects, or gives no answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.constants import find_constants
from abs_shield.plan.further_samples import further_calls, has_free_text
from abs_shield.plan.proof_context import Arguments, ProofContext
from abs_shield.plan.rule_plan import RulePlan, accepts_call
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples import Pool
from abs_shield.schema.samples.schema_shapes import shapes, types
from abs_shield.session import Executed, Session
from abs_shield.session.session_record import record_of
from abs_shield.text.safe_display import escaped, shown

SECONDS = 3.0
"""Time limit for running a rule on calls of one tool: a slow rule is run on fewer calls."""
_MAX_WITH_SESSION = 150  # each call is run in four sessions
_MAX_TOOLS = 64  # tools of a made-up session: rules ask for one or a few
# Different values that are counted, and values of a type that is short enough to be listed.
_MAX_DIFFERENT, _MAX_LISTED = 64, 10
_MAX_SHOWN = 4  # arguments that a message shows


@dataclass(slots=True, kw_only=True)
class RuleTrial:
    """
    Answers of a rule to sampled calls of one tool.

    Attributes:
        sampled: Calls that the schema accepts; 1 if none can have the rule's parameters.
        run_count: Calls that it was run on, once a session.
        raised: The first exception and its arguments, in words; empty if there was none.
        odd: The first invalid answer, in words.
        late: Whether it was stopped because it took too long.
        different: The first of the different values that it was run on.
        exhausted: Whether the schema lists every value that it could be run on.
        has_free_text: Whether it takes a text that the schema does not list.
    """

    sampled: int = 0
    run_count: int = 0
    accepted: int = 0
    rejected: int = 0
    raised: str = ""
    odd: str = ""
    late: bool = False
    different: set[Any] = field(default_factory=set)
    exhausted: bool = False
    has_free_text: bool = False
    _deadline: float = field(default_factory=lambda: perf_counter() + SECONDS)

    def ask(self, plan: RulePlan, call: ToolCall, session: Session, *, real: bool) -> None:
        """Run the rule once; an exception is reported if the session is *real*."""
        arguments: Arguments = call.arguments
        self.run_count += 1
        if len(self.different) < _MAX_DIFFERENT:
            taken = {k: v for k, v in arguments.items() if plan.takes_all or k in plan.takes}
            # By what the rule takes: other arguments do not make a call different for it.
            self.different.add(canonical_key(taken if plan.takes else arguments))
        try:
            answer = plan.ask(arguments, session, call)
        # The author's code may raise anything: what is raised is a result of the trial.
        except Exception as error:
            if real and not self.raised:
                description = f"{type(error).__name__}: {escaped(str(error))}"
                raised = description.removesuffix(": ")
                self.raised = f"{raised} for {_describe_values(plan, arguments)}"
        else:
            self._count(answer, plan, arguments)
        # After each call, as a single call may be slow.
        self.late = perf_counter() > self._deadline

    def _count(self, answer: Any, plan: RulePlan, arguments: Arguments) -> None:
        accepts = accepts_call(answer)
        self.accepted += accepts is True
        self.rejected += accepts is False
        if accepts is None and not self.odd:
            self.odd = f"{shown(answer)} for {_describe_values(plan, arguments)}"


def try_rule(plan: RulePlan, tool: str, context: ProofContext) -> RuleTrial:
    """Run a rule on samples of its tool's schema, near the numbers and words of its code."""
    schema = context.plans[tool].schema
    if schema is None or any(rejects_name(schema, name) for name in plan.needs):
        return RuleTrial(sampled=int(schema is not None))
    # All parameters matter to a rule that takes them all.
    focus = None if plan.takes_all or (plan.call and not plan.takes) else plan.takes
    pool = Pool.of((*plan.rule.tries, *find_constants(plan.rule.function)))
    samples = [*context.samples(tool, pool=pool, focus=focus)]
    trial = RuleTrial(
        sampled=len(samples), exhausted=_is_finite(context.tools[tool].parameters, focus)
    )
    applying = [arguments for arguments in samples if plan.runs_on(arguments)]
    for arguments in applying[: _MAX_WITH_SESSION if plan.session else None]:
        for session, real in _sessions(plan, tool, arguments, context):
            if not trial.late:
                trial.ask(plan, ToolCall(tool, arguments), session, real=real)
    if applying and not plan.session:
        _ask_further(trial, plan, applying, tool, context)
    return trial


def _ask_further(
    trial: RuleTrial, plan: RulePlan, samples: list[Arguments], tool: str, context: ProofContext
) -> None:
    """Run the rule on further calls until it has accepted one and rejected one."""
    words = (*plan.rule.tries, *find_constants(plan.rule.function))
    trial.has_free_text = has_free_text(plan.takes, tool=tool, context=context)
    further = further_calls(samples, plan.takes, words, tool=tool, context=context)
    # Only for a rule that has answered alike so far.
    while bool(trial.accepted) != bool(trial.rejected) and not trial.late:
        arguments = next(further, None)
        if arguments is None:
            return
        # exceptions are ignored here: those of the samples themselves are reported first
        trial.ask(plan, ToolCall(tool, arguments), Session(), real=False)


def _is_finite(root: Any, names: Iterable[str] | None) -> bool:
    """Return whether the schema lists every value of these parameters, or of all."""
    for shape in shapes(root, root):
        properties = shape.get("properties")
        schemas = properties if isinstance(properties, Mapping) else {}
        for name in schemas if names is None else names:
            parts = shapes(schemas.get(name, True), root)
            if not all("const" in part or "enum" in part or _is_short(part) for part in parts):
                return False
    return True


def _is_short(part: Mapping[str, Any]) -> bool:
    """Return whether a type has few values: booleans, null, or integers between two bounds."""
    low, high = part.get("minimum"), part.get("maximum")
    if part.get("type") == "integer" and isinstance(low, int) and isinstance(high, int):
        return high - low < _MAX_LISTED
    return "type" in part and {*types(part["type"])} <= {"boolean", "null"}


def _sessions(
    plan: RulePlan, tool: str, arguments: Arguments, context: ProofContext
) -> Iterator[tuple[Session, bool]]:
    """
    Yield sessions, and whether every run begins like it: an empty one is real.

    In the others, other tools ran, all ran with these arguments three times, or all failed.
    """
    empty = Session(limits=context.policy.limits)
    yield empty, True
    if not plan.session:
        return
    names = [*context.tools][:_MAX_TOOLS]
    others = [name for name in names if name != tool]
    for ran, error in ((others, False), (names * 3, False), (names, True)):
        session = Session(limits=context.policy.limits)
        # The user has said all values, so that rules about mentions accept them.
        session.user(json.dumps(arguments))
        for name in ran:
            executed = Executed(tool=name, arguments=arguments, value=arguments, error=error)
            record_of(session).add_execution(executed)
        yield session, False


def _describe_values(plan: RulePlan, arguments: Arguments) -> str:
    names = [name for name in arguments if plan.takes_all or name in plan.takes]
    values = [f"{escaped(name)}={shown(arguments[name])}" for name in names[:_MAX_SHOWN]]
    return ", ".join(values) or "a call"
