"""Asks every layer about one proposal, and keeps all that they say."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.core.names import PERSONAL_DATA, PHANTOM_TARGET
from abs_shield.layers import LAYERS, OPT_IN, Layer
from abs_shield.plan import Proposal
from abs_shield.policy import Policy
from abs_shield.policy.personal_data import PersonalData
from abs_shield.session import Session
from abs_shield.shield.overrides import MODEL_LAYERS

NESTED_LAYERS = frozenset({"parameter_mismatch", "impossible_state"})
UNKNOWN_TOOL = Coverage(Outcome.UNAVAILABLE, "unknown tool")
NESTED = Coverage(Outcome.UNAVAILABLE, "nested")
CHANGED = Coverage(Outcome.UNAVAILABLE, "changed by the host")


class Fault(NamedTuple):
    """Our own failure: the layer that could not look, and why."""

    layer: str
    message: str

    def __str__(self) -> str:
        return f"{self.layer} could not run: {self.message}"


@dataclass(slots=True)
class Judgement:
    """What the layers said of one proposal."""

    findings: list[Finding]
    coverage: dict[str, Coverage]
    faults: list[Fault]


def layers_of(policy: Policy) -> tuple[tuple[str, Layer], ...]:
    """Give the layers that *policy* names, in its order."""
    chosen = LAYERS if policy.layers is None else policy.layers
    known = {**LAYERS, **OPT_IN}
    named = tuple(
        (layer, known[layer]) if isinstance(layer, str) else (layer.__name__, layer)
        for layer in chosen
    )
    return named if policy.pii is None else (*named, (PERSONAL_DATA, _personal_data(policy.pii)))


def _personal_data(settings: PersonalData) -> Layer:
    from abs_shield.quality.pii.layer import personal_data_layer  # few policies ask for it

    return personal_data_layer(settings)


def judge(
    layers: Sequence[tuple[str, Layer]],
    proposal: Proposal,
    session: Session,
    *,
    nested: bool,
    changed: bool = False,
    passed_on: frozenset[str] = frozenset(),
) -> Judgement:
    """
    Ask every layer; one that raises is an error of ours, and loses no other's finding.

    Args:
        layers: The layers, by name.
        proposal: The call.
        session: Its run.
        nested: Whether another tool calls it from code.
        changed: Whether the host changed it, so that it is not as the model wrote it.
        passed_on: Pointers to the values of a nested call that the model wrote.
    """
    coverage = dict.fromkeys(dict(layers), RAN)
    judgement = Judgement([], coverage, [])
    known = proposal.tool is not None
    if nested or not known:
        able = NESTED_LAYERS | {PHANTOM_TARGET} if passed_on else NESTED_LAYERS
        layers = _able(layers, coverage, able=able if nested else None, known=known)
    if changed:
        coverage.update({name: CHANGED for name in coverage if name in MODEL_LAYERS})
        layers = [(name, layer) for name, layer in layers if name not in MODEL_LAYERS]
    for name, layer in layers:
        try:
            if said := layer(proposal, session):
                _hear(name, said, judgement)
        except Exception as error:
            judgement.faults.append(Fault(name, place_of(error)))
    for fault in judgement.faults:
        coverage[fault.layer] = Coverage(Outcome.ERROR, fault.message)
    return judgement


def _able(
    layers: Sequence[tuple[str, Layer]],
    coverage: dict[str, Coverage],
    *,
    able: frozenset[str] | None,
    known: bool,
) -> list[tuple[str, Layer]]:
    """Give the layers that can look at a nested call, which is *able*, or an unknown tool."""
    for name, _ in layers:
        if not known and name != "phantom_tool":
            coverage[name] = UNKNOWN_TOOL
        else:
            coverage[name] = RAN if able is None or name in able else NESTED
    return [(name, layer) for name, layer in layers if coverage[name] is RAN]


def _hear(name: str, said: Iterable[object], judgement: Judgement) -> None:
    for word in said:
        if isinstance(word, Finding):
            judgement.findings.append(_sound(word))
        elif isinstance(word, Unavailable):
            judgement.coverage[name] = Coverage(Outcome.UNAVAILABLE, word.reason)
        elif isinstance(word, Failed):
            judgement.faults.append(Fault(name, word.message))
        else:
            raise TypeError(f"a layer yields findings, not {type(word).__name__}")


def _sound(finding: Finding) -> Finding:
    """
    A finding that can be weighed; a layer of the user's may say anything.

    Raises:
        ValueError: It is CLEAN, or its strength is outside [0, 1].
    """
    verdict = Verdict(finding.verdict)
    if verdict is Verdict.CLEAN:
        raise ValueError("a finding is never CLEAN; yield nothing")
    if not 0 <= finding.strength <= 1:
        raise ValueError("a strength lies in [0, 1]")
    return finding if verdict is finding.verdict else replace(finding, verdict=verdict)


def place_of(error: BaseException) -> str:
    """Name an exception by type and place; its text may hold argument values."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
