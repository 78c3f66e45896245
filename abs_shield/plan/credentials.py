"""Passwords, tokens and keys: which parameters hold them, and which values may be one."""

from __future__ import annotations

import re
from typing import Literal

from abs_shield.plan.tool_action import ToolAction
from abs_shield.text.identifier_words import name_words
from abs_shield.text.value_shapes import is_date_or_time, is_name_with_year, is_sentinel
from abs_shield.text.verbs import VerbEffect

CredentialUse = Literal["none", "presented", "set"]
"""Use of a value by a call: not a credential, presented, or set as a new one."""
_PASSWORD_WORDS = frozenset("password passwd passphrase passcode pwd".split())
_PIN_WORDS = frozenset("pin otp cvv".split())
"""Credentials of a few digits."""
_SECRET_WORDS = frozenset("secret token session jwt bearer apikey".split())
_KEY_PREFIXES = frozenset("api secret access private shared auth authentication".split())
"""Words before ``key`` that make it a credential."""
_PAGING_WORDS = frozenset(
    "page next previous prev continuation continue sync cursor max min num number count total "
    "prompt completion input output special stop pad budget limit cancellation".split()
)
"""Words before ``token`` for page tokens, and for the tokens that a language model counts."""
_SERVICE_NOUNS = frozenset("server database db host connection source integration network".split())
"""Nouns for services: a call that adds one presents the service's existing password."""
_OLD_WORDS = frozenset("old current existing previous present".split())
_NEW_WORDS = frozenset("new confirm confirmation repeat repeated".split())
_SCHEME = re.compile(r"(?:bearer|token)\s+(?=\S+$)", re.IGNORECASE)
_MIN_LENGTH = 4  # a shorter text is a word of an interface, such as `on`
_MIN_TOKEN_LENGTH = 16
"""Fewest characters of a token without a digit: a shorter word may name a coin or a session."""
_TOKEN_ONLY, _SESSION_ONLY = frozenset({"token"}), frozenset({"session"})
_CHAIN_ADDRESS = re.compile(r"0x[0-9a-f]{40}", re.IGNORECASE)
"""The address of an account or a coin on a chain, which is public; a private key is longer."""
# Of three digits, as on a card, to eight.
_PIN = re.compile(r"\d{3,8}")
_DIGIT = re.compile(r"\d")
_ALNUM = re.compile(r"[^\W_]")


def credential_words(name: str) -> frozenset[str]:
    """
    Return the words that name the credential in a parameter or field of this name.

    >>> sorted(credential_words("accessToken")), sorted(credential_words("user_passwd"))
    (['access', 'token'], ['password', 'user'])
    >>> sorted(credential_words("next_page_token")), sorted(credential_words("sort_key"))
    ([], [])
    """
    words = name_words(name)
    if not words:
        return frozenset()
    last, before = words[-1], words[:-1]
    if last in _PASSWORD_WORDS:
        return frozenset({*before, "password"})
    if last in _PIN_WORDS:
        return frozenset({*before, last})
    if last == "apikey":
        return frozenset({*before, "api", "key"})
    is_key = last == "key" and bool(before) and before[-1] in _KEY_PREFIXES
    if is_key or (last in _SECRET_WORDS and _PAGING_WORDS.isdisjoint(before)):
        return frozenset(words)
    return frozenset()


def may_be_same_credential(one: frozenset[str], other: frozenset[str]) -> bool:
    """
    Return whether two fields may contain one credential: ``token`` and ``access_token``.

    >>> token, access_token = credential_words("token"), credential_words("access_token")
    >>> may_be_same_credential(token, access_token)
    True
    >>> may_be_same_credential(credential_words("refresh_token"), access_token)
    False
    """
    one, other = one - _OLD_WORDS, other - _OLD_WORDS
    return bool(one and other) and (one <= other or other <= one)


def credential_use(name: str, action: ToolAction) -> CredentialUse:
    """
    Return whether a call presents or sets the credential in its parameter *name*.

    A call that creates an account or changes a password sets a password that the agent chose.
    """
    words = frozenset(name_words(name))
    if not credential_words(name):
        return "none"
    if not _NEW_WORDS.isdisjoint(words):
        return "set"
    if action.does not in (VerbEffect.MAKE, VerbEffect.CHANGE) or not _OLD_WORDS.isdisjoint(words):
        return "presented"
    if name_words(name)[-1] in _PASSWORD_WORDS | _PIN_WORDS:
        return "presented" if not _SERVICE_NOUNS.isdisjoint(action.noun) else "set"
    # `create_token(token=...)` sets one, `create_issue(token=...)` presents one.
    return "presented" if words.isdisjoint(action.noun) else "set"


def may_be_secret(text: str, name: str) -> bool:
    """
    Return whether *text* may be the value of the credential called *name*.

    A password may be any text of at least 4 characters. A token is one word that has a digit or at
    least 16 characters, because ``token`` may also name a coin, and ``session`` a part of a
    conference.

    >>> [may_be_secret(text, "token") for text in ("tk_5f81c2d4", "USDC", "0x" + 20 * "a1")]
    [True, False, False]
    """
    words = credential_words(name)
    if not words.isdisjoint(_PIN_WORDS):
        # Digits only: a word under `pin` is a place on a map or a board.
        return _PIN.fullmatch(text) is not None
    if len(text) < _MIN_LENGTH or is_sentinel(text) or _ALNUM.search(text) is None:
        return False
    if "password" in words:
        return True
    if any(map(str.isspace, text)) or is_date_or_time(text):
        return False
    if (words == _TOKEN_ONLY and _CHAIN_ADDRESS.fullmatch(text)) or names_event(text, name):
        return False
    return len(text) >= _MIN_TOKEN_LENGTH or _DIGIT.search(text) is not None


def names_event(text: str, name: str) -> bool:
    """
    Return whether a parameter ``session`` holds the name of an event, such as a conference talk.

    >>> names_event("keynote-2026", "session"), names_event("case-2019", "record")
    (True, False)
    """
    return credential_words(name) == _SESSION_ONLY and is_name_with_year(text)


def remove_scheme(text: str) -> str:
    """
    Return a token without the authentication scheme that precedes it in a header.

    >>> remove_scheme("Bearer abc123")
    'abc123'
    """
    return _SCHEME.sub("", text.strip(), count=1)
