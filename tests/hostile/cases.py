"""The hostile calls, one per row: the policy, the arguments and the expected decision."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, Timer
from typing import Any

from abs_shield import rule


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


ANY = schema(value={}, note={"type": "string"}, number={"type": "number"}, order_id={})
A_BOMB = "^(a+)+$"


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A hostile call.

    Attributes:
        arguments: Creates the arguments: an object, or raw JSON.
        parameters: The tool's schema.
        declared: Other options of the policy.
        verdict: The expected verdict.
        codes: The expected codes of findings, sorted and without duplicates.
        failed: Layers whose expected outcome is an error.
        unavailable: The layer whose expected outcome is `unavailable`; empty if none is.
        in_file: Creates the arguments in a run file, if they differ there.
        why_other: Why a run file cannot contain the same arguments.
        bad_line: Whether a run with this call is reported as a bad line.
    """

    name: str
    arguments: Callable[[], Any]
    parameters: Any = field(default_factory=lambda: ANY)
    declared: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = "CLEAN"
    codes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    unavailable: str = ""
    in_file: Callable[[], Any] | None = None
    why_other: str = ""
    bad_line: bool = False


def wrong(name: str, arguments: Callable[[], Any], *codes: str, **more: Any) -> Case:
    return Case(name=name, arguments=arguments, verdict="HALLUCINATED", codes=codes, **more)


def suspect(name: str, arguments: Callable[[], Any], *codes: str, **more: Any) -> Case:
    return Case(name=name, arguments=arguments, verdict="SUSPICIOUS", codes=codes, **more)


def clean(name: str, arguments: Callable[[], Any], **more: Any) -> Case:
    return Case(name=name, arguments=arguments, **more)


def undecided(name: str, arguments: Callable[[], Any], *failed: str, **more: Any) -> Case:
    return Case(name=name, arguments=arguments, failed=failed, **more)


# What comes --------------------------------------------------------------------------------------


def nested(levels: int, around: Callable[[Any], Any] = lambda inner: [inner]) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = around(value)
    return value


def in_a(value: Any) -> dict[str, Any]:
    return {"a": value}


def cyclic() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["value"] = loop
    return loop


class Unreadable:
    """An object whose `__repr__` raises."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Unequal:
    """An object whose `__eq__` raises."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparing")


class Unlistable(dict[str, Any]):
    """A dict that raises on iteration."""

    def items(self) -> Any:
        raise RuntimeError("no items")

    keys = values = __iter__ = items

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the case for hypothesis."""
        printer.text("Unlistable()")


class Unmeasurable(str):
    """A string whose `__len__` raises."""

    def __len__(self) -> int:
        raise RuntimeError("no length")


# What is declared --------------------------------------------------------------------------------


def tree(*branches: dict[str, Any]) -> dict[str, Any]:
    return {**schema(value={"$ref": "#/$defs/node"}), "$defs": {"node": {"anyOf": [*branches]}}}


LEAF = {"type": "string"}
BRANCH = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}}


def diamond(levels: int, keyword: str) -> dict[str, Any]:
    """Return a schema in which every level refers to the next one twice."""
    result: dict[str, Any] = {
        f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)
    }
    return {**schema(value={"$ref": "#/$defs/d0"}), "$defs": result | {f"d{levels}": LEAF}}


@rule(tool="act")
def breaks(value: Any = None) -> bool:
    """This rule divides by what it is given."""
    return 1 / value > 0  # type: ignore[no-any-return]


@rule(tool="act")
def rewrites(value: Any = None, call: Any = None) -> bool:
    """This rule changes all that it is given."""
    value.clear()
    call.arguments["value"] = "rewritten"
    return True


@rule(tool="act")
def rambles(value: Any = None) -> str:
    """This rule answers with very many words."""
    return "no\x1b[31m\n" * 100_000


@rule(tool="act")
def never_sure(value: Any = None) -> Any:
    """This rule gives neither yes nor no."""
    return [value]


@rule(tool="act")
def has_a_good_form(value: str = "") -> bool:
    """A value fits the house's pattern."""
    import regex

    return bool(regex.fullmatch("(a+)+", value, timeout=0.05))


