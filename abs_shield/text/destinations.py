"""Checks of destinations: paths, network ranges, recipients of a message."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from unicodedata import normalize
from urllib.parse import unquote

LONGEST = 4_096
"""The longest path that systems accept: `PATH_MAX` of Linux."""

_SEPARATORS = re.compile(r"[/\\]+")
_DRIVE = re.compile(r"[A-Za-z]:")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[/\\]")
_OVERLONG = re.compile("%c0%a([ef])", re.IGNORECASE)
"""Dot and slash in overlong UTF-8, which careless decoders accept."""
_DECODED = 3  # times: a proxy, a framework and the tool may each decode the path once


def decoded_spellings(path: str) -> set[str]:
    """
    Return *path* and the forms that a tool could decode or normalise it to.

    >>> sorted(decoded_spellings("a%252e")), sorted(decoded_spellings("a"))
    (['a%252e', 'a%2e', 'a.'], ['a'])
    """
    text = _OVERLONG.sub(lambda code: "." if code[1] in "eE" else "/", path)
    spellings = {path, text}
    for _ in range(_DECODED):
        text = unquote(text)
        spellings.add(text)
    # NFKC replaces full-width dots and slashes by plain ones.
    return spellings | {unicodedata.normalize("NFKC", one) for one in spellings}


def path_steps(path: str) -> list[str]:
    r"""
    Return the folders and the name of *path*, without ``.`` steps.

    >>> path_steps("/srv/./a.txt"), path_steps("C:\\a\\b")
    (['srv', 'a.txt'], ['C:', 'a', 'b'])
    """
    return [step for step in _SEPARATORS.split(path) if step not in ("", ".")]


def has_parent_step(path: str) -> bool:
    """
    Return whether a path has a parent step, also in Windows' spellings of it.

    >>> [has_parent_step(path) for path in ("a/../b", "a/.. /b", "a/..b", "a/...")]
    [True, True, False, True]
    """
    # Windows ignores spaces and full stops after a name.
    return any(len(step) > 1 and not step.strip(" .") and ".." in step for step in path_steps(path))


def is_absolute(path: str) -> bool:
    r"""
    Return whether a path is absolute: from a root, a drive, a home or another machine.

    >>> [is_absolute(one) for one in ("/a", "~/a", "C:a", "\\\\host\\a", "file:///a", "a")]
    [True, True, True, True, True, False]
    """
    return path[:1] in ("/", "\\", "~") or bool(_DRIVE.match(path) or _SCHEME.match(path))


def is_inside(path: str, root: str) -> bool:
    r"""
    Return whether *path*, relative or absolute, stays in *root*; links are not followed.

    >>> is_inside("a/b.txt", "/srv"), is_inside("/srv/a", "/srv"), is_inside("/srv2/a", "/srv")
    (True, True, False)
    >>> is_inside("c:/DATA/a", "C:\\data"), is_inside("/Srv/a", "/srv")
    (True, False)
    """
    if "\0" in path or has_parent_step(path):  # C functions read a path up to the null character
        return False
    windows = bool(_DRIVE.match(root)) or root.startswith("\\\\")
    if not is_absolute(path):
        return not (windows and ":" in path)  # a drive, or an alternate stream of a file
    below, above = _whole(path, folded=windows), _whole(root, folded=windows)
    return below[0] == above[0] and below[1][: len(above[1])] == above[1]


def _whole(path: str, *, folded: bool) -> tuple[str, list[str]]:
    """Return the start and the steps of a path, as the file system compares them."""
    text = path.casefold() if folded else path
    start = "\\\\" if _SEPARATORS.match(text) and text[1:2] in ("/", "\\") else text[:1]
    if folded:
        # as Windows does when it opens a file
        steps = [step.rstrip(" .") for step in path_steps(text)]
        return (start if start == "\\\\" else "", steps)
    return (start if start in ("/", "~") else "", path_steps(text))


_LONGEST = 50_000  # characters, some 3,000 ranges; parsing each of them takes time
_BETWEEN = re.compile(r"[\s,;|\"'()\[\]]+")
_OPEN = re.compile(r".*/0+(?:\.0+)*")
_EVERY_IPV4 = [IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")]
"""The ranges of IPv6 that map the whole of IPv4."""


def is_everything(texts: Iterable[str]) -> bool:
    """
    Return whether the networks of *texts* together cover all of IPv4 or IPv6.

    A text may list several, separated by commas or spaces. Other words are ignored unless they end
    in ``/0``; a list above the limit counts as everything.

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
        # NFKC replaces full-width digits and stops by plain ones.
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
        # Not strict, because 10.0.0.1/8 has host bits but is still a range.
        return ip_network(name, strict=False)
    except ValueError:
        return None


_DOMAIN = re.compile(r"(\S?)@([^\s@<>,;:\"'()\[\]\\|]*)")
_APART = re.compile(r"[,;\n]+")


def domains(text: str) -> list[str]:
    """
    Return the domain of every address in *text*; a handle such as ``@ann`` has none.

    >>> domains("Ann Li <ann@Example.org>, bob@x.com"), domains("@ann, bob")
    (['example.org', 'x.com'], [])
    """
    # Mail servers also treat a full-width sign as `@`.
    plain = unicodedata.normalize("NFKC", text).casefold()
    addresses = _DOMAIN.findall(plain)
    return [domain.rstrip(".") for local, domain in addresses if local or "." in domain]


def people(text: str) -> int:
    """
    Return the number of recipients in *text*.

    >>> people('"Li, Ann" <ann@x.org>, bob@x.org'), people("ann; bob"), people(" ")
    (2, 2, 0)
    """
    parts = sum(1 for part in _APART.split(text) if part.strip())
    return text.count("@") or parts
