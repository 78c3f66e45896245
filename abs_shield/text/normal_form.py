"""The normal form in which texts are compared, and its tokens."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, filterfalse, groupby, islice, repeat

from abs_shield.text.lazy_pattern import lazy_pattern

_LATIN = "a-z0-9_\u00c0-\u024f\u1e00-\u1eff"
MARKS = (
    "\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903"
    "\u093a-\u0963\u0981-\u0983\u09bc-\u09e3\u0a01-\u0a4d\u0a70-\u0a75\u0a81-\u0acd\u0b01-\u0b57"
    "\u0b82-\u0bcd\u0c00-\u0c56\u0c81-\u0cd6\u0d00-\u0d57\u0d81-\u0ddf\u0e31-\u0e3a\u0e47-\u0e4e"
    "\u0eb1-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
)
"""Combining vowel signs and accents, which are not word characters."""
_GLUE = rf"[!#$%&*+\-./:=?@^~\u0300-\u036f{MARKS}]+"

# These begin with a set of characters, as `re` skips to the next one of a set four times as fast as
# to a repetition or a lookaround; hence also `[x][x]*` instead of `[x]+` below.
_AFTER_LATIN = re.compile(rf"[^\W{_LATIN}](?<=[{_LATIN}]\w)")
_BEFORE_LATIN = re.compile(rf"[^\W{_LATIN}](?=[{_LATIN}])")
_MARK_BEFORE_LATIN = re.compile(rf"[{MARKS}](?=[{_LATIN}])")
_BORDERS = (
    (_AFTER_LATIN, lambda match: f" {match[0]}"),
    (_BEFORE_LATIN, lambda match: f"{match[0]} "),
    (_MARK_BEFORE_LATIN, lambda match: f"{match[0]} "),
)
"""The changes of script, and how each is set apart; templates such as `\\g<0>` are slower."""
_APOSTROPHE = r"(?<=\b[^\W\d_])['\u2019](?=[^\W\d_]{2})"
# Possessive quantifiers: a matched run is never split again, so the time is linear.
_CHUNK = re.compile(rf"\w++(?:(?=[^\s\"])(?:{_GLUE}|,(?=\d)|{_APOSTROPHE})\w++)*")
_ASCII_CHUNK = re.compile(  # the same, twice as fast
    r"[a-z0-9_]++(?:(?=[^\s\"])(?:[!#$%&*+\-./:=?@^~]++|,(?=[0-9])"
    r"|(?<=\b[a-z])'(?=[a-z]{2}))[a-z0-9_]++)*",
    re.ASCII,
)
_ALNUM = re.compile(r"[^\W_]+")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_PIECE = re.compile(r"[/:=?&#,+*!$%^~]+")
_TAIL = re.compile(r"(?<=[^\W\d_][-_.])\d+(?=[/:=?&#]|$)")
"""The number of ``ord-7731``; a number inside a date or a telephone does not count."""
_LABEL = re.compile(r"[:=]+")
_UNSPACED = lazy_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_FILLERS = "\u115f\u1160\u3164\uffa0\u034f"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\ufe58\ufe63\uff0d"
# Characters: the whole basic plane; a text of rare ones must not fill the memory.
_MOST_REMEMBERED = 1 << 16
_MOST_STEPS = 12  # folders: the prefixes of a path grow with the square of their number


class _NormalCharacters(dict[int, str | None]):
    """A translation of characters: invisible ones to None, digits to ASCII."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        # Variation selectors are invisible, but of the category of accents.
        if unicodedata.category(character) == "Cf" or 0xFE00 <= code <= 0xFE0F:
            plain: str | None = None
        else:
            digit = unicodedata.decimal(character, None)
            plain = character if digit is None else str(digit)
        if len(self) < _MOST_REMEMBERED:
            self[code] = plain
        return plain


_PLAIN = _NormalCharacters(
    {ord("\u0307"): None, ord("\u0131"): "i"}
)  # Turkish dotted and dotless i
_PLAIN.update(dict.fromkeys(map(ord, _FILLERS)))
_PLAIN.update(dict.fromkeys(map(ord, _HYPHENS), "-"))
_PLAIN.update({ord("\u066b"): ".", ord("\u066c"): ","})  # Arabic decimals and thousands
# Without the characters above: a search is much faster than a translation of all characters.
_USUAL = (
    "\\x00-\xac\xae-\u0130\u0132-\u0306\u0308-\u034e\u0350-\u05ff\u1e00-\u1fff\u2014-\u2027"
    "\u3000-\u3163\u3165-\u9fff\uac00-\ud7a3"
)
"""Latin, Greek, Cyrillic, Hebrew, Chinese, Japanese and Korean, which are not translated."""
_UNUSUAL = re.compile(rf"[^{_USUAL}][^a-z\u00e0-\u024f]*+")  # with what is usual between them


