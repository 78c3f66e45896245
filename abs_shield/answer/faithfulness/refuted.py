"""What the sentence nearest to a statement says otherwise: a negation, a count, a name."""

from __future__ import annotations

from abs_shield.text.polarity import Words, denial, opposite, read
from abs_shield.text.show import escaped
from abs_shield.text.stem import stem
from abs_shield.text.tokens import Token

_LEAST = 4
_BE = frozenset("is are was were be has have had will can may must".split())
_UNITS = frozenset(
    map(
        stem,
        "seconds minutes hours days weeks months years decades grams kilograms milligrams mg kg g "
        "pounds ounces tons millimeters centimeters meters kilometers mm cm m km inches feet miles "
        "liters milliliters l ml gallons degrees euros dollars yen".split(),
    )
)
"""Units of which one does not stand for another."""


def refuted(statement: str, sentence: str) -> str:
    """
    Return why *sentence*, the evidence nearest to *statement*, says something else; else nothing.

    Nearly all of the statement's words have to stand in the sentence. Small edits of other kinds
    are beyond it.

    >>> refuted("Sale items can be returned.", "Sale items cannot be returned.")
    '`returned` is denied in one of the two'
    >>> refuted("The shop closes at 9.", "The shop opens at 9.")
    '`closes` is the opposite of `opens`'
    """
    said, there = read(statement), read(sentence)
    checks = (denial, opposite, _counted, _renamed)
    return next((told for check in checks if (told := check(said, there))), "")


def _counted(said: Words, there: Words) -> str:
    """Another number of the same thing, or the same number of another unit."""
    for what, numbers in said.counted.items():
        others = there.counted.get(what, set())
        if others and not numbers & others:
            return f"{escaped(min(numbers))} where it says {escaped(min(others))}"
        units = {unit for unit, some in there.counted.items() if unit in _UNITS and some & numbers}
        if what in _UNITS and units and not others:
            return f"`{escaped(what)}` where it says `{escaped(min(units))}`"
    return ""


def _renamed(said: Words, there: Words) -> str:
    """Another name where every other word is the same, in the same order."""
    mine, n = said.words, len(said.words)
    if n < _LEAST:
        return ""
    for at in range(len(there.words) - n + 1):
        pairs = list(zip(mine, there.words[at : at + n], strict=True))
        differ = [m for m, pair in enumerate(pairs) if pair[0].key != pair[1].key]
        if len(differ) == 1 and _names(pairs, differ[0], at):
            one, other = pairs[differ[0]]
            other_text = there.text[other.start : other.end]
            return f"`{escaped(said.text[one.start : one.end])}` where it says `{other_text}`"
    return ""


def _names(pairs: list[tuple[Token, Token]], at: int, start: int) -> bool:
    """Whether two words are names: both written so, or what a whole sentence is about."""
    one, other = pairs[at]
    if one.named and other.named:
        return True
    subject = at == start == 0 and one.content and other.content
    return subject and len(pairs) > 1 and pairs[1][0].key in _BE
