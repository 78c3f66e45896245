"""The steps of a rollout: each layer is safe to enforce, not yet, or enforced, with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from abs_shield.core import LAYER_NAMES, Mode, Outcome
from abs_shield.core.vocabularies import PHANTOM_TOOL
from abs_shield.report.decision_report import Report
from abs_shield.report.layer_report import LayerReport
from abs_shield.report.readiness import Readiness, ReadinessReason, percent
from abs_shield.report.report_rows import NO_TOOLS, noun_of


class Standing(StrEnum):
    """The result of the rule for a layer."""

    SAFE = "safe"
    NOT_YET = "not_yet"
    ENFORCED = "enforced"


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutStep:
    """
    The rule's result for one layer, on all tools or on one that differs.

    Attributes:
        layer: The layer's name.
        tool: The tool; empty for all.
        standing: The rule's result.
        reasons: The reasons against enforcing it; if it is enforced already, those with evidence.
        caveats: Limits of the figures, one line each.
        place: The counts on which it is based.
    """

    layer: str
    tool: str
    standing: Standing
    reasons: tuple[ReadinessReason, ...]
    caveats: tuple[str, ...]
    place: LayerReport

    @property
    def look_at(self) -> tuple[str, ...]:
        """Ids of decisions to review first: the newest unlabelled ones that it would block."""
        newest = reversed(self.place.unlabelled)
        # with nothing against it there is nothing to look at
        return tuple(name for _, name in newest) if self.reasons else ()

    @property
    def todos(self) -> tuple[str, ...]:
        """Return the next actions, each once."""
        return tuple(dict.fromkeys(reason.todo for reason in self.reasons))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "layer": self.layer,
            "tool": self.tool or None,
            "standing": self.standing.value,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "caveats": list(self.caveats),
            "look_at": list(self.look_at),
        }


def rollout(report: Report, rule: Readiness) -> list[RolloutStep]:
    """
    Apply the rule to every layer, and to each tool on which a layer differs from the whole.

    A tool differs if the layer is safe and there is evidence against it on this tool, or if the
    layer is not safe and the tool's own calls meet the whole rule.
    """
    return [step for layer in report.columns() for step in _steps(layer, report, rule)]


def modes(steps: list[RolloutStep]) -> dict[str | tuple[str, str], Mode]:
    """Return the entries for a policy's ``modes`` that enforce everything that is safe."""
    entries: dict[str | tuple[str, str], Mode] = {}
    for step in steps:
        if step.standing is Standing.SAFE:
            entries[(step.tool, step.layer) if step.tool else step.layer] = Mode.STRICT
        # an entry for one tool is only needed where the layer is strict
        elif step.tool and step.standing is Standing.NOT_YET and step.layer in entries:
            entries[step.tool, step.layer] = Mode.AUDIT
    return entries


def modes_line(entries: Mapping[str | tuple[str, str], Mode]) -> str:
    """
    Return modes as a line of Python.

    >>> modes_line({"phantom_tool": Mode.STRICT, ("refund", "phantom_target"): Mode.AUDIT})
    'modes={"phantom_tool": "strict", ("refund", "phantom_target"): "audit"}'
    """
    return f"modes={{{', '.join(_entries(entries))}}}" if entries else ""


def modes_lines(entries: Mapping[str | tuple[str, str], Mode]) -> str:
    """
    Return modes as lines of Python, one each; empty without any.

    >>> print(modes_lines({"phantom_tool": Mode.STRICT}))
    modes={
        "phantom_tool": "strict",
    }
    """
    return (
        "\n".join(["modes={", *(f"    {one}," for one in _entries(entries)), "}"])
        if entries
        else ""
    )


def _entries(modes_by_key: Mapping[str | tuple[str, str], Mode]) -> list[str]:
    return [f"{_literal(key)}: {_literal(mode.value)}" for key, mode in modes_by_key.items()]


def _literal(key: str | tuple[str, str]) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_literal, key))})"
    plain = key.isascii() and key.isprintable() and not set(key) & set('"\\')
    return f'"{key}"' if plain else repr(key)


