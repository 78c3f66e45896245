"""Lets an answer be written again until it holds, or refuses it: at most so many rounds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from abs_shield.answer.check import Checked
from abs_shield.policy.answer import AnswerConfig
from abs_shield.text.show import escaped

Write = Callable[[str], Any]
"""Writes the answer again, given the feedback; sync or async."""
Check = Callable[[str], Any]
"""Checks an answer: `checked` or `achecked` with everything else given."""

_CLAIM, _EVIDENCE = 500, 300
_MOST = 10
_REASONS = {
    "contradicted": "a statement in it contradicts what the tools returned",
    "divergent": "a statement in it did not come out the same when it was checked again",
    "unsupported": "a statement in it is not supported by what was found",
    "unverified": "nothing was found that it could be checked against",
}
"""By status, worst first: the failure mode, and nothing of how it was found."""
FAILED = "check_failed"
"""Notes that we failed to check an answer, and not what it says."""
_FAILED = "it could not be checked"
_HOW = (
    "Some statements of your answer are not supported by the evidence of this run. Write the "
    "answer again: correct or leave out each of these, change nothing else, add nothing new."
)


class Settled(NamedTuple):
    """
    How it ended.

    Attributes:
        text: What may be emitted: the answer, or the refusal.
        checked: The last check.
        rounds: How often it was written again.
        refused: Why it was refused; empty where it was emitted.
    """

    text: str
    checked: Checked
    rounds: int
    refused: str = ""


def feedback_on(found: Checked) -> str:
    """
    Write what the model is told: each claim that does not hold, with the evidence nearest to it.

    Args:
        found: A check whose action is revise.
    """
    told = [_HOW]
    wrong = [
        (claim, one)
        for claim, one in zip(found.report.claims, found.claims, strict=True)
        if claim.status != "grounded"
    ]
    for claim, one in wrong[:_MOST]:
        line = f"- {claim.status}: {escaped(claim.text, limit=_CLAIM)}"
        if one.contradicted:
            line += f" ({escaped(one.contradicted, limit=_EVIDENCE)})"
        nearest = claim.evidence_spans[0].text if claim.evidence_spans else ""
        told.append(f"{line}\n  nearest evidence: {escaped(nearest, limit=_EVIDENCE) or 'none'}")
    if len(wrong) > _MOST:
        told.append(f"- and {len(wrong) - _MOST} more")
    return "\n".join(told)


def settled(answer: str, *, write: Write, check: Check, config: AnswerConfig) -> Settled:
    """
    Check an answer, have it written again where it does not hold, and emit or refuse it.

    Args:
        answer: The first draft.
        write: Writes it again from feedback.
        check: Checks a draft.
        config: How often, and what a refusal says.

    Returns:
        What to say. A draft that repeats an earlier one, or scores no better, ends the rounds.
    """
    steps = _rounds(answer, config)
    try:
        do, given = next(steps)
        while True:
            do, given = steps.send(write(given) if do == "write" else check(given))
    except StopIteration as end:
        done: Settled = end.value
        return done


async def asettled(answer: str, *, write: Write, check: Check, config: AnswerConfig) -> Settled:
    """As `settled`, for a *write* and a *check* that may be async."""
    steps = _rounds(answer, config)
    try:
        do, given = next(steps)
        while True:
            got = write(given) if do == "write" else check(given)
            do, given = steps.send(await got if inspect.isawaitable(got) else got)
    except StopIteration as end:
        done: Settled = end.value
        return done


def _rounds(answer: str, config: AnswerConfig) -> Generator[tuple[str, str], Any, Settled]:
    drafts = {answer}
    best: float | None = None
    rounds = 0
    while True:
        found: Checked = yield "check", answer
        report = found.report
        if report.action == "emit":
            return Settled(answer, found, rounds)
        score = -1.0 if report.overall_score is None else report.overall_score
        stuck = best is not None and score <= best
        if report.action == "block" or stuck or rounds >= config.revisions:
            return _refused(found, rounds, config)
        best = score
        answer = yield "write", feedback_on(found)
        rounds += 1
        if answer in drafts:
            return _refused(found, rounds, config)
        drafts.add(answer)


def _refused(found: Checked, rounds: int, config: AnswerConfig) -> Settled:
    statuses = {claim.status for claim in found.report.claims}
    usual = _FAILED if FAILED in found.notes else _REASONS["unsupported"]
    reason = next((told for status, told in _REASONS.items() if status in statuses), usual)
    return Settled(config.refusal.format(reason=reason), found, rounds, reason)
