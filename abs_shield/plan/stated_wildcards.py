"""Wildcards, root folders and similar values that the user's own words ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.core.events import MessageText
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.verbatim import occurs_in, occurs_verbatim
from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import normal, words
from abs_shield.text.wildcards import is_word_for_all, selects_all, states_all

_MAX_TEXT_LENGTH = 8_192
"""Characters of a message that are searched; a longer message is a pasted document."""
_MAX_PATTERN_LENGTH = 256  # patterns of paths are shorter; each word of one is looked up
_AS_SIGN = r"""(?:(?<=["'`])%s(?=["'`])|(?<=\S[ ])%s(?=[.,;!?]?\s*\Z|[.,;!?]\s))"""
"""A sign in quotes, or at the end of a sentence; at the start of a line it would be a bullet."""
# Clauses are read one by one, as a "not" in one does not apply to the next.
_CLAUSE = re.compile(r"[.;!?]\s|\n")
_NEGATED = re.compile(r"\b(?:not|never|without|except|but|keep)\b|n['\u2019]t\b", re.IGNORECASE)
_PLACES = (
    (
        re.compile(r"~/?|\$\{?HOME\}?/?|%USERPROFILE%[\\/]?", re.IGNORECASE),
        re.compile(r"\bhome (?:directory|folder|dir)\b|\bmy home\b", re.IGNORECASE),
    ),
    (
        re.compile(r"\.[\\/]?"),
        re.compile(
            r"\b(?:current|this|working) (?:working )?(?:directory|folder|dir|tree|repo\w*)\b"
            r"|\bhere\b|\b(?:all|my|local) (?:\w+ )?changes\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"\.\.[\\/]?"),
        lazy_pattern(
            r"\bparent\b|\b(up )?(?:one|a) (?:level|folder|directory)(?(1)| (?:up|above))\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"[\\/]"),
        re.compile(r"\broot (?:directory|folder|dir)\b|\bwhole (?:disk|file ?system)\b", re.I),
    ),
    (
        re.compile(r"\$\{?(?:TMPDIR|TMP|TEMP)\}?/?|%(?:TMP|TEMP)%[\\/]?", re.IGNORECASE),
        re.compile(r"\b(?:temp|tmp|temporary)\b", re.IGNORECASE),
    ),
)
"""Patterns of folders that are written with signs alone, and of people's words for them."""
_ENCLOSING_FOLDER = re.compile(
    r"\b(?:parent|enclosing)\b|\b(?:folder|directory|dir)\b.{0,20}\b(?:of|with|contain\w*|around)\b"
    r"|\b(?:its|their|whose) (?:folder|directory)\b",
    re.IGNORECASE,
)
_PLURALS = re.compile(r"\b(?:files|folders|directories|contents|images|photos|pictures)\b")


def user_texts(session: Session) -> Iterator[str]:
    """Yield the texts of users in a run and its parent runs, each cut to 8,192 characters."""
    here: Session | None = session
    while here is not None:
        for entry in here.entries():
            if isinstance(entry.event, MessageText) and entry.event.role == "user":
                yield entry.event.text[:_MAX_TEXT_LENGTH]
        here = here.parent


def is_stated_by_user(text: str, guard: str, session: Session) -> bool:
    """Return whether a user wrote the value, or asked for everything."""
    bare = text.strip().strip("\"'`")
    # An empty value means everything only in a selector; an empty name is a missing one.
    everything = selects_all(text) and (bool(bare) or guard == "selector")
    everything |= guard == "selector" and is_word_for_all(text)
    sign = re.escape(bare)
    as_sign = re.compile(_AS_SIGN % (sign, sign), re.MULTILINE) if bare else None
    is_name = any(map(str.isalnum, bare)) and not selects_all(text)
    for text_of_user in user_texts(session):
        # A user who asks for everything does not mean the root of the disk.
        if everything and not _is_root(bare) and states_all(text_of_user):
            return True
        if is_name and occurs_in(bare, text_of_user):
            return True
        if as_sign is not None and as_sign.search(text_of_user):
            return True
    return names_place(bare, session)


def _is_root(text: str) -> bool:
    """Return whether a value is a folder that is written with signs: ``/``, ``..``, ``~``."""
    return text != "" and not set(text) - set("/\\.~")


def names_place(text: str, session: Session) -> bool:
    """Return whether the user names a folder that is written with signs: ``~``, ``.``."""
    patterns = [name for signs, name in _PLACES if signs.fullmatch(text)]
    return any(
        name.search(clause) and not _NEGATED.search(clause)
        for name in patterns
        for text_of_user in user_texts(session)
        for clause in _CLAUSE.split(text_of_user)
    )


def is_mentioned_pattern(text: str, session: Session) -> bool:
    """Return whether the run has this pattern verbatim, or the user asked for everything."""
    # The caller judges patterns that select everything.
    if "*" not in text or selects_all(text):
        return False
    if occurs_verbatim(text, session):
        return True
    return any(map(states_all, user_texts(session))) and _has_only_mentioned_words(text, session)


def is_within_stated_places(text: str, session: Session) -> bool:
    """
    Return whether the user's words limit what a pattern selects.

    The pattern is either in a folder that the user named, ``/srv/data/*``, or has only mentioned
    words while the user uses a plural: ``*.tmp`` for "the tmp files", ``*.jpg`` for "the jpgs".
    """
    if "*" not in text or selects_all(text):
        return False
    folder, _, last = text.strip().strip("\"'`").replace("\\", "/").rpartition("/")
    has_folder_name = any(map(str.isalnum, folder)) and "*" not in folder
    parts = words(normal(last[:_MAX_PATTERN_LENGTH]))
    plurals = re.compile(rf"\b(?:{'|'.join(map(re.escape, parts))})s\b", re.I) if parts else None
    for text_of_user in user_texts(session):
        # The user may have written the folder with a slash at its end.
        if has_folder_name and occurs_in(
            folder, text_of_user.replace("\\", "/").replace("/ ", " ")
        ):
            return True
        several = _PLURALS.search(text_of_user) or (
            plurals is not None and plurals.search(text_of_user)
        )
        if several and _has_only_mentioned_words(text, session):
            return True
    return False


def _has_only_mentioned_words(text: str, session: Session) -> bool:
    return all(
        mentions_of(session).origin(word, apart=True) is not None
        for word in words(normal(text[:_MAX_PATTERN_LENGTH]))
    )


def mentions_enclosing_folder(session: Session) -> bool:
    """Return whether the user refers to the folder that contains something."""
    return any(map(_ENCLOSING_FOLDER.search, user_texts(session)))
