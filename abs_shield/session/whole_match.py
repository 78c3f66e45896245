"""Search for a value in a text as a whole, not as a part of a path or a dotted name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.text.digit_groups import is_part_of_number
from abs_shield.text.lazy_pattern import lazy_pattern

_ROOTED = re.compile(r"(?:[a-z]:)?[\W_]*", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_BETWEEN = r"[\W_]{0,3}"
# characters of a value, its words, and characters of one group of a number
_LONGEST, _MOST_RUNS, _LONGEST_GROUP = 1_024, 64, 12
_LATIN = r"0-9A-Za-z_\u00c0-\u024f"
_GOES_ON = lazy_pattern(rf"[{_LATIN}~.:/-]")
_DRIVE = re.compile(r"(?:\A|file:///|[^\w.:/\\~-])[a-z]:\Z")
"""A drive; a path after another colon is complete: ``/srv`` in ``host:/srv``."""
_INSIDE, _FURTHER = lazy_pattern(rf"[{_LATIN}][./\\]\Z"), lazy_pattern(rf"[./\\][{_LATIN}]")
_EXTENDED = re.compile(rf"[.][{_LATIN}]")
"""Extends a path; a slash does not, as another check judges values for a folder's contents."""

_STEP = r"[\w.~%-]{1,128}?"
_LINK_END = r"(?=[.,;:!]{0,4}(?:[?#\s)>\]\"'`|]|\Z))"
# Each step is bounded, and each begins after a slash, so that a match takes linear time.
_REPOSITORY = lazy_pattern(
    r"(?:[\w-]{1,63}\.){0,4}(?:git[\w-]{0,60}|bitbucket|codeberg)(?:\.[\w-]{1,63}){1,4}(?::\d{1,5})?"
    rf"[/:](?P<full>(?P<owner>{_STEP})/(?P<name>{_STEP}))(?:\.git)?"
    rf"(?:(?:/-)?/(?:blob|raw)/(?P<at>{_STEP})/(?P<file>[\w.~%/-]{{1,512}}?)"
    r"|(?:/-)?/tree/(?P<branch>[\w.~%/-]{1,512}?)"
    r"|/[^\s?#]{0,512}?)?"
    rf"/?{_LINK_END}"
)
"""A link into a repository: its owner, its name, and a file or a branch in it."""
_LINK = lazy_pattern(rf"https?://[^/\s]{{1,255}}/(?P<path>[^\s?#]{{1,512}}?)/?{_LINK_END}")


def is_rooted(text: str) -> bool:
    r"""
    Return whether a path begins at a root, a drive, a home or a parent folder.

    >>> [is_rooted(path) for path in ("/etc", r"C:\Windows", "~/tmp", "../tmp", "./tmp", "a/b")]
    [True, True, True, True, True, False]
    """
    return ("/" in text or "\\" in text) and _root(text) != ""


def may_be_group(text: str) -> bool:
    """
    Return whether a value may be one group of a longer number, such as the last digits of a card.

    >>> [may_be_group(text) for text in ("1234", "DE89", "tx_1234", "abcd")]
    [True, True, False, False]
    """
    return len(text) <= _LONGEST_GROUP and text.isalnum() and any(map(str.isdigit, text))


