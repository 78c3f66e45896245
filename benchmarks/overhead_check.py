"""Cost of a clean check beyond one validation: ``python benchmarks/overhead_check.py``."""

from __future__ import annotations

import gc
import json
import logging
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter_ns, process_time_ns
from typing import Any
from unittest.mock import patch

import jsonschema
from command_line import announce, command_parser, report_progress
from overhead_talk import ARGUMENTS, ONE, ONE_SCHEMA, SCHEMA, talk

from abs_shield import Session, Shield, Tool, ToolCall, Verdict, inverse, rule, shield, shielded
from abs_shield.core import LAYER_NAMES, Finding
from abs_shield.plan import Proposal
from abs_shield.schema import compile_schema

LOGPROBS = [-0.01, -0.02, -0.05]
ALONE = {"no layer": [], **{layer: [layer] for layer in LAYER_NAMES}}
ALONE["impossible_state"] = ["parameter_mismatch", "impossible_state"]
"""Layers that are timed by themselves; rules are asked of arguments that match the schema alone."""
ENGINES = {"default": "pydantic-core", "without prefilter": "jsonschema"}
SECONDS, QUICK_SECONDS = 1.5, 0.3
"""For each way."""
_BATCH_NS = 40_000
"""A sample is about this long: short enough that few are interrupted."""

Way = Callable[[], Any]


@rule(tool=["refund", "look_up"])
def amount_is_above_zero(amount: float) -> bool:
    """A sum is above 0."""
    return amount > 0


@rule(tool=["refund", "look_up"])
def amount_is_small(amount: float) -> bool:
    """A sum is at most 500."""
    return amount <= 500


def firewall(*, engine: str = "default", layers: Iterable[Any] | None = None) -> Shield:
    """Return a Shield of four tools, two rules and a pair, its store and hooks as they come."""
    tools = [
        Tool(name="refund", parameters=SCHEMA),
        Tool(name="charge", parameters=SCHEMA),
        Tool(name="look_up", parameters=SCHEMA, read_only=True),
        Tool(name="get_order", parameters=ONE_SCHEMA),
    ]
    compiling = partial(compile_schema, engine=ENGINES[engine])
    with patch("abs_shield.plan.compile.compile_schema", compiling):
        return Shield(
            shield.configure(
                layers=layers,
                tools=tools,
                rules=[amount_is_above_zero, amount_is_small],
                inverses=[inverse("refund", "charge", same="transaction_id")],
            )
        )


def check(
    guard: Shield, session: Session, *, tool: str = "refund", arguments: Any = ARGUMENTS
) -> Way:
    """Return a clean check, which is sure to be one."""
    call = ToolCall(tool, arguments, None, LOGPROBS)
    decision = guard.check_call(call, session=session)
    assert decision.verdict is Verdict.CLEAN, decision.explain()
    return lambda: guard.check_call(call, session=session)


def own_layer(proposal: Proposal, session: Session) -> Iterable[Finding]:
    """A layer of the user's, which finds nothing."""
    return ()


@contextmanager
def nobody_listening() -> Iterator[None]:
    """Suppress log lines, so that the timed hooks have no consumer."""
    log = logging.getLogger("abs_shield")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


def flagged(guard: Shield, session: Session) -> Way:
    """Return the check of a call with an unmentioned transaction."""
    call = ToolCall("refund", {**ARGUMENTS, "transaction_id": "tx_99999"}, None, LOGPROBS)
    assert guard.check_call(call, session=session).verdict is not Verdict.CLEAN
    return lambda: guard.check_call(call, session=session)


def talked(guard: Shield, messages: int) -> Session:
    """Return a session in which so much was said."""
    session = guard.session()
    talk(session, messages)
    return session


def ways() -> dict[str, Way]:
    """Everything that is timed; the references first."""
    five = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    one = jsonschema.Draft202012Validator(ONE_SCHEMA, format_checker=jsonschema.FormatChecker())
    timed: dict[str, Way] = {
        "validation of five": lambda: five.is_valid(ARGUMENTS),
        "validation of one": lambda: one.is_valid(ONE),
    }
    for engine in ENGINES:
        guard = firewall(engine=engine)
        timed[engine] = check(guard, talked(guard, 100))
    guard = firewall()
    timed["one argument"] = check(guard, talked(guard, 100), tool="get_order", arguments=ONE)
    for name, layers in ALONE.items():
        guard = firewall(layers=layers)
        timed[f"only {name}"] = check(guard, talked(guard, 100))
    for name, more in (("with an opt-in layer", "call_loop"), ("with a user's layer", own_layer)):
        guard = firewall(layers=[*LAYER_NAMES, more])
        timed[name] = check(guard, talked(guard, 100))
    guard = firewall()
    timed["flagged"] = flagged(guard, talked(guard, 100))
    guard = firewall()
    timed["at message 10,000"] = check(guard, talked(guard, 10_000))
    return timed | _many_sessions()


