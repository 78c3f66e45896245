"""A decision as one line that a person reads in a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from enum import StrEnum

from abs_shield.core import Decision, Subject
from abs_shield.telemetry.decision_attributes import shown_tool
from abs_shield.text.show import escaped

FORMAT = "ABS_SHIELD_LOG_FORMAT"
"""The environment variable that names the format of log lines."""
_LONGEST = 80


class LogFormat(StrEnum):
    """How a decision is logged."""

    AUTO = "auto"
    LINE = "line"
    JSON = "json"


def readable_line(decision: Decision) -> str:
    """
    Return what was decided, because of which checks, and the decision's id; no argument values.

    Such as ``abs-shield: HALLUCINATED refnud: blocked; phantom_tool (unknown_tool); decision 4f``.
    """
    of = "" if decision.subject is Subject.CALL else f"{decision.subject} of "
    tool = escaped(shown_tool(decision), limit=_LONGEST) or "unknown tool"
    parts = [f"abs-shield: {decision.verdict} {of}{tool}: {_fate(decision)}", *_causes(decision)]
    parts += [f"error: {escaped(error, limit=200)}" for error in decision.errors]
    return "; ".join([*parts, f"decision {escaped(decision.id, limit=_LONGEST)}"])


def is_for_terminal(logger: logging.Logger) -> bool:
    """Return whether what is logged goes to terminals alone, and structlog is not configured."""
    structlog = sys.modules.get("structlog")
    if structlog is not None and structlog.is_configured():
        return False
    handlers = [*_handlers(logger)]
    return bool(handlers) and all(_is_terminal(handler) for handler in handlers)


def _handlers(logger: logging.Logger) -> Iterator[logging.Handler]:
    """Yield what gets a record of *logger*; without any, Python prints it on standard error."""
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
    except (AttributeError, ValueError):  # a stream of another kind, or one that is closed
        return False


def _fate(decision: Decision) -> str:
    if decision.blocked:
        return "blocked"
    if decision.would_block:
        return "runs; strict mode would block it"
    return "runs" if decision.action == "allow" else "runs, flagged"


def _causes(decision: Decision) -> Iterator[str]:
    causes = [f"{one.check} ({one.code})" for one in decision.findings if one.weighs]
    if causes:
        yield ", ".join(dict.fromkeys(causes))
