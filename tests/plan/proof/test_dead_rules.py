"""A rule that rejects nothing or everything, or that raises, is reported with file and line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from abs_shield import Session, Tool, ToolCall, rule
from abs_shield.plan import rule_trial

NUMBER = {"type": "number"}
DAY = {"type": "string", "format": "date"}
WORDS = {"USD", "EUR"}
LIMIT = 12_345


def is_small(x: float) -> bool:
    """At most 500."""
    return x <= 500


def is_below_limit(x: float) -> bool:
    """A limit that its module holds."""
    return x < LIMIT


def asks_another(x: float) -> bool:
    """Another function knows."""
    return is_below_limit(x)


def at_most(limit: float) -> Callable[[float], bool]:
    def is_in_limit(x: float) -> bool:
        """A limit that a factory knows."""
        return x <= limit

    return is_in_limit


def not_777(x: float) -> bool:
    """One number is wrong."""
    return x != 777.77


NUMBERS = [is_small, is_below_limit, asks_another, at_most(98_765), not_777]


@pytest.mark.parametrize("function", NUMBERS, ids=lambda each: each.__name__)
def test_a_number_in_the_rule_is_reached(function, proof, tool) -> None:
    """Samples are on both sides of any number that the rule compares with."""
    assert () == proof(tool("t", x=NUMBER), rules=[rule(tool="t")(function)]).problems


def starts_so(x: str) -> bool:
    """Links are encrypted."""
    return x.startswith("https://")


def holds_no_dots(x: str) -> bool:
    """A path stays inside."""
    return ".." not in x


def is_short(x: str) -> bool:
    """At most 280 characters."""
    return len(x) <= 280


def is_known(x: str) -> bool:
    """A currency that we know."""
    return x in WORDS


@pytest.mark.parametrize("function", [starts_so, holds_no_dots, is_short, is_known])
def test_a_word_in_the_rule_is_reached(function, texts, tool) -> None:
    """Samples contain the strings of the rule, and have lengths near its numbers."""
    rules = [rule(tool="t")(function)]

    assert [] == texts("rule_rejects_nothing", tool("t", x={"type": "string"}), rules=rules)
    assert [] == texts("rule_rejects_everything", tool("t", x={"type": "string"}), rules=rules)


IBAN = {"type": "string", "pattern": "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$"}


def has_check_digits(x: str) -> bool:
    """The check digits of an account are right."""
    return int("".join(str(int(c, 36)) for c in x[4:] + x[:4])) % 97 == 1


def is_of_a_country(x: str) -> bool:
    """Accounts of two countries."""
    return x[:2] in {"DE", "SE"}


def mentions_few(x: str) -> bool:
    """At most three people are mentioned."""
    return x.count("@") <= 3


def digits_add_up(x: int) -> bool:
    """The digits add up to 10."""
    return sum(map(int, str(abs(x)))) == 10


FURTHER = [
    (has_check_digits, IBAN),
    (is_of_a_country, IBAN),
    (mentions_few, {"type": "string"}),
    (digits_add_up, {"type": "integer"}),
]


@pytest.mark.parametrize(("function", "schema"), FURTHER)
def test_further_values_are_tried_before_a_rule_is_reported(function, schema, proof, tool) -> None:
    """Rules about check digits, beginnings, repeated words and sums of digits are not reported."""
    proved = proof(tool("t", x=schema), rules=[rule(tool="t")(function)])

    assert ((), ()) == (proved.problems, proved.notes)


def is_secret(x: str) -> bool:
    """A text that no sample resembles."""
    return hash(x) == 7 and len(x) == 90_000


def is_not_secret(x: str) -> bool:
    """Any other text."""
    return not is_secret(x)


@pytest.mark.parametrize("function", [is_secret, is_not_secret])
def test_a_rule_about_a_free_text_is_a_note(function, proof, tool) -> None:
    """Samples cannot prove that a rule about a text accepts or rejects every text."""
    proved = proof(tool("t", x={"type": "string"}), rules=[rule(tool="t")(function)])

    assert () == proved.problems
    assert [("not_sampled", "the sampled texts may not contain what the rule looks for")] == [
        (each.code, each.hint.partition(":")[0]) for each in proved.notes
    ]


def in_order(start: str, end: str) -> bool:
    """It starts before it ends."""
    return start <= end


def within_a_month(start: str, end: str) -> bool:
    """It lasts 30 days at most."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days <= 30


def not_in_the_past(start: str) -> bool:
    """It starts today at the earliest."""
    return date.fromisoformat(start) >= date.today()


@pytest.mark.parametrize("function", [in_order, within_a_month, not_in_the_past])
def test_dates(function, proof, tool) -> None:
    """Samples have two dates in either order, near and far apart, in the past and in the future."""
    assert () == proof(tool("t", start=DAY, end=DAY), rules=[rule(tool="t")(function)]).problems


def sums_up(a: float, b: float, c: float) -> bool:
    """Three parts make at most 1,000."""
    return a + b + c <= 1_000


