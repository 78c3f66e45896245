"""Claims about valid calls in a rule's sentence, parsed from a few plain forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Statement = Callable[[Mapping[str, Any]], bool | None]


@dataclass(frozen=True, slots=True)
class SentenceClaim:
    """
    A claim about the arguments of valid calls.

    Attributes:
        holds_for: Returns whether a call's arguments are valid; None if the claim does not decide.
        min_calls: Numbers of valid and of invalid calls that a comparison needs.
    """

    holds_for: Statement
    min_calls: tuple[int, int] = (3, 3)


# With commas for thousands, as authors write amounts.
_NUMBER = r"[$€£]?\s?(-?\d[\d,]*(?:\.\d+)?)"
_ZERO = re.compile(r"\b(?:zero|0)\b")
_BOUND_FORMS: tuple[tuple[str, str], ...] = (
    (
        r"at most|(?:no|not|never) more than|no greater than|up to|"
        r"(?:not|never|no) (?:above|over|exceeds?|exceeding|beyond)|"
        r"(?:maximum|max|limit)(?: of| is)?",
        "<=",
    ),
    (
        r"at least|no less than|not less than|no fewer than|"
        r"(?:not|never) (?:below|under|less than)|(?:minimum|min)(?: of| is)?",
        ">=",
    ),
    (r"below|under|less than|fewer than|smaller than|lower than", "<"),
    (r"above|over|more than|greater than|exceeds?|exceeding|larger than|higher than", ">"),
)
_OR_BOUNDS = (
    (re.compile(rf"{_NUMBER} or (?:less|fewer|below|under|lower)\b", re.I), "<="),
    (re.compile(rf"{_NUMBER} or (?:more|above|over|higher|greater)\b", re.I), ">="),
)
_BOUNDS = [(re.compile(rf"\b(?:{words})\s+{_NUMBER}", re.I), sign) for words, sign in _BOUND_FORMS]
_BOUNDS += _OR_BOUNDS
# "Or" joins two claims, unless it belongs to "500 or less".
_OR = re.compile(
    r"\bor\b(?! (?:less|fewer|below|under|lower|more|above|over|higher|greater)\b)", re.I
)
_POSITIVE = re.compile(r"\bpositive\b", re.I)
_NOT_NEGATIVE = re.compile(r"\b(?:not|never|non)[- ]?negative\b", re.I)
_REJECTION = re.compile(
    r"\b(?:refused?|rejected?|forbidden|blocked|denied|prohibited|disallowed|banned|"
    r"not (?:allowed|permitted|accepted|possible)|wrong|mistakes?|errors?|impossible|invalid|"
    r"nonsense)\b",
    re.I,
)
_QUALIFIED = re.compile(
    r"\b(?:if|when|where|while|unless|except|without|needs?|requires?|only after|until|otherwise|"
    r"percent|half|twice|times|least one|per|together|average|"
    r"other tools?|another|elsewhere|instead|through|via|handled)\b|[%;]",
    re.I,
)
"""Words that show that a sentence states more than one bound of one value."""
_VERB = re.compile(
    r"\b(?:is|are|be|must|moves?|costs?|lasts?|has|have|stays?|lies|takes?|holds?|pays?)\b", re.I
)
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(rf"\bbetween {_NUMBER} and {_NUMBER}", re.I)
_CHARACTERS = re.compile(r"\bcharacters?\b", re.I)
_NO_SUCH = re.compile(r"\s*no \w+\s*", re.I)
"""The text before the bound in "No refund above 500"."""
_AT_A_TIME = re.compile(r"\bin (?:one|a single) \w+\.?\s*$", re.I)
_MAX_WORDS_AFTER = 2
"""Most words after a bound that may be its unit."""
_NOT = re.compile(r"\b(?:no|not|never|none|nobody|nothing|cannot|outside|other than)\b|n't", re.I)
_BEFORE = re.compile(
    r"\b(?:before|earlier than|not after|no later than|never after|not later than)\b", re.I
)
_AFTER = re.compile(
    r"\b(?:after|later than|not before|no earlier than|never before|not earlier than)\b", re.I
)
# The words of `checkInDate` and `check_in_date`.
_NAME_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_GENERAL = frozenset({"date", "time", "day", "at", "on", "datetime", "timestamp"})
"""Words of a parameter's name that sentences omit: "check-in" for ``check_in_date``."""
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": lambda value, bound: value <= bound,
    ">=": lambda value, bound: value >= bound,
    "<": lambda value, bound: value < bound,
    ">": lambda value, bound: value > bound,
}


