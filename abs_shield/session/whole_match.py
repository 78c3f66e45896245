"""Whether a value stands in a text as a whole, and not as a part of a path or a dotted name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.text.groups import is_part

_ROOTED = re.compile(r"(?:[a-z]:)?[\W_]*", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_BETWEEN = r"[\W_]{0,3}"
_LONGEST, _MOST_RUNS, _LONGEST_GROUP = 1_024, 64, 12
_LATIN = r"0-9A-Za-z_\u00c0-\u024f"
_GOES_ON = re.compile(rf"[{_LATIN}~.:/-]")
_DRIVE = re.compile(r"(?:\A|file:///|[^\w.:/\\~-])[a-z]:\Z")
"""A path behind another colon is a whole one: of ``host:/srv``, of the second of ``a:/b``."""
_INSIDE, _FURTHER = re.compile(rf"[{_LATIN}][./\\]\Z"), re.compile(rf"[./\\][{_LATIN}]")
_EXTENDED = re.compile(rf"[.][{_LATIN}]")
"""Behind a path, a slash leads to what is in it: whether that is meant is asked elsewhere."""


def is_rooted(text: str) -> bool:
    r"""
    Return whether a path begins at a root, a drive, a home or a folder above.

    >>> [is_rooted(path) for path in ("/etc", r"C:\Windows", "~/tmp", "../tmp", "./tmp", "a/b")]
    [True, True, True, True, True, False]
    """
    return ("/" in text or "\\" in text) and _root(text) != ""


def may_be_group(text: str) -> bool:
    """
    Return whether a value may be one group of a longer number: the last digits of a card.

    >>> [may_be_group(text) for text in ("1234", "DE89", "tx_1234", "abcd")]
    [True, True, False, False]
    """
    return len(text) <= _LONGEST_GROUP and text.isalnum() and any(map(str.isdigit, text))


def stands_whole(text: str, said: str, looks: Iterator[object], *, strict: bool) -> bool | None:
    """
    Return False where all places of *text* are parts of longer names; True where it has none.

    Args:
        text: The value.
        said: What was said and returned, folded.
        looks: One for each place that is looked at, of this value and of others.
        strict: Whether parts of dotted and slashed names count as well; else a rooted path counts
            that is the tail of another one.

    Returns:
        None where there are no looks left.

    >>> looks = iter(range(100))
    >>> [stands_whole("/etc", s, looks, strict=False) for s in ("rm /home/ann/etc", "rm /etc, ok")]
    [False, True]
    >>> [stands_whole("users", "drop prod.users", looks, strict=strict) for strict in (False, True)]
    [True, False]
    """
    root = _root(text)
    bare = _bare(text)[len(root) :].casefold()
    runs = [*_RUN.finditer(bare)] if len(text) <= _LONGEST else []
    if not 0 < len(runs) <= _MOST_RUNS:
        return True
    found = False
    for start, end in _places(bare[runs[0].start() : runs[-1].end()], runs, said):
        if next(looks, None) is None:
            return None
        if said[start - 1 : start].isalnum() or said[end : end + 1].isalnum():
            continue
        found = True
        if not _is_tail(root, said, start) and not (
            strict and _is_inside(text, said, start, end, rooted=bool(root))
        ):
            return True
    return not found


def _places(bare: str, runs: list[re.Match[str]], said: str) -> Iterator[tuple[int, int]]:
    """Yield the first place of a value as it is, which is found fast, and then all its places."""
    first = said.find(bare)
    if first >= 0:
        yield first, first + len(bare)
    pattern = _BETWEEN.join(re.escape(run[0]) for run in runs)
    yield from (place.span() for place in re.finditer(pattern, said))


def _bare(text: str) -> str:
    return text.strip().strip("\"'`")


def _root(text: str) -> str:
    """Return the beginning of a path up to its first name: ``/``, ``c:/``, ``../``."""
    found = _ROOTED.match(_bare(text).casefold())
    root = found[0].replace("\\", "/") if found else ""
    return root if "/" in root else ""


def _is_tail(root: str, said: str, start: int) -> bool:
    """Whether a rooted path stands at the end of a longer one, or at another root."""
    before = said[max(0, start - 1) : start]
    if not root or before not in ("/", "\\"):
        return False
    if said.endswith("file:///", 0, start) and root == "/":
        return False
    own = said[max(0, start - len(root)) : start].replace("\\", "/")
    begins = max(0, start - len(root))
    if own != root or not _GOES_ON.match(said[max(0, begins - 1) : begins]):
        return own != root
    return (
        said[begins - 1] != ":"
        or _DRIVE.search(said[max(0, begins - len("file:///c:")) : begins]) is not None
    )


def _is_inside(text: str, said: str, start: int, end: int, *, rooted: bool) -> bool:
    """Whether what stands there is a part of a dotted or slashed name, or of digits in groups."""
    digits = any(map(str.isdigit, text))
    if digits and is_part(said, start, end):
        return True
    if digits and not rooted and "://" in _token(said, start, end):
        return False  # an id at the end of a link
    if not rooted and _INSIDE.search(said[max(0, start - 2) : start]):
        return True
    further = _EXTENDED if "/" in text or "\\" in text else _FURTHER
    if further.match(said[end : end + 2]):
        return True
    return _joins(said[start:end]) > _joins(text.strip().strip("./\\"))


def _joins(text: str) -> int:
    return sum(map(text.count, "/\\."))


def _token(said: str, start: int, end: int) -> str:
    first = max(said.rfind(blank, max(0, start - _LONGEST), start) for blank in " \n\t")
    return said[first + 1 if first >= 0 else max(0, start - _LONGEST) : end]
