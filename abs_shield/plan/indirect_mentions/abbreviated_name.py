"""The user shortened words of a name: ``418 North Alder Avenue`` as "418 N. Alder Ave"."""

from __future__ import annotations

from abs_shield.plan.indirect_mentions.dictated_address import texts_of_people
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.text.abbreviated_names import is_abbreviated


def abbreviated_name(argument: Argument, session: Session) -> bool:
    """Return whether a person wrote the name with some of its words shortened."""
    return is_abbreviated(argument.text, texts_of_people(session))
