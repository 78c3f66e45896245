"""A wrong policy fails when it is declared, with a message of one line and the nearest name."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Policy, PolicyError, Suppression, Tool, inverse, rule, shield
from abs_shield.core import LAYER_NAMES, Mode
from abs_shield.core.vocabularies import OPT_IN_NAMES
from abs_shield.policy import configure
from abs_shield.session import Limits


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= 500


def own_layer(proposal: Any, session: Any) -> list[Any]:
    return []


def refusal(*mapping: Any, **keywords: Any) -> str:
    with pytest.raises(PolicyError) as caught:
        configure(*mapping, **keywords)
    assert "\n" not in str(caught.value)
    return str(caught.value)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"treshold": 0.5}, "did you mean `threshold`?"),
    ({"layer": ["phantom_tool"]}, "did you mean `layers`?"),
    ({"xyzzy": 1}, "use one of mode, threshold"),
    ({"mode": "strct"}, "did you mean `strict`?"),
    ({"mode": "enforce"}, "'audit' or 'strict'"),
    ({"mode": None}, "`mode`"),
    ({"threshold": 1.01}, "less than or equal to 1, got 1.01"),
    ({"threshold": -0.01}, "greater than or equal to 0"),
    ({"threshold": float("nan")}, "finite"),
    ({"threshold": "high"}, '`threshold`: Input should be a valid number'),
    ({"layers": ["phantom_tol"]}, "did you mean `phantom_tool`?"),
    ({"layers": ["xyzzy"]}, "use one of phantom_tool, phantom_target"),
    ({"layers": ["phantom_tool", "phantom_tool"]}, "declared twice"),
    ({"layers": [own_layer, own_layer]}, "declared twice"),
    ({"layers": [lambda proposal, session: []]}, "a function with a name"),
    ({"layers": "phantom_tool"}, '`layers` is "phantom_tool"; give a list'),
    ({"layers": own_layer}, "`layers` is a value of type function; give a list"),
    ({"layers": [5]}, "got 5"),
    ({"tools": Tool(name="refund")}, "`tools` is a value of type Tool; give a list"),
    ({"tools": ["refund"]}, 'got "refund"'),
    ({"tools": [{"nam": "refund"}]}, "did you mean `name`?"),
    ({"tools": [Tool(name="a"), Tool(name="a")]}, "tool `a` is declared twice"),
    ({"rules": refund_is_small}, "`rules` is a value of type Rule; give a list"),
    ({"rules": [own_layer]}, "instance of Rule"),
    ({"inverses": [("a", "b")]}, "instance of Inverse"),
    ({"allow": "tx_*"}, '`allow` is "tx_*"; give a list'),
    ({"allow": 5}, "`allow` is 5; give a list"),
    ({"modes": ["phantom_tool"]}, "valid dictionary"),
    ({"modes": {"refund": "strct"}}, "did you mean `strict`?"),
    ({"modes": {("refund", "phantom_tol"): "audit"}}, "did you mean `phantom_tool`?"),
    ({"modes": {("phantom_tool", "refund"): "audit"}}, "no layer is named `refund`"),
    ({"modes": {("a", "b", "c"): "audit"}}, "at most 2 items"),
    ({"modes": {"phantm_tool": "audit"}}, "`phantm_tool`, which is neither a layer nor a tool"),
    ({"modes": {"phantomTool": "audit"}}, "did you mean `phantom_tool`?"),
    ({"modes": {"onw_layer": "audit"}, "layers": [own_layer]}, "did you mean `own_layer`?"),
    ({"modes": {"verfication": "audit"}}, "did you mean `verification`?"),
    ({"modes": {"spc_anomaly": "audit"}}, "use `verification`, or a Suppression"),
    ({"modes": {("q", "schema_mismatch"): "audit"}}, "which cannot have its own mode"),
    ({"suppress": [Suppression(check="verification", reason="x")]}, "use one of schema_mismatch, "),
    ({"on_suspicious": "blok"}, "did you mean `block`?"),
    ({"on_error": "alow"}, "did you mean `allow`?"),
    ({"retries": 0}, "greater than or equal to 1"),
    ({"retries": 1.5}, "`retries`"),
    ({"window": 10}, "`window`: got 10; give a list"),
    ({"window": (0, 60)}, "`window.0`"),
    ({"window": (257, 60)}, "`window.0`: Input should be less than or equal to 256, got 257"),
    ({"window": (10, 0)}, "`window.1`"),
    ({"suppress": Suppression(check="phantom_tool", reason="x")}, "give a list"),
    ({"suppress": [Suppression(check="phantom_tol", reason="x")]}, "did you mean `phantom_tool`?"),
    ({"suppress": [{"check": "phantom_tool"}]}, "`reason`: Field required"),
    ({"suppress": [{"chek": "phantom_tool", "reason": "x"}]}, "did you mean `check`?"),
    ({"verification": {"priro": 0.1}}, "did you mean `prior`?"),
    ({"verification": True}, "use `Verification(...)`, or False"),
    ({"verification": {"accept_threshold": 0.9}}, "is not below `block_threshold`"),
    ({"answer": True}, "use `AnswerConfig(...)`, or False"),
    ({"answer": {"probes": 6}}, "less than or equal to 5"),
    ({"answer": {"refusal": "no {name}"}}, "use no field but `{reason}`"),
    ({"answer": {"refusal": "{reason:>99999999999}"}}, "use no field but `{reason}`"),
    ({"answer": {"refusal": "no {"}}, "`{{` for a brace"),
    ({"answer": {"refusal": " "}}, "it is empty"),
    ({"suppress": [Suppression(check="answer", reason="x")]}, "use `answer=AnswerConfig(...)`"),
    ({"modes": {("t", "answer"): "audit"}}, "an answer has no tool"),
    ({"limits": {"txt": 5}}, "limits: no field is named `txt`; did you mean `text`?"),
    ({"limits": {"text": True}}, "`text` is true; give an integer from 1"),
    ({"threshold": True}, "`threshold`: Input should be a valid number, got true"),
    ({"threshold": "0.8"}, '`threshold`: Input should be a valid number, got "0.8"'),
    ({"retries": True}, "`retries`: Input should be a valid number, got true"),
    ({"window": (True, 60)}, "`window.0`: Input should be a valid number, got true"),
    ({"window": (10, "60")}, '`window.1`: Input should be a valid number, got "60"'),
    ({"verification": {"sub_floor_lr": "50"}}, "verification: `sub_floor_lr`: Input should be a"),
    ({"answer": {"emit_threshold": True}}, "answer: `emit_threshold`: Input should be a valid"),
    ({"answer": {"base_rate": "0.5"}}, "answer: `base_rate`: Input should be a valid number"),
    ({"answer": {"emit": 1}}, "answer: no field is named `emit`; did you mean `emit_threshold`?"),
    ({"pii": "email"}, 'got "email"; use True for all kinds, or `PersonalData(kinds=["EmailAdd'),
    ({"pii": ["SSN", "x"]}, 'got a list of 2 items; use True for all kinds, or `PersonalData(ki'),
    ({"pii": 1}, 'use True for all kinds, or `PersonalData(kinds=["EmailAddress"])`'),
    ({"pii": {"kinds": "SSN"}}, 'pii: `kinds`: got "SSN"; give a list'),
    ({"pii": {"kinds": ["EmailAdress"]}}, "which no detector finds; did you mean `EmailAddress`?"),
    ({"pii": {"kind": ["SSN"]}}, "pii: no field is named `kind`; did you mean `kinds`?"),
    ({"limits": {"call": 5}}, "limits: no field is named `call`; use one of text, keys, message"),
    ({"limits": {"text": 0}}, "`text` is 0; give an integer from 1"),
    ({"limits": 5}, "Limits"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_a_wrong_declaration_is_refused(wrong: dict[str, Any], message: str) -> None:
    """Keywords and a mapping are rejected with the same message of one line."""

    assert (message in refusal(**wrong), message in refusal(wrong)) == (True, True)


@pytest.mark.parametrize("layer", OPT_IN_NAMES)
def test_an_opt_in_layer_is_named(layer: str) -> None:
    """A layer that does not run by default runs if a policy names it."""

    assert layer in configure(layers=["phantom_tool", layer]).layer_names
    assert layer not in configure().layer_names


@pytest.mark.parametrize("declared", ["strict", 5, [("mode", "strict")], Policy()])
def test_a_positional_argument_that_is_not_a_mapping_is_refused(declared: Any) -> None:
    """The only positional argument is a mapping."""

    assert "give keywords, or one mapping" in refusal(declared)


@pytest.mark.parametrize("also", [{"threshold": 0.5}, {"layers": []}, {"xyzzy": 1}])
def test_a_mapping_beside_keywords_is_refused(also: dict[str, Any]) -> None:
    """Neither of the two is ignored silently."""

    assert f"`{next(iter(also))}`" in refusal({"mode": "audit"}, **also)


def test_a_misspelt_name_is_shown_escaped() -> None:
    """A name with a line break is escaped."""

    assert "a\\nb" in refusal({"a\nb": 1})


DECLARED: dict[str, Any] = {
    "mode": "audit",
    "threshold": 0.5,
    "layers": ["phantom_tool", own_layer],
    "tools": [Tool(name="refund")],
    "rules": [refund_is_small],
    "inverses": [inverse("open", "close", same="id")],
    "allow": ["tx_*"],
    "modes": {"phantom_tool": "strict", ("refund", "phantom_tool"): "audit"},
    "on_suspicious": "approve",
    "on_error": "allow",
    "retries": 5,
    "window": (5, 30.0),
    "suppress": [Suppression(check="phantom_tool", reason="known")],
    "limits": Limits(text=1_000),
}


def test_a_mapping_equals_keywords() -> None:
    """Both forms declare equal policies with equal revisions."""
    by_mapping, by_keywords = shield.configure(DECLARED), shield.configure(**DECLARED)

    assert (by_mapping, by_mapping.revision) == (by_keywords, by_keywords.revision)


@pytest.mark.parametrize("name", ["layers", "modes", "limits", "on_error"])
def test_none_is_the_default(name: str) -> None:
    """None means the default, as a keyword and in a mapping."""

    assert (configure(), configure()) == (configure(**{name: None}), configure({name: None}))


def test_the_defaults() -> None:
    """An empty policy is strict, and runs all six layers."""
    policy = configure()

    assert (Mode.STRICT, 0.8, list(LAYER_NAMES), 3, (10, 60.0), "flag", None) == (
        policy.mode,
        policy.threshold,
        policy.layer_names,
        policy.retries,
        policy.window,
        policy.on_suspicious,
        policy.on_error,
    )


@pytest.mark.parametrize("threshold", [0, 1, 0.0, 1.0])
def test_the_ends_of_the_threshold(threshold: float) -> None:
    """0 and 1 are valid sensitivities."""

    assert threshold == configure(threshold=threshold).threshold


def test_an_empty_list_of_layers_runs_none() -> None:
    """An empty list of layers differs from the default."""

    assert configure(layers=[]).layer_names == []


def test_a_custom_layer() -> None:
    """A function is a layer with its own name, besides the built-in layers."""
    policy = configure(layers=["phantom_tool", own_layer], modes={("f", "own_layer"): "audit"})

    assert policy.layer_names == ["phantom_tool", "own_layer"]


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("refund", []),
        ("call_tool", []),
        ("update_parameter", []),
        ("phantm_tool", [Tool(name="phantm_tool")]),
        ("notification", []),
        ("verification_code", []),
        ("verify", []),
        ("answer", []),
        ("answer_mail", []),
        ("spc_anomaly", [Tool(name="spc_anomaly")]),
    ],
)
def test_a_mode_of_a_tool(name: str, tools: list[Tool]) -> None:
    """A key that resembles no layer, or is declared, is a tool, maybe a later one."""

    assert {name: Mode.AUDIT} == configure(modes={name: "audit"}, tools=tools).modes


def schema_mismatch(proposal: Any, session: Any) -> list[Any]:
    """A custom layer with the name of a signal."""
    return []


def test_a_layer_may_have_the_name_of_a_signal() -> None:
    """Such a layer may have its own mode."""
    modes = {"schema_mismatch": "audit", ("q", "schema_mismatch"): "strict"}

    assert 2 == len(configure(layers=[schema_mismatch], modes=modes).modes)


def test_the_layers_are_listed_once() -> None:
    """A message lists each layer once, even if the policy names it."""
    output = refusal(suppress=[Suppression(check="xyzzy", reason="x")])

    assert [1] * 6 == [output.count(name) for name in LAYER_NAMES]


@pytest.mark.parametrize("mode", Mode)
def test_one_mode_everywhere(mode: Mode) -> None:
    """All modes are replaced, including those of tools and pairs; other fields are unchanged."""
    declared = configure(
        mode="audit", tools=[Tool(name="f", mode="strict")], modes={"f": "strict"}, threshold=0.5
    )
    policy = declared.audited() if mode is Mode.AUDIT else declared.enforced()

    assert (
        policy.mode,
        policy.modes,
        policy.tools[0].mode,
        policy.threshold,
    ) == (mode, {}, None, 0.5)


def test_a_copy_has_its_own_revision() -> None:
    """It does not depend on whether the revision of the original was read before."""
    request, silent = (configure(mode="audit", threshold=0.5) for _ in range(2))
    declared = request.revision

    assert request.enforced().revision == silent.enforced().revision != declared
    assert request.audited().revision == declared == silent.revision


@pytest.mark.parametrize(
    ("declare", "way"),
    [
        (lambda: Tool("refund"), "such as `name=...`"),
        (lambda: shield.configure(rules=[len]), "decorate the function with `@rule(tool=...)`"),
        (lambda: shield.configure(inverses=[("a", "b")]), "use `inverse(first, then, same=...)`"),
        (lambda: shield.configure(tools=["refund"]), 'use `Tool(name="...")`'),
    ],
    ids=["unnamed", "rule", "inverse", "tool"],
)
def test_a_wrong_part_raises_a_hint(declare, way):
    """The message shows the correct form."""
    with pytest.raises(PolicyError) as wrong:
        declare()

    assert way in str(wrong.value)
