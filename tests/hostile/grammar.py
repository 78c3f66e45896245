"""A grammar of inputs that grow: repeats, nests, alternations, near-misses, classes of Unicode."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

PIECES = (
    "a", "1", "word ", "tx_1 ", "tx_99999", "ORD-", "0", "x1", "a_", "A-", "-", "--", "_", ".",
    ",", ":", "/", "@", "#", "~", "%25", "..", "\n", "\t", " ", "  ", "[", "(", "{", "}", '"',
    "'", "\\", "<id>", "{x}", "[x]", "a.b", "a@b.de ", "@x.org", "http://a.b/", "/srv/a", "?a=",
    "&b=1", "+49 30 ", "(030) ", "12 ", "1.", "1,", "1,000.5 ", "$5 ", "5 EUR ", "-1",
    "2024-01-02 ", "12:30 ", "Ann ", "Dr. ", "order ", "order: ", "id is ", "not ", "No. ",
    "I cancelled ", "| x ", "\n- ", '{"a":', '"id":', "],", "é", "e\u0301", "\u0315\u0300", "ß",
    "İ", "ﬁ", "\ufdfa", "①", "٣", "Привет ", "日本", "あ", "한", "ก", "\u200b", "\u202e",
    "\u00ad", "😀", "👩\u200d", "\ud800", "\x00", "аb",
)  # fmt: skip
SHAPES = ("text", "list", "object", "rows", "nest", "json")
SCHEMAS = (
    "properties",
    "required",
    "enum",
    "anyOf",
    "allOf",
    "pattern",
    "nest",
    "refs",
    "constants",
)
WIDTHS = (2, 12, 60, 400, 4_000, 100_000)
_DEEPEST = 60


@dataclass(frozen=True, kw_only=True)
class Input:
    """
    Input of any size.

    Attributes:
        pieces: The texts that are repeated in turn.
        head: The text before the pieces.
        tail: The text after the pieces, which makes a near match fail.
        numbered: Whether each piece is followed by its own number.
        shape: The kind of value that is built from the texts.
        width: The number of characters of each text of a value.
        schema: The kind of schema that is built.
    """

    pieces: tuple[str, ...]
    head: str = ""
    tail: str = ""
    numbered: bool = False
    shape: str = "text"
    width: int = 60
    schema: str = "properties"

    def text(self, size: int, start: int = 0) -> str:
        """Return a text of about so many characters."""
        result, length, n = [self.head], len(self.head) + len(self.tail), start
        for piece in cycle(self.pieces):
            if length >= size:
                break
            result.append(f"{piece}{n}" if self.numbered else piece)
            length += len(result[-1])
            n += 1
        return "".join([*result, self.tail])[: size + len(self.tail)]

    def texts(self, size: int, around: int = 0) -> list[str]:
        """Return texts that have about so many characters together, with *around* each."""
        count = max(1, size // (self.width + around))
        return [self.text(min(size, self.width), 1_000 * n) for n in range(count)]

    def value(self, size: int) -> Any:
        """Return a value as JSON has it, of about so many characters."""
        if self.shape == "text":
            return self.text(size)
        texts = self.texts(size)
        if self.shape == "object":
            return {f"{text}{n}": text for n, text in enumerate(texts)}
        if self.shape == "rows":
            return [{"id": text, "name": n, "order_id": text} for n, text in enumerate(texts)]
        if self.shape == "nest":
            return self._nested(texts)
        return json.dumps(texts) if self.shape == "json" else texts

    def _nested(self, texts: list[str]) -> Any:
        """Return texts in trees, each no deeper than a call may be."""
        trees = []
        for start in range(0, len(texts), _DEEPEST):
            tree: Any = "x"
            for text in islice(texts, start, start + _DEEPEST):
                tree = {text[:200]: tree}
            trees.append(tree)
        return trees

    def parameters(self, size: int) -> dict[str, Any]:
        """Return a schema of about so many characters."""
        texts = [f"{text}{n}" for n, text in enumerate(self.texts(size))]
        return {"type": "object", "properties": {"value": {}, "order_id": {}}, **self._said(texts)}

    def _said(self, texts: list[str]) -> dict[str, Any]:
        one = [{"type": "object", "required": [text]} for text in texts]
        chain = {f"d{n}": {"items": {"$ref": f"#/$defs/d{n + 1}"}} for n in range(len(texts))}
        first, last = {"$ref": "#/$defs/d0"}, {f"d{len(texts)}": {}}
        makes: dict[str, Callable[[], dict[str, Any]]] = {
            "properties": lambda: {"properties": {text: {"type": "string"} for text in texts}},
            "required": lambda: {"required": texts},
            "enum": lambda: _of_value({"enum": texts}),
            "anyOf": lambda: _of_value({"items": {"anyOf": one}}),
            "allOf": lambda: {"allOf": one},
            "pattern": lambda: {"patternProperties": {text[:400]: {} for text in texts}},
            "nest": lambda: _of_value({"anyOf": [{"items": each} for each in one]}),
            "refs": lambda: _of_value(first) | {"$defs": chain | last},
            "constants": lambda: _of_value({"anyOf": [{"const": text} for text in texts]}),
        }
        return makes[self.schema]()


def _of_value(schema: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"value": schema}}
