"""A decision as one readable line for a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from enum import StrEnum

from abs_shield.core import Decision, Subject
from abs_shield.telemetry.decision_attributes import tool_display_name
from abs_shield.text.safe_display import escaped

FORMAT = "ABS_SHIELD_LOG_FORMAT"
"""The environment variable with the format of log lines."""
_LONGEST = 80  # a line should fit into a terminal


class LogFormat(StrEnum):
    """Formats of a logged decision."""

    AUTO = "auto"
    LINE = "line"
    JSON = "json"


def readable_line(decision: Decision) -> str:
    """
    Return the outcome, the checks that caused it, and the decision's id, without argument values.

    Such as ``abs-shield: HALLUCINATED refnud: blocked; phantom_tool (unknown_tool); decision 4f``.
    """
    prefix = "" if decision.subject is Subject.CALL else f"{decision.subject} of "
    tool = escaped(tool_display_name(decision), limit=_LONGEST) or "unknown tool"
    parts = [
        f"abs-shield: {decision.verdict} {prefix}{tool}: {outcome_text(decision)}",
        *_causes(decision),
    ]
    parts += [f"error: {escaped(error, limit=200)}" for error in decision.errors]
    return "; ".join([*parts, f"decision {escaped(decision.id, limit=_LONGEST)}"])


def is_for_terminal(logger: logging.Logger) -> bool:
    """Return whether all handlers write to terminals, and structlog is not configured."""
    # read from `sys.modules`: a host that never imported structlog has not configured it
    structlog = sys.modules.get("structlog")
    if structlog is not None and structlog.is_configured():
        return False
    handlers = [*_handlers(logger)]
    return bool(handlers) and all(_is_terminal(handler) for handler in handlers)


def _handlers(logger: logging.Logger) -> Iterator[logging.Handler]:
    """Yield the handlers of *logger*; without any, Python's last resort on standard error."""
    if not logger.hasHandlers() and logging.lastResort is not None:
        yield logging.lastResort
    current: logging.Logger | None = logger
    while current is not None:
        yield from (one for one in current.handlers if not isinstance(one, logging.NullHandler))
        current = current.parent if current.propagate else None


def _is_terminal(handler: logging.Handler) -> bool:
    stream = getattr(handler, "stream", None)
    try:
        return bool(stream is not None and stream.isatty())
    except (AttributeError, ValueError):  # not a file-like stream, or a closed one
        return False


def outcome_text(decision: Decision) -> str:
    """Return whether a call is blocked or runs, and whether strict mode would block it."""
    if decision.blocked:
        return "blocked"
    if decision.would_block:
        return "runs; strict mode would block it"
    return "runs" if decision.action == "allow" else "runs, flagged"


def _causes(decision: Decision) -> Iterator[str]:
    causes = [f"{one.check} ({one.code})" for one in decision.findings if one.weighs]
    if causes:
        yield ", ".join(dict.fromkeys(causes))
