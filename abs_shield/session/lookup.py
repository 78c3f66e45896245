"""How a value is looked for in what a run has seen: as it is, respelt, composed, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from abs_shield.session.field import NO_FIELD, Field
from abs_shield.session.index import SYSTEM, Index
from abs_shield.session.kept import At
from abs_shield.text.forms import Form, forms, is_negative, unlettered
from abs_shield.text.names import name_words, singular
from abs_shield.text.normal import chunks, normal, squeezed, unaccented, unspaced, words
from abs_shield.text.paths import cuts, is_conventional, is_plain
from abs_shield.text.resources import (
    host_and_port,
    is_self_telling,
    names_kind,
    without_store,
)
from abs_shield.text.templates import Template, fillings
from abs_shield.text.tight import Tight, is_in_words, may_be_several, names_the_same

LONGEST_VALUE = 16 * 1024
_LONGEST_SPELT = 256
"""Characters of a value that other spellings are made of; a longer one is looked for as it is."""
_LEAST_LETTERS = 4
_LEAST_DIGITS = 7
_SEPARATED = re.compile(r"[:=/]")
_DOI = re.compile(r"10\.\d{4,9}")
_NAMESPACE = re.compile(r"^[a-z]{2,12}\.(?=.*\d)")
_TESTING = re.compile(r"^tests?_|(?:_test|[.]test|[.]spec)(?=[.]|$)")
_CODES = re.compile(r"(?=[^/]*\d)[\w-]+")
"""A step that is no file's name: it holds a digit, and no full stop."""
_CYRILLIC = str.maketrans("abekmhopctyx", "авекмнорстух")
_LATIN = {other: letter for letter, other in _CYRILLIC.items()}
"""Letters of two alphabets that look the same: a plate is typed in either."""
_NO_SEPARATORS = {code: None for code in range(128) if not chr(code).isalnum()}
_MOST_STEPS = 12
_MOST_ALIKE = 2_000


class Hit(NamedTuple):
    """How a value was found, and where."""

    how: str
    at: At


def plain(value: str) -> str:
    """Give the form in which a value is looked for; bounded whatever its length."""
    return normal(value[:LONGEST_VALUE])[:LONGEST_VALUE].strip()


def find(
    value: str, index: Index, templates: Mapping[Template, At], field: Field = NO_FIELD
) -> Hit | None:
    """
    Find a value as a whole; None where nobody mentioned it in any spelling.

    Args:
        value: The value.
        index: What was said and returned.
        templates: Formats that somebody prescribed.
        field: The parameter that it stands in: it says which spellings are the same value.
    """
    text = plain(value)
    if is_negative(text):
        return _hit("exact", index.negative(text))
    at = index.chunk(text)
    if at is not None:
        return Hit("exact", at)
    found = chunks(text)
    if not found:
        return None
    at = index.joined(found)
    if at is not None:
        return Hit("exact", at)
    if len(text) > _LONGEST_SPELT:
        tight = Tight.of(text)
        at = index.kept(tight.letters, tight.codes[1:-1], whole="@" in text)
        return _hit("variant", at)
    return (
        _respelt(text, found, index, field)
        or _freely_grouped(text, index, field)
        or _decoded(text, index, templates)
        or _lettered(text, index)
        or _as_prescribed(text, index, templates)
        or _as_resource(text, index, field)
        or _below(text, index)
    )


def words_apart(value: str, index: Index) -> Hit | None:
    """Find each word of a name anywhere; the least trusted of them decides."""
    worst: At | None = None
    for word in words(plain(value)):
        at = _word(word, index)
        if at is None:
            return None
        worst = at if worst is None or at.level > worst.level else worst
    return _hit("words", worst)


def _hit(how: str, at: At | None) -> Hit | None:
    return None if at is None else Hit(how, at)


