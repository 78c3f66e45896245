"""Checks of schemas, layers, inverses, allowlists, suppressions and modes, one by one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abs_shield import PolicyError, Suppression, Target, Tool, inverse, load_policy, rule
from abs_shield.plan.proof import CHECKS, CODES, Proof, Severity, prove
from abs_shield.policy import configure

ROOT = Path(__file__).parents[3]
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
TX = {"type": "string", "pattern": "^tx_[0-9]{3,6}$"}


def impossible(name: str = "t", *, needed: bool = True) -> Tool:
    properties = {"x": {"type": "integer", "minimum": 5, "maximum": 3}, "y": TEXT}
    required = ["x"] if needed else []
    parameters = {"type": "object", "properties": properties, "required": required}
    return Tool(name=name, parameters=parameters)


def test_an_invalid_schema(texts) -> None:
    """A schema that cannot be compiled is an error with the nearest valid keyword."""
    (record,) = texts("invalid_schema", Tool(name="t", parameters={"type": "objekt"}))

    assert record.startswith("tool `t` at /type: ")
    assert "did you mean `object`?" in record


@pytest.mark.parametrize(("needed", "what"), [(True, "no arguments of"), (False, "no value of")])
def test_an_unsatisfiable_schema(needed: bool, what: str, texts: Any) -> None:
    """The whole schema is reported if no call can be valid, or else the impossible parameter."""
    (record,) = texts("unsatisfiable_schema", impossible(needed=needed))

    assert record.startswith(what)
    assert "`minimum` 5 is above `maximum` 3" in record


def test_a_schema_without_samples(texts, tool) -> None:
    """Without a sample and without a contradiction, the problem is a note."""
    (record,) = texts(
        "not_sampled", tool("t", x={"type": "string", "pattern": "^(?=b)b{7}(?<=b)$"})
    )

    assert record.startswith("no valid arguments of tool `t` were found")


ODD: list[tuple[Any, str]] = [
    ({"type": "string", "pattern": "^a$", "minLength": 3}, "unsatisfiable_schema"),
    ({"type": "string", "format": "date", "maxLength": 4}, "unsatisfiable_schema"),
    (
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 3, "uniqueItems": True},
        "unsatisfiable_schema",
    ),
    ({"type": "string", "pattern": "^(?=b)b{7}(?<=b)$"}, "not_sampled"),
]


@pytest.mark.parametrize(("schema", "code"), ODD)
def test_an_optional_parameter_that_no_value_fits(schema: Any, code: str, texts: Any) -> None:
    """It is a warning if a contradiction is found, and a note if only no sample is found."""
    parameters = {"type": "object", "properties": {"x": schema, "y": TEXT}, "required": ["y"]}
    (record,) = texts(code, Tool(name="t", parameters=parameters))

    assert "parameter `x`" in record


LAYERS: list[tuple[str, list[Tool], str]] = [
    ("parameter_mismatch", [Tool(name="t"), Tool(name="u", parameters=True)], "no tool has a sch"),
    ("phantom_target", [impossible("t", needed=False)], ""),
    ("self_contradiction", [Tool(name="get_user"), Tool(name="list_users")], "no two tools undo"),
    ("impossible_state", [Tool(name="get_user")], "no rule, and no tool that changes"),
    ("uninformed_write", [Tool(name="set_user")], "no tool has `reads_first`"),
    ("untrusted_target", [Tool(name="get_user")], "no parameter of a tool that writes"),
]


@pytest.mark.parametrize(("layer", "tools", "reason"), LAYERS)
def test_a_layer_with_nothing_to_check(layer: str, tools: list[Tool], reason: str, texts) -> None:
    """A layer that can never find anything is reported, with the declaration that it needs."""
    found = texts("idle_layer", *tools, layers=[layer])

    assert [] == [
        record for record in found if f"`{layer}` has nothing to check: {reason}" not in record
    ]
    assert bool(reason) == bool(found) or layer == "phantom_target"


def test_a_default_layer_with_nothing_to_check(proof, tool) -> None:
    """The problem is a note, not a warning, as the policy does not name the layer."""
    proved = proof(tool("t", x=TEXT), layers=None)
    idle = {each.subject for each in proved.notes if each.code == "idle_default_layer"}

    assert () == proved.problems
    assert {"layer `self_contradiction`", "layer `impossible_state`"} <= idle


def test_a_layer_without_entities(texts, tool) -> None:
    """Dates, numbers and enums are not entities; an id is."""
    day = {"type": "string", "format": "date"}

    assert 1 == len(texts("idle_layer", tool("t", day=day, count=WHOLE), layers=["phantom_target"]))
    assert [] == texts("idle_layer", tool("t", order_id=TEXT), layers=["phantom_target"])


WORKING: list[tuple[str, list[Tool]]] = [
    ("parameter_mismatch", [Tool(name="t", parameters={"type": "object"})]),
    ("phantom_target", [Tool(name="t")]),
    ("self_contradiction", [Tool(name="create_user"), Tool(name="delete_user")]),
    ("self_contradiction", [Tool(name="set_price")]),
    ("self_contradiction", [Tool(name="lock_door"), Tool(name="unlock_door")]),
    ("self_contradiction", [Tool(name="manage_users")]),
    ("impossible_state", [Tool(name="delete_user")]),
    ("uninformed_write", [Tool(name="set_user", reads_first=["set_user"])]),
    ("call_loop", [Tool(name="get_user")]),
]


@pytest.mark.parametrize(("layer", "tools"), WORKING)
def test_a_layer_with_something_to_check(layer: str, tools: list[Tool], texts) -> None:
    """A layer that may have something to check is not reported."""
    assert [] == texts("idle_layer", *tools, layers=[layer])


def test_what_log_probabilities_decide(proof, tool) -> None:
    """The problem is a note, as it is unknown whether the model sends log-probabilities."""
    proved = proof(tool("t", x=TEXT), layers=["confidence_drop"])

    assert ((), ["depends_on_logprobs"]) == (proved.problems, [each.code for each in proved.notes])


@rule(tool="t")
def never_judged(x: str) -> bool:
    """It rejects the empty text."""
    return x != ""


UNJUDGED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"rules": [never_judged]}, {}, "rule `never_judged` is never judged: `impossible_state`"),
    ({"inverses": [inverse("t", "t", same="x")]}, {}, "is never judged: `self_contradiction`"),
    ({"allow": ["a"]}, {}, "`allow` is never judged: `phantom_target` or `untrusted_target`"),
    ({}, {"reads_first": ["t"]}, "`reads_first` of tool `t` is never judged: `uninformed_write`"),
]


@pytest.mark.parametrize(("declared", "marks", "message"), UNJUDGED)
def test_what_no_layer_judges(declared: Any, marks: Any, message: str, texts: Any, tool) -> None:
    """A declaration for a layer that does not run is reported."""
    (record,) = texts(
        "not_judged", tool("t", x=TEXT, declared=marks), layers=["call_loop"], **declared
    )

    assert message in record


def test_a_custom_layer_may_judge_anything(texts, tool) -> None:
    """A custom layer may read any declaration."""

    def own(proposal: Any, session: Any) -> tuple[()]:
        return ()

    assert [] == texts("not_judged", tool("t", x=TEXT), layers=[own], rules=[never_judged])


INVERSES: list[tuple[Any, Any, str]] = [
    (TEXT, WHOLE, "`x` of `a` is string, `x` of `b` is number"),
    ({"enum": ["u"]}, {"enum": ["v", "w"]}, "allow no common value"),
    (WHOLE, {"type": "number"}, ""),
    (TEXT, {}, ""),
    ({"anyOf": [TEXT, {"type": "null"}]}, {"type": ["string", "null"]}, ""),
    ({"enum": ["u", "v"]}, TEXT, ""),
    (TX, {"type": "string", "pattern": "^ticket_[0-9]+$"}, 'begins with "tx_", the other with'),
    (TX, {"type": "string", "pattern": "^tx_[0-9]+$"}, ""),
    (TX, {"type": "string", "maxLength": 4}, "no common value fits: "),
    ({"type": "integer", "maximum": 9}, {"type": "number", "minimum": 10}, "is above `maximum`"),
]


@pytest.mark.parametrize(("one", "other", "message"), INVERSES)
def test_an_inverse_without_a_common_parameter(one, other, message: str, texts, tool) -> None:
    """Two parameters without a common value never identify the same entity."""
    pairs = [inverse("a", "b", same="x")]
    found = texts("inverse_never_meets", tool("a", x=one), tool("b", x=other), inverses=pairs)

    assert bool(message) == bool(found)
    assert [] == [record for record in found if message not in record]


def test_an_inverse_that_may_never_meet(proof, tool) -> None:
    """If only samples show that two patterns have no common text, the problem is a note."""
    tools = [tool(n, x={"type": "string", "pattern": p}) for n, p in (("a", "^(u|v)"), ("b", "^w"))]
    proved = proof(*tools, inverses=[inverse("a", "b", same="x")], layers=["self_contradiction"])

    assert ((), ["not_sampled"]) == (proved.problems, [each.code for each in proved.notes])


MATCHING: list[tuple[Any, Any]] = [
    ("tx_123", TX), ("tx_*", TX), ("tx_1??", TX), ("*", TX), ("tx_[0-9]*", TX), (5, {}),
    ("acct_*", TEXT), ("a@b.example", {"type": "string", "format": "email"}),
    (lambda value: value.endswith("9"), TX), (str.islower, TX),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "schema"), MATCHING)
def test_an_entry_that_admits_something(entry: Any, schema: Any, texts, tool) -> None:
    """An entry that matches a valid value is not reported."""
    target = tool("t", id=schema, declared={"targets": {"id": Target(allow=(entry,))}})
    bad = [texts(code, target, layers=["phantom_target"]) for code in CODES if "allow" in code]

    assert [[], [], []] == bad


IDLE: list[tuple[Any, Any]] = [
    ("acct_1", TX), ("acct_*", TX), (7, TEXT), ("tx_12345678", TX),
    ("tx_?", {"enum": ["tx_12", "tx_34"]}), (lambda value: value == "acct_1", TX),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "schema"), IDLE)
@pytest.mark.parametrize("scope", ["policy", "tool", "target"])
def test_an_entry_that_admits_nothing(scope: str, entry: Any, schema: Any, texts, tool) -> None:
    """An entry that matches no valid value is reported, in any allowlist."""
    targets = {"id": Target(allow=(entry,) if scope == "target" else ())}
    marks = {"targets": targets, **({"allow": (entry,)} if scope == "tool" else {})}
    declared = {"allow": [entry]} if scope == "policy" else {}
    found = texts(
        "allow_matches_nothing",
        tool("t", id=schema, declared=marks),
        layers=["phantom_target"],
        **declared,
    )

    assert 1 == len(found)


def test_an_entry_of_one_tool_of_several(texts, tool) -> None:
    """A policy's entry may be meant for one tool; nothing is reported if any value is possible."""
    tools = [tool("a", user_id=TX), tool("b", user_id={"type": "string", "pattern": "^u[0-9]+$"})]

    assert [] == texts("allow_matches_nothing", *tools, allow=["u7"], layers=["phantom_target"])
    assert [] == texts(
        "allow_matches_nothing", Tool(name="c"), allow=["u7"], layers=["phantom_target"]
    )


