"""Check digits of identifiers, and dates of birth inside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import mul

_D5 = tuple(
    tuple(
        (a + b) % 5 if a < 5 and b < 5
        else 5 + (a + b - 5) % 5 if a < 5
        else 5 + (a - 5 - b) % 5 if b < 5
        else (a - b) % 5
        for b in range(10)
    )
    for a in range(10)
)  # fmt: skip
"""Multiplication of the dihedral group of order 10."""
_STEP = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
"""Verhoeff's permutation, applied as often as the digit's place."""


def _permutations() -> tuple[tuple[int, ...], ...]:
    rows = [tuple(range(10))]
    for _ in range(7):  # applied eight times, the permutation is the identity again
        rows.append(tuple(_STEP[digit] for digit in rows[-1]))
    return tuple(rows)


_P8 = _permutations()
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""The digit sum of twice a digit."""


def digits_of(text: str) -> list[int]:
    """
    Return the digits of a text as numbers; letters count as in ISO 7812 and ISO 13616.

    >>> digits_of("10A")
    [1, 0, 10]
    """
    return [int(character, 36) for character in text]  # A is 10, and Z is 35


def weighted(digits: Iterable[int], weights: Sequence[int]) -> int:
    """
    Return the weighted sum of digits.

    >>> weighted([1, 2, 3], [3, 2, 1])
    10
    """
    return sum(map(mul, digits, weights))


def is_luhn(number: str) -> bool:
    """
    Return whether the last digit is Luhn's check digit (ISO/IEC 7812-1).

    >>> is_luhn("4111111111111111"), is_luhn("4111111111111112")
    (True, False)
    """
    digits = digits_of(number)[::-1]
    return (sum(digits[::2]) + sum(_DOUBLED[digit] for digit in digits[1::2])) % 10 == 0


def is_verhoeff(number: str) -> bool:
    """
    Return whether the last digit is Verhoeff's check digit.

    >>> is_verhoeff("2363"), is_verhoeff("2364")
    (True, False)
    """
    check = 0
    for place, digit in enumerate(reversed(digits_of(number))):
        check = _D5[check][_P8[place % 8][digit]]
    return check == 0


def is_mod_11_10(number: str) -> bool:
    """
    Return whether the last digit is that of the hybrid system ISO 7064, MOD 11,10.

    >>> is_mod_11_10("36574261809"), is_mod_11_10("36574261890")
    (True, False)
    """
    check = 5
    for digit in digits_of(number):
        check = ((check or 10) * 2 % 11 + digit) % 10
    return check == 1


def is_mod_11_2(number: str) -> bool:
    """
    Return whether the last character is that of the pure system ISO 7064, MOD 11-2.

    >>> is_mod_11_2("07940"), is_mod_11_2("079X"), is_mod_11_2("0795")
    (True, True, False)
    """
    check = 0
    for character in number[:-1]:
        check = (check + int(character)) * 2 % 11
    last = 10 if number[-1] in "Xx" else int(number[-1])
    return (check + last) % 11 == 1


def is_mod_97_10(number: str) -> bool:
    """
    Return whether letters and digits leave 1 when divided by 97 (ISO 7064, MOD 97-10).

    >>> is_mod_97_10("3214282912345698765432161182"), is_mod_97_10("11")
    (True, False)
    """
    return int("".join(map(str, digits_of(number)))) % 97 == 1


def is_ean(number: str) -> bool:
    """
    Return whether the last digit is that of a European Article Number.

    >>> is_ean("7569217076985"), is_ean("7569217076984")
    (True, False)
    """
    digits = digits_of(number)[::-1]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# numbers of the dead stay in records; years beyond are other numbers
_FIRST_YEAR, _LAST_YEAR = 1850, 2100


def is_birth(day: int, month: int, year: int = 2000) -> bool:
    """
    Return whether an identifier can hold this date; without a century, 29 February is possible.

    >>> is_birth(29, 2), is_birth(31, 4), is_birth(1, 1, 1750)
    (True, False, False)
    """
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] and _FIRST_YEAR <= year < _LAST_YEAR


def is_year_month_day(digits: str) -> bool:
    """
    Return whether six or eight digits are a date, year first.

    >>> is_year_month_day("990131"), is_year_month_day("19990131"), is_year_month_day("991331")
    (True, True, False)
    """
    # a leap year, so that 29 February stays possible
    year = int(digits[:4]) if len(digits) == 8 else 2000
    return is_birth(int(digits[-2:]), int(digits[-4:-2]), year)
