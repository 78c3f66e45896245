"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """A pattern that has the methods of the compiled one as soon as one of them is used."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # e.g. `copy` looks for methods that a pattern may not have
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        # Stored, so that the next access does not come here and is as fast as on the pattern.
        vars(self).update({one: getattr(compiled, one) for one in _NAMES})
        return getattr(compiled, name)


_NAMES = [name for name in dir(re.Pattern) if not name.startswith("__")]


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """
    Return a pattern that is compiled when it is first used.

    For patterns that take long to compile and that most processes do not need; an invalid one
    raises only then.

    Args:
        source: The regular expression.
        flags: Its flags, such as ``re.IGNORECASE``.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
