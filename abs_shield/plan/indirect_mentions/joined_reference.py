"""The user gave both parts of one reference, and stated that they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.core.events import MessageText
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.text.normal import normal

_OBJECT = re.compile(r"(?:s3|gs|gcs)://([^/\s]{1,63})/(\S{1,256})")
_ISSUE = re.compile(r"([\w.-]{1,64}/[\w.-]{1,64})[#!](\d{1,9})")
_REPOSITORY = re.compile(r"(?<![\w./-])[\w.-]{1,64}/[\w-](?:[\w.-]{0,63}[\w-])?")
_MAX_CHARACTERS = 256 * 1024
"""Characters of the user's messages that are searched, the newest first."""
_OF = r"(?:of|in|on|from|at|for|out of)"
_THE = r"(?:the |our |my |your |its )?"
_Q = "[\"'`\u2018\u2019\u201c\u201d]?"
_ENDS = r"(?![\w/-]|\.\w)"
_BEGINS = r"(?<![\w./-])"
_KEY = r"(?:key|object|file|path)(?: is| named| called)?:? "
_BUCKET = r"bucket(?: is| named| called)?:? "
_NUMBERED = (
    r"(?:issue|pull request|pull|pr|merge request|mr|ticket|discussion|bug)"
    r"(?: number| no\.?)? ?[#!]?"
)


def joined_reference(argument: Argument, session: Session) -> bool:
    """
    Return whether a user gave both parts of a reference as one thing.

    ``s3://logs/a.gz`` for "a.gz from the bucket logs", ``octo/hello#17`` for "issue 17 of
    octo/hello", or for "issue 17" if that is the only repository in the users' texts.
    """
    text = normal(argument.text).strip()
    if match := _OBJECT.fullmatch(text):
        pairs = _object_patterns(*map(re.escape, match.groups()))
        return any(
            re.search(pair, user_text) for user_text in _user_texts(session) for pair in pairs
        )
    if match := _ISSUE.fullmatch(text):
        texts = [*_user_texts(session)]
        pairs = _issue_patterns(*map(re.escape, match.groups()))
        if any(re.search(pair, user_text) for user_text in texts for pair in pairs):
            return True
        repositories = {
            repository
            for user_text in texts
            for repository in _REPOSITORY.findall(user_text)
            if not _is_date(repository)
        }
        number = rf"\b{_NUMBERED}{match[2]}(?!\w|\.\d)"
        return repositories == {match[1]} and any(
            re.search(number, user_text) for user_text in texts
        )
    return False


def _object_patterns(bucket: str, key: str) -> Iterator[str]:
    """Yield patterns of texts that put an object into a bucket."""
    bucket, key = f"{_Q}{bucket}{_Q}{_ENDS}", f"{_Q}{key}{_Q}{_ENDS}"
    store = rf"{_THE}(?:s3 |gcs )?"
    yield rf"{_BEGINS}{key} {_OF} {store}{_BUCKET}{bucket}"
    yield rf"{_BEGINS}{key} {_OF} {store}{bucket} bucket\b"
    yield rf"\b{_KEY}{key}[,;]?(?: and| of| in)? {store}{_BUCKET}{bucket}"
    # "from bucket a and key x of bucket b": the key belongs to what follows it
    yield rf"\b{_BUCKET}{bucket}[,;]?(?: and| with)? {_THE}{_KEY}{key}(?! {_OF}\b)"


def _issue_patterns(repository: str, number: str) -> Iterator[str]:
    """Yield patterns of texts that put an issue into a repository."""
    repository, number = f"{_Q}{repository}{_Q}{_ENDS}", rf"{number}(?!\w|\.\d)"
    kind = r"(?:repo(?:sitory)? |project )?"
    yield rf"\b{_NUMBERED}{number} {_OF} {_THE}{kind}{repository}"
    yield rf"(?<!\w)[#!]{number} {_OF} {_THE}{kind}{repository}"
    yield rf"{_BEGINS}{repository}(?:['\u2019]s)?[,:]? {_NUMBERED}{number}(?! {_OF}\b)"


def _is_date(text: str) -> bool:
    """Return whether a word with a slash has no letter: ``12/05``."""
    return not any(map(str.isalpha, text))


def _user_texts(session: Session) -> Iterator[str]:
    """Yield the texts of users and the host in this run, and in those that started it."""
    remaining, run = _MAX_CHARACTERS, session
    while True:
        for entry in reversed([*run.entries()]):
            event = entry.event
            if remaining > 0 and isinstance(event, MessageText) and event.role != "assistant":
                yield normal(event.text[:remaining])
                remaining -= len(event.text)
        if run.parent is None:
            return
        run = run.parent