@pytest.mark.parametrize(("entry", "accused"), [(lambda v: False, 1), (lambda v: v == "u7", 0)])
def test_a_predicate_that_rejects_everything(entry: Any, accused: int, texts) -> None:
    """A predicate that rejects every sample is reported even if a call may have any parameter."""
    parameters = {"type": "object", "properties": {"user_id": TEXT}, "additionalProperties": True}
    free = Tool(name="t", parameters=parameters)
    found = texts("allow_matches_nothing", free, allow=[entry], layers=["phantom_target"])

    assert accused == len(found)


def test_an_entry_that_raises(texts, tool) -> None:
    """A callable that raises is reported, as it would be an internal error in a call."""
    allow = [lambda value: value + 1 > 5]
    (record,) = texts(
        "allow_raises", tool("t", user_id=TEXT), allow=allow, layers=["phantom_target"]
    )

    assert "raises TypeError: " in record


def test_an_entry_that_another_covers(texts, tool) -> None:
    """A value that a glob already admits is superfluous; so is a duplicate."""
    allow = ["team-7", "team-*", "crew-1", "crew-1"]
    found = texts("allow_is_covered", tool("t", user_id=TEXT), allow=allow, layers=["call_loop"])

    assert ['`allow`: entry "team-7" is admitted by "team-*" already', True] == [
        found[0].partition(";")[0],
        'entry "crew-1" is admitted by "crew-1" already' in found[1],
    ]


