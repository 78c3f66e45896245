"""The hard checks on agents' own replies: false alarms, changed figures, deeds without calls."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answers_judging import claims, scored
from answers_mutations import changed, swapped
from command_line import report_progress

from abs_shield.answer.checks.claimed_actions import claimed_actions
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.core.events import MessageText
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.run_reader import Run, runs
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.text.values.figure import DATE, ID, MONEY, TIME, Figure
from abs_shield.text.values.figure_reader import figures

KINDS = (ID, MONEY, DATE, TIME)
_CALL, _SOURCE, _SAYS = "no successful call", "cites", "the evidence says"


def replies(run: Run) -> Iterator[tuple[str, Evidence]]:
    """Each text that the agent wrote, with what the run had seen before it."""
    session = Session()
    for event in run.events:
        if isinstance(event, MessageText) and event.role == "assistant" and event.text.strip():
            yield event.text, evidence_of(session)
        record_of(session).record_event(event)


@dataclass
class Measured:
    """Counts of judged replies; *show* prints flagged ones, *unseen* undetected changes."""

    seed: int = 7
    show: bool = False
    unseen: bool = False
    count: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def reply(self, answer: str, evidence: Evidence, run: Run) -> None:
        """Judge one reply as it is, with one figure changed, and without its calls."""
        figures = _hard_figures(answer)
        scores = scored(answer, evidence)
        missing = [miss for one in scores for miss in one.missing]
        contradictions = [one.contradicted for one in scores if one.contradicted]
        self.count.update(turns=1)
        self.count.update({f"turns with {kind}" for kind in {one.kind for one in figures}})
        self.count["turns with figures"] += bool(figures)
        self.count["turns flagged"] += bool(missing)
        self.alarms.update({miss.kind for miss in missing})
        for name, mark in (("deeds", _CALL), ("sources", _SOURCE), ("negations", _SAYS)):
            self.count[name] += any(mark in line for line in contradictions)
        if self.show and (missing or contradictions):
            print(run.run_id, [(m.kind, m.text) for m in missing], contradictions, file=sys.stderr)
            print("    ", repr(answer[:1500]), file=sys.stderr)
        self._without_calls(answer, evidence)
        index: ValueIndex = evidence.derived(ValueIndex)
        for kind in KINDS if not missing else ():
            some = [one for one in figures if one.kind == kind]
            some = [one for one in some if kind != ID or any(index.find(one))]
            if some:
                self._changed(answer, evidence, self._chance.choice(some))

    def _changed(self, answer: str, evidence: Evidence, figure: Figure) -> None:
        for name, other in (
            (figure.kind, changed(figure, self._chance)),
            (f"swapped {figure.kind}", swapped(figure, evidence, self._chance)),
        ):
            if other is None or other == figure.text:
                continue
            written = answer[: figure.start] + other + answer[figure.end :]
            end = figure.start + len(other)
            is_noticed = any(
                miss.start < end and figure.start < miss.end
                for one in scored(written, evidence)
                for miss in one.missing
            )
            self.count.update({f"changed {name}": 1, f"seen {name}": int(is_noticed)})
            if self.unseen and not is_noticed:
                around = written[max(0, figure.start - 100) : end + 60]
                print("UNSEEN", name, figure.text, "->", other, repr(around), file=sys.stderr)

    def _without_calls(self, answer: str, evidence: Evidence) -> None:
        """Return whether the same reply is caught once the calls that did something are gone."""
        acts = [deed for deed in evidence.executed or () if not deed.reads]
        if not acts or not any(True for one in claims(answer) for _ in claimed_actions(one.text)):
            return
        self.count["replies with deeds"] += 1
        names = {deed.tool for deed in acts}
        bare = Evidence(
            tuple(piece for piece in evidence if piece.name not in names),
            executed=tuple(deed for deed in evidence.executed or () if deed.reads),
        )
        last = Evidence(
            tuple(
                piece
                for piece in evidence
                if (piece.name, piece.arguments) != (acts[-1].tool, acts[-1].arguments)
            ),
            executed=tuple(deed for deed in evidence.executed or () if deed is not acts[-1]),
        )
        for name, left in (("no call", bare), ("no last call", last)):
            is_noticed = any(_CALL in one.contradicted for one in scored(answer, left))
            self.count[f"deeds seen with {name}"] += is_noticed
            if self.unseen and not is_noticed and name == "no call":
                sentences = [one.text for one in claims(answer) if any(claimed_actions(one.text))]
                reads = [deed.tool for deed in left.executed or ()]
                print("UNSEEN action", sorted(names), reads, sentences, file=sys.stderr)

    def report(self) -> dict[str, Any]:
        """The counts as shares."""
        count = self.count
        return {
            "runs": count["runs"],
            "turns": count["turns"],
            "turns with figures": count["turns with figures"],
            "turns flagged": count["turns flagged"],
            "share of turns flagged": _share(count["turns flagged"], count["turns"]),
            "share of turns with figures flagged": _share(
                count["turns flagged"], count["turns with figures"]
            ),
            "flagged by kind": {
                kind: f"{n} of {count[f'turns with {kind}']}"
                for kind, n in self.alarms.most_common()
            },
            "seen": {
                name.removeprefix("changed "): {
                    "n": n,
                    "share": _share(count[name.replace("changed", "seen", 1)], n),
                }
                for name, n in sorted(count.items())
                if name.startswith("changed ")
            },
            "turns with unbacked deeds": count["deeds"],
            "turns with unretrieved sources": count["sources"],
            "turns with a negated sentence": count["negations"],
            "replies that say what was done, after a call that did something": count[
                "replies with deeds"
            ],
            "of these caught without any such call": count["deeds seen with no call"],
            "of these caught without the last such call": count["deeds seen with no last call"],
        }


def measured(path: Path, into: Measured, *, every: int) -> dict[str, Any]:
    """Measure the successful runs of a file, every n-th of them."""
    toolsets = Toolsets(json.loads((path.parent / "toolsets.json").read_text("utf-8")))
    good = (run for run in runs([str(path)], toolsets) if not isinstance(run, BadLine))
    successful = (run for run in good if run.success)
    for n, run in enumerate(report_progress(successful, doing="checking replies"), 1):
        if n % every == 0:
            into.count.update(runs=1)
            for answer, evidence in replies(run):
                into.reply(answer, evidence, run)
    return into.report()


def _hard_figures(answer: str) -> list[Figure]:
    """The figures of its claims that need evidence."""
    spans = [(claim.start, claim.end) for claim in claims(answer)]
    return [
        one
        for one in figures(answer)
        if not one.soft and any(start <= one.start and one.end <= end for start, end in spans)
    ]


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)
