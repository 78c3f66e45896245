"""Effect of each rule of detection on right calls and on planted faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import elsewhere
from command_line import report_progress
from detection_judging import HARD, Judge, Recorded, Results, layer_of, read
from detection_rules import (
    CALL,
    EVER,
    RULES,
    TESTS,
    InputKey,
    tables_that_change,
    watched,
    without,
)

from abs_shield.core import LAYER_NAMES
from abs_shield.replay.planted_cases import Cases

_CHUNK = 60
_OWN = "elsewhere"
"""The runs that were written by hand, beside the folders of recorded ones."""
_WHATS = ("flagged", "hard", "found")
_CHANGED = frozenset({"phantom_target", "self_contradiction", "impossible_state"})
"""Layers whose findings rules change; what the others find, they find whatever is switched off."""

Place = tuple[str, int]
"""A folder's name, and the place of a run or of a file in it."""
Counts = Counter[tuple[str, str]]
"""Layer, empty for any, and ``flagged``, ``hard`` or ``found`` to a number of calls."""


@dataclass(frozen=True)
class Task:
    """Places of one folder to be judged without one rule; with all where *rule* is empty."""

    rule: str
    folder: str
    places: tuple[int, ...]


Done = tuple[Task, dict[int, Counts], dict[int, frozenset[str]]]
"""A task, what was found at each place, and which rules changed something there."""
Judged = Callable[[Sequence[Task]], Iterable[Done]]


def ablation(folders: Sequence[Path], *, names: Sequence[str], jobs: int) -> str:
    """
    Return the table, a row for each layer and each rule.

    A rule is switched off in the runs in which it changed something: in others it makes no
    difference. A layer's row is what it alone finds.

    Args:
        folders: Recorded runs with planted faults.
        names: Rules to be looked at; all where empty.
        jobs: Worker processes.
    """
    toolsets = _toolsets(folders)
    with get_context("spawn").Pool(jobs, _begin, (folders,)) as pool:

        def judged(tasks: Sequence[Task]) -> Iterable[Done]:
            done = pool.imap_unordered(_work, tasks)
            return report_progress(done, doing="judging", total=len(tasks))

        whole, fired = _whole(judged, toolsets)
        chosen = [name for name in RULES if not names or name in names]
        changed: dict[str, dict[Place, Counts]] = defaultdict(dict)
        for task, counts, _ in judged([*_tasks(chosen, fired, toolsets)]):
            changed[task.rule].update({(task.folder, at): one for at, one in counts.items()})
    return "\n".join(_rows(whole, {name: changed[name] for name in chosen}))


def _toolsets(folders: Sequence[Path]) -> dict[Place, str]:
    """The name of the tools of every run that counts; of the files written by hand, none."""
    results = {}
    for path in folders:
        recorded = read(path)
        marked = any(run.success is not None for run in recorded.runs)
        for at, run in enumerate(recorded.runs):
            right = (run.success or not marked) and not run.labels.get("attack")
            if right or recorded.cases.of(run.run_id):
                results[path.name, at] = run.toolset
    return results | {(_OWN, at): "" for at in range(len(elsewhere.FILES))}


def _whole(
    judged: Judged, toolsets: Mapping[Place, str]
) -> tuple[dict[Place, Counts], dict[Place, frozenset[str]]]:
    """Findings with every rule, and the rules that changed any result."""
    whole: dict[Place, Counts] = {}
    fired: dict[Place, frozenset[str]] = {}
    compiled: dict[tuple[str, str], set[str]] = defaultdict(set)
    for task, counts, rules in judged([*_split("", toolsets)]):
        for at, one in counts.items():
            place = (task.folder, at)
            whole[place], fired[place] = one, rules[at]
            compiled[task.folder, toolsets[place]] |= rules[at]
    for place, toolset in toolsets.items():
        once = {name for name in compiled[place[0], toolset] if RULES[name].asked != CALL}
        fired[place] |= once
    return whole, fired


def _tasks(
    names: Iterable[str], fired: Mapping[Place, frozenset[str]], toolsets: Mapping[Place, str]
) -> Iterator[Task]:
    for name in names:
        ever = RULES[name].asked == EVER and not RULES[name].by
        yield from _split(name, [place for place in toolsets if ever or name in fired[place]])


def _split(name: str, places: Iterable[Place]) -> Iterator[Task]:
    by_folder: dict[str, list[int]] = defaultdict(list)
    for folder, at in places:
        by_folder[folder].append(at)
    for folder, results in by_folder.items():
        size = 1 if folder == _OWN else _CHUNK
        for start in range(0, len(results), size):
            yield Task(name, folder, tuple(results[start : start + size]))


# In a worker process -----------------------------------------------------------------------------

