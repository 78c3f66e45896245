"""The hard checks on real replies: ``python benchmarks/answers.py --data FOLDER``."""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answers_mutations import changed, swapped

from abs_shield.answer.claim import Claim, Scored
from abs_shield.answer.evidence import Deed, Evidence
from abs_shield.answer.figure import DATE, ID, MONEY, TIME, Figure
from abs_shield.answer.figures import figures
from abs_shield.answer.gathering import evidence_from, evidence_of
from abs_shield.answer.known import Known
from abs_shield.answer.scorers.hard import hard
from abs_shield.core.events import Said
from abs_shield.replay.lines import BadLine
from abs_shield.replay.runs import Run, runs
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session import Session
from abs_shield.text.sentences import sentence_spans

GOALS = {"turns flagged": 0.025, ID: 0.99, MONEY: 0.95, DATE: 0.85, TIME: 0.85}
PRECISION, ALARMS = 0.87, 0.03
KINDS = (ID, MONEY, DATE, TIME)


_NO_CLAIM = re.compile(
    r"```.*?(?:```|\Z)|<(think|thinking|function-thoughts|scratchpad)>.*?(?:</\1>|\Z)"
    r"|<function=.*?(?:</function>|\Z)",
    re.DOTALL,
)
"""Code, thoughts and calls written as text."""


def claims(answer: str) -> tuple[Claim, ...]:
    """The sentences of an answer that claim something: no question, no code, no thought."""
    silent = [found.span() for found in _NO_CLAIM.finditer(answer)]
    return tuple(
        Claim(answer[start:end], start, end)
        for start, end in sentence_spans(answer)
        if not answer[start:end].rstrip(" *_\"')").endswith("?")
        and not any(first <= start < behind for first, behind in silent)
    )


def scored(answer: str, evidence: Evidence, question: str | None = None) -> list[Scored]:
    """What the hard checks say of its sentences."""
    given = hard(claims(answer), evidence, question=question, answer=answer)
    return [one for one in given if isinstance(one, Scored)]


def flagged(answer: str, evidence: Evidence) -> list[str]:
    """The texts of the figures that are absent or contradicted."""
    return [miss.text for one in scored(answer, evidence) for miss in one.misses]


def replies(run: Run) -> Iterator[tuple[str, Evidence]]:
    """Each text that the agent wrote, with what the run had seen before it."""
    session = Session()
    for event in run.events:
        if isinstance(event, Said) and event.role == "assistant" and event.text.strip():
            yield event.text, evidence_of(session)
        session.take(event)


def of_runs(path: Path, *, most: int, every: int, seed: int, show: int) -> dict[str, Any]:
    """False alarms on successful runs, and changed figures seen."""
    count: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    chance = random.Random(seed)
    toolsets = Toolsets(json.loads((path.parent / "toolsets.json").read_text("utf-8")))
    for run in runs([str(path)], toolsets):
        if isinstance(run, BadLine) or not run.success:
            continue
        count["read"] += 1
        if count["read"] % every or count["runs"] >= most:
            continue
        count["runs"] += 1
        for answer, evidence in replies(run):
            _reply(answer, evidence, run, count=count, alarms=alarms, chance=chance, show=show)
    return told(count, alarms)


def _reply(
    answer: str, evidence: Evidence, run: Run, *,
    count: Counter[str], alarms: Counter[str], chance: random.Random, show: int,
) -> None:  # fmt: skip
    count["turns"] += 1
    spans = [(claim.start, claim.end) for claim in claims(answer)]
    hard_figures = [
        one
        for one in figures(answer)
        if not one.soft and any(start <= one.start and one.end <= end for start, end in spans)
    ]
    for kind in {one.kind for one in hard_figures}:
        count[f"turns with {kind}"] += 1
    given = scored(answer, evidence)
    misses = [miss for one in given for miss in one.misses]
    if hard_figures:
        count["turns with figures"] += 1
    if misses:
        count["turns flagged"] += 1
        for kind in {miss.kind for miss in misses}:
            alarms[kind] += 1
    deeds = [one.contradicted for one in given if "no successful call" in one.contradicted]
    count["turns with unbacked deeds"] += bool(deeds)
    others = [one.contradicted for one in given if one.contradicted.startswith("the evidence")]
    count["turns with a negated sentence"] += bool(others)
    cited = [one.contradicted for one in given if "cites" in one.contradicted]
    count["turns with unretrieved sources"] += bool(cited)
    if show and (misses or deeds or cited or others):
        print(
            run.run_id, [(m.kind, m.text) for m in misses], deeds, cited + others, file=sys.stderr
        )
        if show > 1:
            print("    ", repr(answer[:1500]), file=sys.stderr)
    _without_calls(answer, evidence, count)
    known: Known = evidence.derived(Known)
    for kind in KINDS:
        some = [one for one in hard_figures if one.kind == kind]
        if kind == ID:
            some = [one for one in some if any(known.find(one))]
        if some and not misses:
            _changed(answer, evidence, chance.choice(some), chance=chance, count=count)


