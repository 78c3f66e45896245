"""Runs a Shield whose metrics Prometheus scrapes; each line of input starts a round of work."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from opentelemetry import metrics
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import start_http_server

from abs_shield import CallBlocked, Shield, ShieldError, Target, rule, shield, shielded
from abs_shield.core.label import Label, Truth
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline, Stage
from abs_shield.stores import SqliteStore
from abs_shield.telemetry import Otel

CARD = "Her card is 4111 1111 1111 1111."


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is small; the rule fails on 13."""
    if amount == 13:
        raise LookupError("no limit is known")
    return amount <= 500


policy = shield.configure(
    mode="strict",
    on_suspicious="block",
    rules=[refund_is_small],
    modes={"phantom_target": "audit"},
)
store = SqliteStore(Path(sys.argv[1]) / "decisions.db")
firewall = Shield(policy, store=store, hooks=[Otel()])


@shielded(firewall)
def refund(transaction_id: Annotated[str, Target()], amount: float) -> dict[str, Any]:
    """Refund a transaction."""
    return {"refunded": amount}


def converse(number: int) -> None:
    """Make calls that are right, blocked, flagged, unknown, and one on which a rule fails."""
    with firewall.session(f"s-{number}", agent="clerk") as session:
        session.user("Refund tx_12345 please, it was 20.")
        for sent, amount in (
            ("tx_12345", 20.0),
            ("tx_12345", 600.0),
            ("tx_99999", 20.0),
            ("tx_12345", 13.0),
        ):
            with suppress(CallBlocked):
                refund(sent, amount)
        with suppress(ShieldError):
            firewall.dispatch("refnud", {"id": "tx_12345"})


class Writer:
    """An agent whose outputs pass at first, and become worse."""

    def __init__(self) -> None:
        config = QualityConfig(sample_rate=1, judge=self.judge, background=False)
        self.pipeline = QualityPipeline(config, shield=firewall)
        own = Stage("terms", broken)
        self.failing = QualityPipeline(QualityConfig(own_stages=(own,)), shield=firewall)
        self.score = 80

    def judge(self, messages: Any, schema: Any) -> dict[str, Any]:
        """Approve everything."""
        parts = dict.fromkeys(("readability", "completeness", "tone"), self.score)
        return {"approved": True, "reason": "", **parts}

    def write(self) -> None:
        """Write outputs that pass, one that is held back, and one on which a stage fails."""
        for n in range(40):
            text = f"Part {n} is ready."
            self.pipeline.run(AgentOutput(text=text, agent_id="writer", model="m-1"))
        self.score = 5
        held = self.pipeline.run(AgentOutput(text=CARD))
        self.failing.run(AgentOutput(text="It is done."))
        store.flush()
        store.label(Label(decision_id=held.decision_id, truth=Truth.OK, at=1.0))


def broken(output: AgentOutput, config: QualityConfig) -> Any:
    """A stage of the service's own, which fails on every output."""
    raise LookupError("the table of terms is gone")


def main() -> None:
    """Serve the metrics, and run one round of work for each line of input."""
    metrics.set_meter_provider(MeterProvider([PrometheusMetricReader()]))
    server, _ = start_http_server(0, addr="127.0.0.1")
    writer = Writer()
    converse(0)
    writer.write()
    # a rate of labels is read once a minute: the first scrape has to find some
    print(server.server_port, flush=True)
    for number, _ in enumerate(sys.stdin, start=1):
        converse(number)
        writer.write()
        print("done", flush=True)


if __name__ == "__main__":
    main()
