"""Three hundred values in the spellings that people write, for every reader of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from abs_shield.text.values.figure import DATE, MONEY, NUMBER, TIME, Day, Minute, Value

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
MONTHS = (
    "January February March April May June July August September October November December"
).split()
GERMAN = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
).split()
FRENCH = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
).split()
SPANISH = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
).split()
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
WIDE = str.maketrans("0123456789", "".join(chr(0xFF10 + n) for n in range(10)))


class Row(NamedTuple):
    """A value, its kind, and how people write it."""

    kind: str
    value: Value
    spellings: tuple[str, ...]


def in_words(n: int) -> str:
    """Write a whole number below a billion in English words."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if n >= size:
            head, rest = divmod(n, size)
            joint = " and " if rest < 100 else " "
            return f"{in_words(head)} {name}" + (joint + in_words(rest) if rest else "")
    raise ValueError(n)


def indian(n: int) -> str:
    """
    Write a whole number in groups of two, as in India.

    >>> indian(1234567)
    '12,34,567'
    """
    digits = str(n)
    head, tail = digits[:-3], digits[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)]
    return ",".join([*reversed(pairs), tail])


def whole_numbers() -> Iterator[Row]:
    """Yield counts from 13 to millions."""
    counts = [13, 17, 25, 40, 64, 99, 100, 118, 206, 284, 350, 475, 512, 640, 999, 1000, 1240]
    counts += [1999, 2400, 5750, 8200, 8848, 9999, 10500, 12500, 18000, 40000, 53100, 64250]
    counts += [99000, 100000, 250000, 381500, 390000, 450000, 700000, 999999, 1000000, 1234567]
    counts += [2500000, 3000000, 5600000, 7400000, 8100000, 12000000]
    for n in counts:
        comma = f"{n:,}"
        gaps = [comma.replace(",", gap) for gap in "\u202f\u00a0'\u2019\u2009"]
        written = [comma, *gaps, indian(n), in_words(n), f"{comma}.00"]
        if n < 10**7:  # eight digits without a mark are an account's
            written += [str(n), str(n).translate(ARABIC), str(n).translate(WIDE)]
        written += [comma.replace(",", ".")] if n >= 10**6 else []
        if n % 1000 == 0 and n < 10**6:
            written += [f"{n // 1000}k", f"{n // 1000}K", f"{n // 1000} thousand"]
        if n % 10_000 == 0:
            written.append(f"{n // 10_000}万")
        if n % 100_000 == 0 and n < 10**7:
            written.append(f"{n // 100_000} lakh")
        if n % 100_000 == 0 and n >= 10**6:
            millions = f"{n / 10**6:g}"
            written += [f"{millions} million", f"{millions}M", f"{millions} Millionen"]
        yield Row(NUMBER, Decimal(n), tuple(dict.fromkeys(written)))


def fractions() -> Iterator[Row]:
    """Yield numbers with decimals, with a point and with a comma, and percentages."""
    for text in ("0.5", "1.25", "2.75", "13.4", "37.8", "98.6", "112.5", "1240.75", "20500.25"):
        comma = f"{Decimal(text):,}"
        swapped = comma.translate(str.maketrans(",.", ".,"))
        yield Row(NUMBER, Decimal(text), (text, comma, swapped, text.translate(ARABIC)))
    for text in ("3", "7.5", "12", "18.25", "40", "66.7", "99.9", "100"):
        comma = text.replace(".", ",")
        ways = (f"{text}%", f"{text} %", f"{text} percent", f"{comma}%", f"{text} per cent")
        yield Row(NUMBER, Decimal(text), (*ways, f"{text} pct", f"{text}\uff05"))


