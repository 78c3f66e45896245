"""A hostile case as a call of a decorated tool, and as a replayed run file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from abs_shield import Decision, Policy, Shield, ShieldError, shield, shielded
from abs_shield.core.tool_shapes import ToolShape
from abs_shield.policy import tool_of
from abs_shield.replay import BadLine, Judged, replay
from tests.hostile.cases import Case

SAID = "Please act on tx_12345 for Ann."


class Outcome(NamedTuple):
    """The outcome of a call: its decision, the arguments that ran, and the error."""

    decision: Decision
    ran: list[dict[str, Any]]
    error: ShieldError | None


def policy_of(case: Case, mode: str) -> Policy:
    return shield.configure(mode=mode, **case.declared)


def call(case: Case, arguments: Any, *, mode: str) -> Outcome:
    """Call the decorated tool, or dispatch it by name if the arguments are no dict."""
    firewall = Shield(policy_of(case, mode), hooks=None)
    ran: list[dict[str, Any]] = []

    def act(**given: Any) -> str:
        """Act."""
        ran.append(given)
        return "done"

    tool = shielded(firewall)(act)
    firewall.register(tool_of(ToolShape(name="act", parameters=case.parameters)), tolerant=True)
    error = None
    with firewall.session() as session:
        session.user(SAID)
        try:
            if isinstance(arguments, dict):
                tool(**arguments)
            else:
                firewall.dispatch("act", arguments)
        except ShieldError as raised:
            error = raised
        (decision,) = session.decisions
    return Outcome(decision, ran, error)


def record(case: Case) -> dict[str, Any]:
    """Return a run in which the model proposes the call of the case."""
    arguments = (case.in_file or case.arguments)()
    return {
        "run_id": "hostile",
        "tools": [{"name": "act", "parameters": case.parameters}],
        "messages": [
            {"role": "user", "content": SAID},
            {"role": "assistant", "tool_calls": [
                {"id": "c1", "function": {"name": "act", "arguments": arguments}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
        ],
    }  # fmt: skip


def written(path: Path, *records: Any) -> Path:
    """Write a run file; also records that are too deeply nested for `json`."""
    path.write_text("".join(_line(each) + "\n" for each in records), encoding="utf-8")
    return path


def replayed(case: Case, path: Path) -> tuple[list[Judged], list[BadLine]]:
    """Replay the run of a case; return the decisions and the bad lines."""
    bad: list[BadLine] = []
    file = written(path / "runs.jsonl", record(case))
    return list(replay([file], policy=policy_of(case, "strict"), on_bad_line=bad.append)), bad


def _line(value: Any) -> str:
    """Return *value* as JSON, whatever its depth."""
    try:
        return json.dumps(value)
    except RecursionError:
        plain = json.dumps({**value, "messages": []})
        inside = [
            _deep(m["tool_calls"][0]["function"]["arguments"])
            for m in value["messages"]
            if "tool_calls" in m
        ]
        call = f'[{{"id": "c1", "function": {{"name": "act", "arguments": {inside[0]}}}}}]'
        state = f'[{{"role": "assistant", "tool_calls": {call}}}]'
        return plain.replace('"messages": []', f'"messages": {state}')


def _deep(value: Any) -> str:
    opening = ""
    while isinstance(value, dict):
        ((key, value),) = value.items()
        opening += f"{{{json.dumps(key)}:"
    return opening + json.dumps(value) + "}" * opening.count("{")
