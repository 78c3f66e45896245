"""Names and docstrings of the package are plain English: no word of a private dialect."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[2] / "abs_shield"
PARTICIPLES = "told said heard kept given known seen asked found named made"
METAPHORS = "desk bench door crew teller seam"
NO_NAMES = frozenset(f"{PARTICIPLES} {METAPHORS}".split())
"""Words that say nothing of what a file, a class, a function or a variable is."""
MOST_PER_THOUSAND = 3
"""Of the words in identifiers: a local variable may now and then be best named so."""
STAYS = {
    "known_currency": "decisions are stored under the names of rules",
    "known": "the former name of `AppliedLabels.already_applied`, for one release",
}
"""Names of functions that stay, each with the reason."""
FRAMEWORKS_OWN = frozenset({"ShieldMiddleware"})
"""Each framework's adapter names its middleware as that framework's users expect."""
NO_BEGINNINGS = frozenset("Give Gives What Which Whether Who How".split())
NO_PHRASES = re.compile(
    r"\b(?:of which|stands in|(?<!there )is no(?! (?:longer|more))|nobody|of ours|at once)\b"
)
NO_METAPHORS = re.compile(rf"(?<![-\w])(?:{METAPHORS.replace(' ', '|')})s?\b", re.IGNORECASE)
VOCABULARIES = frozenset(
    f"{place}.py"
    for place in (
        "answer/checks/action_patterns",
        "answer/checks/paid_amounts",
        "plan/rule_sentence",
        "quality/pii/impersonal_values",
        "text/phones",
        "text/polarity",
        "text/value_shapes",
    )
)
"""Modules whose strings are words of users' texts to recognise, not messages."""
ROOT = PACKAGE.parent
STAYING_PHRASES = {
    "support desk": "a department",
    "front desk": "a department",
    "crew-7": "an id",
    "crew: Deprecated name of": "a deprecated parameter",
    "`outcomes(crew=...)` is now": "a deprecated parameter",
}
"""Standard terms and data that contain a word of the lists, each with the reason."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Identifier(NamedTuple):
    """A name that the package gives to something, and where."""

    kind: str
    name: str
    place: str

    @property
    def words(self) -> list[str]:
        """Its words in lower case."""
        return [word.lower() for word in _WORDS.findall(self.name)]


@cache
def modules() -> dict[Path, ast.Module]:
    """Return the syntax of each module by its path."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def identifiers() -> tuple[Identifier, ...]:
    """Return the names of files, classes, functions, parameters and variables."""
    return tuple(_identifiers())


def _identifiers() -> Iterator[Identifier]:
    for path, module in modules().items():
        place = str(path.relative_to(PACKAGE))
        yield Identifier("file", path.stem, place)
        for node in ast.walk(module):
            match node:
                case ast.ClassDef(name=name):
                    yield Identifier("class", name, f"{place}:{node.lineno}")
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield Identifier("function", name, f"{place}:{node.lineno}")
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    yield Identifier("variable", name, f"{place}:{node.lineno}")


class Text(NamedTuple):
    """A docstring or another string of the package, and where."""

    place: str
    text: str
    is_docstring: bool


@cache
def texts() -> tuple[Text, ...]:
    """
    Return the strings of the package: docstrings, and other strings of several words.

    Docstrings are all expressions that are only a string: of modules, classes, functions, and of
    the constants and attributes before them.
    """
    return tuple(
        Text(f"{path.relative_to(PACKAGE)}:{node.lineno}", node.value.strip(), is_docstring)
        for path, module in modules().items()
        for node, is_docstring in _strings(module)
        if is_docstring or " " in node.value.strip()
    )


def _strings(module: ast.Module) -> Iterator[tuple[ast.Constant, bool]]:
    docstrings = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
            yield node, id(node) in docstrings


def pages() -> list[Path]:
    """Return the pages and examples that a user reads."""
    folders = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")]
    return sorted([*folders, ROOT / "README.md", ROOT / "CONTRIBUTING.md"])


def match_lists(text: str) -> list[str]:
    """Return the phrases and metaphors of the lists in a text."""
    for staying in STAYING_PHRASES:
        text = text.replace(staying, "")
    return [match[0] for list_ in (NO_PHRASES, NO_METAPHORS) for match in list_.finditer(text)]


def test_no_file_class_or_function_has_a_word_of_the_list() -> None:
    """A noun says what a thing is, a verb what a function does; a participle says neither."""
    wrong = [
        f"{one.place}: {one.kind} {one.name}"
        for one in identifiers()
        if one.kind != "variable" and one.name not in STAYS and NO_NAMES.intersection(one.words)
    ]

    assert [] == wrong


def test_few_variables_have_a_word_of_the_list() -> None:
    """Fewer than 3 in 1,000 words of all identifiers."""
    words = [word for one in identifiers() for word in one.words]
    wrong = [word for word in words if word in NO_NAMES]

    assert len(wrong) < MOST_PER_THOUSAND * len(words) / 1_000


def test_a_docstring_begins_with_what_the_thing_is_or_does() -> None:
    """A verb such as `Return`, or a noun; no question word."""
    wrong = [
        one.place for one in texts() if one.is_docstring and one.text.split()[0] in NO_BEGINNINGS
    ]

    assert [] == wrong


def test_a_docstring_of_a_test_or_benchmark_states_a_behaviour() -> None:
    """It is a plain sentence or a noun phrase, and does not begin with a question word."""
    wrong = [
        f"{path.relative_to(ROOT)}: {docstring.split()[0]}"
        for folder in ("tests", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for docstring in _docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if docstring.split()[0] in NO_BEGINNINGS
    ]

    assert [] == wrong


def _docstrings(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                yield docstring


def test_no_docstring_or_message_has_a_phrase_of_the_list() -> None:
    """They are read twice before they are understood."""
    wrong = [
        f"{one.place}: {matches}"
        for one in texts()
        if one.is_docstring or one.place.split(":")[0] not in VOCABULARIES
        if (matches := match_lists(one.text))
    ]

    assert [] == wrong


def test_no_page_has_a_phrase_of_the_list() -> None:
    """The pages and examples use the same plain English as the package."""
    wrong = {
        str(page.relative_to(ROOT)): matches
        for page in pages()
        if (matches := match_lists(page.read_text(encoding="utf-8")))
    }

    assert {} == wrong


@pytest.mark.parametrize("kind", ["file", "class"])
def test_a_name_is_unique(kind: str) -> None:
    """A search for a class, or for a file, finds one."""
    places = defaultdict(list)
    for one in identifiers():
        if one.kind == kind and one.name not in ("__init__", "__main__", *FRAMEWORKS_OWN):
            places[one.name].append(one.place)

    assert {} == {name: result for name, result in places.items() if len(result) > 1}
