"""Moments as the commands take them: a date, a time, or how long ago."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from abs_shield.cli.faults import BadInput
from abs_shield.text.show import escaped

_AGO = re.compile(r"(\d{1,6})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def moment(told: str, *, option: str) -> float:
    """
    Give seconds since the epoch for ``90d``, ``2026-11-01`` or ``2026-11-01T12:00:00Z``.

    A time without an offset is UTC.

    Raises:
        BadInput: It is none of these; the message names *option*.
    """
    if ago := _AGO.fullmatch(told.strip()):
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        read = datetime.fromisoformat(told.strip())
    except ValueError:
        raise BadInput(
            f"`{option}` is `{escaped(told)}`; give `90d`, `12h`, `2026-11-01`"
            " or `2026-11-01T12:00:00Z`"
        ) from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