def answers_late(answer: bool) -> Any:
    """Return a rule that waits until a timer of another thread wakes it."""

    @rule(tool="act", sentence="Somebody else says yes.")
    def patient(value: Any = None) -> Any:
        woken = Event()
        Timer(0.1, woken.set).start()
        return answer if woken.wait(20) else None

    return patient


def raising(value: Any) -> bool:
    raise RuntimeError(value)


BIG = 10_000_000
PYTHON = "JSON has no such object"
TOO_DEEP = "the reader of a line refuses such a nesting"
LAYERS = "phantom_target parameter_mismatch self_contradiction impossible_state".split()

SIZES = [
    wrong("10 MB of text", lambda: {"note": "a" * BIG}, "too_large"),
    wrong("10 MB of raw JSON", lambda: json.dumps({"note": "a" * BIG}), "too_large"),
    wrong("10 MB of words", lambda: {"value": ["word" * 5] * 500_000}, "too_large"),
    wrong("10 MB of a key", lambda: {"a" * BIG: 1}, "too_large"),
    wrong("100,000 arguments", lambda: {f"k{n}": n for n in range(100_000)}, "too_large"),
    suspect(
        "20,000 ids", lambda: {"order_id": [f"tx_{n}" for n in range(20_000)]}, "unseen"
    ),
    wrong("an integer of 10,000 digits", lambda: {"number": 10**10_000}, "too_large",
          in_file=lambda: '{"number": 1' + "0" * 10_000 + "}",
          why_other="Python's reader refuses such digits"),
    wrong("10,000 digits, raw", lambda: '{"number": ' + "9" * 10_000 + "}", "too_large"),
    clean("10,000 decimals, raw", lambda: '{"number": 1.' + "9" * 10_000 + "}"),
    wrong("a huge exponent, raw", lambda: '{"number": 1e999999}', "not_finite"),
]  # fmt: skip

DEPTHS = [
    wrong("5,000 lists, raw", lambda: '{"value": ' + "[" * 5000 + "]" * 5000 + "}", "too_deep"),
    wrong("5,000 objects, raw", lambda: '{"a":' * 5000 + "1" + "}" * 5000, "too_deep"),
    wrong("5,000 lists", lambda: {"value": nested(5000)}, "too_deep",
          in_file=lambda: nested(100_000, in_a), why_other=TOO_DEEP, bad_line=True),
    wrong("5,000 objects", lambda: {"value": nested(5000, in_a)}, "too_deep",
          in_file=lambda: nested(100_000, in_a), why_other=TOO_DEEP, bad_line=True),
    wrong("1,000,000 open brackets", lambda: "[" * 1_000_000, "too_deep"),
    wrong("an object that holds itself", cyclic, "too_deep",
          in_file=lambda: {"value": nested(70)}, why_other=PYTHON),
]  # fmt: skip

NUMBERS = [
    wrong("NaN", lambda: {"number": float("nan")}, "not_finite"),
    wrong("Infinity", lambda: {"number": float("inf")}, "not_finite"),
    wrong("-Infinity in a list", lambda: {"value": [float("-inf")]}, "not_finite"),
    wrong("NaN, raw", lambda: '{"number": NaN}', "not_finite"),
    wrong("Infinity, raw", lambda: '{"number": -Infinity}', "not_finite"),
]

