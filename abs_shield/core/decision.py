"""The decision about one subject: the record that is logged, stored and replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from abs_shield.core.decision_summary import APPROVALS, summary_line, summary_of
from abs_shield.core.digest import canonical, encodable, scalar
from abs_shield.core.draft_records import draft_class
from abs_shield.core.feedback import Feedback, FeedbackProblem
from abs_shield.core.finding import Coverage, Finding
from abs_shield.core.vocabularies import PHANTOM_TOOL, Action, Mode, Outcome, Subject, Verdict
from abs_shield.text.safe_display import escaped

SCHEMA_VERSION = 1  # increased when an older reader would misread the record
NO_COVERAGE: Mapping[str, Coverage] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    The decision about one subject.

    Attributes:
        id: Unique id of this decision.
        subject: The kind of thing judged: a call, a result, an answer or an output.
        tool: The tool's name as the model wrote it; empty for an answer.
        verdict: The worst verdict of the findings that count and are not suppressed.
        action: The action that the policy asks for, in either mode.
        mode: The mode under which the call was judged.
        blocked: True only where the block was enforced.
        would_block: True if strict mode would have blocked, because of a finding or an error.
        findings: All findings of the layers, counted or not.
        coverage: Whether each layer ran, by its name.
        errors: Internal errors of the checks, one line each; never a verdict.
        at: Seconds since the epoch, UTC.
        elapsed_ms: Duration of the checks, in milliseconds.
        probability: P(hallucination) in [0, 1] if the check computes one, else None.
        retryable: Whether the model may try again.
        attempts_left: Blocked attempts left for this tool in this run; None if not blocked.
        approval: ``"required"`` if the call waits for an operator's approval, ``"granted"`` or
            ``"refused"`` after it, else ``""``.
        notes: Other remarks, one line each.
        policy_revision: Identifies the policy; equal policies have equal revisions.
        session_id: The id of the session; empty without one.
        run_id: The id of the run within the session: it changes with each message of the user.
        call_id: The id that the model's API gave to the call; None if it has none.
        agent: The name of the agent that proposed the call, if the session has one.
        model: The name of its model, if the session has one.
        schema_version: The version of the record that `to_dict` writes.
    """

    id: str
    subject: Subject
    tool: str
    verdict: Verdict
    action: Action
    mode: Mode
    blocked: bool
    would_block: bool
    policy_revision: str
    at: float
    findings: tuple[Finding, ...] = ()
    coverage: Mapping[str, Coverage] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    elapsed_ms: float = 0.0
    session_id: str = ""
    run_id: str = ""
    call_id: str | None = None
    agent: str | None = None
    model: str | None = None
    probability: float | None = None
    retryable: bool = True
    attempts_left: int | None = None
    approval: str = ""
    notes: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION

    @property
    def unregistered(self) -> bool:
        """Return whether no tool has the name that the model wrote."""
        if not (self.findings or self.notes):
            return False
        return "unregistered" in self.notes or any(
            finding.check == PHANTOM_TOOL and finding.code == "unknown_tool"
            for finding in self.findings
        )

    def explain(self) -> str:
        """
        Return one line with the verdict and its reasons, including the offending values.

        For operators and developers; `summary` omits the values. For a withheld result it names
        the places that are wrong, without their contents.
        """
        weighing = [finding for finding in self.findings if finding.weighs]
        if self._status() == "withheld":
            reasons = [f"{f.check} at {f.where or '/'}" for f in weighing]
        else:
            reasons = [f"{f.check} at {f.where}: {_sentence(f)}" for f in weighing]
        return summary_line(self, reasons, self.errors)

    def summary(self, *, names: frozenset[str] | None = None) -> str:
        """
        Return one line with the verdict and its reasons, without any value.

        This is the text of `CallBlocked` and `ResultBlocked`, which spans and logs record. It has
        layers, JSON pointers, codes and hints; `feedback` and `explain` have the values.

        Args:
            names: Argument names that the tool's author wrote; other keys in pointers are shown
                as ``*``. None if they are unknown: keys that look like a name are then shown.
        """
        return summary_of(self, names=names)

    def feedback(self) -> Feedback:
        """
        Return the text for the model, as a JSON-able object.

        Returns:
            ``{status, tool, problems: [{code, field, got, expected, allowed, nearest, hint}],
            retryable, attempts_left}``; status is ``"blocked"``, ``"flagged"`` or ``"allowed"``,
            or ``"withheld"`` for a result that the model does not receive: its call has run.
        """
        write = _withheld_problem if self._status() == "withheld" else _problem
        problems = [write(finding) for finding in self.findings if finding.weighs]
        if self.approval in APPROVALS:
            approval = APPROVALS[self.approval]
            problems.append(_error_problem(approval.code, approval.hint))
        error_hint = _ERROR_HINT if self.subject is Subject.CALL else _RESULT_ERROR_HINT
        problems += [_error_problem("layer_error", error_hint) for _ in self.errors]
        if self.blocked and not self.retryable and self.subject is Subject.CALL:
            problems.append(_error_problem("retries_spent", _STOP_HINT))
        return {
            "status": self._status(),
            "tool": escaped(self.tool),
            "problems": problems,
            "retryable": self.retryable,
            "attempts_left": self.attempts_left,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-able data, the input of `from_dict`."""
        record = {name: getattr(self, name) for name in _PLAIN}
        record["findings"] = [_finding_dict(finding) for finding in self.findings]
        record["coverage"] = {
            name: {"outcome": c.outcome, "reason": c.reason} for name, c in self.coverage.items()
        }
        record["errors"] = list(self.errors)
        record["notes"] = list(self.notes)
        return record

    def to_json(self) -> str:
        """Return the record as canonical JSON: sorted keys, no spaces, valid UTF-8."""
        record = [f"{name}{write(getattr(self, key))}" for key, name, write in _WRITTEN]
        return encodable(f"{{{','.join(record)}}}")

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Decision:
        """
        Read a record that `to_dict` wrote.

        Args:
            record: A dictionary as returned by `to_dict`.

        Raises:
            ValueError: The record was written by a newer version of this package.
        """
        # A newer version may have changed the meaning of a field.
        if (version := record["schema_version"]) > SCHEMA_VERSION:
            raise ValueError(f"record has schema_version {version}; {SCHEMA_VERSION} is the newest")
        fields = dict(record)
        for name, kind in _WORDS.items():
            fields[name] = kind(fields[name])
        fields["findings"] = tuple(_finding_of(finding) for finding in record["findings"])
        fields["coverage"] = {
            k: Coverage(Outcome(c["outcome"]), c["reason"]) for k, c in record["coverage"].items()
        }
        fields["errors"] = tuple(record["errors"])
        fields["notes"] = tuple(record["notes"])
        return cls(**fields)

    def _status(self) -> Literal["blocked", "flagged", "allowed", "withheld"]:
        if self.blocked:
            return "withheld" if self.subject is Subject.RESULT else "blocked"
        return "allowed" if self.action is Action.ALLOW else "flagged"


_Draft = draft_class(Decision)


def make_decision(
    *,
    id: str,
    subject: Subject,
    tool: str,
    verdict: Verdict,
    action: Action,
    mode: Mode,
    blocked: bool,
    would_block: bool,
    policy_revision: str,
    at: float,
    findings: tuple[Finding, ...] = (),
    coverage: Mapping[str, Coverage] = NO_COVERAGE,
    errors: tuple[str, ...] = (),
    elapsed_ms: float = 0.0,
    session_id: str = "",
    run_id: str = "",
    call_id: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    probability: float | None = None,
    retryable: bool = True,
    attempts_left: int | None = None,
    approval: str = "",
    notes: tuple[str, ...] = (),
    schema_version: int = SCHEMA_VERSION,
) -> Decision:
    """Make a decision in less time than its constructor takes."""
    decision: Any = make_clean_decision(
        id, subject, tool, mode, policy_revision, at, elapsed_ms, coverage, session_id, run_id,
        call_id, agent, model, probability, retryable,
    )  # fmt: skip
    # A draft again, which nobody else has yet.
    object.__setattr__(decision, "__class__", _Draft)
    decision.verdict = verdict
    decision.action = action
    decision.blocked = blocked
    decision.would_block = would_block
    decision.findings = findings
    decision.errors = errors
    decision.attempts_left = attempts_left
    decision.approval = approval
    decision.notes = notes
    decision.schema_version = schema_version
    decision.__class__ = Decision
    return decision  # type: ignore[no-any-return]


def make_clean_decision(
    id: str,
    subject: Subject,
    tool: str,
    mode: Mode,
    policy_revision: str,
    at: float,
    elapsed_ms: float,
    coverage: Mapping[str, Coverage],
    session_id: str,
    run_id: str,
    call_id: str | None,
    agent: str | None,
    model: str | None,
    probability: float | None = None,
    retryable: bool = True,
) -> Decision:
    """
    Make a decision without findings and errors, in less time than `make_decision`.

    Nearly every decision is one. The parameters are positional, because Python takes longer to
    match their names than to set the fields.
    """
    decision: Any = _Draft()
    decision.id = id
    decision.subject = subject
    decision.tool = tool
    decision.verdict = Verdict.CLEAN
    decision.action = Action.ALLOW
    decision.mode = mode
    decision.blocked = decision.would_block = False
    decision.policy_revision = policy_revision
    decision.at = at
    decision.findings = decision.errors = decision.notes = ()
    decision.coverage = coverage
    decision.elapsed_ms = elapsed_ms
    decision.session_id = session_id
    decision.run_id = run_id
    decision.call_id = call_id
    decision.agent = agent
    decision.model = model
    decision.probability = probability
    decision.retryable = retryable
    decision.attempts_left = None
    decision.approval = ""
    decision.schema_version = SCHEMA_VERSION
    decision.__class__ = Decision
    return decision  # type: ignore[no-any-return]


_ERROR_HINT = "this call could not be checked; it is not your mistake, tell the user"
_RESULT_ERROR_HINT = (
    "the call has run, and its result could not be checked; it is not your mistake, tell the user"
)
_STOP_HINT = "do not try this again: stop, or ask the user"
_WORDS: dict[str, Any] = {"subject": Subject, "verdict": Verdict, "action": Action, "mode": Mode}
_NESTED = {"findings", "coverage", "errors", "notes"}
_PLAIN = tuple(name for name in Decision.__dataclass_fields__ if name not in _NESTED)
_FINDING_FIELDS = tuple(Finding.__dataclass_fields__)


def _texts(values: tuple[str, ...]) -> str:
    return canonical(values) if values else "[]"


def _findings(findings: tuple[Finding, ...]) -> str:
    return canonical([_finding_dict(finding) for finding in findings]) if findings else "[]"


def _coverage(coverage: Mapping[str, Coverage]) -> str:
    return _cached_coverage(tuple(coverage.items()))


# Bounded, because a reason may contain a number or a name from the run.
@lru_cache(maxsize=512)
def _cached_coverage(coverage: tuple[tuple[str, Coverage], ...]) -> str:
    """Return the coverage as canonical JSON; cached, because few different ones occur."""
    by_layer = {name: {"outcome": one.outcome, "reason": one.reason} for name, one in coverage}
    return canonical(by_layer)


def _sentence(finding: Finding) -> str:
    return f"{finding.detail}; {finding.hint}" if finding.hint else finding.detail


def _problem(finding: Finding) -> FeedbackProblem:
    return {
        "code": finding.code,
        "field": finding.where,
        "got": finding.got,
        "expected": finding.expected,
        "allowed": list(finding.allowed),
        "nearest": finding.nearest,
        "hint": _sentence(finding),
    }


def _withheld_problem(finding: Finding) -> FeedbackProblem:
    """Return a problem without the result's contents, which the model must not use."""
    problem = _problem(finding)
    return {**problem, "got": None, "expected": "", "nearest": "", "hint": finding.hint}


def _error_problem(code: str, hint: str) -> FeedbackProblem:
    return {
        "code": code, "field": "", "got": None, "expected": "", "allowed": [], "nearest": "",
        "hint": hint,
    }  # fmt: skip


def _finding_dict(finding: Finding) -> dict[str, Any]:
    record = {name: getattr(finding, name) for name in _FINDING_FIELDS}
    record["allowed"] = list(finding.allowed)
    record["evidence"] = dict(finding.evidence)
    return record


def _finding_of(record: Mapping[str, Any]) -> Finding:
    fields = dict(record)
    fields["verdict"] = Verdict(fields["verdict"])
    fields["mode"] = Mode(fields["mode"])
    fields["allowed"] = tuple(fields["allowed"])
    return Finding(**fields)


_WRITERS: dict[str, Callable[[Any], str]] = {
    "findings": _findings, "coverage": _coverage, "errors": _texts, "notes": _texts,
}  # fmt: skip
_WRITTEN = [
    (name, f'"{name}":', _WRITERS.get(name, scalar))
    for name in sorted(Decision.__dataclass_fields__)
]
