"""Opening a decision log by its address: a file, or a PostgreSQL database."""

from __future__ import annotations

import os
import re
from pathlib import Path

from abs_shield.errors import StoreError
from abs_shield.stores.durable_store import DurableStore
from abs_shield.text.safe_display import escaped

LOG = "ABS_SHIELD_LOG"
"""The environment variable with the address of the commands' decision log."""
KEY = "ABS_SHIELD_LOG_KEY"
"""The environment variable with the key that seals records."""
_SCHEMES = ("postgresql://", "postgres://")  # libpq accepts both
_SETTING = re.compile(r"\s*\w+\s*=")
_KEYWORD = re.compile(
    r"(?:^|\s)(host|hostaddr|port|dbname|user|password|service)\s*=", re.IGNORECASE
)
"""libpq keywords, as in ``host=db password=x``; write a file of that name as ``./host=db``."""


def default_log() -> str:
    """
    Return the default address of the log: ``ABS_SHIELD_LOG``, else a file of the user.

    The file is ``$XDG_STATE_HOME/abs_shield/decisions.db``, by default under ``~/.local/state``.
    """
    if address := os.environ.get(LOG):
        return address
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return str(Path(state) / "abs_shield" / "decisions.db")


def log_key() -> bytes | None:
    """Return the key from ``ABS_SHIELD_LOG_KEY``; None if it is not set."""
    return os.environ.get(KEY, "").encode() or None


def open_store(
    address: str | None = None, *, key: bytes | None = None, existing: bool = False
) -> DurableStore:
    """
    Open the decision log at an address.

    Args:
        address: A file's path, or ``postgresql://...``; None for the default log.
        key: Seals new records; see `SqliteStore`.
        existing: Whether the log must already exist; otherwise it is created.

    Raises:
        StoreError: It cannot be opened.
    """
    place = default_log() if address is None else address
    if place.lower().startswith(_SCHEMES):
        from abs_shield.stores.postgres_store import PostgresStore

        return PostgresStore(place, key=key, existing=existing)
    if _SETTING.match(place) and (keywords := _KEYWORD.findall(place)):
        # as a path, it would create a file whose name contains the password
        masked = " ".join(f"{word.lower()}=..." for word in dict.fromkeys(keywords))
        raise StoreError(
            f"`{masked}` is not a log address; use `postgresql://user@host:port/database`"
        )
    if "://" in place:
        scheme = escaped(place.partition("://")[0])  # the rest may contain a password
        raise StoreError(
            f"`{scheme}://...` is not a log address; use a file's path, or"
            " `postgresql://host/database`"
        )
    from abs_shield.stores.sqlite_store import SqliteStore

    if address is None and not existing:
        # only for the default: a missing folder in an address that was typed is a typing error
        Path(place).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return SqliteStore(place, key=key, existing=existing)