SHAPES = [
    wrong("one key twice", lambda: '{"note": "a", "note": "b"}', "duplicate_key"),
    wrong("one key twice, inside", lambda: '{"value": {"a": 1, "a": 2}}', "duplicate_key"),
    wrong("half an object", lambda: '{"note": "a"', "malformed_json"),
    wrong("a list", lambda: [1, 2], "wrong_type"),
    wrong("raw null bytes", lambda: '{"note": "\x00"}', "malformed_json"),
    wrong("a list, raw", lambda: "[]", "wrong_type"),
    clean("nothing, raw", lambda: "  "),
    clean("a lone surrogate", lambda: {"note": "\ud800"}),
    clean("a lone surrogate, raw", lambda: '{"note": "\\ud800\\udc00\\udfff"}'),
    wrong("a lone surrogate as a key", lambda: {"\ud800": 1}, "unknown_argument"),
    wrong("a homoglyph of a key", lambda: {"nоte": "x"}, "unknown_argument"),
    wrong("a key with a zero-width space", lambda: {"note\u200b": "x"}, "unknown_argument"),
    clean("keys that are numbers", lambda: {"value": {1: 2}},
          in_file=lambda: {"value": {"1": 2}}, why_other=PYTHON),
    clean("500,000 numbers in a text", lambda: {"order_id": "12 " * 200_000}),
    wrong("terminal escapes in a key", lambda: {"\x1b[2J": 1}, "unknown_argument"),
]  # fmt: skip

TEXT_BOMBS = [
    suspect(f"{len(piece) * count:,} characters of {piece!r}",
            lambda piece=piece, count=count: {"order_id": "tx_9" + piece * count},
            "unseen")
    for piece, count in [
        ("-", 500_000), ("1", 500_000), ("[(", 200_000), ("a_", 200_000), ("%25", 150_000),
        ("aB", 200_000), ("/a", 200_000), ("1.2.", 100_000), ("@a", 200_000), (":=", 200_000),
        ("\u0301", 200_000), ("\ufdfa", 20_000), ("\\u0041", 80_000),
        ('{"a":', 100_000), ("<id>{x}", 70_000), ("é", 200_000), ("\u200b", 200_000),
    ]
]  # fmt: skip

OBJECTS = [
    Case(name=f"an object: {name}", arguments=made, in_file=lambda: {"value": "<an object>"},
         why_other=PYTHON)
    for name, made in {
        "a generator": lambda: {"value": (n for n in ())},
        "bytes that are no text": lambda: {"value": b"\xff\xfe"},
        "no text": lambda: {"value": Unreadable()},
        "no comparing": lambda: {"value": Unequal()},
        "no items": lambda: {"value": Unlistable(a=1)},
        "no length": lambda: {"value": Unmeasurable("x")},
    }.items()
]  # fmt: skip

SCHEMAS = [
    wrong("a pattern that backtracks", lambda: {"value": "a" * 40_000 + "!"}, "too_complex",
          parameters=schema(value={"type": "string", "pattern": A_BOMB})),
    wrong("a pattern of keys that backtracks", lambda: {"a" * 40_000 + "!": 1}, "too_complex",
          parameters={"type": "object", "patternProperties": {A_BOMB: {}}}),
    wrong("99,000 items against two branches", lambda: {"value": ["y"] * 99_000},
          "no_alternative",
          parameters=schema(value={"anyOf": [
              {"type": "array", "items": {"type": "integer"}},
              {"type": "array", "items": {"type": "object"}}]})),
    wrong("two branches back to the same place, 60 deep",
          lambda: {"value": nested(30, in_a) | {"b": 1}}, "no_alternative",
          parameters=tree(LEAF, {**BRANCH, "required": ["c"]}, {**BRANCH, "required": ["d"]})),
    wrong("references that double 25 times", lambda: {"value": 7}, "no_alternative",
          parameters=diamond(25, "anyOf")),
    clean("references that double 60 times", lambda: {"value": "abc"},
          parameters=diamond(60, "allOf")),
    undecided("1,000 items against 1,100 branches", lambda: {"value": [1_099] * 1_000},
              "parameter_mismatch",
              parameters=schema(value={"items": {"anyOf": [{"const": n} for n in range(1_100)]}})),
    wrong("a megabyte against 2,000 branches", lambda: {"value": "é" * 1_000_000},
          "no_alternative", parameters=schema(value={"anyOf": [{"minLength": 2_000_000}] * 2_000})),
    wrong("a long list against 1,000 constants", lambda: {"value": [1] * 50_000},
          "no_alternative",
          parameters=schema(value={"anyOf": [{"const": n} for n in range(1_000)]})),
    clean("a list of trees", lambda: {"value": nested(28, in_a)},
          parameters=tree(LEAF, BRANCH)),
    wrong("nothing fits", lambda: {"value": 7}, "wrong_type",
          parameters=schema(value={"allOf": [{"type": "string"}, {"type": "integer"}]})),
    wrong("99,000 choices", lambda: {"value": "v99001"}, "not_allowed",
          parameters=schema(value={"enum": [f"v{n}" for n in range(99_000)]})),
    wrong("10,000 absent arguments", dict, "missing_argument",
          parameters={"type": "object", "required": [f"k{n}" for n in range(10_000)]}),
    wrong("a pattern of 1,000 brackets in a value", lambda: {"value": "[a-z]" * 100_000},
          "bad_format", parameters=schema(value={"type": "string", "format": "regex"})),
]  # fmt: skip

