"""Comments say why: they are frequent enough, and every number that decides something has one."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import abs_shield

PACKAGE = Path(abs_shield.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
LEAST_SHARE = 0.015
"""Share of the lines that have a comment; well-kept packages have 2 to 4 %."""
DIRECTIVE = re.compile(r"#\s*(?:fmt|noqa|type|pragma)\b")
"""A comment for a tool, which says nothing to a reader."""


@cache
def commented_lines(text: str) -> set[int]:
    """Return the numbers of the lines that have a comment for a reader."""
    read = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]
        for token in read
        if token.type == tokenize.COMMENT and not DIRECTIVE.match(token.string)
    }


def number_constants(tree: ast.Module) -> Iterator[tuple[ast.stmt, str, ast.stmt | None]]:
    """Yield each constant of a module that is a number, its name, and the statement after it."""
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            target = node.target
        if isinstance(target, ast.Name) and target.id.isupper() and is_number(node.value):  # type: ignore[union-attr]
            yield node, target.id, after


def is_number(value: ast.expr) -> bool:
    """Return whether an expression is a number, or is calculated from numbers."""
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def is_text(node: ast.stmt | None) -> bool:
    """Return whether a statement is a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def test_comments_are_frequent_enough() -> None:
    """Rare comments leave the reasons to be guessed."""
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    lines = sum(text.count("\n") for text in texts)

    assert sum(len(commented_lines(text)) for text in texts) >= LEAST_SHARE * lines


@pytest.mark.parametrize(
    "room", sorted({path.relative_to(PACKAGE).parts[0] for path in FILES}), ids=str
)
def test_every_number_has_its_reason(room: str) -> None:
    """A constant of a module has a comment on its line or above it, or a docstring below."""
    without = []
    for path in FILES:
        if path.relative_to(PACKAGE).parts[0] != room:
            continue
        text = path.read_text(encoding="utf-8")
        commented = commented_lines(text)
        for node, name, after in number_constants(ast.parse(text)):
            near = {node.lineno - 1, *range(node.lineno, (node.end_lineno or node.lineno) + 1)}
            if not near & commented and not is_text(after):
                without.append(f"{path.relative_to(PACKAGE)}: {name}")

    assert [] == without
