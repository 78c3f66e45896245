"""The structlog hook: one line a decision on the standard logger `abs_shield`."""

from __future__ import annotations

import logging
import os
from typing import Any

from opentelemetry import trace

from abs_shield.core import Decision, Verdict
from abs_shield.errors import ShieldError
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import (
    host_names,
    shown_tool,
    unregistered,
    weighing_layers,
)
from abs_shield.telemetry.decision_span import span_of
from abs_shield.telemetry.readable_line import FORMAT, LogFormat, is_for_terminal, readable_line
from abs_shield.text.show import escaped

_SHORT = {
    semconv.ATTRIBUTE_AGENT: "agent",
    semconv.ATTRIBUTE_MODEL: "model",
    semconv.ATTRIBUTE_CONVERSATION: "conversation_id",
}
_LEVELS = {
    Verdict.CLEAN: logging.INFO,
    Verdict.SUSPICIOUS: logging.WARNING,
    Verdict.HALLUCINATED: logging.ERROR,
}
_ID = 256
_ERROR = 1_000


class StructLog:
    """
    A hook that logs every decision as one line.

    The host decides by ``logging.getLogger("abs_shield")`` what is kept and where it goes;
    neither its logging nor its structlog configuration is touched.

    Args:
        format: ``json``; ``line``, which a person reads; or ``auto``: a readable line where all
            of it goes to terminals and structlog is not configured, JSON anywhere else. None for
            what ``ABS_SHIELD_LOG_FORMAT`` says, by default ``auto``.

    Raises:
        ShieldError: There is no such format.
    """

    def __init__(self, format: str | None = None) -> None:
        self._plain = logging.getLogger("abs_shield")
        self._format = _format_of(format)
        self._logger: Any = None

    def __call__(self, decision: Decision) -> None:
        """Log *decision* if the host listens at its level."""
        level = _level(decision)
        if self._plain.isEnabledFor(level):
            if self._is_readable():
                self._plain.log(level, "%s", readable_line(decision))
                return
            if self._logger is None:
                self._logger = _bound(self._plain)
            self._logger.log(level, semconv.EVENT_DECISION, **_line(decision))

    def _is_readable(self) -> bool:
        if self._format is LogFormat.AUTO:
            return is_for_terminal(self._plain)
        return self._format is LogFormat.LINE


def _format_of(given: str | None) -> LogFormat:
    word = (os.environ.get(FORMAT) or LogFormat.AUTO) if given is None else given
    try:
        return LogFormat(word.strip().lower())
    except ValueError:
        source = f"`{FORMAT}`" if given is None else "`format`"
        known = ", ".join(LogFormat)
        raise ShieldError(f"{source} is `{escaped(word)}`; use one of {known}") from None


def _level(decision: Decision) -> int:
    """Return the level of the verdict; an internal error is more than information."""
    level = _LEVELS[decision.verdict]
    if not decision.errors:
        return level
    return logging.ERROR if decision.blocked else max(level, logging.WARNING)


def _bound(plain: logging.Logger) -> Any:
    """Return structlog's logger; its import takes longer than ours, and many hosts log no call."""
    import structlog

    return structlog.wrap_logger(
        plain,
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        context_class=dict,
        cache_logger_on_first_use=True,
    ).bind()


def _line(decision: Decision) -> dict[str, Any]:
    line = {
        "decision_id": decision.id,
        "subject": decision.subject.value,
        "tool": shown_tool(decision),
        "verdict": decision.verdict.value,
        "action": decision.action.value,
        "mode": decision.mode.value,
        "blocked": decision.blocked,
        "would_block": decision.would_block,
        "layers": weighing_layers(decision),
        "codes": list(dict.fromkeys(f.code for f in decision.findings if f.weighs)),
        "policy_revision": decision.policy_revision,
        "elapsed_ms": decision.elapsed_ms,
    }
    return line | _named(decision) | _threat(decision) | _trace(decision)


def _named(decision: Decision) -> dict[str, Any]:
    ids = {
        "session_id": decision.session_id,
        "run_id": decision.run_id,
        "call_id": decision.call_id,
    }
    named: dict[str, Any] = {key: escaped(value, limit=_ID) for key, value in ids.items() if value}
    for attribute, value in host_names(decision).items():
        named[_SHORT[attribute]] = escaped(value, limit=_ID)
    if decision.tool and not unregistered(decision):
        named["tool_type"] = semconv.VALUE_FUNCTION
    if decision.approval:
        named["approval"] = decision.approval
    if decision.errors:
        named[semconv.ATTRIBUTE_ERROR] = semconv.VALUE_LAYER_ERROR
        named["errors"] = [escaped(error, limit=_ERROR) for error in decision.errors]
    return named


def _threat(decision: Decision) -> dict[str, str]:
    if decision.verdict is Verdict.CLEAN:
        return {}
    return {semconv.ATTRIBUTE_THREAT_TYPE: semconv.VALUE_HALLUCINATION}


def _trace(decision: Decision) -> dict[str, str]:
    context = span_of(decision)
    if not context.is_valid:
        return {}
    return {
        "trace_id": trace.format_trace_id(context.trace_id),
        "span_id": trace.format_span_id(context.span_id),
    }
