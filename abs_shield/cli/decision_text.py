"""Decisions, findings and outcomes as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.text import Text

from abs_shield.cli.console import STYLES, line, safe
from abs_shield.core import Action, Decision, Finding, Mode, Outcome, Subject
from abs_shield.replay.replay_counts import blocking_layers
from abs_shield.telemetry.readable_line import outcome_text


def render_decision(decision: Decision) -> Iterator[Text]:
    """Yield the verdict, the findings with hints, internal errors, and layers that did not run."""
    yield _headline(decision)
    for finding in decision.findings:
        yield from finding_lines(finding)
    for error in decision.errors:
        yield line("  not checked: ", safe(error))
    missing = [
        f"{layer} ({coverage.reason})"
        for layer, coverage in decision.coverage.items()
        if coverage.outcome is Outcome.UNAVAILABLE
    ]
    if missing:
        yield line("  not judged by ", safe(", ".join(missing)))


def finding_lines(finding: Finding) -> Iterator[Text]:
    """Yield one finding as a line, and its hint as another."""
    weight = "" if finding.weighs else " (suppressed)" if finding.suppressed else " (not counted)"
    where = safe(finding.where)
    verdict = safe(finding.verdict, style=STYLES[finding.verdict])
    yield line("  ", verdict, f" {finding.check} at ", where, ": ", safe(finding.detail), weight)
    if finding.hint:
        yield line("    hint: ", safe(finding.hint))


def _headline(decision: Decision) -> Text:
    return line(
        safe(decision.verdict, style=STYLES[decision.verdict]),
        " ",
        safe(decision.tool),
        f": {outcome_text(decision)}",
    )


class _OutcomeWords(NamedTuple):
    stopped: str
    stopped_it: str
    passed: str


_WORDS = {
    Subject.CALL: _OutcomeWords("blocked", "blocked it", "allowed"),
    Subject.RESULT: _OutcomeWords("withheld", "withheld it", "passed on to the model"),
    Subject.ANSWER: _OutcomeWords("blocked", "blocked it", "not blocked"),
    Subject.OUTPUT: _OutcomeWords("held back", "held it back", "not held back"),
}


def stop_word(decision: Decision) -> str:
    """Return the word for a stopped subject in strict mode, such as ``blocked``."""
    return _WORDS[decision.subject].stopped


def outcome_of(decision: Decision) -> str:
    """
    Return the outcome of a decision's subject, and its reason.

    >>> from abs_shield.core import Verdict
    >>> outcome_of(Decision(id="d1", subject=Subject.CALL, tool="refund", verdict=Verdict.CLEAN,
    ...     action=Action.ALLOW, mode=Mode.AUDIT, blocked=False, would_block=False,
    ...     policy_revision="", at=0.0))
    'allowed'
    """
    words = _WORDS[decision.subject]
    if decision.approval == "required":
        return "held until an operator approves it"
    if decision.blocked:
        return f"{words.stopped}{_because(decision)}"
    if decision.would_block:
        return f"{words.passed}, {_why_not_blocked(decision, words)}{_because(decision)}"
    if decision.action is Action.ALLOW:
        return words.passed
    request = "to be revised" if decision.action is Action.REVISE else "flagged"
    return f"{words.passed}, but {request}"


def _why_not_blocked(decision: Decision, words: _OutcomeWords) -> str:
    if decision.approval == "granted":
        return f"because an operator approved it; otherwise it would have been {words.stopped}"
    mode = "in audit mode" if decision.mode is Mode.AUDIT else "as its checks are in audit mode"
    return f"{mode}; strict mode would have {words.stopped_it}"


def _because(decision: Decision) -> str:
    names = [check for check in _checks(decision) if check in blocking_layers(decision)]
    return f", because of {', '.join(names)}" if names else ""


def _checks(decision: Decision) -> list[str]:
    """Return the checks with findings in order, then those with coverage only."""
    return [*dict.fromkeys([f.check for f in decision.findings] + [*decision.coverage])]
