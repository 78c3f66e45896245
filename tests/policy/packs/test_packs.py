"""Every rule of every pack in a Shield: allowed calls, blocked calls, and messages."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from abs_shield import Decision, PolicyError, Shield, Tool, ToolCall, shield
from abs_shield.policy import Rule, packs
from abs_shield.policy.packs import (
    cloud,
    customer_service,
    dates,
    files,
    messaging,
    money,
    paging,
)

DOC = Path(__file__).parents[3] / "docs" / "packs.md"
ODD = [
    None, True, False, 0, -1, 10**4_000, 1e308, 0.1, "", " ", "\0", "\ud800", "a" * 100_000,
    "9" * 5_000, "1e999999999", "NaN", "-Infinity", "%" * 9_000, "../" * 3_000, "@" * 9_000,
    "{{" * 9_000, "[your " * 9_000, ",;" * 9_000, "9999-12-31", "0001-01-01T00:00:00+14:00",
    "2024-02-30", [], {}, [[]], [None], [{}], {"key": None}, [1, "x", None, ["y"], {"z": 1}],
    ["a"] * 2_000, {"a": {"b": ["*"]}}, [{"key": []}],
]  # fmt: skip


def at_noon() -> datetime:
    """Return noon of the day of these tests."""
    return datetime(2030, 5, 31, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Row:
    """A rule on the tool `act`, with a call that passes and a blocked one, after *before*."""

    rule: Rule
    good: dict[str, Any]
    bad: dict[str, Any]
    before: tuple[tuple[str, dict[str, Any], Any], ...] = ()
    user_text: str = "Please do."


PAID = ("get_order", {"order_id": "o1"}, {"total": 80})
NIGHTS = {"check_in": "2030-06-01", "check_out": "2030-06-03"}
ROWS = {
    "money.at_most": Row(money.at_most(500, tool="act"), {"amount": 500}, {"amount": 500.01}),
    "money.above_zero": Row(money.above_zero(tool="act"), {"amount": 0.01}, {"amount": -5}),
    "money.at_most_decimals": Row(
        money.at_most_decimals(2, tool="act"), {"amount": 19.99}, {"amount": 19.999}
    ),
    "money.known_currency": Row(
        money.known_currency(["EUR", "USD"], tool="act"), {"currency": "EUR"}, {"currency": "euro"}
    ),
    "money.in_all_at_most": Row(
        money.in_all_at_most(1000, tool="act"),
        {"amount": 400},
        {"amount": 401},
        before=(("act", {"amount": 600}, "done"),),
    ),
    "dates.not_before": Row(
        dates.not_before(tool="act"),
        {"start": "2030-06-01", "end": "2030-06-01"},
        {"start": "2030-06-02", "end": "2030-06-01"},
    ),
    "dates.after": Row(
        dates.after(tool="act", start="check_in", end="check_out"),
        NIGHTS,
        NIGHTS | {"check_out": "2030-06-01"},
    ),
    "dates.span_at_most": Row(
        dates.span_at_most(30, tool="act"),
        {"start": "2030-06-01", "end": "2030-07-01"},
        {"start": "2030-06-01", "end": "2030-07-02"},
    ),
    "dates.not_in_the_past": Row(
        dates.not_in_the_past(tool="act", clock=at_noon),
        {"date": "2030-05-31"},
        {"date": "2030-05-30"},
    ),
    "dates.ahead_at_most": Row(
        dates.ahead_at_most(365, tool="act", clock=at_noon),
        {"date": "2031-05-31"},
        {"date": "2031-06-01"},
    ),
    "paging.limit_at_most": Row(
        paging.limit_at_most(100, tool="act"), {"limit": 100}, {"limit": 101}
    ),
    "paging.limit_above_zero": Row(paging.limit_above_zero(tool="act"), {"limit": 1}, {"limit": 0}),
    "paging.offset_not_negative": Row(
        paging.offset_not_negative(tool="act"), {"offset": 0}, {"offset": -1}
    ),
    "paging.page_from": Row(paging.page_from(1, tool="act"), {"page": 1}, {"page": 0}),
    "paging.window_at_most": Row(
        paging.window_at_most(10_000, tool="act"),
        {"offset": 9900, "limit": 100},
        {"offset": 9901, "limit": 100},
    ),
    "files.inside": Row(
        files.inside("/srv/data", tool="act"),
        {"path": "/srv/data/a.csv"},
        {"path": "/srv/data/../key"},
    ),
    "files.no_hidden": Row(
        files.no_hidden(tool="act"), {"path": "src/app.py"}, {"path": "src/.env"}
    ),
    "files.extensions": Row(
        files.extensions([".csv", ".txt"], tool="act"), {"path": "a.CSV"}, {"path": "a.csv.exe"}
    ),
    "files.plain_name": Row(
        files.plain_name(tool="act"), {"filename": "notes.txt"}, {"filename": "notes/../a.txt"}
    ),
    "files.no_wildcards": Row(
        files.no_wildcards(tool="act"), {"path": "logs/a.log"}, {"path": "logs/*.log"}
    ),
    "messaging.recipients_within": Row(
        messaging.recipients_within(["example.org"], tool="act", parameter=["to", "cc"]),
        {"to": ["ann@example.org"]},
        {"to": ["ann@example.org"], "cc": ["eve@example.com"]},
    ),
    "messaging.at_most_recipients": Row(
        messaging.at_most_recipients(2, tool="act", parameter=["to", "cc"]),
        {"to": ["a@x.org"], "cc": ["b@x.org"]},
        {"to": "a@x.org, b@x.org", "cc": ["c@x.org"]},
    ),
    "messaging.not_empty": Row(messaging.not_empty(tool="act"), {"body": "Hello"}, {"body": " \n"}),
    "messaging.one_line": Row(
        messaging.one_line(tool="act"),
        {"subject": "Hello"},
        {"subject": "Hello\r\nBcc: eve@example.com"},
    ),
    "messaging.length_at_most": Row(
        messaging.length_at_most(10, tool="act"), {"body": "0123456789"}, {"body": "0123456789!"}
    ),
    "messaging.no_blanks": Row(
        messaging.no_blanks(tool="act"), {"body": "Yours, Ann"}, {"body": "Yours, [Your Name]"}
    ),
    "customer_service.verified_first": Row(
        customer_service.verified_first("verify", tool="act", same="customer"),
        {"customer": "ann"},
        {"customer": "bob"},
        before=(("verify", {"customer": "ann"}, "ok"),),
    ),
    "customer_service.once": Row(
        customer_service.once(tool="act", same="order_id"),
        {"order_id": "o2"},
        {"order_id": "o1"},
        before=(("act", {"order_id": "o1"}, "done"),),
    ),
    "customer_service.refund_at_most_what_was_paid": Row(
        customer_service.refund_at_most_what_was_paid("get_order", tool="act", same="order_id"),
        {"order_id": "o1", "amount": 30},
        {"order_id": "o1", "amount": 31},
        before=(PAID, ("act", {"order_id": "o1", "amount": 50}, "done")),
    ),
    "cloud.allowed_regions": Row(
        cloud.allowed_regions(["eu-west-1", "eu-central-1"], tool="act"),
        {"region": "eu-west-1"},
        {"region": "us-east-1"},
    ),
    "cloud.at_most_instances": Row(
        cloud.at_most_instances(10, tool="act"), {"count": 10}, {"count": 11}
    ),
    "cloud.no_wildcards": Row(
        cloud.no_wildcards(tool="act"), {"resource": "bucket/a"}, {"resource": "bucket/*"}
    ),
    "cloud.not_open_to_all": Row(
        cloud.not_open_to_all(tool="act"), {"cidr": "10.0.0.0/8"}, {"cidr": "0.0.0.0/0"}
    ),
    "cloud.not_production_without": Row(
        cloud.not_production_without("request_approval", tool="act"),
        {"environment": "staging"},
        {"environment": "prod"},
    ),
    "cloud.dry_run_first": Row(
        cloud.dry_run_first(tool="act"),
        {"plan": "p1", "dry_run": False},
        {"plan": "p2", "dry_run": False},
        before=(("act", {"plan": "p1", "dry_run": True}, "fine"),),
    ),
    "cloud.required_tags": Row(
        cloud.required_tags(["owner", "team"], tool="act"),
        {"tags": {"owner": "ann", "team": "web"}},
        {"tags": {"owner": "ann"}},
    ),
}
CONFIRMED = Row(customer_service.confirmed_first(["yes"], tool="act"), {}, {})


def factories() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public function of every pack that returns a rule, with its name."""
    for result in pkgutil.iter_modules(packs.__path__):
        module = importlib.import_module(f"{packs.__name__}.{result.name}")
        for name, member in inspect.getmembers(module, inspect.isfunction):
            ours = member.__module__ == module.__name__ and not name.startswith("_")
            if ours and inspect.signature(member).return_annotation == "Rule":
                yield f"{result.name}.{name}", member


