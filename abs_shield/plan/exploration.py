"""Unmentioned paths and URLs that an agent may explore."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.parameter_names import is_path
from abs_shield.plan.proposal import Proposal
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.json_leaves import name_of
from abs_shield.text.normal_form import normal
from abs_shield.text.path_steps import is_conventional, is_misspelt_path, is_revision
from abs_shield.text.public_names import is_popular_site
from abs_shield.text.value_shapes import is_url

# A number of five digits or more is an id, also in the address of a well-known site.
_NUMBER = re.compile(r"\d{5,}")


def is_exploration(
    argument: Argument, tool: ToolPlan, proposal: Proposal, session: Session
) -> bool:
    """
    Return whether the value is a plain path below a mentioned one, or a conventional location.

    To read there is harmless. A call may write there only if a reading call introduced the path.
    """
    text = argument.text
    if is_revision(text) or (is_conventional(text) and is_path(name_of(argument.path))):
        return True
    if not tool.writes and _is_public(text, session):
        return True
    mentions = mentions_of(session)
    if "/" not in text or not mentions.extends_mentioned_path(text):
        return False
    first = mentions.find_introduction(text)
    introducing = proposal.plan(first.tool) if first is not None else None
    # A write below a path that no call has read is not exploration.
    if tool.writes and (introducing is None or introducing.writes):
        return False
    near = (
        chunk
        for chunk in mentions.find_similar(text)
        if is_misspelt_path(normal(text).strip("/"), chunk)
    )
    # A misspelt step of a mentioned path looks like a new step below its parent.
    return next(near, None) is None


def _is_public(text: str, session: Session) -> bool:
    """Return whether *text* is a URL of a well-known site without an unmentioned number."""
    return (
        is_url(text)
        and is_popular_site(text)
        and all(map(mentions_of(session).origin, _NUMBER.findall(text)))
    )