def _word(word: str, index: Index) -> At | None:
    if len(word) == 1 and not unspaced(word):
        return At(SYSTEM, 0)
    for form in (word, unaccented(word), word + "s", word.removesuffix("s")):
        at = index.chunk(form) or index.part(form) or index.squeezed(form, bytes(len(form) - 1))
        if at is not None:
            return at
    if not word.isascii():
        bare = unaccented(word)
        if (at := index.kept(bare, bytes(len(bare) - 1))) is not None:
            return at
    return next((at for form in forms(word) if (at := index.joined(form)) is not None), None)


# As it is, in another spelling -------------------------------------------------------------------


def _respelt(text: str, found: list[str], index: Index, field: Field) -> Hit | None:
    """Other separators and accents, then typed forms, then a whole word of something longer."""
    tight = Tight.of(text)
    letters, spelt = tight.letters, tight.codes[1:-1]
    split = words(text) if _is_in_words(letters, spelt) else []
    at = index.squeezed(letters, spelt, grouped=field.takes_groups) or index.cell(text)
    if at is None and names_the_same(letters, spelt, bytes(len(spelt))):
        at = index.joined((letters,))
    if at is None and field.number:
        at = _unpadded(letters, index)
    if at is not None:
        return Hit("variant", at)
    for side_by_side in (split, *_numbers(found), *_numbers(split)):
        at = index.joined(side_by_side)
        if at is not None:
            return Hit("variant", at)
    part = index.part(found[0] if len(found) == 1 else text)
    if part is not None:
        return Hit("part", part)
    if len(letters) >= _LEAST_LETTERS or unspaced(letters):
        at = index.kept(letters, spelt, whole="@" in text)
        if at is not None:
            return Hit("variant", at)
    is_named = index.sized or not text.isascii() or "-" in text  # a number, or a date
    return _hit("typed", _formed(forms(text, padded=field.number, named=is_named), index))


def _is_in_words(letters: str, spelt: bytes) -> bool:
    """Whether the words of a value stand for it side by side, and not for several values."""
    return is_in_words(letters, spelt) and not may_be_several(letters, spelt)


def _unpadded(letters: str, index: Index) -> At | None:
    """A number with and without the zeros before it."""
    bare = letters.lstrip("0")
    if not bare or not letters.isdigit():
        return None
    return index.unpadded(bare) or (None if bare == letters else index.joined((bare,)))


def _numbers(found: Sequence[str]) -> list[list[str]]:
    """A name in the singular and in the plural, as English writes them."""
    if not found or not found[-1].isalpha():
        return []
    *before, last = found
    return [[*before, last + "s"], [*before, last.removesuffix("s")]]


def _formed(found: Iterable[Form], index: Index) -> At | None:
    """Where another form stands of a date, a number, a URL or a name."""
    every = dict.fromkeys(found)
    single = {form[0] for form in every if len(form) == 1}
    if not _may_stand(single, index):
        every = {form: None for form in every if len(form) > 1}
    for form in every:
        if len(form) == 1:
            at = index.chunk(form[0]) or _as_one(form[0], index)
        else:
            at = index.joined(form)
        if at is not None:
            return at
    return None


def _may_stand(single: set[str], index: Index) -> bool:
    """Whether one of these forms may stand somewhere; most values have thirty that never do."""
    if not single:
        return False
    if not all(map(str.isascii, single)):
        return True
    letters = {form if form.isalnum() else form.translate(_NO_SEPARATORS) for form in single}
    return index.may_hold(single, letters, least=_LEAST_DIGITS)


def _as_one(form: str, index: Index) -> At | None:
    tight = Tight.of(form)
    letters, spelt = tight.letters, tight.codes[1:-1]
    at = index.part(form) or index.squeezed(letters, spelt)
    is_long = len(letters) >= _LEAST_DIGITS or unspaced(letters)
    return index.kept(letters, spelt) if at is None and is_long else at


def _freely_grouped(text: str, index: Index, field: Field) -> Hit | None:
    """A postal code, a plate or a flight with any separators, in letters that look alike."""
    letters = Tight.of(text).letters
    if not field.is_freely_grouped or len(letters) < _LEAST_LETTERS:
        return None
    spelt = dict.fromkeys((letters, letters.translate(_CYRILLIC), letters.translate(_LATIN)))
    return next((Hit("variant", at) for one in spelt if (at := index.kept(one, None))), None)


