"""Index of the texts and results of a run, for looking up the first mention of a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from itertools import chain, islice
from threading import RLock
from typing import Any

from abs_shield.session.argument_echoes import ArgumentEchoes, ExecutedCall, Introduced
from abs_shield.session.composed_values import extends_mentioned_path
from abs_shield.session.origin import Origin, Source
from abs_shield.session.packed_tables import FieldTable
from abs_shield.session.phone_index import PhoneIndex
from abs_shield.session.recent_text import At
from abs_shield.session.result_content import ResultContent, StoredText, stored_text
from abs_shield.session.result_text import read_result
from abs_shield.session.token_index import PROSE, SCALAR, SYSTEM, USER, TokenIndex
from abs_shield.session.user_labels import UserLabels
from abs_shield.session.value_field import NO_FIELD, Field
from abs_shield.session.value_lookup import find
from abs_shield.session.word_lookup import ValueMatch, find_words_apart, plain
from abs_shield.text.identifier_words import (
    is_of_kind,
    subject_words,
)
from abs_shield.text.language import language
from abs_shield.text.normal_form import (
    chunks,
    is_latin,
    normal,
)
from abs_shield.text.spelling_variants import is_negative
from abs_shield.text.text_templates import Template, templates
from abs_shield.text.value_shapes import BRACKETS, LONGEST, outline_pattern

_SOURCES: tuple[Source, ...] = ("system", "user", "tool", "tool")
MOST_FIELDS = 8
"""Field names that are stored for a value; a value in more fields has no reliable kind."""
_MOST_TEMPLATES = 50  # each format is tried for each value that is not found
_ENTRY = 200
"""Estimated bytes of a value with its spellings and its entry in a table."""
_NEAR = 4_000  # newest values that are searched; all values of a run would take seconds
_MOST_OFF = 2
"""Characters by which a similar value may be longer or shorter."""
_LONGEST_QUICK = 256  # characters of a value on the fast path; longer ones are texts
_FORGOT = "older text of this run was dropped to stay within its limits"


class Provenance:
    """
    A bounded index of the texts and results of a run, which reports if it has dropped any.

    Values match whole chunks (word characters with the punctuation between them), never a bare
    substring. A match takes a few dict lookups, however long the run is; other spellings of the
    value are looked up only after a miss.

    Attributes:
        labels: The words with which users labelled values.
        user_chunks: The chunks of users' texts.
    """

    __slots__ = (
        "_cut_reason",
        "_echoes",
        "_english_levels",
        "_fields",
        "_has_foreign_script",
        "_index",
        "_keys",
        "_numbers",
        "_other_levels",
        "_padded",
        "_sources",
        "_templates",
        "_text",
        "_unindexed",
        "labels",
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
        self._unindexed: list[str] = []
        self._echoes = ArgumentEchoes(self._index, keys=keys, text=text)
        self._sources: dict[int, tuple[str, str]] = {}
        self._templates: dict[Template, At] = {}
        self._english_levels: frozenset[int] = frozenset()
        self._other_levels: frozenset[int] = frozenset()
        self._has_foreign_script = False
        self._cut_reason = ""
        # A quarter of the keys, as a message may be a list of labelled codes.
        self.labels = UserLabels(keys // 4)
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
    def held_bytes(self) -> int:
        """Approximate memory in bytes."""
        tables: tuple[Sized, ...] = (
            self._padded, self._echoes.introduced, self.labels.words, self._sources,
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
        normalised = self._add(stored_text(text, self._text), at, frozenset())
        self._numbers.add_text(normalised, at)
        if level == USER:
            self.labels.add(normalised)

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
        content = ResultContent(result, self._text)
        call = ExecutedCall(tool, version, content, self.find, is_mentioned_before)
        own = self._echoes.add(arguments, call)
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

    def _add(self, text: StoredText, at: At, own: frozenset[str]) -> str:
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
            return self.labels.fits(bare, kind_words)
        if bare[:1] in BRACKETS or (bare[:1] == "-" and is_negative(bare)):
            return False
        level = self._index.trust_level(bare)
        if level is None:
            return None
        if level < PROSE:
            return True
        if text in self._echoes.introduced:
            return False
        if level == PROSE or not kind_words or self._index.occurs_in_prose(bare):
            return True
        under = self._fields.get(bare)
        return not under or any(is_of_kind(subject_words(field), kind_words) for field in under)

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
        return self._echoes.first_call(value, self.find)

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
