"""Strict checkers of host names, IP addresses and mailboxes, in ASCII and in every script."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import AddressValueError, IPv6Address

import idna

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_DOTS = (".", "\u3002", "\uff0e", "\uff61")
"""Separators of labels in internationalised names (RFC 3490)."""
_LONGEST_HOST = 253  # RFC 1035: 255 octets with the lengths of the labels, 253 as text
_LONGEST_MAILBOX = 320  # RFC 5321: 64 before the `@`, 255 behind it


def _local(beyond: str = "") -> re.Pattern[str]:
    """Return the pattern of a mailbox's local part, with characters *beyond* ASCII."""
    atom = rf"(?:[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~-]{beyond})+"
    return re.compile(rf'{atom}(?:\.{atom})*|"(?:[ !#-\[\]-~]|\\[ -~]{beyond})*"')


_LOCAL = _local()
_IDN_LOCAL = _local(r"|[^\x00-\x7f\ud800-\udfff]")


def ipv4(text: str) -> bool:
    """Return whether a text is four decimal octets without leading zeros."""
    return _IPV4.fullmatch(text) is not None


def ipv6(text: str) -> bool:
    """Return whether a text is an IPv6 address without a zone."""
    try:
        # The longest form ends with an IPv4 address.
        return len(text) <= 45 and "%" not in text and bool(IPv6Address(text).compressed)
    except (AddressValueError, ValueError):
        return False


def hostname(text: str) -> bool:
    """Return whether a text is a host name of ASCII labels (RFC 1123), with valid punycode."""
    return 0 < len(text) <= _LONGEST_HOST and all(map(_label, text.split(".")))


def _label(label: str) -> bool:
    if _LABEL.fullmatch(label) is None:
        return False
    if label[2:4] != "--":
        return True
    try:
        # A punycode label that decodes to ASCII could disguise another one.
        return label[:4].lower() == "xn--" and not label[4:].encode().decode("punycode").isascii()
    except UnicodeError:
        return False


def idn_hostname(text: str) -> bool:
    """Return whether a text is a host name of any script, as in ``例え.テスト`` (RFC 5890)."""
    if len(text) > _LONGEST_HOST or text.endswith(_DOTS):
        return False
    try:
        return bool(idna.encode(text))
    except UnicodeError:
        return False


def email(text: str) -> bool:
    """Return whether a text is a mailbox of RFC 5321, with a host name or a bracketed address."""
    return _mailbox(text, _LOCAL, hostname)


def idn_email(text: str) -> bool:
    """Return whether a text is a mailbox of RFC 6531, with characters of any script."""
    return _mailbox(text, _IDN_LOCAL, idn_hostname)


def _mailbox(text: str, before: re.Pattern[str], host: Callable[[str], bool]) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or len(text) > _LONGEST_MAILBOX or before.fullmatch(local) is None:
        return False
    if not (domain.startswith("[") and domain.endswith("]")):
        return host(domain)
    literal = domain[1:-1]
    return ipv6(literal[5:]) if literal[:5].lower() == "ipv6:" else ipv4(literal)
