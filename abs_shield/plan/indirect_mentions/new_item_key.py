"""The key of a new object in a list, which the call itself describes."""

from __future__ import annotations

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session


def new_item_key(argument: Argument, session: Session) -> bool:
    """Return whether the value only tells the new objects of one list apart."""
    return argument.is_list_key
