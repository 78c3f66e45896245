"""Sample texts that fit a schema: its format, pattern and lengths, and the pool's texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from ipaddress import ip_network
from re import compile as pattern

from abs_shield.schema.decimal_format import PREFIX
from abs_shield.schema.number_keywords import count_or
from abs_shield.schema.samples.pattern_samples import matching_texts
from abs_shield.schema.samples.round_robin import in_turn
from abs_shield.schema.samples.sample_pool import Pool
from abs_shield.schema.samples.schema_shapes import Shape

_HOST = pattern(r"@?\.?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+\.?|\.[A-Za-z]{2,}|localhost")
_PATH = pattern(r"/[\w./~-]*")
_SCHEME = pattern(r"[a-z][a-z0-9+.-]{1,15}(://)?")


def addresses_containing(texts: Iterable[str]) -> Iterator[str]:
    """
    Yield web, mail and IP addresses that contain one of *texts*.

    >>> [*addresses_containing([".school.example"])][:2]
    ['https://a.school.example/a', 'ann@a.school.example']
    """
    for text in texts:
        if _HOST.fullmatch(text):
            host = f"a{text}" if text[0] == "." else text.lstrip("@")
            yield from (f"https://{host}/a", f"ann@{host}", f"http://{host}", f"https://b.{host}/a")
            yield host
        elif _PATH.fullmatch(text):
            yield from (f"https://example.com{text}", f"https://example.com{text.rstrip('/')}/a")
        elif _SCHEME.fullmatch(text):
            yield f"{text.removesuffix('://')}://example.com/a"
        yield from _inside(text)


def _inside(text: str) -> Iterator[str]:
    """Yield the boundary addresses of a range such as `10.0.0.0/8`."""
    if "/" not in text:
        return
    with suppress(ValueError):  # most texts with a slash are not ranges
        net = ip_network(text, strict=False)
        yield from map(str, (net[0], net[min(1, net.num_addresses - 1)], net[-1]))


_WEEK = [f"2024-06-{day:02}" for day in range(3, 10)]
_DATES = ("2024-06-03", "2024-06-04", "1970-01-01", "9999-12-31", "2024-02-29", *_WEEK[2:])
_TIMES = (
    "00:00:00Z", "09:00:00Z", "12:30:00Z", "18:00:00Z", "23:59:59Z", "12:00:00+05:30",
    "09:00:00", "12:30",
)  # fmt: skip
FORMATS: dict[str, tuple[str, ...]] = {
    "date": _DATES,
    "date-time": tuple(f"{day}T{time}" for day in _DATES[:4] for time in _TIMES),
    "time": _TIMES,
    "duration": ("PT1H", "P1D", "PT0S", "P1Y", "P2W", "P1DT12H"),
    "email": ("ann@example.com", "bob@mail.example.org", "a.b+c@example.co"),
    "idn-email": ("ann@example.com",),
    "uri": ("https://example.com/a?b=c", "http://example.com", "ftp://example.com/a", "file:///a"),
    "iri": ("https://example.com/a",),
    "uri-reference": ("/a", "https://example.com/a", ""),
    "iri-reference": ("/a", "https://example.com/a"),
    "uri-template": ("/a/{id}",),
    "uuid": ("00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
    "ipv4": (
        "192.0.2.1", "10.0.0.1", "8.8.8.8", "127.0.0.1", "192.168.1.1", "172.16.0.1", "0.0.0.0",
        "255.255.255.255", "169.254.1.1", "224.0.0.1", "93.184.215.14",
    ),
    "ipv6": (
        "2001:db8::1", "::1", "::", "2606:4700:4700::1111", "fd00::1", "fe80::1", "ff02::1",
    ),
    "hostname": ("example.com", "localhost", "a"),
    "idn-hostname": ("example.com",),
    "json-pointer": ("", "/a/0"),
    "relative-json-pointer": ("0", "1/a"),
    "regex": ("a", "^[0-9]+$"),
}  # fmt: skip
"""Valid texts of each format; a test validates each with its checker."""
_USUAL = (
    "a", "", "text", "Ann Lee", "tx_12345", "1", "0", "-1", "19.99", "2024-06-03", "2024-06-04",
    "ann@example.com", "https://example.com/a", "/tmp/a.txt", "../a", "EUR", "USD", "TRUE", " ",
    "1000000", "2024-06-03T12:00:00Z", "A", "10.0.0.1", "8.8.8.8",
)  # fmt: skip
_KINDS = ("A", "1", "aB3")
"""Texts of letters and digits, which are stretched to the pool's lengths."""
_LONGEST = 10_000  # characters, where a schema has no maximum of its own
_CENT = Decimal("0.01")
_MOST_DAYS = 4_000  # eleven years; larger numbers in rules are not days


