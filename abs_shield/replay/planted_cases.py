"""Faults planted in recorded runs: read from a folder, and placed in their runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from abs_shield.core import Decision, Finding, Outcome, ToolCall
from abs_shield.core.events import Event, Proposed
from abs_shield.core.module_names import old_names
from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.replay.recorded_turns import Turn, turns
from abs_shield.replay.run_reader import Run
from abs_shield.text.json_leaves import Path, leaves, pointer
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

PlantedCase = Mapping[str, Any]
"""One line of the file of planted cases, as `read_case` accepts it."""
# the name of the layer in folders of planted cases
_LAYERS = {"contradiction": "self_contradiction"}
_SHOWN = 70  # a value in one column of a table
_TEXTS = ("run_id", "kind", "expected_layer")
_MOST_LEAVES = 10_000  # the arguments of one call, of which the schema allows any size


class Operation(StrEnum):
    """Where the planted call is placed: instead of the recorded call, or after its result."""

    REPLACE = "replace"
    INSERT_AFTER = "insert_after"


class Expect(StrEnum):
    """The expected outcome: a finding, no finding, or one that provenance cannot decide."""

    FLAG = "flag"
    CLEAN = "clean"
    INFO = "info"


def read_case(record: Any) -> PlantedCase:
    """
    Return *record* if it is a valid planted case.

    Raises:
        ValueError: A member is missing or invalid.
    """
    if not isinstance(record, Mapping):
        raise ValueError(f"a planted case is an object, not {shown(record)}")
    for name in _TEXTS:
        if not isinstance(record.get(name), str) or not record[name]:
            raise ValueError(f"`{name}` is {shown(record.get(name))}; give a text")
    index = record.get("call_index")
    if type(index) is not int or index < 0:
        raise ValueError(f"`call_index` is {shown(index)}; give a number from 0")
    _require_choice(record, "op", Operation)
    _require_choice(record, "expect", Expect)
    call = record.get("mutated_call")
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise ValueError(f"`mutated_call` is {shown(call)}; give `name` and `arguments`")
    return record


def _require_choice(record: Mapping[str, Any], name: str, choices: type[StrEnum]) -> None:
    value = record.get(name)
    if value in list(choices):
        return
    near = nearest(value, choices) if isinstance(value, str) else []
    hint = f"did you mean `{near[0]}`?" if near else f"give one of {', '.join(choices)}"
    raise ValueError(f"`{name}` is {shown(value)}; {hint}")


def layer_of(case: PlantedCase) -> str:
    """Return the name of the layer that is expected to find the fault."""
    layer = str(case["expected_layer"])
    # "none (provenance)" and similar: the case is about what provenance cannot decide
    return "phantom_target" if layer.startswith("none") else _LAYERS.get(layer, layer)


def values_at_path(case: PlantedCase) -> Iterator[tuple[Path, Any]]:
    """Yield the values at the case's path, such as ``flights[].date``, with their paths."""
    for place, value in leaves(case["mutated_call"].get("arguments"), most=_MOST_LEAVES):
        if dotted(place) == case.get("path"):
            yield place, value


def dotted(place: Path) -> str:
    """
    Return a path in the format of cases: each list item is ``[]``.

    >>> dotted(("flights", 0, "date"))
    'flights[].date'
    """
    steps = ("[]" if isinstance(step, int) else f".{step}" for step in place)
    return "".join(steps).removeprefix(".")


def value_of(case: PlantedCase) -> str:
    """Return the planted value as one line of JSON, with its origin."""
    values = [value for _, value in values_at_path(case) if value != case.get("original")]
    arguments = case["mutated_call"].get("arguments")
    planted = values[0] if len(values) == 1 else values or arguments
    text = escaped(json.dumps(planted), limit=_SHOWN)
    notes = [f"{key} {case[key]}" for key in ("taken_from", "first") if key in case]
    return f"{text} ({'; '.join(notes)})" if notes else text


RUNS = "runs.jsonl.gz"
TOOLSETS = "toolsets.json"
MUTATIONS = "mutations.jsonl.gz"
MOST = 200_000
"""Maximum number of cases in one file: they are held in memory together, with their arguments."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Planted cases by the id of their run; picklable."""

    by_run: Mapping[str, Sequence[PlantedCase]]

    def of(self, run_id: str) -> Sequence[PlantedCase]:
        """Return the cases of one run."""
        return self.by_run.get(run_id, ())

    @property
    def count(self) -> int:
        """The number of cases."""
        return sum(map(len, self.by_run.values()))


