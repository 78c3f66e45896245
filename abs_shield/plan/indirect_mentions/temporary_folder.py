"""The folder for temporary files has one name on most systems."""

from __future__ import annotations

import re

from abs_shield.core.events import MessageText
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session

_FOLDER = re.compile(r"\b(?:temp|tmp|temporary)[ -](?:dir|directory|folder)\b", re.IGNORECASE)
_OTHER_FOLDER = re.compile(r"[\w.~:$%][\\/]te?mp\b", re.IGNORECASE)
_MAX_TEXT_LENGTH = 64 * 1024  # a task with a pasted file; nobody names a folder beyond


def temporary_folder(argument: Argument, session: Session) -> bool:
    """Return whether ``/tmp`` is the "temp dir" of a user who named no other one."""
    if argument.text.strip().rstrip("/") != "/tmp":
        return False
    texts = [
        entry.event.text[:_MAX_TEXT_LENGTH]
        for entry in session.entries()
        if isinstance(entry.event, MessageText) and entry.event.role != "assistant"
    ]
    return any(map(_FOLDER.search, texts)) and not any(map(_OTHER_FOLDER.search, texts))
