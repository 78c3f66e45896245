"""Words inside a longer value, except those that are only a part of an identifier."""

from __future__ import annotations

import re

from abs_shield.text.normal_form import parts
from abs_shield.text.separatorless import SeparatorlessText

_DIGIT = re.compile(r"\d")
_COMPOUND = re.compile(r"[/:=?&#,+*!$%^~@]")
_AFTER = frozenset(":=?&#,")
"""Characters before a whole address; a slash only after an address, or in a URL."""
_OF_ADDRESS = re.compile(r"[.:@]")


def whole_parts(chunk: str, split: list[str] | None = None) -> set[str]:
    """
    Return the `parts` of a compound that are complete values of their own.

    A code that a hyphen, an underscore or a full stop ties to another code or to one letter is a
    part of a longer identifier, such as a group of a UUID. Words beside a code do not matter.

    Args:
        chunk: The chunk.
        split: Its words, if they are split already.

    >>> [sorted(whole_parts(chunk)) for chunk in ("abc123-x", "abc123-invoice.pdf")]
    [['x'], ['abc123', 'invoice', 'pdf']]
    >>> sorted(whole_parts("a/bob@x.org")), "bob@x.org" in whole_parts("mailto:bob@x.org")
    (['a', 'bob', 'org', 'x'], True)
    """
    whole = parts(chunk, split)
    if "@" in chunk:
        whole = {part for part in whole if "@" not in part or _is_address(part, chunk)}
    coded = [
        part
        for part in whole
        if not part.isalpha()
        and not part.isdigit()
        and _DIGIT.search(part)
        and not _COMPOUND.search(part)
    ]
    # Most chunks have no code, and reading the separators is slow.
    if coded:
        tight = SeparatorlessText.of(chunk)
        whole.difference_update(part for part in coded if not _stands_alone(part, tight))
    return whole


def _stands_alone(part: str, tight: SeparatorlessText) -> bool:
    alone = SeparatorlessText.of(part)
    return tight.stands_whole(alone.letters)


def _is_address(part: str, chunk: str) -> bool:
    """Return whether an address is complete, unlike ``bob@x.org`` in ``ann+bob@x.org``."""
    before = chunk[: chunk.find(part)]
    if not before or before[-1] in _AFTER:
        return True
    return before[-1] == "/" and _OF_ADDRESS.search(before) is not None
