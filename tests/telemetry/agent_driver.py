"""An agent's process in audit mode: every text that a model could write contains a canary."""

from __future__ import annotations

import asyncio
import json
import logging
import logging.config
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Annotated, Any

import structlog
from opentelemetry import trace
from pydantic import BaseModel, Field

from abs_shield import (
    CallBlocked,
    Decision,
    Shield,
    ShieldError,
    Target,
    Tool,
    ToolProfile,
    rule,
    shield,
    shielded,
)
from abs_shield.telemetry import setup
from tests.telemetry.canaries import CANARY, INVENTED

said: list[Decision] = []
"""What was decided, for the test to compare with what arrived."""


class Line(BaseModel):
    """An ordered item, and its quantity."""

    sku: str
    amount: int = Field(gt=0)


@rule(tool="refund")
def refund_is_known(amount: float, transaction_id: str) -> bool | str:
    """A refund is small, and of a transaction that can be looked up."""
    if amount == 13:
        raise LookupError(f"{CANARY}-raised: {transaction_id}")
    return amount <= 500 or f"{CANARY}-said is too much"


policy = shield.configure(
    mode="audit",
    on_suspicious="approve",
    rules=[refund_is_known],
    modes={"wire": "strict"},
    tools=[
        Tool(name="search", description="Whatever the server takes."),
        Tool(name="upload"),
        Tool(
            name="gauge",
            profile=ToolProfile(required_fields=["pressure"], has_network_io=False),
        ),
    ],
)
answers = {"call-granted": True, "call-denied": False}
firewall = Shield(
    policy, hooks=[said.append], approver=lambda decision: answers.get(decision.call_id or "")
)


@shielded(firewall)
def refund(transaction_id: Annotated[str, Target()], amount: Annotated[float, Field(gt=0)]) -> str:
    """Refund a transaction."""
    if amount == 99:
        raise RuntimeError(f"{CANARY}-error of {transaction_id}")
    return f"{CANARY}-result for {transaction_id}"


@shielded(firewall)
def order(lines: dict[str, Line], note: str = "") -> dict[str, str]:
    """Order by shop: the model chooses the keys."""
    return {f"{CANARY}-key": f"{CANARY}-value"}


@shielded(firewall)
async def wire(account_id: Annotated[str, Target()], amount: float) -> str:
    """Wire money."""
    return f"{CANARY}-wired"


@shielded(firewall)
def pages(query: str) -> Iterator[str]:
    """Yield page after page."""
    yield f"{CANARY}-page"


@shielded(firewall)
def label(**labels: str) -> None:
    """Attach labels under names of the model's choice."""


@firewall.register
def search(**anything: Any) -> str:
    """Search."""
    return f"{CANARY}-found"


readings = [
    {f"{CANARY}level": 5.0, "pressure": 2.0},
    {f"{CANARY}level": 5.0, "pressure": 2.0},
    {f"{CANARY}level": -5.0, "pressure": 2.0},
    {f"{CANARY}level": 5.0},
]


@shielded(firewall)
def gauge(name: str) -> dict[str, float]:
    """Read a gauge."""
    return readings.pop(0)


def run_conversation() -> None:
    """Run one conversation in which nearly every kind of call goes wrong."""
    with firewall.session("s-1", agent="clerk") as session:
        session.system(f"You are {CANARY}-system.")
        session.user(f"Refund tx_12345 of {CANARY}-user please.")
        refund("tx_12345", 20.0)
        refund("tx_12345", 600.0)
        refund("tx_12345", 13.0)
        refund(f"tx_{CANARY}-99999", 20.0)
        call_ignoring_errors(refund, "tx_12345", 99.0)
        call_ignoring_errors(refund, f"{CANARY}-string", f"{CANARY}-amount")
        call_ignoring_errors(refund, "tx_12345", 20.0, **{f"{CANARY}_argument": f"{CANARY}-ghost"})
        order({f"{CANARY}key": {"sku": f"sku_{CANARY}-1", "amount": -4}}, note=f"{CANARY}-note")  # type: ignore[dict-item]
        order({f"{CANARY}-shop": {"sku": "a", "amount": 0, f"{CANARY}more": 1}})  # type: ignore[dict-item]
        label(**{f"{CANARY}_id": f"ord_{CANARY}-4711"})
        list(pages(f"{CANARY}-query"))
        for _ in range(4):
            gauge(f"{CANARY}-gauge")
        dispatch_ignoring_errors(f"{INVENTED}_refund\n\x1b[31m", {"id": f"{CANARY}-id"})
        dispatch_ignoring_errors(
            f"{INVENTED}_" + "x" * 64 + CANARY, {f"{CANARY}": {f"{CANARY}": [CANARY]}}
        )
        dispatch_ignoring_errors("search", {f"{CANARY}_order_id": f"ord_{CANARY}-17"})
        dispatch_ignoring_errors("refund", f'{{"transaction_id": "{CANARY}-unclosed')
        propose_turn(session)


