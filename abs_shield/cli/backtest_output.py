"""A backtest as one JSON object, and as GitHub workflow commands that annotate the policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.backtest import (
    Comparison,
    Example,
    Kind,
    PolicyFigures,
    PrecisionRecall,
    SweepPoint,
)
from abs_shield.cli.backtest_tables import planted_record, share_record
from abs_shield.cli.compared_policies import (
    BacktestResult,
    ComparedPolicy,
    in_repository,
    layers_text,
    summary,
)
from abs_shield.core import Finding
from abs_shield.core.label import Truth
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.replay import BadLine
from abs_shield.text.safe_display import escaped, quantity

_FINDING = (
    "check", "code", "verdict", "strength", "where", "detail", "hint", "mode", "counted",
    "suppressed",
)  # fmt: skip
_DECIDED = ("flagged", "blocked")


def record(done: BacktestResult) -> dict[str, Any]:
    """Return all counts and the examples as JSON-able data."""
    comparison = done.comparison
    old = None
    if done.old is not None and comparison.old is not None:
        old = _side(done.old, comparison.old)
    return {
        "runs": comparison.runs,
        "calls": comparison.new.calls,
        "new": _side(done.new, comparison.new),
        "old": old,
        # the gravest first
        "changes": {kind: _changes(comparison, kind) for kind in reversed(Kind)},
        "other_findings": comparison.other_findings,
        "labels": _labels(done),
        "notes": list(done.notes()),
        "bad_lines": done.bad_lines,
        "returned_sessions": done.returned,
    }


def _side(policy: ComparedPolicy, figures: PolicyFigures) -> dict[str, Any]:
    return {
        "policy": policy.name,
        "revision": policy.revision,
        "file": policy.place.file,
        "line": policy.place.line,
        "threshold": figures.threshold,
        **{how: figures.hit(how) for how in _DECIDED},
        **{f"{how}_in_successes": figures.hit(how, successful=True) for how in _DECIDED},
        "scores": {how: _score(figures.score(how)) for how in _DECIDED},
        "layers": [_layer(figures, layer) for layer in figures.layers()],
        "errors": [
            {"layer": layer, "reason": reason, "calls": count}
            for (layer, reason), count in figures.errors.most_common()
        ],
        "planted": planted_record(figures.planted),
        "sweep": [_point(point) for point in figures.sweep()],
    }


def _layer(figures: PolicyFigures, layer: str) -> dict[str, Any]:
    return {
        "layer": layer,
        **{how: figures.hit(how, layer=layer) for how in _DECIDED},
        "scores": {how: _score(figures.score(how, layer=layer)) for how in _DECIDED},
    }


def _point(point: SweepPoint) -> dict[str, Any]:
    return {
        "threshold": point.threshold,
        "own": point.own,
        "flagged": point.flagged.count,
        "blocked": point.blocked.count,
        "scores": {"flagged": _score(point.flags), "blocked": _score(point.blocks)},
    }


def _score(score: PrecisionRecall) -> dict[str, Any]:
    return {"precision": share_record(score.precision), "recall": share_record(score.recall)}


def _changes(comparison: Comparison, kind: Kind) -> dict[str, Any]:
    tools = [(tool, n) for (k, tool), n in comparison.tools.most_common() if k is kind]
    return {
        "calls": comparison.kinds[kind],
        "in_successes": comparison.in_successes[kind],
        "tools": [
            {"tool": tool, "calls": count, "layers": _blamed(comparison, kind, tool)}
            for tool, count in tools
        ],
        "examples": [_example(one) for one in comparison.examples.get(kind, ())],
    }


def _blamed(comparison: Comparison, kind: Kind, tool: str) -> dict[str, int]:
    return {
        layer: count
        for (k, name, layer), count in comparison.layers.items()
        if (k, name) == (kind, tool)
    }


def _labels(done: BacktestResult) -> dict[str, Any]:
    comparison = done.comparison
    return {
        **{label: comparison.new.labelled[label] for label in Truth},
        "disputed": comparison.disputed,
        "in_file": done.labels,
        "in_file_matched": len(comparison.matched),
        "in_file_repeated": len(comparison.repeated),
        "in_runs": comparison.in_runs,
        "in_runs_matched": comparison.in_runs_matched,
        "missed": [_example(one) for one in comparison.missed],
        "false_alarms": [_example(one) for one in comparison.false_alarms],
    }


def _example(one: Example) -> dict[str, Any]:
    return {
        "run_id": one.run_id,
        "call_index": one.call_index,
        "call_id": one.call_id,
        "tool": one.tool,
        "file": one.path,
        "line": one.line,
        "label": one.label,
        "appeared": [_finding(finding) for finding in one.appeared],
        "disappeared": [_finding(finding) for finding in one.disappeared],
        "errors": list(one.errors),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in _FINDING}


_MOST = 10
"""Maximum annotations of one kind; GitHub shows no more of one level in a step."""
_SAYS = {
    Kind.ALLOW_TO_BLOCK: ("allowed", "blocked"),
    Kind.BLOCK_TO_ALLOW: ("blocked", "allowed"),
    Kind.CLEAN_TO_FLAG: ("clean", "flagged"),
    Kind.FLAG_TO_CLEAN: ("flagged", "clean"),
}
_MILD = frozenset({Kind.CLEAN_TO_FLAG, Kind.FLAG_TO_CLEAN})
_NAME = 200  # a tool's name may be a model's text, and an annotation has little room


def commands(done: BacktestResult, *, failing: tuple[Kind, ...]) -> Iterator[str]:
    """
    Yield a line for each kind of change and tool, and a summary.

    Args:
        done: The backtest.
        failing: The kinds that make the backtest fail, shown as errors; others are warnings or
            notices.
    """
    for kind in reversed(Kind):
        # errors only for what fails the command, so that annotations and exit code agree
        level = "error" if kind in failing else "notice" if kind in _MILD else "warning"
        tools = [(tool, n) for (k, tool), n in done.comparison.tools.most_common() if k is kind]
        for tool, count in tools[:_MOST]:
            yield _annotation(done, kind, tool, count, level=level)
        if len(tools) > _MOST:
            rest = f"and {quantity(len(tools) - _MOST, 'tool')} more; `--format json` has them all"
            yield command(level, rest, {"title": f"backtest: {kind}"})
    for note in done.notes():
        yield command("warning", note, {"title": "backtest"})
    yield command("notice", summary(done), {"title": "backtest"})


def bad_line_command(line: BadLine) -> str:
    """Return an unreadable line as an error at its own file and line."""
    where = (
        {}
        if line.path == "-"
        else _location_properties(in_repository(SourceLocation(line.path, line.line)))
    )
    return command("error", escaped(str(line), limit=1_000), {**where, "title": "backtest"})


def command(level: str, message: str, properties: Mapping[str, str]) -> str:
    r"""
    Return a workflow command as one line, with its text escaped.

    >>> command("error", "100 %\n::set-env", {"title": "a: b, c"})
    '::error title=a%3A b%2C c::100 %25%0A::set-env'
    """
    attributes = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {attributes}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # or a name could end the property and begin a command of its own
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _annotation(done: BacktestResult, kind: Kind, tool: str, count: int, *, level: str) -> str:
    first = done.comparison.firsts[kind, tool]
    name = escaped(tool, limit=_NAME)
    was, is_ = _SAYS[kind]
    change = f"{quantity(count, 'call')} of `{name}`: was {was}, is {is_}"
    message = f"{change} ({layers_text(done.comparison, kind, tool)}); {_example_text(first)}"
    return command(
        level,
        message,
        {**_location_properties(_location(done, first)), "title": f"backtest: {kind}: {name}"},
    )


def _example_text(first: Example) -> str:
    findings = first.appeared or first.disappeared
    why = f"{findings[0].check}: {findings[0].detail}" if findings else "; ".join(first.errors)
    run = f"{first.run_id} call {first.call_index}"
    return escaped(f"for one, {run}: {why}" if why else f"for one, {run}", limit=500)


def _location(done: BacktestResult, first: Example) -> SourceLocation:
    """Return the location of the rejecting rule, if any, else of the new policy."""
    # the rule first: its line explains the change, the policy's line only names it
    ruled = (in_repository(_rule_location(finding)) for finding in first.appeared)
    return next((at for at in ruled if at.file), None) or in_repository(done.new.place)


def _rule_location(finding: Finding) -> SourceLocation:
    file, line = finding.evidence.get("file"), finding.evidence.get("line")
    return (
        SourceLocation(file, line)
        if isinstance(file, str) and isinstance(line, int)
        else SourceLocation()
    )


def _location_properties(place: SourceLocation) -> dict[str, str]:
    if not place.file:
        return {}
    return {"file": place.file} | ({"line": str(place.line)} if place.line else {})
