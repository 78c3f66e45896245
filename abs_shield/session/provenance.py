"""Where the values of a run come from: what was said and returned, and who brought a value in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import lru_cache
from itertools import filterfalse, islice
from threading import RLock
from typing import Any, Literal, NamedTuple

from abs_shield.session.field import NO_FIELD, Field
from abs_shield.session.origin import Origin, Source
from abs_shield.session.packed_tables import FieldTable
from abs_shield.session.phone_index import PhoneIndex
from abs_shield.session.recent_text import At
from abs_shield.session.result_text import LONGEST_SCALAR, ResultText, read_result
from abs_shield.session.token_index import PROSE, SCALAR, SYSTEM, USER, TokenIndex
from abs_shield.session.value_lookup import (
    LONGEST_VALUE,
    ValueMatch,
    below,
    find,
    plain,
    words_apart,
)
from abs_shield.text.forms import forms, is_negative, phone_forms, unlettered
from abs_shield.text.labels import labelled, named
from abs_shield.text.language import language
from abs_shield.text.leaves import Path, Walk, name_of, scalar_text
from abs_shield.text.names import is_free, is_of_kind, is_working, of_what
from abs_shield.text.normal import chunks, codes, latin, normal, parts, squeezed, unaccented
from abs_shield.text.opaque import Unread
from abs_shield.text.shape import BRACKETS, LONGEST, outlined
from abs_shield.text.templates import Template, templates

_SOURCES: tuple[Source, ...] = ("system", "user", "tool", "tool")
MOST_FIELDS = 8
"""Names of fields that are kept of a value; of one with more it is not said what else it is."""
_MOST_TEMPLATES = 50
_MOST_COMPARED = 5_000
"""
Values of the arguments of one call that are looked for in every spelling.

Of a call with more, the result is not read: which of its values are an echo is not known.
"""
_LONGEST_NAME = 256
"""Of a parameter whose kind is remembered; a longer name is no author's."""
_NUMBERED = re.compile(r"\d|[^\x00-\x7f]")
_MOST_SEARCHED = 4_000_000
"""Values times characters of a result that are searched; the search takes a second for 10^9."""
_ENTRY = 200
"""Bytes of a value, of what it is found by, and of its place in a table."""
_NEAR = 4_000
_MOST_OFF = 2
"""Characters by which a value of the same shape is longer or shorter."""
_LONGEST_QUICK = 256
_LONGEST_LABELLED = 16 * 1024
_SECRETS = frozenset("password passcode passphrase token secret".split())
"""What is given as one of these is looked at closely where anything else is asked for."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
_PARAMETER = re.compile(r"[a-z_]+")
_FORGOT = "text of this run was forgotten to keep its bounds"


def _with_keys(path: Path, item: Any) -> Iterable[tuple[Path, Any]] | None:
    """
    Return what an object or a list of a call's arguments holds, keys under the name of the object.

    A result repeats a key as it repeats a value. The names of parameters are the tool's own.
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
    if isinstance(item, (list, tuple)) and not isinstance(item, Unread):
        return (((*path, n), inner) for n, inner in enumerate(item))
    return None


def _flat(arguments: Mapping[str, Any]) -> list[tuple[Path, Any]] | None:
    """Return what `_with_keys` leads to of arguments that are plain scalars; None of others."""
    if type(arguments) is not dict or not _PLAIN.issuperset(map(type, arguments.values())):
        return None
    odd = [((), key) for key in arguments if not _PARAMETER.fullmatch(key)]
    return [*odd, *[((key,), leaf) for key, leaf in arguments.items()]]


_NO_TOKENS: frozenset[str] = frozenset()


class Introduced(NamedTuple):
    """The call that first brought a value nobody had mentioned."""

    tool: str
    path: tuple[str | int, ...]
    version: int


class _Claim(NamedTuple):
    """A call's value that its result did not repeat: whether it was new is asked when needed."""

    introduced: Introduced
    value: str
    field: Field