def propose_turn(session: Any) -> None:
    """Inspect a turn of three calls and dispatch one of them."""
    firewall.inspect_turn(
        [
            {"id": "call-1", "name": "refund", "arguments": f'{{"amount": "{CANARY}-1"}}'},
            {"id": "call-2", "name": f"{INVENTED}_other", "arguments": {"to": f"{CANARY}-to"}},
            {"id": "call-3", "name": "search", "arguments": {"q": "tx_12345"}},
        ],
        session=session,
    )
    firewall.dispatch("search", {"q": "tx_12345"}, call_id="call-3")


async def run_strict_tool() -> None:
    """Call a tool in strict mode: one call is approved, the others are blocked."""
    async with firewall.session("s-2") as session:
        session.user("Wire 20 to acc_12345.")
        await wire("acc_12345", 20.0)
        for call_id in ("call-granted", "call-denied", "call-waiting"):
            arguments = {"account_id": f"acc_{CANARY}-1", "amount": 20.0}
            with suppress(CallBlocked):
                await firewall.adispatch("wire", arguments, call_id=call_id)


def run_in_framework_span() -> None:
    """Call a tool inside a framework's span of the execution."""
    tracer = trace.get_tracer("framework")
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund"}
    with firewall.session("s-3") as session:
        session.user("Refund tx_12345.")
        for sent in ("tx_12345", f"tx_{CANARY}-2"):
            with tracer.start_as_current_span("execute_tool refund", attributes=attributes):
                refund(sent, 20.0)


def run_threads() -> None:
    """Run threads, each with its own session and with tool names that do not exist."""

    def work(number: int) -> None:
        with firewall.session(f"t-{number}") as session:
            session.user("Refund tx_12345.")
            for i in range(50):
                refund("tx_12345", 1.0 + i)
                dispatch_ignoring_errors(f"{INVENTED}_{number}_{i}", {"at": f"{CANARY}-{i}"})

    threads = [Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def call_ignoring_errors(tool: Any, *args: Any, **kwargs: Any) -> None:
    """Call a tool and ignore its error, which audit mode passes on."""
    with suppress(RuntimeError, TypeError):
        tool(*args, **kwargs)


def dispatch_ignoring_errors(name: str, arguments: Any) -> None:
    """Dispatch a call by name and ignore the error of an unknown name or wrong arguments."""
    with suppress(ShieldError, TypeError):
        firewall.dispatch(name, arguments)


def configure_host(lines: str) -> Any:
    """Configure structlog and logging as a host would; return the configuration."""
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.processors.KeyValueRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"bare": {"format": "%(message)s"}},
            "handlers": {
                "file": {"class": "logging.FileHandler", "filename": lines, "formatter": "bare"}
            },
            "loggers": {"abs_shield": {"level": "INFO", "handlers": ["file"], "propagate": False}},
            "root": {"level": "WARNING", "handlers": []},
        }
    )
    return configuration()


def configuration() -> Any:
    """Return all parts of the logging configuration that a library could change."""
    loggers = [logging.getLogger(name) for name in ("", "abs_shield", "opentelemetry")]
    return (
        structlog.get_config(),
        [(log.level, [*log.handlers], [*log.filters], log.propagate) for log in loggers],
        (logging.getLoggerClass(), logging.getLogRecordFactory(), logging.root.manager.disable),
    )


def summarise(decision: Decision) -> dict[str, Any]:
    """Return the fields of a decision that a test compares, without text of the model."""
    record = decision.to_dict()
    kept = ("id", "subject", "verdict", "action", "mode", "blocked", "would_block", "approval")
    findings = [
        {key: f[key] for key in ("check", "code", "verdict", "counted", "suppressed")}
        for f in record["findings"]
    ]
    return {key: record[key] for key in (*kept, "session_id", "call_id", "attempts_left")} | {
        "tool": decision.tool if decision.tool in firewall.registry else "_unregistered",
        "findings": findings,
        "coverage": {name: entry.outcome.value for name, entry in decision.coverage.items()},
        "errors": len(decision.errors),
    }


def main() -> None:
    """Run all cases, and write decisions and log lines to the folder of the argument."""
    folder = Path(sys.argv[1])
    before = configure_host(str(folder / "lines.jsonl"))
    telemetry = setup()
    run_conversation()
    asyncio.run(run_strict_tool())
    run_in_framework_span()
    run_threads()
    untouched = before == configuration()
    (folder / "said.json").write_text(
        json.dumps(
            {
                "decisions": [summarise(decision) for decision in said],
                "untouched": untouched,
                "in_time": telemetry.shutdown(timeout_s=30),
            }
        )
    )


if __name__ == "__main__":
    main()
