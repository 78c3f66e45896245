"""Revision of an answer: have it rewritten until its claims are supported, or refuse it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from abs_shield.answer.checks.plain_statements import has_predicate
from abs_shield.answer.claim_types import Assessment
from abs_shield.answer.hallucination_report import ReportedClaim
from abs_shield.answer.report_assembly import NOT_CHECKED, Checked
from abs_shield.errors import ShieldError
from abs_shield.policy.check_config import AnswerConfig
from abs_shield.text.safe_display import escaped, shown
from abs_shield.text.tokens import keys_of, tokens
from abs_shield.text.values.figure_reader import figures

Write = Callable[[str], Any]
"""Rewrites the answer from feedback; sync or async."""
Check = Callable[[str], Any]
"""Checks an answer: `checked` or `achecked` with all other arguments bound."""

_CLAIM, _EVIDENCE = 500, 300  # feedback is part of a prompt: enough to recognise the claim
_MOST = 10  # a model corrects some ten faults at once; more crowd out the instructions
_REASONS = {
    "contradicted": "a statement in it contradicts what the tools returned",
    "divergent": "a statement in it was different when it was checked again",
    "unsupported": "a statement in it is not supported by what was found",
    "unverified": "nothing was found that it could be checked against",
    "call_rejected": "an action that it depends on was not performed",
    NOT_CHECKED: "it could not be checked",
    "not_probed": "it could not be checked as thoroughly as required",
}
"""Reasons shown to the user by status or note, worst first, without internals."""
_HOW = (
    "Some statements of your answer are not supported by the evidence of this run. Write the "
    "answer again: correct or leave out each of these, change nothing else, add nothing new."
)
_STOPPED = (
    "A call of your last turn was rejected and has not run. Make it right and call again, or write "
    "the answer again without what it should have done or returned."
)
_MOST_WEAK = 3  # the weakest of many claims; all of them would be rewritten
_SAYS_NOTHING = frozenset("don set sort ready fix finish complet updat cost total".split())
"""Stems of content words that do not make a statement alone: "Done!", "It costs"."""
_MOST_WORDS = 40  # a word of content is among the first
_MOST_MISSING = 5  # one wrong value shows what to check
_UNIT = re.compile(r"[ \u00a0]?[^\W\d_][\w/]{0,20}")
_FAILED = "revisions_failed"
_UNRESOLVABLE = frozenset({"not_probed"})
"""Notes that no rewording can resolve."""
_RESOLVABLE = frozenset(
    {"unsupported_claim", "unverified_claim", "divergent_claim", "below_emit_threshold",
     "call_rejected", "check_failed"}
)  # fmt: skip


class Settled(NamedTuple):
    """
    The outcome of a revision.

    Attributes:
        text: The text to emit: the answer, or the refusal.
        checked: The last check.
        rounds: The number of rewrites.
        refused: Why it was refused; empty if it was emitted.
    """

    text: str
    checked: Checked
    rounds: int
    refused: str = ""


def feedback_on(result: Checked) -> str:
    """
    Return the feedback for the model: each unsupported claim, with its nearest evidence.

    Args:
        result: A check with the action revise.
    """
    lines: list[str] = []
    if wrong := _unsupported_claims(result):
        lines += [_HOW, *(_line(*one) for one in wrong[:_MOST])]
    if len(wrong) > _MOST:
        lines.append(f"- and {len(wrong) - _MOST} more")
    if "call_rejected" in result.notes:
        lines += [_STOPPED, *_rejected_calls(result)]
    return "\n".join(lines)


def _unsupported_claims(result: Checked) -> list[tuple[ReportedClaim, Assessment]]:
    """Return the unsupported claims; if only the overall score is too low, the weakest claims."""
    both = [*zip(result.report.claims, result.claims, strict=True)]
    wrong = [one for one in both if one[0].status != "grounded"]
    if wrong or {"below_emit_threshold", "check_failed"}.isdisjoint(result.notes):
        return wrong
    return sorted(both, key=lambda one: one[0].score or 0.0)[:_MOST_WEAK]


def _line(claim: ReportedClaim, one: Assessment) -> str:
    status = "weakly supported" if claim.status == "grounded" else claim.status
    line = f"- {status}: {escaped(claim.text, limit=_CLAIM)}"
    if one.contradicted:
        line += f" ({escaped(one.contradicted, limit=_EVIDENCE)})"
    if missing := ", ".join(_missing(one)):
        line += f" (missing: {missing})"
    nearest = claim.evidence_spans[0].text if claim.evidence_spans else ""
    return f"{line}\n  nearest evidence: {escaped(nearest, limit=_EVIDENCE) or 'none'}"


def _missing(one: Assessment) -> Iterator[str]:
    """Yield the missing values of a claim that its contradiction does not name."""
    units = _units(one)
    written = (value.text + units.get(value.start, "") for value in one.missing)
    texts = dict.fromkeys(map(escaped, written))
    new = (text for text in texts if text not in one.contradicted)
    yield from (f"`{text}`" for text in islice(new, _MOST_MISSING))


def _units(one: Assessment) -> dict[int, str]:
    """Return the written units of a claim's numbers, by offset."""
    text, start = one.claim.text, one.claim.start
    behind = ((value.start, _UNIT.match(text, value.end)) for value in figures(text) if value.unit)
    return {start + place: unit[0] for place, unit in behind if unit}


