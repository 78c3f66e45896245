"""The layers of a policy, prepared for one tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.core.call_arguments import plain_size
from abs_shield.core.vocabularies import PERSONAL_DATA, PHANTOM_TARGET
from abs_shield.layers import LAYERS, OPT_IN
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.layer import Check, Layer
from abs_shield.policy import Policy
from abs_shield.policy.check_config import PersonalData
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord
from abs_shield.shield.internal_error import Fault, error_location

_MOST_STORED = 512  # a tool has a few combinations of argument names; a model may invent more
_LONGEST_NAMES = 4_096
"""Maximum total length of the argument names that layers are prepared for, in characters."""
_SCHEMA_LAYERS = frozenset({"parameter_mismatch", "impossible_state"})
"""Layers that read the arguments against the schema."""
_UNKNOWN_TOOL = Coverage(Outcome.UNAVAILABLE, "unknown tool")
_NESTED = Coverage(Outcome.UNAVAILABLE, "nested")
_CHANGED = Coverage(Outcome.UNAVAILABLE, "changed by the host")

Row = tuple[Layer, Check | None]
"""A layer, and its prepared check for calls of one tool with the same argument names."""


class SharedCoverage(dict[str, Coverage]):
    """A read-only coverage that many decisions share."""

    __slots__ = ()

    def _refuse(self, *args: object, **kwargs: object) -> Any:
        raise TypeError("decisions share this coverage; copy it with dict()")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[str, Coverage]]]:
        return dict, (dict(self),)


class PreparedLayers:
    """
    The layers of one tool, prepared for calls with the same argument names.

    Attributes:
        rows: The layers that must examine each call, with their prepared checks.
        letters: Total length of the names, in characters.
        coverage: The coverage of a clean call, unless a prepared check returns another one.
    """

    __slots__ = ("_variants", "coverage", "letters", "rows")

    def __init__(
        self,
        layers: Sequence[Layer],
        plan: ToolPlan,
        terms: ShieldTerms,
        names: tuple[str, ...],
        letters: int,
    ) -> None:
        prepared = [
            (layer, None if layer.prepare is None else layer.prepare(plan, terms, names))
            for layer in layers
        ]
        self.letters = letters
        self.rows: tuple[Row, ...] = tuple(
            (layer, check) for layer, check in prepared if not isinstance(check, Coverage)
        )
        self.coverage = SharedCoverage(
            (layer.name, check if isinstance(check, Coverage) else RAN) for layer, check in prepared
        )
        self._variants: dict[tuple[tuple[str, Coverage], ...], SharedCoverage] = {}

    def coverage_with(self, differences: tuple[tuple[str, Coverage], ...]) -> SharedCoverage:
        """Return the coverage with the differences of one call, from a cache."""
        stored = self._variants.get(differences)
        if stored is None:
            stored = SharedCoverage(self.coverage | dict(differences))
            if len(self._variants) < _MOST_STORED:
                self._variants[differences] = stored
        return stored


@dataclass(slots=True)
class CallJudgement:
    """
    The results of the layers for one call.

    Attributes:
        findings: The findings of all layers.
        coverage: Whether each layer ran, by its name; it may be shared between calls.
        faults: Internal errors of layers.
    """

    findings: list[Finding]
    coverage: Mapping[str, Coverage]
    faults: list[Fault]


def layers_of(policy: Policy) -> tuple[Layer, ...]:
    """Return the layers of *policy*, in its order."""
    chosen = LAYERS if policy.layers is None else policy.layers
    registered = {**LAYERS, **OPT_IN}
    layers = tuple(
        registered[layer]
        if isinstance(layer, str)
        else registered.get(layer.__name__, Layer(layer.__name__, layer))._replace(
            judge=layer, prepare=None
        )
        for layer in chosen
    )
    return layers if policy.pii is None else (*layers, _personal_data(policy.pii))


def _personal_data(settings: PersonalData) -> Layer:
    from abs_shield.quality.pii.personal_data_layer import (
        personal_data_layer,
    )  # few policies ask for it

    return Layer(PERSONAL_DATA, personal_data_layer(settings))


class ToolLayers:
    """
    The layers of one policy, prepared for one tool.

    Most calls are clean, and most layers recognise that in constant time with a check that is
    prepared for the tool and the argument names; the other layers judge the call itself.

    Args:
        layers: The layers, in their order.
        plan: The plan of the tool; None for an unknown tool.
        terms: The settings that apply to every call.

    Attributes:
        shapes: The layers prepared for calls with the same argument names, by these names.
    """

    __slots__ = ("_all_ran", "_fits", "_layers", "_rows", "_terms", "plan", "shapes")

    def __init__(self, layers: Sequence[Layer], plan: ToolPlan | None, terms: ShieldTerms) -> None:
        self.plan = plan
        self._layers = layers
        self._rows: tuple[Row, ...] = tuple((layer, None) for layer in layers)
        self._terms = terms
        self._all_ran = {layer.name: RAN for layer in layers}
        schema = None if plan is None else plan.schema
        reads = any(layer.name in _SCHEMA_LAYERS for layer in layers)
        self._fits = schema.fits if schema is not None and reads else None
        self.shapes: dict[tuple[str, ...], PreparedLayers] = {}

    def prepare(self, arguments: dict[str, Any]) -> PreparedLayers | None:
        """
        Prepare the layers for the names of the arguments, and add them to `shapes`.

        None if the call needs the full evaluation: a name is not declared, or the arguments are
        not plain.
        """
        plan = self.plan
        if plan is None or plain_size(arguments) < 0:
            return None
        # Declared names only, because a model may invent any number of names.
        if not (plan.schema is None or plan.schema.declares(arguments)):
            return None
        # In the order of the call, so that no sorting is needed.
        names = tuple(arguments)
        letters = len("".join(names))
        if len(self.shapes) >= _MOST_STORED or letters > _LONGEST_NAMES:
            return None
        shape = self.shapes[names] = PreparedLayers(self._layers, plan, self._terms, names, letters)
        return shape

    def check(
        self,
        shape: PreparedLayers,
        arguments: dict[str, Any],
        record: SessionRecord,
        logprob: float | None,
    ) -> tuple[Sequence[Row], Mapping[str, Coverage]]:
        """
        Run the prepared checks on plain arguments of a registered tool in a turn of one call.

        Args:
            shape: The layers prepared for the names of the arguments.
            arguments: The arguments.
            record: The record of the session.
            logprob: Mean log-probability of the tool name's tokens; None if unknown.

        Returns:
            The layers that must judge the call, none if it is clean, and the coverage of others.
        """
        fits = self._fits
        try:
            # All layers judge, because a mismatch affects the checks of rules and targets.
            if fits is not None and not fits(arguments):
                return self._rows, self._all_ran
        except Exception:  # e.g. a pattern takes too long; the layer reports the error
            return self._rows, self._all_ran
        differences: tuple[tuple[str, Coverage], ...] = ()
        remaining: tuple[Row, ...] = ()
        for row in shape.rows:
            check = row[1]
            try:
                coverage = None if check is None else check(arguments, record, logprob)
            except Exception:  # the layer itself runs, and reports the error
                coverage = None
            if coverage is None:
                remaining = (*remaining, row)
            elif coverage is not RAN:
                differences = (*differences, (row[0].name, coverage))
        return remaining, shape.coverage_with(differences) if differences else shape.coverage

    def judge(
        self,
        proposal: Proposal,
        session: Session,
        *,
        nested: bool = False,
        changed: bool = False,
        passed_on: frozenset[str] = frozenset(),
    ) -> CallJudgement:
        """
        Judge any call by every layer that applies to it.

        Args:
            proposal: The call.
            session: Its session.
            nested: Whether another tool's code makes the call.
            changed: Whether the host changed the call after the model wrote it.
            passed_on: Pointers to the values of a nested call that the model wrote.
        """
        coverage, remaining = self._all_ran.copy(), []
        if proposal.tool is not None and not (nested or changed):
            return run_layers(self._rows, proposal, session, coverage)
        for layer in self._layers:
            if proposal.tool is None and layer.name != "phantom_tool":
                coverage[layer.name] = _UNKNOWN_TOOL
            elif nested and not (layer.nested or (passed_on and layer.name == PHANTOM_TARGET)):
                coverage[layer.name] = _NESTED
            elif not (changed and layer.of_model):
                remaining.append((layer, None))
            if changed and layer.of_model:
                coverage[layer.name] = _CHANGED
        return run_layers(remaining, proposal, session, coverage)


def run_layers(
    rows: Iterable[Row], proposal: Proposal, session: Session, coverage: dict[str, Coverage]
) -> CallJudgement:
    """Run every layer; an exception of one is an internal error, and the others still run."""
    judgement = CallJudgement([], coverage, [])
    for layer, _ in rows:
        try:
            if findings := layer.judge(proposal, session):
                _add_results(layer.name, findings, judgement, coverage)
        except Exception as error:
            judgement.faults.append(Fault(layer.name, error_location(error)))
    # Last, because a layer may report coverage before it fails.
    for fault in judgement.faults:
        coverage[fault.layer] = Coverage(Outcome.ERROR, fault.message)
    return judgement


def _add_results(
    name: str, results: Iterable[object], judgement: CallJudgement, coverage: dict[str, Coverage]
) -> None:
    for one in results:
        if isinstance(one, Finding):
            judgement.findings.append(_validate_finding(one))
        elif isinstance(one, Unavailable):
            coverage[name] = Coverage(Outcome.UNAVAILABLE, one.reason)
        elif isinstance(one, Failed):
            judgement.faults.append(Fault(name, one.message))
        else:
            raise TypeError(f"a layer yields findings, not {type(one).__name__}")


def _validate_finding(finding: Finding) -> Finding:
    """
    Return a valid finding, because a custom layer may yield any.

    Raises:
        ValueError: Its verdict is CLEAN or unknown, or its strength is outside [0, 1].
    """
    # A custom layer may use the text of a verdict.
    verdict = finding.verdict if type(finding.verdict) is Verdict else Verdict(finding.verdict)
    if verdict is Verdict.CLEAN:
        raise ValueError("a finding is never CLEAN; yield nothing")
    if not 0 <= finding.strength <= 1:
        raise ValueError("the strength of a finding must be in [0, 1]")
    return finding if verdict is finding.verdict else replace(finding, verdict=verdict)
