"""Context managers that check the decisions recorded within a block of code."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Self

from abs_shield.core import Decision
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.testing.capture import capture_decisions
from abs_shield.testing.decision_list import CapturedDecisions
from abs_shield.testing.decision_matcher import DecisionMatcher


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
