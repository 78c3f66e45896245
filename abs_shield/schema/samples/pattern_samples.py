"""A few short texts that match a regular expression; none for unsupported syntax."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Never

from abs_shield.schema.samples.round_robin import in_turn

MOST = 12
"""Maximum number of texts of one pattern, a few for each branch."""
_LONGEST = 4_096  # characters of a sample, so that counts such as `{9999}` do not multiply
_DEEPEST = 20  # groups inside each other; the parser is recursive
_SETS = {
    "d": "059", "w": "aZ5_", "s": " ", "D": "a-", "W": "- ", "S": "a0",
}  # fmt: skip
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_ANCHORS = ("A", "Z", "z", "b")
"""Escapes that match a position instead of a character."""
_TRIED = "a0A_- ./@:#1zZ9b~"
"""Characters that a negated class is likely to match."""


class _UnsupportedPattern(ValueError):
    """Raised for unsupported pattern syntax."""


def matching_texts(pattern: str) -> list[str]:
    r"""
    Return texts that *pattern* is likely to match, the shortest first.

    >>> matching_texts("^tx_[0-9]{3}$")[:2], matching_texts("(?=x)")
    (['tx_000', 'tx_999'], [])
    """
    try:
        parser = _PatternParser(pattern)
        texts = parser.alternatives(0)
        if parser.at != len(pattern):
            return []
    except (ValueError, RecursionError):
        return []
    return list(dict.fromkeys(texts))[:MOST]


@dataclass(slots=True)
class _PatternParser:
    """A parser of patterns that returns sample texts of each part."""

    pattern: str
    at: int = 0

    def alternatives(self, depth: int) -> list[str]:
        if depth > _DEEPEST:
            raise _UnsupportedPattern
        branches = [self.sequence(depth)]
        while self._accept("|"):
            branches.append(self.sequence(depth))
        return _interleave(branches)

    def sequence(self, depth: int) -> list[str]:
        texts = [""]
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            texts = _join(texts, self.repeated(depth))
        return texts

    def repeated(self, depth: int) -> list[str]:
        texts = self.atom(depth)
        least, most = self.quantity()
        if (least, most) == (1, 1):
            return texts
        counts = dict.fromkeys((least, most, min(least + 1, most), min(max(least, 1), most)))
        repetitions = [[t * n for t in texts if len(t) * n <= _LONGEST] for n in counts]
        return _interleave(repetitions) or _refuse()

    def quantity(self) -> tuple[int, int]:
        """Parse a quantifier and return the minimum and maximum number of repetitions."""
        least, most = 1, 1
        for sign, bounds in (("*", (0, 2)), ("+", (1, 2)), ("?", (0, 1))):
            if self._accept(sign):
                least, most = bounds
                break
        else:
            least, most = self.counted()
        if self._accept("?") and (least, most) == (1, 1):
            raise _UnsupportedPattern
        return least, most

    def counted(self) -> tuple[int, int]:
        end = self.pattern.find("}", self.at)
        if self.pattern[self.at : self.at + 1] != "{" or end < 0:
            return 1, 1
        least, comma, most = self.pattern[self.at + 1 : end].partition(",")
        # digits of both counts together
        if not least.isdecimal() or (most and not most.isdecimal()) or len(least + most) > 8:
            return 1, 1
        self.at = end + 1
        if not comma:
            return int(least), int(least)
        return int(least), int(most) if most else int(least) + 2

    def atom(self, depth: int) -> list[str]:
        sign = self._next()
        if sign == "(":
            return self.group(depth)
        if sign == "[":
            return self.class_()
        if sign == "\\":
            return [""] if any(map(self._accept, _ANCHORS)) else list(self.escape())
        if sign in "^$":
            return [""]
        if sign == ".":
            return ["a", "0"]
        if sign in "*+?":
            raise _UnsupportedPattern
        return [sign]

    def group(self, depth: int) -> list[str]:
        if self._accept("?"):
            if self._accept("<") or self._accept("P<"):
                name, self.at = self.at, self.pattern.find(">", self.at) + 1
                if not self.at or self.pattern[name] in "=!":
                    raise _UnsupportedPattern
            elif not self._accept(":"):
                raise _UnsupportedPattern
        texts = self.alternatives(depth + 1)
        return texts if self._accept(")") else _refuse()

    def class_(self) -> list[str]:
        negated = self._accept("^")
        members: list[str] = []
        ranges: list[tuple[str, str]] = []
        while not self._accept("]"):
            low = self._member()
            following = self.pattern[self.at : self.at + 2]
            if len(low) == 1 and following[:1] == "-" and following[1:] not in ("]", ""):
                self.at += 1
                ranges.append((low, self._member()))
            else:
                members += low
        if not negated:
            return [*(end for pair in ranges for end in pair), *members][:MOST] or _refuse()
        inside: list[Callable[[str], bool]] = [lambda c: c in members]
        inside += [lambda c, low=low, high=high: low <= c <= high for low, high in ranges]  # type: ignore[misc]
        return [c for c in _TRIED if not any(holds(c) for holds in inside)][:3] or _refuse()

    def _member(self) -> str:
        sign = self._next()
        return self.escape() if sign == "\\" else sign

    def escape(self) -> str:
        """Return the characters that an escape matches; each is one sample."""
        sign = self._next()
        if sign in _SETS:
            return _SETS[sign]
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign in "ux":
            digits = self.pattern[self.at : self.at + (4 if sign == "u" else 2)]
            self.at += len(digits)
            return chr(int(digits, 16)) if digits.isalnum() and digits.isascii() else _refuse()
        if sign.isalnum():
            raise _UnsupportedPattern
        return sign

    def _next(self) -> str:
        if self.at >= len(self.pattern):
            raise _UnsupportedPattern
        self.at += 1
        return self.pattern[self.at - 1]

    def _accept(self, sign: str) -> bool:
        if not self.pattern.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True


def _refuse() -> Never:
    raise _UnsupportedPattern


def _join(before: list[str], after: list[str]) -> list[str]:
    """Combine texts with possible continuations, so that each text of either side occurs."""
    longest = max(len(before), len(after), 1)
    pairs = (before[n % len(before)] + after[n % len(after)] for n in range(min(longest, 2 * MOST)))
    return [
        text for text in islice(dict.fromkeys(pairs), MOST) if len(text) <= _LONGEST
    ] or _refuse()


def _interleave(lists: list[list[str]]) -> list[str]:
    return list(dict.fromkeys(in_turn(lists)))[:MOST]