_SIGN = re.compile(
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u209c\u2100-\u2125\u2127-\u2129\u212c-\u214f"
    "\u2460-\u24ff\u2776-\u2793\u3200-\u33ff]"
)
"""Signs that NFKC converts to letters or digits, which would join their neighbours."""
_APART = {ord(sign): f"\n{sign}\n" for sign in _SIGN.findall("".join(map(chr, range(0x3400))))}
_LONG_HYPHEN = re.compile(r"(?<=[0-9A-Za-z\uff10-\uff19])\u30fc(?=[0-9A-Za-z\uff10-\uff19])")
_STOP = re.compile(r"(?<=[0-9])\u3002(?=[0-9])")
"""A Chinese or Japanese full stop used as a decimal point, a common input error."""
_MARKED = re.compile(r"[^\w\x00-\x7f][^\w\x00-\x7f]{63,}")
_MAYBE_MARKED = re.compile(r"[^\x00-\x7f][^\x00-\x7f]{63}")  # four times as fast
_MOST_MARKS = 30
"""Maximum accents on one letter; CPython sorts n of them in n squared steps."""
# Maximum lengths of texts of which 64 are cached, and of those of which two are.
_LONGEST_SHORT, _LONGEST_VALUE = 256, 16 * 1024
_MOST_SPREAD = 4
"""Maximum length of a normal form, as a multiple; one Arabic ligature has 18 letters."""
_SPREADING = re.compile("[\u3300-\u33ff\ufdf0-\ufdfb]")
"""Ligatures of more than four letters."""
_ACCENTS = re.compile("[\u0300-\u036f][\u0300-\u036f]*+")
_STROKES = str.maketrans(
    {"đ": "d", "ð": "d", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "þ": "th"}
)
_STROKED = re.compile(f"[{''.join(map(chr, _STROKES))}]")


def normal(text: str) -> str:
    """
    Return *text* in NFKC, casefolded, without invisible characters, digits in ASCII.

    A space is inserted at each change of script, so that an id inside a Chinese sentence is a
    token of its own. A text whose normal form is much longer than itself is cut.

    >>> normal("Order TX\u20111\u200b2"), normal("订单tx_12345谢谢")
    ('order tx-12', '订单 tx_12345 谢谢')
    """
    if text.isascii():
        return text.lower()
    if len(text) <= _LONGEST_SHORT:
        return _short(text)
    return _long(text) if len(text) <= _LONGEST_VALUE else _normal(text)


def _few_marks(run: re.Match[str]) -> str:
    """Return a run of accents, cut to more than any language uses on one letter."""
    marked = groupby(run[0], lambda character: unicodedata.combining(character) > 0)
    return "".join(
        "".join(islice(group, _MOST_MARKS) if is_mark else group) for is_mark, group in marked
    )


def _fitting(text: str) -> str:
    """
    Return the part of a text whose normal form is within the limit.

    Only long texts need this; each character is counted separately.
    """
    most = _MOST_SPREAD * len(text) + _LONGEST_SHORT
    sizes = {c: len(unicodedata.normalize("NFKC", c)) for c in set(_SPREADING.findall(text))}
    if not sizes:
        return text
    spread = [*accumulate(map(sizes.get, text, repeat(1)))]
    return text[: bisect_right(spread, most) + 1]


def _normal(text: str) -> str:
    size = len(text)
    # Before NFKC, which would need memory for the whole result.
    if len(text) > _LONGEST_VALUE:
        text = _fitting(text)
    signs = text.replace("\u2116", "#")
    if _MAYBE_MARKED.search(signs) is not None:
        signs = _MARKED.sub(_few_marks, signs)
    if "\u30fc" in signs:
        signs = _LONG_HYPHEN.sub("-", signs)
    if _SIGN.search(signs):
        signs = signs.translate(_APART)  # a template of `re.sub` would take 2 seconds a megabyte
    spread = unicodedata.normalize("NFKC", signs)[: _MOST_SPREAD * size + _LONGEST_SHORT]
    # A casefolded text may no longer be in NFKC, so it is normalised again.
    folded = unicodedata.normalize("NFKC", spread.casefold())
    plain = _UNUSUAL.sub(_plain, folded)
    if "\u3002" in plain:
        plain = _STOP.sub(".", plain)
    if plain.isascii():
        return plain
    for border, spaced in _BORDERS:
        plain = border.sub(spaced, plain)
    return plain


