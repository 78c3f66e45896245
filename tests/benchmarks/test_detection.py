"""The detection benchmark runs on a few recorded runs, or reports that there are none."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from abs_shield import Shield, ToolCall, shield
from abs_shield.plan.tool_action import parse_action
from tests.processes import run_benchmark, run_python
from tests.requirements import TOOLCALLS, needs_runs

ROOT = Path(__file__).parents[2]


def measure_a_few_runs() -> dict[str, Any]:
    """Return the report on twenty recorded runs."""
    options = ("--data", TOOLCALLS, "--limit", "20", "--format", "json")
    return json.loads(run_benchmark("detection", *options))  # type: ignore[no-any-return]


@pytest.mark.parametrize("held", [None, "runs.jsonl"])
def test_a_named_folder_without_runs_is_a_failure(tmp_path: Path, held: str | None) -> None:
    """A missing folder, and one without runs, given by `--data` are errors."""
    folder = tmp_path / "mine"
    if held is not None:
        folder.mkdir()
        (folder / held).write_text("{}")
    script = ROOT / "benchmarks" / "detection.py"
    done = run_python(script, "--data", folder, check=False)

    assert (1, "") == (done.returncode, done.stdout)
    assert f"{folder}: there is no `runs.jsonl.gz` in it; `abs-shield plant` writes one" in (
        done.stderr
    )


def test_runs_may_contain_their_tools(tmp_path: Path) -> None:
    """A folder needs neither a file of tools nor planted faults."""
    call = {"id": "c1", "name": "cancel_order", "arguments": {"order_id": "w_7732"}}
    run = {
        "run_id": "r1",
        "tools": [{"name": "cancel_order", "parameters": {"properties": {"order_id": {}}}}],
        "messages": [
            {"role": "user", "content": "Please cancel order w_7731 for me."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
        ],
    }
    with gzip.open(tmp_path / "runs.jsonl.gz", "wt") as file:
        file.write(json.dumps(run) + "\n")
    output = run_benchmark("detection", "--data", str(tmp_path), "--policy", "none", "--list")

    assert "w_7732" in output


@pytest.mark.data
@needs_runs
def test_a_few_runs_fill_every_table() -> None:
    """Twenty runs give the tables of both policies."""
    output = measure_a_few_runs()
    titles = [table["title"][:2] for table in output["none"]]

    assert ["1a", "1b", "1c", "2.", "3.", "4a", "4b", "4c", "4d", "5a", "5b", "6."] == titles
    assert titles == [table["title"][:2] for table in output["author"]]


@pytest.mark.data
@needs_runs
def test_planted_faults_are_counted_once() -> None:
    """A kind's sources have as many faults as its domains."""
    output = measure_a_few_runs()
    by_source, by_domain = (table["rows"] for table in output["none"][:2])
    faults = [rate for row in by_source for rate in row.values() if isinstance(rate, dict)]

    assert 0 < sum(rate["total"] for rate in faults)
    assert sum(rate["total"] for rate in faults) == sum(r["rate"]["total"] for r in by_domain)


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module with the rules of the benchmark."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("detection_rules")


def test_every_rule_can_be_switched_off(rules: Any) -> None:
    """Each row names a part of the package, which is as before when the rule is on again."""
    before = {name: _part(rules, rule) for name, rule in rules.RULES.items()}
    off = {}
    for name, rule in rules.RULES.items():
        with rules.without(name):
            off[name] = _part(rules, rule)

    assert [] == [name for name in before if off[name] is before[name]]
    assert before == {name: _part(rules, rule) for name, rule in rules.RULES.items()}


def test_a_rule_that_is_off_finds_nothing(rules: Any) -> None:
    """A placeholder passes without the rule, and is noticed where rules are watched."""
    guard = Shield(shield.configure(layers=["phantom_target"]), hooks=None)
    fired: set[str] = set()

    def finding_codes() -> list[str]:
        with guard.session() as session:
            session.user("Cancel my order, please.")
            call = ToolCall("cancel", {"order_id": "your_order_id"})
            return [finding.code for finding in guard.check_call(call).findings]

    with rules.watched(fired, set()):
        assert ["placeholder"] == finding_codes()
    with rules.without("placeholders"):
        assert ["unseen"] == finding_codes()
    assert "placeholders" in fired
    assert "echoes" not in fired


def test_a_rule_that_is_off_is_off_for_a_name_that_was_read_before(rules: Any) -> None:
    """Results that are cached with all rules are not used without one, and the other way round."""
    assert "delete" == parse_action("userdel").verb
    with rules.without("shell commands"):
        assert "delete" != parse_action("userdel").verb
    assert "delete" == parse_action("userdel").verb


def test_the_tables_that_a_name_needs_are_found(rules: Any) -> None:
    """Tables are found by the names that were read while rules were watched."""
    asked = ("plan.tool_action:parse_action", "turn_off_light")
    with rules.watched(set(), set()):
        parse_action(asked[1])

    assert {asked: {"verbs of two words"}} == rules.tables_that_change({asked})


@pytest.mark.release
@pytest.mark.slow
def test_the_rules_of_detection_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without recorded runs the table counts what changes in those written by hand."""
    monkeypatch.setenv("ABS_SHIELD_DATA", str(tmp_path))
    name = "indirect mention `place_name`"
    table = run_benchmark("detection", "--ablate", name, "--jobs", "1")
    *_, row = table.splitlines()

    assert f"| {name} | +6 (+0) | +0 |" == row


def test_a_planted_fault_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Any
) -> None:
    """A fault, judged immediately and after a result repeats it, is missed without its rule."""
    cancel = {"name": "cancel_order", "parameters": {"type": "object", "properties": {"id": {}}}}
    call = {"id": "call_0", "name": "cancel_order", "arguments": {"id": "77312"}}
    messages = [
        {"role": "user", "content": "Please cancel my order 77312 for me."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "name": "cancel_order", "content": "done"},
    ]
    run = {"run_id": "r1", "source": "own", "toolset": "shop", "messages": messages}
    wrong = {"name": "cancel_order", "arguments": {"id": "99047"}}
    case = {
        "run_id": "r1", "call_index": 0, "op": "replace", "expect": "flag", "path": "id",
        "kind": "phantom_target:unseen_wellformed", "expected_layer": "phantom_target",
        "mutated_call": wrong, "original": "77312",
    }  # fmt: skip
    (tmp_path / "toolsets.json").write_text(json.dumps({"shop": [cancel]}))
    for name, line in (("runs", run), ("mutations", case)):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(json.dumps(line).encode()))

    # the runs that were written by hand, which the test above counts, take ten seconds
    monkeypatch.setattr(importlib.import_module("elsewhere"), "FILES", ())
    ablation = importlib.import_module("detection_ablate").ablation
    table = ablation([tmp_path], names=["words for identifiers"], jobs=1).splitlines()

    assert "| nothing | 0 (0) | 3 |" == table[2]
    assert "| words for identifiers | +0 (+0) | -3 |" == table[-1]


def _part(rules: Any, rule: Any) -> Any:
    if "[" in rule.part:
        return rules.INDIRECT_MENTIONS[rule.part.partition("[")[2].rstrip("]")].holds
    module, _, path = rule.part.partition(":")
    importlib.import_module(f"abs_shield.{module}")
    part = sys.modules[f"abs_shield.{module}"]
    for step in path.split("."):
        part = vars(part)[step]
    return part