def parse_claim(
    sentence: str, takes: Iterable[str], *, words: Iterable[Any] = ()
) -> SentenceClaim | None:
    """
    Return the claim of a sentence about a call; None if the sentence is not understood.

    Args:
        sentence: One line of English.
        takes: The parameters that the rule takes; claims about more than two are not understood.
        words: Numbers and strings in the rule's code, for claims that list the valid strings.

    >>> claim = parse_claim("A refund is at most 500.", ["amount"])
    >>> [claim.holds_for({"amount": amount}) for amount in (499, 500, 501)]
    [True, None, False]
    """
    names = [*takes]
    # A bound with a condition applies only to some calls.
    if _QUALIFIED.search(sentence):
        return None
    if len(names) == 2:
        return _order_claim(sentence, names)
    if len(names) != 1:
        return None
    name = names[0]
    return (
        _bound_claim(sentence, name)
        or _range_claim(sentence, name)
        or _listed_claim(sentence, name, words)
    )


def _range_claim(sentence: str, name: str) -> SentenceClaim | None:
    """``An amount is between 1 and 500.``"""
    text = _ZERO.sub("0", sentence)
    matches = [*_BETWEEN.finditer(text)]
    if len(matches) != 1 or not _is_predicate(text, matches[0], "<"):
        return None
    low, high = (float(each.replace(",", "")) for each in matches[0].groups())
    rest = _remove_match(text, matches[0])
    if low >= high or re.search(r"\d", rest) or _NOT.search(rest) or _REJECTION.search(rest):
        return None
    measure = _measure(rest)

    def holds_for(arguments: Mapping[str, Any]) -> bool | None:
        value = measure(arguments.get(name))
        # "Between" may include its limits or not.
        return None if value is None or value in (low, high) else low < value < high

    return SentenceClaim(holds_for)


def _measure(sentence: str) -> Callable[[Any], float | None]:
    """Return a function for the quantity that a bound limits: a number, or a length of a text."""
    if _CHARACTERS.search(sentence):
        return lambda value: len(value) if isinstance(value, str) else None

    def number(value: Any) -> float | None:
        right = isinstance(value, (int, float)) and not isinstance(value, bool)
        return value if right else None

    return number


def _bound_claim(sentence: str, name: str) -> SentenceClaim | None:
    text = _ZERO.sub("0", sentence)
    parsed = _sign_and_number(text)
    if parsed is None or _OR.search(sentence) or _BETWEEN.search(sentence):
        return None
    sign, number, rest = parsed
    is_rejection = bool(_REJECTION.search(rest))
    if not is_rejection and _NOT.search(rest):
        if sign in ("<=", ">="):
            return None
        is_rejection = True  # "no refund is over 500"

    measure = _measure(rest)

    def holds_for(arguments: Mapping[str, Any]) -> bool | None:
        value = measure(arguments.get(name))
        # Authors differ in whether a bound includes the limit.
        if value is None or value == number:
            return None
        return _COMPARISONS[sign](value, number) is not is_rejection

    return SentenceClaim(holds_for)


def _sign_and_number(text: str) -> tuple[str, float, str] | None:
    """
    Return the only bound of a sentence as sign and number, and the sentence without it.

    The result is None unless there is exactly one bound.
    """
    matches = [(match, sign) for pattern, sign in _BOUNDS for match in pattern.finditer(text)]
    # "not above 5" contains "above 5": of several forms with one number, the first one counts.
    # Reversed, so that the first form is inserted last and replaces the others.
    by_number = {float(m[1].replace(",", "")): (m, sign) for m, sign in reversed(matches)}
    if not by_number:
        form = (_NOT_NEGATIVE, ">=") if _NOT_NEGATIVE.search(text) else (_POSITIVE, ">")
        word = form[0].search(text)
        if word is None:
            return None
        rest = _remove_match(text, word)
        # "Positive amounts go elsewhere" does not state what this rule accepts
        plain = _REJECTION.search(rest) or _is_predicate(text, word, form[1], strict=True)
        return (form[1], 0.0, rest) if plain else None
    if len(by_number) > 1:
        return None
    ((number, (match, sign)),) = by_number.items()
    rest = _remove_match(text, match)
    if not _REJECTION.search(rest) and not _is_predicate(text, match, sign):
        return None
    return sign, number, rest


