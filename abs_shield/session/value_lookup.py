"""Lookup of a value in the texts of a run: verbatim, respelt, composed, or word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from abs_shield.session.recent_text import At
from abs_shield.session.token_index import SYSTEM, TokenIndex
from abs_shield.session.value_field import NO_FIELD, Field
from abs_shield.text.identifier_words import name_words, singular
from abs_shield.text.normal_form import (
    alphanumerics,
    chunks,
    is_unspaced_script,
    normal,
    remove_accents,
    words,
)
from abs_shield.text.path_steps import (
    cut_positions,
    host_and_port,
    is_conventional,
    is_distinctive_code,
    is_kind_word,
    is_plain_step,
    without_store,
)
from abs_shield.text.separatorless import SeparatorlessText
from abs_shield.text.spelling_equivalence import is_in_words, is_same_spelling, may_be_several
from abs_shield.text.spelling_variants import Form, forms, is_negative, number_after_letter
from abs_shield.text.text_templates import Template, template_values
from abs_shield.text.value_shapes import is_quantity

LONGEST_VALUE = 16 * 1024  # characters of a value that are read; a longer one is a text
_LONGEST_SPELT = 256
"""Longest value whose other spellings are looked up; of a longer one only the separators vary."""
_LEAST_LETTERS = 4  # letters and digits; shorter values occur in any text by chance
_LEAST_DIGITS = 7  # digits; shorter numbers with other separators may be parts of others
_DEFAULT_SCHEMA = re.compile(r"^(?:public|dbo)\.(?=\w+$)")
"""The schema in which a database looks up a table without one."""
_SEPARATED = re.compile(r"[:=/]")
_DOI = re.compile(r"10\.\d{4,9}")
_NAMESPACE = re.compile(r"^[a-z]{2,12}\.(?=.*\d)")
_TESTING = re.compile(r"^tests?_|(?:_test|[.]test|[.]spec)(?=[.]|$)")
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "__tests__"})
_CODES = re.compile(r"(?=[^/]*\d)[\w-]+")
"""A step that is an id rather than a file name: it has a digit and no full stop."""
_CYRILLIC = str.maketrans("abekmhopctyx", "авекмнорстух")
_LATIN = {other: letter for letter, other in _CYRILLIC.items()}
"""Letters of two alphabets that look the same, as licence plates are typed in either."""
_NO_SEPARATORS = {code: None for code in range(128) if not chr(code).isalnum()}
_MOST_STEPS = 12  # places where a path is cut; each one costs several lookups


class ValueMatch(NamedTuple):
    """A match of a value: its form, as in `Origin.how`, and its position."""

    how: str
    at: At


def plain(value: str) -> str:
    """Return the normal form with which a value is looked up, at most 16,384 characters."""
    return normal(value[:LONGEST_VALUE])[:LONGEST_VALUE].strip()


def find(
    value: str, index: TokenIndex, templates: Mapping[Template, At], field: Field = NO_FIELD
) -> ValueMatch | None:
    """
    Find a value as a whole; return None if no text mentions it in any spelling.

    Args:
        value: The value.
        index: The token index of the run.
        templates: Formats that a user or a system text prescribes.
        field: The parameter of the value, which determines the spellings that are the same value.
    """
    text = plain(value)
    # First, as chunks have no signs, and -5 must not match 5.
    if is_negative(text):
        return _match_at("exact", index.find_negative(text))
    at = index.find_chunk(text)
    if at is not None:
        return ValueMatch("exact", at)
    tokens = chunks(text)
    if not tokens:
        return None
    if tokens[0] != text:  # else it was looked up above
        at = index.find_adjacent(tokens)
        if at is not None:
            return ValueMatch("exact", at)
    if _has_moved_end(text, index):
        return None
    # A long value has too many spellings; only its separators may differ.
    if len(text) > _LONGEST_SPELT:
        tight = SeparatorlessText.of(text)
        at = index.find_in_recent_text(tight.letters, tight.codes[1:-1], whole="@" in text)
        return _match_at("variant", at)
    # The likeliest spellings first, as most values are found by the first steps.
    return (
        _find_respelt(text, tokens, index, field)
        or _find_freely_grouped(text, index, field)
        or _find_decoded(text, index, templates)
        or _find_lettered(text, index)
        or _find_prescribed(text, index, templates)
        or _find_resource(text, index, field)
        or _find_below(text, index)
    )


def _has_moved_end(text: str, index: TokenIndex) -> bool:
    """
    Return whether a value has a separator at an end, and is not mentioned without it.

    ``tx_12_`` is a spelling of ``tx_12``, but ``tx12_`` has its separator at another position.
    """
    bare = text.strip("_-")
    if bare == text or not bare or " " in bare:
        return False
    return (
        index.find_chunk(bare) is None
        and index.find_adjacent(chunks(bare)) is None
        and index.find_part(bare) is None
    )


def find_words_apart(value: str, index: TokenIndex) -> ValueMatch | None:
    """Find each word of a name anywhere; return the least trusted match."""
    worst: At | None = None
    for word in words(plain(value)):
        at = _find_word(word, index)
        if at is None:
            return None
        worst = at if worst is None or at.level > worst.level else worst
    return _match_at("words", worst)


def _match_at(how: str, at: At | None) -> ValueMatch | None:
    return None if at is None else ValueMatch(how, at)


def _find_word(word: str, index: TokenIndex) -> At | None:
    # an initial occurs in nearly every text, so it is ignored
    if len(word) == 1 and not is_unspaced_script(word):
        return At(SYSTEM, 0)
    for form in (word, remove_accents(word), word + "s", word.removesuffix("s")):
        at = (
            index.find_chunk(form)
            or index.find_part(form)
            or index.find_spelling(form, bytes(len(form) - 1))
        )
        if at is not None:
            return at
    if not word.isascii():
        bare = remove_accents(word)
        if (at := index.find_in_recent_text(bare, bytes(len(bare) - 1))) is not None:
            return at
    return next((at for form in forms(word) if (at := index.find_adjacent(form)) is not None), None)


# As it is, in another spelling -------------------------------------------------------------------


def _find_respelt(
    text: str, tokens: list[str], index: TokenIndex, field: Field
) -> ValueMatch | None:
    """Match other separators and accents, then typed forms, then a whole word of a longer text."""
    tight = SeparatorlessText.of(text)
    letters, spelt = tight.letters, tight.codes[1:-1]
    at = index.find_spelling(letters, spelt, grouped=field.takes_groups) or index.find_cell(text)
    if at is None:
        at = index.find_chunk(letters)
        # The lookup comes before the comparison, as most values do not occur in the run.
        if at is not None and not is_same_spelling(letters, spelt, bytes(len(spelt))):
            at = None
    if at is None and field.number:
        at = _find_unpadded(letters, index)
    at = at or _find_side_by_side(tokens, words(text), letters, spelt, index)
    if at is not None:
        return ValueMatch("variant", at)
    part = index.find_part(tokens[0] if len(tokens) == 1 else text)
    if part is not None:
        return ValueMatch("part", part)
    if len(letters) >= _LEAST_LETTERS or is_unspaced_script(letters):
        at = index.find_in_recent_text(letters, spelt, whole="@" in text)
        if at is not None:
            return ValueMatch("variant", at)
    has_words = index.has_sizes or not text.isascii() or "-" in text  # a number, or a date
    return _match_at(
        "typed", _find_form(forms(text, padded=field.number, with_names=has_words), index)
    )


def _find_side_by_side(
    tokens: Sequence[str], split: list[str], letters: str, spelt: bytes, index: TokenIndex
) -> At | None:
    """Match the words of a value in a row, and the singular and plural of a name."""
    rows = [(split, True)]
    if tokens[-1].isalpha():
        rows += [(row, False) for row in _singular_and_plural(tokens)]
    elif len(tokens) > 1:
        rows += [(row, False) for row in _with_other_noun(tokens)]
    if split[-1:] and split[-1].isalpha():
        rows += [(row, True) for row in _singular_and_plural(split)]
    for row, is_of_words in rows:
        at = index.find_adjacent(row)
        if at is not None and not (is_of_words and not _is_in_words(letters, spelt)):
            return at
    return None


def _is_in_words(letters: str, spelt: bytes) -> bool:
    """Return whether the words of a value next to each other are one value and not several."""
    return is_in_words(letters, spelt) and not may_be_several(letters, spelt)


def _find_unpadded(letters: str, index: TokenIndex) -> At | None:
    """Match a number with or without leading zeros."""
    bare = letters.lstrip("0")
    if not bare or not letters.isdigit():
        return None
    return index.find_unpadded(bare) or (None if bare == letters else index.find_adjacent((bare,)))


def _singular_and_plural(tokens: Sequence[str]) -> list[list[str]]:
    """Return the English singular and plural of a name that ends with a word."""
    *before, last = tokens
    return [[*before, last + "s"], [*before, last.removesuffix("s")]]


def _with_other_noun(tokens: Sequence[str]) -> list[list[str]]:
    """Return a name with another English number of the noun before its code: ``flyers A5``."""
    *before, noun, code = tokens
    if not noun.isalpha() or len(noun) < _LEAST_LETTERS:
        return []
    return [[*before, noun + "s", code], [*before, noun.removesuffix("s"), code]]


def _find_form(candidates: Iterable[Form], index: TokenIndex) -> At | None:
    """Return where another form of a date, a number, a URL or a name occurs."""
    unique = dict.fromkeys(candidates)
    single = {form[0] for form in unique if len(form) == 1}
    # One test of all of them, since most values have thirty forms that never occur.
    if not _may_occur(single, index):
        unique = {form: None for form in unique if len(form) > 1}
    for form in unique:
        if len(form) == 1:
            at = index.find_chunk(form[0]) or _find_token(form[0], index)
        else:
            at = index.find_adjacent(form)
        if at is not None:
            return at
    return None


def _may_occur(single: set[str], index: TokenIndex) -> bool:
    """Return whether one of these forms may occur at all; most values have thirty that never do."""
    if not single:
        return False
    if not all(map(str.isascii, single)):
        return True
    letters = {form if form.isalnum() else form.translate(_NO_SEPARATORS) for form in single}
    return index.may_contain(single, letters, least=_LEAST_DIGITS)


def _find_token(form: str, index: TokenIndex) -> At | None:
    tight = SeparatorlessText.of(form)
    letters, spelt = tight.letters, tight.codes[1:-1]
    at = index.find_part(form) or index.find_spelling(letters, spelt)
    is_long = len(letters) >= _LEAST_DIGITS or is_unspaced_script(letters)
    return index.find_in_recent_text(letters, spelt) if at is None and is_long else at


def _find_freely_grouped(text: str, index: TokenIndex, field: Field) -> ValueMatch | None:
    """Match a postal code, a plate or a flight with any separators and look-alike letters."""
    letters = SeparatorlessText.of(text).letters
    if not field.is_freely_grouped or len(letters) < _LEAST_LETTERS:
        return None
    spelt = dict.fromkeys((letters, letters.translate(_CYRILLIC), letters.translate(_LATIN)))
    return next(
        (
            ValueMatch("variant", at)
            for one in spelt
            if (at := index.find_in_recent_text(one, None))
        ),
        None,
    )


def _find_lettered(text: str, index: TokenIndex) -> ValueMatch | None:
    """
    Match a mentioned number after a letter, if it is long or other codes have the letter.
    """
    letters = alphanumerics(text)
    digits = number_after_letter(letters)
    at = index.find_adjacent((digits,)) if digits else None
    if at is None or len(digits) >= _LEAST_DIGITS:
        return _match_at("typed", at)
    is_alike = re.compile(rf"{letters[0]}\d{{{len(digits)}}}").fullmatch
    similar = (c for level in range(4) for c in index.find_similar(letters, level, most_off=0))
    return ValueMatch("typed", at) if any(map(is_alike, similar)) else None


def _find_decoded(
    text: str, index: TokenIndex, templates: Mapping[Template, At]
) -> ValueMatch | None:
    """Match the decoded form of a URL-encoded text such as ``team%2Frepo``."""
    if "%" not in text:
        return None
    decoded = unquote(text)
    return find(decoded, index, templates) if decoded != text else None


# Composed of mentioned parts ---------------------------------------------------------------------


def _find_prescribed(
    text: str, index: TokenIndex, templates: Mapping[Template, At]
) -> ValueMatch | None:
    """Match a value of mentioned parts in a format that a user or the host prescribes."""
    for template, at in templates.items():
        filled = template_values(template, text)
        mentioned = [part for part in filled or () if not _is_serial(part)]
        if mentioned and all(_is_mentioned(part, index) for part in mentioned):
            return ValueMatch("composed", at)
    return None


def _is_mentioned(part: str, index: TokenIndex) -> bool:
    return (
        index.find_adjacent(chunks(part)) is not None or find_words_apart(part, index) is not None
    )


def _is_serial(part: str) -> bool:
    """
    Return whether a part of a composed value is a serial number or date, which needs no mention.
    """
    # four, six and eight digits are a year, 240531 and 20240531
    return (len(part) <= 3 and not part.isalpha()) or (part.isdigit() and len(part) in (4, 6, 8))


def _find_resource(text: str, index: TokenIndex, field: Field) -> ValueMatch | None:
    """Match a mentioned id or name after words of an interface: ``place_id:X``, ``refs/tags/X``."""
    bucket = _DEFAULT_SCHEMA.sub("", without_store(text))
    if bucket != text:
        return _match_at("composed", index.find_chunk(bucket))
    if "://" in text or text[0] == "~" or "@" in text:
        return None
    if text[0] == "/" and "." in text.rpartition("/")[2]:
        return None
    pieces = [piece for piece in _SEPARATED.split(text) if piece]
    if len(pieces) < 2 or len(pieces[-1]) < _LEAST_LETTERS:
        return None
    return _find_after_kinds(text, index) or _find_naming_step(text, pieces, index, field)


def _find_after_kinds(text: str, index: TokenIndex) -> ValueMatch | None:
    """Match a mentioned name with slashes after words for kinds: ``refs/heads/feature/login``."""
    for cut in _SEPARATED.finditer(text):
        if not is_kind_word(_SEPARATED.split(text[: cut.start()])[-1]):
            return None
        at = index.find_chunk(text[cut.end() :])
        if at is not None:
            return ValueMatch("composed", at)
    return None


def _find_naming_step(
    text: str, pieces: list[str], index: TokenIndex, field: Field
) -> ValueMatch | None:
    """Match one step that names a thing, among words of the run or of an interface."""
    parameter_words = [*map(singular, name_words(field.name))]
    telling = [piece for piece in pieces if not _is_prefix(piece)] or pieces[-1:]
    if len(telling) > 1:
        endpoint = host_and_port(text, parameter_words)
        if not endpoint or not all(_occurs_alone(piece, index) for piece in endpoint):
            return None  # two mentioned values are composed into a third
    if field.is_path and not all(_is_folder(step, index) for step in pieces[:-1]):
        return None  # the file of that name is in another folder
    naming = telling[0]
    at = _find_name(naming, index)
    around = (piece for piece in pieces if piece not in telling)
    if at is None or not all(
        _is_prefix_mentioned(piece, index, parameter_words) for piece in around
    ):
        return None
    return ValueMatch("composed", at)


def _find_name(step: str, index: TokenIndex) -> At | None:
    """
    Return where a step occurs by itself; a distinctive code may occur anywhere.

    After another prefix a step is another thing: ``order:1042`` is not ``customer:1042``.
    """
    if is_distinctive_code(step) or (_occurs_alone(step, index) and "/" not in step):
        return _find_step(step, index)
    bare = _NAMESPACE.sub("", step)
    if bare == step:
        return None
    alone = is_distinctive_code(bare) or index.find_chunk(step.replace(".", ":", 1))
    return _find_step(bare, index) if alone or _occurs_alone(bare, index) else None


def _is_prefix_mentioned(prefix: str, index: TokenIndex, parameter_words: Sequence[str]) -> bool:
    """Return whether the run, the parameter or its interface has the word before an id."""
    if _DOI.fullmatch(prefix) or is_conventional(prefix) or is_kind_word(prefix):
        return True
    return all(
        singular(word) in parameter_words or _find_word(word, index) is not None
        for word in words(prefix)
    )


def _is_folder(step: str, index: TokenIndex) -> bool:
    return is_conventional(step) or _find_step(step, index) is not None


def _is_prefix(piece: str) -> bool:
    return is_plain_step(piece) or is_kind_word(piece) or _DOI.fullmatch(piece) is not None


def _find_below(text: str, index: TokenIndex) -> ValueMatch | None:
    """Match a path or URL below a mentioned one, of mentioned names, as after ``cd`` and ``ls``."""
    if "/" not in text:
        return None
    at = _find_module(text, index)
    if at is not None:
        return ValueMatch("composed", at)
    if all(map(_CODES.fullmatch, text.split("/"))):
        return None  # two ids, not a path
    if (at := _find_test(text, index)) is not None:
        return ValueMatch("composed", at)
    head = _mentioned_head(text, index)
    if head is None or _restarts_at_root(text, head[1]):
        return None
    return ValueMatch("composed", head[0]) if _is_tail_mentioned(head[1], index) else None


def _find_test(text: str, index: TokenIndex) -> At | None:
    """Return where the file of a test is mentioned: ``src/a/b.py`` for ``tests/a/test_b.py``."""
    first, *folders, name = text.split("/")
    if first not in _TEST_FOLDERS or not folders or _TESTING.search(name) is None:
        return None
    if any(_find_step(folder, index) is None for folder in folders):
        return None
    return _find_step(name, index)


def _restarts_at_root(path: str, tail: str) -> bool:
    """Return whether a second path follows a path from the root: ``/srv/a.csv/srv/b.csv``."""
    first, behind = (next(_steps(part), "") for part in (path, tail))
    return path.startswith("/") and first == behind


def extends_mentioned_path(value: str, index: TokenIndex) -> bool:
    """Return whether a path is a mentioned one followed by plain words or conventional files."""
    head = _mentioned_head(plain(value), index)
    return head is not None and all(
        _needs_no_mention(step) or _find_step(step, index) is not None for step in _steps(head[1])
    )


def _mentioned_head(text: str, index: TokenIndex) -> tuple[At, str] | None:
    """Return where the longest mentioned beginning of a path occurs, and the rest of the path."""
    whole = SeparatorlessText.of(text)
    for cut in cut_positions(text)[:_MOST_STEPS]:
        head = text[:cut]
        at = index.find_adjacent(chunks(head)) or index.find_part(head.strip("/"))
        if at is None:
            size = len(alphanumerics(remove_accents(head)))
            at = index.find_in_recent_text(whole.letters[:size], whole.codes[1:size], whole=True)
        if at is not None:
            return at, text[cut + 1 :]
    return None


def _steps(tail: str) -> Iterator[str]:
    return (step for step in tail.split("/") if step.strip("."))


def _needs_no_mention(step: str) -> bool:
    """Return whether a step of a path needs no mention: a plain word or a conventional file."""
    return is_plain_step(step) or is_conventional(step)


def _is_tail_mentioned(tail: str, index: TokenIndex) -> bool:
    """Return whether the rest of a path is mentioned as a module, as a whole, or step by step."""
    if _find_module(tail, index) is not None or index.find_adjacent(chunks(tail)) is not None:
        return True
    steps = [*_steps(tail)]
    if not steps or not _is_step_mentioned(steps[-1], index):
        return False
    folders = steps[:-1]
    if all(_occurs_alone(step, index) for step in folders):
        return True
    # the person wrote a folder of several steps: `archive/2026`
    return len(folders) > 1 and index.find_adjacent(chunks("/".join(folders))) is not None


def _is_step_mentioned(step: str, index: TokenIndex) -> bool:
    """Return whether the last step of a path occurs by itself, or as an image and its version."""
    if _occurs_alone(step, index):
        return True
    image, _, version = step.partition(":")
    return (
        is_quantity(version)
        and "." in version
        and all(_occurs_alone(part, index) for part in (image, version))
    )


def _occurs_alone(step: str, index: TokenIndex) -> bool:
    """Return whether a step occurs by itself, and not as a step of another path."""
    if index.find_adjacent(chunks(step)) is not None:
        return True
    tested = _TESTING.sub("", step)
    return tested != step and _occurs_alone(tested, index)


def _find_step(step: str, index: TokenIndex) -> At | None:
    tokens = chunks(step)
    if not tokens:
        return None
    at = index.find_adjacent(tokens) or index.find_part(step if len(tokens) > 1 else tokens[0])
    tight = SeparatorlessText.of(step)
    at = at or index.find_spelling(tight.letters, tight.codes[1:-1])
    tested = _TESTING.sub("", step)
    return _find_step(tested, index) if at is None and tested != step else at


def _find_module(tail: str, index: TokenIndex) -> At | None:
    """Return where a file's path occurs as the name of a module: ``a.b`` for ``a/b.py``."""
    stem = tail.rpartition(".")[0].strip("/")
    if "/" not in stem:
        return None
    return index.find_adjacent((stem.replace("/", "."),)) or index.find_adjacent((stem,))
