"""
Draw `architecture.svg`: the rooms of the package on their floors, and which imports which.

    python docs/pictures/architecture.py          # write the picture
    python docs/pictures/architecture.py --check  # exit with 1 where it is out of date

Floors are those of the import contract in pyproject.toml, imports are read from the source.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "abs_shield"
PICTURE = Path(__file__).with_name("architecture.svg")
WIDTH, FLOOR, BOX, GAP, TOP = 960, 62, 34, 14, 20
Place = tuple[float, float, float]
"""Left, top and width of a box."""


def floors() -> list[list[str]]:
    """Return the rooms of each floor, from the top of the contract to its bottom."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (
        each
        for each in project["tool"]["importlinter"]["contracts"]
        if each["type"] == "layers" and each["containers"] == ["abs_shield"]
    )
    return [re.findall(r"\w+", floor) for floor in contract["layers"]]


def imports(node: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported below *node*, other than for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and child.module and not child.level:
            yield from (f"{child.module}.{name.name}" for name in child.names)
        elif isinstance(child, ast.Import):
            yield from (name.name for name in child.names)
        yield from imports(child)


def room_imports(rooms: list[str]) -> dict[str, set[str]]:
    """Return, for each room, the rooms that one of its modules imports."""
    graph: dict[str, set[str]] = {room: set() for room in rooms}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room in graph:
            for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
                package, _, rest = name.partition(".")
                other = rest.partition(".")[0]
                if package == "abs_shield" and other in graph and other != room:
                    graph[room].add(other)
    return graph


def reduced(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the arrows that say the same with the fewest lines: no shortcuts over other rooms."""

    def reached(room: str) -> set[str]:
        near = graph[room]
        return near.union(*(reached(other) for other in near))

    return [
        (room, other)
        for room in sorted(graph)
        for other in sorted(graph[room])
        if not any(other in reached(third) for third in graph[room] - {other})
    ]


def room_places(rows: list[list[str]]) -> dict[str, Place]:
    """Return the place of each room: the rooms of a floor side by side, in the middle."""
    places: dict[str, Place] = {}
    for index, row in enumerate(rows):
        widths = [9.0 * len(room) + 28 for room in row]
        left = (WIDTH - sum(widths) - 3 * GAP * (len(row) - 1)) / 2
        # rooms alone on their floor take turns left and right, so that arrows pass beside them
        left += (-150, 0, 150, 0)[index % 4] if len(row) == 1 else 0
        for room, width in zip(row, widths, strict=True):
            places[room] = (left, TOP + index * FLOOR, width)
            left += width + 3 * GAP
    return places


def arrow(upper: Place, lower: Place) -> str:
    """Return the arrow from a room to one that it imports."""
    (x1, y1, w1), (x2, y2, w2) = upper, lower
    start, end = x1 + w1 / 2, x2 + w2 / 2
    lean = max(-0.35, min(0.35, (end - start) / 600))
    a, b = start + lean * w1, end - lean * w2
    return (
        f'<path d="M{a:.0f} {y1 + BOX}C{a:.0f} {y1 + BOX + 26} {b:.0f} {y2 - 30} '
        f'{b:.0f} {y2 - 1}" fill="none" stroke="#5f6b7a" marker-end="url(#tip)"/>'
    )


def box(room: str, place: Place) -> list[str]:
    """Return the box of a room, and its name."""
    x, y, width = place
    return [
        f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="5" '
        'fill="#e8eef7" stroke="#2f4b7c"/>',
        f'<text x="{x + width / 2:.0f}" y="{y + 22}" text-anchor="middle" fill="#1c2733">'
        f"{room}</text>",
    ]


def draw() -> str:
    """Return the picture."""
    rows = floors()
    arrows = reduced(room_imports([room for row in rows for room in row]))
    places = room_places(rows)
    height = TOP * 2 + len(rows) * FLOOR - (FLOOR - BOX)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" font-family="sans-serif" font-size="15">',
        "<title>The rooms of abs_shield: each imports only rooms below it</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5f6b7a"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        *(arrow(places[upper], places[lower]) for upper, lower in arrows),
    ]
    for room, place in places.items():
        lines.extend(box(room, place))
    return "\n".join([*lines, "</svg>", ""])


def main(argv: list[str]) -> int:
    """Write the picture, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if it is out of date"
    )
    checks_only = parser.parse_args(argv).check
    picture = draw()
    if not checks_only:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    if PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == picture:
        return 0
    print(f"{PICTURE.name} is out of date: run python {Path(__file__).relative_to(ROOT)}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