def _lettered(text: str, index: Index) -> Hit | None:
    """A seen number behind a letter: a long one, or where other codes of the run have it too."""
    letters = squeezed(text)
    digits = unlettered(letters)
    at = index.joined((digits,)) if digits else None
    if at is None or len(digits) >= _LEAST_DIGITS:
        return _hit("typed", at)
    is_alike = re.compile(rf"{letters[0]}\d{{{len(digits)}}}").fullmatch
    seen = (chunk for level in range(4) for chunk in index.newest(level, _MOST_ALIKE))
    return Hit("typed", at) if any(map(is_alike, seen)) else None


def _decoded(text: str, index: Index, templates: Mapping[Template, At]) -> Hit | None:
    """What a URL has encoded: ``team%2Frepo``."""
    if "%" not in text:
        return None
    decoded = unquote(text)
    return find(decoded, index, templates) if decoded != text else None


# Put together ------------------------------------------------------------------------------------


def _as_prescribed(text: str, index: Index, templates: Mapping[Template, At]) -> Hit | None:
    """A value put together as the host's or the user's words prescribe, out of seen parts."""
    for template, at in templates.items():
        filled = fillings(template, text)
        told = [part for part in filled or () if not _is_serial(part)]
        if told and all(_knows(part, index) for part in told):
            return Hit("composed", at)
    return None


def _knows(part: str, index: Index) -> bool:
    return index.joined(chunks(part)) is not None or words_apart(part, index) is not None


def _is_serial(part: str) -> bool:
    """Whether a part of a composed value is a serial number or a date, which nobody mentions."""
    return (len(part) <= 3 and not part.isalpha()) or (part.isdigit() and len(part) in (4, 6, 8))


def _as_resource(text: str, index: Index, field: Field) -> Hit | None:
    """A seen id or name behind words of an interface: ``place_id:X``, ``refs/tags/X``."""
    bucket = without_store(text)
    if bucket != text:
        return _hit("composed", index.chunk(bucket))
    if "://" in text or text[0] == "~" or "@" in text:
        return None
    if text[0] == "/" and "." in text.rpartition("/")[2]:
        return None
    pieces = [piece for piece in _SEPARATED.split(text) if piece]
    if len(pieces) < 2 or len(pieces[-1]) < _LEAST_LETTERS:
        return None
    return _behind_kinds(text, index) or _named(text, pieces, index, field)


def _behind_kinds(text: str, index: Index) -> Hit | None:
    """A seen name of several steps behind words for kinds: ``refs/heads/feature/login``."""
    for cut in _SEPARATED.finditer(text):
        if not names_kind(_SEPARATED.split(text[: cut.start()])[-1]):
            return None
        at = index.chunk(text[cut.end() :])
        if at is not None:
            return Hit("composed", at)
    return None


def _named(text: str, pieces: list[str], index: Index, field: Field) -> Hit | None:
    """One step that names a thing, among words that the run or its interface has."""
    asked = [*map(singular, name_words(field.name))]
    telling = [piece for piece in pieces if not _is_prefix(piece)] or pieces[-1:]
    if len(telling) > 1:
        endpoint = host_and_port(text, asked)
        if not endpoint or not all(_stands_alone(piece, index) for piece in endpoint):
            return None  # two seen values make a third
    if field.is_path and not all(_is_folder(step, index) for step in pieces[:-1]):
        return None  # the file of that name is in another folder
    named = telling[0]
    found = _stands_named(named, index)
    around = (piece for piece in pieces if piece not in telling)
    if found is None or not all(_is_known(piece, index, asked) for piece in around):
        return None
    return Hit("composed", found)


def _stands_named(step: str, index: Index) -> At | None:
    """
    Where a step stands by itself; a code that is one thing wherever it stands, anywhere.

    Behind another prefix it is another thing: ``order:1042`` is not ``customer:1042``.
    """
    if is_self_telling(step) or (_stands_alone(step, index) and "/" not in step):
        return _stands(step, index)
    bare = _NAMESPACE.sub("", step)
    if bare == step:
        return None
    alone = is_self_telling(bare) or index.chunk(step.replace(".", ":", 1))
    return _stands(bare, index) if alone or _stands_alone(bare, index) else None


