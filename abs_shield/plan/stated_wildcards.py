"""What the user's own words say of a value that means many things: that it is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.core.events import Said
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.verbatim import stands_in, stands_verbatim
from abs_shield.text.normal import normal, words
from abs_shield.text.wildcards import selects_all, states_all

_LONGEST = 8_192
"""Characters of a message in which the user may have said what is meant."""
_LONGEST_PATTERN = 256
_ALONE = r"""(?:(?<=["'`])%s(?=["'`])|(?<=\S[ ])%s(?=[.,;!?]?\s*\Z|[.,;!?]\s))"""
"""How a sign is said: in quotes, or at the end of a sentence; at a line's start it is a bullet."""
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
        re.compile(
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
"""Places that are written with signs alone, and how people call them."""
_FOLDER_OF = re.compile(
    r"\b(?:parent|enclosing)\b|\b(?:folder|directory|dir)\b.{0,20}\b(?:of|with|contain\w*|around)\b"
    r"|\b(?:its|their|whose) (?:folder|directory)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:files|folders|directories|contents|images|photos|pictures)\b")


def user_texts(session: Session) -> Iterator[str]:
    """Yield what the users of a run and of those that started it wrote, cut."""
    here: Session | None = session
    while here is not None:
        for entry in here.entries():
            if isinstance(entry.event, Said) and entry.event.role == "user":
                yield entry.event.text[:_LONGEST]
        here = here.parent


def is_stated_by_user(text: str, guard: str, session: Session) -> bool:
    """Return whether the user's own words are the value, or say that all is meant."""
    bare = text.strip().strip("\"'`")
    everything = selects_all(text) and (bool(bare) or guard == "selector")
    sign = re.escape(bare)
    alone = re.compile(_ALONE % (sign, sign), re.MULTILINE) if bare else None
    named = any(map(str.isalnum, bare)) and not selects_all(text)
    for said in user_texts(session):
        if everything and not _is_root(bare) and states_all(said):
            return True
        if named and stands_in(bare, said):
            return True
        if alone is not None and alone.search(said):
            return True
    return names_place(bare, session)


def _is_root(text: str) -> bool:
    """Whether a value leads to everything below a place: ``/``, ``..``, ``~``."""
    return text != "" and not set(text) - set("/\\.~")


def names_place(text: str, session: Session) -> bool:
    """Return whether the user has a name for a place that is written with signs: ``~``, ``.``."""
    called = [name for written, name in _PLACES if written.fullmatch(text)]
    return any(
        name.search(clause) and not _NEGATED.search(clause)
        for name in called
        for said in user_texts(session)
        for clause in _CLAUSE.split(said)
    )


def is_mentioned_pattern(text: str, session: Session) -> bool:
    """Return whether an id has a star in it as it stands, or all of something was meant."""
    if "*" not in text or selects_all(text):
        return False
    if stands_verbatim(text, session):
        return True
    return any(map(states_all, user_texts(session))) and _is_of_seen_words(text, session)


def is_within_stated_places(text: str, session: Session) -> bool:
    """
    Return whether a pattern leaves what the user spoke of: ``/srv/data/*`` for "clean /srv/data".

    It is in a folder that the user named, or made of said words where several things were meant:
    ``*.tmp`` for "the tmp files", ``*.jpg`` for "the jpgs".
    """
    if "*" not in text or selects_all(text):
        return False
    folder, _, last = text.strip().strip("\"'`").replace("\\", "/").rpartition("/")
    named = any(map(str.isalnum, folder)) and "*" not in folder
    parts = words(normal(last[:_LONGEST_PATTERN]))
    plurals = re.compile(rf"\b(?:{'|'.join(map(re.escape, parts))})s\b", re.I) if parts else None
    for said in user_texts(session):
        if named and stands_in(folder, said.replace("\\", "/").replace("/ ", " ")):
            return True
        several = _SEVERAL.search(said) or (plurals is not None and plurals.search(said))
        if several and _is_of_seen_words(text, session):
            return True
    return False


def _is_of_seen_words(text: str, session: Session) -> bool:
    return all(
        mentions_of(session).origin(word, apart=True) is not None
        for word in words(normal(text[:_LONGEST_PATTERN]))
    )


def mentions_enclosing_folder(session: Session) -> bool:
    """Return whether the user speaks of the folder that something is in."""
    return any(map(_FOLDER_OF.search, user_texts(session)))