def _remove_match(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _is_predicate(text: str, match: re.Match[str], sign: str, *, strict: bool = False) -> bool:
    """
    Return whether a bound is the predicate of a sentence: "A refund is above 0 euros."

    In "Refunds above 500 go to a person" the bound only selects calls.

    Args:
        text: The sentence.
        match: The bound in it.
        sign: The bound's comparison operator.
        strict: Whether the text before the bound must have a verb; always true for ``<`` and ``>``.
    """
    before, after = text[: match.start()], _AT_A_TIME.sub("", text[match.end() :])
    at_end = len(_WORD.findall(after)) <= _MAX_WORDS_AFTER
    strict = strict or sign in ("<", ">")
    has_verb = _VERB.search(before) is not None or _NO_SUCH.fullmatch(before) is not None
    return at_end and (not strict or has_verb)


def _order_claim(sentence: str, names: list[str]) -> SentenceClaim | None:
    """``It starts before it ends``, for parameters ``start`` and ``end``."""
    places = _name_positions(sentence, names)
    if places is None:
        return None
    first, then = sorted(names, key=lambda name: places[name])
    between = sentence[places[first] : places[then]]
    before, after = _BEFORE.search(between), _AFTER.search(between)
    if bool(before) == bool(after) and not (before and after):
        return None
    is_before = before is not None and (after is None or before.start() <= after.start())
    form = before if is_before else after
    # a "not" outside the form, as in "no check-in after the check-out", inverts the claim
    if form is None or _REJECTION.search(sentence) or _NOT.search(sentence.replace(form[0], "")):
        return None

    def holds_for(arguments: Mapping[str, Any]) -> bool | None:
        one, other = _to_comparable(arguments.get(first)), _to_comparable(arguments.get(then))
        if one is None or other is None or type(one) is not type(other) or one == other:
            return None
        return bool(one < other) is is_before  # type: ignore[operator]

    return SentenceClaim(holds_for)


def _name_positions(sentence: str, names: list[str]) -> dict[str, int] | None:
    """
    Return the position of each of two parameters in a sentence; None unless it names both once.

    Whole names are tried first, as ``check_in`` and ``check_out`` begin alike, then stems. A name
    may be spelt with hyphens, with blanks, or as one word: ``check-in``, ``check in``, ``checkin``.
    """
    for pattern_of in (_whole_name, _stem):
        patterns = {name: pattern_of(name) for name in names}
        starts_by_name = {
            name: [match.start() for match in re.finditer(rf"\b{pattern}", sentence, re.I)]
            for name, pattern in patterns.items()
            if pattern
        }
        # a sentence that names a parameter twice makes more than one claim about it
        places = {name: starts[0] for name, starts in starts_by_name.items() if len(starts) == 1}
        if len(places) == 2 and len({*places.values()}) == 2:
            return places
    return None


def _whole_name(name: str) -> str:
    words = [word for word in _NAME_WORDS.findall(name) if word.lower() not in _GENERAL]
    # Optional separators between the letters: `check-in`, `check in`, `checkin`.
    letters = [re.escape(letter) for letter in "".join(words)]
    return rf"{'[-_ ]?'.join(letters)}\b" if len(letters) > 2 else ""


def _stem(name: str) -> str:
    # Six letters, so that "departs" matches `departure`.
    stem = re.escape(name.rstrip("s").split("_")[0][:6])
    return stem if len(stem) > 2 else ""


def _to_comparable(value: Any) -> float | datetime | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # Larger numbers may lose digits as floats and compare equal.
        return float(value) if abs(value) < 1e300 else None
    if not isinstance(value, str):
        return None
    try:
        # Without the offset, as a sentence about order refers to local times.
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return None


def _listed_claim(sentence: str, name: str, words: Iterable[Any]) -> SentenceClaim | None:
    """``The currency is EUR``: strings in the rule's code are the valid values."""
    texts = [word for word in words if isinstance(word, str) and len(word) > 1]
    quoted = tuple(word for word in texts if _contains_word(sentence, word))
    matches_words = _parse_matcher(sentence, quoted)
    if matches_words is None:
        return None
    is_rejection = bool(_REJECTION.search(sentence) or _NOT.search(sentence))

    def holds_for(arguments: Mapping[str, Any]) -> bool | None:
        value = arguments.get(name)
        return matches_words(value, quoted) is not is_rejection if isinstance(value, str) else None

    # Few samples have one of the listed words, so one such call is enough.
    return SentenceClaim(holds_for, min_calls=(3, 1) if is_rejection else (1, 3))


def _contains_word(sentence: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence) is not None


def _parse_matcher(sentence: str, quoted: tuple[str, ...]) -> _Matches | None:
    """Return the predicate that compares a value with the words; None if the sentence has none."""
    either = "|".join(map(re.escape, quoted))
    for cue, matches_words in _CUES:
        pattern = rf"\b(?i:{cue})\s+(?:not\s+|never\s+|only\s+|the\s+|an?\s+)*[\"'`]?(?:{either})"
        if quoted and re.search(pattern, sentence):
            return matches_words
    return None


_Matches = Callable[[str, tuple[str, ...]], bool]
_CUES: tuple[tuple[str, _Matches], ...] = (
    (r"starts? with|begins? with", str.startswith),
    (r"ends? (?:with|in)", str.endswith),
    (
        r"only|one of|must be|has to be|have to be|is|are",
        lambda value, quoted: value in quoted,
    ),
)