@cache
def firewall_with(rule: Rule) -> Shield:
    """Return a Shield with one rule; each call is judged in a session of its own."""
    names = {"act", "get_order", "verify", "request_approval"}
    tools = [Tool(name=name) for name in sorted(names)]
    return Shield(shield.configure(rules=[rule], tools=tools), hooks=None)


def judge_row(row: Row, arguments: dict[str, Any]) -> Decision:
    """Judge a call of `act` after the earlier calls of *row*."""
    firewall = firewall_with(row.rule)
    with firewall.session() as session:
        session.user(row.user_text)
        for name, option, value in row.before:
            call = ToolCall(name, option)
            firewall.check_call(call)
            firewall.check_result(call, value, elapsed_ms=1.0)
        return firewall.check_call(ToolCall("act", arguments))


def reported_rules(decision: Decision) -> list[str]:
    """Return the names of the rules that a decision reports."""
    return [
        str(finding.evidence["rule"]) for finding in decision.findings if finding.code == "rule"
    ]


def test_every_factory_has_its_row() -> None:
    """Each rule has a call that passes and a call that is blocked."""

    assert {name for name, _ in factories()} == {*ROWS, "customer_service.confirmed_first"}


@pytest.mark.parametrize("name", ROWS)
def test_a_good_call_passes(name: str) -> None:
    """The rule runs, and reports nothing."""
    decision = judge_row(ROWS[name], ROWS[name].good)

    assert ([], "ran", False) == (
        reported_rules(decision),
        decision.coverage["impossible_state"].outcome,
        decision.blocked,
    )


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_call_is_stopped(name: str) -> None:
    """The decision has the name of the rule as in its pack, and the model receives its sentence."""
    decision = judge_row(ROWS[name], ROWS[name].bad)
    feedback = [problem["expected"] for problem in decision.feedback()["problems"]]

    assert ([name], True) == (reported_rules(decision), decision.blocked)
    assert ROWS[name].rule.sentence in feedback


