"""Values that calls introduced in their arguments, which their results may only repeat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import filterfalse
from typing import Any, Literal, NamedTuple

from abs_shield.session.result_content import NUMBERED, ResultContent, indexed_forms
from abs_shield.session.result_text import LONGEST_SCALAR
from abs_shield.session.token_index import TokenIndex
from abs_shield.session.value_field import Field
from abs_shield.session.word_lookup import LONGEST_VALUE, ValueMatch
from abs_shield.text.identifier_words import is_free_text_field, is_machine_input_field
from abs_shield.text.json_leaves import LeafWalk, Path, UnreadIterator, name_of, scalar_text
from abs_shield.text.normal_form import alphanumerics, codes, normal, parts

_MOST_COMPARED = 5_000
"""
Values of the arguments of one call that are looked up in every spelling.

The result of a call with more is not read, as echoes cannot be distinguished from new values.
"""
_MOST_RESPELT = 1_000
"""
Codes in free text that a run looks up in every spelling, at about 0.1 ms each.

A megabyte of calls can hold 140,000. Later ones are compared by their letters and digits alone.
"""
_LONGEST_NAME = 256
"""Characters of a parameter name whose kind is cached; an author writes no longer ones."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
_PARAMETER = re.compile(r"[a-z_]+")
_NO_TOKENS: frozenset[str] = frozenset()
_Values = dict[tuple[str, str, bool], Path]
"""Paths of the values of a call, by text, name of the field, and whether the value is a number."""
_Find = Callable[[str, Field], ValueMatch | None]


class Introduced(NamedTuple):
    """The call that first had a value in its arguments that no text had mentioned."""

    tool: str
    path: tuple[str | int, ...]
    version: int


class _Unresolved(NamedTuple):
    """
    A value of a call that may be new; this is resolved on demand.
    """

    introduced: Introduced
    value: str
    field: Field


class ExecutedCall(NamedTuple):
    """
    A call whose result is indexed.

    Attributes:
        tool: The tool's name.
        version: The log's version after the result.
        content: The texts of the result.
        find: Finds a value in the run.
        is_mentioned_before: Returns whether the parent run mentions a value; None without one.
    """

    tool: str
    version: int
    content: ResultContent
    find: _Find
    is_mentioned_before: Callable[[str], bool] | None

    def is_in_parent(self, value: str) -> bool:
        """Return whether the parent run mentions *value*."""
        return self.is_mentioned_before is not None and self.is_mentioned_before(value)


class _ArgumentValues(NamedTuple):
    """
    The values of a call's arguments.

    Attributes:
        respelt: Values that are looked up in every spelling.
        codes_left: Codes beyond `_MOST_RESPELT`, which are compared by letters and digits.
    """

    respelt: _Values
    codes_left: _Values

    @property
    def too_many(self) -> bool:
        """Return whether the values exceed `_MOST_COMPARED`."""
        return len(self.respelt) + len(self.codes_left) > _MOST_COMPARED


