"""Twenty kinds of identifier, seeded: one, harmless respellings of it, and others close to it."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

Make = Callable[[random.Random], str]
Spell = Callable[[str, random.Random], str]
_HEX, _UPPER, _DIGITS = "0123456789abcdef", string.ascii_uppercase, string.digits
_WORDS = (
    "amber birch cedar delta ember fjord garnet harbor iris juniper kestrel lumen maple nectar "
    "onyx pepper quartz raven saffron tundra umber violet willow xenon yarrow zephyr"
).split()


class Identifier(NamedTuple):
    """
    A kind of identifier.

    Attributes:
        field: The parameter that takes it.
        make: Makes one.
        spell: Writes it in another way that every reader takes for the same.
        moves: Whether a separator that is moved makes another one.
        longer: Other identifiers that have one of this kind as a part.
    """

    field: str
    make: Make
    spell: tuple[Spell, ...]
    moves: bool = True
    longer: tuple[str, ...] = ()


def _some(dice: random.Random, letters: str, size: int) -> str:
    return "".join(dice.choice(letters) for _ in range(size))


def _word(dice: random.Random) -> str:
    return dice.choice(_WORDS) + dice.choice(("", dice.choice(_WORDS)))


def _number(dice: random.Random, size: int) -> str:
    return dice.choice("123456789") + _some(dice, _DIGITS, size - 1)


def _fours(text: str) -> str:
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def _bare(text: str, _: random.Random) -> str:
    return "".join(filter(str.isalnum, text))


def _between(*marks: str) -> Spell:
    """Put another mark in place of each separator."""

    def spell(text: str, dice: random.Random) -> str:
        mark = dice.choice(marks)
        return "".join(c if c.isalnum() else mark for c in text)

    return spell


def _upper(text: str, _: random.Random) -> str:
    return text.upper()


def _quoted(text: str, dice: random.Random) -> str:
    return dice.choice(('"{}"', "'{}'", " {} ")).format(text)


def _same(text: str, _: random.Random) -> str:
    return text


def _grouped(text: str, _: random.Random) -> str:
    return _fours(text)


def _without_scheme(text: str, dice: random.Random) -> str:
    return dice.choice(("{}", "{}/", "http://{}")).format(text.removeprefix("https://"))


def _national(text: str, dice: random.Random) -> str:
    """Without the country's code, with the trunk's zero, in digits alone or in groups."""
    _, *groups = text.split()
    return "0" + dice.choice(("", " ", "-")).join(groups)


def _abroad(text: str, dice: random.Random) -> str:
    return dice.choice(("00", "+")) + _bare(text, dice)


_TAILS = ("{}-X", "{}-2", "{}_9Z", "{}.4", "AB1-{}")
"""What makes a longer identifier of a code."""
_CODE = (_same, _upper, _quoted, _between("-", "_", " "))

KINDS: dict[str, Identifier] = {
    "e-mail": Identifier(
        "email",
        lambda d: f"{_word(d)}.{_word(d)}@{_word(d)}.{d.choice(('com', 'org', 'io'))}",
        (_same, _upper, _quoted),
        longer=("a/{}", "ann+{}", "ann.{}", "{}.uk"),
    ),
    "IPv4": Identifier(
        "ip_address",
        lambda d: ".".join(str(d.randint(10, 254)) for _ in range(4)),
        (_same, _quoted),
    ),
    "IPv6": Identifier(
        "ip_address",
        lambda d: ":".join(_some(d, _HEX, 4) for _ in range(8)),
        (_same, _upper, _quoted),
    ),
    "MAC": Identifier(
        "device_id",
        lambda d: ":".join(_some(d, _HEX, 2) for _ in range(6)),
        (_same, _upper, _quoted),
    ),
    "domain": Identifier(
        "domain",
        lambda d: f"{_word(d)}.{_word(d)}.{d.choice(('com', 'org', 'net'))}",
        (_same, _upper, _quoted),
    ),
    "URL": Identifier(
        "url",
        lambda d: (
            f"https://{_word(d)}.com/{_word(d)}/{_upper(_some(d, _HEX, 2), d)}-{_number(d, 3)}"
        ),
        (_same, _quoted, _without_scheme),
    ),
    "path": Identifier(
        "path",
        lambda d: f"/srv/{_word(d)}/{_word(d)}-{_number(d, 3)}/{_word(d)}.csv",
        (_same, _quoted),
    ),
    "dotted name": Identifier(
        "table",
        lambda d: f"{_word(d)}_{_number(d, 2)}.{_word(d)}.{_word(d)}_{_number(d, 2)}",
        (_same, _upper, _quoted),
    ),
    "version": Identifier(
        "version_id",
        lambda d: ".".join(str(d.randint(10, 99)) for _ in range(3)),
        (_same, _quoted),
    ),
    "ARN": Identifier(
        "resource_id",
        lambda d: f"arn:aws:sqs:eu-west-1:{_number(d, 12)}:{_word(d)}-{_number(d, 3)}",
        (_same, _quoted),
    ),
    "UUID": Identifier(
        "order_id",
        lambda d: "-".join(_some(d, _HEX, size) for size in (8, 4, 4, 4, 12)),
        (_same, _upper, _quoted, _bare),
        longer=_TAILS,
    ),
    "IBAN": Identifier("iban", lambda d: _fours(f"DE{_number(d, 20)}"), (_same, _quoted, _bare)),
    "card": Identifier(
        "card_number", lambda d: _fours(_number(d, 16)), (_same, _quoted, _bare, _between("-"))
    ),
    "telephone": Identifier(
        "phone",
        lambda d: f"+44 {_number(d, 3)} {_number(d, 3)} {_number(d, 4)}",
        (_same, _quoted, _national, _abroad),
        moves=False,
    ),
    "prefixed id": Identifier(
        "transaction_id", lambda d: f"tx_{_number(d, 5)}", (*_CODE, _bare), longer=_TAILS
    ),
    "code with a year": Identifier(
        "invoice_id",
        lambda d: f"INV-20{_number(d, 2)}-{_number(d, 3)}",
        (*_CODE, _bare),
        longer=_TAILS,
    ),
    "code of letters": Identifier(
        "booking_id",
        lambda d: f"{_some(d, _UPPER, 3)}{_number(d, 3)}",
        (_same, _upper, _quoted),
        longer=_TAILS,
    ),
    "groups of digits": Identifier(
        "order_number",
        lambda d: f"{_number(d, 2)}-{_number(d, 4)}",
        (_same, _quoted, _between("-", "_", " ")),
    ),
    "digits": Identifier(
        "account_number", lambda d: _number(d, 8), (_same, _quoted, _grouped), longer=_TAILS
    ),
    "hash": Identifier(
        "commit_id", lambda d: _some(d, _HEX, 40), (_same, _upper, _quoted), longer=_TAILS
    ),
}


def respelt(kind: Identifier, seed: int) -> Iterator[tuple[str, str]]:
    """Yield values with another spelling of each, without end."""
    dice = random.Random(seed)
    while True:
        value = kind.make(dice)
        yield value, dice.choice(kind.spell)(value, dice)


_SHARE_OF_LONGER = 0.25


def others(kind: Identifier, seed: int) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield two values, and one that is close to them and neither of them, without end."""
    dice = random.Random(seed)
    while True:
        one, two = kind.make(dice), kind.make(dice)
        if kind.longer and dice.random() < _SHARE_OF_LONGER:
            yield (dice.choice(kind.longer).format(one), two), one
            continue
        changes = (_edited, _swapped, _joined, *((_moved,) if kind.moves else ()))
        change = dice.choice(changes)
        other = change(one, two, dice)
        pair = (one, two) if change is _moved else (_bare(one, dice), _bare(two, dice))
        if other and (other if change is _moved else _bare(other, dice)) not in pair:
            yield (one, two), other


