"""Actions of the answer gate on real answers: those of the same run, and of another run."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command_line import report_progress

from abs_shield.answer.check_pipeline import checked
from abs_shield.core.events import MessageText, Proposed
from abs_shield.policy import AnswerConfig
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.run_reader import Run, runs
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

CONFIGS = {
    "default": AnswerConfig(),
    "words gate": AnswerConfig(words="gate"),
    "words gate, base rate 0.9": AnswerConfig(words="gate", base_rate=0.9),
    "words gate, base rate 0.5": AnswerConfig(words="gate", base_rate=0.5),
}
TEXTS = ("ragtruth-qa-test", "wice-claim", "faithdial-audit", "begin-wow", "mtrag-human")


def answers(run: Run) -> Iterator[tuple[str, Session]]:
    """Each text that went to the user, with a session that has seen what came before it."""
    session = Session()
    for event, behind in zip(run.events, (*run.events[1:], None), strict=True):
        is_answer = (
            isinstance(event, MessageText) and event.role == "assistant" and event.text.strip()
        )
        if is_answer and not isinstance(behind, Proposed):
            yield event.text, session
        record_of(session).record_event(event)


def of_runs(path: Path, toolsets: Toolsets, *, every: int) -> dict[str, Any]:
    """
    Check the answers of every n-th successful run with the defaults of a Shield.

    Each is checked against its own run, where it is taken for honest, and against the newest run
    of the same tools before it, where hardly any of it can hold.
    """
    count: Counter[tuple[str, str, str]] = Counter()
    before: dict[str, Run] = {}
    good = (run for run in runs([str(path)], toolsets) if not isinstance(run, BadLine))
    successful = (run for run in good if run.success)
    for n, run in enumerate(report_progress(successful, doing="checking the gate"), 1):
        if n % every:
            continue
        other = before.get(run.toolset)
        for answer, session in answers(run):
            _count(count, "its own run", answer, session)
        for place, (answer, _) in enumerate(answers(run)) if other else ():
            _count(count, "another run", answer, _like(other, place))
        before[run.toolset] = run
    return {name: _shares(count, name) for name in CONFIGS}


def of_texts(folder: Path, config: AnswerConfig, *, most: int) -> dict[str, Any]:
    """
    Check labelled answers in a session in which one tool returned their context as a text.

    The shipped weights have seen the rows of corpora that train: these figures are no forecast.
    """
    results: dict[str, Any] = {}
    for name in report_progress(TEXTS, doing="checking labelled answers", total=len(TEXTS)):
        count: Counter[tuple[str, str]] = Counter()
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in rows[:: max(1, len(rows) // most)]:
            session = Session()
            session.user(row.get("question") or "")
            session.tool_result("search", _text(row["context"]), call_id="c1")
            report = checked(row["answer"], session=session, config=config).report
            label = "bad" if row["label"] == "hallucinated" else "good"
            count[label, report.action if report.claims else "no claims"] += 1
        results[name] = {
            label: {
                action: round(count[label, action] / max(1, _all(count, label)), 3)
                for action in ("emit", "revise", "block", "no claims")
            }
            for label in ("good", "bad")
        }
    return results


def _text(context: Any) -> str:
    parts = context if isinstance(context, list) else [context]
    return "\n\n".join(part if isinstance(part, str) else part["text"] for part in parts)


def _all(count: Counter[tuple[str, str]], label: str) -> int:
    return sum(n for key, n in count.items() if key[0] == label)


def _like(run: Run, place: int) -> Session:
    """A session that has seen as much of another run."""
    session = Session()
    texts = list(answers(run))
    stop = texts[min(place, len(texts) - 1)][0] if texts else None
    for event in run.events:
        if isinstance(event, MessageText) and event.text == stop:
            break
        record_of(session).record_event(event)
    return session


def _count(count: Counter[tuple[str, str, str]], which: str, text: str, run: Session) -> None:
    for name, config in CONFIGS.items():
        checked_answer = checked(text, session=run, config=config)
        action = checked_answer.report.action if checked_answer.report.claims else "no claims"
        count[name, which, action] += 1


def _shares(count: Counter[tuple[str, str, str]], name: str) -> dict[str, Any]:
    report = {}
    for which in ("its own run", "another run"):
        some = {key[2]: n for key, n in sorted(count.items()) if key[:2] == (name, which)}
        claimed = sum(n for action, n in some.items() if action != "no claims")
        report[which] = {"answers": sum(some.values()), "with claims": claimed} | {
            action: round(some.get(action, 0) / max(1, claimed), 3)
            for action in ("emit", "revise", "block")
        }
    return report
