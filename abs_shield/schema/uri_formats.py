"""Checkers of URIs, IRIs, their references and templates, each in one linear pass."""

from __future__ import annotations

import re

from abs_shield.schema.host_formats import ipv6
from abs_shield.text.lazy_pattern import lazy_pattern

# The letters of RFC 3987 without direction marks, which section 4.1 forbids.
_LETTERS = lazy_pattern(
    r"[\xa0-\u200d\u2010-\u2029\u202f-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(rf"\U{plane:04x}0000-\U{plane:04x}fffd" for plane in range(1, 14))
    + r"\U000e1000-\U000efffd]+"
)
_PRIVATE = re.compile(r"[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]+")
_LETTER, _OWN = "\xa0", "\ue000"
"""Replacements for runs of each: patterns with the full classes take 40 ms to compile."""

_PLAIN = rf"A-Za-z0-9\-._~!$&'()*+,;={_LETTER}"
_PERCENT = "%[0-9A-Fa-f]{2}"


def _many(plain: str) -> str:
    """Return a pattern for a run of *plain* characters and percent escapes, without backtracking.

    Only single characters repeat possessively: Python before 3.11.5 fails on groups.
    """
    return rf"[{plain}]*+(?:{_PERCENT}[{plain}]*+)*"


_PART = _many(f"{_PLAIN}:@")
_SOME = rf"(?=[{_PLAIN}:@%]){_PART}"
_REFERENCE = lazy_pattern(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*+:)|(?![^:/?#]*+:))"
    rf"(?://(?:{_many(_PLAIN + ':')}@)?"
    rf"(?:\[(?P<literal>[^\]]*+)\]|{_many(_PLAIN)})(?::[0-9]*+)?"
    rf"(?:/{_PART})*|/(?:{_SOME}(?:/{_PART})*)?|{_SOME}(?:/{_PART})*|)"
    rf"(?:\?{_many(_PLAIN + ':@/?' + _OWN)})?(?:\#{_many(_PLAIN + ':@/?')})?"
)
_FUTURE = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+")

_NAME = rf"(?=[A-Za-z0-9_%]){_many('A-Za-z0-9_')}"
_VARIABLE = rf"{_NAME}(?:\.{_NAME})*(?::[1-9][0-9]{{0,3}}|\*)?"
_LITERAL = rf"[!#$&-;=?-\[\]_a-z~{_LETTER}{_OWN}]*+"
"""Includes `'`, which RFC 6570 omits by mistake (erratum 6937)."""
_TEMPLATE = lazy_pattern(
    rf"{_LITERAL}(?:(?:{_PERCENT}|\{{[+\#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}}){_LITERAL})*"
)


def uri(text: str) -> bool:
    """Return whether a text is a URI, as in ``https://example.com/a?b#c`` (RFC 3986)."""
    return text.isascii() and iri(text)


def uri_reference(text: str) -> bool:
    """Return whether a text is a URI or a relative one, as in ``../a?b`` (RFC 3986)."""
    return text.isascii() and iri_reference(text)


def iri(text: str) -> bool:
    """Return whether a text is a URI of any script, as in ``https://example.com/é`` (RFC 3987)."""
    match = _REFERENCE.fullmatch(_read(text))
    return match is not None and match["scheme"] is not None and _address(match["literal"])


def iri_reference(text: str) -> bool:
    """Return whether a text is an IRI or a relative one, as in ``../é`` (RFC 3987)."""
    match = _REFERENCE.fullmatch(_read(text))
    return match is not None and _address(match["literal"])


def uri_template(text: str) -> bool:
    """Return whether a text is a URI template, as in ``/users/{id}{?page,size}`` (RFC 6570)."""
    return _TEMPLATE.fullmatch(_read(text)) is not None


def _read(text: str) -> str:
    return text if text.isascii() else _PRIVATE.sub(_OWN, _LETTERS.sub(_LETTER, text))


def _address(literal: str | None) -> bool:
    return literal is None or ipv6(literal) or _FUTURE.fullmatch(literal) is not None
