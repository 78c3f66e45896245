"""Replacement of Cyrillic and Greek letters that look like Latin ones."""

from __future__ import annotations

_CYRILLIC = (
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf"
)
_GREEK = (
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b9\u03bd\u03bf\u03c1\u03ba"
)
_LATIN = str.maketrans(
    _CYRILLIC + _GREEK, "ABEKMHOPCTYXIJS" + "aeopcyxijshdqwl" + "ABEZHIKMNOPTYX" + "aivopk"
)


def latinised(text: str) -> str:
    r"""
    Return a text with Latin letters in place of lookalikes.

    Words of those scripts become unreadable; equal texts stay equal.

    >>> latinised("\u0421\u0430pital of Fr\u0430nce")
    'Capital of France'
    """
    return text if text.isascii() else text.translate(_LATIN)
