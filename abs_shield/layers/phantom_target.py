"""Layer 2: the target was never mentioned in the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.entity_kinds import (
    is_also_other_kind,
    is_credential_from_person,
    is_credential_in_results,
    is_other_kind,
    matches_field_values,
)
from abs_shield.plan.guarded_values import find_doubts, incomparable_message
from abs_shield.plan.judged_arguments import MOST_JUDGED, Argument, UnmentionedLeaf
from abs_shield.plan.layer import NO_SESSION, Check, Layer
from abs_shield.plan.other_languages import explain_other_language, has_identifier_characters
from abs_shield.plan.sibling_entities import Siblings
from abs_shield.plan.target_findings import (
    describe_other_kind,
    strength_class,
    target_finding,
    unmentioned_credential,
    unmentioned_finding,
)
from abs_shield.plan.target_mentions import (
    allows_separate_words,
    find_origin,
    is_echo,
    may_be_partial,
    needs_no_mention,
    requires_whole_name,
    was_created,
    was_set_earlier,
)
from abs_shield.plan.user_values import replaces_user_value
from abs_shield.plan.write_history import WriteHistory
from abs_shield.session import Origin, Session
from abs_shield.session.session_record import SessionRecord, mentions_of, record_of
from abs_shield.session.verbatim import occurs_in_earlier_replies
from abs_shield.session.word_lookup import LONGEST_VALUE
from abs_shield.text.json_leaves import leaves, name_of
from abs_shield.text.normal_form import is_latin, normal
from abs_shield.text.safe_display import escaped, shown
from abs_shield.text.verbs import VerbEffect
from abs_shield.text.wildcards import has_hidden_characters, is_whole_set

LayerResult = Finding | Unavailable | Failed
_MAX_FINDINGS = 50
"""Maximum number of findings of one call; more add no information."""
_MAX_FOREIGN = 1_000
"""Maximum number of non-Latin values of one call that are judged; each needs a search."""


def phantom_target(proposal: Proposal, session: Session) -> Iterable[LayerResult]:
    """The agent refunds ``tx_99999`` but the user only asked about ``tx_12345``."""
    record = record_of(session)
    if record.ephemeral:
        return (Unavailable("no session"),)
    mentions = record.mentions
    if not mentions.has_task:
        return (Unavailable(_NO_TASK.reason),)
    tool = proposal.tool
    if tool is None:
        return ()
    guarded_findings = [*islice(_check_guarded(tool, proposal, session), _MAX_FINDINGS)]
    # Unlabelled user values are not used: it is unknown for which parameter they are meant.
    unmentioned = tool.targets.find_unmentioned(
        proposal.arguments, mentions.vouches, max_user_values=mentions.has_labels * _MAX_FINDINGS
    )
    if not unmentioned and proposal.plain:
        return guarded_findings
    # One finding per place: that of a guarded value is graver.
    located = {result.where for result in guarded_findings if isinstance(result, Finding)}
    others = _check_unmentioned(unmentioned, tool, proposal, session)
    if located:
        others = (finding for finding in others if getattr(finding, "where", "") not in located)
    return chain(guarded_findings, others)


_LOST_TARGET = (
    "`%s` is declared as a target, but is not a parameter of the tool as offered to the model"
)
_FORGOT = "older text of this run was dropped to stay within its limits"
_NO_TASK = Coverage(Outcome.UNAVAILABLE, "no user or system message")


def prepare_phantom_target(
    plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]
) -> Check | None:
    """Prepare a check that returns RAN if the run contains every target verbatim."""
    if plan.lost_targets:
        return None
    mentions_all = plan.targets.prepare_mention_check(names, terms.kinds)
    if mentions_all is None:
        return None

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return NO_SESSION
        if not record.mentions.has_task:
            return _NO_TASK
        return RAN if mentions_all(arguments, record) else None

    return check


def _check_guarded(tool: ToolPlan, proposal: Proposal, session: Session) -> Iterator[LayerResult]:
    """Yield findings about the values of guarded parameters."""
    yield from (Unavailable(_LOST_TARGET % escaped(name)) for name in tool.lost_targets)
    for doubt in find_doubts(tool.targets, proposal.arguments, session):
        if doubt.code:
            argument = Argument(path=doubt.path, text=doubt.text, judged="hard", must_be_seen=True)
            yield target_finding(argument, tool, "declared", doubt.detail, code=doubt.code)
        else:
            yield Unavailable(doubt.detail)


def _check_unmentioned(
    unmentioned: Iterable[UnmentionedLeaf], tool: ToolPlan, proposal: Proposal, session: Session
) -> Iterator[LayerResult]:
    skipped: list[Argument] = []
    arguments = [*tool.targets.classify_leaves(unmentioned, proposal.arguments)]
    conclusive = (one for one in arguments if _is_conclusive(one, tool, session))
    few = _limit_foreign_scripts(conclusive, skipped)
    results = (_judge(one, tool, proposal, session) for one in few)
    yield from islice(_drop_repeated_reasons(results), _MAX_FINDINGS)
    if skipped:
        yield Unavailable(f"more than {_MAX_FOREIGN:,} values in another script in one call")
    yield from islice(_report_free_text(unmentioned, tool, session), _MAX_FINDINGS)
    yield from islice(
        _report_uncomparable_credentials(arguments, tool, proposal, session), _MAX_FINDINGS
    )
    if not proposal.plain:
        for name in dict.fromkeys(
            islice(tool.targets.find_incomparable_targets(proposal.arguments), _MAX_FINDINGS)
        ):
            yield Unavailable(incomparable_message(name))
    # Checks whether there is any value beyond those that are judged.
    if not proposal.plain and next(
        islice(leaves(proposal.arguments, most=MOST_JUDGED + 1), MOST_JUDGED, None), None
    ):
        too_many = f"more than {MOST_JUDGED:,} values in one call"
        # A model can reach this limit on purpose, so it must not loosen the author's declarations.
        strict = tool.targets.parameters.has_strict_targets
        yield Failed(too_many) if strict else Unavailable(too_many)


def _drop_repeated_reasons(results: Iterable[LayerResult | None]) -> Iterator[LayerResult]:
    """Yield all findings, and each reason why a value could not be judged only once."""
    reasons: set[tuple[type, str]] = set()
    for one in results:
        if isinstance(one, Finding):
            yield one
        elif one is not None and (type(one), one[0]) not in reasons:
            reasons.add((type(one), one[0]))
            yield one


def _limit_foreign_scripts(
    arguments: Iterable[Argument], skipped: list[Argument]
) -> Iterator[Argument]:
    """
    Yield the arguments, but append non-Latin values beyond a limit to *skipped*.

    An unmentioned value in another script yields no finding by itself; other values do.
    """
    foreign = 0
    for argument in arguments:
        conclusive = (
            argument.must_be_seen
            or argument.placeholder
            or has_identifier_characters(argument.text)
        )
        foreign += not conclusive
        if conclusive or foreign <= _MAX_FOREIGN:
            yield argument
        else:
            skipped.append(argument)


def _report_free_text(
    unmentioned: Iterable[UnmentionedLeaf], tool: ToolPlan, session: Session
) -> Iterator[Unavailable]:
    """Report free text in an identifier's parameter, which may hide an unmentioned identifier."""
    for path, _, text, parameter in unmentioned:
        if not tool.targets.is_free_text(text, parameter) or text in parameter.defaults:
            continue
        if (
            mentions_of(session).origin(
                text, apart=allows_separate_words(text), field=parameter.field
            )
            is None
        ):
            yield Unavailable(f"a value of `{escaped(name_of(path))}` is free text")


