"""Detection of network ranges that cover the whole internet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from unicodedata import normalize

_LONGEST = 50_000  # characters, some 3,000 ranges; parsing each of them takes time
_BETWEEN = re.compile(r"[\s,;|\"'()\[\]]+")
_OPEN = re.compile(r".*/0+(?:\.0+)*")
_EVERY_IPV4 = [IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")]
"""The ranges of IPv6 that map the whole of IPv4."""


def is_everything(texts: Iterable[str]) -> bool:
    """
    Return whether the networks of *texts* together cover all of IPv4 or IPv6.

    A text may list several, separated by commas or blanks. Other words are ignored unless they end
    in ``/0``; a list that is too long to be read counts as everything.

    >>> is_everything(["10.0.0.0/8"]), is_everything(["0.0.0.0/1, 128.0.0.0/1"])
    (False, True)
    >>> is_everything(["office"]), is_everything(["0/0"]), is_everything(["::ffff:0.0.0.0/96"])
    (False, True, True)
    """
    old: list[IPv4Network] = []
    new: list[IPv6Network] = []
    for text in texts:
        if len(text) > _LONGEST:
            return True
        # full-width digits and stops become plain ones
        for name in _BETWEEN.split(normalize("NFKC", text)):
            network = _network(name)
            if network is None and _OPEN.fullmatch(name):
                return True
            if isinstance(network, IPv4Network):
                old.append(network)
            elif network is not None:
                new.append(network)
    return any(each.prefixlen == 0 for each in collapse_addresses(old)) or any(
        every.subnet_of(each) for each in collapse_addresses(new) for every in _EVERY_IPV4
    )


def _network(name: str) -> IPv4Network | IPv6Network | None:
    try:
        # not strict: 10.0.0.1/8 has host bits, and is a range all the same
        return ip_network(name, strict=False)
    except ValueError:
        return None
