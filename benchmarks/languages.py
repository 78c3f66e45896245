"""
Detection in dialogues of many languages: ``python benchmarks/languages.py``.

`benchmarks/languages/` has one file a language, one row a template: turns of a user, results and
right calls, the values that fill them, and which arguments of the last call a fault is planted in.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from command_line import command_parser, report_progress
from rich.console import Console
from rich.table import Table

from abs_shield import Decision, Finding, Shield, Target, Tool, ToolCall, shield
from abs_shield.core import Outcome
from abs_shield.stats.share_intervals import wilson

FOLDER = Path(__file__).parent / "languages"
HARD = 0.9
NAMES = {
    "ar": "Arabic", "de": "German", "es": "Spanish", "fi": "Finnish", "fr": "French",
    "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "tr": "Turkish",
}  # fmt: skip
_HOLE = re.compile(r"\{(\w+)\}")
_TYPES = {"array": {"type": "array", "items": {"type": "string"}}}
_SOFT = ("invented name", "date", "amount")
"""Faults that are judged only where the run's language or the author's marks allow it."""


class Fault(NamedTuple):
    """A wrong value in one argument, or a tool that takes the call back."""

    kind: str
    argument: str
    value: Any


@dataclass
class Tally:
    """
    Counts of one language.

    Attributes:
        calls: Right calls.
        flagged: Those with a finding that counts.
        hard: Those with a finding of strength 0.9 or more.
        planted: Faults by kind.
        found: Those that a finding points at.
        abstained: Those that the layer could not judge, or that are of no judged kind.
        flags: A line for each finding on a right call.
        misses: A line for each fault that was judged, and not found.
    """

    calls: int = 0
    flagged: int = 0
    hard: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    abstained: Counter[str] = field(default_factory=Counter)
    flags: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def right(self, at: str, decision: Decision) -> None:
        """Count a right call."""
        counted = [finding for finding in decision.findings if finding.counted]
        self.calls += 1
        self.flagged += bool(counted)
        self.hard += any(finding.strength >= HARD for finding in counted)
        self.flags += [f"{at}: {f.check} {f.where}: {f.detail}" for f in counted]

    def wrong(self, at: str, fault: Fault, decision: Decision, *, marked: bool) -> None:
        """Count a planted fault."""
        self.planted[fault.kind] += 1
        if any(finding.counted and _points_at(fault, finding) for finding in decision.findings):
            self.found[fault.kind] += 1
        elif (fault.kind in _SOFT and not marked) or _is_blind(decision):
            self.abstained[fault.kind] += 1
        else:
            self.misses.append(f"{at}: missed {fault.kind} {fault.argument}={fault.value!r}")


def _points_at(fault: Fault, finding: Finding) -> bool:
    if fault.kind == "undone":
        return finding.check == "self_contradiction"
    return finding.where.startswith(f"/arguments/{fault.argument}")


def _is_blind(decision: Decision) -> bool:
    return decision.coverage["phantom_target"].outcome is Outcome.UNAVAILABLE


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge the dialogues of each language, and print what was found and what was flagged."""
    parser = command_parser(__doc__, example="languages.py pl ja")
    parser.add_argument("languages", nargs="*", help="files to judge, such as pl ja; else all")
    parser.add_argument("--list", action="store_true", help="list every flag and every miss")
    options = parser.parse_args(arguments)
    codes = options.languages or list(NAMES)
    shown = report_progress(codes, doing="judging languages", total=len(codes))
    tallies = {code: judged(code) for code in shown}
    Console(width=140).print(_table(tallies))
    for code, tally in tallies.items() if options.list else ():
        for line in (*tally.flags, *tally.misses):
            print(f"{code} {line}")


def judged(code: str) -> Tally:
    """Judge every template of a language with each of its values."""
    tally, guards = Tally(), _guards()
    for row in map(json.loads, (FOLDER / f"{code}.jsonl").read_text("utf-8").splitlines()):
        for number, values in enumerate(row["values"]):
            at = f"{row['id']} {number}"
            turns = _filled(row["turns"], values)
            *_, last = turns
            guard, marked = guards[last["call"]]
            for decision in _replayed(turns, guard):
                tally.right(at, decision)
            for fault in faults(row["plant"], _arguments(last), seed=f"{code} {at}"):
                *_, decision = _replayed(_planted(turns, fault), guard)
                tally.wrong(at, fault, decision, marked=fault.argument in marked)
    return tally


def _planted(turns: Sequence[Any], fault: Fault) -> list[Any]:
    """Put a fault into the last call, or a call that undoes it behind it."""
    *before, last = turns
    if fault.kind == "undone":
        return [*turns, {**last, "call": fault.argument}]
    return [*before, {**last, fault.argument: fault.value}]


