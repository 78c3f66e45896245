"""The user gave the parts of one reference, and said that they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.core.events import Said
from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.text.normal import normal

_OBJECT = re.compile(r"(?:s3|gs|gcs)://([^/\s]{1,63})/(\S{1,256})")
_ISSUE = re.compile(r"([\w.-]{1,64}/[\w.-]{1,64})[#!](\d{1,9})")
_REPOSITORY = re.compile(r"(?<![\w./-])[\w.-]{1,64}/[\w-](?:[\w.-]{0,63}[\w-])?")
_MOST = 256 * 1024
"""Characters of the user's messages that are read, the newest first."""
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
    Return whether a user gave both parts of a reference, as those of one thing.

    ``s3://logs/a.gz`` for "a.gz from the bucket logs", ``octo/hello#17`` for "issue 17 of
    octo/hello", or for "issue 17" where that is the only repository that anybody named.
    """
    text = normal(argument.text).strip()
    if found := _OBJECT.fullmatch(text):
        pairs = _objects(*map(re.escape, found.groups()))
        return any(re.search(pair, said) for said in _said(session) for pair in pairs)
    if found := _ISSUE.fullmatch(text):
        texts = [*_said(session)]
        pairs = _issues(*map(re.escape, found.groups()))
        if any(re.search(pair, said) for said in texts for pair in pairs):
            return True
        named = {one for said in texts for one in _REPOSITORY.findall(said) if not _is_date(one)}
        number = rf"\b{_NUMBERED}{found[2]}(?!\w|\.\d)"
        return named == {found[1]} and any(re.search(number, said) for said in texts)
    return False


def _objects(bucket: str, key: str) -> Iterator[str]:
    """Yield what says that a bucket has an object."""
    bucket, key = f"{_Q}{bucket}{_Q}{_ENDS}", f"{_Q}{key}{_Q}{_ENDS}"
    store = rf"{_THE}(?:s3 |gcs )?"
    yield rf"{_BEGINS}{key} {_OF} {store}{_BUCKET}{bucket}"
    yield rf"{_BEGINS}{key} {_OF} {store}{bucket} bucket\b"
    yield rf"\b{_KEY}{key}[,;]?(?: and| of| in)? {store}{_BUCKET}{bucket}"
    # "from bucket a and key x of bucket b": the key goes with what is behind it
    yield rf"\b{_BUCKET}{bucket}[,;]?(?: and| with)? {_THE}{_KEY}{key}(?! {_OF}\b)"


def _issues(repository: str, number: str) -> Iterator[str]:
    """Yield what says that a repository has an issue."""
    repository, number = f"{_Q}{repository}{_Q}{_ENDS}", rf"{number}(?!\w|\.\d)"
    kind = r"(?:repo(?:sitory)? |project )?"
    yield rf"\b{_NUMBERED}{number} {_OF} {_THE}{kind}{repository}"
    yield rf"(?<!\w)[#!]{number} {_OF} {_THE}{kind}{repository}"
    yield rf"{_BEGINS}{repository}(?:['\u2019]s)?[,:]? {_NUMBERED}{number}(?! {_OF}\b)"


def _is_date(text: str) -> bool:
    """Whether a word with a slash has no letter: ``12/05``."""
    return not any(map(str.isalpha, text))


def _said(session: Session) -> Iterator[str]:
    """Yield what users and the host wrote in this run, and in those that started it."""
    left, run = _MOST, session
    while True:
        for entry in reversed([*run.entries()]):
            event = entry.event
            if left > 0 and isinstance(event, Said) and event.role != "assistant":
                yield normal(event.text[:left])
                left -= len(event.text)
        if run.parent is None:
            return
        run = run.parent