def _report_uncomparable_credentials(
    arguments: Iterable[Argument], tool: ToolPlan, proposal: Proposal, session: Session
) -> Iterator[Unavailable]:
    """Yield a reason for each credential that has no other one in the run to compare with."""
    for argument in arguments:
        presented = argument.judged == "credential" and tool.targets.is_presented_credential(
            argument.path
        )
        if not presented or argument.placeholder or _is_conclusive(argument, tool, session):
            continue
        origin = find_origin(argument, tool, session) or was_set_earlier(
            argument.text, proposal, session
        )
        if not origin:
            yield Unavailable(f"no `{escaped(name_of(argument.path))}` was given in this run")


def _is_conclusive(argument: Argument, tool: ToolPlan, session: Session) -> bool:
    """Return whether a missing mention of this argument is evidence in this run."""
    # For a parameter with an uninformative name, a miss is evidence only beside similar values.
    if argument.judged == "slot":
        return matches_field_values(argument, session)
    if argument.judged == "user_value":
        return replaces_user_value(argument, session)
    if argument.judged == "credential" and not argument.placeholder:
        # A call that changes a password presents the old one and invents the new one.
        presented = tool.targets.is_presented_credential(argument.path)
        from_user = (
            presented or tool.action.does is VerbEffect.MAKE
        ) and is_credential_from_person(argument, session)
        return from_user or (presented and is_credential_in_results(argument, session))
    if argument.must_be_seen:
        # Wildcards, and values that are too long to compare, are findings of their own.
        text = argument.text
        return not (len(text) > LONGEST_VALUE or has_hidden_characters(text) or is_whole_set(text))
    # A value for a whole set is reported by the guard, or is an allowed selection.
    if tool.targets.parameters.at(argument.path).guard == "target" and is_whole_set(argument.text):
        return False
    if argument.judged == "hard" or argument.placeholder:
        return True
    # Other languages inflect names, and other scripts transcribe them.
    if not (mentions_of(session).in_english and is_latin(normal(argument.text))):
        return False
    if argument.judged != "public":
        return True
    from abs_shield.plan.partial_names import shares_part_with_another_name  # slow to import

    return shares_part_with_another_name(argument, session)