def _guards() -> dict[str, tuple[Shield, Sequence[str]]]:
    """Make one Shield for the tools without marks; each with marks, and its server, has its own."""
    tools: dict[str, Tool] = {}
    marks: dict[str, Sequence[str]] = {}
    for name, parameters in json.loads((FOLDER / "tools.json").read_text()).items():
        marks[name] = parameters.pop("targets", ())
        properties = {key: _TYPES.get(kind, {"type": kind}) for key, kind in parameters.items()}
        tools[name] = Tool(
            name=name,
            parameters={"type": "object", "properties": properties},
            targets={key: Target() for key in marks[name]},
        )
    policy = shield.configure(mode="audit", tools=[*tools.values()])
    guard = Shield(policy, hooks=None)
    return {name: (guard, marks[name]) for name in tools}


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    """Put the values into a template; one that is nothing but a value keeps its type."""
    if isinstance(template, str):
        whole = _HOLE.fullmatch(template)
        if whole:
            return values[whole[1]]
        return _HOLE.sub(lambda hole: str(values[hole[1]]), template)
    if isinstance(template, Mapping):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, values) for value in template]
    return template


def _arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in call.items() if key not in ("call", "result")}


def _replayed(turns: Iterable[Any], guard: Shield) -> Iterator[Decision]:
    """Judge the calls of a dialogue, in a session of their own; each runs."""
    with guard.session() as session:
        for turn in turns:
            if isinstance(turn, str):
                session.user(turn)
                continue
            with guard.guard(ToolCall(turn["call"], _arguments(turn))) as run:
                run.value = turn.get("result", {"ok": True})
            assert run.decision is not None
            assert not run.decision.errors, run.decision.errors
            yield run.decision


def faults(plant: Mapping[str, str], arguments: Mapping[str, Any], *, seed: str) -> Iterator[Fault]:
    """
    Yield the wrong values that a template has planted.

    Args:
        plant: Arguments by name: ``id`` for an unseen and a misspelt identifier, ``date``,
            ``amount``, or an invented name behind ``=``; the tool that takes the call back, with
            ``undo``.
    """
    chance = random.Random(seed)
    for argument, kind in plant.items():
        value = arguments.get(argument)
        if kind == "undo":
            yield Fault("undone", argument, None)
        elif kind.startswith("="):
            yield Fault("invented name", argument, kind[1:])
        elif kind == "date":
            other = date.fromisoformat(value) + timedelta(days=chance.randrange(40, 90))
            yield Fault("date", argument, other.isoformat())
        elif kind == "amount":
            yield Fault("amount", argument, value + chance.choice((1, 10, 100, 7, 250)))
        elif isinstance(value, list):
            yield Fault("unseen", argument, [_unseen(value[0], chance), *value[1:]])
            yield Fault("typo", argument, [_misspelt(value[0], chance), *value[1:]])
        else:
            yield Fault("unseen", argument, _unseen(value, chance))
            yield Fault("typo", argument, _misspelt(value, chance))


def _unseen(value: str, chance: random.Random) -> str:
    """Another value of the same shape: every digit, or in an address every letter, is another."""
    if not any(map(str.isdigit, value)):
        local, _, host = value.partition("@")
        letters = "bcdfghjkmnprstvz"
        return "".join(chance.choice(letters) if c.isalpha() else c for c in local) + f"@{host}"
    return "".join(chance.choice("123456789".replace(c, "")) if c.isdigit() else c for c in value)


def _misspelt(value: str, chance: random.Random) -> str:
    """Two neighbours that differ change places, towards the end; or one letter is another."""
    places = [
        n for n in range(1, len(value) - 1)
        if value[n].isalnum() and value[n + 1].isalnum() and value[n] != value[n + 1]
        and value[n].isdigit() == value[n + 1].isdigit() and "@" not in value[: n + 1]
    ]  # fmt: skip
    if not places:
        last = "7" if value[-1] != "7" else "4"
        return value[:-1] + last
    n = chance.choice(places)
    return value[:n] + value[n + 1] + value[n] + value[n + 2 :]


def _table(tallies: Mapping[str, Tally]) -> Table:
    kinds = ("unseen", "typo", "undone", *_SOFT)
    head = ("language", "right calls", "flagged", "hard", "found", "abstained", *kinds)
    table = Table(*head, title="Dialogues from templates", title_justify="left")
    for code, tally in tallies.items():
        planted = tally.planted.total()
        cells = (f"{tally.found[kind]}/{tally.planted[kind]}" for kind in kinds)
        table.add_row(
            NAMES[code], str(tally.calls), str(tally.flagged), str(tally.hard),
            f"{tally.found.total()}/{planted}", str(tally.abstained.total()), *cells,
        )  # fmt: skip
    calls = sum(tally.calls for tally in tallies.values())
    flagged = sum(tally.flagged for tally in tallies.values())
    hard = sum(tally.hard for tally in tallies.values())
    low, high = wilson(flagged, calls)
    table.caption = f"flagged {flagged}/{calls} [{low:.4f}, {high:.4f}], hard {hard}/{calls}"
    return table


if __name__ == "__main__":
    main()
