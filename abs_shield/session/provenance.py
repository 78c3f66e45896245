"""Index of the texts and results of a run, for looking up the first mention of a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import lru_cache
from itertools import chain, filterfalse, islice, repeat
from operator import itemgetter
from threading import RLock
from typing import Any, Literal, NamedTuple

from abs_shield.session.origin import Origin, Source
from abs_shield.session.packed_tables import FieldTable
from abs_shield.session.phone_index import PhoneIndex
from abs_shield.session.recent_text import At
from abs_shield.session.result_text import LONGEST_SCALAR, ResultText, read_result
from abs_shield.session.token_index import PROSE, SCALAR, SYSTEM, USER, TokenIndex
from abs_shield.session.value_field import NO_FIELD, Field
from abs_shield.session.value_lookup import (
    LONGEST_VALUE,
    ValueMatch,
    extends_mentioned_path,
    find,
    find_words_apart,
    plain,
)
from abs_shield.text.identifier_words import (
    is_free_text_field,
    is_machine_input_field,
    is_of_kind,
    subject_words,
)
from abs_shield.text.json_leaves import LeafWalk, Path, UnreadIterator, name_of, scalar_text
from abs_shield.text.labelled_values import assigned_names, labelled_codes
from abs_shield.text.language import language
from abs_shield.text.normal_form import (
    alphanumerics,
    chunks,
    codes,
    is_latin,
    normal,
    parts,
    remove_accents,
)
from abs_shield.text.spelling_variants import forms, is_negative, number_after_letter, phone_forms
from abs_shield.text.text_templates import Template, templates
from abs_shield.text.value_shapes import BRACKETS, LONGEST, outline_pattern

_SOURCES: tuple[Source, ...] = ("system", "user", "tool", "tool")
MOST_FIELDS = 8
"""Field names that are stored for a value; a value in more fields has no reliable kind."""
_MOST_TEMPLATES = 50  # each format is tried for each value that is not found
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
_NUMBERED = re.compile(r"\d|[^\x00-\x7f]")
_MOST_SEARCHED = 4_000_000
"""Values times characters of a result that are searched; 10^9 take about a second."""
_ENTRY = 200
"""Estimated bytes of a value with its spellings and its entry in a table."""
_NEAR = 4_000  # newest values that are searched; all values of a run would take seconds
_MOST_OFF = 2
"""Characters by which a similar value may be longer or shorter."""
_LONGEST_QUICK = 256  # characters of a value on the fast path; longer ones are texts
_LONGEST_LABELLED = 16 * 1024  # characters of a message that are searched for labelled values
_SECRETS = frozenset("password passcode passphrase token secret".split())
"""A value labelled as one of these is checked closely for a parameter of another kind."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
_PARAMETER = re.compile(r"[a-z_]+")
_FORGOT = "older text of this run was dropped to stay within its limits"


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


_NO_TOKENS: frozenset[str] = frozenset()
_Values = dict[tuple[str, str, bool], Path]
"""Paths of the values of a call, by text, name of the field, and whether the value is a number."""


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


class _IndexedForms(NamedTuple):
    """
    All index entries by which a value can be found.

    Attributes:
        words: Words in the value.
        others: Other spellings of the value.
        solid: Entries of letters and digits only.
        apart: All other entries.
        numbered: Whether each entry has a digit or a letter beyond ASCII.
    """

    words: frozenset[str]
    others: frozenset[str]
    solid: tuple[str, ...]
    apart: tuple[str, ...]
    numbered: bool


@lru_cache(maxsize=1_024)  # a run repeats its ids and amounts from call to call
def _indexed_forms(normalised: str) -> _IndexedForms:
    tokens = chunks(normalised)
    letters = alphanumerics(normalised)
    spelt = (*forms(normalised, padded=True, with_names=False), *phone_forms(normalised))
    single = (form[0] for form in spelt if len(form) == 1)
    others = frozenset(filter(None, (letters, number_after_letter(letters), *single)))
    words = frozenset((*tokens, *(part for chunk in tokens for part in parts(chunk))))
    every = words | others
    return _IndexedForms(
        words,
        others,
        tuple(filter(str.isalnum, every)),
        tuple(filterfalse(str.isalnum, every)),
        all(map(_NUMBERED.search, every)),
    )