def _without_calls(answer: str, evidence: Evidence, count: Counter[str]) -> None:
    """Whether the same reply is caught once the calls that did something are gone."""
    acts = [deed for deed in evidence.deeds or () if not deed.reads]
    if not acts or not _claims_deeds(answer, evidence):
        return
    count["replies with deeds"] += 1
    kept: tuple[Deed, ...] = tuple(deed for deed in evidence.deeds or () if deed.reads)
    names = {deed.tool for deed in acts}
    pieces = tuple(piece for piece in evidence if piece.name not in names)
    bare = scored(answer, Evidence(pieces, deeds=kept))
    count["deeds seen without their calls"] += any(
        "no successful call" in one.contradicted for one in bare
    )
    last = Evidence(
        tuple(p for p in evidence if p.name != acts[-1].tool or p.arguments != acts[-1].arguments),
        deeds=tuple(deed for deed in evidence.deeds or () if deed is not acts[-1]),
    )
    count["deeds seen without the last call"] += any(
        "no successful call" in one.contradicted for one in scored(answer, last)
    )


def _claims_deeds(answer: str, evidence: Evidence) -> bool:
    from abs_shield.answer.deeds import said_done

    return any(True for claim in claims(answer) for _ in said_done(claim.text))


def _changed(
    answer: str, evidence: Evidence, figure: Figure, *, chance: random.Random, count: Counter[str]
) -> None:
    for name, other in (
        (figure.kind, changed(figure, chance)),
        (f"swapped {figure.kind}", swapped(figure, evidence, chance)),
    ):
        if other is None or other == figure.text:
            continue
        written = answer[: figure.start] + other + answer[figure.end :]
        count[f"changed {name}"] += 1
        given = scored(written, evidence)
        seen = any(
            miss.start < figure.start + len(other) and figure.start < miss.end
            for one in given
            for miss in one.misses
        )
        count[f"seen {name}"] += seen
        if not seen and SHOW_UNSEEN:
            print(
                "UNSEEN",
                name,
                figure.text,
                "->",
                other,
                repr(answer[max(0, figure.start - 100) : figure.end + 60]),
                file=sys.stderr,
            )


SHOW_UNSEEN = False


def told(count: Counter[str], alarms: Counter[str]) -> dict[str, Any]:
    """The counts as shares."""
    turns = max(1, count["turns"])
    figured = max(1, count["turns with figures"])
    return {
        "runs": count["runs"],
        "turns": count["turns"],
        "turns with figures": count["turns with figures"],
        "turns flagged": count["turns flagged"],
        "share of turns flagged": round(count["turns flagged"] / turns, 4),
        "share of turns with figures flagged": round(count["turns flagged"] / figured, 4),
        "flagged by kind": {
            kind: f"{n} of {count[f'turns with {kind}']}" for kind, n in alarms.most_common()
        },
        "seen": {
            name.removeprefix("changed "): {
                "n": count[name],
                "share": round(count["seen " + name.removeprefix("changed ")] / count[name], 4),
            }
            for name in sorted(count)
            if name.startswith("changed ")
        },
        "turns with unbacked deeds": count["turns with unbacked deeds"],
        "turns with unretrieved sources": count["turns with unretrieved sources"],
        "turns with a negated sentence": count["turns with a negated sentence"],
        "replies that say what was done, after a call that did something": count[
            "replies with deeds"
        ],
        "of these caught without any such call": count["deeds seen without their calls"],
        "of these caught without the last such call": count["deeds seen without the last call"],
    }


def of_answers(folder: Path, *, show: int) -> dict[str, Any]:
    """The check of numbers on labelled answers: an answer is flagged where a figure is absent."""
    table: dict[str, Counter[str]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                _answer(json.loads(line), table, show=show)
    total: Counter[str] = sum(table.values(), Counter())
    return {name: _rates(count) for name, count in {**table, "all": total}.items()}


def _answer(row: dict[str, Any], table: dict[str, Counter[str]], *, show: int) -> None:
    if row["source"].startswith("wice") and row["id"].startswith("wice-tokens"):
        return
    evidence = evidence_from(row["context"])
    given = scored(row["answer"], evidence, row.get("question"))
    misses = [miss for one in given for miss in one.misses if miss.kind != ID]
    count = table.setdefault(row["source"], Counter())
    bad = row["label"] == "hallucinated"
    count["bad" if bad else "good"] += 1
    count["contradicted bad" if bad else "contradicted good"] += any(o.contradicted for o in given)
    if misses:
        count["hits" if bad else "alarms"] += 1
    if show and misses and not bad:
        print(row["id"], [m.text for m in misses], repr(row["answer"][:300]), file=sys.stderr)


def _rates(count: Counter[str]) -> dict[str, Any]:
    hits, alarms = count["hits"], count["alarms"]
    return {
        "answers": count["good"] + count["bad"],
        "precision": round(hits / max(1, hits + alarms), 3),
        "recall": round(hits / max(1, count["bad"]), 3),
        "false alarms": round(alarms / max(1, count["good"]), 4),
        "contradicted": f"{count['contradicted bad']} bad, {count['contradicted good']} good",
    }


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the recorded data")
    parser.add_argument("--runs", type=int, default=1 << 30, help="successful runs that are read")
    parser.add_argument("--every", type=int, default=1, help="read only every n-th of them")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0, help="print what is flagged")
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--only", choices=("runs", "answers"))
    given = parser.parse_args()
    global SHOW_UNSEEN
    SHOW_UNSEEN = given.unseen
    report: dict[str, Any] = {}
    if given.only != "answers":
        path = given.data / "toolcalls" / "runs.jsonl.gz"
        report["replies"] = of_runs(
            path, most=given.runs, every=given.every, seed=given.seed, show=given.show
        )
    if given.only != "runs":
        report["answers"] = of_answers(given.data / "grounding", show=given.show)
    json.dump(report, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
