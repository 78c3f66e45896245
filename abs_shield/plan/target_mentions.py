"""Where the value of a target was mentioned, and when it needs no mention."""

from __future__ import annotations

import re

from abs_shield.plan.exploration import is_exploration
from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.proposal import Proposal
from abs_shield.plan.sibling_entities import Siblings
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.plan.write_history import WriteHistory
from abs_shield.session import Origin, Session
from abs_shield.session.original_spelling import occurs_as_written
from abs_shield.session.session_record import mentions_of
from abs_shield.session.verbatim import occurs_unechoed, occurs_verbatim
from abs_shield.session.whole_match import is_rooted, may_be_group
from abs_shield.session.word_lookup import LONGEST_VALUE
from abs_shield.text.normal_form import normal
from abs_shield.text.value_shapes import BRACKETS
from abs_shield.text.verbs import VerbEffect

# Names and paths are shorter, and normalising a longer text is slow.
_MAX_NAME_LENGTH = 256
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d]")


_SINGLE_TOKEN = re.compile(
    r"[@_/\\]|\w\.\w|\d{3}|\d[^\W\d]|[^\W\d]\d|(?i:[a-f]{8}(?:-[a-f]{4}){3}-[a-f]{12})"
)


def find_origin(argument: Argument, tool: ToolPlan, session: Session) -> Origin | None:
    """Return the origin of a value; names also match if their words occur apart."""
    if argument.placeholder and not _was_written_with_brackets(argument, session):
        return None
    # Values of this length are not indexed, so only the raw text is searched.
    if len(argument.text) > LONGEST_VALUE and not occurs_verbatim(argument.text, session):
        return None
    field = tool.targets.parameters.at(argument.path).field
    return mentions_of(session).origin(
        argument.text, apart=allows_separate_words(argument.text), field=field
    )


def _was_written_with_brackets(argument: Argument, session: Session) -> bool:
    """
    Return whether a bracketed value occurred with its brackets; a bare word may be a field name.
    """
    text = argument.text.strip()
    if text[:1] in BRACKETS or argument.judged == "blank":
        return occurs_as_written(text, session)
    return True


def allows_separate_words(text: str) -> bool:
    """
    Return whether the words of *text* may occur apart, unlike the parts of an identifier.

    A small number may be among them: ``iPhone 15 Pro``. A UUID without digits is not a name.
    """
    if any(map(str.isdigit, text)) and sum(map(str.isalpha, text.split())) < 2:
        # A number needs two words beside it: `item 7` is an identifier, `iPhone 15 Pro` a name.
        return False
    return _SINGLE_TOKEN.search(text) is None


def is_echo(argument: Argument, origin: Origin, proposal: Proposal, session: Session) -> bool:
    """
    Return whether a value occurs in the run only because a call of the agent introduced it.

    After a write, later results repeat the value: a sent mail is in the mailbox. That is an echo
    as well.
    """
    first = mentions_of(session).find_introduction(argument.text)
    if origin.source != "tool" or first is None:
        return False
    plan = proposal.plan(first.tool)
    if plan is None or not plan.writes:
        return False
    return plan.targets.is_judged_by_name(first.path) or plan.targets.is_free(first.path)


def may_be_partial(argument: Argument, origin: Origin, tool: ToolPlan) -> bool:
    """Return whether the run may contain only a longer value, which does not justify a write."""
    if tool.targets.parameters.at(argument.path).guard == "target":
        text = argument.text
        # The last digits of a card, or the end of a path, are part of many longer values.
        return origin.how != "exact" or may_be_group(text) or is_rooted(text)
    return tool.writes and is_rooted(argument.text)


def requires_whole_name(argument: Argument, tool: ToolPlan) -> bool:
    """Return whether a part of a longer name names something else; a code is unique by itself."""
    parameter = tool.targets.parameters.at(argument.path)
    return parameter.guard == "target" and (parameter.declared or not _is_code(argument.text))


def _is_code(text: str) -> bool:
    """Return whether a text is an e-mail address, or has a digit and a letter in one line."""
    # One pattern for both orders would take quadratic time.
    return "@" in text or any(
        _DIGIT.search(line) and _LETTER.search(line) for line in text.split("\n")
    )


def needs_no_mention(
    argument: Argument, tool: ToolPlan, proposal: Proposal, session: Session
) -> bool:
    """Return whether the value was set earlier, or the call only looks for it."""
    text = argument.text
    if len(text) > LONGEST_VALUE or not any(map(str.isalnum, text)):
        return occurs_unechoed(text, session)  # it is too long for the index
    if argument.judged == "credential" and was_set_earlier(argument.text, proposal, session):
        return True
    if argument.must_be_seen or argument.placeholder:
        return not argument.must_be_seen and is_exploration(argument, tool, proposal, session)
    if is_exploration(argument, tool, proposal, session):
        return True
    # Slow to import, and only needed for a value that the run does not contain.
    from abs_shield.plan.indirect_mentions import is_mentioned_indirectly

    deletes = tool.tool.destructive or tool.action.does is VerbEffect.UNMAKE
    return is_mentioned_indirectly(argument, session, writes=tool.writes, deletes=deletes)


def was_created(text: str, history: WriteHistory, siblings: Siblings) -> bool:
    """Return whether an earlier call of this run or turn created the thing of that name."""
    name = normal(text[:_MAX_NAME_LENGTH])
    created = history.created
    # A file that was created by its full path may be named by the end of that path.
    if name in created or ("/" in name and any(path.endswith(f"/{name}") for path in created)):
        return True
    return name in siblings.created


def was_set_earlier(text: str, proposal: Proposal, session: Session) -> bool:
    """Return whether an earlier call of the run set this credential, rather than presented it."""
    first = mentions_of(session).find_introduction(text)
    plan = proposal.plan(first.tool) if first is not None else None
    return (
        first is not None
        and plan is not None
        and not plan.targets.is_presented_credential(first.path)
    )