def _many_sessions() -> dict[str, Way]:
    guard = firewall()
    call = ToolCall("refund", ARGUMENTS, None, LOGPROBS)
    sessions = [talked(guard, 10) for _ in range(1_000)]
    for session in sessions:  # a first check reads the conversation; later ones are compared
        guard.check_call(call, session=session)
    chance = random.Random(0)
    chosen = iter(lambda: chance.choice(sessions), None)
    alone = iter(lambda: chance.choice(sessions[:1]), None)
    return {
        "of one session": lambda: guard.check_call(call, session=next(alone)),
        "of 1,000 sessions": lambda: guard.check_call(call, session=next(chosen)),
    }


def sampled(timed: dict[str, Way], *, seconds: float) -> dict[str, float]:
    """p50 in microseconds of processor time of each way, sampled in turn, in random order."""
    calls = {name: _calls(way) for name, way in timed.items()}
    taken: dict[str, list[float]] = {name: [] for name in timed}
    order = [*timed]
    chance = random.Random(1)
    end = perf_counter_ns() + int(seconds * len(timed) * 1e9)
    gc.collect()
    gc.disable()
    passes = iter(lambda: not taken[order[0]] or perf_counter_ns() < end, False)
    for _ in report_progress(passes, doing=f"timing {len(timed)} ways for {seconds:g} s each"):
        chance.shuffle(order)
        for name in order:
            taken[name].append(_sample(timed[name], calls[name]))
    gc.enable()
    return {name: median(us) for name, us in taken.items()}


def _calls(way: Way) -> int:
    for _ in range(50):
        way()
    return max(1, round(_BATCH_NS / 1_000 / median(_sample(way, 1) for _ in range(50))))


def _sample(way: Way, calls: int) -> float:
    started = process_time_ns()
    for _ in range(calls):
        way()
    return (process_time_ns() - started) / calls / 1_000


def decorated(*, seconds: float) -> dict[str, float]:
    """p50 in microseconds until the tool begins and until it is over, beside `check_call`."""
    guard = firewall()
    begun = [0]

    @shielded(guard)
    def look_up(transaction_id: str, amount: float, date: str, customer: str, reason: str) -> str:
        """Look a transaction up."""
        begun[0] = process_time_ns()
        return "it is there"

    session = talked(guard, 100)
    plain = check(guard, session, tool="look_up")
    alone, until, over = [], [], []
    end = perf_counter_ns() + int(seconds * 3e9)
    with session:
        while not alone or perf_counter_ns() < end:
            plain()  # takes in what the call before returned, so that neither way pays for it
            alone.append(_sample(plain, 1))
            started = process_time_ns()
            look_up(**ARGUMENTS)
            over.append((process_time_ns() - started) / 1_000)
            until.append((begun[0] - started) / 1_000)
    return {
        "check_call": median(alone),
        "@shielded until the tool begins": median(until),
        "@shielded with the result taken in": median(over),
    }


def measure(*, seconds: float = SECONDS) -> dict[str, Any]:
    """
    Time every way for about so many seconds.

    Returns:
        p50 in microseconds by way, and the ratios that have a goal.
    """
    announce("filling sessions")
    with nobody_listening():
        us = sampled(ways(), seconds=seconds)
        through = decorated(seconds=seconds)
    five, one = us["validation of five"], us["validation of one"]
    ratios = {engine: us[engine] / five for engine in ENGINES}
    ratios["one argument"] = us["one argument"] / one
    for layer in LAYER_NAMES:
        without = "parameter_mismatch" if layer == "impossible_state" else "no layer"
        ratios[layer] = (us[f"only {layer}"] - us[f"only {without}"]) / five
    ratios["through @shielded, more"] = (
        through["@shielded until the tool begins"] - through["check_call"]
    ) / five
    ratios["whole @shielded call"] = through["@shielded with the result taken in"] / five
    for name in ("with an opt-in layer", "with a user's layer", "flagged"):
        ratios[name] = us[name] / us["default"]
    ratios["message 10,000 over 100"] = us["at message 10,000"] / us["default"]
    ratios["1,000 sessions over one"] = us["of 1,000 sessions"] / us["of one session"]
    return {
        "p50_us": {name: round(taken, 2) for name, taken in (us | through).items()},
        "ratios": {name: round(ratio, 3) for name, ratio in ratios.items()},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    quick = f"{QUICK_SECONDS} seconds for each way"
    parser = command_parser(__doc__, example="overhead_check.py --quick", quick=quick)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each way")
    options = parser.parse_args(arguments)
    seconds = min(options.seconds, QUICK_SECONDS) if options.quick else options.seconds
    print(json.dumps({"quick": options.quick, **measure(seconds=seconds)}, indent=2))


if __name__ == "__main__":
    main()