def has_few(items: list[Any]) -> bool:
    """At most 10 items."""
    return len(items) <= 10


def holds_no_debt(account: dict[str, Any]) -> bool:
    """A balance is not negative."""
    return account.get("balance", 0) >= 0


def is_said_why(note: str | None = None) -> bool:
    """Null says nothing."""
    return note is not None


SHAPES: list[tuple[Any, dict[str, Any]]] = [
    (sums_up, {name: NUMBER for name in "abc"}),
    (has_few, {"items": {"type": "array", "items": {"type": "string"}}}),
    (holds_no_debt, {"account": {"type": "object", "properties": {"balance": NUMBER}}}),
    (is_said_why, {"note": {"type": ["string", "null"]}}),
]


@pytest.mark.parametrize(("function", "properties"), SHAPES)
def test_other_shapes_are_reached(function, properties, proof, tool) -> None:
    """Sums of several numbers, lists, nested members and null are sampled."""
    assert () == proof(tool("t", **properties), rules=[rule(tool="t")(function)]).problems


def test_a_rule_that_the_schema_makes_dead(proof, tool) -> None:
    """A rule that forbids only what the schema already forbids rejects nothing."""
    dead = rule(tool="t")(is_small)
    (problem,) = proof(tool("t", x={**NUMBER, "maximum": 500}), rules=[dead]).problems
    line = inspect.getsourcelines(is_small)[1]

    assert ("rule_rejects_nothing", __file__, line, "rule `is_small`") == (
        problem.code,
        problem.file,
        problem.line,
        problem.subject,
    )
    assert problem.message.startswith("rule `is_small` rejects none of ")


def test_a_rule_that_rejects_everything(texts, tool) -> None:
    """A rule that rejects everything that the schema accepts is reported."""
    rules = [rule(tool="t")(is_small)]
    (message,) = texts(
        "rule_rejects_everything", tool("t", x={**NUMBER, "minimum": 501}), rules=rules
    )

    assert message.startswith("rule `is_small` accepts none of ")
    assert "either the schema allows nothing that the rule accepts, or no sampled call" in message


def rejects_all(x: Any) -> bool:
    """It says no."""
    return False


FEW = {"type": "string", "pattern": "^(?:ab|cd)$"}


@pytest.mark.parametrize(
    ("schema", "code"), [(FEW, "not_sampled"), ({"enum": ["ab"]}, "rule_rejects_everything")]
)
def test_few_values_are_not_enough_for_a_warning(schema, code, proof, tool) -> None:
    """With few tested values the problem is a note, unless the schema lists all values."""
    proved = proof(tool("t", x=schema), rules=[rule(tool="t")(rejects_all)])

    assert [code] == [each.code for each in (*proved.problems, *proved.notes)]


def test_a_rule_of_several_tools(texts, tool) -> None:
    """It may reject nothing for one tool, but not everything for one tool."""
    tools = [tool("a", x={**NUMBER, "maximum": 9}), tool("b", x={**NUMBER, "minimum": 501})]
    rules = [rule(tool=["a", "b"])(is_small)]

    assert [] == texts("rule_rejects_nothing", *tools, rules=rules)
    assert 1 == len(texts("rule_rejects_everything", *tools, rules=rules))


def test_a_rule_of_every_tool_may_forbid_one(proof, tool) -> None:
    """A rule for `*` may reject every call of one tool."""

    @rule(tool="*")
    def nothing_is_dropped(call: ToolCall) -> bool:
        """No table is dropped."""
        return call.name != "drop"

    assert () == proof(tool("drop", x=NUMBER), tool("read", x=NUMBER), rules=[
        nothing_is_dropped
    ], layers=["impossible_state"]).problems  # fmt: skip


def test_a_rule_of_very_many_tools(proof, tool) -> None:
    """Of many tools, those are tested that the rule's code names and that have its parameters."""

    @rule(tool="*")
    def nothing_is_dropped(call: ToolCall) -> bool:
        """No table is dropped."""
        return not call.name.startswith("drop")

    @rule(tool="*")
    def sums_are_small(amount: float) -> bool:
        """At most 500."""
        return amount <= 500

    many = [tool(f"read_{n}", x=NUMBER) for n in range(200)]
    tools = [*many, tool("drop_table", x=NUMBER), tool("pay", amount=NUMBER)]

    assert () == proof(*tools, rules=[nothing_is_dropped, sums_are_small]).problems


def test_a_rule_that_raises(texts, tool) -> None:
    """The schema accepts a text that the rule cannot read, so strict mode would block."""

    @rule(tool="t")
    def pays_little(amount: str) -> bool:
        """At most 500."""
        return Decimal(amount) <= 500

    (message,) = texts("rule_raises", tool("t", amount={"type": "string"}), rules=[pays_little])

    assert message.startswith("rule `pays_little` raises InvalidOperation: ")
    assert 'for amount="' in message


