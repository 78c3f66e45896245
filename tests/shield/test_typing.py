"""Type checking of users' code: correct code passes, mistakes fail."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abs_shield import Policy, PolicyError, Shield, Suppression, Tool, shield
from abs_shield.core import Feedback
from abs_shield.policy import PersonalData
from abs_shield.policy.check_config import PersonalDataFields
from abs_shield.policy.configuration import PolicyFields, configure
from abs_shield.policy.suppression import SuppressionFields
from abs_shield.policy.tool_declaration import ToolFields
from abs_shield.policy.tool_profile import ProfileFields, ToolProfile
from abs_shield.quality.guardrails.product_catalogue import (
    Feature,
    FeatureFields,
    ProductCatalogue,
    ProductCatalogueFields,
    RoadmapItem,
    RoadmapItemFields,
)
from abs_shield.quality.quality_config import QualityConfig, QualityConfigFields
from abs_shield.quality.quantity_constraints import Order, OrderFields

ROOT = Path(__file__).parents[2]
CODE = """
import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, assert_type

from abs_shield import (
    Mode, Policy, Shield, Suppression, Target, Tool, ToolProfile, inverse, shield, shielded
)
from abs_shield.core import Feedback
from abs_shield.policy import PersonalData
from abs_shield.quality import QualityConfig
from abs_shield.quality.facts import Fact
from abs_shield.quality.guardrails import Feature, ProductCatalogue, RoadmapItem
from abs_shield.quality.quantity_constraints import Order

fw = Shield(shield.configure(mode="strict"))

# Policies
assert_type(shield.configure(threshold=0.5, tools=[Tool(name="refund")]), Policy)
shield.configure(modes={"phantom_tool": "audit"})
shield.configure(modes={("refund", "phantom_tool"): "audit"})
shield.configure(modes={"phantom_tool": "audit", ("refund", "phantom_tool"): Mode.STRICT})
shield.configure({"mode": "strict"})
shield.configure(mode=Mode.AUDIT)
assert_type(Shield(mode="audit", threshold=0.5), Shield)
shield.configure(treshold=0.5)  # wrong
shield.configure(mode="stict")  # wrong
shield.configure(modes={"phantom_tool": "stict"})  # wrong
shield.configure(on_suspicious="blok")  # wrong
shield.configure({"mode": "strict"}, threshold=0.5)  # wrong
Shield(treshold=0.5)  # wrong
Shield(mode="stict")  # wrong


# Declarations: what is accepted is wider than what is stored
tool = Tool(
    name="a", targets=["x"], soft=["x"], free=["note"], creates=["x"], reads_first=["b"],
    allow=["x", 5], mode="strict", profile={"required_fields": ["id"]},
)
assert_type(tool.free, tuple[str, ...])
assert_type(tool.targets, Mapping[str, Target])
assert_type(tool.mode, Mode | None)
assert_type(Target(allow=["t_*"]).allow, tuple[Any, ...])
Tool(name="a", targets="x")
Tool(name="a", targets={"x": Target(must_be_seen=True), "y": {"must_be_seen": True}})
Suppression(check="phantom_target", reason="known", until="2099-12-31")
shield.configure(tools=[{"name": "x"}], suppress=[{"check": "phantom_tool", "reason": "x"}])
shield.configure(verification={"prior": 0.1}, answer={"emit_threshold": 0.9}, limits={"text": 5})
shield.configure(pii={"kinds": ["SSN"]})
assert_type(PersonalData(kinds=["SSN"]).kinds, tuple[str, ...])
assert_type(QualityConfig(stages=["pii"], mode="audit", constraints=[]).stages, tuple[str, ...])
assert_type(Order(names=["Team", "Free"]).names, tuple[str, ...])
feature = Feature(name="SSO", aliases=["sign-on"], plans={"Team"})
ProductCatalogue(features=[feature], roadmap=[RoadmapItem(name="x")], products=["Acme"])
ToolProfile(expected_latency_ms=[100, 5000], required_fields=["id"])
Fact(subject="a", attribute="b", value="c", aliases=["A"])
QualityConfig(stage=["pii"])  # wrong
Order(quantity="price")  # wrong
Feature(aliases=["x"])  # wrong
inverse("a", "b", sames="x")  # wrong
Tool(name="a", mode="stict")  # wrong
Tool(name="a", targts=["x"])  # wrong
Tool(targets=["x"])  # wrong
Tool(name="a", free=5)  # wrong
Target(must_be_sen=True)  # wrong
Suppression(check="phantom_target")  # wrong
PersonalData(kind=["SSN"])  # wrong


# Tools that return feedback
@shielded(fw, on_block="return")
def returned(order: int) -> str:
    return "done"


@shielded(fw, on_block="return", name="awaited")
async def awaited_(order: int) -> str:
    return "done"


@shielded(fw, on_block="return")
def yielded(order: int) -> Iterator[int]:
    yield 1


class Lifecycle:
    @shielded(fw, on_block="return")
    def method(self, order: int) -> str:
        return "done"

    @shielded(fw, on_block="return")
    @staticmethod
    def static(order: int) -> str:
        return "done"

    @shielded(fw, on_block="return")
    @classmethod
    def of_class(cls, order: int) -> str:
        return "done"