@pytest.mark.parametrize("name", ROWS)
def test_a_rule_has_the_place_of_its_declaration(name: str) -> None:
    """Its file and line are those of the policy, where its limit is set."""
    declared_rule = ROWS[name].rule
    line = Path(declared_rule.file).read_text(encoding="utf-8").splitlines()[declared_rule.line - 1]

    assert (__file__, True) == (declared_rule.file, f"{name}(" in line)


@pytest.mark.parametrize("name", ROWS)
def test_odd_values_are_no_error(name: str) -> None:
    """The rule returns for any JSON value, in bounded time."""
    row = ROWS[name]
    for odd in ODD:
        for arguments in (dict.fromkeys(row.good, odd), row.good | {min(row.good): odd}):
            assert () == judge_row(row, arguments).errors


@pytest.mark.parametrize("name", ROWS)
def test_null_breaks_no_rule(name: str) -> None:
    """An optional parameter may be null; tags that are null are missing."""
    row = ROWS[name]
    silent = judge_row(Row(row.rule, {}, {}), dict.fromkeys(row.good))
    needed = name in (
        "cloud.required_tags",
        "cloud.dry_run_first",
        "customer_service.verified_first",
    )

    assert ([name] if needed else []) == reported_rules(silent)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.rule.tries])
def test_the_tries_of_a_rule_are_on_both_sides_of_its_limit(name: str) -> None:
    """Some of the values for a proof, or their neighbours, pass and some do not."""
    declared_rule = ROWS[name].rule
    numbers = [value for value in declared_rule.tries if not isinstance(value, str)]
    tried = [*declared_rule.tries, *(n + step for n in numbers for step in (1, -1))]
    names = sorted(ROWS[name].good)
    tried += {
        "messaging.at_most_recipients": [["ann@example.org"] * 3],
        "messaging.length_at_most": ["a" * 11],
    }.get(name, [])
    calls = [dict(zip(names, pair, strict=False)) for pair in product(tried, repeat=2)]

    assert {True, False} == {reported_rules(judge_row(ROWS[name], call)) == [] for call in calls}


