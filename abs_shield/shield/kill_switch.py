"""The operator's kill switch, which can only stop enforcement."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from time import monotonic

from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown

MODE = "ABS_SHIELD_MODE"
MODE_FILE = "ABS_SHIELD_MODE_FILE"
# the longest delay until the switch takes effect; a read for each call would be too slow
_POLL_INTERVAL_S = 0.5
_LONGEST = 64  # the file holds one word, but a wrong path may name a file of gigabytes

logger = logging.getLogger("abs_shield")


class KillSwitch:
    """
    Reads ``ABS_SHIELD_MODE`` once, and the file of ``ABS_SHIELD_MODE_FILE`` twice a second.

    The word ``audit`` stops enforcement. With ``strict``, an empty value or no file, every policy
    keeps its own mode.

    Raises:
        PolicyError: The value is another word. After the start, such a word in the file is logged
            once and ignored.
    """

    def __init__(self) -> None:
        self._stopped_by_mode = _means_audit(os.environ.get(MODE, ""), MODE)
        name = os.environ.get(MODE_FILE, "")
        self._file = Path(name) if name else None
        # A wrong word raises at the start, or the operator would rely on a switch that has no
        # effect.
        self._stopped_by_file = _means_audit(_read(self._file), MODE_FILE) if self._file else False
        self._next = monotonic() + _POLL_INTERVAL_S
        self._reported = ""

    def stops_enforcement(self) -> bool:
        """Return whether the operator has stopped enforcement."""
        if self._file is not None and monotonic() >= self._next:
            self._reload(self._file)
        return self._stopped_by_mode or self._stopped_by_file

    def _reload(self, file: Path) -> None:
        self._next = monotonic() + _POLL_INTERVAL_S
        try:
            self._stopped_by_file = _means_audit(_read(file), MODE_FILE)
            self._reported = ""
        # Afterwards the last valid word applies: a half-written file must not end the program.
        except PolicyError as error:
            if str(error) != self._reported:
                logger.error("%s; ignored", error)
            self._reported = str(error)


def _read(file: Path) -> str:
    try:
        # `replace`, so that invalid bytes become a word that is reported.
        with file.open(encoding="utf-8", errors="replace") as text:
            return text.read(_LONGEST)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise PolicyError(f"cannot read the file of `{MODE_FILE}`: {error.strerror}") from None


def _means_audit(word: str, source: str) -> bool:
    word = word.strip().lower()
    if word in ("", "strict"):
        return False
    if word == "audit":
        return True
    raise PolicyError(f"`{source}` is {shown(word)}; use `audit`, or leave it out")
