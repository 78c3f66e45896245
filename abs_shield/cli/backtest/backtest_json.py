"""A backtest as one JSON object."""

from __future__ import annotations

from typing import Any

from abs_shield.backtest import (
    Comparison,
    Example,
    Kind,
    PolicyFigures,
    PrecisionRecall,
    SweepPoint,
)
from abs_shield.cli.backtest.compared_policies import BacktestResult, ComparedPolicy
from abs_shield.cli.backtest.planted_folder import planted_record, share_record
from abs_shield.core import Finding
from abs_shield.core.label import Truth

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