@pytest.mark.parametrize("name", ROWS)
def test_a_rule_has_its_line_in_the_docs(name: str) -> None:
    """Its row has the sentence, and the calls that pass and that are blocked."""
    row = ROWS[name]
    (line,) = re.findall(rf"^\| `{re.escape(name)}\(.*$", DOC.read_text("utf-8"), re.MULTILINE)
    good, bad = (json.dumps(call, ensure_ascii=False) for call in (row.good, row.bad))

    assert (row.rule.sentence in line, f"`{good}`" in line, f"`{bad}`" in line) == (True,) * 3


@pytest.mark.parametrize(
    ("user_text", "stopped"),
    [("Yes, please.", False), ("YES!", False), ("yesterday", True), ("No.", True), ("", True)],
)
def test_the_user_confirms(user_text: str, stopped: bool) -> None:
    """Only whole words of the newest message count."""
    row = Row(CONFIRMED.rule, {}, {}, user_text=user_text)

    assert (["customer_service.confirmed_first"] if stopped else []) == reported_rules(
        judge_row(row, {})
    )


@pytest.mark.parametrize(
    ("declare", "user_text"),
    [
        (lambda: money.at_most("500", tool="t"), '`money.at_most` got "500"; give a number'),
        (lambda: money.at_most(float("nan"), tool="t"), "give a number"),
        (lambda: money.known_currency("EUR", tool="t"), "give a list"),
        (lambda: money.known_currency([], tool="t"), "got nothing; give words"),
        (lambda: money.at_most(5, tool=""), "needs the name of a tool"),
        (lambda: money.at_most(5, tool="t", parameter=""), "`money.at_most`: `takes` is"),
        (lambda: dates.span_at_most(1e12, tool="t"), "give fewer"),
        (lambda: dates.not_before(tool="t", start="a", end="a"), "names `a` twice"),
        (lambda: files.inside("data", tool="t"), "give an absolute folder"),
        (lambda: files.inside("/srv/../x", tool="t"), "give an absolute folder"),
        (lambda: messaging.one_line(tool="t", parameter=[]), "got nothing"),
        (lambda: customer_service.once(tool="t", same={}), "name a parameter"),
        (lambda: customer_service.confirmed_first(["!"], tool="t"), "give words"),
        (lambda: cloud.required_tags([5], tool="t"), "`cloud.required_tags` got 5; give words"),
    ],
)
def test_a_wrong_declaration_is_refused(declare: Callable[[], Rule], user_text: str) -> None:
    """An invalid declaration raises an error of one line."""
    with pytest.raises(PolicyError) as caught:
        declare()

    assert (user_text in str(caught.value), "\n" in str(caught.value)) == (True, False)


def test_a_limit_is_part_of_the_revision() -> None:
    """The same rule with another limit or parameter is another policy."""
    rules = [
        money.at_most(500, tool="act"),
        money.at_most(501, tool="act"),
        money.at_most(500, tool="act", parameter="sum"),
    ]

    assert 3 == len({shield.configure(rules=[one]).revision for one in rules})


def test_an_unknown_parameter_is_refused() -> None:
    """A rule with a parameter that the tool does not have fails when the tool is registered."""
    schema = {"type": "object", "properties": {"sum": {"type": "number"}}}
    tool = Tool(name="act", parameters=schema)

    with pytest.raises(PolicyError, match=r"rule `money.at_most` .* names parameter `amount`"):
        Shield(shield.configure(rules=[money.at_most(5, tool="act")], tools=[tool]), hooks=None)
