"""Findings of twelve planted kinds of gaps, in varying words, and noise around them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from abs_shield.core import Subject, Verdict

Planted = tuple[dict[str, Any], dict[str, Any]]
"""Fields of a decision, and those of its one finding."""
COMPANIES = "Apple Microsoft Nvidia Amazon Siemens Toyota Nestle Novartis Unilever Shell".split()
PEOPLE = "Ann Bob Carla Dmitri Elena Farid Grace Hiro Ines Jonas".split()
NOUNS = (
    "invoice parcel ticket patient shipment cabin lease course recipe album voucher meter coach "
    "garden statue engine permit claim loan badge locker turbine harbour orchard beacon quarry"
).split()
VERBS = "print audit label scan weigh paint repair charter survey inspect polish anchor".split()


def _finding(check: str, code: str, detail: str, **fields: Any) -> dict[str, Any]:
    base = {"verdict": Verdict.HALLUCINATED, "strength": 1.0, "where": "/", "evidence": {}}
    return {**base, "check": check, "code": code, "detail": detail, **fields}


def _output(check: str, code: str, detail: str, about: str = "") -> Planted:
    evidence = {"start": 0, "end": 1, "task_type": "market_research", "about": about}
    return (
        {"subject": Subject.OUTPUT, "tool": ""},
        _finding(check, code, detail, where="/stages/3/findings/0", evidence=evidence),
    )


def _figure(chance: random.Random, about: list[str]) -> Planted:
    right = chance.uniform(1, 4)
    wrong = right * chance.choice((1.02, 0.98, 1.01))
    detail = f'"${wrong:.2f}T" unverified (actual: ${right:.2f}T)'
    return _output("hallucination", "ENTITY_MISMATCH", detail, chance.choice(about))


def _answer(chance: random.Random, code: str, forms: list[str]) -> Planted:
    detail = chance.choice(forms).format(
        company=chance.choice(COMPANIES), person=chance.choice(PEOPLE),
        n=chance.randint(2, 900), money=f"${chance.uniform(5, 900):.2f}",
        day=f"2026-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}",
        id=f"W{chance.randint(1000, 99999)}",
    )  # fmt: skip
    fields = {"subject": Subject.ANSWER, "tool": ""}
    return fields, _finding("answer", code, detail, where=f"/claims/{chance.randint(0, 9)}")


def _argument(chance: random.Random, tool: str, field: str, check: str, code: str) -> Planted:
    value = f"{chance.choice('WAX')}{chance.randint(1000, 99999)}"
    detail = f'"{value}" was not mentioned'
    where = f"/arguments/{field}"
    return {"tool": tool}, _finding(check, code, detail, where=where, got=f'"{value}"')


def _tool(chance: random.Random, names: list[str]) -> Planted:
    name = chance.choice(names)
    detail = f"no tool is named `{name}`"
    return {"tool": name}, _finding("phantom_tool", "unknown_tool", detail, where="/name", got=name)


def _result(chance: random.Random, tool: str, check: str) -> Planted:
    detail = f"{chance.uniform(1, 50):.1f} ms is below what the tool needs"
    where = f"/items/{chance.randint(0, 9)}/price"
    return {"subject": Subject.RESULT, "tool": tool}, _finding(check, check, detail, where=where)


def _rejected(chance: random.Random) -> Planted:
    reason = chance.choice(
        [
            "the sources of {n} figures are not cited",
            "it does not cite the source of {n} figures",
            "sources for the figure {n} were not cited",
        ]
    ).format(n=chance.randint(2, 90))
    return _output("judge", "REJECTED", f"the judge rejects it: {reason}")


KINDS: dict[str, Callable[[random.Random], Planted]] = {
    "market cap": lambda c: _figure(c, ["market cap", "market capitalisation", "Market Cap"]),
    "headcount": lambda c: _figure(c, ["employees", "number of employees"]),
    "uncited": _rejected,
    "invented search": lambda c: _tool(c, ["web_search", "webSearch", "search_web", "web_serch"]),
    "invented export": lambda c: _tool(c, ["export_pdf", "exportPdf", "pdf_export"]),
    "order id": lambda c: _argument(c, "refund", "order_id", "phantom_target", "unknown_target"),
    "account id": lambda c: _argument(c, "refund", "account", "phantom_target", "unknown_target"),
    "amount type": lambda c: _argument(c, "refund", "amount", "parameter_mismatch", "wrong_type"),
    "delivery day": lambda c: _answer(c, "contradicted", [
        "the parcel arrives on {day}, but the result says another day",
        "the result says another day: parcel {id} arrives on {day}",
    ]),
    "refund total": lambda c: _answer(c, "contradicted", [
        "refunds of {person} add up to {money}, not {money}",
        "{money} is what the refund of {person} adds up to",
    ]),
    "price": lambda c: _result(c, "get_quote", "value_plausibility"),
    "latency": lambda c: _result(c, "get_quote", "latency_anomaly"),
}  # fmt: skip


def _noise(chance: random.Random) -> Planted:
    """Return a finding that has its check and code in common with a planted kind, and no more."""
    noun, other, verb = chance.choice(NOUNS), chance.choice(NOUNS), chance.choice(VERBS)
    match chance.randint(0, 7):
        case 5:
            return _figure(chance, ["market share", "number of stores", "cap rate", "market size"])
        case 6:
            return _tool(chance, ["web_scrape", "export_csv", "pdf_merge", "search_files"])
        case 7:
            return _answer(
                chance,
                "contradicted",
                ["the refund of {person} was denied", "the parcel {id} weighs {n} kg"],
            )
        case 0:
            return _figure(chance, [f"{noun} {other} {verb}"])
        case 1:
            return _tool(chance, [f"{verb}_{noun}_{other}"])
        case 2:
            return _argument(
                chance, f"{verb}_{noun}", f"{other}_id", "phantom_target", "unknown_target"
            )
        case 3:
            return _answer(
                chance, "contradicted", [f"the {noun} was {verb}ed by the {other} on {{day}}"]
            )
        case _:
            return _output("judge", "REJECTED", f"the judge rejects it: {noun} or {other}: {verb}")


def planted(
    chance: random.Random, count: int
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield findings, seven of ten of a planted kind, each behind the name of its kind."""
    names = list(KINDS)
    weights = [1 + place % 4 for place in range(len(names))]
    for _ in range(count):
        if chance.random() < 0.7:
            (kind,) = chance.choices(names, weights)
            fields, finding = KINDS[kind](chance)
        else:
            kind, (fields, finding) = "noise", _noise(chance)
        yield kind, fields, finding