def texts(shape: Shape, pool: Pool) -> list[str]:
    """
    Return texts within the lengths of *shape*, and in its format if that is supported.

    >>> {"aaa", "cccc"} <= {*texts({"minLength": 3, "maxLength": 4, "pattern": "^[a-c]+$"}, Pool())}
    True
    """
    low, high = count_or(0, shape.get("minLength")), count_or(_LONGEST, shape.get("maxLength"))
    candidates = list(dict.fromkeys(_plain(shape, pool)))
    lengths = dict.fromkeys((low, high if high < _LONGEST else low + 1, low + 1))
    fitting = [text for text in candidates if low <= len(text) <= high]
    stretched = (_stretch(text, n) for n in lengths for text in candidates[:4] if low <= n <= high)
    kinds = dict.fromkeys(kind for text in candidates[:1] for kind in (text, text.upper(), *_KINDS))
    long = (_stretch(text, n) for n in pool.lengths(min(high, _LONGEST)) for text in kinds)
    wanted = (text for text in long if low <= len(text) <= high)
    return list(dict.fromkeys(in_turn([fitting, [*stretched], [*wanted]])))


def _plain(shape: Shape, pool: Pool) -> Iterator[str]:
    name, pattern = shape.get("format"), shape.get("pattern")
    if isinstance(pattern, str):
        yield from matching_texts(pattern)
    if isinstance(name, str) and name.startswith(PREFIX):
        yield from _decimals(name, pool)
    elif name in FORMATS:
        examples = FORMATS[name]
        yield from in_turn([examples, [*_days_near(name, pool)]])
    usual = () if name in FORMATS else _USUAL
    yield from in_turn(
        [usual, [*_near_compared(pool)], [*addresses_containing(pool.texts)], pool.matched]
    )


def _near_compared(pool: Pool) -> Iterator[str]:
    for text in pool.texts:
        yield text
        yield from (f"{text}a", f"a{text}", f"a{text}a", text[:-1], text.upper(), text.lower())
    for number in pool.numbers:
        yield from _numbers_near(Decimal(str(number)))


def _decimals(name: str, pool: Pool) -> Iterator[str]:
    for part in name.removeprefix(PREFIX).split(", "):
        with suppress(ArithmeticError, ValueError):
            yield from _numbers_near(Decimal(part.split(" ")[-1]))
    for number in pool.numbers:
        yield from _numbers_near(Decimal(str(number)))
    yield from ("1", "0", "19.99", "-1", "1000000")


def _numbers_near(number: Decimal) -> Iterator[str]:
    with suppress(ArithmeticError):
        yield from map(_write, (number, number + _CENT, number - _CENT, number + 1, number - 1))


def _write(number: Decimal) -> str:
    return f"{number:f}"


def _days_near(name: str, pool: Pool) -> Iterator[str]:
    """Yield days at the pool's numbers of days from 3 June 2024, and next to the pool's days."""
    if name not in ("date", "date-time"):
        return
    tails = ("",) if name == "date" else ("T12:00:00Z", "T12:00:00")
    first = date(2024, 6, 3)
    for number in pool.numbers:
        if 0 < abs(number) <= _MOST_DAYS:
            near = (int(number) + step for step in (0, 1, -1))
            yield from (f"{first + timedelta(days=days)}{tail}" for days in near for tail in tails)
    for text in pool.texts:
        with suppress(ValueError, OverflowError):
            day = datetime.fromisoformat(text).date()
            steps = (day + timedelta(days=step) for step in (0, 1, -1))
            yield from (f"{step}{tail}" for step in steps for tail in tails)


def _stretch(text: str, length: int) -> str:
    """Return a text of that length, made of the same characters."""
    if len(text) >= length:
        return text[:length]
    return text + (text[-1:] or "a") * (length - len(text))