class FoldedText:
    """
    The case-folded texts and results of a run, for searches of many values.

    Attributes:
        text: The text.
        near: Position of the previous value, as a call's values are mostly in the text's order.
    """

    __slots__ = ("near", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.near = 0

    def first(self, value: str) -> int:
        """Return a position of *value*, searched first from *near* on; -1 if it is absent."""
        place = self.text.find(value, self.near)
        if place < 0 and self.near:
            place = self.text.find(value, 0, self.near + len(value))
        self.near = max(place, 0)
        return place


def occurs_whole(
    text: str, within: FoldedText, attempts: Iterator[object], *, strict: bool
) -> bool | None:
    """
    Return False if all occurrences of *text* are parts of longer names; True without any.

    Args:
        text: The value.
        within: The texts and results.
        attempts: An iterator with one item for each position that may be tested.
        strict: Whether parts of dotted and slashed names count as parts as well; otherwise only a
            rooted path that is the tail of another path does.

    Returns:
        None if no attempts are left.

    >>> attempts = iter(range(100))
    >>> texts = map(FoldedText, ("rm /home/ann/etc", "rm /etc, ok"))
    >>> [occurs_whole("/etc", text, attempts, strict=False) for text in texts]
    [False, True]
    >>> table = FoldedText("drop prod.users")
    >>> [occurs_whole("users", table, attempts, strict=strict) for strict in (False, True)]
    [True, False]
    """
    folded = within.text
    root = _root(text)
    bare = _bare(text)[len(root) :].casefold()
    runs = [*_RUN.finditer(bare)] if len(text) <= _LONGEST else []
    if not 0 < len(runs) <= _MOST_RUNS:
        return True
    is_present = False
    for start, end in _positions(bare[runs[0].start() : runs[-1].end()], runs, within):
        if next(attempts, None) is None:
            return None
        if folded[start - 1 : start].isalnum() or folded[end : end + 1].isalnum():  # inside a word
            continue
        is_present = True
        if not _is_tail(root, folded, start) and not (
            strict and _is_inside(text, folded, start, end, rooted=bool(root))
        ):
            return True
    return not is_present


def _positions(
    bare: str, runs: list[re.Match[str]], within: FoldedText
) -> Iterator[tuple[int, int]]:
    """Yield a verbatim position, which is found fast, and then all positions."""
    # The verbatim text first, as a pattern with gaps is slower than `find`.
    first = within.first(bare)
    if first >= 0:
        yield first, first + len(bare)
    pattern = _BETWEEN.join(re.escape(run[0]) for run in runs)
    yield from (place.span() for place in re.finditer(pattern, within.text))


def _bare(text: str) -> str:
    return text.strip().strip("\"'`")


def _root(text: str) -> str:
    """Return the beginning of a path up to its first name: ``/``, ``c:/``, ``../``."""
    match = _ROOTED.match(_bare(text).casefold())
    root = match[0].replace("\\", "/") if match else ""
    return root if "/" in root else ""


def _is_tail(root: str, folded: str, start: int) -> bool:
    """Return whether a rooted path occurs at the end of a longer one, or at another root."""
    before = folded[max(0, start - 1) : start]
    if not root or before not in ("/", "\\"):
        return False
    if folded.endswith("file:///", 0, start) and root == "/":
        return False
    own = folded[max(0, start - len(root)) : start].replace("\\", "/")
    begins = max(0, start - len(root))
    if own != root or not _GOES_ON.match(folded[max(0, begins - 1) : begins]):
        return own != root
    return (
        folded[begins - 1] != ":"
        or _DRIVE.search(folded[max(0, begins - len("file:///c:")) : begins]) is not None
    )


def _is_inside(text: str, folded: str, start: int, end: int, *, rooted: bool) -> bool:
    """Return whether the match is a part of a dotted or slashed name, or of digits in groups."""
    digits = any(map(str.isdigit, text))
    if digits and is_part_of_number(folded, start, end):
        return True
    if digits and not rooted and "://" in _token(folded, start, end):
        return False  # an id at the end of a link
    if not rooted and _is_in_link(folded, start, end):
        return False
    if not rooted and _INSIDE.search(folded[max(0, start - 2) : start]):
        return True
    further = _EXTENDED if "/" in text or "\\" in text else _FURTHER
    if further.match(folded[end : end + 2]):
        return True
    return _joins(folded[start:end]) > _joins(text.strip().strip("./\\"))


def _is_in_link(folded: str, start: int, end: int) -> bool:
    """Return whether the match is the path of a link, or a name in a link into a repository."""
    link = _token(folded, start, end + _LONGEST).split(maxsplit=1)[0]
    begins = end - len(_token(folded, start, end))
    if "/" not in link:
        return False
    found = (pattern.search(link) for pattern in (_REPOSITORY, _LINK))
    return any(
        match.span(name) == (start - begins, end - begins)
        for match in found
        if match is not None
        for name in match.groupdict()
    )


def _joins(text: str) -> int:
    return sum(map(text.count, "/\\."))


def _token(folded: str, start: int, end: int) -> str:
    first = max(folded.rfind(blank, max(0, start - _LONGEST), start) for blank in " \n\t")
    return folded[first + 1 if first >= 0 else max(0, start - _LONGEST) : end]
