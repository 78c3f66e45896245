"""Every layer has a row and a page, which lists each of its codes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_shield.cli.layers_command import scenario
from abs_shield.layers import LAYERS, OPT_IN
from abs_shield.plan.finding_codes import FINDING_CODES

ROOT = Path(__file__).parents[2]
NAMES = (*LAYERS, *OPT_IN)
HEADINGS = (
    "An example",
    "What is judged, and how",
    "Codes",
    "Declare, loosen, silence",
    "What it cannot see",
    "Measured",
)
_ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \|", re.MULTILINE)
_FIGURE = re.compile(r"\d+(?:,\d{3})*/\d+(?:,\d{3})*")


def page(layer: str) -> str:
    """Return the text of a layer's page, or an empty text."""
    path = ROOT / "docs" / "layers" / f"{layer}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def section(layer: str, heading: str) -> str:
    """Return the text under a heading of a layer's page."""
    return page(layer).partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def codes_on_page(layer: str) -> set[str]:
    """The codes that have a row on a layer's page."""
    rows = _ROW.findall(section(layer, "Codes"))
    return {code for row in rows for code in re.findall(r"`(\w+)`", row)}


def sources(layer: str) -> list[Path]:
    """Return the modules that contain a layer's codes."""
    room = ROOT / "abs_shield"
    mine = [room / "layers" / f"{layer}.py"]
    if layer == "parameter_mismatch":
        mine += [room / "core" / "call_arguments.py", *(room / "schema").glob("*.py")]
    if layer == "phantom_target":
        mine += [room / "plan" / "guarded_values.py", room / "plan" / "target_findings.py"]
    return mine


def codes_in(module: Path) -> set[str]:
    """Return the texts that a module passes as ``code``, by name, by position or by assignment."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    places = {"Malformed": 0, "Doubt": 2, **_places(tree)}
    results: set[str] = set()
    for node in ast.walk(tree):
        for option in _code_values(node, places):
            results |= {part.value for part in _parts(option) if isinstance(part.value, str)}
    return results - {""}


def _places(tree: ast.Module) -> dict[str, int]:
    """At which place the module's own functions take a ``code``."""
    result = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    taken = {node.name: [argument.arg for argument in node.args.args] for node in result}
    return {name: names.index("code") for name, names in taken.items() if "code" in names}


def _code_values(node: ast.AST, places: dict[str, int]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        yield from (word.value for word in node.keywords if word.arg == "code")
        place = places.get(getattr(node.func, "id", ""))
        if place is not None and len(node.args) > place:
            yield node.args[place]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        names = [getattr(name, "id", "") for name in node.targets[0].elts]
        if "code" in names and isinstance(node.value, ast.Tuple):
            yield node.value.elts[names.index("code")]


def _parts(given: ast.expr) -> Iterator[ast.Constant]:
    branches = [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]
    return (part for part in branches if isinstance(part, ast.Constant))


@pytest.mark.parametrize("layer", NAMES)
def test_every_layer_has_its_row(layer: str) -> None:
    """A layer's row in docs/layers.md leads to its page, and names its codes or their place."""
    text = (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith(f"| [`{layer}`](layers/"))
    named = set(re.findall(r"`(\w+)`", row)) - {layer}

    assert f"](layers/{layer}.md)" in row
    assert f"](layers/{layer}.md#codes)" in row or named == codes_on_page(layer)


@pytest.mark.parametrize("layer", NAMES)
def test_every_layer_has_its_page(layer: str) -> None:
    """A layer's page opens with its scenario, has every section, and its example runs."""
    missing = [heading for heading in HEADINGS if not section(layer, heading).strip()]

    assert [] == missing
    assert f"# {layer}\n\n{scenario(layer)}\n" in page(layer)
    assert "```python" in section(layer, "An example")


@pytest.mark.parametrize("layer", NAMES)
def test_every_code_has_its_line(layer: str) -> None:
    """The codes in a layer's page, and those that `prove` knows, are those in its code."""
    written = {code for module in sources(layer) for code in codes_in(module)}

    assert written == codes_on_page(layer)
    assert written == FINDING_CODES[layer]


@pytest.mark.parametrize("layer", NAMES)
def test_the_figures_agree(layer: str) -> None:
    """Figures on a layer's page are also in docs/detection.md."""
    text = (ROOT / "docs" / "detection.md").read_text(encoding="utf-8")
    figures = _FIGURE.findall(section(layer, "Measured"))

    assert [] == [figure for figure in figures if figure not in text]


def test_every_page_of_a_layer_has_its_layer() -> None:
    """There is no page of a layer that does not exist."""
    pages = (ROOT / "docs" / "layers").glob("*.md")

    assert sorted(NAMES) == sorted(path.stem for path in pages)