class ArgumentEchoes:
    """
    A bounded table of the values that calls introduced in their arguments.

    A result that only repeats such a value does not count as a mention.

    Args:
        index: The token index of the run.
        keys: Keys of the provenance index; this table has at most a quarter as many values.
        text: Characters of the longest value.
    """

    __slots__ = ("_index", "_most", "_respelt", "_text", "introduced")

    def __init__(self, index: TokenIndex, *, keys: int, text: int) -> None:
        self._index = index
        self._most = keys // 4
        self._text = text
        self._respelt = 0
        self.introduced: dict[str, Introduced | _Unresolved] = {}

    def add(self, arguments: Mapping[str, Any], call: ExecutedCall) -> frozenset[str] | None:
        """
        Record the new values of a call, and return the tokens that its result may repeat.

        Returns:
            The tokens of arguments that were not mentioned before this call's result. None if the
            arguments exceed `_MOST_COMPARED` or another bound, as values beyond it may also be
            echoes.
        """
        values = self._values_of(arguments, call.tool)
        if values is None:
            return None
        respelt, codes_left = values
        if not respelt and not codes_left:
            return _NO_TOKENS
        call.content.compare(len(respelt) + len(codes_left))
        own = self._compare(respelt, call)
        if codes_left:
            own |= self._compare_letters(codes_left, call)
        return frozenset(own)

    def _values_of(self, arguments: Mapping[str, Any], tool: str) -> _ArgumentValues | None:
        """Return the values that are compared; None if they exceed a bound."""
        flat = _flat(arguments)
        walk: LeafWalk[Path] | None = None
        if flat is None:
            walk = LeafWalk(arguments, (), _with_keys)
        values = _ArgumentValues({}, {})
        for path, leaf in flat or walk or ():
            text = leaf if type(leaf) is str else scalar_text(leaf)
            if not text:
                continue
            name = str(path[0]) if len(path) == 1 else name_of(path)
            kind = _kind_of(name, tool) if len(name) <= _LONGEST_NAME else "value"
            if kind == "working":
                continue
            if len(text) > self._text:
                return None
            is_number = text is not leaf and not isinstance(leaf, str)
            if kind == "free" or len(text) > LONGEST_SCALAR:
                self._add_codes(text, name, path, is_number=is_number, values=values)
            else:
                values.respelt.setdefault((text, name, is_number), path)
            if values.too_many:
                return None
        return None if walk is not None and walk.cut else values

    def _add_codes(
        self, text: str, name: str, path: Path, *, is_number: bool, values: _ArgumentValues
    ) -> None:
        """Add the codes in a free text, until there are too many."""
        if "@" not in text and NUMBERED.search(text) is None:
            return  # it has no code
        for code in codes(normal(text)):
            key = (code, name, is_number)
            if key not in values.respelt and self._respelt < _MOST_RESPELT:
                self._respelt += 1
                values.respelt[key] = path
            else:
                values.codes_left.setdefault(key, path)
            if values.too_many:
                return

    def _compare(self, values: _Values, call: ExecutedCall) -> set[str]:
        """Record the new values of a call; return the spellings of those the result may repeat."""
        own: set[str] = set()
        for (value, name, is_number), path in values.items():
            normalised = value.lower() if value.isascii() else normal(value)
            field = Field(name, number=is_number)
            introduced = Introduced(call.tool, path, call.version)
            # A value that the result does not repeat is resolved on demand, which saves a lookup.
            if not call.content.may_repeat(normalised):
                is_new = not (
                    normalised in self.introduced
                    or self._index.has_chunk(normalised)
                    or call.is_in_parent(value)
                )
                if is_new:
                    self._remember(normalised, _Unresolved(introduced, value, field))
            elif call.find(value, field) is None and not call.is_in_parent(value):
                self._remember(normalised, introduced)
                own.update(self._new_spellings(normalised))
        return own

    def _compare_letters(self, values: _Values, call: ExecutedCall) -> set[str]:
        """
        Do what `_compare` does for codes of free text that the result repeats, by their letters.
        """
        own: set[str] = set()
        unseen = frozenset(self._index.find_absent(code for code, _, _ in values))
        for (code, name, is_number), path in values.items():
            if code not in unseen:
                continue
            letters = code if code.isalnum() and code.isascii() else alphanumerics(code)
            if call.content.may_have_letters(letters) and not call.is_in_parent(code):
                if self._has_room:
                    # resolved on demand, as another spelling may have been mentioned before
                    introduced = Introduced(call.tool, path, call.version)
                    field = Field(name, number=is_number)
                    self._remember(code, _Unresolved(introduced, code, field))
                own.add(code)
                if letters is not code:
                    own.update((letters, *parts(code)))
        return own

    def _remember(self, normalised: str, introduced: Introduced | _Unresolved) -> None:
        # Only the first call counts, and a full table has the oldest values.
        if self._has_room:
            self.introduced.setdefault(normalised, introduced)

    @property
    def _has_room(self) -> bool:
        return len(self.introduced) < self._most

    def _new_spellings(self, normalised: str) -> frozenset[str]:
        """Return the spellings of a value, without words that occur in the run by themselves."""
        spellings = indexed_forms(normalised)
        return spellings.others.union(
            w for w in spellings.words if self._index.find_chunk(w) is None
        )

    def first_call(self, value: str, find: _Find) -> Introduced | None:
        """Return the call that first had *value* in its arguments before any text mentioned it."""
        normalised = normal(value[:LONGEST_VALUE])
        first = self.introduced.get(normalised)
        if not isinstance(first, _Unresolved):
            return first
        hit = find(first.value, first.field)
        if hit is not None and hit.at.version < first.introduced.version:
            del self.introduced[normalised]  # it was mentioned before, in another spelling
            return None
        self.introduced[normalised] = first.introduced
        return first.introduced


def _with_keys(path: Path, item: Any) -> Iterable[tuple[Path, Any]] | None:
    """
    Return the children of an object or list of a call's arguments, including keys of objects.

    A key has the path of its object, as a result may repeat keys like values. Names of parameters
    are left out, as they belong to the tool.
    """
    if isinstance(item, Mapping):
        pairs = ((str(key), inner) for key, inner in item.items())
        if not path:
            return (
                pair
                for key, inner in pairs
                for pair in (((), "" if _PARAMETER.fullmatch(key) else key), ((key,), inner))
            )
        return (pair for key, inner in pairs for pair in ((path, key), ((*path, key), inner)))
    if isinstance(item, (list, tuple)) and not isinstance(item, UnreadIterator):
        return (((*path, n), inner) for n, inner in enumerate(item))
    return None


def _flat(arguments: Mapping[str, Any]) -> list[tuple[Path, Any]] | None:
    """Return what `_with_keys` yields for arguments that are plain scalars; None for others."""
    if type(arguments) is not dict or not _PLAIN.issuperset(map(type, arguments.values())):
        return None
    paths = zip(arguments, strict=True)  # each has one step
    leaves: list[tuple[Path, Any]] = [*zip(paths, arguments.values(), strict=True)]
    if not all(map(_PARAMETER.fullmatch, arguments)):
        odd = filterfalse(_PARAMETER.fullmatch, arguments)
        leaves[:0] = [((), key) for key in odd]
    return leaves


@lru_cache(maxsize=4_096)
def _kind_of(name: str, tool: str) -> Literal["working", "free", "value"]:
    """
    Return the kind of a parameter: working data of a machine, free text with codes, or a value.
    """
    if is_machine_input_field(name, tool):
        return "working"
    return "free" if is_free_text_field(name) else "value"
