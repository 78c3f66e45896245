"""The operator's kill switch: it can stop enforcement, never start it."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from time import monotonic

from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown

MODE = "ABS_SHIELD_MODE"
MODE_FILE = "ABS_SHIELD_MODE_FILE"
# a read for each call would slow all of them; an operator waits this long at most
_POLL_INTERVAL_S = 0.5
_LONGEST = 64  # one word; a wrong path may lead to a log of gigabytes

logger = logging.getLogger("abs_shield")


class KillSwitch:
    """
    Reads ``ABS_SHIELD_MODE`` once, and the file of ``ABS_SHIELD_MODE_FILE`` twice a second.

    The word ``audit`` stops enforcement. ``strict``, an empty file or no file
    leave every policy its own mode. Anything else is an error at start; afterwards it is
    reported once and ignored.
    """

    def __init__(self) -> None:
        self._always = _disables_enforcement(os.environ.get(MODE, ""), MODE)
        name = os.environ.get(MODE_FILE, "")
        self._file = Path(name) if name else None
        # At the start a wrong word raises: the operator must not believe in a switch that does
        # nothing.
        self._opened = _disables_enforcement(_read(self._file), MODE_FILE) if self._file else False
        self._next = monotonic() + _POLL_INTERVAL_S
        self._reported = ""

    def opened(self) -> bool:
        """Return whether the operator has stopped enforcement."""
        if self._file is not None and monotonic() >= self._next:
            self._reload(self._file)
        return self._always or self._opened

    def _reload(self, file: Path) -> None:
        self._next = monotonic() + _POLL_INTERVAL_S
        try:
            self._opened = _disables_enforcement(_read(file), MODE_FILE)
            self._reported = ""
        # Later, the last valid word holds: a half-written file may not end a running program.
        except PolicyError as error:
            if str(error) != self._reported:
                logger.error("%s; ignored", error)
            self._reported = str(error)


def _read(file: Path) -> str:
    try:
        # `replace`, so that any bytes become a word that is reported.
        with file.open(encoding="utf-8", errors="replace") as text:
            return text.read(_LONGEST)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise PolicyError(f"cannot read the file of `{MODE_FILE}`: {error.strerror}") from None


def _disables_enforcement(word: str, source: str) -> bool:
    word = word.strip().lower()
    if word in ("", "strict"):
        return False
    if word == "audit":
        return True
    raise PolicyError(f"`{source}` is {shown(word)}; use `audit`, or leave it out")