_BROKEN_SCHEMAS = {
    "a remote reference": schema(value={"$ref": "http://example.invalid/x.json"}),
    "a file as reference": schema(value={"$ref": "file:///etc/passwd"}),
    "a reference to itself": {"$ref": "#"},
    "two references to each other": {
        **schema(value={"$ref": "#/$defs/a"}),
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "200 schemas inside each other": schema(value=nested(100, lambda s: {"allOf": [s]})),
    "a type that is none": schema(value={"type": "strnig"}),
    "a pattern that is none": schema(value={"pattern": "(((("}),
    "a pattern of 5,000 groups": schema(value={"pattern": "(?:" * 5000 + ")" * 5000}),
}
BROKEN_SCHEMAS = [
    *[clean(name, lambda: {"value": 7}, parameters=parameters, unavailable="parameter_mismatch")
      for name, parameters in _BROKEN_SCHEMAS.items()],
    *[undecided(f"{name}, which may not pass", lambda: {"value": 7}, "parameter_mismatch",
                parameters=parameters, declared={"on_error": "block"})
      for name, parameters in _BROKEN_SCHEMAS.items()],
]  # fmt: skip

RULES = [
    undecided("a rule that raises", lambda: {"value": 0}, "impossible_state",
              declared={"rules": [breaks]}),
    undecided("a rule that gives a list", lambda: {"value": 0}, "impossible_state",
              declared={"rules": [never_sure]}),
    clean("a rule that changes its arguments", lambda: {"value": {"kept": ["x"]}},
          declared={"rules": [rewrites]}),
    wrong("a rule that rambles", lambda: {"value": 1}, "rule", declared={"rules": [rambles]}),
    clean("a rule that hangs, and says yes", lambda: {"value": 1},
          declared={"rules": [answers_late(True)]}),
    wrong("a rule that hangs, and says no", lambda: {"value": 1}, "rule",
          declared={"rules": [answers_late(False)]}),
    undecided("a rule with a pattern that backtracks, timed", lambda: {"value": "a" * 4000 + "!"},
              "impossible_state", declared={"rules": [has_a_good_form]}),
]  # fmt: skip

ALLOWLISTS = [
    suspect("a glob that backtracks", lambda: {"order_id": "tx_1" + "a" * 10_000}, "unseen",
            declared={"allow": ["*a*a*a*a*a*a*a*a*a*b"]}),
    undecided("an allowlist that raises", lambda: {"order_id": "tx_9"}, "phantom_target",
              declared={"allow": [raising]}),
]  # fmt: skip

GROUPS = [
    SIZES, DEPTHS, NUMBERS, SHAPES, TEXT_BOMBS, OBJECTS, SCHEMAS, BROKEN_SCHEMAS, RULES, ALLOWLISTS,
]  # fmt: skip
CASES = [case for group in GROUPS for case in group]