class _Spellings(NamedTuple):
    """
    Every entry of an index by which a value is found.

    Attributes:
        words: The words in the value.
        others: Its other spellings.
        solid: All that are letters and digits alone.
        apart: All others.
        numbered: Whether each holds a digit, or a letter beyond ASCII.
    """

    words: frozenset[str]
    others: frozenset[str]
    solid: tuple[str, ...]
    apart: tuple[str, ...]
    numbered: bool


@lru_cache(maxsize=1_024)  # a run repeats its ids and amounts from call to call
def _spellings(normalised: str) -> _Spellings:
    found = chunks(normalised)
    letters = squeezed(normalised)
    spelt = (*forms(normalised, padded=True, named=False), *phone_forms(normalised))
    single = (form[0] for form in spelt if len(form) == 1)
    others = frozenset(filter(None, (letters, unlettered(letters), *single)))
    words = frozenset((*found, *(part for chunk in found for part in parts(chunk))))
    every = words | others
    return _Spellings(
        words,
        others,
        tuple(filter(str.isalnum, every)),
        tuple(filterfalse(str.isalnum, every)),
        all(map(_NUMBERED.search, every)),
    )


class _Content:
    """
    The text of one result, to rule out at little cost that it repeats a value.

    Args:
        read: The result.
        most: Characters of a text that are kept.
        values: How many values are compared; of many with much text nothing is ruled out.
    """

    __slots__ = ("_letters", "_long", "_numbered", "_text")

    def __init__(self, read: ResultText, most: int, *, values: int) -> None:
        joined = " | ".join([*[text for _, text in read.scalars], *read.prose])
        self._text = text = normal(joined[: 2 * most])
        self._letters = squeezed(text) + ("" if text.isascii() else squeezed(unaccented(text)))
        self._long = values * len(text) > _MOST_SEARCHED
        self._numbered = _NUMBERED.search(text) is not None

    def may_repeat(self, value: str) -> bool:
        """
        Return whether some spelling of a normalised value stands in the text.

        False is certain: every entry that the index keeps of a text is a stretch of it, or of its
        letters and digits.
        """
        if self._long:
            return True
        spellings = _spellings(value)
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
    """Return what a parameter holds: a machine's work, free text with codes in it, or a value."""
    if is_working(name, tool):
        return "working"
    return "free" if is_free(name) else "value"


