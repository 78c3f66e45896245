"""Attributes that decisions of the same kind share, built once per kind and cached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from abs_shield.core import Decision, Verdict
from abs_shield.core.fork_safety import is_generated
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_counters import Labels
from abs_shield.text.safe_display import escaped

Value = str | bool | int | float
_LONGEST_UNREGISTERED = 64  # OpenAI's limit; a model may write a page where a name belongs
_LONGEST_REGISTERED = 256  # names from the host: only a generated one is longer


class DecisionAttributes(NamedTuple):
    """Span name and attributes that depend only on the kind of a decision."""

    span_name: str
    tool: str
    span: Mapping[str, Value]
    labels: Labels
    duration: Mapping[str, Value]


class AttributeCache:
    """
    A bounded cache of attributes by kind of decision.

    Invented tool names are exported as `_unregistered`, and registered tools beyond the first
    1,000 as `_other`.
    """

    # every tool is a series in each metric; a kind is a tool with one verdict, action and mode
    def __init__(self, *, most: int = 2_000, most_tools: int = 1_000) -> None:
        self._most = most
        self._most_tools = most_tools
        self._tools: set[str] = set()
        self._by_kind: dict[tuple[object, ...], DecisionAttributes] = {}

    def get(self, decision: Decision) -> DecisionAttributes:
        """Return the attributes of the kind of *decision*."""
        tool = semconv.VALUE_UNREGISTERED if is_unregistered(decision) else decision.tool
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
        attributes = self._by_kind.get(key)
        if attributes is None:
            if len(self._by_kind) >= self._most:
                # each is rebuilt in microseconds; an LRU cache would cost more on every call
                self._by_kind.clear()
            attributes = self._by_kind[key] = _build_attributes(decision, self._bounded_name(tool))
        return attributes

    def _bounded_name(self, tool: str) -> str:
        if tool in self._tools:
            return tool_name(tool)
        if len(self._tools) >= self._most_tools:
            return semconv.VALUE_OTHER
        self._tools.add(tool)
        return tool_name(tool)


def is_unregistered(decision: Decision) -> bool:
    """Return whether the decision is about a tool that is not registered."""
    return decision.unregistered


def tool_name(tool: str) -> str:
    """Return a registered tool's name for spans and metrics."""
    return escaped(tool, limit=_LONGEST_REGISTERED)


def tool_display_name(decision: Decision) -> str:
    """Return the tool's name for the attribute `gen_ai.tool.name`."""
    if is_unregistered(decision):
        return escaped(decision.tool, limit=_LONGEST_UNREGISTERED)[:_LONGEST_UNREGISTERED]
    return tool_name(decision.tool)


def host_names(decision: Decision) -> dict[str, str]:
    """Return the names of the agent, the model and the conversation that the host has set."""
    # with a generated id, each call would be a conversation of its own
    conversation = decision.session_id if not is_generated(decision.session_id) else ""
    names = {
        semconv.ATTRIBUTE_AGENT: decision.agent,
        semconv.ATTRIBUTE_MODEL: decision.model,
        semconv.ATTRIBUTE_CONVERSATION: conversation,
    }
    return {name: value for name, value in names.items() if value}


def nanoseconds(seconds: float) -> int:
    """Return a time in seconds since the epoch as nanoseconds, at least 0."""
    return max(0, int(seconds * 1e9))  # a protobuf timestamp is unsigned


def verdict_checks(decision: Decision) -> list[str]:
    """Return the checks whose findings affect the verdict, each once, in order."""
    return list(dict.fromkeys(finding.check for finding in decision.findings if finding.weighs))


def _build_attributes(decision: Decision, tool: str) -> DecisionAttributes:
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
    if decision.tool and not is_unregistered(decision):
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