def _rejected_calls(result: Checked) -> Iterator[str]:
    """Yield the newest calls that stage 1 rejected, with its errors."""
    calls = [one for one in result.report.tool_call_validations if one.status == "rejected"]
    for call in calls[-_MOST_WEAK:]:
        errors = "; ".join(call.errors) or "it was rejected"
        yield f"- `{escaped(call.tool, limit=_CLAIM)}`: {escaped(errors, limit=_EVIDENCE)}"


def settled(
    answer: str, *, write: Write, check: Check, config: AnswerConfig, enforced: bool = True
) -> Settled:
    """
    Check an answer, have it rewritten if it is unsupported, and emit or refuse it.

    Args:
        answer: The first draft.
        write: Rewrites it from feedback.
        check: Checks a draft.
        config: The number of rewrites, and the text of a refusal.
        enforced: Whether an unsupported answer is revised or refused; otherwise it is only checked.

    Returns:
        The text to emit. The rounds end with a draft that repeats an earlier one or makes no
        progress, and with one without a statement, such as an empty text, "Done!" or "I don't
        have that information.", if an earlier one had claims. Progress is a higher overall score,
        then fewer unsupported claims, then fewer missing values. A refused answer is reported as
        blocked.

    Raises:
        ShieldError: *write* returned no text.
    """
    steps = rounds(answer, config, enforced=enforced)
    try:
        step, content = next(steps)
        while True:
            step, content = steps.send(write(content) if step == "write" else check(content))
    except StopIteration as end:
        done: Settled = end.value
        return done


async def asettled(
    answer: str, *, write: Write, check: Check, config: AnswerConfig, enforced: bool = True
) -> Settled:
    """Do the same as `settled`, for a *write* and a *check* that may be async."""
    steps = rounds(answer, config, enforced=enforced)
    try:
        step, content = next(steps)
        while True:
            got = write(content) if step == "write" else check(content)
            step, content = steps.send(await got if inspect.isawaitable(got) else got)
    except StopIteration as end:
        done: Settled = end.value
        return done


def rounds(
    answer: str, config: AnswerConfig, *, enforced: bool
) -> Generator[tuple[str, str], Any, Settled]:
    """
    Yield each step of a revision: ``("check", draft)`` or ``("write", feedback)``.

    The caller sends back the draft's `Checked`, or the rewritten text.
    """
    drafts = {answer}
    best: _Progress | None = None
    before: Checked | None = None
    rounds = 0
    while True:
        result: Checked = yield "check", answer
        report = result.report
        # before "emit": a rewrite that says nothing would be emitted without claims
        if enforced and before is not None and not _says_something(result):
            return _refuse(result, rounds, config, because=before)
        if report.action == "emit" or not enforced:
            return Settled(answer, result, rounds)
        progress = _Progress.of(result)
        stuck = best is not None and progress <= best
        if (
            report.action == "block"
            or stuck
            or rounds >= config.revisions
            or _cannot_improve(result)
        ):
            return _refuse(result, rounds, config)
        best = progress
        before = result if report.claims else before
        answer = yield "write", feedback_on(result)
        if not isinstance(answer, str):
            raise ShieldError(
                f"settled: `write` returned {shown(answer)}; return the new answer's text"
            )
        rounds += 1
        if answer in drafts:  # a repeated draft would be checked with the same result
            return _refuse(result, rounds, config)
        drafts.add(answer)


class _Progress(NamedTuple):
    """The quality of a draft, greater is better."""

    score: float
    open: int
    missing: int

    @classmethod
    def of(cls, result: Checked) -> _Progress:
        """Return the progress of a draft; counts matter, since one capped claim fixes the score."""
        report = result.report
        score = -1.0 if report.overall_score is None else report.overall_score
        open_ = sum(claim.status != "grounded" for claim in report.claims)
        return cls(score, -open_, -sum(len(one.missing) for one in result.claims))


def _says_something(result: Checked) -> bool:
    """Return whether a rewrite makes a statement, unlike a remnant such as "Done!"."""
    both = zip(result.report.claims, result.claims, strict=True)
    return any(bool(one.claim.kinds) or _is_statement(reported) for reported, one in both)


def _is_statement(claim: ReportedClaim) -> bool:
    """Return whether a claim has a predicate or content words, or is a word of the evidence."""
    words = tokens(claim.text, most=_MOST_WORDS)
    if len(words) == 1:
        return any(words[0].key in keys_of(span.text) for span in claim.evidence_spans)
    if has_predicate(claim.text):
        return True
    content = {word.key for word in words if word.content}
    # a single letter is a label
    return any(not (key.isascii() and len(key) == 1) for key in content - _SAYS_NOTHING)


def _cannot_improve(result: Checked) -> bool:
    notes = frozenset(result.notes)
    return bool(notes & _UNRESOLVABLE) and not notes & _RESOLVABLE


def _refuse(
    last: Checked, rounds: int, config: AnswerConfig, *, because: Checked | None = None
) -> Settled:
    """Return the refusal; its reason is taken from *because*, or the last draft if None."""
    failed = because or last
    outcomes = {*failed.notes, *(claim.status for claim in failed.report.claims)}
    usual = _REASONS["unsupported"]
    reason = next((text for word, text in _REASONS.items() if word in outcomes), usual)
    if last.report.action != "block":
        report = replace(last.report, action="block")
        last = last._replace(report=report, notes=(*last.notes, _FAILED))
    return Settled(config.refusal.format(reason=reason), last, rounds, reason)