def read_cases(path: str, *, on_bad_line: Callable[[BadLine], object]) -> Cases:
    """
    Read a file of planted cases; invalid lines are skipped.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: The file has more than 200,000 cases.
    """
    by_run: dict[str, list[PlantedCase]] = {}
    for count, case in enumerate(_read_lines(path, on_bad_line)):
        if count >= MOST:
            # an error, as the first cases alone would be a biased sample
            raise ValueError(f"{path}: it holds more than {MOST:,} cases; give fewer")
        by_run.setdefault(case["run_id"], []).append(case)
    return Cases(by_run)


def _read_lines(path: str, on_bad_line: Callable[[BadLine], object]) -> Iterator[PlantedCase]:
    for line in lines(path):
        if isinstance(line, BadLine):
            on_bad_line(line)
            continue
        number, data = line
        try:
            yield read_case(_object(data))
        except ValueError as error:
            on_bad_line(BadLine(path, number, escaped(str(error), limit=300)))


def _object(data: bytes) -> object:
    try:
        return json.loads(data.decode())
    except (ValueError, RecursionError):  # nested too deeply for Python's parser
        raise ValueError("the line is not JSON") from None


_ARGUMENT_LAYERS = frozenset({"phantom_target", "parameter_mismatch"})
"""Layers whose findings locate an argument; those of contradictions locate an entity."""


def pointing_at(
    case: PlantedCase, findings: Iterable[Finding], *, usual: Collection[object] = ()
) -> list[Finding]:
    """
    Return the expected layer's findings that weigh, at the planted argument.

    Args:
        case: The planted case.
        findings: The findings of its decision.
        usual: The gists of the findings on the recorded call, which are not about the fault.
    """
    layer = layer_of(case)
    weighing = [f for f in findings if f.check == layer and f.weighs and gist(f) not in usual]
    if "path" not in case or layer not in _ARGUMENT_LAYERS:
        return weighing  # contradictions locate an entity, so the place is not compared
    places = {"/arguments" + pointer(place) for place, _ in values_at_path(case)}
    return [finding for finding in weighing if finding.where in places]


def explain_miss(case: PlantedCase, decision: Decision, *, usual: Collection[object]) -> str:
    """
    Return the reason for a missing finding of the expected layer, as far as the decision shows it.
    """
    layer = layer_of(case)
    coverage = decision.coverage.get(layer)
    if coverage is None or coverage.outcome is not Outcome.RAN:
        return "not asked" if coverage is None else f"{coverage.outcome}: {coverage.reason}"
    for finding in decision.findings:
        if finding.check == layer and gist(finding) in usual:
            return "the recorded call is flagged in the same way"
        if finding.check == layer:
            weak = "" if finding.counted else f", strength {finding.strength} does not count"
            return f"points at {finding.where}{weak}"
    others = sorted({finding.check for finding in decision.findings if finding.counted})
    return f"no finding; {', '.join(others)} had one" if others else "ran, no finding"


def gist(finding: Finding) -> object:
    """Return the part of a finding that is equal for findings about the same thing."""
    return finding.check, finding.code, finding.where, str(finding.got)


def before_call(run: Run, index: int, *, after: bool) -> list[Event]:
    """
    Return the events before the call at *index*; with *after*, up to and including its result.

    Raises:
        ValueError: The run does not have this call.
    """
    events: list[Event] = []
    count = 0
    for event in turns(run.events):
        if not isinstance(event, Turn):
            events.append(event)
            continue
        for proposed, result in zip(event.proposals, event.results, strict=True):
            if count == index and not after:
                return events  # the planted call takes the place of this one
            events += [proposed] if result is None else [proposed, result]
            if count == index:
                return events
            count += 1
        events += event.rest
    raise ValueError(f"run {run.run_id} has {count} calls; call {index} does not exist")


def with_call(run: Run, events: Sequence[Event], call: Mapping[str, Any]) -> Run:
    """Return *run* with *call* as the next call after *events*, outside any session."""
    proposed = Proposed((ToolCall(call["name"], call.get("arguments"), "planted"),))
    # outside any session, so that a case changes no later run
    return replace(run, events=(*events, proposed), session_id=None)


_DIGITS = 10  # an index of ten digits and more is no index; `int` of thousands of digits raises


def set_aside(run: Run) -> frozenset[int]:
    """
    Return the indexes of the calls that the run's labels exclude.

    ``failed_calls`` lists calls that the tool refused; ``unfounded`` maps indexes of calls that a
    reader judged wrong to the reason.
    """
    return frozenset(
        [*_indices(run.labels.get("failed_calls")), *_indices(run.labels.get("unfounded"))]
    )


def _indices(labels: Any) -> Iterator[int]:
    for label in labels if isinstance(labels, (list, dict)) else ():
        if type(label) is int:  # JSON objects have texts as keys
            yield label
        elif (
            isinstance(label, str)
            and label.isascii()
            and label.isdecimal()
            and len(label) < _DIGITS
        ):
            yield int(label)


__getattr__ = old_names(__name__, {"why_not": "explain_miss"})
