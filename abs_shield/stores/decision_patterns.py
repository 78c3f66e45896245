"""Patterns of decisions: their content without ids, times, sessions and texts."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from abs_shield.core import Coverage, Decision, Finding, Mode, Outcome, Subject, Verdict
from abs_shield.core.digest import digest
from abs_shield.core.vocabularies import UNREGISTERED, Action

HOUR_S = 3_600  # shorter periods are more rows; longer ones hide a change within a day
"""Decisions are counted by the hour in which they were made."""
_DIGEST_BYTES = 16  # 128 bits: no two patterns collide, and the index stays half of SHA-256's
_MOST_CACHED = 8_192  # a host has some hundred patterns; each takes a few kB
"""Patterns whose text is cached for the next decision of the same pattern."""
_LONGEST_PLACE = 256  # a location contains keys of arguments, which a model can make any length
_PROBABILITY_PLACES = 2
"""Decimal places of a probability: results differ in more of them, and the report needs no more."""


class DecisionPattern(NamedTuple):
    """
    The common content of decisions.

    Attributes:
        digest: Short hash of the body, which identifies the pattern in the database.
        body: The decision as canonical JSON, without its id, time, session and texts.
    """

    digest: str
    body: str

    def decision(self) -> Decision:
        """Return a decision of the pattern, with an empty id, session and texts, and time 0."""
        return _decision(self.body)


def pattern_of(decision: Decision) -> DecisionPattern:
    """
    Return the pattern of a decision: everything that a report counts.

    The name of an unregistered tool is the model's text, and a reason may quote a value; both are
    left out, so the host's tools, agents, models and policies bound the number of patterns.
    """
    return _pattern(
        decision.subject,
        UNREGISTERED if decision.unregistered else decision.tool,
        decision.verdict,
        decision.action,
        decision.mode,
        decision.blocked,
        decision.would_block,
        decision.policy_revision,
        decision.agent,
        decision.model,
        decision.approval,
        _fault(decision.errors),
        # a note that is a sentence may quote a value, and each value would be a new pattern
        tuple(note for note in decision.notes if note.isidentifier()),
        _round(decision.probability),
        tuple(decision.coverage.items()),
        tuple(map(_common, decision.findings)) if decision.findings else (),
    )


def _fault(errors: tuple[str, ...]) -> str:
    """Return the first error without quoted values; empty if there is none."""
    return Coverage(Outcome.ERROR, errors[0] or "error").without_values().reason if errors else ""


def _round(probability: float | None) -> float | None:
    return None if probability is None else round(probability, _PROBABILITY_PLACES)


def _common(finding: Finding) -> tuple[Any, ...]:
    # only suppressed findings are counted by location, and a location may contain model text
    place = finding.where[:_LONGEST_PLACE] if finding.suppressed else ""
    return (
        finding.check, finding.verdict, round(finding.strength, _PROBABILITY_PLACES),
        place, finding.code, finding.basis, finding.mode, finding.counted,
        finding.suppressed,
    )  # fmt: skip


@lru_cache(maxsize=_MOST_CACHED)
def _pattern(
    subject: Subject,
    tool: str,
    verdict: Verdict,
    action: Action,
    mode: Mode,
    blocked: bool,
    would_block: bool,
    policy_revision: str,
    agent: str | None,
    model: str | None,
    approval: str,
    error: str,
    notes: tuple[str, ...],
    probability: float | None,
    coverage: tuple[tuple[str, Coverage], ...],
    findings: tuple[tuple[Any, ...], ...],
) -> DecisionPattern:
    body = Decision(
        id="",
        at=0.0,
        subject=subject,
        tool=tool,
        verdict=verdict,
        action=action,
        mode=mode,
        blocked=blocked,
        would_block=would_block,
        policy_revision=policy_revision,
        agent=agent,
        model=model,
        approval=approval,
        errors=(error,) if error else (),
        notes=notes,
        probability=probability,
        coverage={name: c.without_values() for name, c in coverage},
        findings=tuple(_finding(*one) for one in findings),
    ).to_json()
    return DecisionPattern(digest(body, size=_DIGEST_BYTES).hex(), body)


def _finding(
    check: str,
    verdict: Verdict,
    strength: float,
    where: str,
    code: str,
    basis: str,
    mode: Mode,
    counted: bool,
    suppressed: bool,
) -> Finding:
    return Finding(
        check=check, verdict=verdict, strength=strength, where=where, code=code, basis=basis,
        mode=mode, counted=counted, suppressed=suppressed, detail="",
    )  # fmt: skip


@lru_cache(maxsize=_MOST_CACHED)
def _decision(body: str) -> Decision:
    return Decision.from_dict(json.loads(body))
