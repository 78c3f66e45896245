"""The revision of a policy is a hash of its content, equal in every process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from abs_shield import Suppression, Tool, inverse, rule
from abs_shield.policy import Rule, configure
from abs_shield.session import Limits
from tests.processes import run_python

POLICY = '''
from abs_shield import Suppression, Target, Tool, inverse, rule, shield

@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= {most}

policy = shield.configure(
    mode="audit",
    rules=[refund_is_small],
    tools=[Tool(name="refund", parameters={{"type": "object"}}, targets={{"id": Target()}})],
    allow={{"tx_1", "tx_2", "tx_3", "tx_4"}},
    inverses=[inverse("open", "close", same="id")],
    modes={{("refund", "phantom_tool"): "strict"}},
    suppress=[Suppression(check="phantom_tool", reason="x", until="2030-01-01")],
)
'''


def revision_elsewhere(path: Path, *, seed: str) -> str:
    """Return the revision of a policy file in another process with another hash seed."""
    code = f"from abs_shield import load_policy; print(load_policy({f'{path}:policy'!r}).revision)"
    ran = run_python("-c", code, check=False, variables={"PYTHONHASHSEED": seed})
    assert ran.stderr == ""
    return ran.stdout.strip()


def write_policy(path: Path, *, most: int) -> Path:
    path.write_text(POLICY.format(most=most))
    return path


@pytest.mark.slow
def test_it_is_the_same_in_every_process(tmp_path: Path) -> None:
    """It does not depend on the process, its hash seed or the file's place."""
    here, there = tmp_path / "a.py", tmp_path / "b.py"
    revisions = {
        revision_elsewhere(write_policy(here, most=500), seed="1"),
        revision_elsewhere(write_policy(here, most=500), seed="2"),
        revision_elsewhere(write_policy(there, most=500), seed="3"),
    }

    assert len(revisions) == 1


def test_it_changes_with_a_rules_source(tmp_path: Path) -> None:
    """Another limit in a rule's body is another policy."""
    a = revision_elsewhere(write_policy(tmp_path / "a.py", most=500), seed="1")
    b = revision_elsewhere(write_policy(tmp_path / "a.py", most=501), seed="1")

    assert a != b


def at_most(limit: float) -> Rule:
    @rule(tool="refund")
    def is_small(amount: float) -> bool:
        """A refund is small."""
        return amount <= limit

    return is_small


def test_it_changes_with_the_closure_of_a_rule() -> None:
    """Two rules of one factory differ."""
    revisions = {configure(rules=[at_most(limit)]).revision for limit in (500, 500.5, 1_000)}

    assert len(revisions) == 3


def test_it_is_the_same_for_equal_rules_of_a_factory() -> None:
    """A rule that is created again has the same revision."""

    assert configure(rules=[at_most(5)]).revision == configure(rules=[at_most(5)]).revision


GLOBAL = """
LIMIT = {limit}
LIMITS = {{"refund": [{limit}]}}

@rule(tool="refund")
def is_small(amount):
    'A refund is small.'
    return {body}
"""


@pytest.mark.parametrize(
    "body",
    ["amount <= LIMIT", "amount <= LIMITS['refund'][0]", "all(n <= LIMIT for n in [amount])"],
)
def test_it_changes_with_data_that_a_rule_reads(body: str) -> None:
    """The same rule with another limit in its module is another policy."""

    def revision(limit: int) -> str:
        names: dict[str, Any] = {"rule": rule, "__name__": "somewhere"}
        exec(compile(GLOBAL.format(limit=limit, body=body), "<somewhere>", "exec"), names)
        return configure(rules=[names["is_small"]]).revision

    assert [revision(5) == revision(limit) for limit in (5, 500)] == [True, False]


def below(limit: int, value: object, *, by: int = 0) -> bool:
    return isinstance(value, int) and value + by < limit


class Below:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, value: object) -> bool:
        return below(self.limit, value)

    def other(self, value: object) -> bool:
        return not self(value)


def with_default(limit: int) -> Callable[[object], bool]:
    return lambda value, most=limit: below(most, value)


@pytest.mark.parametrize(
    "made",
    [
        lambda limit: partial(below, limit),
        lambda limit: partial(below, 5, by=limit),
        lambda limit: partial(partial(below, limit), by=1),
        lambda limit: partial(below, limit, object()),
        Below,
        lambda limit: Below(limit).other,
        with_default,
    ],
)
def test_it_changes_with_the_data_of_a_callable(made: Callable[[int], Any]) -> None:
    """A partial's arguments, an object's state and a default are part of the revision."""
    revisions = [configure(allow=[made(limit)]).revision for limit in (1, 1, 2)]

    assert [revisions[0] == other for other in revisions] == [True, True, False]


def first(proposal: Any, session: Any) -> list[Any]:
    return []


def second(proposal: Any, session: Any) -> list[Any]:
    return []


@pytest.mark.parametrize(
    "declared",
    [
        {"mode": "audit"},
        {"threshold": 0.7},
        {"layers": []},
        {"layers": [first]},
        {"layers": [second]},
        {"tools": [Tool(name="f")]},
        {"tools": [Tool(name="f", destructive=True)]},
        {"tools": [Tool(name="f", parameters={"type": "object"})]},
        {"tools": [Tool(name="f", targets=["id"])]},
        {"rules": [at_most(1)]},
        {"inverses": [inverse("a", "b", same="id")]},
        {"inverses": [inverse("a", "b", same="id", final=True)]},
        {"allow": ["a"]},
        {"allow": [str.isdigit]},
        {"modes": {"f": "audit"}},
        {"modes": {("f", "phantom_tool"): "audit"}},
        {"on_suspicious": "block"},
        {"on_error": "allow"},
        {"retries": 4},
        {"window": (10, 61.0)},
        {"suppress": [Suppression(check="phantom_tool", reason="a")]},
        {"suppress": [Suppression(check="phantom_tool", reason="b")]},
        {"limits": Limits(text=1)},
    ],
    ids=lambda declared: next(iter(declared)),
)
def test_it_changes_with_every_field(declared: dict[str, Any]) -> None:
    """Each field of a policy is part of its revision."""

    assert configure().revision != configure(declared).revision


@pytest.mark.parametrize("seen", [lambda: configure(), lambda: configure(mode="strict")])
def test_an_explicit_default_changes_nothing(seen: Callable[[], Any]) -> None:
    """An explicit default is the same policy."""

    assert configure({}).revision == seen().revision


def test_names_and_sentence_of_a_rule_count() -> None:
    """The same function for another parameter, or with another sentence, is another policy."""

    def is_small(amount: float) -> bool:
        """An amount is at most 500."""
        return amount <= 500

    declared_rule = [
        rule(tool="pay")(is_small),
        rule(tool="pay", takes={"amount": "sum"})(is_small),
        rule(tool="pay", sentence="At most 500.")(is_small),
    ]

    assert 3 == len({configure(rules=[one]).revision for one in declared_rule})
