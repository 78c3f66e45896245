"""Detection of values that select many things or all: wildcards, roots, words such as ``all``."""

from __future__ import annotations

import re
import unicodedata

from abs_shield.text.lazy_pattern import lazy_pattern

_WORDS = frozenset(
    "all any every each everything everyone everybody anything anyone anybody whole entire todos "
    "todo alle alles tous tout tutti true".split()
)
_JOINED = re.compile(r"(?<=[^\x00-\x7f\u200c\u200d])[\u200c\u200d](?=[^\x00-\x7f\u200c\u200d])")
_SELECTED = re.compile(
    "(?<=[^\x00-\x7f\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\ufffc"
    "\U000e0100-\U000e01ef]|\u2800(?![\u2801-\u28ff])"
)
"""Invisible fillers and selectors that Unicode does not classify as spaces."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_QUOTES = "\"'`"
_ROOT = lazy_pattern(
    r"[a-z]:[\\/.]*|(?:\$\{?[a-z_]\w*\}?|\$env:\w+|%[a-z_]\w*(?:\(x86\))?%)[\\/.*]*", re.IGNORECASE
)
"""A drive, or a variable with an unknown value: ``C:\\``, ``$HOME``, ``%USERPROFILE%``."""
_CLASSES = re.compile(r"\\[wWsSdDbBAzZ]|\[[^\]]{1,20}\]|\{\d*,?\d*\}")
"""Character classes and repetitions of a regular expression."""
_TAUTOLOGY = re.compile(
    r"(?:\A|\bor\b|\bwhere\b|\|\|)[\s(]*(?:(['\"]?)([\w.]{1,40})\1\s*={1,2}\s*\1\2\1|true|1)[\s);]*"
    r"(?:--.*|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""A condition that is true for every row, alone or after ``or``."""
_ALL = (
    r"\b(?:all|every\w*|any(?:thing|one|body)?|each|whole|entire\w*|completely|empty|clear|wipe|purge"
    r"|flush|truncate|alle[mnrs]?|sämtliche\w*|ganze\w*|tou[st]|toutes?|todo?a?s?|tutt[oiae]|alla|allt"
    r"|wszystk\w*|вс[еёя]|всех|весь|tüm\w*|hepsi\w*|bütün)\b|全部|所有|一切|すべて|全て|모두|모든|전부|كل|جميع|सभी|सब"
)
_SAYS_ALL = lazy_pattern(_ALL, re.IGNORECASE)
_SAYS_NOT_ALL = lazy_pattern(
    rf"(?:\bnot|\bnever|n['\u2019]t|\bwithout)\W+(?:\w+\W+){{0,3}}(?:{_ALL})", re.IGNORECASE
)
_AUDIENCES = frozenset({"@here", "@channel", "@room"})
_SPACED = re.compile(r"\w(?: \w)+")
_LONGEST_SPACED = 32  # characters of a word with spaces between its letters
_CONDITION = lazy_pattern(
    r"(?:!=?|<>|[<>]=?|=|~=?(?![/\\])|\^|%(?!\d[0-9a-fA-F]|[a-fA-F][0-9a-fA-F]%))\s*[\w\"']"
    r"|(?:\w{1,20}\.{2,3}\w{0,20}|\.{2,3}\w{1,20}|(?!\d\d?:\d\d\Z)\d{0,9}:\d{0,9})\Z"
)
"""A comparison, or a range: ``!acct_1``, ``a..z``, ``1:``."""
_BEHIND = re.compile(r"\A\S{0,4096}[\w\"'](?:[%?;^$+]|--|\+\+)\Z")
"""Endings of a pattern or a statement: ``acct_1%``, ``acct_1--``."""
_LONGEST = 4_096  # characters, as in the longest path; longer text is not a name
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = lazy_pattern("[A-Za-z\u00c0-\u024f]")
_LIKE_LATIN = re.compile("[\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff]")
"""Greek, Cyrillic, Armenian and Cherokee."""
_NOTHING = frozenset("null nil none undefined n/a na nan unknown".split())
_SYSTEM_ACCOUNTS = frozenset("admin administrator root superuser sysadmin system sudo".split())


def is_whole_set(text: str) -> bool:
    """
    Return whether *text* is not a single thing: a wildcard, a root, a parent, empty, or all.

    >>> [is_whole_set(text) for text in ("*", "/", "../..", "", "All", "/tmp/*", "/tmp/a%20b")]
    [True, True, True, True, True, True, False]
    """
    bare = text.strip().strip(_QUOTES)
    if not _has_name(bare):
        return True
    if _ROOT.fullmatch(bare[:_LONGEST]) is not None:
        return True
    word = bare.casefold().lstrip("@#_")
    if _SPACED.fullmatch(word[:_LONGEST_SPACED]):
        word = "".join(word.split())
    return "*" in bare or word in _WORDS or bare.casefold() in _AUDIENCES


