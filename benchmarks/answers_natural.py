"""Detection of natural errors in labelled answers: ``answers.py --only natural``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from answers_labelled import KINDS, LabelledRun, load
from grounding_measures import Spoken, roc_auc

from abs_shield.answer.check_pipeline import checked
from abs_shield.stats.share_intervals import wilson

_REASONS = {
    "no successful call": "deeds",
    "cites": "sources",
    "the evidence says": "polarity",
    "belongs to another record": "records",
    "the answer has": "records",
    "is in another unit": "units",
}
"""What a contradiction says, to the scorer that found it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    One run and what became of its answer.

    Attributes:
        run: The run.
        action: emit, revise or block.
        score: The overall score; 1.0 where the answer claims nothing, as it is emitted.
        scorers: What spoke against a claim: figures, names, deeds, sources, polarity, records,
            fields or words.
        at_span: Whether one of these claims overlaps the error.
        findings: One line for each.
    """

    run: LabelledRun
    action: str
    score: float
    scorers: frozenset[str]
    at_span: bool
    findings: tuple[str, ...]

    @property
    def stopped(self) -> bool:
        """Return whether the answer is sent back or blocked."""
        return self.action != "emit"

    @property
    def caught(self) -> bool:
        """Return whether the answer is stopped, and a claim with its error is among the reasons."""
        return self.stopped and self.at_span

    @property
    def mistaken(self) -> bool:
        """Return whether an honest answer is stopped, or an erroneous one emitted."""
        return self.stopped == self.run.honest


def outcome_of(run: LabelledRun) -> Outcome:
    """Check the answer of one run with the default configuration."""
    result = checked(run.answer, session=run.session())
    report = result.report
    scorers, findings, at_span = set(), [], False
    start = run.answer.find(run.span) if run.span else 0
    end = start + len(run.span)
    for row, claim in zip(report.claims, result.claims, strict=True):
        if row.status == "grounded":
            continue
        names = scorers_of(claim)
        scorers |= names
        at_span |= claim.claim.start < end and start < claim.claim.end
        why = claim.contradicted or ", ".join(f"no {m.kind} `{m.text}`" for m in claim.missing)
        findings.append(f"{'+'.join(sorted(names))}: {row.text!r}: {why or row.score}")
    score = 1.0 if report.overall_score is None else report.overall_score
    return Outcome(run, report.action, score, frozenset(scorers), at_span, tuple(findings))


def scorers_of(claim: Any) -> set[str]:
    """Return the names of the scorers that speak against a claim."""
    names = {"names" if miss.kind == "name" else "figures" for miss in claim.missing}
    if claim.contradicted:
        reasons = (name for mark, name in _REASONS.items() if mark in claim.contradicted)
        names.add(next(reasons, "fields"))
    return names or {"words"}


def measure(*, listing: str | None = None) -> dict[str, Any]:
    """Check every run; *listing* ``"wrong"`` writes each mistaken outcome to standard error."""
    outcomes = [outcome_of(run) for run in load()]
    for one in outcomes if listing == "wrong" else ():
        if one.mistaken:
            print(_shown(one), file=sys.stderr)
    groups = {
        "all": outcomes,
        "held out": [one for one in outcomes if one.run.held_out],
        "not held out": [one for one in outcomes if not one.run.held_out],
        "English": [one for one in outcomes if one.run.language == "en"],
        "other languages": [one for one in outcomes if one.run.language != "en"],
    }
    return {name: _figures(some) for name, some in groups.items()} | {
        "honest stopped, by content": _by_content([one for one in outcomes if one.run.honest]),
        "by kind": _by_kind(outcomes),
        "stopped by": {
            "honest": _by_scorer(one for one in outcomes if one.run.honest),
            "erroneous": _by_scorer(one for one in outcomes if not one.run.honest),
        },
    }


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    honest = [one for one in outcomes if one.run.honest]
    wrong = [one for one in outcomes if not one.run.honest]
    emitted = _emitted(honest)
    auc = roc_auc([Spoken(one.score, one.run.honest) for one in outcomes])
    return {
        "runs": len(outcomes),
        "honest stopped": _rate(honest, lambda one: one.stopped),
        "honest blocked": _rate(honest, lambda one: one.action == "block"),
        "erroneous stopped": _rate(wrong, lambda one: one.stopped),
        "erroneous blocked": _rate(wrong, lambda one: one.action == "block"),
        "erroneous stopped at the error": _rate(wrong, lambda one: one.caught),
        "pairs separated": _rate(wrong, lambda one: one.caught and one.run.steps_id in emitted),
        "AUC of overall_score": None if auc is None else round(auc, 3),
    }


def _emitted(outcomes: Iterable[Outcome]) -> set[str]:
    """Return the steps whose honest answer is emitted."""
    return {one.run.steps_id for one in outcomes if one.run.honest and not one.stopped}


def _rate(outcomes: Sequence[Outcome], holds: Any) -> str:
    hits, total = sum(map(holds, outcomes)), len(outcomes)
    low, high = wilson(hits, total)
    return f"{hits}/{total} {hits / max(1, total):.3f} [{low:.3f}, {high:.3f}]"


def _by_content(honest: Sequence[Outcome]) -> dict[str, str]:
    """Return the share of honest answers stopped: a failed call before them, or derived figures."""
    groups: dict[str, list[Outcome]] = {}
    for one in honest:
        if any(kind == "error" for kind, *_ in one.run.steps):
            name = "after a failed call"
        else:
            name = "with derived figures" if one.run.derives else "figures as the results have them"
        groups.setdefault(name, []).append(one)
    return {name: _rate(some, lambda one: one.stopped) for name, some in groups.items()}


def _by_kind(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    table, emitted = {}, _emitted(outcomes)
    for kind in KINDS:
        of_kind = [one for one in outcomes if one.run.kind == kind]
        stopped = [one for one in of_kind if one.stopped]
        table[kind] = {
            "stopped": f"{len(stopped)}/{len(of_kind)}",
            "pairs separated": sum(one.caught and one.run.steps_id in emitted for one in stopped),
            "by": _by_scorer(stopped),
        }
    return table


def _by_scorer(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Count the stopped answers by scorer; one that two scorers speak against counts for both."""
    counts = Counter(name for one in outcomes if one.stopped for name in one.scorers)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _shown(outcome: Outcome) -> str:
    run = outcome.run
    held = ", held out" if run.held_out else ""
    error = "" if run.honest else f"\n  error ({run.kind}): {run.span!r}; right: {run.truth}"
    findings = "".join(f"\n  {line}" for line in outcome.findings)
    head = f"{run.id}{held}: {outcome.action} {outcome.score:.2f}"
    return f"{head}{error}\n  {run.answer!r}{findings}"