class Provenance:
    """
    An index over everything that a run was told, bounded, and honest about what it forgot.

    Matching is by whole chunks (a run of word characters with the punctuation inside), never by
    a bare substring. A hit costs a few dict lookups however long the run is; other spellings are
    made from the value, and only after a miss.

    Attributes:
        has_labels: Whether a user called some value something, or named it.
        user_chunks: The chunks of what a user wrote.
    """

    __slots__ = (
        "_cut", "_english", "_fields", "_foreign", "_index", "_introduced", "_keys", "_labels",
        "_names", "_nouns", "_numbers", "_other",
        "_padded", "_sources", "_templates", "_text", "_unread", "has_labels", "user_chunks",
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
        self._numbers = PhoneIndex(keys // 8)
        self._unread: list[str] = []
        self._introduced: dict[str, Introduced | _Claim] = {}
        self._labels: dict[str, frozenset[str]] = {}
        self._nouns: frozenset[str] = frozenset()
        self._names: dict[str, None] = {}
        self._sources: dict[int, tuple[str, str]] = {}
        self._templates: dict[Template, At] = {}
        self._english: frozenset[int] = frozenset()
        self._other: frozenset[int] = frozenset()
        self._foreign = False
        self._cut = ""
        self.has_labels = False
        self.user_chunks: Mapping[str, int] = self._index.said

    @property
    def forgot(self) -> str:
        """Why a miss proves nothing; empty where nothing was forgotten or left unread."""
        return self._cut or (_FORGOT if self._index.forgot else "")

    @property
    def english(self) -> frozenset[int]:
        """The levels whose texts are in English, as far as that is seen: `SYSTEM`, `USER`."""
        return self._english - self._other

    @property
    def foreign(self) -> bool:
        """Whether some text is in another script than Latin, so that names may be transcribed."""
        return self._foreign

    @property
    def names(self) -> list[str]:
        """What a user gave as a name: "call it guide_1.md"."""
        return [*self._names]

    @property
    def held_bytes(self) -> int:
        """Memory that it holds, about."""
        tables: tuple[Sized, ...] = (
            self._padded, self._introduced, self._labels, self._sources,
        )  # fmt: skip
        return (
            self._fields.held_bytes
            + self._index.held_bytes
            + _ENTRY * sum(map(len, tables))
            + self._numbers.held_bytes
        )

    # What comes in -------------------------------------------------------------------------------

    def said(self, text: str, level: int, version: int) -> None:
        """Somebody whose words count wrote *text*."""
        at = At(level, version)
        written = language(text)
        if written == "english":
            self._english |= {level}
        elif written == "other":
            self._other |= {level}
        for template in templates(text[: self._text]):
            if len(self._templates) < _MOST_TEMPLATES:
                self._templates.setdefault(template, at)
            elif template not in self._templates:
                self._cut = self._cut or "more prescribed formats than are kept"
        normalised = self._take(text, at, frozenset())
        self._numbers.said(normalised, at)
        if level == USER and len(self._labels) < self._keys // 4:
            for value, words in labelled(normalised[:_LONGEST_LABELLED]):
                known = self._labels.get(value)
                self._labels[value] = words if known is None else known | words
                self._nouns |= words
            self._names.update(dict.fromkeys(named(normalised[:_LONGEST_LABELLED])))
            self.has_labels = bool(self._labels or self._names)

    def returned(
        self,
        value: Any,
        version: int,
        *,
        tool: str,
        call_id: str,
        arguments: Mapping[str, Any],
        known: Callable[[str], bool] | None = None,
    ) -> None:
        """
        A call came back; what its own arguments brought in is an echo, and proves nothing.

        Args:
            known: Whether somebody else than this run mentioned a value: the run that started it;
                None where none did.
        """
        self._sources[version] = (tool, call_id)
        if len(self._sources) > self._keys // 2:
            del self._sources[next(iter(self._sources))]
        told = read_result(value, most=self._text)
        own = self._echo(arguments, Introduced(tool, (), version), known, told)
        if own is None:
            self._cut = self._cut or "the result of a call with more values than are compared"
            return
        if told.cut:
            self._cut = self._cut or "a result that could not be read whole"
        self._stood(told.scalars)
        if told.scalars:
            joined = " | ".join(dict.fromkeys([text for _, text in told.scalars]))
            self._take(joined, At(SCALAR, version), own)
        self._numbers.returned(told.scalars, At(SCALAR, version), own)
        for text in told.prose:
            normalised = self._take(text, At(PROSE, version), own)
            self._numbers.said(normalised, At(PROSE, version), own)

    def _take(self, text: str, at: At, own: frozenset[str]) -> str:
        """Take a text in; return it in the form in which it is compared."""
        normalised = normal(text[: self._text])
        if len(text) > self._text or len(normalised) > self._text:
            self._cut = self._cut or "a message too long to be kept whole"
        normalised = normalised[: self._text]
        self._foreign = self._foreign or not latin(normalised)
        self._index.add(normalised, at, own=own)
        return normalised

    def _stood(self, scalars: list[tuple[str, str]]) -> None:
        fields = self._fields
        for field, text in scalars:
            if not field:
                continue
            lower = text.lower() if text.isascii() else normal(text)
            text = text if text == lower else lower  # most are held by somebody else already
            known = fields.get(text)
            if field not in known and len(known) < MOST_FIELDS:
                fields.add(text, (*known, field))
                if text[:1] == "0" and len(text) > 1:
                    self._unread.append(text)
        fields.bound()
        if len(self._unread) > self._keys // 4:
            self._read()

    def _read(self) -> None:
        """Read numbers with zeros before them; put off until a value is asked for and not found."""
        unread, self._unread = self._unread, []
        for text in unread:
            bare = text.lstrip("0")
            known = self._padded.get(bare, ())
            if text.isdigit() and text not in known and len(known) < MOST_FIELDS:
                self._padded[bare] = (*known, text)
                if len(self._padded) > self._keys // 4:
                    del self._padded[next(iter(self._padded))]

    def _echo(
        self,
        arguments: Mapping[str, Any],
        introduced: Introduced,
        known: Callable[[str], bool] | None,
        read: ResultText,
    ) -> frozenset[str] | None:
        """
        Return the tokens of arguments that nobody had mentioned before this call's result.

        Only of values that the result may repeat: of the others it makes no difference.

        None where they hold more values than `_MOST_COMPARED`, or more than is read of them: what
        stands behind a bound may be an echo as well.
        """
        walk = Walk[Path](arguments, (), _with_keys)
        first: dict[tuple[str, str, bool], Path] = {}
        for path, leaf in _flat(arguments) or walk:
            text = leaf if type(leaf) is str else scalar_text(leaf)
            name = str(path[0]) if len(path) == 1 else name_of(path)
            kind = _kind_of(name, introduced.tool) if len(name) <= _LONGEST_NAME else "value"
            if not text or kind == "working":
                continue
            if len(text) > self._text:
                return None
            is_number = text is not leaf and not isinstance(leaf, str)
            if kind == "free" or len(text) > LONGEST_SCALAR:
                for piece in codes(normal(text)):
                    first.setdefault((piece, name, is_number), path)
                    if len(first) > _MOST_COMPARED:
                        return None
            else:
                first.setdefault((text, name, is_number), path)
            if len(first) > _MOST_COMPARED:
                return None
        if walk.cut:
            return None
        return self._compared(first, introduced, known, read) if first else _NO_TOKENS

    def _compared(
        self,
        values: Mapping[tuple[str, str, bool], Path],
        introduced: Introduced,
        known: Callable[[str], bool] | None,
        read: ResultText,
    ) -> frozenset[str]:
        """Remember who brought values in; return the spellings in which the result repeats them."""
        own: set[str] = set()
        content = _Content(read, self._text, values=len(values))
        tool, _, version = introduced
        for (piece, name, is_number), path in values.items():
            normalised = piece.lower() if piece.isascii() else normal(piece)
            if not content.may_repeat(normalised):
                is_new = normalised not in self._introduced and not (known and known(piece))
                if is_new and self._index.chunk(normalised) is None:
                    field = Field(name, number=is_number)
                    claim = _Claim(Introduced(tool, path, version), piece, field)
                    self._remember(normalised, claim)
            elif self.find(piece, Field(name, number=is_number)) is None and not (
                known and known(piece)
            ):
                self._remember(normalised, Introduced(tool, path, version))
                own.update(self._new_spellings(normalised))
        return frozenset(own)

    def _remember(self, normalised: str, introduced: Introduced | _Claim) -> None:
        if len(self._introduced) < self._keys // 4:
            self._introduced.setdefault(normalised, introduced)

    def _new_spellings(self, normalised: str) -> frozenset[str]:
        """Return the spellings of a value, but the words in it that stand here by themselves."""
        known = _spellings(normalised)
        return known.others.union(w for w in known.words if self._index.chunk(w) is None)

    # What is asked -------------------------------------------------------------------------------

    def vouches(self, value: str, asks: frozenset[str]) -> bool | None:
        """
        Whether *value* stands here as it is, said by a person, or as what is asked for.

        This is the short way for nearly every value of a run: True needs no closer look.

        Args:
            value: The value.
            asks: Words that say what is asked for: ``order`` of ``order_id``.

        Returns:
            None where the value does not stand here as it is, so that others may know it.
        """
        if len(value) > _LONGEST_QUICK:
            return False
        text = value.lower() if value.isascii() else normal(value)
        bare = text.strip()
        if bare in self._index.said:
            return self.fits_label(bare, asks)
        if bare[:1] in BRACKETS or is_negative(bare):
            return False
        level = self._index.level(bare)
        if level is None:
            return None
        if level < PROSE:
            return True
        if text in self._introduced:
            return False
        if level == PROSE or not asks or self._index.stood_in_prose(bare):
            return True
        under = self._fields.get(bare)
        return not under or any(is_of_kind(of_what(field), asks) for field in under)

    def is_labelled_otherwise(self, value: str, asks: frozenset[str]) -> bool:
        """Whether the user gave *value* as another thing, and another value as what is asked."""
        words = self._labels.get(value)
        return words is not None and words.isdisjoint(asks) and not self._nouns.isdisjoint(asks)

    def fits_label(self, value: str, asks: frozenset[str]) -> bool:
        """Whether the user called *value* nothing, as it is written here, or what is asked for."""
        words = self._labels.get(value)
        if words is None or not words.isdisjoint(asks):
            return True
        return self._nouns.isdisjoint(asks) and words.isdisjoint(_SECRETS)

    def is_called_one_of(self, value: str, kinds: frozenset[str]) -> bool:
        """Whether the user called *value*, as it is written here, one of *kinds*, or a secret."""
        words = self._labels.get(value, frozenset())
        return not (words.isdisjoint(kinds) and words.isdisjoint(_SECRETS))

    def labels(self, value: str) -> frozenset[str]:
        """Return the words that stand before *value* in what the user wrote."""
        return self._labels.get(plain(value), frozenset())

    def labelled(self, words: frozenset[str], *, most: int) -> list[str]:
        """Return values before which all of *words* stand in what the user wrote."""
        newest = islice([*self._labels.items()][::-1], _NEAR)
        return [*islice((value for value, said in newest if words <= said), most)]

    def find(self, value: str, field: Field = NO_FIELD) -> ValueMatch | None:
        """Find a value as a whole, as its *field* may spell it; None where nobody mentioned it."""
        hit = find(value, self._index, self._templates, field)
        if hit is not None:
            return hit
        text = plain(value)
        return self._in_same_field(text, field) or self._phoned(text, field)

    def _in_same_field(self, text: str, field: Field) -> ValueMatch | None:
        """Find a value that stood under a field of its own kind, with other leading zeros."""
        if self._unread:
            self._read()
        if text.isdigit() and (bare := text.lstrip("0")):
            for seen in (bare, *self._padded.get(bare, ())):
                if any(map(field.is_same, self._fields.get(seen))):
                    at = self._index.joined(chunks(seen))  # None where it was an echo
                    return None if at is None else ValueMatch("variant", at)
        return None

    def _phoned(self, text: str, field: Field) -> ValueMatch | None:
        """Find a telephone number with and without its country's code."""
        at = self._numbers.find(text) if field.holds_phone(text) else None
        return None if at is None else ValueMatch("typed", at)

    def words_apart(self, value: str) -> ValueMatch | None:
        """Find each word of a name anywhere; the least trusted of them decides."""
        return words_apart(value, self._index)

    def below(self, value: str) -> bool:
        """Whether *value* is a seen path or URL and plain words behind it."""
        return below(value, self._index)

    def origin(self, hit: ValueMatch, value: str) -> Origin:
        """Tell where a hit came from."""
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
            prose=level != SCALAR or self._index.stood_in_prose(text),
        )

    def introduced(self, value: str) -> Introduced | None:
        """The call that brought *value* in before anybody else mentioned it."""
        normalised = normal(value[:LONGEST_VALUE])
        first = self._introduced.get(normalised)
        if not isinstance(first, _Claim):
            return first
        hit = self.find(first.value, first.field)
        if hit is not None and hit.at.version < first.introduced.version:
            del self._introduced[normalised]  # it was here before, in another spelling
            return None
        self._introduced[normalised] = first.introduced
        return first.introduced

    def alike(self, value: str) -> Iterator[str]:
        """Give seen chunks of the same shape and about the same length, newest first."""
        text = plain(value).strip("/#~.@")
        mark = next((c for c in text if not c.isalnum()), "")  # most chunks have none
        shortest, longest = len(text) - _MOST_OFF, len(text) + _MOST_OFF
        said = USER if self._index.said else SYSTEM  # without a user the system text has the task
        for level in (said, SCALAR, PROSE):
            newest = self._index.newest(level, _NEAR)
            near = [c for c in newest if shortest <= len(c) <= longest and mark in c]
            if near:
                of_shape = outlined(text).fullmatch
                yield from (chunk for chunk in near if of_shape(chunk, 0, LONGEST))

    def kin(self, wanted: Callable[[str], bool]) -> Iterator[str]:
        """Give seen scalars that stood under a field that is *wanted*, newest first."""
        for text in islice(reversed(self._fields), _NEAR):
            if any(map(wanted, self._fields.get(text))):
                yield text
