"""A list of decisions with the filters that tests need."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abs_shield.core import Action, Decision, Finding, Subject
from abs_shield.core.decision_summary import APPROVALS
from abs_shield.shield.off_switch import NOTE
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_SHOWN = 12  # a failure message of more lines hides the test's own output
_OF_NO_TOOL = {Subject.ANSWER: "the answer", Subject.OUTPUT: "the output"}


class Decisions(list[Decision]):
    """
    Decisions, oldest first.

    Filters apply to the decisions so far; a list that still captures goes on growing.

    Args:
        iterable: The decisions.
    """

    def of(self, tool: str) -> Decisions:
        """
        Return the decisions about calls of *tool*.

        Args:
            tool: The name of the tool.
        """
        return self._where(lambda decision: decision.tool == tool, f"of `{escaped(tool)}`")

    @property
    def blocked(self) -> Decisions:
        """Decisions whose call was blocked."""
        return self._where(is_blocked, "blocked")

    @property
    def flagged(self) -> Decisions:
        """Decisions with findings whose call ran, audit mode's would-be blocks included."""
        return self._where(is_flagged, "flagged")

    @property
    def allowed(self) -> Decisions:
        """Decisions whose call was judged without a finding that counts."""
        return self._where(is_allowed, "allowed")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding of every decision, counted or not."""
        return tuple(finding for decision in self for finding in decision.findings)

    def only(self) -> Decision:
        """
        Return the only decision.

        Raises:
            AssertionError: There are none, or more than one.
        """
        __tracebackhide__ = True
        if len(self) != 1:
            raise AssertionError(
                f"expected one decision{self._filter_text}; got {self._count_text()}"
            )
        return self[0]

    def __repr__(self) -> str:
        more = f"; and {len(self) - _SHOWN} more" if len(self) > _SHOWN else ""
        return f"[{'; '.join(map(decision_line, self[:_SHOWN]))}{more}]"

    # Inside --------------------------------------------------------------------------------------

    _filter_text = ""
    _unfiltered: tuple[Decision, ...] = ()

    def _where(self, holds: Callable[[Decision], bool], text: str) -> Decisions:
        # a copy, as another thread may add decisions meanwhile
        everything = list(self)
        chosen = Decisions(decision for decision in everything if holds(decision))
        chosen._filter_text = f"{self._filter_text} {text}"
        # an empty result then shows what there was instead
        chosen._unfiltered = self._unfiltered or tuple(everything)
        return chosen

    def _count_text(self) -> str:
        if self:
            return f"{len(self)}: {self!r}"
        return f"none, among {Decisions(self._unfiltered)!r}" if self._unfiltered else "none"


class CapturedDecisions(Decisions):
    """
    The decisions about calls that were recorded while a block was open, oldest first.

    Attributes:
        results: Decisions about results of calls, oldest first.
        answers: Decisions about the agent's answers, oldest first.
        outputs: Decisions about outputs of the quality cascade, oldest first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.results = Decisions()
        self.answers = Decisions()
        self.outputs = Decisions()

    def add(self, decision: Decision) -> None:
        """Add a decision to the list of its subject."""
        apart = {
            Subject.RESULT: self.results,
            Subject.ANSWER: self.answers,
            Subject.OUTPUT: self.outputs,
        }
        apart.get(decision.subject, self).append(decision)

    @property
    def everything(self) -> Decisions:
        """All decisions: about calls, then results, then answers, then outputs."""
        return Decisions([*self, *self.results, *self.answers, *self.outputs])


def is_blocked(decision: Decision) -> bool:
    return decision.blocked


def is_flagged(decision: Decision) -> bool:
    # by the action: findings that are allowed or suppressed do not flag
    return not decision.blocked and decision.action is not Action.ALLOW


def is_allowed(decision: Decision) -> bool:
    # a call whose layers failed, or with the shield off, runs, but nothing judged it
    return decision.action is Action.ALLOW and not (decision.errors or NOTE in decision.notes)


def decision_line(decision: Decision) -> str:
    """Return the outcome of a call, a result or an answer, and its reasons, as one short line."""
    reasons = [f"{f.check} {f.code} at {f.where}" for f in decision.findings if f.weighs]
    if decision.approval in APPROVALS:
        reasons.append(APPROVALS[decision.approval].code)
    reasons += [f"layer_error: {error}" for error in decision.errors]
    because = f" ({', '.join(reasons)})" if reasons else ""
    about = _OF_NO_TOOL.get(decision.subject) or escaped(decision.tool)
    # one line; a call may have many findings
    return escaped(f"{about}: {_outcome_text(decision)}{because}", limit=400)


def _outcome_text(decision: Decision) -> str:
    if NOTE in decision.notes:
        return "not judged, the shield is off"
    stopped = "withheld" if decision.subject is Subject.RESULT else "blocked"
    if decision.blocked:
        return stopped
    if decision.would_block:
        return f"would be {stopped}, but the mode is {decision.mode}"
    return "allowed" if decision.action is Action.ALLOW else "flagged"


def decision_lines(decisions: Iterable[Decision]) -> str:
    """Return the outcome of each call, one line each."""
    every = [decision_line(decision) for decision in decisions]
    more = [f"... and {len(every) - _SHOWN} more"] if len(every) > _SHOWN else []
    return "".join(f"\n  {line}" for line in every[:_SHOWN] + more)


def no_match_text(nothing: str, word: str, names: Iterable[str]) -> str:
    """Return a message that *nothing* is *word*, as in "no tool is named", with a hint."""
    near = nearest(word, names)
    hint = f"; did you mean `{escaped(near[0])}`?" if near else ""
    return f"{nothing} `{escaped(word)}`{hint}"
