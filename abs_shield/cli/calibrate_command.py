"""`abs-shield calibrate`: apply the labels of a decision log to the engine and the answer gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from abs_shield.answer import GateFit, fit_gate
from abs_shield.cli.console import line, open_console, print_json, safe
from abs_shield.cli.log.decision_lookup import DamagedRecords
from abs_shield.cli.output_file import require_writable
from abs_shield.cli.shared_options import (
    Database,
    TextFormat,
    TextOrJson,
    files_of,
    open_log,
    require_log,
)
from abs_shield.policy import AnswerConfig
from abs_shield.report import limit_text, percent
from abs_shield.stores.record_bodies import Skipped
from abs_shield.text.safe_display import quantity
from abs_shield.verification import AppliedLabels, VerificationEngine, apply_labels

app = typer.Typer(add_completion=False, rich_markup_mode=None)
_THRESHOLDS = ("emit_threshold", "revise_threshold", "block_threshold")


@app.command(epilog="Example: abs-shield calibrate decisions.db --engine engine.db")
def calibrate(
    db: Database = None,
    engine: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The engine's file; created if missing."),
    ] = None,
    max_wrong: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Maximum share of emitted answers that are hallucinated."
        ),
        # 1 in 20 emitted answers; stricter limits need hundreds of labels
    ] = 0.05,
    format: TextOrJson = TextFormat.TEXT,
) -> None:
    """
    Apply the labels of a decision log.

    Labels on results adjust the thresholds of the verification engine that --engine names, each
    label once. Labels on answers determine an emit threshold of the answer gate that keeps
    hallucinated answers rare; the line to add to the policy is printed. Exits with 0, and with 2
    for bad input, or if a record of the log cannot be read and is left out.
    """
    if engine is not None:
        require_writable(engine, inputs=files_of(db), option="--engine")
    require_log(db)
    damaged = DamagedRecords()
    with open_log(db) as store:
        gate = fit_gate(store, max_wrong=max_wrong, skipped=damaged.add)
        taught = None if engine is None else _apply_labels(engine, store, damaged.add)
    if format is TextFormat.JSON:
        print_json({"results": taught, "answers": _gate(gate)})
    else:
        console = open_console()
        for text in (*_results(taught), *_answers(gate)):
            console.print_line(text)
    damaged.print_count()
    if damaged.count:
        raise typer.Exit(2)


def _apply_labels(path: str, store: Any, skipped: Skipped) -> dict[str, Any]:
    """Apply the labels to the engine of a file, and save it."""
    engine = VerificationEngine()
    if Path(path).exists():
        engine.load(path)
    applied = apply_labels(engine, store, skipped=skipped)
    engine.save(path)
    return {
        "engine": path,
        "new": applied.new.total(),
        "known": applied.already_applied,
        "unscored": applied.unscored,
        "tools": [_tool(engine, tool, applied) for tool in sorted(applied.new)],
    }


def _tool(engine: VerificationEngine, tool: str, applied: AppliedLabels) -> dict[str, Any]:
    calibration = engine.get_calibration(tool)
    names = ("labels", "hallucinated_labels", "block_threshold", "prior")
    return {"tool": tool, "new": applied.new[tool], **{name: calibration[name] for name in names}}


def _results(taught: dict[str, Any] | None) -> Iterator[Text]:
    if taught is None:
        yield Text("Results: name the engine's file with --engine to apply their labels.")
        return
    new = quantity(taught["new"], "new label")
    yield line(f"Results: {new} applied to ", safe(taught["engine"], limit=200),
               f", {taught['known']:,} applied before.")  # fmt: skip
    for tool in taught["tools"]:
        yield line(
            "  ", safe(tool["tool"], limit=80), f": {quantity(tool['labels'], 'label')}, blocks"
            f" from {tool['block_threshold']:.3f}, prior {tool['prior']:.3f}",
        )  # fmt: skip
    if taught["unscored"]:
        unscored = quantity(taught["unscored"], "label")
        yield Text(f"  {unscored} on results without a P(hallucination) were not applied.")


def _gate(fit: GateFit) -> dict[str, Any]:
    if fit.emit_threshold is None:
        return {**asdict(fit), "config": None}
    config = fit.applied(AnswerConfig())
    return {**asdict(fit), "config": {name: getattr(config, name) for name in _THRESHOLDS}}


def _answers(fit: GateFit) -> Iterator[Text]:
    if fit.unscored:
        unscored = quantity(fit.unscored, "labelled answer")
        yield Text(f"Answers: {unscored} without a P(hallucination) left out.")
    labels = quantity(fit.labels, "labelled answer")
    allowed = limit_text(fit.max_wrong)
    if fit.emit_threshold is None:
        yield Text(
            f"Answers: {labels}, {fit.hallucinated:,} of them hallucinated; no emit threshold"
            f" keeps their share of emitted answers under {allowed}. Label more, at random."
        )
        return
    upper = percent(fit.wrong_upper, beside=fit.max_wrong)
    yield Text(
        f"Answers: {labels}, {fit.hallucinated:,} of them hallucinated. With"
        f" emit threshold {fit.emit_threshold:g}, {fit.emitted:,} are emitted, {fit.wrong:,} of"
        f" them hallucinated: up to {upper}, {allowed} is allowed."
    )
    config = fit.applied(AnswerConfig())
    fields = ", ".join(f"{name}={getattr(config, name):g}" for name in _THRESHOLDS)
    yield Text("Add to your policy")
    yield Text(f"  answer=AnswerConfig({fields})")