def _judge(
    argument: Argument, tool: ToolPlan, proposal: Proposal, session: Session
) -> LayerResult | None:
    # The order matters: mentioned values, then values that need no mention, then undecidable ones;
    # only the rest is a finding.
    origin = find_origin(argument, tool, session)
    if origin is not None and argument.must_be_seen:
        verbatim = proposal.verbatim(session).occurs(argument.text)
        if verbatim is None:  # the index has the value, but maybe with other quotes and spaces
            return (Unavailable if origin.how == "exact" else Failed)(_FORGOT)
        origin = origin if verbatim else None
    elif origin is not None and may_be_partial(argument, origin, tool):
        strict = requires_whole_name(argument, tool)
        whole = proposal.verbatim(session).whole(argument.text, strict=strict)
        if whole is None:
            return Unavailable(_FORGOT)
        origin = origin if whole else None
    if origin is not None and not is_echo(argument, origin, proposal, session):
        return _judge_kind(argument, origin, tool, proposal, session)
    # Before the reasons why a miss proves nothing, which do not apply to created values.
    history = WriteHistory.of(record_of(session), proposal.terms.plans, owner=proposal.terms.owner)
    siblings = Siblings.of(proposal, session)
    if was_created(argument.text, history, siblings):
        return None
    if needs_no_mention(argument, tool, proposal, session):
        return None
    unread = history.incomplete_reason or siblings.incomplete_reason
    if undecided := _explain_undecided(argument, session, unread, failed=history.has_failed):
        return undecided
    if occurs_in_earlier_replies(argument.text, session):
        return Unavailable(
            "the agent mentioned a value before this session recorded the conversation"
        )
    return _judge_unmentioned(argument, tool, session)


def _judge_kind(
    argument: Argument, origin: Origin, tool: ToolPlan, proposal: Proposal, session: Session
) -> Finding | None:
    """Return a finding about a mentioned value that names another kind of thing."""
    called = mentions_of(session).labels(argument.text)
    is_judged = tool.targets.is_judged_by_name
    in_other_parameter = is_also_other_kind(
        argument, proposal.places(argument.text), is_judged, called=called
    )
    is_other = in_other_parameter or (
        # Content that only the model can see may show the kind of the value.
        not mentions_of(session).unknown_reason
        and is_other_kind(argument, origin, tool.action.noun, kinds=proposal.kinds, session=session)
    )
    if not is_other:
        return None
    detail = describe_other_kind(argument, origin, session, in_other_parameter=in_other_parameter)
    return target_finding(argument, tool, "other_kind", detail, code="other_kind")


def _judge_unmentioned(argument: Argument, tool: ToolPlan, session: Session) -> LayerResult | None:
    """Return a finding about a value that the run does not mention, or why there is none."""
    if argument.placeholder:
        detail = f"{shown(argument.text)} is a placeholder, not a value"
        basis = strength_class(argument, "placeholder")
        return target_finding(argument, tool, basis, detail, code="placeholder")
    if argument.judged in ("soft", "public"):
        return unmentioned_finding(argument, tool, "soft_name", session)
    if argument.judged == "credential":
        return unmentioned_credential(argument, tool, session)
    if not argument.must_be_seen:
        declared = tool.targets.parameters.at(argument.path).declared
        if reason := explain_other_language(argument, session, declared=declared):
            return Unavailable(reason)
        if not has_identifier_characters(argument.text):
            return None
    return unmentioned_finding(argument, tool, strength_class(argument, "hard_id"), session)


def _explain_undecided(
    argument: Argument, session: Session, unread: str, *, failed: bool
) -> Unavailable | Failed | None:
    """
    Return why a missing mention of this argument proves nothing; None if it does.

    A model must not disable an author's declaration by reaching a limit: if a value must be seen
    and cannot be searched for, the result is an error, and the policy decides.

    Args:
        argument: The argument.
        session: The run.
        unread: Why calls of the run or of the turn are not stored; empty if all are.
        failed: Whether a call could not be read because of an error, which is an error here, too.
    """
    mentions = mentions_of(session)
    forgotten = mentions.incomplete_reason or unread
    if forgotten and (argument.must_be_seen or failed):
        return Failed(forgotten)
    reason = mentions.unknown_reason or forgotten
    return Unavailable(reason) if reason else None


LAYER = Layer("phantom_target", phantom_target, prepare_phantom_target)
