"""What a user of the command line can get wrong beside a policy."""

from __future__ import annotations


class BadInput(Exception):
    """Something given to a command cannot be used; one line that says what and what instead."""