def test_suppressions(texts, tool) -> None:
    """An expired suppression, and one of a layer that does not run, silence nothing."""
    old = Suppression(check="call_loop", reason="x", until="2026-12-31")
    new = Suppression(check="call_loop", reason="x", until="2027-12-31")
    idle = Suppression(check="untrusted_target", reason="x")
    declared = {"suppress": [old, new, idle], "layers": ["call_loop"]}

    assert ["`Suppression` of `call_loop` ended on 2026-12-31; renew or remove it"] == texts(
        "expired_suppression", tool("t", x=TEXT), **declared
    )
    assert 1 == len(texts("idle_suppression", tool("t", x=TEXT), **declared))


@pytest.mark.parametrize(
    ("check", "more", "accused"),
    [
        ("phantom_target", {"where": "/arguments/titel"}, True),
        ("parameter_mismatch", {"where": "/arguments/titel"}, False),
        ("parameter_mismatch", {"where": "/arguments/titel", "code": "unknown_argument"}, False),
        ("parameter_mismatch", {"where": "/arguments/titel", "code": "wrong_type"}, True),
        ("parameter_mismatch", {"where": "/arguments", "code": "wrong_type"}, False),
    ],
)
def test_a_suppression_of_no_parameter(check, more, accused, texts, tool) -> None:
    """The only finding about an unknown parameter is that it is unknown."""
    quiet = Suppression(check=check, tool="t", reason="x", **more)
    found = texts("idle_suppression", tool("t", title=TEXT), suppress=[quiet], layers=[check])

    assert accused == bool(found)
    assert all("is not a parameter of its tool; did you mean `title`?" in each for each in found)