assert_type(returned(7), str | Feedback)
assert_type(asyncio.run(awaited_(7)), str | Feedback)
assert_type(yielded(7), Iterator[int] | Feedback)
assert_type(Lifecycle().method(7), str | Feedback)
assert_type(Lifecycle.static(7), str | Feedback)
assert_type(Lifecycle.of_class(7), str | Feedback)
returned("7")  # wrong
returned(7).upper()  # wrong
found = returned(7)
if not isinstance(found, str):
    print(found["status"], found["problems"][0]["hint"])
    found["statsu"]  # wrong


# Tools that raise
@shielded(fw)
def raised(order: int) -> str:
    return "done"


@shielded
async def bare(order: int) -> str:
    return "done"


assert_type(raised(7), str)
assert_type(asyncio.run(bare(7)), str)
assert_type(fw.check_call({"name": "raised"}).feedback(), Feedback)
raised("7")  # wrong
"""
WRONG = {n for n, line in enumerate(CODE.splitlines(), 1) if line.endswith("# wrong")}


@pytest.mark.slow
@pytest.mark.release
def test_a_type_checker_finds_exactly_the_mistakes(tmp_path: Path) -> None:
    """A strict mypy reports exactly the marked lines."""
    (tmp_path / "agent.py").write_text(CODE)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent",
         "--cache-dir", str(tmp_path / "cache"), "agent.py"],
        cwd=tmp_path, env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    matches = {int(line) for line in re.findall(r"^agent\.py:(\d+): error", done.stdout, re.M)}

    assert WRONG == matches, done.stdout + done.stderr


def test_a_misspelt_keyword_raises_with_the_nearest_name() -> None:
    """At run time, a policy and a Shield raise, too."""
    with pytest.raises(PolicyError, match="did you mean `threshold`"):
        shield.configure(treshold=0.5)  # type: ignore[call-overload]
    with pytest.raises(PolicyError, match="did you mean `threshold`"):
        Shield(treshold=0.5)  # type: ignore[call-arg]
    with pytest.raises(PolicyError, match="did you mean `store`"):
        Shield(shield.configure(), stor="decisions.db")  # type: ignore[call-arg]


def test_a_shield_accepts_the_fields_of_its_policy() -> None:
    """Fields may be passed instead of a policy, but not in addition."""
    short, long = Shield(mode="audit", threshold=0.5), shield.configure(mode="audit", threshold=0.5)

    assert long.revision == short.policy.revision
    with pytest.raises(PolicyError, match="got a policy and `mode`; put `mode` into the policy"):
        Shield(long, mode="strict")
    with pytest.raises(PolicyError, match="a Shield takes a policy"):
        Shield()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hooks": "otel"}, '`hooks` is "otel"; give a list of callables'),
        ({"store": "x.db"}, '`store` is "x.db"; give `SqliteStore("x.db")`'),
        ({"store": Path("x.db")}, 'give `SqliteStore("x.db")`'),
        ({"store": "postgresql://h/x"}, 'give `open_store("postgresql://h/x")`'),
        ({"store": 5}, "`store` is 5; give a store, such as `MemoryStore()`"),
        ({"policy": "agent.py:policy"}, 'use `load_policy("agent.py:policy")`'),
        ({"policy": "strict"}, 'use `Shield(mode="strict")`'),
        ({"policy": {"mode": "strict"}}, "use `Shield(mode=...)`, or `shield.configure` of it"),
    ],
)
def test_a_wrong_part_of_a_shield(arguments: Any, message: str) -> None:
    """The message has the expression that was probably meant."""
    with pytest.raises(PolicyError) as caught:
        Shield(**{"policy": shield.configure(), **arguments})

    assert message in str(caught.value)


def test_every_keyword_is_typed_and_documented() -> None:
    """`configure`, the fields of a policy and their documentation have the same names."""
    keywords = {*(configure.__kwdefaults__ or ())}
    documented = re.findall(r"^    (\w+): ", inspect.getdoc(configure) or "", re.M)

    assert keywords == {*Policy.model_fields} == {*PolicyFields.__annotations__}
    assert {"declared", *keywords} <= {*documented}


@pytest.mark.parametrize(
    ("declaration", "fields"),
    [
        (Tool, ToolFields),
        (Suppression, SuppressionFields),
        (PersonalData, PersonalDataFields),
        (ToolProfile, ProfileFields),
        (QualityConfig, QualityConfigFields),
        (Order, OrderFields),
        (Feature, FeatureFields),
        (RoadmapItem, RoadmapItemFields),
        (ProductCatalogue, ProductCatalogueFields),
    ],
)
def test_every_field_of_a_declaration_is_typed(declaration: Any, fields: Any) -> None:
    """The types of the arguments name exactly the fields."""

    assert {*declaration.model_fields} == {*fields.__annotations__}


def test_the_feedback_has_the_fields_of_its_type() -> None:
    """Its problems have the fields of their type, too."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    firewall.register({"name": "refund"})
    feedback = firewall.check_call({"name": "refnud"}).feedback()

    assert {*Feedback.__annotations__} == {*feedback}
    assert {"code", "field", "got", "expected", "allowed", "nearest", "hint"} == {
        *feedback["problems"][0]
    }
