"""Regression cases for this package's checks, as a test file or a run file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pprint import pformat
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.flywheel.mutate.training_example import TrainingExample
from abs_shield.policy import configure
from abs_shield.quality.facts import Fact, FactTable, check_facts
from abs_shield.shield import Shield

_HEAD = '''"""Regression cases of the gap {gap}: what was caught, and what is right."""

from __future__ import annotations

import pytest
'''
_FACTS = '''
from abs_shield.quality.facts import Fact, FactTable, check_facts

CASES = {cases}


@pytest.mark.parametrize(("fact", "right", "wrong"), CASES)
def test_the_wrong_value_is_found(fact, right, wrong):
    """The value that was caught is a mismatch; the right one is none."""
    table = FactTable([Fact(**fact)])

    assert [] == [*check_facts(right, table).findings]
    assert 1 == len(check_facts(wrong, table).findings)
'''
_CALLS = '''
from abs_shield import Shield, shield

CALLS = {cases}


@pytest.mark.parametrize(("tools", "messages", "right", "wrong"), CALLS)
def test_the_wrong_call_is_found(tools, messages, right, wrong):
    """The call that was caught has a finding; the right one is clean."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    for tool in tools:
        firewall.register(tool)
    with firewall.session(messages=messages) as session:
        assert "CLEAN" == firewall.check_call(right, session=session).verdict
        assert "CLEAN" != firewall.check_call(wrong, session=session).verdict
'''


def pytest_file(examples: Iterable[TrainingExample]) -> str:
    """
    Return a test file: the checks flag the wrong answer of each example, and pass the right one.

    Raises:
        ShieldError: The checks distinguish the answers of no example.
    """
    facts, calls = _cases(examples)
    gap = re.sub(r"[^\w-]", "", next(iter([*facts, *calls])).gap)  # it stands in a docstring
    parts = [_HEAD.format(gap=gap)]
    if facts:
        statements = [(one.context["fact"], *_statements(one)) for one in facts]
        parts.append(_FACTS.format(cases=pformat(statements, width=96, sort_dicts=False)))
    if calls:
        rows = [*map(_call_case, calls)]
        parts.append(_CALLS.format(cases=pformat(rows, width=96, sort_dicts=False)))
    return "".join(parts)


def run_file(examples: Iterable[TrainingExample]) -> str:
    """
    Return a run file with two runs per example: the wrong answer or call, and the right one.

    ``abs-shield replay`` evaluates the calls, ``abs-shield quality`` the outputs with their facts;
    ``labels.success`` is true for the right one.

    Raises:
        ShieldError: The checks distinguish the answers of no example.
    """
    facts, calls = _cases(examples)
    runs = [run for place, one in enumerate(facts) for run in _output_runs(one, place)]
    runs += [run for place, one in enumerate(calls, len(facts)) for run in _call_runs(one, place)]
    return "".join(f"{json.dumps(run)}\n" for run in runs)


def _cases(
    examples: Iterable[TrainingExample],
) -> tuple[list[TrainingExample], list[TrainingExample]]:
    """Return the examples whose answers the checks distinguish: those of facts, and of calls."""
    # each is tried here: a test that fails from the start would be deleted, not read
    with_wrong = [one for one in examples if one.rejected]
    facts = [one for one in with_wrong if one.kind == "fact" and _distinguishes_fact(one)]
    calls = [one for one in with_wrong if one.kind in ("name", "copy") and _distinguishes_call(one)]
    if not facts and not calls:
        hint = "make examples with `mutate`, from facts, names or values to copy"
        raise ShieldError(f"export: no check tells a right answer from a wrong one; {hint}")
    return _once(facts, "fact"), calls


def _once(examples: Sequence[TrainingExample], key: str) -> list[TrainingExample]:
    """Return one example per context."""
    return [*{json.dumps(one.context[key], default=str): one for one in examples}.values()]


def _statements(example: TrainingExample) -> tuple[str, str]:
    """Return the right and the wrong value, each in a sentence with subject and attribute."""
    fact = example.context["fact"]
    period = f"In {fact['period']}, " if fact["period"] else ""
    stem = f"{period}{fact['subject']}'s {fact['attribute']} was "
    right = str(fact["value"])
    return f"{stem}{right}.", f"{stem}{_wrong_value(example, right)}."


def _wrong_value(example: TrainingExample, right: str) -> str:
    """Return the part of the wrong answer that corresponds to the right value."""
    before, _, behind = example.answer.partition(right)
    return example.rejected.removeprefix(before).removesuffix(behind)


def _distinguishes_fact(example: TrainingExample) -> bool:
    table = FactTable([Fact(**example.context["fact"])])
    right, wrong = (check_facts(text, table).findings for text in _statements(example))
    return not right and len(wrong) == 1


def _distinguishes_call(example: TrainingExample) -> bool:
    tools, messages, right, wrong = _call_case(example)
    firewall = Shield(configure(mode="strict"), hooks=None)
    for tool in tools:
        firewall.register(tool)
    with firewall.session(messages=messages) as session:
        clean = firewall.check_call(right, session=session).verdict == "CLEAN"
        return clean and firewall.check_call(wrong, session=session).verdict != "CLEAN"


def _call_case(example: TrainingExample) -> tuple[list[Any], list[Any], Any, Any]:
    """Return tools, messages, the right call and the wrong one."""
    messages = [{"role": "user", "content": _user_text(example)}]
    context = example.context
    if example.kind == "name":
        tools = [_tool(name, {}) for name in context["tools"]]
        right, wrong = ({"name": context[key], "arguments": {}} for key in ("right", "wrong"))
        return tools, messages, right, wrong
    field, tool = context["field"], context["tool"]
    schema = {field: {"type": "string"}}
    calls = [{"name": tool, "arguments": {field: context[key]}} for key in ("value", "wrong")]
    return [_tool(tool, schema)], messages, calls[0], calls[1]


def _user_text(example: TrainingExample) -> str:
    """Return the user message, without the wrong value, which would count as mentioned."""
    if example.kind == "copy":
        return f"Please use {example.context['value']}."
    return example.prompt


def _tool(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    return {"name": name, "description": name.replace("_", " "), "parameters": parameters}


def _output_runs(example: TrainingExample, place: int) -> Iterable[dict[str, Any]]:
    for text, success in zip(_statements(example), (True, False), strict=True):
        name = f"{example.gap}-{place}-{'right' if success else 'wrong'}"
        messages = [
            {"role": "user", "content": example.prompt},
            {"role": "assistant", "content": text},
        ]
        outputs = [{"id": name, "text": text, "facts": [example.context["fact"]]}]
        yield {
            "run_id": name,
            "session_id": name,
            "tools": [],
            "messages": messages,
            "outputs": outputs,
            "labels": {"success": success, "gap": example.gap},
        }


def _call_runs(example: TrainingExample, place: int) -> Iterable[dict[str, Any]]:
    tools, messages, *calls = _call_case(example)
    for call, success in zip(calls, (True, False), strict=True):
        name = f"{example.gap}-{place}-{'right' if success else 'wrong'}"
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        proposed = {"id": "c1", "type": "function", "function": function}
        yield {
            "run_id": name,
            "session_id": name,
            "tools": [{"type": "function", "function": tool} for tool in tools],
            "messages": [
                *messages,
                {"role": "assistant", "content": None, "tool_calls": [proposed]},
            ],
            "labels": {"success": success, "gap": example.gap},
        }
