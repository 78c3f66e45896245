"""Lookup of values that are composed of mentioned parts: paths, resources, prescribed formats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from abs_shield.session.recent_text import At
from abs_shield.session.token_index import TokenIndex
from abs_shield.session.value_field import Field
from abs_shield.session.word_lookup import (
    LEAST_LETTERS,
    ValueMatch,
    find_word,
    find_words_apart,
    match_at,
    plain,
)
from abs_shield.text.identifier_words import name_words, singular
from abs_shield.text.normal_form import alphanumerics, chunks, remove_accents, words
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
from abs_shield.text.text_templates import Template, template_values
from abs_shield.text.value_shapes import is_quantity

_DEFAULT_SCHEMA = re.compile(r"^(?:public|dbo)\.(?=\w+$)")
"""The schema in which a database looks up a table without one."""
_SEPARATED = re.compile(r"[:=/]")
_DOI = re.compile(r"10\.\d{4,9}")
_NAMESPACE = re.compile(r"^[a-z]{2,12}\.(?=.*\d)")
_TESTING = re.compile(r"^tests?_|(?:_test|[.]test|[.]spec)(?=[.]|$)")
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "__tests__"})
_CODES = re.compile(r"(?=[^/]*\d)[\w-]+")
"""A step that is an id rather than a file name: it has a digit and no full stop."""
_MOST_STEPS = 12  # places where a path is cut; each one costs several lookups


def find_prescribed(
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


def find_resource(text: str, index: TokenIndex, field: Field) -> ValueMatch | None:
    """Match a mentioned id or name after words of an interface: ``place_id:X``, ``refs/tags/X``."""
    bucket = _DEFAULT_SCHEMA.sub("", without_store(text))
    if bucket != text:
        return match_at("composed", index.find_chunk(bucket))
    if "://" in text or text[0] == "~" or "@" in text:
        return None
    if text[0] == "/" and "." in text.rpartition("/")[2]:
        return None
    pieces = [piece for piece in _SEPARATED.split(text) if piece]
    if len(pieces) < 2 or len(pieces[-1]) < LEAST_LETTERS:
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
        singular(word) in parameter_words or find_word(word, index) is not None
        for word in words(prefix)
    )


def _is_folder(step: str, index: TokenIndex) -> bool:
    return is_conventional(step) or _find_step(step, index) is not None


def _is_prefix(piece: str) -> bool:
    return is_plain_step(piece) or is_kind_word(piece) or _DOI.fullmatch(piece) is not None


def find_below(text: str, index: TokenIndex) -> ValueMatch | None:
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
