"""`abs-shield demo`: a scripted agent in the terminal; no key, no network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from abs_shield.cli.console import STYLES, line, open_console, safe
from abs_shield.cli.demo.demo_policy import POLICY
from abs_shield.cli.heat_table import LEGEND, heat_table
from abs_shield.core import Decision, ToolCall
from abs_shield.replay import Judged, heatmap, replay
from abs_shield.shield import Shield


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerExample:
    """
    An example of a call that one layer catches.

    Attributes:
        user: The user's message.
        before: Earlier calls that ran, each with its result.
        call: The call that the agent proposes.
    """

    user: str
    call: ToolCall
    before: tuple[tuple[ToolCall, Any], ...] = ()

    def judge(self, firewall: Shield) -> Decision:
        """Judge the call in a session of its own."""
        session = firewall.session()
        session.user(self.user)
        for call, value in self.before:
            firewall.check_call(call, session=session)
            firewall.check_result(call, value, elapsed_ms=1.0, session=session)
        return firewall.check_call(self.call, session=session)


LAYER_EXAMPLES: Mapping[str, LayerExample] = MappingProxyType(
    {
        "phantom_tool": LayerExample(
            user="Please empty the table of old orders.",
            call=ToolCall("delete_database", {"table": "old_orders"}),
        ),
        "phantom_target": LayerExample(
            user="Please refund tx_12345, the jacket did not fit.",
            call=ToolCall("refund", {"transaction_id": "tx_99999"}),
        ),
        "parameter_mismatch": LayerExample(
            user="The parcel of order o_17 should have come yesterday; book it again.",
            call=ToolCall("book_delivery", {"order_id": "o_17", "date": "yesterday"}),
        ),
        "self_contradiction": LayerExample(
            user="Set up an account with number 1.",
            before=((ToolCall("create_user", {"id": 1}, "call_1"), {"id": 1}),),
            call=ToolCall("delete_user", {"id": 1}, "call_2"),
        ),
        "impossible_state": LayerExample(
            user="Take 500 back from account a_7.",
            call=ToolCall("transfer", {"account": "a_7", "amount": -500}),
        ),
        "confidence_drop": LayerExample(
            user="Do something about tx_12345.",
            call=ToolCall("refund", {"transaction_id": "tx_12345"}, logprobs=[-0.4, -2.3]),
        ),
    }
)
"""Examples by layer; a test compares the names with the layers."""


USER = "Book the delivery of order o_17 for the fifth of March 2026."
_FIRST = ToolCall("book_delivry", {"order_id": "o_17", "date": "5 March"})
_CORRECTIONS = {"/arguments/date": "2026-03-05"}
_MOST_ATTEMPTS = 5  # it needs fewer; a change of the feedback must not make the demo endless


def attempts(firewall: Shield) -> Iterator[tuple[ToolCall, Decision]]:
    """Yield each call that the agent tries, up to the one that runs."""
    session = firewall.session()
    session.user(USER)
    call = _FIRST
    for _ in range(_MOST_ATTEMPTS):
        decision = firewall.check_call(call, session=session)
        yield call, decision
        if not decision.blocked:
            return
        for problem in decision.feedback()["problems"]:
            call = _correct(call, problem)


def _correct(call: ToolCall, problem: Mapping[str, Any]) -> ToolCall:
    if problem["field"] == "/name" and problem["nearest"]:
        return replace(call, name=problem["nearest"])
    correction = _CORRECTIONS.get(problem["field"])
    if correction is None:
        return call
    return replace(
        call, arguments={**call.arguments, problem["field"].rpartition("/")[2]: correction}
    )


app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(epilog="Example: abs-shield demo")
def demo() -> None:
    """Watch a scripted agent hallucinate, be stopped, and correct itself. Needs no key."""
    console = open_console()
    firewall = Shield(POLICY)
    _title(console, "1. Six layers, each with its own mistake")
    for number, layer in enumerate(LAYER_EXAMPLES, 1):
        for text in _example(number, layer, firewall):
            console.print_line(text)
    _title(console, "2. An agent that reads the feedback")
    for text in _corrections(firewall):
        console.print_line(text)
    _title(console, "3. A recorded run in audit mode: nothing is stopped, everything is counted")
    _heatmap(console)


def _title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, style="bold"))


def _example(number: int, layer: str, firewall: Shield) -> Iterator[Text]:
    yield line("\n  ", Text(layer, style="bold"), f" ({number} of {len(LAYER_EXAMPLES)})")
    example = LAYER_EXAMPLES[layer]
    yield line("    user    ", safe(example.user))
    for call, _ in example.before:
        yield line("    agent   ", _call_text(call), "  ran")
    yield from _attempt(example.call, example.judge(firewall))


def _corrections(firewall: Shield) -> Iterator[Text]:
    yield line("    user    ", safe(USER))
    for call, decision in attempts(firewall):
        yield from _attempt(call, decision)


def _attempt(call: ToolCall, decision: Decision) -> Iterator[Text]:
    yield line("    agent   ", _call_text(call))
    outcome = "blocked, did not run" if decision.blocked else "runs"
    outcome = "flagged, runs" if decision.action == "flag" and not decision.blocked else outcome
    yield line(
        "    shield  ", safe(decision.verdict, style=STYLES[decision.verdict]), f": {outcome}"
    )
    for problem in decision.feedback()["problems"]:
        feedback = {"code": problem["code"], "field": problem["field"], "hint": problem["hint"]}
        yield line("    model   ", safe(json.dumps(feedback), style="italic"))


def _call_text(call: ToolCall) -> Text:
    return safe(f"{call.name}({json.dumps(call.arguments)})")


def _heatmap(console: Console) -> None:
    judged = replay_demo_run()
    blocked = sum(one.decision.would_block for one in judged)
    layers = POLICY.layer_names
    for part in heat_table(heatmap(judged, layers), layers, width=console.width):
        console.print(part)
    console.print(Text(LEGEND))
    console.print(f"{len(judged)} calls; strict mode would have blocked {blocked} of them.")
    console.print("Next: abs-shield check --help, abs-shield replay --help")


def replay_demo_run() -> list[Judged]:
    """Judge the recorded run that ships with the demo."""
    with as_file(files("abs_shield.cli.demo") / "run.jsonl") as path:
        return list(replay([path], policy=POLICY))
