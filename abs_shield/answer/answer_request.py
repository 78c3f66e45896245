"""Validated input of an answer check: the answer, its evidence and its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from abs_shield.answer.evidence.evidence_collection import CachedEvidence, evidence_from
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.core.events import MessageText
from abs_shield.errors import ShieldError
from abs_shield.model import Budget, Terms
from abs_shield.policy.check_config import AnswerConfig
from abs_shield.session import Session
from abs_shield.stats.probabilities import log_odds
from abs_shield.text.safe_display import shown

_RUN_BASE_RATE = 0.97
"""Share of the answers of successful runs that are emitted, see `benchmarks/answers.py`."""
_WAYS = ("session", "run", "evidence")


class AnswerRequest(NamedTuple):
    """
    An answer to be checked.

    Attributes:
        answer: The answer.
        evidence: The evidence.
        question: The user's question; None if unknown.
        config: Thresholds and models.
        session: The run that ends with the answer; None for an answer about documents.
        terms: Time-out and budget of model calls for this answer.
        prior: Log-odds that a claim is grounded before any evidence.
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
        """True if the answer ends a run; False if it is about documents."""
        return self.session is not None

    @property
    def has_base_rate(self) -> bool:
        """True if claims are judged at a run's base rate; False at even odds, as for documents."""
        # "show" in a run: words do not decide, so figures are trusted as at a base rate
        return self.prior != 0.0 or (self.in_run and self.config.words == "show")

    @property
    def has_no_evidence(self) -> bool:
        """True if there are no passages and no executed calls."""
        return not self.evidence.pieces and not self.evidence.executed

    @property
    def usable_question(self) -> str | None:
        """The question; None if only tool results are evidence, since it is the user's text."""
        # a figure of the question is then no evidence either
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
    gathered: CachedEvidence | None = None,
) -> AnswerRequest:
    """
    Validate the arguments of `check_answer`.

    Raises:
        ShieldError: The answer is not a text; none or several of *session*, *run* and *evidence*
            are given; one of them has an unknown shape.
    """
    _validate(answer, (session, run, evidence), question, allow)
    settings = _config(config)
    if session is not None and not isinstance(session, Session):
        raise ShieldError(f"check_answer: `session` is {shown(session)}; give a `Session`")
    ended = _session_of(run) if run is not None else session
    if ended is None:
        is_collected = isinstance(evidence, Evidence)
        collected = evidence if is_collected else evidence_from(evidence, name="evidence")
    else:
        # drafts of one answer share the index of their evidence
        collect = gathered or CachedEvidence(ended, allow=allow)
        collected = collect(strict_tool_evidence=settings.strict_tool_evidence)
        question = question if question is not None else _newest_question(ended)
    return AnswerRequest(
        answer=answer,
        evidence=collected,
        question=question,
        config=settings,
        session=ended,
        terms=Terms(budget=Budget(calls=settings.calls)),
        # even odds for documents, where nothing is known of the answers
        prior=log_odds(settings.base_rate or (0.5 if ended is None else _RUN_BASE_RATE)),
    )


def _validate(answer: Any, ways: Iterable[Any], question: Any, allow: Any) -> None:
    if not isinstance(answer, str):
        raise ShieldError(f"check_answer: the answer is {shown(answer)}; give a text")
    if sum(one is not None for one in ways) != 1:
        raise ShieldError(f"check_answer: give one of {', '.join(f'`{way}=`' for way in _WAYS)}")
    if question is not None and not isinstance(question, str):
        raise ShieldError(f"check_answer: `question` is {shown(question)}; give a text")
    # a text is iterable, but its characters are no values
    if isinstance(allow, str | bytes) or not isinstance(allow, Iterable):
        raise ShieldError(f"check_answer: `allow` is {shown(allow)}; give a list")


def _config(config: Any) -> AnswerConfig:
    if config is None:
        return AnswerConfig()
    if isinstance(config, Mapping):
        return AnswerConfig(**{str(name): value for name, value in config.items()})
    if not isinstance(config, AnswerConfig):
        raise ShieldError(f"check_answer: `config` is {shown(config)}; give an `AnswerConfig`")
    return config


def _session_of(run: Any) -> Session:
    """Return a session with the messages of a recorded run."""
    session = Session()
    if isinstance(run, Mapping):
        messages, id = run.get("messages"), run.get("run_id")
    else:
        messages, id = getattr(run, "messages", run), getattr(run, "run_id", None)
    # one text or message is iterable, too, but is no list of messages
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise ShieldError(f"check_answer: `run` is {shown(run)}; give its messages")
    session.add(messages)
    if isinstance(id, str) and id:
        session.run_id = id
    return session


def _newest_question(session: Session | None) -> str | None:
    """Return the newest user message of a session, or else of its parent."""
    if session is None:
        return None
    for entry in reversed([*session.entries()]):
        if isinstance(entry.event, MessageText) and entry.event.role == "user":
            return entry.event.text
    return _newest_question(session.parent)  # a sub-agent answers the question of its parent