def _plain(run: re.Match[str]) -> str:
    return run[0].translate(_PLAIN)


_short = lru_cache(maxsize=64)(_normal)
_long = lru_cache(maxsize=2)(_normal)
"""Cached, because several searches for a value need it."""


def chunks(normalised: str) -> list[str]:
    """
    Return the runs of word characters with the punctuation inside them.

    >>> chunks("mail mia.li@x.org about #w123, paid $1,500.00.")
    ['mail', 'mia.li@x.org', 'about', 'w123', 'paid', '1,500.00']
    """
    return (_ASCII_CHUNK if normalised.isascii() else _CHUNK).findall(normalised)


def codes(normalised: str) -> Iterator[str]:
    """
    Yield the chunks that may identify something: those with a digit or an @.

    >>> list(codes("refund tx_9 to mia@x.org, please"))
    ['tx_9', 'mia@x.org']
    """
    return (c[0] for c in _CHUNK.finditer(normalised) if "@" in c[0] or _DIGIT.search(c[0]))


def words(normalised: str) -> list[str]:
    """Return the runs of letters and digits."""
    return _ALNUM.findall(normalised)


def parts(chunk: str, split: list[str] | None = None) -> set[str]:
    """
    Return the whole words inside a compound chunk, split at its punctuation.

    For a path, they include its folders.

    Args:
        chunk: The chunk.
        split: Its `words`, if they are split already.

    >>> sorted(parts("x.org/orders/w_9"))
    ['9', 'orders', 'org', 'w', 'w_9', 'x', 'x.org', 'x.org/orders']
    """
    split = words(chunk) if split is None else split
    within = set(filterfalse(str.isdigit, split))
    if "_" in chunk:
        within.update(filterfalse(str.isdigit, _WORD.findall(chunk)))
    if _PIECE.search(chunk) is None:  # only hyphens, full stops, underscores, @
        if split and split[-1].isdigit():
            within.update(_TAIL.findall(chunk))
        within.discard(chunk)
        return within
    within.update(_PIECE.split(chunk), _LABEL.split(chunk), _TAIL.findall(chunk))
    steps = chunk.split("/")[:_MOST_STEPS] if "/" in chunk else []
    return within.union(accumulate(steps[:-1], "{}/{}".format)) - {"", chunk}


def alphanumerics(normalised: str) -> str:
    """Return only the letters and digits."""
    return "".join(_ALNUM.findall(normalised))


def remove_accents(normalised: str) -> str:
    """
    Return *normalised* without accents and strokes.

    >>> remove_accents("josé müller, łódź")
    'jose muller, lodz'
    """
    if normalised.isascii():
        return normalised
    # A search is much faster than a translation, and few texts have one of these letters.
    if _STROKED.search(normalised) is not None:
        normalised = normalised.translate(_STROKES)
    spread = unicodedata.normalize("NFD", normalised)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", spread))


def is_unspaced_script(normalised: str) -> bool:
    """Return whether *normalised* has a script without spaces between words, or Korean."""
    return _UNSPACED.search(normalised) is not None


def is_latin(normalised: str) -> bool:
    """Return whether every letter is Latin."""
    return normalised.isascii() or not re.search(rf"[^\W{_LATIN}]", normalised)


_CYRILLIC = (
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf"
)
_GREEK = (
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b9\u03bd\u03bf\u03c1\u03ba"
)
_LATIN_LETTERS = str.maketrans(
    _CYRILLIC + _GREEK, "ABEKMHOPCTYXIJS" + "aeopcyxijshdqwl" + "ABEZHIKMNOPTYX" + "aivopk"
)


def latinise(text: str) -> str:
    r"""
    Return a text with Latin letters in place of lookalikes.

    Words of those scripts become unreadable; equal texts stay equal.

    >>> latinise("\u0421\u0430pital of Fr\u0430nce")
    'Capital of France'
    """
    return text if text.isascii() else text.translate(_LATIN_LETTERS)