@pytest.mark.parametrize(("code", "accused"), [("unknown_argument", 0), ("wrong_type", 1)])
def test_a_suppression_of_an_unknown_parameter_that_calls_may_have(code, accused, texts, tool):
    """If the finding about it is silenced, calls may have it, and other layers judge it."""
    ghost = {"tool": "t", "where": "/arguments/note", "reason": "x"}
    quiet = [
        Suppression(check="parameter_mismatch", code=code, **ghost),
        Suppression(check="phantom_target", **ghost),
    ]
    layers = ["phantom_target", "parameter_mismatch"]
    found = texts("idle_suppression", tool("t", title=TEXT), suppress=quiet, layers=layers)

    assert accused == sum("`phantom_target`" in each for each in found)


@pytest.mark.parametrize(
    ("check", "where", "accused"),
    [
        ("phantom_tool", "/arguments/title", "its findings point at `/name`"),
        ("call_loop", "/arguments", "its findings point at `/name`"),
        ("parameter_mismatch", "/name", "its findings point into `/arguments`"),
        ("phantom_tool", "/name", ""),
        ("phantom_target", "/arguments", ""),
    ],
)
def test_a_suppression_of_a_location_without_findings(check, where, accused, texts, tool) -> None:
    """A layer's findings are either at the tool's name or in the arguments."""
    quiet = Suppression(check=check, where=where, reason="x")
    found = texts("idle_suppression", tool("t", title=TEXT), suppress=[quiet], layers=[check])

    assert [accused] * bool(accused) == [each.partition("; ")[2] for each in found]


NEST = {
    "type": "object",
    "properties": {"n": WHOLE, "shut": {"type": "object", "additionalProperties": False}},
}
PLACES = [
    ("parameter_mismatch", "wrong_type", "/arguments/lines/*/n", ""),
    ("parameter_mismatch", "wrong_type", "/arguments/lines/0/n", ""),
    ("parameter_mismatch", "wrong_type", "/arguments/lines/*/m", "`m`"),
    ("parameter_mismatch", "unknown_argument", "/arguments/lines/*/m", ""),
    ("parameter_mismatch", "wrong_type", "/arguments/lines/n", "`n`"),
    ("parameter_mismatch", "wrong_type", "/arguments/lines/*/n/x", "`x`"),
    ("parameter_mismatch", None, "/arguments/lines/n", "`n`"),
    ("parameter_mismatch", "unknown_argument", "/arguments/lines/n", "`n`"),
    ("parameter_mismatch", None, "/arguments/lines/*/n/x", "`x`"),
    ("parameter_mismatch", None, "/arguments/lines/*/n", ""),
    ("parameter_mismatch", None, "/arguments/lines/0/m", ""),
    ("parameter_mismatch", None, "/arguments/lines/*/shut/m", ""),
    ("parameter_mismatch", None, "/arguments/open/m", ""),
    ("phantom_target", None, "/arguments/lines/*/m", ""),
    ("phantom_target", None, "/arguments/lines/*/shut/m", ""),
    ("phantom_target", None, "/arguments/open/m", ""),
]