def _edited(one: str, _: str, dice: random.Random) -> str:
    """Change, leave out or put in one letter or digit."""
    at = dice.choice([n for n, c in enumerate(one) if c.isalnum()])
    alphabet = _DIGITS if one[at].isdigit() else string.ascii_lowercase
    put = dice.choice([c for c in alphabet if c != one[at].lower()])
    return one[:at] + dice.choice((put, put + one[at], "")) + one[at + 1 :]


def _moved(one: str, _: str, dice: random.Random) -> str:
    """Move one separator by one letter; empty where there is none that can be moved."""
    places = [
        n for n in range(1, len(one) - 2)
        if not one[n].isalnum() and one[n - 1].isalnum() and one[n + 1 : n + 3].isalnum()
    ]  # fmt: skip
    if not places:
        return ""
    at = dice.choice(places)
    return one[:at] + one[at + 1] + one[at] + one[at + 2 :]


def _swapped(one: str, two: str, dice: random.Random) -> str:
    """Put a part of one value in place of the same part of another."""
    mine, theirs = _parts(one), _parts(two)
    apart = [n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b]
    if len(mine) != len(theirs) or len(apart) < 2:
        return ""
    at = dice.choice(apart)
    return "".join([*mine[:at], theirs[at], *mine[at + 1 :]])


def _joined(one: str, two: str, dice: random.Random) -> str:
    """Make one value of two."""
    return one + dice.choice(("", "-", "_")) + two


def _parts(text: str) -> list[str]:
    """Split a value into its parts and what stands between them."""
    results: list[str] = []
    for c in text:
        if results and results[-1][-1].isalnum() == c.isalnum():
            results[-1] += c
        else:
            results.append(c)
    return results