def amounts() -> Iterator[Row]:
    """Yield sums of money."""
    for n in (5, 18, 49, 120, 250, 999, 1200, 1850, 2400, 7600, 12500, 48000, 310000, 1500000):
        comma, dotted = f"{n:,}", f"{n:,}".replace(",", ".")
        dollars = [f"${comma}", f"${n}", f"${comma}.00", f"US${comma}", f"USD {comma}"]
        dollars += [f"{comma} USD", f"{n} dollars", f"{comma} dollars", f"\uff04{comma}"]
        dollars += [f"${n // 1000}k"] if n % 1000 == 0 and n < 10**6 else []
        dollars += [f"${n / 10**6:g} million", f"${n / 10**6:g}M"] if n >= 10**6 else []
        yield Row(MONEY, Decimal(n), tuple(dollars))
        euros = [f"€{comma}", f"€ {comma}", f"{dotted},00 €", f"{dotted} EUR", f"EUR {dotted}"]
        euros += [f"{n} Euro", f"{comma} euros", f"{n}€", f"{n},00€", f"{n:,} €".replace(",", " ")]
        yield Row(MONEY, Decimal(n), tuple(euros))
        yield Row(MONEY, Decimal(n) + Decimal("0.99"), (f"£{comma}.99", f"GBP {n}.99", f"{n},99 £"))
        yield Row(MONEY, Decimal(n), (f"¥{comma}", f"{n}円", f"{comma}円", f"JPY {n}", f"{n} yen"))
        yield Row(MONEY, Decimal(n), (f"₹{indian(n)}", f"INR {n}", f"{n} rupees", f"₹ {comma}"))


def days() -> Iterator[Row]:
    """Yield days from all months, unambiguous where a form is."""
    first = date(2024, 1, 13)
    for n in range(60):
        day = first + timedelta(days=11 * n)
        if day.day < 13:
            day = day.replace(day=day.day + 13)
        y, m, d = day.year, day.month, day.day
        name, nth = MONTHS[m - 1], {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th")
        nth = "th" if 11 <= d <= 13 else nth
        written = [day.isoformat(), f"{y}/{m:02}/{d:02}", f"{d}.{m}.{y}", f"{m}/{d}/{y}"]
        written += [f"{name} {d}, {y}", f"{d} {name} {y}", f"{d}{nth} of {name} {y}"]
        written += [f"{name[:3]} {d}, {y}", f"{y}年{m}月{d}日", f"{d}. {GERMAN[m - 1]} {y}"]
        written += [f"{d} {FRENCH[m - 1]} {y}", f"{d} de {SPANISH[m - 1]} de {y}"]
        written += [f"{name} {d}{nth}", f"{d}/{m:02}/{y}"]
        yield Row(DATE, Day(y, m, d), tuple(written))


def times() -> Iterator[Row]:
    """Yield times of day."""
    for n in range(60):
        minutes = 5 + 24 * n % 1440 // 5 * 5
        hour, minute = divmod(minutes, 60)
        half, short = ("am", "pm")[hour >= 12], hour % 12 or 12
        written = [f"{hour:02}:{minute:02}", f"{short}:{minute:02} {half}", f"{hour}h{minute:02}"]
        written += [f"{short}:{minute:02}{half}", f"{short}:{minute:02} {half[0]}.m."]
        written += [f"{hour:02}:{minute:02}:00", f"{hour}.{minute:02} Uhr"]
        written += [f"{short} {half}", f"{short}{half.upper()}"] if minute == 0 else []
        yield Row(TIME, Minute(minutes), tuple(written))


def measures() -> Iterator[Row]:
    """Yield numbers with a unit behind them."""
    for n in (3, 8, 14, 26, 45, 90, 120, 180, 400, 750, 1500, 2600):
        for unit in ("kg", "km", "hours", "minutes"):
            comma = f"{n:,}"
            ways = (f"{n} {unit}", f"{comma} {unit}", f"{n}\u00a0{unit}", f"{in_words(n)} {unit}")
            yield Row(NUMBER, Decimal(n), ways)


TABLES: tuple[Callable[[], Iterator[Row]], ...] = (
    whole_numbers, fractions, amounts, days, times, measures,
)  # fmt: skip
ROWS = tuple(row for table in TABLES for row in table())
