"""The user dictated a code: ``JD0077`` as "J for Juliet, D, double zero, seven seven"."""

from __future__ import annotations

from abs_shield.plan.indirect_mentions.dictated_address import texts_of_people
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.text.dictated_codes import is_dictated


def dictated_code(argument: Argument, session: Session) -> bool:
    """Return whether a person spelt the value letter by letter, with words for some of it."""
    return is_dictated(argument.text, texts_of_people(session))
