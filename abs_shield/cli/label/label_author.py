"""The operator who labels decisions."""

from __future__ import annotations

import getpass
from time import time
from typing import Annotated, NamedTuple

import typer

from abs_shield.core.label import Label, Truth

AuthorName = Annotated[
    str | None, typer.Option(metavar="NAME", help="The author; default: your user name.")
]

_LONGEST = 1_000  # a note is a few sentences; it is stored with each label


class LabelAuthor(NamedTuple):
    """
    An operator.

    Attributes:
        name: Their name; empty where none is known.
        note: Why they decide so, in one line.
    """

    name: str
    note: str = ""

    def label(self, decision_id: str, truth: Truth) -> Label:
        """Return the label that they give to a decision now."""
        return Label(
            decision_id=decision_id,
            truth=truth,
            at=time(),
            by=self.name[:_LONGEST],
            note=self.note[:_LONGEST],
        )


def user_name(by: str | None) -> str:
    """Return the operator's name: *by*, else the user's name, else an empty text."""
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""
