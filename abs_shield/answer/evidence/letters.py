"""Runs of letters, which the forms of one word mostly share, in any language."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_WIDE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_RUN, _WIDE_RUN = 4, 2


def squeezed(text: str) -> str:
    """Give the words of *text* without capitals, with one blank between two."""
    return " ".join(_WORD.findall(text.lower()))


def runs(text: str) -> list[str]:
    """
    Give all runs of four characters of a squeezed text, and of two where a letter is a word.

    >>> runs("red hat"), runs("\u4e2d\u6587\u5b57")
    (['red ', 'ed h', 'd ha', ' hat'], ['\u4e2d\u6587', '\u6587\u5b57'])
    """
    if text.isascii() or _WIDE.search(text) is None:
        return _of(text, _RUN)
    found = [run for wide in _WIDE.findall(text) for run in _of(wide, _WIDE_RUN)]
    return found + [run for rest in _WIDE.split(text) for run in _of(rest, _RUN)]


def _of(text: str, size: int) -> list[str]:
    return [text[n : n + size] for n in range(len(text) - size + 1)]