@pytest.mark.parametrize(("check", "code", "where", "accused"), PLACES)
def test_a_suppression_of_a_nested_location(check, code, where, accused, texts, tool) -> None:
    """A suppression of a member that no call can have is reported."""
    quiet = Suppression(check=check, code=code, where=where, reason="x", tool="t")
    lines = {"type": "array", "items": NEST}
    found = texts(
        "idle_suppression", tool("t", lines=lines, open={}), suppress=[quiet], layers=[check]
    )

    assert [accused] * bool(accused) == [each.split("exist: ")[1].split(";")[0] for each in found]


def test_a_custom_layer_may_have_any_code(texts, tool) -> None:
    """A suppression of a custom layer is never reported as idle."""

    def phantom_target(proposal: Any, session: Any) -> tuple[()]:
        return ()

    quiet = Suppression(check="phantom_target", code="odd", where="/name", reason="x")
    declared = {"suppress": [quiet], "layers": [phantom_target]}

    assert [] == texts("idle_suppression", tool("t", title=TEXT), **declared)


COVERS: list[tuple[dict[str, Any], dict[str, Any], int]] = [
    ({}, {"tool": "t"}, 1),
    ({}, {"until": "2090-01-01"}, 1),
    ({"until": "2090-01-01"}, {}, 1),
    ({"until": "2090-01-01"}, {"tool": "t"}, 0),
    ({"until": "2090-01-01"}, {"tool": "t", "until": "2089-01-01"}, 1),
    ({"until": "2090-01-01T12:00:00"}, {"tool": "t", "until": "2090-01-01"}, 0),
    ({"until": "2020-01-01"}, {"tool": "t", "until": "2019-01-01"}, 0),
    ({"tool": "t"}, {"tool": "u"}, 0),
    ({"code": "unseen"}, {"code": "placeholder"}, 0),
    ({"code": "unseen"}, {"code": "unseen", "where": "/arguments/a_id"}, 1),
    ({"where": "/arguments/a_id"}, {"where": "/arguments/b_id"}, 0),
    ({"where": "/arguments/a_id/*"}, {"where": "/arguments/a_id/0"}, 1),
    ({"where": "/arguments/a_id/0"}, {"where": "/arguments/a_id/*"}, 1),
    ({"where": "/arguments/a_id/0"}, {"where": "/arguments/a_id/1"}, 0),
]


@pytest.mark.parametrize(("one", "other", "accused"), COVERS)
def test_a_suppression_that_another_one_covers(one, other, accused, texts, tool) -> None:
    """A suppression that another one covers for all its time is reported."""
    ids = {"type": "array", "items": TEXT}
    tools = [tool(name, a_id=ids, b_id=TEXT) for name in "tu"]
    quiet = [Suppression(check="phantom_target", reason="x", **each) for each in (one, other)]
    found = texts("covered_suppression", *tools, suppress=quiet, layers=["phantom_target"])

    assert accused == len(found)


MUTED: list[tuple[float, str, dict[str, Any], int]] = [
    (0.8, "self_contradiction", {}, 0),
    (0.7, "self_contradiction", {}, 1),
    (0.7, "self_contradiction", {"inverses": [inverse("lock_door", "unlock_door", same="id")]}, 0),
    (0.5, "call_loop", {}, 0),
    (0.4, "call_loop", {}, 1),
    (0.1, "impossible_state", {}, 1),
    (0.0, "phantom_target", {}, 1),
    (0.1, "phantom_target", {}, 0),
    (0.0, "parameter_mismatch", {}, 0),
    (0.0, "phantom_tool", {}, 0),
]


@pytest.mark.parametrize(("threshold", "layer", "declared", "accused"), MUTED)
def test_a_threshold_above_the_strength_of_a_layer(
    threshold, layer, declared, accused, texts, tool
) -> None:
    """A layer whose findings are all below the threshold is reported."""
    tools = [tool(name, id=TEXT) for name in ("lock_door", "unlock_door", "remove_door")]
    found = texts("muted_layer", *tools, layers=[layer], threshold=threshold, **declared)

    assert accused == len(found)
    assert all("leave the layer out of `layers`" in each for each in found)


