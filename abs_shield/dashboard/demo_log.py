"""A demo decision log: recorded conversations, evaluated now, spread over two weeks."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from abs_shield.core import Decision, Mode, Subject, ToolCall, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.dashboard.demo_conversations import CONVERSATIONS, POLICY, Conversation
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.quality_cascade import SCORE
from abs_shield.shield import Shield
from abs_shield.stores import MemoryStore
from abs_shield.stores.durable_store import DurableStore

# two weeks: enough points for the control limits of a chart
DAYS = 14
SESSIONS_A_DAY = 120  # some 5,000 decisions, which a page counts and a laptop writes in seconds
_DAY_S = 24 * 3_600.0
_DRIFTS_FROM = 11
"""The day from which the travel agent hallucinates more, because its model was replaced."""
_DRIFT = 3  # visible in the chart of two weeks
"""The factor by which it hallucinates more often then."""
_LABELLED = 0.35  # enough for a precision with an interval, and some are left to label
"""Share of flagged decisions with a label."""
_MODELS = {"support": "model-a", "travel": "model-b", "operations": "model-a"}
_REPLACED = "model-c"


def fill(store: DurableStore, *, now: float | None = None, seed: int = 1) -> int:
    """
    Evaluate the recorded conversations in audit mode, and append the decisions to a log.

    Args:
        store: The log.
        now: The end of the log in seconds since the epoch; now by default.
        seed: The seed of the order of conversations; equal seeds produce equal logs.

    Returns:
        The number of appended decisions.
    """
    draw, end = random.Random(seed), time.time() if now is None else now
    # each conversation is judged once, and its decisions are repeated with other ids and times
    judged = {n: _judge(one) for n, one in enumerate(CONVERSATIONS)}
    appended, labels = 0, []
    for day in range(DAYS):
        starts = sorted(draw.random() * _DAY_S for _ in range(SESSIONS_A_DAY))
        for number, start in enumerate(starts):
            chosen = _choose(draw, day)
            at = end - (DAYS - day) * _DAY_S + start
            name = f"demo-{day:02}-{number:03}"
            conversation = CONVERSATIONS[chosen]
            model = _model(conversation, day)
            for score in judged[chosen].scores:
                store.append_score(
                    at=at, agent=conversation.agent, task_type="letter", model=model, score=score
                )
            for decision in _set_times(judged[chosen].decisions, name, at, model):
                store.append(decision)
                appended += 1
                if decision.verdict is not Verdict.CLEAN and draw.random() < _LABELLED:
                    labels.append(_label(decision, conversation, end))
        store.flush()
    # after the flush, because a label needs its decision in the log
    for label in labels:
        store.label(label)
    return appended


def _choose(draw: random.Random, day: int) -> int:
    weights = [
        one.often * (_DRIFT if one.wrong and one.agent == "travel" and day >= _DRIFTS_FROM else 1)
        for one in CONVERSATIONS
    ]
    return draw.choices(range(len(CONVERSATIONS)), weights)[0]


class _Judged(NamedTuple):
    """The decisions about one conversation, and the quality scores of its letter."""

    decisions: list[Decision]
    scores: list[float]


def _judge(conversation: Conversation) -> _Judged:
    """Evaluate one conversation from its first call to its answer."""
    store = MemoryStore()
    scores: list[float] = []
    shield = Shield(POLICY, store=store, hooks=None)
    with shield.session(agent=conversation.agent) as session:
        session.user(conversation.user)
        for number, step in enumerate(conversation.steps):
            call = ToolCall(step.tool, step.arguments, f"call_{number}", logprobs=step.logprobs)
            shield.check_call(call, session=session)
            if step.result is not None:
                shield.check_result(call, step.result, elapsed_ms=step.elapsed_ms, session=session)
        if conversation.answer:
            shield.check_answer(conversation.answer, session=session)
        if conversation.output:
            config = QualityConfig(mode=Mode.AUDIT, sample_rate=1.0, background=False)
            output = AgentOutput(
                text=conversation.output, agent_id=conversation.agent, task_type="letter"
            )
            stages = QualityPipeline(config, shield=shield).run(output).stages
            scores = [one.score for one in stages if one.name == SCORE and one.score is not None]
    return _Judged(list(store.scan()), scores)


def _model(conversation: Conversation, day: int) -> str:
    replaced = conversation.agent == "travel" and day >= _DRIFTS_FROM
    return _REPLACED if replaced else _MODELS[conversation.agent]


def _set_times(judged: list[Decision], name: str, at: float, model: str) -> Iterator[Decision]:
    """Yield a conversation's decisions with the id of one session, some seconds apart."""
    for number, decision in enumerate(judged):
        yield replace(
            decision, id=f"{name}-{number}", session_id=name, at=at + 4.0 * number, model=model
        )


def _label(decision: Decision, conversation: Conversation, at: float) -> Label:
    # the result of a wrong call is a correct message of the tool
    wrong = conversation.wrong and decision.subject is not Subject.RESULT
    truth = Truth.HALLUCINATED if wrong else Truth.OK
    return Label(decision_id=decision.id, truth=truth, at=at, by="demo")