def _is_known(prefix: str, index: Index, asked: Sequence[str]) -> bool:
    """Whether the run, the parameter or its interface has a word that stands before an id."""
    if _DOI.fullmatch(prefix) or is_conventional(prefix) or names_kind(prefix):
        return True
    return all(singular(word) in asked or _word(word, index) is not None for word in words(prefix))


def _is_folder(step: str, index: Index) -> bool:
    return is_conventional(step) or _stands(step, index) is not None


def _is_prefix(piece: str) -> bool:
    return is_plain(piece) or names_kind(piece) or _DOI.fullmatch(piece) is not None


def _below(text: str, index: Index) -> Hit | None:
    """A path or a URL below a seen one, of seen names: what ``cd`` and ``ls`` lead to."""
    if "/" not in text:
        return None
    at = _module(text, index)
    if at is not None:
        return Hit("composed", at)
    if all(map(_CODES.fullmatch, text.split("/"))):
        return None  # two ids are no path
    head = _seen_head(text, index)
    if head is None or _begins_anew(text, head[1]):
        return None
    return Hit("composed", head[0]) if _leads(head[1], index) else None


def _begins_anew(path: str, tail: str) -> bool:
    """Whether a path from the root has another one behind it: ``/srv/a.csv/srv/b.csv``."""
    first, behind = (next(_steps(part), "") for part in (path, tail))
    return path.startswith("/") and first == behind


def below(value: str, index: Index) -> bool:
    """Whether a path or a URL is a seen one and plain words, or files that projects have."""
    head = _seen_head(plain(value), index)
    return head is not None and all(
        _is_usual(step) or _stands(step, index) is not None for step in _steps(head[1])
    )


def _seen_head(text: str, index: Index) -> tuple[At, str] | None:
    """The longest seen beginning of a path, and what is behind it."""
    whole = Tight.of(text)
    for cut in cuts(text)[:_MOST_STEPS]:
        head = text[:cut]
        at = index.joined(chunks(head)) or index.part(head.strip("/"))
        if at is None:
            size = len(squeezed(unaccented(head)))
            at = index.kept(whole.letters[:size], whole.codes[1:size], whole=True)
        if at is not None:
            return at, text[cut + 1 :]
    return None


def _steps(tail: str) -> Iterator[str]:
    return (step for step in tail.split("/") if step.strip("."))


def _is_usual(step: str) -> bool:
    """Whether a step of a path needs no mention: a plain word, or a file that projects have."""
    return is_plain(step) or is_conventional(step)


def _leads(tail: str, index: Index) -> bool:
    """Whether the end of a path is known: as a module's name, as a whole, or step by step."""
    if _module(tail, index) is not None or index.joined(chunks(tail)) is not None:
        return True
    steps = [*_steps(tail)]
    return bool(steps) and all(_stands_alone(step, index) for step in steps)


def _stands_alone(step: str, index: Index) -> bool:
    """Whether a step stands by itself, and not as a step of another path."""
    if index.joined(chunks(step)) is not None:
        return True
    tested = _TESTING.sub("", step)
    return tested != step and _stands_alone(tested, index)


def _stands(step: str, index: Index) -> At | None:
    found = chunks(step)
    if not found:
        return None
    at = index.joined(found) or index.part(step if len(found) > 1 else found[0])
    tight = Tight.of(step)
    at = at or index.squeezed(tight.letters, tight.codes[1:-1])
    tested = _TESTING.sub("", step)
    return _stands(tested, index) if at is None and tested != step else at


def _module(tail: str, index: Index) -> At | None:
    """Where the file of an import stands, as an import writes it: ``a/b.py`` is ``a.b``."""
    stem = tail.rpartition(".")[0].strip("/")
    if "/" not in stem:
        return None
    return index.joined((stem.replace("/", "."),)) or index.joined((stem,))
