"""The action that a policy takes on the findings of the layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abs_shield.core import Action, Decision, Finding, Mode, Outcome, Verdict
from abs_shield.core.finding import least_strength
from abs_shield.policy import Policy
from abs_shield.shield.internal_error import Fault

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan
    from abs_shield.shield.tool_layers import CallJudgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """
    The outcome of one judgement under a policy; fields as in `Decision`.

    Attributes:
        stopping: The layers that block the call in its current mode.
    """

    verdict: Verdict
    action: Action
    mode: Mode
    blocked: bool
    would_block: bool
    findings: tuple[Finding, ...] = ()
    approval: str = ""
    stopping: tuple[str, ...] = ()


def rule_on(
    judgement: CallJudgement, plan: ToolPlan, policy: Policy, *, enforcement_off: bool, at: float
) -> Ruling:
    """
    Weigh the findings, and return the resulting action.

    Args:
        judgement: The results of the layers.
        plan: The plan of the tool, or that of an unknown tool.
        policy: The policy, for its threshold and its actions on findings and errors.
        enforcement_off: Whether the operator's kill switch stops enforcement.
        at: The time of the call in seconds since the epoch, for suppressions that expire.
    """
    # The fast path of nearly all calls: no findings.
    if not judgement.findings and not judgement.faults:
        mode = Mode.AUDIT if enforcement_off else plan.mode
        return _CLEAN[mode]
    least = least_strength(policy.threshold)
    findings = tuple([
        finding.weighed(
            mode=_mode(finding.check, plan, enforcement_off=enforcement_off),
            counted=finding.strength >= least,
            suppressed=any([one.silences(finding, at=at) for one in plan.suppress]),
        )
        for finding in judgement.findings
    ])  # fmt: skip
    weighing = [finding for finding in findings if finding.counted and not finding.suppressed]
    verdict = Verdict.worst([finding.verdict for finding in weighing])
    # A decision has the mode of the findings that decided it.
    gravest = [finding for finding in weighing if finding.verdict is verdict]
    # In any mode: `would_block` says what strict mode would do.
    grounds = [finding for finding in weighing if _requires_block(finding, policy)]
    faults = [] if policy.on_error == "allow" else judgement.faults
    strict = [f for f in grounds if f.mode is Mode.STRICT]
    strict_faults = [
        f for f in faults if _mode(f.layer, plan, enforcement_off=enforcement_off) is Mode.STRICT
    ]
    return Ruling(
        verdict=verdict,
        action=_action(verdict, would_block=bool(grounds or faults)),
        mode=_decision_mode(gravest, plan, enforcement_off=enforcement_off),
        blocked=bool(strict or strict_faults),
        would_block=bool(grounds or faults),
        findings=findings,
        approval=_approval(strict, policy, faults),
        stopping=_blocking_checks(strict, strict_faults),
    )


def rule_again(decision: Decision, plan: ToolPlan, policy: Policy) -> Ruling:
    """Weigh the findings of an earlier decision by *policy* and the modes of *plan*."""
    from abs_shield.shield.tool_layers import CallJudgement  # slow to import

    judgement = CallJudgement(list(decision.findings), decision.coverage, faults_of(decision))
    return rule_on(judgement, plan, policy, enforcement_off=False, at=decision.at)


def faults_of(decision: Decision) -> list[Fault]:
    """Return the internal errors of a decision; one outside all layers is that of `call check`."""
    failed = [
        Fault(layer, coverage.reason)
        for layer, coverage in decision.coverage.items()
        if coverage.outcome is Outcome.ERROR
    ]
    # If no layer failed, the error is that of the whole check.
    return failed or [Fault("call check", error) for error in decision.errors]


_CLEAN = {
    mode: Ruling(
        verdict=Verdict.CLEAN, action=Action.ALLOW, mode=mode, blocked=False, would_block=False
    )
    for mode in Mode
}


def _mode(layer: str, plan: ToolPlan, *, enforcement_off: bool) -> Mode:
    return Mode.AUDIT if enforcement_off else plan.modes.get(layer, plan.mode)


def _decision_mode(gravest: Sequence[Finding], plan: ToolPlan, *, enforcement_off: bool) -> Mode:
    if Mode.STRICT in [finding.mode for finding in gravest]:
        return Mode.STRICT
    if gravest or enforcement_off:
        return Mode.AUDIT
    return plan.mode


def _requires_block(finding: Finding, policy: Policy) -> bool:
    return finding.verdict is Verdict.HALLUCINATED or policy.on_suspicious != "flag"


def _blocking_checks(strict: Sequence[Finding], strict_faults: Sequence[Fault]) -> tuple[str, ...]:
    if not (strict or strict_faults):
        return ()
    return tuple(dict.fromkeys([*(f.check for f in strict), *(f.layer for f in strict_faults)]))


def _action(verdict: Verdict, *, would_block: bool) -> Action:
    if would_block:
        return Action.BLOCK
    return Action.ALLOW if verdict is Verdict.CLEAN else Action.FLAG


def _approval(strict: Sequence[Finding], policy: Policy, faults: Sequence[Fault]) -> str:
    """Return ``required`` if only SUSPICIOUS findings, and no internal error, block the call."""
    suspected = bool(strict) and all(f.verdict is Verdict.SUSPICIOUS for f in strict)
    # An approver cannot judge what was not checked, so an internal error still blocks.
    return "required" if suspected and policy.on_suspicious == "approve" and not faults else ""
