"""Missing optional dependencies: which extra installs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def requires_extra(extra: str) -> Iterator[None]:
    """
    Name the extra if a module that is imported in this context is not installed.

    Args:
        extra: The extra of this package that installs the modules.

    Raises:
        ModuleNotFoundError: A module is not installed; the message contains the command.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        # a missing module of this package is an error of its installation, which must be seen
        if error.name is None or error.name.partition(".")[0] == "abs_shield":
            raise
        raise ModuleNotFoundError(
            f'this needs `{error.name}`; run `pip install "abs-shield[{extra}]"`', name=error.name
        ) from None
