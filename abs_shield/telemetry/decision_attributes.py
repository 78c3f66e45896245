"""What all decisions of one kind have in common, built once per kind and within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.core import Decision, Verdict
from abs_shield.core.ids import is_generated
from abs_shield.telemetry import semconv
from abs_shield.telemetry.counters import Labels
from abs_shield.text.show import escaped

Value = str | bool | int | float
_LONGEST_UNKNOWN = 64
_LONGEST_KNOWN = 256


@dataclass(frozen=True, slots=True)
class DecisionAttributes:
    """Names and attributes that follow from the kind of a decision alone."""

    span_name: str
    tool: str
    span: Mapping[str, Value]
    labels: Labels
    duration: Mapping[str, Value]


class AttributeCache:
    """
    The kinds seen so far.

    A flood of invented tool names ends up as `_unregistered`, and a registered tool beyond the
    first 1,000 as `_other`.
    """

    def __init__(self, *, most: int = 2_000, most_tools: int = 1_000) -> None:
        self._most = most
        self._most_tools = most_tools
        self._tools: set[str] = set()
        self._seen: dict[tuple[object, ...], DecisionAttributes] = {}

    def of(self, decision: Decision) -> DecisionAttributes:
        """Return the traits of *decision*."""
        tool = semconv.VALUE_UNREGISTERED if unregistered(decision) else decision.tool
        key = (
            tool,
            decision.verdict,
            decision.action,
            decision.mode,
            decision.subject,
            decision.blocked,
            decision.would_block,
            decision.approval,
            bool(decision.errors),
            decision.policy_revision,
        )
        found = self._seen.get(key)
        if found is None:
            if len(self._seen) >= self._most:
                self._seen.clear()
            found = self._seen[key] = _traits(decision, self._bounded(tool))
        return found

    def _bounded(self, tool: str) -> str:
        if tool in self._tools:
            return tool_name(tool)
        if len(self._tools) >= self._most_tools:
            return semconv.VALUE_OTHER
        self._tools.add(tool)
        return tool_name(tool)


def unregistered(decision: Decision) -> bool:
    """Whether no tool has the name that the model wrote."""
    return decision.unregistered


def tool_name(tool: str) -> str:
    """Return a registered tool's name as it stands in spans and metrics."""
    return escaped(tool, limit=_LONGEST_KNOWN)


def shown_tool(decision: Decision) -> str:
    """Return the tool's name as the attribute `gen_ai.tool.name` holds it."""
    if unregistered(decision):
        return escaped(decision.tool, limit=_LONGEST_UNKNOWN)[:_LONGEST_UNKNOWN]
    return tool_name(decision.tool)


def host_names(decision: Decision) -> dict[str, str]:
    """Return the agent, the model and the conversation, as far as the host named them."""
    given = decision.session_id if not is_generated(decision.session_id) else ""
    names = {
        semconv.ATTRIBUTE_AGENT: decision.agent,
        semconv.ATTRIBUTE_MODEL: decision.model,
        semconv.ATTRIBUTE_CONVERSATION: given,
    }
    return {name: value for name, value in names.items() if value}


def nanoseconds(seconds: float) -> int:
    """Return seconds since the epoch as OpenTelemetry counts them; never before it."""
    return max(0, int(seconds * 1e9))


def weighing_layers(decision: Decision) -> list[str]:
    """Name the checks whose findings weigh, each once, in order."""
    return list(dict.fromkeys(finding.check for finding in decision.findings if finding.weighs))


def _traits(decision: Decision, tool: str) -> DecisionAttributes:
    kind = (
        (semconv.ATTRIBUTE_SUBJECT, decision.subject.value),
        (semconv.ATTRIBUTE_TOOL, tool),
        (semconv.ATTRIBUTE_VERDICT, decision.verdict.value),
    )
    labels = (
        *kind,
        (semconv.ATTRIBUTE_ACTION, decision.action.value),
        (semconv.ATTRIBUTE_MODE, decision.mode.value),
        (semconv.ATTRIBUTE_BLOCKED, decision.blocked),
    )
    return DecisionAttributes(
        span_name=f"{semconv.SPAN_CHECK} {tool}".rstrip(),
        tool=tool,
        span=_span(decision),
        labels=labels,
        duration=dict(kind),
    )


def _span(decision: Decision) -> dict[str, Value]:
    attributes: dict[str, Value] = {
        semconv.ATTRIBUTE_SUBJECT: decision.subject.value,
        semconv.ATTRIBUTE_VERDICT: decision.verdict.value,
        semconv.ATTRIBUTE_ACTION: decision.action.value,
        semconv.ATTRIBUTE_MODE: decision.mode.value,
        semconv.ATTRIBUTE_BLOCKED: decision.blocked,
        semconv.ATTRIBUTE_WOULD_BLOCK: decision.would_block,
        semconv.ATTRIBUTE_POLICY_REVISION: decision.policy_revision,
    }
    if decision.tool and not unregistered(decision):
        attributes[semconv.ATTRIBUTE_TOOL] = tool_name(decision.tool)
        attributes[semconv.ATTRIBUTE_TOOL_TYPE] = semconv.VALUE_FUNCTION
    if decision.approval:
        attributes[semconv.ATTRIBUTE_APPROVAL] = decision.approval
    if decision.errors:
        attributes[semconv.ATTRIBUTE_ERROR] = semconv.VALUE_LAYER_ERROR
    if decision.verdict is not Verdict.CLEAN:
        attributes[semconv.ATTRIBUTE_THREAT_TYPE] = semconv.VALUE_HALLUCINATION
        attributes[semconv.ATTRIBUTE_THREAT_VERDICT] = decision.verdict.value
    return attributes
