"""Facts, the protocol of their sources, and a table of facts from rows, CSV, JSON or SQLite."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from abs_shield.errors import PolicyError, ShieldError
from abs_shield.quality.marked_sentences import sentence_keys
from abs_shield.text.safe_display import escaped, shown
from abs_shield.text.tokens import keys_of

TOLERANCE = 0.005
"""Default relative tolerance of a value: half a percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    One fact.

    Attributes:
        subject: Name of the entity, as texts write it: ``Apple``.
        attribute: The attribute: ``market cap``.
        value: Its value as a person would write it: ``$3.1T``, ``1889``, ``Tim Cook``.
        period: The period for which it holds, as texts write it: ``Q4 2025``; empty if always.
        tolerance: Relative tolerance of a number, at least 0; years and dates have none.
        aliases: Other names of the entity: ``("Apple Inc.", "AAPL")``.
        attribute_aliases: Other words for the attribute: ``("market value",)``.

    Raises:
        PolicyError: A text is empty, the tolerance is negative or not a number, or aliases are
            not a list of strings.
    """

    subject: str
    attribute: str
    value: str
    period: str = ""
    tolerance: float = TOLERANCE
    aliases: Sequence[str] = ()
    attribute_aliases: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("subject", "attribute", "value"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise PolicyError(f"fact: `{name}` is {shown(text)}; give a text that is not empty")
        if not isinstance(self.tolerance, (int, float)) or not 0 <= self.tolerance < float("inf"):
            hint = "give a number from 0, such as 0.005"
            raise PolicyError(f"fact: `tolerance` is {shown(self.tolerance)}; {hint}")
        for name in ("aliases", "attribute_aliases"):
            several = getattr(self, name)
            if isinstance(several, str) or not all(
                isinstance(one, str) and one.strip() for one in several
            ):
                raise PolicyError(f"fact: `{name}` is {shown(several)}; give a list of texts")
            object.__setattr__(self, name, tuple(several))


class FactsUnavailable(ShieldError):
    """A source of facts is unavailable: nothing is verified, and the stage reports it."""


class Facts(Protocol):
    """
    A source of facts: a table, a knowledge graph, a service.

    A source that needs the network may have a method ``read(text)``, which receives a whole output
    before its sentences.
    """

    def facts_about(self, sentence: str) -> Iterable[Fact]:
        """
        Return the facts whose subject a sentence names; empty if there are none.

        Raises:
            FactsUnavailable: The source is unavailable.
        """


_TEXTS = ("subject", "attribute", "value", "period")
_COLUMNS = (*_TEXTS, "tolerance", "aliases", "attribute_aliases")


class FactTable:
    """
    Facts in memory, indexed by the words of their subjects.

    Args:
        facts: The facts.

    >>> table = FactTable([Fact(subject="Apple", attribute="market cap", value="$3.1T")])
    >>> [fact.value for fact in table.facts_about("Apple's market cap reached $3.2T.")]
    ['$3.1T']
    """

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], Fact]]] = defaultdict(list)
        for fact in facts:
            for name in (fact.subject, *fact.aliases):
                keys = tuple(keys_of(name))
                if not keys:
                    raise PolicyError(f"fact: the subject {shown(name)} has no word")
                self._by_first[keys[0]].append((keys, fact))

    def __iter__(self) -> Iterator[Fact]:
        """Yield the facts, grouped by the first word of the subject."""
        return (fact for facts in self._by_first.values() for _, fact in facts)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """
        Return a table from rows with the columns subject, attribute and value.

        Optional columns are period, tolerance, aliases and attribute_aliases; several aliases are
        a list, or a string separated by ``;``.

        Raises:
            PolicyError: A row lacks a column, or has an invalid value.
        """
        return cls([_fact(row, place) for place, row in enumerate(rows, 1)])

    @classmethod
    def from_file(cls, path: str | Path, *, table: str = "facts") -> Self:
        """
        Return a table from a file, by its suffix: ``.csv``, ``.json``, ``.sqlite`` or ``.db``.

        Args:
            path: A CSV file with a header, a JSON list of objects, or an SQLite database.
            table: Name of the table in a database.

        Raises:
            PolicyError: The file cannot be read, or has invalid rows.
        """
        path = Path(path)
        readers = {".csv": _csv_rows, ".json": _json_rows}
        try:
            if path.suffix in (".sqlite", ".sqlite3", ".db"):
                return cls.from_rows(_database_rows(path, table))
            if path.suffix not in readers:
                hint = "use .csv, .json, .sqlite or .db"
                raise PolicyError(f"facts: `{path.name}` has no known ending; {hint}")
            return cls.from_rows(readers[path.suffix](path))
        except (OSError, ValueError, sqlite3.Error) as error:
            if isinstance(error, PolicyError):
                raise
            reason = escaped(getattr(error, "strerror", None) or str(error), limit=200)
            hint = "give a .csv, .json, .sqlite or .db file of facts"
            raise PolicyError(f"facts: `{path.name}` cannot be read: {reason}; {hint}") from None

    def facts_about(self, sentence: str) -> list[Fact]:
        """Return the facts whose subject occurs in a sentence, word by word."""
        words = sentence_keys(sentence)
        facts = (
            fact
            for place, word in enumerate(words)
            for keys, fact in self._by_first.get(word, ())
            if tuple(words[place : place + len(keys)]) == keys
        )
        return [*dict.fromkeys(facts)]


def _fact(row: Mapping[str, Any], place: int) -> Fact:
    # a misspelt column would silently be left out
    unexpected = [name for name in row if name not in _COLUMNS]
    if unexpected:
        raise PolicyError(
            f"facts: row {place} has the column {shown(unexpected[0])}; use {', '.join(_COLUMNS)}"
        )
    texts = {name: str(row.get(name) or "") for name in _TEXTS}
    tolerance = row.get("tolerance")
    try:
        allowed = TOLERANCE if tolerance in (None, "") else float(str(tolerance))
        return Fact(
            **texts,
            tolerance=allowed,
            aliases=_several(row.get("aliases")),
            attribute_aliases=_several(row.get("attribute_aliases")),
        )
    except ValueError:
        hint = "give a number from 0, such as 0.005"
        raise PolicyError(
            f"facts: row {place}: `tolerance` is {shown(tolerance)}; {hint}"
        ) from None
    except PolicyError as error:
        raise PolicyError(f"facts: row {place}: {error}") from None


def _several(value: Any) -> tuple[str, ...]:
    """Return the aliases of a cell: a list, or a string separated by semicolons."""
    several = str(value or "").split(";") if not isinstance(value, (list, tuple)) else value
    return tuple(str(one).strip() for one in several if str(one).strip())


def _csv_rows(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets write a BOM
        return [*csv.DictReader(file)]


def _json_rows(path: Path) -> list[dict[str, Any]]:
    rows = json.loads(path.read_text("utf-8-sig"))
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        hint = "write one object for each fact"
        raise PolicyError(f"facts: `{path.name}` is not a JSON list of objects; {hint}")
    return rows


def _database_rows(path: Path, table: str) -> list[dict[str, Any]]:
    # a name of a table cannot be a parameter of a statement
    if not table.isidentifier():
        raise PolicyError(f"facts: {shown(table)} is not the name of a table")
    # read-only, or a misspelt path would create an empty database
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f'SELECT * FROM "{table}"')]
    finally:
        connection.close()