class _StoredText(NamedTuple):
    """
    The part of a text that is stored.

    Attributes:
        normalised: Its normal form.
        rest: The characters behind it; with an overlap, so that no value is cut in two.
    """

    normalised: str
    rest: str


_NO_TEXT = _StoredText("", "")


def _stored_text(text: str, most: int) -> _StoredText:
    if len(text) <= most:
        return _StoredText(normal(text), "")
    return _StoredText(normal(text[:most]), text[max(0, most - LONGEST_VALUE) : 2 * most])


class _ResultContent:
    """
    The texts of one result, and a cheap test for values that they may repeat.

    Args:
        read: The result.
        most: Characters of a text that are stored.
    """

    __slots__ = ("_letters", "_long", "_numbered", "_text", "prose", "scalars")

    def __init__(self, read: ResultText, most: int) -> None:
        scalars = " | ".join(dict.fromkeys(map(itemgetter(1), read.scalars)))
        self.scalars = _stored_text(scalars, most) if scalars else _NO_TEXT
        self.prose = [*map(_stored_text, read.prose, repeat(most))]

    def compare(self, values: int) -> None:
        """
        Prepare the comparison with values.

        Args:
            values: Number of values; with many values and a long text, every value counts as
                possibly repeated.
        """
        parts = (self.scalars, *self.prose)
        texts = [*map(itemgetter(0), parts), *map(normal, filter(None, map(itemgetter(1), parts)))]
        self._text = text = " | ".join(texts)
        self._letters = alphanumerics(text) + (
            "" if text.isascii() else alphanumerics(remove_accents(text))
        )
        self._long = values * len(text) > _MOST_SEARCHED
        self._numbered = _NUMBERED.search(text) is not None

    def may_have_letters(self, letters: str) -> bool:
        """Return whether letters and digits may occur in the text, with any separators."""
        return self._long or letters in self._letters

    def may_repeat(self, value: str) -> bool:
        """
        Return whether a spelling of a normalised value may occur in the text.

        False is certain, as each index entry of a text is a substring of the text, or of its
        letters and digits.
        """
        if self._long:
            return True
        spellings = _indexed_forms(value)
        if spellings.numbered and not self._numbered:
            return False
        for solid in spellings.solid:
            if solid in self._letters:
                return True
        for apart in spellings.apart:  # noqa: SIM110 - `any` costs as much as the search
            if apart in self._text:
                return True
        return False


@lru_cache(maxsize=4_096)
def _kind_of(name: str, tool: str) -> Literal["working", "free", "value"]:
    """
    Return the kind of a parameter: working data of a machine, free text with codes, or a value.
    """
    if is_machine_input_field(name, tool):
        return "working"
    return "free" if is_free_text_field(name) else "value"