def names_everything(text: str) -> bool:
    """
    Return whether a text stands for a whole set or for an account of the system.

    >>> names_everything("*"), names_everything("root"), names_everything("acct_7")
    (True, True, False)
    """
    return is_whole_set(text) or is_system_account(text)


def is_condition(text: str) -> bool:
    """
    Return whether *text* is a comparison or a range rather than a single name.

    >>> [is_condition(text) for text in ("!acct_1", ">=acct_1", "acct_1%", "acct_1?", "a..z", "1:")]
    [True, True, True, True, True, True]
    >>> [is_condition(text) for text in ("~/tmp", "<a@x.org>", "acct_1", "HEAD~1", "12:30", "C++")]
    [False, False, False, False, False, True]
    """
    bare = text[:_LONGEST].strip()
    # An address or a tag in brackets is not a comparison.
    if len(text) > _LONGEST or not bare or (bare[0] == "<" and bare[-1] == ">"):
        return False
    return _CONDITION.match(bare) is not None or _BEHIND.search(bare) is not None


_MOST_WORDS_FOR_ALL = 2  # the word and its noun


def selects_all(text: str) -> bool:
    """
    Return whether *text*, as a name, a pattern or a condition, selects everything.

    >>> [selects_all(text) for text in ("*", "%", "^.*$", "1=1", "all", "id = 7 OR 'a'='a' --")]
    [True, True, True, True, True, True]
    >>> [selects_all(text) for text in ("*.log", "a=b", "C++", "from:bob OR to:bob", "1")]
    [False, False, False, False, False]
    """
    condition = text[:_LONGEST].strip()
    bare = condition.strip(_QUOTES)
    if not _has_name(_CLASSES.sub("", bare)):
        return True
    if bare.casefold() in _WORDS or bare.casefold() == "true":
        return True
    return bare != "1" and _TAUTOLOGY.search(condition) is not None  # a plain 1 is a value


def _has_name(bare: str) -> bool:
    """Return whether a value has a letter, a digit or an emoji, or is ``@``, a DNS zone."""
    return bare == "@" or any(
        character.isalnum() or unicodedata.category(character) == "So" for character in bare
    )


def states_all(text: str) -> bool:
    """
    Return whether a text states that all of something is meant, in one of many languages.

    >>> [states_all(text) for text in ("Delete all of it", "Don't delete all of it", "Empty it")]
    [True, False, True]
    """
    return _SAYS_ALL.search(_SAYS_NOT_ALL.sub(" ", text)) is not None


def is_word_for_all(text: str) -> bool:
    """
    Return whether a selector is a word for everything, in many languages, or one with its noun.

    >>> [is_word_for_all(text) for text in ("ALL USERS", "alle", "all orders of 2023")]
    [True, True, False]
    """
    # a longer text is a condition that may limit what it selects
    return len(text.split()) <= _MOST_WORDS_FOR_ALL and states_all(text)


def is_null_word(text: str) -> bool:
    """Return whether *text* is empty or a word for no value: ``null``, ``none``."""
    return text.strip().casefold() in _NOTHING or not text.strip()


def is_system_account(text: str) -> bool:
    """Return whether *text* is a system account: ``admin``, ``root``."""
    return text.strip().casefold() in _SYSTEM_ACCOUNTS


def mixes_scripts(text: str) -> bool:
    r"""
    Return whether a word mixes Latin letters with lookalikes of other scripts.

    >>> mixes_scripts("P\u0430ypal"), mixes_scripts("Paypal"), mixes_scripts("\u0418\u0432")
    (True, False, False)
    """
    return any(
        _LATIN.search(word) and _LIKE_LATIN.search(word) for word in _WORD.findall(text[:_LONGEST])
    )


def has_hidden_characters(text: str) -> bool:
    r"""
    Return whether *text* has invisible characters: controls, fillers, tags.

    Joiners between two non-ASCII characters are normal in Persian, Hindi and emoji, and so are
    variation selectors after a symbol.

    >>> [has_hidden_characters(text) for text in ("eve\u202e", "eve", "eve\n")]
    [True, False, False]
    >>> [has_hidden_characters(text) for text in ("eve\ufe0f", "\u2764\ufe0f", "1\ufe0f\u20e3")]
    [True, False, False]
    """
    bare = text.strip()
    if bare.isascii() and bare.isprintable():
        return False
    bare = _SELECTED.sub("", _JOINED.sub("", bare))
    return _UNSEEN.search(bare) is not None or any(
        unicodedata.category(character) in _HIDDEN for character in bare
    )
