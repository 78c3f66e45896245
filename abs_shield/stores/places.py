"""Which store an address names: a file, or a PostgreSQL database."""

from __future__ import annotations

import os
import re
from pathlib import Path

from abs_shield.errors import StoreError
from abs_shield.stores.durable import DurableStore
from abs_shield.text.show import escaped

LOG = "ABS_SHIELD_LOG"
"""The environment variable that names the decision log of the commands."""
KEY = "ABS_SHIELD_LOG_KEY"
"""The environment variable that holds the key under which records are sealed."""
_SCHEMES = ("postgresql://", "postgres://")
_SETTING = re.compile(r"\s*\w+\s*=")
_KEYWORD = re.compile(
    r"(?:^|\s)(host|hostaddr|port|dbname|user|password|service)\s*=", re.IGNORECASE
)
"""As libpq reads them in ``host=db password=x``; a file of such a name is ``./host=db``."""


def usual_log() -> str:
    """
    Give the address of the log where none is named: ``ABS_SHIELD_LOG``, else the user's own file.

    The file is ``$XDG_STATE_HOME/abs_shield/decisions.db``, by default under ``~/.local/state``.
    """
    if named := os.environ.get(LOG):
        return named
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return str(Path(state) / "abs_shield" / "decisions.db")


def log_key() -> bytes | None:
    """Give the key of ``ABS_SHIELD_LOG_KEY``; None where there is none."""
    return os.environ.get(KEY, "").encode() or None


def open_store(
    address: str | None = None, *, key: bytes | None = None, existing: bool = False
) -> DurableStore:
    """
    Open the decision log at an address.

    Args:
        address: A file's path, or ``postgresql://...``; the usual log where None.
        key: Seals new records; see `SqliteStore`.
        existing: Whether there has to be a log already; else it is made.

    Raises:
        StoreError: It cannot be opened.
    """
    place = usual_log() if address is None else address
    if place.lower().startswith(_SCHEMES):
        from abs_shield.stores.postgres import PostgresStore

        return PostgresStore(place, key=key, existing=existing)
    if _SETTING.match(place) and (keywords := _KEYWORD.findall(place)):
        # a file would be made whose name tells the password
        told = " ".join(f"{word.lower()}=..." for word in dict.fromkeys(keywords))
        raise StoreError(f"`{told}` is no log; give `postgresql://user@host:port/database`")
    if "://" in place:
        scheme = escaped(place.partition("://")[0])  # what stands behind it may hold a password
        raise StoreError(
            f"`{scheme}://...` is no log; give a file's path, or `postgresql://host/database`"
        )
    from abs_shield.stores.sqlite import SqliteStore

    if address is None and not existing:
        Path(place).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return SqliteStore(place, key=key, existing=existing)
