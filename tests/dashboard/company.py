"""Two weeks of decisions of a company's three agents, as in a decision log."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import (
    LAYER_NAMES,
    RAN,
    Action,
    Coverage,
    Decision,
    Finding,
    Mode,
    Outcome,
    Subject,
    Verdict,
)
from abs_shield.core.label import Label, Truth
from abs_shield.core.vocabularies import ANSWER, SIGNAL_NAMES
from abs_shield.stores.durable_store import DurableStore

BEGIN = 1_793_664_000.0
"""2026-11-03, midnight UTC."""
DAY_S = 86_400
DAYS = 14
DRIFT = 11
"""The day from which the agent that books travel, on its newer model, invents more flights."""
_NO_LOGPROBS = Coverage(Outcome.UNAVAILABLE, "the model returned no log-probabilities")
_TIMEOUT = Coverage(Outcome.ERROR, "`is_in_stock` raised TimeoutError in rules.py, line 41")
_TARGET = ("phantom_target", Verdict.SUSPICIOUS, "unseen", 0.97)
_TYPE = ("parameter_mismatch", Verdict.HALLUCINATED, "wrong_type", 1.0)
_MISSING = ("parameter_mismatch", Verdict.HALLUCINATED, "missing_argument", 1.0)
_RULE = ("impossible_state", Verdict.HALLUCINATED, "rule", 1.0)
_REMOVED = ("impossible_state", Verdict.SUSPICIOUS, "removed", 0.87)
_AGAIN = ("self_contradiction", Verdict.SUSPICIOUS, "undone", 0.8)
_UNKNOWN = ("phantom_tool", Verdict.HALLUCINATED, "unknown_tool", 1.0)

Kind = tuple[str, Verdict, str, float]


@dataclass(frozen=True)
class Job:
    """One tool of an agent: its share of the calls, the wrong argument, and the fault rates."""

    tool: str
    weight: int
    argument: str
    rates: dict[Kind, float] = field(default_factory=dict)


AGENTS: dict[str, tuple[tuple[str, ...], list[Job]]] = {
    "support": (("sonnet-5", "gpt-6-mini"), [
        Job("find_order", 30, "order_id", {_TARGET: 0.006}),
        Job("refund_payment", 12, "transaction_id", {_TARGET: 0.021, _RULE: 0.012, _TYPE: 0.004}),
        Job("cancel_order", 5, "order_id", {_AGAIN: 0.02, _REMOVED: 0.009}),
        Job("send_email", 9, "to", {_TARGET: 0.004}),
        Job("reset_password", 2, "account_id", {}),
    ]),
    "travel": (("sonnet-5", "gpt-6-mini"), [
        Job("search_flights", 22, "origin", {_MISSING: 0.003}),
        Job("book_flight", 8, "flight_id", {_TARGET: 0.015, _RULE: 0.006}),
        Job("cancel_booking", 3, "booking_id", {_TARGET: 0.01, _AGAIN: 0.012}),
        Job("charge_card", 5, "amount", {_TYPE: 0.011, _RULE: 0.02}),
    ]),
    "release": (("opus-5",), [
        Job("read_logs", 16, "service", {}),
        Job("deploy_service", 4, "service", {_TARGET: 0.008, _RULE: 0.031}),
        Job("scale_service", 4, "replicas", {_TYPE: 0.007}),
        Job("rollback_release", 1, "release", {_TARGET: 0.06, _AGAIN: 0.03}),
    ]),
}  # fmt: skip
"""Agents with their models and tools."""
_WORDS = {
    "unseen": ('"{value}" was not mentioned in this run', 'did you mean "{near}", from the user?'),
    "rule": ("The amount is at most what was paid. Got amount=480.", ""),
    "wrong_type": ('got the text "{value}" where a number is expected', "write a number"),
    "missing_argument": ("`destination` is missing", "ask the user for it"),
    "removed": ("`cancel_order` removed `{value}` before in this run", ""),
    "undone": ("this call undoes `{tool}`, which ran a moment ago", ""),
    "unknown_tool": ('no tool is named "{tool}"', "did you mean `refund_payment`?"),
    "latency_anomaly": ("it took 31 ms where 840 ms are usual", ""),
    "unsupported": ("no result of this run supports the claim", ""),
    "E-MAIL": ("an e-mail address of a customer", "leave it out"),
}


class Company:
    """Makes decisions, the same ones for the same seed."""

    def __init__(self, *, seed: int = 7, scale: float = 1.0) -> None:
        self._random = random.Random(seed)
        self._scale = scale
        self._made = 0

    def decisions(self, days: int = DAYS) -> Iterator[Decision]:
        """Yield the decisions of so many days, oldest first."""
        for day in range(days):
            quiet = 0.4 if day % 7 in (4, 5) else 1.0
            sessions = int(190 * quiet * self._scale)
            begins = sorted(BEGIN + DAY_S * (day + self._hour() / 24) for _ in range(sessions))
            for number, at in enumerate(begins):
                yield from self._session(day, f"{day:02d}{number:03d}", at)

    def _hour(self) -> float:
        """Return an hour of the day; most work is done by daylight."""
        return min(23.9, max(0.0, self._random.gauss(13.5, 3.5)))

    def _session(self, day: int, name: str, at: float) -> Iterator[Decision]:
        agent = self._random.choices([*AGENTS], [5, 3, 1])[0]
        models, jobs = AGENTS[agent]
        model = models[-1] if self._random.random() < 0.4 else models[0]
        whose = {"agent": agent, "model": model, "session_id": f"{agent}-{name}",
                 "run_id": f"{0x5AFE0000 + int(name):032x}",
                 "policy_revision": "c41a90d2" if day < 8 else "e07b55f1"}  # fmt: skip
        for job in self._random.choices(jobs, [job.weight for job in jobs], k=self._steps()):
            yield self._call(job, day, at, whose)
            if self._random.random() < 0.5:
                yield self._result(job, at + 1, whose)
            at += self._random.uniform(3, 40)
        if self._random.random() < 0.006:
            yield self._unknown(at, whose)
        yield self._answer(at + 5, whose)
        if agent == "support":
            yield self._output(at + 6, whose)

    def _steps(self) -> int:
        return self._random.randint(1, 6)

    def _call(self, job: Job, day: int, at: float, whose: dict[str, Any]) -> Decision:
        factor = 1.0
        if day >= DRIFT and whose["model"] == "gpt-6-mini" and job.tool.endswith(("flight", "ing")):
            factor = 16.0
        findings = tuple(
            self._finding(kind, f"/arguments/{job.argument}", job.tool)
            for kind, rate in job.rates.items()
            if self._random.random() < rate * factor
        )
        coverage = dict.fromkeys(LAYER_NAMES, RAN)
        if whose["model"] != "gpt-6-mini":
            coverage["confidence_drop"] = _NO_LOGPROBS
        if job.tool == "charge_card" and self._random.random() < 0.006:
            coverage["impossible_state"] = _TIMEOUT
        mode = Mode.STRICT if job.tool == "charge_card" and day >= 8 else Mode.AUDIT
        return self._decision(Subject.CALL, job.tool, at, whose, findings, coverage, mode=mode)

    def _unknown(self, at: float, whose: dict[str, Any]) -> Decision:
        tool = self._random.choice(["refund_paymet", "lookup_customer", "book_hotel"])
        finding = self._finding(_UNKNOWN, "/name", tool)
        return self._decision(
            Subject.CALL, tool, at, whose, (finding,), {"phantom_tool": RAN},
            notes=("unregistered",),
        )  # fmt: skip

    def _result(self, job: Job, at: float, whose: dict[str, Any]) -> Decision:
        rate = 0.03 if job.tool in ("read_logs", "find_order") else 0.006
        kind = ("latency_anomaly", Verdict.SUSPICIOUS, "latency_anomaly", 0.7)
        hit = self._random.random() < rate
        findings = (self._finding(kind, "/result", job.tool),) if hit else ()
        coverage = dict.fromkeys(SIGNAL_NAMES, RAN)
        chance = self._random.betavariate(4, 3) if hit else self._random.betavariate(1, 30)
        return self._decision(
            Subject.RESULT, job.tool, at, whose, findings, coverage, probability=chance
        )

    def _answer(self, at: float, whose: dict[str, Any]) -> Decision:
        hit = self._random.random() < (0.04 if whose["model"] == "gpt-6-mini" else 0.018)
        kind = (ANSWER, Verdict.HALLUCINATED, "unsupported", 0.9)
        findings = (self._finding(kind, "/claims/0", ""),) if hit else ()
        chance = self._random.betavariate(6, 2) if hit else self._random.betavariate(1, 12)
        return self._decision(
            Subject.ANSWER, "", at, whose, findings, {ANSWER: RAN}, probability=chance
        )

    def _output(self, at: float, whose: dict[str, Any]) -> Decision:
        hit = self._random.random() < 0.01
        kind = ("pii", Verdict.HALLUCINATED, "E-MAIL", 1.0)
        findings = (self._finding(kind, "/stages/0", ""),) if hit else ()
        skipped = Coverage(Outcome.UNAVAILABLE, "no rule is declared for the task type `reply`")
        coverage = {"pii": RAN, "guardrails": skipped, "facts": RAN}
        return self._decision(Subject.OUTPUT, "", at, whose, findings, coverage)

    def _finding(self, kind: Kind, where: str, tool: str) -> Finding:
        check, verdict, code, strength = kind
        value, near = (f"tx_{self._random.randint(10_000, 99_999)}" for _ in range(2))
        detail, hint = (text.format(value=value, near=near, tool=tool) for text in _WORDS[code])
        return Finding(
            check=check, verdict=verdict, strength=strength, where=where, detail=detail, code=code,
            hint=hint, mode=Mode.AUDIT, got=value if code in ("unseen", "wrong_type") else None,
            nearest=near if code == "unseen" else "",
        )  # fmt: skip

    def _decision(
        self,
        subject: Subject,
        tool: str,
        at: float,
        whose: dict[str, Any],
        findings: tuple[Finding, ...],
        coverage: dict[str, Coverage],
        *,
        mode: Mode = Mode.AUDIT,
        **more: Any,
    ) -> Decision:
        self._made += 1
        verdict = Verdict.worst(one.verdict for one in findings)
        errors = tuple(
            f"{name}: {one.reason}"
            for name, one in coverage.items()
            if one.outcome is Outcome.ERROR
        )
        stops = verdict is Verdict.HALLUCINATED or bool(errors)
        action = Action.BLOCK if stops else Action.FLAG if findings else Action.ALLOW
        return Decision(
            id=f"5afe-{self._made:x}", subject=subject, tool=tool, verdict=verdict, action=action,
            mode=mode, blocked=stops and mode is Mode.STRICT, would_block=stops, at=at,
            findings=findings, coverage=coverage, errors=errors,
            elapsed_ms=round(self._random.uniform(0.3, 2.0), 2), **whose, **more,
        )  # fmt: skip


def label_some(store: DurableStore, decisions: list[Decision], *, seed: int = 7) -> None:
    """Label a third of the decisions with findings; most flags are right, some are not."""
    chance = random.Random(seed)
    for decision in decisions:
        if decision.findings and chance.random() < 0.35:
            precision = 0.72 if decision.verdict is Verdict.SUSPICIOUS else 0.97
            truth = Truth.HALLUCINATED if chance.random() < precision else Truth.OK
            store.label(
                Label(decision_id=decision.id, truth=truth, at=decision.at + 3_600, by="kim")
            )


def score_some(store: DurableStore, decisions: list[Decision], *, seed: int = 7) -> None:
    """Score a tenth of the outputs; one model writes worse ones than the other."""
    chance = random.Random(seed)
    for one in decisions:
        if one.subject is Subject.OUTPUT and chance.random() < 0.1:
            usual = 78 if one.model == "gpt-6-mini" else 88
            store.append_score(
                score=min(100.0, chance.gauss(usual, 5)), at=one.at, agent=one.agent or "",
                task_type="reply", model=one.model or "",
            )  # fmt: skip


def fill(store: DurableStore, *, scale: float = 1.0, days: int = DAYS) -> list[Decision]:
    """Write the company's decisions and labels into a store, and return them."""
    decisions = list(Company(scale=scale).decisions(days))
    for number, decision in enumerate(decisions, 1):
        store.append(decision)
        if not number % 5_000:
            store.flush(60)
    score_some(store, decisions)
    store.flush(60)
    label_some(store, decisions)
    return decisions