def test_the_threshold_that_a_muted_layer_needs(texts, tool) -> None:
    """The hint has the threshold with which the layer counts."""
    (record,) = texts("muted_layer", tool("t", x=TEXT), layers=["call_loop"], threshold=0.1)

    assert "set `threshold` to 0.5 or more" in record
    assert [] == texts("muted_layer", tool("t", x=TEXT), layers=["call_loop"], threshold=0.5)


@pytest.mark.parametrize(
    ("more", "accused"),
    [
        ({}, []),
        ({"code": "schema_mismatch"}, []),
        ({"code": "missing"}, ["silences a code that the signal never has; leave `code` out"]),
    ],
)
def test_a_suppression_of_a_code_that_a_signal_never_has(more, accused, texts, tool) -> None:
    """The code of a signal's findings is always its own name."""
    quiet = Suppression(check="schema_mismatch", reason="x", **more)
    found = texts("idle_suppression", tool("t", title=TEXT), suppress=[quiet])

    assert accused == [each[each.index("silences") :] for each in found]


def test_a_suppression_of_a_signal_where_no_results_are_judged(texts, tool) -> None:
    """The suppression is idle, unless a custom layer has that name."""

    def schema_mismatch(proposal: Any, session: Any) -> list[Any]:
        return []

    quiet = Suppression(check="schema_mismatch", code="x", reason="x")
    declared = {"suppress": [quiet], "verification": False}
    (found,) = texts("idle_suppression", tool("t", title=TEXT), **declared)

    assert "the policy judges none; remove it" in found
    assert [] == texts(
        "idle_suppression", tool("t", title=TEXT), **declared, layers=[schema_mismatch]
    )


def test_the_time_of_a_proof() -> None:
    """A suppression is expired or not, depending on the time of the proof."""
    ending = Suppression(check="call_loop", reason="x", until="2026-12-31")
    policy = configure(tools=[Tool(name="t")], layers=["call_loop"], suppress=[ending])

    assert [0, 1] == [len(prove(policy, at=at).warnings) for at in (1.7e9, 1.9e9)]


MODES: list[tuple[dict[Any, str], list[str]]] = [
    ({"t": "strict"}, ["`t` changes nothing: the same modes apply without it"]),
    ({"t": "audit"}, []),
    ({"untrusted_target": "audit"}, ["layer `untrusted_target` does not run"]),
    ({("t", "untrusted_target"): "audit"}, ["layer `untrusted_target` does not run"]),
    ({("t", "call_loop"): "strict"}, ["`t`, `call_loop` changes nothing: the same"]),
    ({("t", "call_loop"): "audit"}, []),
    ({"call_loop": "audit"}, []),
    ({"verification": "audit"}, []),
    ({("t", "verification"): "audit"}, []),
    ({("t", "verification"): "strict"}, ["`t`, `verification` changes nothing: the same"]),
    ({"t": "audit", ("t", "call_loop"): "strict"}, []),
    ({"answer": "audit"}, []),
    ({"answer": "strict"}, ["`answer` changes nothing: the same"]),
]


def test_a_policy_that_judges_no_answers(texts, tool) -> None:
    """A mode for answers has no effect, and is not an unknown tool."""
    declared = {"modes": {"answer": "audit"}, "answer": False}
    [mode] = texts("idle_mode", tool("t", x=TEXT), **declared)

    assert "`answer` changes nothing: the policy judges no answers" in mode
    assert [] == texts("unknown_tool", tool("t", x=TEXT), **declared)


def test_a_policy_that_judges_no_results(texts, tool) -> None:
    """A mode of its verification and a suppression of a signal have no effect."""
    quiet = Suppression(check="spc_anomaly", reason="x")
    declared = {"layers": ["call_loop"], "suppress": [quiet]}
    modes = {"verification": "audit"}
    off = {**declared, "modes": modes, "verification": False}

    assert [] == texts("idle_suppression", tool("t", x=TEXT), **declared)
    [mode] = texts("idle_mode", tool("t", x=TEXT), **off)
    [silenced] = texts("idle_suppression", tool("t", x=TEXT), **off)
    assert "`verification` changes nothing: the policy judges no results" in mode
    assert "silences a signal of results, and the policy judges none" in silenced


