"""Credentials: passwords, tokens and keys that open something, and how they are recognised."""

from __future__ import annotations

import re
from typing import Literal

from abs_shield.plan.tool_action import ToolAction
from abs_shield.text.names import name_words
from abs_shield.text.shape import is_dated, is_moment, is_sentinel
from abs_shield.text.verbs import Does

Use = Literal["none", "presented", "set"]
"""What a call does with a value: it holds no credential, presents one, or sets a new one."""
_PASSWORDS = frozenset("password passwd passphrase passcode pwd".split())
_CODES = frozenset("pin otp cvv".split())
"""A few digits that open something."""
_SECRETS = frozenset("secret token session jwt bearer apikey".split())
_KEYED = frozenset("api secret access private shared auth authentication".split())
"""Words before ``key`` that make a credential of it."""
_FLOW = frozenset(
    "page next previous prev continuation continue sync cursor max min num number count total "
    "prompt completion input output special stop pad budget limit cancellation".split()
)
"""Words of tokens that lead through a list, or that a model counts."""
_SERVICES = frozenset("server database db host connection source integration network".split())
"""What is added with the password that opens it."""
_OLD = frozenset("old current existing previous present".split())
_NEW = frozenset("new confirm confirmation repeat repeated".split())
_SCHEME = re.compile(r"(?:bearer|token)\s+(?=\S+$)", re.IGNORECASE)
_LEAST = 4
_LONG = 16
"""Characters from which a word without a digit may be a token."""
_COIN, _EVENT = frozenset({"token"}), frozenset({"session"})
_CHAIN = re.compile(r"0x[0-9a-f]{40}", re.IGNORECASE)
"""The address of an account or a coin on a chain, which is public; a private key is longer."""
_CODE = re.compile(r"\d{3,8}")
_DIGIT = re.compile(r"\d")
_ALNUM = re.compile(r"[^\W_]")


def credential(name: str) -> frozenset[str]:
    """
    Return the words that say which credential a parameter or a field of this name holds.

    >>> sorted(credential("accessToken")), sorted(credential("user_passwd"))
    (['access', 'token'], ['password', 'user'])
    >>> sorted(credential("next_page_token")), sorted(credential("sort_key"))
    ([], [])
    """
    said = name_words(name)
    if not said:
        return frozenset()
    last, before = said[-1], said[:-1]
    if last in _PASSWORDS:
        return frozenset({*before, "password"})
    if last in _CODES:
        return frozenset({*before, last})
    if last == "apikey":
        return frozenset({*before, "api", "key"})
    keyed = last == "key" and bool(before) and before[-1] in _KEYED
    if keyed or (last in _SECRETS and _FLOW.isdisjoint(before)):
        return frozenset(said)
    return frozenset()


def is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """
    Return whether two fields may hold one credential: ``token`` and ``access_token``.

    >>> is_same(credential("token"), credential("access_token"))
    True
    >>> is_same(credential("refresh_token"), credential("access_token"))
    False
    """
    one, other = one - _OLD, other - _OLD
    return bool(one and other) and (one <= other or other <= one)


def credential_use(name: str, action: ToolAction) -> Use:
    """
    Return what a call does with the credential called *name*.

    Whoever creates an account or changes a password makes the new password up.
    """
    said = frozenset(name_words(name))
    if not credential(name):
        return "none"
    if not _NEW.isdisjoint(said):
        return "set"
    if action.does not in (Does.MAKE, Does.CHANGE) or not _OLD.isdisjoint(said):
        return "presented"
    if name_words(name)[-1] in _PASSWORDS | _CODES:
        return "presented" if not _SERVICES.isdisjoint(action.noun) else "set"
    return "presented" if said.isdisjoint(action.noun) else "set"


def may_be_secret(text: str, name: str) -> bool:
    """
    Return whether *text* may be a secret value of the credential called *name*.

    A password may be any text; a token is one word with a digit in it, or a long one, as
    ``token`` also names a coin, and ``session`` a part of a day or of a conference.

    >>> [may_be_secret(text, "token") for text in ("tk_5f81c2d4", "USDC", "0x" + 20 * "a1")]
    [True, False, False]
    """
    words = credential(name)
    if not words.isdisjoint(_CODES):
        return _CODE.fullmatch(text) is not None
    if len(text) < _LEAST or is_sentinel(text) or _ALNUM.search(text) is None:
        return False
    if "password" in words:
        return True
    if any(map(str.isspace, text)) or is_moment(text):
        return False
    if (words == _COIN and _CHAIN.fullmatch(text)) or names_event(text, name):
        return False
    return len(text) >= _LONG or _DIGIT.search(text) is not None


def names_event(text: str, name: str) -> bool:
    """
    Return whether a ``session`` is one of a conference, as its *text* says.

    >>> names_event("keynote-2026", "session"), names_event("case-2019", "record")
    (True, False)
    """
    return credential(name) == _EVENT and is_dated(text)


def bare_secret(text: str) -> str:
    """
    Return a token without the scheme that a header puts before it.

    >>> bare_secret("Bearer abc123")
    'abc123'
    """
    return _SCHEME.sub("", text.strip(), count=1)
