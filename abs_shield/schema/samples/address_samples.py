"""Network addresses that have a text as host, path or scheme, or that are in its range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_network
from re import compile as pattern

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