def test_a_rule_that_answers_wrongly(texts, tool) -> None:
    """A number is not a valid answer of a rule."""

    @rule(tool="t")
    def counts(x: float) -> Any:
        """It counts."""
        return 1

    (message,) = texts("rule_answers_wrongly", tool("t", x=NUMBER), rules=[counts])

    assert message.startswith("rule `counts` returns 1 for x=")


def test_a_rule_that_never_runs(texts, tool) -> None:
    """No call has both parameters that the rule takes."""

    @rule(tool="t")
    def takes_both(a: str, b: str) -> bool:
        """Both come together."""
        return a != b

    parameters = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    (message,) = texts("rule_never_runs", Tool(name="t", parameters=parameters), rules=[takes_both])

    assert "no sampled call of `t` has all arguments that it takes" in message


def test_a_rule_cannot_change_the_samples(proof, tool) -> None:
    """A rule that changes its arguments and its session does not affect its next run."""

    @rule(tool="t")
    def changes_arguments(x: list[Any], session: Session, call: ToolCall) -> bool:
        """It changes whatever it gets."""
        fresh = not session.turns or len(session.executed) > 0
        x.clear()
        call.arguments.clear()
        session.user("I was here.")
        return fresh and len(x) == 0

    problems = proof(
        tool("t", x={"type": "array", "minItems": 1}), rules=[changes_arguments]
    ).problems

    assert () == problems


def is_verified(x: str, session: Session) -> bool:
    """It was verified."""
    return session.did("verify", x=x)


def is_no_repetition(x: str, session: Session) -> bool:
    """It runs twice at most."""
    return sum(ran.tool == "t" for ran in session.executed) < 2


def was_mentioned(x: str, session: Session) -> bool:
    """The run has seen it."""
    return bool(x) and session.origin(x) is not None


@pytest.mark.parametrize("function", [is_verified, is_no_repetition, was_mentioned])
def test_a_rule_about_the_run(function, proof, tool) -> None:
    """The rule answers differently in an empty session and in one with calls, so it is not dead."""
    text = {"type": "string"}
    proved = proof(tool("t", x=text), tool("verify", x=text), rules=[rule(tool="t")(function)])
    about = [p for p in (*proved.problems, *proved.notes) if "rule" in p.subject]

    assert [] == about


def test_a_rule_about_a_state_that_no_sampled_session_has(texts, tool) -> None:
    """The problem is a note, not a warning."""

    @rule(tool="t")
    def said_please(x: str, session: Session) -> bool:
        """The agent is called Ann."""
        return session.agent == "Ann"

    (message,) = texts("depends_on_session", tool("t", x={"type": "string"}), rules=[said_please])

    assert message.startswith("rule `said_please` rejects all ")
    assert [] == texts("rule_rejects_everything", tool("t", x={}), rules=[said_please])


def test_a_rule_that_raises_in_an_artificial_session(texts, tool) -> None:
    """Only an exception in the empty session is reported."""

    @rule(tool="t")
    def reads_a_result(x: str, session: Session) -> bool:
        """It needs what only a real result holds."""
        return not session.executed or session.executed[-1].value["balance"] > 0

    tools = [tool("t", x={"type": "string"})]

    assert [] == texts("rule_raises", *tools, rules=[reads_a_result])
    assert 1 == len(texts("depends_on_session", *tools, rules=[reads_a_result]))


def test_a_slow_rule_is_stopped(texts, tool, monkeypatch) -> None:
    """A rule that exceeds the time limit is no longer run, which is reported."""
    monkeypatch.setattr(rule_trial, "SECONDS", -1)

    @rule(tool="t")
    def takes_its_time(x: float) -> bool:
        """It thinks."""
        return x <= 500

    (message,) = texts("not_sampled", tool("t", x=NUMBER), rules=[takes_its_time])

    assert "was tested with only 1 call of `t`" in message


def test_a_tool_without_a_schema(texts) -> None:
    """A note says that nothing can be sampled."""
    rules = [rule(tool="t")(is_small)]

    assert [
        "rule `is_small` has no sampled calls: there is no schema of `t`; "
    ] == texts("not_sampled", Tool(name="t"), rules=rules)  # fmt: skip


def test_the_number_of_sampled_calls(proof, tool) -> None:
    """A proof has the number of calls that its rules were run on, which is always the same."""
    counts = {proof(tool("t", x=NUMBER), rules=[rule(tool="t")(is_small)]).samples for _ in "ab"}

    assert (1, True) == (len(counts), min(counts) > 10)


def test_partial_functions(proof, tool) -> None:
    """The constants of a partial function are used for samples."""

    def below(x: float, *, limit: float) -> bool:
        """Below a limit."""
        return x < limit

    made = partial(below, limit=54_321)
    made.__doc__, made.__name__ = "Below a limit.", "below"  # type: ignore[attr-defined]

    assert () == proof(tool("t", x=NUMBER), rules=[rule(tool="t")(made)]).warnings