_recorded: dict[str, Recorded] = {}
_reduced: dict[str, Recorded] = {}
"""With the planted faults alone that a rule may change."""
_changing: dict[InputKey, set[str]] = {}
"""Names that were met before, and the tables that matter to them."""


def _begin(folders: Sequence[Path]) -> None:
    for path in folders:
        recorded = _recorded[path.name] = read(path)
        cases = {
            run: [case for case in planted if _may_change(case["expect"], layer_of(case))]
            for run, planted in recorded.cases.by_run.items()
        }
        _reduced[path.name] = replace(recorded, cases=Cases(cases))


def _may_change(expected: str, layer: str) -> bool:
    return expected == "flag" and layer in _CHANGED


def _work(task: Task) -> Done:
    fired: set[str] = set()
    inputs: set[InputKey] = set()
    counts: dict[int, Counts] = {}
    rules: dict[int, frozenset[str]] = {}
    names: dict[int, frozenset[InputKey]] = {}
    with without(task.rule) if task.rule else watched(fired, inputs):
        recorded = (_reduced if task.rule else _recorded).get(task.folder)
        judge = None if recorded is None else Judge(recorded, ("none",))
        for at in task.places:
            fired.clear()
            inputs.clear()
            if judge is None:
                counts[at] = _of_file(elsewhere.judged(elsewhere.FILES[at]))
            else:
                counts[at] = _of_run(judge([at]))
            rules[at], names[at] = frozenset(fired), frozenset(inputs)
    new = frozenset().union(*names.values()) - _changing.keys()
    _changing.update(tables_that_change(new))
    for at, results in names.items():
        rules[at] = rules[at].union(*(_changing[one] for one in results))
    return task, counts, rules


def _of_run(results: Results) -> Counts:
    calls: dict[tuple[str, str], set[int]] = defaultdict(set)
    for flag in results.flags:
        for layer in ("", flag.layer):
            calls[layer, "flagged"].add(flag.call_index)
            if flag.strength >= HARD:
                calls[layer, "hard"].add(flag.call_index)
    counts: Counts = Counter({key: len(matches) for key, matches in calls.items()})
    for case in results.planted:
        if case.expect == "flag" and case.found:
            changed = "changed" if _may_change(case.expect, case.layer) else "same"
            counts.update({("", "found"): 1, (case.layer, "found"): 1, ("", changed): 1})
    return counts


def _of_file(tally: elsewhere.Tally) -> Counts:
    counts: Counts = Counter({("", "flagged"): tally.flagged, ("", "hard"): tally.hard})
    for layer, results in tally.found.items():
        counts.update({("", "found"): results, (layer, "found"): results, ("", "changed"): results})
    counts.update({(layer, "hard"): number for layer, number in tally.hard_by.items()})
    for line in tally.flags:
        counts[line.split(",")[0].removeprefix("flagged "), "flagged"] += 1
    return counts


# The table ---------------------------------------------------------------------------------------


def _rows(
    whole: Mapping[Place, Counts], changed: Mapping[str, Mapping[Place, Counts]]
) -> Iterator[str]:
    folders = list(dict.fromkeys(folder for folder, _ in whole))
    heads = [f"{name}: {what}" for name in folders for what in ("flagged (hard)", "found")]
    yield _line(["without", *heads])
    yield _line(["---"] * (1 + len(heads)))
    yield _line(["nothing", *(cell for name in folders for cell in _cells(_sum(whole, name), ""))])
    for layer in LAYER_NAMES:
        cells = (cell for name in folders for cell in _cells(_sum(whole, name), layer, sign=-1))
        yield _line([f"layer `{layer}`", *cells])
    for rule, without_it in changed.items():
        cells = (
            cell for name in folders for cell in _cells(_more(whole, without_it, name), "", sign=1)
        )
        test = TESTS.get(rule)
        yield _line([f"{rule} (`{test}`)" if test else rule, *cells])


def _sum(counts: Mapping[Place, Counts], folder: str) -> Counts:
    return sum((one for place, one in counts.items() if place[0] == folder), Counter())


def _more(whole: Mapping[Place, Counts], changed: Mapping[Place, Counts], folder: str) -> Counts:
    """Return the increase without the rule; for faults, also a decrease."""
    more: Counts = Counter()
    for place, one in changed.items():
        if place[0] == folder:
            more.update(one)
            more.subtract(whole[place])
    more["", "found"] = more["", "changed"]
    return more


def _cells(counts: Counts, layer: str, *, sign: int = 0) -> list[str]:
    flagged, hard, results = (counts[layer, what] for what in _WHATS)
    if not sign:
        return [f"{flagged} ({hard})", f"{results}"]
    return [f"{sign * flagged:+} ({sign * hard:+})", f"{sign * results:+}"]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
