"""The details of a decision as escaped lines of text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from rich.text import Text

from abs_shield.cli.console import STYLES, line, safe
from abs_shield.cli.decision_details import DecisionDetails, Excerpt
from abs_shield.cli.decision_text import finding_lines, outcome_of, stop_word
from abs_shield.cli.shared_options import format_time
from abs_shield.core import Decision, Finding, Outcome, Subject
from abs_shield.core.events import MessageText, Opaque, Proposed, Returned
from abs_shield.core.messages import read_message
from abs_shield.replay.run_reader import UNREADABLE

_LONG = 4_000  # two screens; `--format json` has all
"""Maximum characters shown of arguments, a result or an output."""
_LISTED = 20  # about a screen
"""Maximum number of claims and calls of a report that are listed."""


def full_lines(details: DecisionDetails) -> Iterator[Text]:
    """Yield all details of a decision as lines."""
    yield headline(details.decision)
    yield from _facts(details.decision)
    yield from _findings(details.decision.findings)
    yield from _layers(details.decision)
    yield from _labels(details)
    yield from _session(details)
    yield from _report(details.report)
    yield from _excerpt(details)
    yield from _feedback(details.decision)


def brief_lines(details: DecisionDetails) -> Iterator[Text]:
    """Yield the details needed to label a decision as lines."""
    decision = details.decision
    yield headline(decision)
    agent = safe(f", agent {decision.agent}" if decision.agent else "", limit=80)
    session = safe(f", session {decision.session_id}" if decision.session_id else "", limit=80)
    yield line(
        "  ", safe(decision.id, limit=80), f", {format_time(decision.at)} UTC", agent, session
    )
    for finding in decision.findings:
        yield from finding_lines(finding)
    yield from _errors(decision)
    yield from _excerpt(details) if details.excerpt else _session(details)


def headline(decision: Decision) -> Text:
    """Return the subject, the verdict and the outcome of a decision."""
    verdict = safe(decision.verdict, style=STYLES[decision.verdict])
    return line(_subject(decision), ": ", verdict, ", ", safe(outcome_of(decision)))


def _subject(decision: Decision) -> Text:
    return line(str(decision.subject), safe(f" of {decision.tool}" if decision.tool else ""))


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _facts(decision: Decision) -> Iterator[Text]:
    time = format_time(decision.at, seconds=True)
    facts = {
        "decision": decision.id,
        "time": f"{time} UTC; judging took {decision.elapsed_ms:.1f} ms",
        "agent": decision.agent,
        "model": decision.model,
        "session": decision.session_id,
        "run": decision.run_id,
        "call": decision.call_id,
        "mode": decision.mode,
        "policy": f"revision {decision.policy_revision}",
        "action": decision.action,
        "approval": decision.approval,
        "probability": _share(decision.probability),
        "notes": ", ".join(decision.notes),
    }
    for name, value in facts.items():
        if value is not None and value != "":
            yield line(f"  {name:<12}", safe(value))


def _share(probability: float | None) -> str:
    return "" if probability is None else f"{probability:.3f} that it is hallucinated"


def _findings(findings: Iterable[Finding]) -> Iterator[Text]:
    yield _title("Findings")
    if not findings:
        yield Text("  none")
    for finding in findings:
        yield from finding_lines(finding)
        basis = f" ({finding.basis})" if finding.basis else ""
        yield line(
            "    code: ", safe(finding.code, limit=80), f"; strength {finding.strength:.2f}",
            safe(basis, limit=80), f"; judged in {finding.mode} mode",
        )  # fmt: skip
        details = {"got": finding.got, "expected": finding.expected, "nearest": finding.nearest}
        details["allowed"] = list(finding.allowed)
        for name, value in (details | dict(finding.evidence)).items():
            if value not in (None, "", []):
                yield line("    ", safe(name, limit=80), ": ", safe(_json_or_text(value)))


def _layers(decision: Decision) -> Iterator[Text]:
    yield _title("Layers")
    ran = [name for name, one in decision.coverage.items() if one.outcome is Outcome.RAN]
    yield line("  ran: ", safe(", ".join(ran) or "none", limit=1_000))
    for name, one in decision.coverage.items():
        if one.outcome is not Outcome.RAN:
            reason = f": {one.reason}" if one.reason else ""
            yield line("  ", safe(f"{name}: {one.outcome}{reason}"))
    yield from _errors(decision)


def _errors(decision: Decision) -> Iterator[Text]:
    for error in decision.errors:
        yield line("  internal error: ", safe(error))


def _labels(details: DecisionDetails) -> Iterator[Text]:
    yield _title("Labels")
    if not details.labels:
        name = safe(details.decision.id, limit=80)
        yield line("  none: abs-shield label ", name, " hallucinated|ok")
    for label in details.labels:
        by = f" by {label.by}" if label.by else ""
        note = f": {label.note}" if label.note else ""
        replaced = "" if label is details.labels[-1] else " (replaced by a newer one)"
        yield line("  ", safe(f"{label.truth}{by}, {format_time(label.at)} UTC{note}"), replaced)


def _session(details: DecisionDetails) -> Iterator[Text]:
    if not (details.before or details.after):
        return
    yield _title("In its session")
    for mark, decisions in (
        (" ", details.before), (">", [details.decision]), (" ", details.after)
    ):  # fmt: skip
        for one in decisions:
            verdict = safe(one.verdict, style=STYLES[one.verdict])
            yield line(
                f"  {mark} ", safe(one.id, limit=80), " ", _subject(one), ": ", verdict,
                ", blocked" if one.blocked else "",
            )  # fmt: skip


def _report(report: dict[str, Any] | None) -> Iterator[Text]:
    """Yield the claims of an answer and the calls of its run, if the log has their texts."""
    if claims := _objects(report, "claims"):
        yield _title("Claims of the answer")
        for place, claim in enumerate(claims[:_LISTED]):
            text = claim.get("text", f"characters {claim.get('start')} to {claim.get('end')}")
            yield line(f"  /claims/{place} ", safe(f"{claim.get('status')}: {text}"))
        yield from _more(len(claims))
    if calls := _objects(report, "tool_call_validations"):
        yield _title("Calls of its run")
        for call in calls[:_LISTED]:
            arguments = f" {_json_or_text(call['args'])}" if "args" in call else ""
            yield line("  ", safe(f"{call.get('status')}: {call.get('tool')}{arguments}"))
        yield from _more(len(calls))


def _objects(report: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    listed = report.get(name) if report else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _more(count: int) -> Iterator[Text]:
    if count > _LISTED:
        yield Text(f"  and {count - _LISTED:,} more: --format json")


def _excerpt(details: DecisionDetails) -> Iterator[Text]:
    excerpt = details.excerpt
    if excerpt is None:
        if details.reads_runs:
            yield _title("In its run")
            yield Text("  no run of --runs has its session or run id")
        return
    if excerpt.place is not None:
        yield _title("Arguments, as they were recorded")
        yield line("  ", safe(_json_or_text(excerpt.arguments), limit=_LONG))
    if excerpt.output is not None:
        yield _title("The output, as it was recorded")
        yield line("  ", safe(excerpt.output, limit=_LONG))
    if excerpt.messages:
        yield _title("In its run, ").append(safe(f"{excerpt.path}:{excerpt.line}"))
        yield from _remarks(excerpt, details.decision)
        for place, message in enumerate(excerpt.messages):
            for text in _message(message):
                yield line("  > " if place == excerpt.place else "    ", text)


def _remarks(excerpt: Excerpt, decision: Decision) -> Iterator[Text]:
    about_call = decision.subject in (Subject.CALL, Subject.RESULT)
    if about_call and excerpt.place is None:
        yield Text("  no call of the run has this id and name; these are its last messages")
    if excerpt.matches > 1:
        yield Text(f"  {excerpt.matches:,} calls of the run have this id; the first is shown")


def _message(message: Any) -> Iterator[Text]:
    events = None
    with suppress(*UNREADABLE):
        events = [*read_message(message)]
    if events is None:
        yield safe(_json_or_text(message))
    for event in events or ():
        match event:
            case MessageText():
                yield safe(f"{event.role}: {event.text}")
            case Proposed():
                for call in event.calls:
                    yield safe(f"calls {call.name} {_json_or_text(call.arguments)}")
            case Returned():
                failed = " (failed)" if event.error else ""
                yield safe(
                    f"{event.name or 'the tool'} returned{failed}: {_json_or_text(event.value)}"
                )
            case Opaque():
                yield safe(event.reason)


def _feedback(decision: Decision) -> Iterator[Text]:
    if not decision.feedback()["problems"]:
        return
    if decision.subject not in (Subject.CALL, Subject.RESULT):
        yield _title("Feedback for the model, where the application passes it on")
    elif decision.blocked:
        yield _title("Feedback that the model got in place of a result")
    else:
        yield _title("Feedback")
        yield Text(f"  none: nothing was {stop_word(decision)}")
        return
    for text in json.dumps(decision.feedback(), ensure_ascii=False, indent=1).splitlines():
        yield line("  ", safe(text, limit=1_000))


def _json_or_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
