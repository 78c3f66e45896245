"""Capture of the decisions in a block of code, matched against a test's expectation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Self

from abs_shield.core import Decision, Finding, Mode, Verdict
from abs_shield.core.decision_summary import APPROVALS
from abs_shield.core.vocabularies import (
    LAYER_NAMES,
    OF_NO_TOOL,
    OPT_IN_NAMES,
    SIGNAL_NAMES,
    Outcome,
)
from abs_shield.errors import CallBlocked, PolicyError, ResultBlocked, ShieldError
from abs_shield.policy import Policy
from abs_shield.shield import Shield
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.listeners import LISTENERS
from abs_shield.testing.decision_list import (
    CapturedDecisions,
    decision_lines,
    is_allowed,
    is_blocked,
    is_flagged,
    no_match_text,
)
from abs_shield.text.safe_display import escaped, shown


@contextmanager
def capture_decisions(firewall: Shield | Policy | None = None) -> Iterator[CapturedDecisions]:
    """
    Return a list that grows with every decision about a call recorded while the block is open.

    Its ``results`` grows with decisions about results, its ``answers`` with those about answers.
    Captures nest, and include all threads and tasks. A call that is proposed and never
    dispatched is recorded when its turn ends.

    Args:
        firewall: Capture only from this Shield, or from the one that this policy's tools share;
            None for every Shield of the process.

    >>> from abs_shield.policy import configure
    >>> firewall = Shield(configure(), hooks=None)
    >>> with capture_decisions(firewall) as decisions:
    ...     _ = firewall.check_call({"name": "refund", "arguments": {}})
    >>> decisions.of("refund").only().blocked
    False
    """
    lifecycle = None if firewall is None else shield_of(firewall).lifecycle
    decisions = CapturedDecisions()

    def add_decision(decision: Decision, by: Lifecycle) -> None:
        # a listener receives the lifecycle, which does not know its Shield
        if lifecycle is None or by is lifecycle:
            decisions.add(decision)

    with LISTENERS.listen(add_decision):
        yield decisions


def shield_of(firewall: Shield | Policy) -> Shield:
    """
    Return the Shield itself, or the one that all tools decorated with a policy share.

    Raises:
        PolicyError: *firewall* is neither a Shield nor a policy.
    """
    if isinstance(firewall, Policy):
        return Shield.of(firewall)
    if not isinstance(firewall, Shield):
        raise PolicyError(f"`firewall` is {shown(firewall)}; give a Shield or a policy")
    return firewall


class MatchedReason(NamedTuple):
    """The reason for a call's outcome; its fields are compared with those of the matcher."""

    layer: str
    code: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """An outcome of a call: its name in messages, its predicate, and its reasons."""

    name: str
    holds: Callable[[Decision], bool]
    reasons: Callable[[Decision], Iterable[MatchedReason]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMatcher:
    """An expected outcome, optionally of one tool and for one reason; None matches any."""

    outcome: CallOutcome
    tool: str | None = None
    layer: str | None = None
    code: str | None = None
    where: str | None = None

    def about(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Return the decisions about the expected tool."""
        return [d for d in decisions if self.tool is None or d.tool == self.tool]

    def matches(self, decision: Decision) -> bool:
        """Return whether a decision has the outcome for a reason that matches in every field."""
        if not (self.about([decision]) and self.outcome.holds(decision)):
            return False
        return any(
            self.layer in (None, reason.layer)
            and self.code in (None, reason.code)
            and self.where in (None, reason.where)
            # a broken layer blocks like a finding; a test for the finding must not pass then
            and (reason.code != _LAYER_ERROR or self.code == _LAYER_ERROR)
            for reason in self.outcome.reasons(decision)
        )

    def failure_message(self, decisions: Sequence[Decision]) -> str:
        """Return the failure message: the expectation, the actual decisions, and name hints."""
        criteria = ", ".join(f"{name} `{escaped(word)}`" for name, word in self._criteria())
        expected = f"{self.outcome.name} with {criteria}" if criteria else self.outcome.name
        hints = "".join(f"\n  {hint}" for hint in self._hints(decisions))
        actual = decision_lines(decisions) if decisions else " no decision at all"
        return f"expected {expected}; got:{actual}{hints}"

    def _criteria(self) -> Iterator[tuple[str, str]]:
        for name in _NO_MATCH:
            if (word := getattr(self, name)) is not None:
                yield name, word

    def _hints(self, decisions: Sequence[Decision]) -> Iterator[str]:
        """Yield a hint for each expected name that no decision has."""
        if not decisions:
            # the usual reason for no decision, otherwise hard to find
            yield "a call that was proposed and not dispatched is recorded when its turn ends"
            return
        existing = _existing_names(decisions)
        for name, word in self._criteria():
            if word not in existing[name]:
                yield no_match_text(_NO_MATCH[name], word, existing[name])
        yield from self._unavailable_reasons(decisions)
        # the call is blocked in strict mode, although no finding explains it
        if any(decision.errors for decision in decisions):
            yield "an error of a layer is not a finding; expect it with code `layer_error`"

    def _unavailable_reasons(self, decisions: Sequence[Decision]) -> Iterator[str]:
        """Yield each reason for which the expected layer could not judge the calls."""
        if self.layer is None:
            return
        coverage = [
            d.coverage[self.layer] for d in self.about(decisions) if self.layer in d.coverage
        ]
        reasons = {c.reason: None for c in coverage if c.outcome is Outcome.UNAVAILABLE}
        for reason in reasons:
            yield f"`{escaped(self.layer)}` could not judge: {escaped(reason, limit=200)}"


_LAYER_ERROR = "layer_error"
_NO_MATCH = {
    "tool": "no call uses the tool",
    "layer": "no layer is named",
    "code": "no finding has the code",
    "where": "no finding is at",
}
"""The expected fields, and the message that no decision has such a value."""


def _existing_names(decisions: Iterable[Decision]) -> dict[str, set[str]]:
    existing: dict[str, set[str]] = {"tool": set(), "code": set(), "where": set()}
    existing["layer"] = {*LAYER_NAMES, *OPT_IN_NAMES, *SIGNAL_NAMES, *OF_NO_TOOL}
    for decision in decisions:
        existing["tool"].add(decision.tool)
        existing["layer"] |= decision.coverage.keys()
        existing["code"] |= {_LAYER_ERROR, *(f.code for f in decision.findings)}
        existing["code"] |= {approval.code for approval in APPROVALS.values()}
        existing["where"] |= {finding.where for finding in decision.findings}
    return existing


def _flagged_reasons(decision: Decision) -> Iterator[MatchedReason]:
    yield from _reasons(finding for finding in decision.findings if finding.weighs)
    yield from _errors(decision)


def _blocked_reasons(decision: Decision) -> Iterator[MatchedReason]:
    """Yield the most severe strict findings; a SUSPICIOUS one next to them does not block."""
    strict = [f for f in decision.findings if f.weighs and f.mode is Mode.STRICT]
    worst = Verdict.worst(finding.verdict for finding in strict)
    yield from _reasons(finding for finding in strict if finding.verdict is worst)
    if decision.approval in APPROVALS:
        yield MatchedReason("", APPROVALS[decision.approval].code, "")
    yield from _errors(decision)


def _allowed_reasons(decision: Decision) -> Iterator[MatchedReason]:
    """Yield the layers that ran, for a call without findings that count."""
    yield MatchedReason("", "", "")  # matches if no layer is expected, also where none ran
    for name, coverage in decision.coverage.items():
        if coverage.outcome is Outcome.RAN:
            yield MatchedReason(name, "", "")


def _reasons(findings: Iterable[Finding]) -> Iterator[MatchedReason]:
    return (MatchedReason(finding.check, finding.code, finding.where) for finding in findings)


def _errors(decision: Decision) -> Iterator[MatchedReason]:
    if decision.errors:
        broken = [n for n, c in decision.coverage.items() if c.outcome is Outcome.ERROR]
        # an error outside the layers has no name
        yield from (MatchedReason(name, _LAYER_ERROR, "") for name in broken or [""])


BLOCKED = CallOutcome(name="a blocked call", holds=is_blocked, reasons=_blocked_reasons)
FLAGGED = CallOutcome(name="a flagged call", holds=is_flagged, reasons=_flagged_reasons)
ALLOWED = CallOutcome(name="allowed calls only", holds=is_allowed, reasons=_allowed_reasons)


class Expectation:
    """
    The object bound by ``with assert_blocked(...) as blocked``.

    Attributes:
        decisions: The decisions about calls recorded while the block was open, with its
            ``results`` and its ``answers``.
    """

    def __init__(self, matcher: DecisionMatcher, name: str) -> None:
        self.decisions = CapturedDecisions()
        self._matcher = matcher
        self._name = name
        self._capture: AbstractContextManager[CapturedDecisions] | None = None
        self._match: Decision | None = None

    @property
    def decision(self) -> Decision:
        """
        The first decision that matched.

        Raises:
            ShieldError: The block has not been left yet.
        """
        if self._match is None:
            raise ShieldError(f"`{self._name}` has no decision before its block is left")
        return self._match

    def __enter__(self) -> Self:
        self._capture = capture_decisions()
        self.decisions = self._capture.__enter__()
        return self

    def __del__(self) -> None:
        # `assert_blocked(layer=...)` without `with` or a decision would pass silently
        if self._capture is None:
            warnings.warn(
                f"`{self._name}` checked nothing: write `with {self._name}(...):`, or give it a "
                "decision",
                RuntimeWarning,
                stacklevel=2,
            )

    def _close_capture(self, error: BaseException | None) -> Decision | None:
        """Stop capturing, and return the decision of a blocking exception; None for any other."""
        assert self._capture is not None
        # without the exception, which the generator of the capture would raise again
        self._capture.__exit__(None, None, None)
        if not isinstance(error, CallBlocked | ResultBlocked):
            return None
        # the exception may carry a decision that was recorded before the block
        if all(error.decision.id != decision.id for decision in self.decisions.everything):
            self.decisions.add(error.decision)
        return error.decision


class BlockedExpectation(Expectation):
    """Expects a blocked call: as an exception, or as feedback to the model."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        __tracebackhide__ = True
        raised = self._close_capture(error)
        # the test's own exception is more informative than a missing decision
        if error is not None and raised is None:
            return False
        everything = self.decisions.everything
        candidates = everything if raised is None else [raised]
        self._match = next(filter(self._matcher.matches, candidates), None)
        if self._match is None:
            raise AssertionError(self._matcher.failure_message(everything)) from error
        return True


class PassingExpectation(Expectation):
    """Expects calls that run: one of them flagged, or all allowed and their results passed on."""

    def __init__(self, matcher: DecisionMatcher, name: str, *, every: bool) -> None:
        super().__init__(matcher, name)
        self._every = every

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        __tracebackhide__ = True
        raised = self._close_capture(error)
        if error is not None and raised is None:  # as in `BlockedExpectation`
            return
        # a result or answer that is only flagged reaches the model all the same
        stopped = [*self.decisions.results.blocked, *self.decisions.answers.blocked]
        everything = self.decisions if self._every else self.decisions.everything
        about = self._matcher.about(everything)
        matching = [decision for decision in about if self._matcher.matches(decision)]
        # `every`: one call that is not allowed fails the test, whatever the others are
        missing = len(matching) < len(about) or self._matcher.about(stopped)
        if raised is not None or not matching or (self._every and missing):
            actual = [*self.decisions, *stopped] if self._every else everything
            raise AssertionError(self._matcher.failure_message(actual)) from error
        self._match = matching[0]