@pytest.mark.parametrize(("modes", "messages"), MODES)
def test_an_entry_of_modes_without_effect(modes: Any, messages: list[str], texts, tool) -> None:
    """An entry is idle if the same modes would apply without it."""
    found = texts("idle_mode", tool("t", x=TEXT), modes=modes, layers=["call_loop"])

    assert len(messages) == len(found)
    assert all(message in record for message, record in zip(messages, found, strict=True))


def test_a_sound_policy(proof, tool) -> None:
    """A policy without mistakes has no problems."""
    proved = proof(tool("t", x=TEXT), rules=[never_judged])

    assert (True, (), "proved: 1 rule, 1 tool, ") == (proved.ok, proved.problems, str(proved)[:24])


def test_require_raises_all_errors(proof, tool) -> None:
    """All errors are raised together, and warnings on request."""
    wrong = proof(tool("t", x=TEXT, declared={"soft": ["y"], "free": ["z"]}))
    doubtful = proof(tool("t", x=TEXT), suppress=[Suppression(check="call_loop", reason="x")])
    with pytest.raises(PolicyError) as caught:
        wrong.require()
    with pytest.raises(PolicyError, match="warning: `Suppression` of `call_loop`"):
        doubtful.require(warnings=True)

    assert doubtful is doubtful.require()
    assert re.fullmatch(
        r"the policy is not proved(\n\S+conftest.py:\d+: error: `(soft|free)` of tool .*){2}",
        str(caught.value),
    )


def test_a_proof_as_data(proof, tool) -> None:
    """A proof can be serialised as JSON, with a row for each problem."""
    record = proof(tool("t", x=TEXT, declared={"soft": ["y"]})).to_dict()

    assert (False, 1, "unknown_parameter", "error") == (
        record["ok"],
        record["errors"],
        record["problems"][0]["code"],
        record["problems"][0]["severity"],
    )


def test_hostile_names_are_escaped(proof, tool) -> None:
    """Text of a server is escaped before it is printed."""
    name = "x\x1b[31m\n\u202e"
    tools = [
        tool(name, declared={"soft": ["\x1b]0;own\x07"]}, x=WHOLE),
        Tool(name="é\x1b", parameters={"type": name}),
    ]
    text = str(proof(*tools, layers=["parameter_mismatch"]))

    assert [] == [c for c in text if c != "\n" and not c.isprintable()]


POLICIES = [
    page for page in sorted((ROOT / "policies").glob("*.py")) if "policy =" in page.read_text()
]


@pytest.mark.parametrize("page", POLICIES, ids=lambda page: page.name)
def test_shipped_policies_are_proved(page: Path) -> None:
    """The policies in the docs have no errors and no warnings."""
    assert () == prove(load_policy(f"{page}:policy")).problems


def test_every_code_has_its_row() -> None:
    """The table in docs/prove.md has all codes."""
    text = (ROOT / "docs" / "prove.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE)

    assert rows == [(code, str(severity)) for code, severity in CODES.items()]


def test_every_check_has_the_name_of_its_file() -> None:
    """Each check is a function in a file with the same name."""
    folder = ROOT / "abs_shield" / "plan" / "proof"
    files = {path.stem for path in folder.glob("[!_]*.py")}

    assert (files, list(Severity)) == (
        {check.__name__ for check in CHECKS.values()} & set(CHECKS),
        ["note", "warning", "error"],
    )


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "type properties required enum items anyOf $ref minimum pattern x".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@pytest.mark.slow
@pytest.mark.release
@given(st.one_of(st.none(), st.booleans(), st.dictionaries(st.text(max_size=9), JSON, max_size=5)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_proof_is_total(parameters: Any) -> None:
    """A proof ends with a result for any JSON that a server sends as a schema."""
    odd = Tool(name="t", parameters=parameters)
    proof = prove(configure(tools=[odd], rules=[never_judged], allow=["a*", 7]))

    assert isinstance(proof, Proof)
    assert bool(proof) == (not proof.errors)


@pytest.mark.slow
@pytest.mark.release
@given(st.text(max_size=5), JSON)
def test_a_proof_is_total_on_parameters(name: str, schema: Any) -> None:
    """A proof ends with a result for any schema of a parameter."""
    parameters = {"type": "object", "properties": {"x": schema, name: True}, "required": ["x"]}
    odd = Tool(name="t", parameters=parameters, targets={"x": Target(allow=("b?",))})

    assert isinstance(prove(configure(tools=[odd], rules=[never_judged])), Proof)