def _steps(layer: str, report: Report, rule: Readiness) -> Iterator[RolloutStep]:
    whole = _step(layer, "", report, rule)
    yield whole
    for tool in report.tools():
        # rows of texts and of unknown names have no mode of their own
        if tool not in NO_TOOLS and (tool, layer) in report:
            step = _step(layer, tool, report, rule)
            if _differs(step, whole) and _concerns(step):
                yield step


def _concerns(step: RolloutStep) -> bool:
    """Return whether the layer judges that tool: `phantom_tool` judges only unknown names."""
    return step.layer != PHANTOM_TOOL or bool(step.place.counts.findings)


def _step(layer: str, tool: str, report: Report, rule: Readiness) -> RolloutStep:
    place = report.place(layer, tool or None)
    noun, dropped = noun_of(layer), report.totals.dropped_share
    reasons = tuple(rule.reasons(place, dropped_share=dropped, noun=noun))
    standing = Standing.NOT_YET if reasons else Standing.SAFE
    if place.modes == {Mode.STRICT}:  # enforced on every tool already
        standing = Standing.ENFORCED
        reasons = tuple(reason for reason in reasons if reason.is_evidence)
    return RolloutStep(
        layer=layer, tool=tool, standing=standing, reasons=reasons,
        caveats=tuple(_caveats(place, rule, noun)), place=place,
    )  # fmt: skip


def _differs(step: RolloutStep, whole: RolloutStep) -> bool:
    if whole.standing is Standing.SAFE:
        # too few data on one tool is no reason to leave it out
        return step.standing is Standing.NOT_YET and any(
            reason.is_evidence for reason in step.reasons
        )
    if whole.standing is Standing.NOT_YET:
        return step.standing is not Standing.NOT_YET
    return False


def _caveats(place: LayerReport, rule: Readiness, noun: str) -> Iterator[str]:
    counts = place.counts
    if counts.ran and counts.ran < rule.min_coverage * counts.calls:
        blind = counts.calls - counts.ran
        why = place.reason(Outcome.UNAVAILABLE) or place.reason(Outcome.ERROR)
        yield (
            f"it cannot judge {percent(blind / counts.calls)} of the {noun}s"
            f" ({blind:,} of {counts.calls:,}), most often because: {why}"
        )
    if counts.runs_in_strict:
        yield _runs_in_strict(counts.runs_in_strict, noun)
    if len(place.modes) > 1:
        yield "on some tools it is enforced already"
    if counts.overrides:
        yield (
            f"{counts.overrides:,} {noun}s that it would have blocked were allowed by a"
            " suppression or an approval"
        )


def _runs_in_strict(count: int, noun: str) -> str:
    """Describe what strict mode does with a subject that is flagged and not blocked."""
    one = count == 1
    does = {"call": "runs" if one else "run", "answer": "is revised" if one else "are revised"}
    passes = does.get(noun, "passes" if one else "pass")
    flags = f"{count:,} {noun}{'' if one else 's'} that it flags {passes} in strict mode too"
    return f"{flags}: no finding there is HALLUCINATED"


def silent_layers(report: Report) -> dict[str, str]:
    """Return the layers that cannot have a finding, with the reasons."""
    # all are silent until a layer has judged something
    silent = {name: "the policy does not run it" for name in LAYER_NAMES}
    for layer in report.layers():
        silent.pop(layer, None)
        if why := _silence(report.place(layer)):
            silent[layer] = why
    return silent if report.layers() else {}


def _silence(place: LayerReport) -> str:
    counts = place.counts
    if not counts.ran:
        why = place.reason(Outcome.ERROR) or place.reason(Outcome.UNAVAILABLE)
        return f"it judged none of {counts.calls:,} calls: {why}"
    if counts.findings and not counts.flagged:
        return (
            f"none of its {counts.findings:,} findings counts: {counts.suppressed:,} are suppressed"
            f", {counts.uncounted:,} are below the threshold"
        )
    return ""
