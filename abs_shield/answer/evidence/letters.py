"""Character n-grams, which inflected forms of a word mostly share in any language."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_WIDE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
# four letters keep most stems; a word of Chinese or Thai has about two, without blanks
_RUN, _WIDE_RUN = 4, 2


def squeeze(text: str) -> str:
    """Return the words of *text* in lower case, separated by single blanks."""
    return " ".join(_WORD.findall(text.lower()))


def ngrams(text: str) -> list[str]:
    """
    Return all n-grams of a squeezed text: of four characters, in wide scripts of two.

    >>> ngrams("red hat"), ngrams("\u4e2d\u6587\u5b57")
    (['red ', 'ed h', 'd ha', ' hat'], ['\u4e2d\u6587', '\u6587\u5b57'])
    """
    if text.isascii() or _WIDE.search(text) is None:
        return _ngrams(text, _RUN)
    ngrams = [run for wide in _WIDE.findall(text) for run in _ngrams(wide, _WIDE_RUN)]
    return ngrams + [run for rest in _WIDE.split(text) for run in _ngrams(rest, _RUN)]


def _ngrams(text: str, size: int) -> list[str]:
    return [text[n : n + size] for n in range(len(text) - size + 1)]