class Provenance:
    """
    A bounded index of the texts and results of a run, which reports if it has dropped any.

    Values match whole chunks (word characters with the punctuation between them), never a bare
    substring. A match takes a few dict lookups, however long the run is; other spellings of the
    value are looked up only after a miss.

    Attributes:
        has_labels: Whether a user labelled or named a value.
        user_chunks: The chunks of users' texts.
    """

    __slots__ = (
        "_cut_reason", "_english_levels", "_fields", "_has_foreign_script", "_index",
        "_introduced", "_keys", "_labels", "_names", "_nouns", "_numbers", "_other_levels",
        "_padded", "_respelt", "_sources", "_templates", "_text", "_unindexed", "has_labels",
        "user_chunks",
    )  # fmt: skip

    def __init__(
        self,
        *,
        keys: int = 40_000,
        text: int = 256 * 1024,
        scan: int = 64 * 1024,
        lock: RLock | None = None,
    ) -> None:
        self._keys, self._text = keys, text
        self._index = TokenIndex(keys=keys, scan=scan, lock=lock)
        self._fields = FieldTable(most=keys)
        self._padded: dict[str, tuple[str, ...]] = {}
        self._numbers = PhoneIndex(keys // 8)  # few values are such, and each takes more memory
        self._respelt = 0
        self._unindexed: list[str] = []
        self._introduced: dict[str, Introduced | _Unresolved] = {}
        self._labels: dict[str, frozenset[str]] = {}
        self._nouns: frozenset[str] = frozenset()
        self._names: dict[str, None] = {}
        self._sources: dict[int, tuple[str, str]] = {}
        self._templates: dict[Template, At] = {}
        self._english_levels: frozenset[int] = frozenset()
        self._other_levels: frozenset[int] = frozenset()
        self._has_foreign_script = False
        self._cut_reason = ""
        self.has_labels = False
        self.user_chunks: Mapping[str, int] = self._index.user_chunks

    @property
    def incomplete_reason(self) -> str:
        """The reason why a miss proves nothing; empty if all text is indexed."""
        return self._cut_reason or (_FORGOT if self._index.has_dropped else "")

    @property
    def english_levels(self) -> frozenset[int]:
        """The trust levels with English texts and no text in another language: `SYSTEM`, `USER`."""
        return self._english_levels - self._other_levels

    @property
    def has_foreign_script(self) -> bool:
        """Return whether a text has a script other than Latin, so that names may be transcribed."""
        return self._has_foreign_script

    @property
    def names(self) -> list[str]:
        """Values that a user introduced as a name: "call it guide_1.md"."""
        return [*self._names]

    @property
    def held_bytes(self) -> int:
        """Approximate memory in bytes."""
        tables: tuple[Sized, ...] = (
            self._padded, self._introduced, self._labels, self._sources,
        )  # fmt: skip
        return (
            self._fields.held_bytes
            + self._index.held_bytes
            + _ENTRY * sum(map(len, tables))
            + self._numbers.held_bytes
        )

    # Adding texts and results --------------------------------------------------------------------

    def add_text(self, text: str, level: int, version: int) -> None:
        """Index a text of a user or of the system."""
        at = At(level, version)
        written = language(text)
        if written == "english":
            self._english_levels |= {level}
        elif written == "other":
            self._other_levels |= {level}
        for template in templates(text[: self._text]):
            if len(self._templates) < _MOST_TEMPLATES:
                self._templates.setdefault(template, at)
            elif template not in self._templates:
                self._cut_reason = self._cut_reason or "more prescribed formats than are stored"
        normalised = self._add(_stored_text(text, self._text), at, frozenset())
        self._numbers.add_text(normalised, at)
        # A quarter of the keys, as a message may be a list of labelled codes.
        if level == USER and len(self._labels) < self._keys // 4:
            for value, words in labelled_codes(normalised[:_LONGEST_LABELLED]):
                existing = self._labels.get(value)
                self._labels[value] = words if existing is None else existing | words
                self._nouns |= words
            self._names.update(dict.fromkeys(assigned_names(normalised[:_LONGEST_LABELLED])))
            self.has_labels = bool(self._labels or self._names)

    def add_result(
        self,
        value: Any,
        version: int,
        *,
        tool: str,
        call_id: str,
        arguments: Mapping[str, Any],
        is_mentioned_before: Callable[[str], bool] | None = None,
    ) -> None:
        """
        Index the result of a call, except values that only repeat its own arguments (echoes).

        Args:
            value: The result.
            version: The log's version after it.
            tool: The tool's name.
            call_id: The id of the call.
            arguments: The arguments of the call.
            is_mentioned_before: Returns whether the parent run mentions a value; None without one.
        """
        # half the keys: a run has far fewer calls than values
        self._sources[version] = (tool, call_id)
        if len(self._sources) > self._keys // 2:
            del self._sources[next(iter(self._sources))]
        result = read_result(value, most=self._text)
        content = _ResultContent(result, self._text)
        own = self._echoed_tokens(
            arguments, Introduced(tool, (), version), is_mentioned_before, content
        )
        if own is None:
            self._cut_reason = (
                self._cut_reason or "the result of a call with more values than are compared"
            )
            # its values cannot be distinguished from echoes, so the result is not evidence
            return
        if result.cut:
            self._cut_reason = self._cut_reason or "a result that was not read completely"
        self._add_fields(result.scalars)
        if result.scalars:
            at = At(SCALAR, version)
            self._add(content.scalars, at, own)
            self._numbers.add_result(result.scalars, at, own)
        for text in content.prose:
            normalised = self._add(text, At(PROSE, version), own)
            self._numbers.add_text(normalised, At(PROSE, version), own)

    def _add(self, text: _StoredText, at: At, own: frozenset[str]) -> str:
        """Index a text and return its normal form."""
        normalised = text.normalised
        if text.rest or len(normalised) > self._text:
            self._cut_reason = self._cut_reason or "a message too long to be stored completely"
        normalised = normalised[: self._text]
        self._has_foreign_script = self._has_foreign_script or not is_latin(normalised)
        self._index.add(normalised, at, own=own)
        return normalised

    def _add_fields(self, scalars: list[tuple[str, str]]) -> None:
        fields, is_larger = self._fields, False
        for field, text in scalars:
            if not field:
                continue
            lower = text.lower() if text.isascii() else normal(text)
            text = (
                text if text == lower else lower
            )  # shares the string, which is stored elsewhere already
            names = fields.get(text)
            if field not in names and len(names) < MOST_FIELDS:
                fields.add(text, (*names, field))
                if text[:1] == "0" and len(text) > 1:
                    self._unindexed.append(text)
                is_larger = True
        if is_larger:
            fields.enforce_limit()
        if len(self._unindexed) > self._keys // 4:
            self._index_padded()

    def _index_padded(self) -> None:
        """Index numbers with leading zeros; deferred until a lookup misses."""
        unread, self._unindexed = self._unindexed, []
        for text in unread:
            bare = text.lstrip("0")
            padded = self._padded.get(bare, ())
            if text.isdigit() and text not in padded and len(padded) < MOST_FIELDS:
                self._padded[bare] = (*padded, text)
                if len(self._padded) > self._keys // 4:
                    del self._padded[next(iter(self._padded))]

    def _echoed_tokens(
        self,
        arguments: Mapping[str, Any],
        introduced: Introduced,
        is_mentioned_before: Callable[[str], bool] | None,
        content: _ResultContent,
    ) -> frozenset[str] | None:
        """
        Return the tokens of arguments that were not mentioned before this call's result.

        Only values that the result may repeat are included. The result is None if the arguments
        exceed `_MOST_COMPARED` or another bound, as values beyond it may also be echoes.
        """
        flat = _flat(arguments)
        walk: LeafWalk[Path] | None = None
        if flat is None:
            walk = LeafWalk(arguments, (), _with_keys)
        values: _Values = {}
        codes_left: _Values = {}  # beyond `_MOST_RESPELT`
        for path, leaf in flat or walk or ():
            text = leaf if type(leaf) is str else scalar_text(leaf)
            if not text:
                continue
            name = str(path[0]) if len(path) == 1 else name_of(path)
            kind = _kind_of(name, introduced.tool) if len(name) <= _LONGEST_NAME else "value"
            if kind == "working":
                continue
            if len(text) > self._text:
                return None
            is_number = text is not leaf and not isinstance(leaf, str)
            if kind == "free" or len(text) > LONGEST_SCALAR:
                if "@" not in text and _NUMBERED.search(text) is None:
                    continue  # it has no code
                for piece in codes(normal(text)):
                    key = (piece, name, is_number)
                    if key not in values and self._respelt < _MOST_RESPELT:
                        self._respelt += 1
                        values[key] = path
                    else:
                        codes_left.setdefault(key, path)
                    if len(values) + len(codes_left) > _MOST_COMPARED:
                        return None
            else:
                values.setdefault((text, name, is_number), path)
            if len(values) + len(codes_left) > _MOST_COMPARED:
                return None
        if walk is not None and walk.cut:
            return None
        if not values and not codes_left:
            return _NO_TOKENS
        content.compare(len(values) + len(codes_left))
        own = self._compare(values, introduced, is_mentioned_before, content)
        if codes_left:
            own |= self._compare_letters(codes_left, introduced, is_mentioned_before, content)
        return frozenset(own)

    def _compare(
        self,
        values: _Values,
        introduced: Introduced,
        is_mentioned_before: Callable[[str], bool] | None,
        content: _ResultContent,
    ) -> set[str]:
        """Record the new values of a call; return the spellings of those the result may repeat."""
        own: set[str] = set()
        tool, _, version = introduced
        for (piece, name, is_number), path in values.items():
            normalised = piece.lower() if piece.isascii() else normal(piece)
            # A value that the result does not repeat is resolved on demand, which saves a lookup.
            if not content.may_repeat(normalised):
                is_new = not (
                    normalised in self._introduced
                    or self._index.has_chunk(normalised)
                    or (is_mentioned_before and is_mentioned_before(piece))
                )
                if is_new:
                    field = Field(name, number=is_number)
                    claim = _Unresolved(Introduced(tool, path, version), piece, field)
                    self._remember(normalised, claim)
            elif self.find(piece, Field(name, number=is_number)) is None and not (
                is_mentioned_before and is_mentioned_before(piece)
            ):
                self._remember(normalised, Introduced(tool, path, version))
                own.update(self._new_spellings(normalised))
        return own

    def _compare_letters(
        self,
        values: _Values,
        introduced: Introduced,
        is_mentioned_before: Callable[[str], bool] | None,
        content: _ResultContent,
    ) -> set[str]:
        """
        Do what `_compare` does for codes of free text that the result repeats, by their letters.
        """
        own: set[str] = set()
        tool, _, version = introduced
        unseen = frozenset(self._index.find_absent(code for code, _, _ in values))
        for (code, name, is_number), path in values.items():
            if code not in unseen:
                continue
            letters = code if code.isalnum() and code.isascii() else alphanumerics(code)
            if content.may_have_letters(letters) and not (
                is_mentioned_before and is_mentioned_before(code)
            ):
                if self._has_room:
                    # resolved on demand, as another spelling may have been mentioned before
                    field = Field(name, number=is_number)
                    self._remember(code, _Unresolved(Introduced(tool, path, version), code, field))
                own.add(code)
                if letters is not code:
                    own.update((letters, *parts(code)))
        return own

    def _remember(self, normalised: str, introduced: Introduced | _Unresolved) -> None:
        # Only the first call counts, and a full table has the oldest values.
        if self._has_room:
            self._introduced.setdefault(normalised, introduced)

    @property
    def _has_room(self) -> bool:
        return len(self._introduced) < self._keys // 4

    def _new_spellings(self, normalised: str) -> frozenset[str]:
        """Return the spellings of a value, without words that occur in the run by themselves."""
        spellings = _indexed_forms(normalised)
        return spellings.others.union(
            w for w in spellings.words if self._index.find_chunk(w) is None
        )

    # Queries -------------------------------------------------------------------------------------

    def vouches(self, value: str, kind_words: frozenset[str]) -> bool | None:
        """
        Return whether *value* occurs verbatim, in a person's text or as the kind asked for.

        This is the fast path for nearly every value of a run; after True no other check is needed.

        Args:
            value: The value.
            kind_words: Words for the kind of entity that is asked for: ``order`` for ``order_id``.

        Returns:
            None if the value does not occur verbatim in this run; a parent run may have it.
        """
        if len(value) > _LONGEST_QUICK:  # prose is not on the fast path
            return False
        text = value.lower() if value.isascii() else normal(value)
        bare = text.strip()
        if bare in self._index.user_chunks:
            return self.fits_label(bare, kind_words)
        if bare[:1] in BRACKETS or (bare[:1] == "-" and is_negative(bare)):
            return False
        level = self._index.trust_level(bare)
        if level is None:
            return None
        if level < PROSE:
            return True
        if text in self._introduced:
            return False
        if level == PROSE or not kind_words or self._index.occurs_in_prose(bare):
            return True
        under = self._fields.get(bare)
        return not under or any(is_of_kind(subject_words(field), kind_words) for field in under)

    def is_labelled_otherwise(self, value: str, kind_words: frozenset[str]) -> bool:
        """
        Return whether the user labelled *value* as another kind, and another value as the asked
        one.
        """
        words = self._labels.get(value)
        return (
            words is not None
            and words.isdisjoint(kind_words)
            and not self._nouns.isdisjoint(kind_words)
        )

    def fits_label(self, value: str, kind_words: frozenset[str]) -> bool:
        """Return whether the user labelled *value* as the kind asked for, or not at all."""
        words = self._labels.get(value)
        if words is None or not words.isdisjoint(kind_words):
            return True
        return self._nouns.isdisjoint(kind_words) and words.isdisjoint(_SECRETS)

    def is_called_one_of(self, value: str, kinds: frozenset[str]) -> bool:
        """
        Return whether the user labelled *value*, as it is written, as one of *kinds* or as a
        secret.
        """
        words = self._labels.get(value, frozenset())
        return not (words.isdisjoint(kinds) and words.isdisjoint(_SECRETS))

    def labels(self, value: str) -> frozenset[str]:
        """Return the label words that precede *value* in the user's texts."""
        return self._labels.get(plain(value), frozenset())

    def find_labelled(self, words: frozenset[str], *, most: int) -> list[str]:
        """Return values that all of *words* precede in the user's texts."""
        newest = islice([*self._labels.items()][::-1], _NEAR)
        return [*islice((value for value, labels in newest if words <= labels), most)]

    def find(self, value: str, field: Field = NO_FIELD) -> ValueMatch | None:
        """Find a value as a whole, in the spellings of its *field*; None if no text mentions it."""
        hit = find(value, self._index, self._templates, field)
        if hit is not None:
            return hit
        text = plain(value)
        return self._find_in_same_field(text, field) or self._find_phone(text, field)

    def _find_in_same_field(self, text: str, field: Field) -> ValueMatch | None:
        """Find a value of a field of the same kind with other leading zeros."""
        if self._unindexed:
            self._index_padded()
        if text.isdigit() and (bare := text.lstrip("0")):
            for variant in (bare, *self._padded.get(bare, ())):
                if any(map(field.is_same, self._fields.get(variant))):
                    at = self._index.find_adjacent(chunks(variant))  # None where it was an echo
                    return None if at is None else ValueMatch("variant", at)
        return None

    def _find_phone(self, text: str, field: Field) -> ValueMatch | None:
        """Find a telephone number with or without its country code."""
        at = self._numbers.find(text) if field.holds_phone(text) else None
        return None if at is None else ValueMatch("typed", at)

    def find_words_apart(self, value: str) -> ValueMatch | None:
        """Find each word of a name anywhere; return the least trusted match."""
        return find_words_apart(value, self._index)

    def extends_mentioned_path(self, value: str) -> bool:
        """Return whether *value* is a mentioned path or URL followed by plain words."""
        return extends_mentioned_path(value, self._index)

    def origin(self, hit: ValueMatch, value: str) -> Origin:
        """Return the origin of a match."""
        level, version = hit.at
        tool, call_id = self._sources.get(version, ("", ""))
        text = plain(value)
        return Origin(
            source=_SOURCES[level],
            how=hit.how,
            tool=tool,
            call_id=call_id,
            version=version,
            fields=self._fields.get(text),
            prose=level != SCALAR or self._index.occurs_in_prose(text),
        )

    def find_introduction(self, value: str) -> Introduced | None:
        """Return the call that first had *value* in its arguments before any text mentioned it."""
        normalised = normal(value[:LONGEST_VALUE])
        first = self._introduced.get(normalised)
        if not isinstance(first, _Unresolved):
            return first
        hit = self.find(first.value, first.field)
        if hit is not None and hit.at.version < first.introduced.version:
            del self._introduced[normalised]  # it was mentioned before, in another spelling
            return None
        self._introduced[normalised] = first.introduced
        return first.introduced

    def find_similar(self, value: str) -> Iterator[str]:
        """Return mentioned chunks of the same shape and about the same length, newest first."""
        text = plain(value).strip("/#~.@")
        # without a user the system text states the task
        levels = (USER if self._index.user_chunks else SYSTEM, SCALAR, PROSE)
        near = chain.from_iterable(
            self._index.find_similar(text, level, most_off=_MOST_OFF) for level in levels
        )
        of_shape = outline_pattern(text).fullmatch
        if len(text) + _MOST_OFF <= LONGEST:
            return filter(of_shape, near)
        # The pattern is that of the first `LONGEST` characters.
        return (chunk for chunk in near if of_shape(chunk, 0, LONGEST))

    def values_under(self, wanted: Callable[[str], bool]) -> Iterator[str]:
        """Yield the values of results in a field that is *wanted*, newest first."""
        for text in islice(reversed(self._fields), _NEAR):
            if any(map(wanted, self._fields.get(text))):
                yield text
