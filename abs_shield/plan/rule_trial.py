"""A trial run of a rule on sampled calls: counts of its answers, and the first exception."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.code_constants import find_constants
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.further_samples import generate_further_calls, has_free_text
from abs_shield.plan.proof_context import Arguments, ProofContext
from abs_shield.plan.rule_plan import RulePlan, accepts_call
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples import Pool
from abs_shield.schema.samples.schema_shapes import shapes, types
from abs_shield.session import Executed, Session
from abs_shield.session.session_record import record_of
from abs_shield.text.safe_display import escaped, shown

SECONDS = 3.0
"""Time limit for running a rule on calls of one tool; a slow rule is run on fewer calls."""
_MAX_WITH_SESSION = 150  # each call is run in four sessions
_MAX_TOOLS = 64  # tools in an artificial session; a rule looks for one or a few
# Distinct values that are counted, and values of an integer range that counts as finite.
_MAX_DIFFERENT, _MAX_LISTED = 64, 10
_MAX_SHOWN = 4  # arguments that a message shows


@dataclass(slots=True, kw_only=True)
class RuleTrial:
    """
    Answers of a rule to sampled calls of one tool.

    Attributes:
        sampled: Number of sampled calls; 1 if the schema rejects the rule's parameters.
        run_count: Number of times that the rule was run: once for each call and session.
        accepted: Number of calls that it accepted.
        rejected: Number of calls that it rejected.
        raised: The first exception and its arguments as a message; empty if there was none.
        invalid_answer: The first invalid answer as a message; empty if there was none.
        timed_out: Whether the trial was stopped because it took too long.
        distinct_values: The first distinct values that the rule was run on, at most 64.
        exhausted: Whether the schema lists every value that it could be run on.
        has_free_text: Whether it takes a text that the schema does not list.
    """

    sampled: int = 0
    run_count: int = 0
    accepted: int = 0
    rejected: int = 0
    raised: str = ""
    invalid_answer: str = ""
    timed_out: bool = False
    distinct_values: set[Any] = field(default_factory=set)
    exhausted: bool = False
    has_free_text: bool = False
    _deadline: float = field(default_factory=lambda: perf_counter() + SECONDS)

    def run(
        self, plan: RulePlan, call: ToolCall, session: Session, *, reports_errors: bool
    ) -> None:
        """Run the rule once and count its answer; store an exception only if *reports_errors*."""
        arguments: Arguments = call.arguments
        self.run_count += 1
        if len(self.distinct_values) < _MAX_DIFFERENT:
            taken = {k: v for k, v in arguments.items() if plan.takes_all or k in plan.takes}
            # Only arguments that the rule takes make a call different for it.
            self.distinct_values.add(canonical_key(taken if plan.takes else arguments))
        try:
            answer = plan.run(arguments, session, call)
        # The author's code may raise anything; the exception is a result of the trial.
        except Exception as error:
            if reports_errors and not self.raised:
                description = f"{type(error).__name__}: {escaped(str(error))}"
                raised = description.removesuffix(": ")
                self.raised = f"{raised} for {_describe_values(plan, arguments)}"
        else:
            self._count(answer, plan, arguments)
        # After each call, as a single call may be slow.
        self.timed_out = perf_counter() > self._deadline

    def _count(self, answer: Any, plan: RulePlan, arguments: Arguments) -> None:
        accepts = accepts_call(answer)
        self.accepted += accepts is True
        self.rejected += accepts is False
        if accepts is None and not self.invalid_answer:
            self.invalid_answer = f"{shown(answer)} for {_describe_values(plan, arguments)}"


def try_rule(plan: RulePlan, tool: str, context: ProofContext) -> RuleTrial:
    """Run a rule on calls sampled from its tool's schema, near the constants in the rule's code."""
    schema = context.plans[tool].schema
    if schema is None or any(rejects_name(schema, name) for name in plan.needs):
        return RuleTrial(sampled=int(schema is not None))
    # A rule that takes all parameters needs samples that vary all of them.
    focus = None if plan.takes_all or (plan.call and not plan.takes) else plan.takes
    pool = Pool.of((*plan.rule.tries, *find_constants(plan.rule.function)))
    samples = [*context.samples(tool, pool=pool, focus=focus)]
    trial = RuleTrial(
        sampled=len(samples), exhausted=_is_finite(context.tools[tool].parameters, focus)
    )
    applicable = [arguments for arguments in samples if plan.runs_on(arguments)]
    for arguments in applicable[: _MAX_WITH_SESSION if plan.session else None]:
        for session, reports_errors in _sessions(plan, tool, arguments, context):
            if not trial.timed_out:
                trial.run(plan, ToolCall(tool, arguments), session, reports_errors=reports_errors)
    if applicable and not plan.session:
        _run_further(trial, plan, applicable, tool, context)
    return trial


def _run_further(
    trial: RuleTrial, plan: RulePlan, samples: list[Arguments], tool: str, context: ProofContext
) -> None:
    """Run the rule on further calls until it has accepted one and rejected one."""
    words = (*plan.rule.tries, *find_constants(plan.rule.function))
    trial.has_free_text = has_free_text(plan.takes, tool=tool, context=context)
    further = generate_further_calls(samples, plan.takes, words, tool=tool, context=context)
    # Only while all answers are the same.
    while bool(trial.accepted) != bool(trial.rejected) and not trial.timed_out:
        arguments = next(further, None)
        if arguments is None:
            return
        # exceptions are not reported here, as those for the first samples are
        trial.run(plan, ToolCall(tool, arguments), Session(), reports_errors=False)


def _is_finite(root: Any, names: Iterable[str] | None) -> bool:
    """Return whether the schema lists every value of these parameters; None stands for all."""
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
    Yield sessions, and whether an exception in the session is reported.

    The first one is empty, as every run begins. In the others, which are artificial, all other
    tools ran, all tools ran three times with these arguments, or all tools failed.
    """
    empty = Session(limits=context.policy.limits)
    yield empty, True
    if not plan.session:
        return
    names = [*context.tools][:_MAX_TOOLS]
    others = [name for name in names if name != tool]
    for ran, error in ((others, False), (names * 3, False), (names, True)):
        session = Session(limits=context.policy.limits)
        # The user mentions all values, so that rules about mentions accept them.
        session.user(json.dumps(arguments))
        for name in ran:
            executed = Executed(tool=name, arguments=arguments, value=arguments, error=error)
            record_of(session).add_execution(executed)
        yield session, False


def _describe_values(plan: RulePlan, arguments: Arguments) -> str:
    names = [name for name in arguments if plan.takes_all or name in plan.takes]
    values = [f"{escaped(name)}={shown(arguments[name])}" for name in names[:_MAX_SHOWN]]
    return ", ".join(values) or "a call"
