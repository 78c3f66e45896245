"""What is to be checked, against what and how: of a session, a recorded run or documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from abs_shield.answer.evidence.collect import Gathered, evidence_from
from abs_shield.answer.evidence.types import Evidence
from abs_shield.core.events import Said
from abs_shield.errors import ShieldError
from abs_shield.model import Budget, Terms
from abs_shield.policy.answer import AnswerConfig
from abs_shield.session import Session
from abs_shield.stats.logodds import log_odds
from abs_shield.text.show import shown

_OF_A_RUN = 0.99
"""Claims of a run that hold, measured: see `benchmarks/answers.py`. Of documents nobody knows."""
_WAYS = ("session", "run", "evidence")


class AnswerRequest(NamedTuple):
    """
    What is checked, against what, and how.

    Attributes:
        answer: The answer.
        evidence: What it may stand on.
        question: What the user asked; None where nobody knows.
        config: Thresholds, and who is asked.
        session: The run that it ends; None where documents are given in its place.
        terms: What may be spent on models for this answer.
        prior: Log-odds that a claim is grounded before it is looked at.
    """

    answer: str
    evidence: Evidence
    question: str | None
    config: AnswerConfig
    session: Session | None
    terms: Terms
    prior: float

    @property
    def in_run(self) -> bool:
        """Whether the answer ends a run, and is not judged beside documents."""
        return self.session is not None

    @property
    def has_base_rate(self) -> bool:
        """Whether claims are judged at a run's base rate, and not at even odds as documents are."""
        return self.prior != 0.0 or (self.in_run and self.config.words == "show")

    @property
    def has_no_evidence(self) -> bool:
        """Whether nothing was returned, and nothing was done."""
        return not self.evidence.pieces and not self.evidence.deeds

    @property
    def usable_question(self) -> str | None:
        """The question, unless tool results alone are evidence: it is the user's."""
        return None if self.config.strict_tool_evidence else self.question


def request_of(
    answer: Any,
    *,
    session: Session | None = None,
    run: Any = None,
    evidence: Any = None,
    question: str | None = None,
    config: AnswerConfig | Mapping[str, Any] | None = None,
    allow: Iterable[Any] = (),
    gathered: Gathered | None = None,
) -> AnswerRequest:
    """
    Read what `check_answer` is given.

    Raises:
        ShieldError: The answer is no text; not one of the three ways is given; what is given has
            no known shape.
    """
    if not isinstance(answer, str):
        raise ShieldError(f"check_answer: the answer is {shown(answer)}; give a text")
    if sum(one is not None for one in (session, run, evidence)) != 1:
        ways = ", ".join(f"`{way}=`" for way in _WAYS)
        raise ShieldError(f"check_answer: give one of {ways}")
    if question is not None and not isinstance(question, str):
        raise ShieldError(f"check_answer: `question` is {shown(question)}; give a text")
    if isinstance(allow, str | bytes) or not isinstance(allow, Iterable):
        raise ShieldError(f"check_answer: `allow` is {shown(allow)}; give a list")
    told = AnswerConfig(**_named(config)) if isinstance(config, Mapping) else config
    told = AnswerConfig() if told is None else told
    if not isinstance(told, AnswerConfig):
        raise ShieldError(f"check_answer: `config` is {shown(config)}; give an `AnswerConfig`")
    if session is not None and not isinstance(session, Session):
        raise ShieldError(f"check_answer: `session` is {shown(session)}; give a `Session`")
    heard = _heard(run) if run is not None else session
    if heard is None:
        found = evidence if isinstance(evidence, Evidence) else evidence_from(evidence)
    else:
        strict = told.strict_tool_evidence
        gather = gathered or Gathered(heard, allow=allow)
        found = gather(strict_tool_evidence=strict)
        question = question if question is not None else _newest_question(heard)
    terms = Terms(budget=Budget(calls=told.calls))
    rate = told.base_rate or (_OF_A_RUN if heard is not None else 0.5)
    return AnswerRequest(answer, found, question, told, heard, terms, log_odds(rate))


def _named(config: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in config.items()}


def _heard(run: Any) -> Session:
    """Read a recorded run into a session of its own: messages, or what holds them."""
    session = Session()
    if isinstance(run, Mapping):
        messages, id = run.get("messages"), run.get("run_id")
    else:
        messages, id = getattr(run, "messages", run), getattr(run, "run_id", None)
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise ShieldError(f"check_answer: `run` is {shown(run)}; give its messages")
    session.add(messages)
    if isinstance(id, str) and id:
        session.run_id = id
    return session


def _newest_question(session: Session | None) -> str | None:
    """What the user last asked; of a sub-agent that nobody asked, what its parent was asked."""
    if session is None:
        return None
    for entry in reversed([*session.entries()]):
        if isinstance(entry.event, Said) and entry.event.role == "user":
            return entry.event.text
    return _newest_question(session.parent)
