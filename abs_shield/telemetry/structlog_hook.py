"""The structlog hook: one line per decision on the standard logger `abs_shield`."""

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
    is_unregistered,
    tool_display_name,
    verdict_checks,
)
from abs_shield.telemetry.decision_span import span_of
from abs_shield.telemetry.readable_line import FORMAT, LogFormat, is_for_terminal, readable_line
from abs_shield.text.safe_display import escaped

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
_ID = 256  # ids come from hosts and models; a UUID has 36 characters
_ERROR = 1_000  # an exception's text may contain a whole response


class StructLog:
    """
    A hook that logs every decision as one line.

    The host configures level and handlers by ``logging.getLogger("abs_shield")``; its logging
    and structlog configuration is not changed.

    Args:
        format: ``json``; ``line``, a readable line; or ``auto``: a readable line if all handlers
            write to terminals and structlog is not configured, else JSON. None reads
            ``ABS_SHIELD_LOG_FORMAT``, by default ``auto``.

    Raises:
        ShieldError: The format is unknown.
    """

    def __init__(self, format: str | None = None) -> None:
        self._plain = logging.getLogger("abs_shield")
        self._format = _parse_format(format)
        self._logger: Any = None

    def __call__(self, decision: Decision) -> None:
        """Log *decision* if its level is enabled."""
        level = _level(decision)
        # checked before the line is built, because most hosts do not log clean calls
        if self._plain.isEnabledFor(level):
            if self._is_readable():
                self._plain.log(level, "%s", readable_line(decision))
                return
            if self._logger is None:
                self._logger = _bind_logger(self._plain)
            self._logger.log(level, semconv.EVENT_DECISION, **_line(decision))

    def _is_readable(self) -> bool:
        if self._format is LogFormat.AUTO:
            return is_for_terminal(self._plain)
        return self._format is LogFormat.LINE


def _parse_format(name: str | None) -> LogFormat:
    word = (os.environ.get(FORMAT) or LogFormat.AUTO) if name is None else name
    try:
        return LogFormat(word.strip().lower())
    except ValueError:
        source = f"`{FORMAT}`" if name is None else "`format`"
        formats = ", ".join(LogFormat)
        raise ShieldError(f"{source} is `{escaped(word)}`; use one of {formats}") from None


def _level(decision: Decision) -> int:
    """Return the log level of the verdict; at least WARNING for an internal error."""
    level = _LEVELS[decision.verdict]
    if not decision.errors:
        return level
    # an error that blocked a call needs action now
    return logging.ERROR if decision.blocked else max(level, logging.WARNING)


def _bind_logger(plain: logging.Logger) -> Any:
    """Return structlog's logger; imported lazily: it is slow, and many hosts log no calls."""
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
        "tool": tool_display_name(decision),
        "verdict": decision.verdict.value,
        "action": decision.action.value,
        "mode": decision.mode.value,
        "blocked": decision.blocked,
        "would_block": decision.would_block,
        "layers": verdict_checks(decision),
        "codes": list(dict.fromkeys(f.code for f in decision.findings if f.weighs)),
        "policy_revision": decision.policy_revision,
        "elapsed_ms": decision.elapsed_ms,
    }
    return line | _identity(decision) | _threat(decision) | _trace(decision)


def _identity(decision: Decision) -> dict[str, Any]:
    ids = {
        "session_id": decision.session_id,
        "run_id": decision.run_id,
        "call_id": decision.call_id,
    }
    fields: dict[str, Any] = {key: escaped(value, limit=_ID) for key, value in ids.items() if value}
    for attribute, value in host_names(decision).items():
        fields[_SHORT[attribute]] = escaped(value, limit=_ID)
    if decision.tool and not is_unregistered(decision):
        fields["tool_type"] = semconv.VALUE_FUNCTION
    if decision.approval:
        fields["approval"] = decision.approval
    if decision.errors:
        fields[semconv.ATTRIBUTE_ERROR] = semconv.VALUE_LAYER_ERROR
        fields["errors"] = [escaped(error, limit=_ERROR) for error in decision.errors]
    return fields


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
