"""`abs-shield demo`: a scripted agent in the terminal; no key, no network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import as_file, files

import typer
from rich.console import Console
from rich.text import Text

from abs_shield.cli.console import STYLES, line, open_console, safe
from abs_shield.cli.demo.demo_policy import POLICY
from abs_shield.cli.demo.layer_examples import LAYER_EXAMPLES
from abs_shield.cli.demo.scripted_agent import USER, attempts
from abs_shield.cli.heat_table import LEGEND, heat_table
from abs_shield.core import Decision, ToolCall
from abs_shield.replay import Judged, heatmap, replay
from abs_shield.shield import Shield

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
