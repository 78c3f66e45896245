"""The old place of names of `abs_shield.text.safe_display`."""

from __future__ import annotations

from typing import Any
from warnings import warn

from abs_shield.text import safe_display

# `core.module_names` has this for other packages; `text` is below `core` and cannot import it.


def __getattr__(name: str) -> Any:
    if name.startswith("__") or not hasattr(safe_display, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn(
        f"`{__name__}` is now `{safe_display.__name__}`; the old name goes with the next release",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(safe_display, name)
