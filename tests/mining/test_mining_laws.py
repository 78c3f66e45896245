"""For tools of any names and texts, the module compiles, is formatted, and is verified."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tokenize
from io import StringIO
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from abs_shield import PolicyError, Tool
from abs_shield.mining import LetThrough, Recorded, ToolSource, mine
from abs_shield.mining.python_literals import comment, comment_lines, flat, literal

RUFF = Path(sys.executable).parent / "ruff"

TEXT = st.text(max_size=40) | st.sampled_from(
    ['"""', "'\"", "\\", "a\nb", "# noqa", "\u202e", "x # type: ignore", "{0}", "id", "\ud800"]
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)
KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "object", "array", "null", "x"]),
        "description": TEXT,
        "enum": st.lists(SCALAR, max_size=3),
        "default": JSON,
        "minimum": st.integers(-5, 5),
        "pattern": st.sampled_from(["^a+$", "(", "[0-9]{3}"]),
        "$ref": st.sampled_from(["#/$defs/a", "#", "https://example.com/x.json", "#/nowhere"]),
        "format": st.sampled_from(["uuid", "date", "odd"]),
    },
)
SCHEMA = st.recursive(
    KEYWORDS | st.booleans() | JSON,
    lambda inner: st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(TEXT, inner, max_size=4)},
        optional={"required": st.lists(TEXT, max_size=2), "$defs": st.dictionaries(TEXT, inner)},
    ),
    max_leaves=8,
)
NAME = TEXT.filter(bool) | st.builds(
    "{}_{}".format, st.sampled_from(["create", "delete", "get", "lock", "unlock"]), TEXT
)


@st.composite
def tools(draw: Any) -> list[Tool]:
    """Generate tools of any names and schemas that a `Tool` accepts."""
    made: dict[str, Tool] = {}
    for name in draw(st.lists(NAME, min_size=1, max_size=4, unique=True)):
        schema = draw(SCHEMA)
        parameters = schema if isinstance(schema, dict | bool) else None
        try:
            made[name] = Tool(name=name, parameters=parameters, description=draw(TEXT))
        except PolicyError:
            continue
    return [*made.values()]


@pytest.mark.slow
@pytest.mark.release
@given(tools())
def test_any_tools_give_a_module_without_errors(listed: list[Tool]) -> None:
    """No name, text or schema breaks the module, and its verification has no errors."""
    made = mine(ToolSource(name="tools.json", tools=tuple(listed)))

    assert () == made.proof.errors
    assert sorted(tool.name for tool in listed) == [tool.name for tool in made.draft.tools]


CALL = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["lend", "delete_copy", "lned", "", "\ud800", "*", "x" * 600])
        | TEXT,
        "arguments": st.dictionaries(
            st.sampled_from(["copy_id", "n", "0"]) | TEXT, JSON, max_size=3
        )
        | st.just("{"),
    }
)
LINES = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
SHAPE = {"type": "object", "properties": {"copy_id": {"type": "string"}, "n": LINES}}
LIBRARY = (Tool(name="lend", parameters=SHAPE), Tool(name="delete_copy", parameters=SHAPE))


@settings(max_examples=min(30, settings.default.max_examples // 2))
@given(st.lists(st.lists(CALL, max_size=4), min_size=1, max_size=4), st.sampled_from(LetThrough))
def test_every_recorded_call_is_allowed_or_reported(
    sessions: list[Any], let_through: LetThrough
) -> None:
    """The module reports blocked calls if, and only if, strict mode still blocks some."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        with path.open("w") as file:
            for calls in sessions:
                messages: list[Any] = [{"role": "user", "content": "C-1, please."}]
                messages += [{"role": "assistant", "tool_calls": [call]} for call in calls]
                file.write(json.dumps({"messages": messages}) + "\n")
        recorded = Recorded(paths=(str(path),))
        made = mine(ToolSource(name="tools.json", tools=LIBRARY), recorded, let_through=let_through)

    blocked = [*made.stays, *made.draft.enforced, *made.draft.proposed]
    assert made.last is not None
    assert bool(made.last.would_block) == bool(blocked)
    assert let_through is not LetThrough.ALL or [*made.stays] == blocked
    assert all("a policy cannot contain it" in message for message in made.stays)
    assert () == made.proof.errors
    assert all(each.tool for each in made.draft.passes)


@pytest.mark.skipif(not RUFF.exists(), reason="needs `pip install ruff`")
@settings(max_examples=min(20, settings.default.max_examples // 2))
@given(st.lists(JSON, min_size=1, max_size=20))
@example([{"x" * 73: inf}])
def test_a_literal_evaluates_to_its_value_and_is_formatted(values: list[Any]) -> None:
    """The formatter does not change the source, and evaluating it returns the value."""
    given = [f"v{n} = " for n, _ in enumerate(values)]
    sources = [literal(v, used=len(g), after=0) for g, v in zip(given, values, strict=True)]
    text = "".join(f"{g}{source}\n" for g, source in zip(given, sources, strict=True))
    command = [RUFF, "format", "--isolated", "--check", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)

    assert [repr(v) for v in values] == [repr(eval(s, {"float": float})) for s in sources]
    assert (0, "") == (done.returncode, done.stderr), text


@given(TEXT, st.integers(0, 60))
def test_any_text_makes_a_valid_comment(text: str, indent: int) -> None:
    """No text ends a comment early or contains a further `#` that a linter could read."""
    lines = [*comment(text, indent=indent), *comment_lines(f"x = {flat(text)}", indent=indent)]
    found = [*tokenize.generate_tokens(StringIO("\n".join(lines) + "\n").readline)]

    assert [] == ast.parse("\n".join(lines)).body
    assert all("#" not in line.lstrip()[1:] for line in lines)
    assert len(lines) == sum(token.type == tokenize.COMMENT for token in found)
