"""Layer 2: the target was never mentioned in the run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.entity_kinds import (
    is_also_other_kind,
    is_credential_from_person,
    is_credential_in_results,
    is_other_kind,
    matches_field_values,
)
from abs_shield.plan.exploration import is_exploration
from abs_shield.plan.guarded_values import find_doubts, incomparable_message
from abs_shield.plan.judged_arguments import MOST_JUDGED, Argument, UnmentionedLeaf
from abs_shield.plan.layer import NO_SESSION, Check, Layer
from abs_shield.plan.other_languages import explain_other_language, has_identifier_characters
from abs_shield.plan.sibling_entities import Siblings
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.user_values import replaces_user_value
from abs_shield.plan.write_history import WriteHistory
from abs_shield.session import Origin, Session
from abs_shield.session.original_spelling import occurs_as_written, original_spelling
from abs_shield.session.session_record import SessionRecord, mentions_of, record_of
from abs_shield.session.verbatim import occurs_in_earlier_replies, occurs_unechoed, occurs_verbatim
from abs_shield.session.whole_match import is_rooted, may_be_group
from abs_shield.session.word_lookup import LONGEST_VALUE
from abs_shield.text.json_leaves import leaves, name_of, pointer
from abs_shield.text.nearest import closest_spelling
from abs_shield.text.normal_form import is_latin, normal
from abs_shield.text.safe_display import escaped, shown
from abs_shield.text.value_shapes import BRACKETS
from abs_shield.text.verbs import VerbEffect
from abs_shield.text.wildcards import has_hidden_characters, is_whole_set

LayerResult = Finding | Unavailable | Failed
# Names and paths are shorter, and normalising a longer text is slow.
_MAX_NAME_LENGTH = 256
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
            yield _finding(argument, tool, "declared", doubt.code, doubt.detail)
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
                text, apart=_allows_separate_words(text), field=parameter.field
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
        origin = _find_origin(argument, tool, session) or _was_set_earlier(
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
    origin = _find_origin(argument, tool, session)
    if origin is not None and argument.must_be_seen:
        verbatim = proposal.verbatim(session).occurs(argument.text)
        if verbatim is None:  # the index has the value, but maybe with other quotes and spaces
            return (Unavailable if origin.how == "exact" else Failed)(_FORGOT)
        origin = origin if verbatim else None
    elif origin is not None and _may_be_partial(argument, origin, tool):
        strict = _requires_whole_name(argument, tool)
        whole = proposal.verbatim(session).whole(argument.text, strict=strict)
        if whole is None:
            return Unavailable(_FORGOT)
        origin = origin if whole else None
    if origin is not None and not _is_echo(argument, origin, proposal, session):
        return _judge_kind(argument, origin, tool, proposal, session)
    # Before the reasons why a miss proves nothing, which do not apply to created values.
    history = WriteHistory.of(record_of(session), proposal.terms.plans, owner=proposal.terms.owner)
    siblings = Siblings.of(proposal, session)
    if _was_created(argument.text, history, siblings):
        return None
    if _needs_no_mention(argument, tool, proposal, session):
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
    detail = _describe_other_kind(argument, origin, session, in_other_parameter=in_other_parameter)
    return _finding(argument, tool, "other_kind", "other_kind", detail)


def _judge_unmentioned(argument: Argument, tool: ToolPlan, session: Session) -> LayerResult | None:
    """Return a finding about a value that the run does not mention, or why there is none."""
    if argument.placeholder:
        detail = f"{shown(argument.text)} is a placeholder, not a value"
        return _finding(
            argument, tool, _strength_class(argument, "placeholder"), "placeholder", detail
        )
    if argument.judged in ("soft", "public"):
        return _unmentioned_finding(argument, tool, "soft_name", session)
    if argument.judged == "credential":
        return _unmentioned_credential(argument, tool, session)
    if not argument.must_be_seen:
        declared = tool.targets.parameters.at(argument.path).declared
        if reason := explain_other_language(argument, session, declared=declared):
            return Unavailable(reason)
        if not has_identifier_characters(argument.text):
            return None
    return _unmentioned_finding(argument, tool, _strength_class(argument, "hard_id"), session)


def _find_origin(argument: Argument, tool: ToolPlan, session: Session) -> Origin | None:
    """Return the origin of a value; names also match if their words occur apart."""
    if argument.placeholder and not _was_written_with_brackets(argument, session):
        return None
    # Values of this length are not indexed, so only the raw text is searched.
    if len(argument.text) > LONGEST_VALUE and not occurs_verbatim(argument.text, session):
        return None
    field = tool.targets.parameters.at(argument.path).field
    return mentions_of(session).origin(
        argument.text, apart=_allows_separate_words(argument.text), field=field
    )


def _was_written_with_brackets(argument: Argument, session: Session) -> bool:
    """
    Return whether a bracketed value occurred with its brackets; a bare word may be a field name.
    """
    text = argument.text.strip()
    if text[:1] in BRACKETS or argument.judged == "blank":
        return occurs_as_written(text, session)
    return True


_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d]")


_SINGLE_TOKEN = re.compile(
    r"[@_/\\]|\w\.\w|\d{3}|\d[^\W\d]|[^\W\d]\d|(?i:[a-f]{8}(?:-[a-f]{4}){3}-[a-f]{12})"
)


def _allows_separate_words(text: str) -> bool:
    """
    Return whether the words of *text* may occur apart, unlike the parts of an identifier.

    A small number may be among them: ``iPhone 15 Pro``. A UUID without digits is not a name.
    """
    if any(map(str.isdigit, text)) and sum(map(str.isalpha, text.split())) < 2:
        # A number needs two words beside it: `item 7` is an identifier, `iPhone 15 Pro` a name.
        return False
    return _SINGLE_TOKEN.search(text) is None


def _is_echo(argument: Argument, origin: Origin, proposal: Proposal, session: Session) -> bool:
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


def _may_be_partial(argument: Argument, origin: Origin, tool: ToolPlan) -> bool:
    """Return whether the run may contain only a longer value, which does not justify a write."""
    if tool.targets.parameters.at(argument.path).guard == "target":
        text = argument.text
        # The last digits of a card, or the end of a path, are part of many longer values.
        return origin.how != "exact" or may_be_group(text) or is_rooted(text)
    return tool.writes and is_rooted(argument.text)


def _requires_whole_name(argument: Argument, tool: ToolPlan) -> bool:
    """Return whether a part of a longer name names something else; a code is unique by itself."""
    parameter = tool.targets.parameters.at(argument.path)
    return parameter.guard == "target" and (parameter.declared or not _is_code(argument.text))


def _is_code(text: str) -> bool:
    """Return whether a text is an e-mail address, or has a digit and a letter in one line."""
    # One pattern for both orders would take quadratic time.
    return "@" in text or any(
        _DIGIT.search(line) and _LETTER.search(line) for line in text.split("\n")
    )


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


def _needs_no_mention(
    argument: Argument, tool: ToolPlan, proposal: Proposal, session: Session
) -> bool:
    """Return whether the value was set earlier, or the call only looks for it."""
    text = argument.text
    if len(text) > LONGEST_VALUE or not any(map(str.isalnum, text)):
        return occurs_unechoed(text, session)  # it is too long for the index
    if argument.judged == "credential" and _was_set_earlier(argument.text, proposal, session):
        return True
    if argument.must_be_seen or argument.placeholder:
        return not argument.must_be_seen and is_exploration(argument, tool, proposal, session)
    if is_exploration(argument, tool, proposal, session):
        return True
    # Slow to import, and only needed for a value that the run does not contain.
    from abs_shield.plan.indirect_mentions import is_mentioned_indirectly

    deletes = tool.tool.destructive or tool.action.does is VerbEffect.UNMAKE
    return is_mentioned_indirectly(argument, session, writes=tool.writes, deletes=deletes)


def _was_created(text: str, history: WriteHistory, siblings: Siblings) -> bool:
    """Return whether an earlier call of this run or turn created the thing of that name."""
    name = normal(text[:_MAX_NAME_LENGTH])
    created = history.created
    # A file that was created by its full path may be named by the end of that path.
    if name in created or ("/" in name and any(path.endswith(f"/{name}") for path in created)):
        return True
    return name in siblings.created


def _was_set_earlier(text: str, proposal: Proposal, session: Session) -> bool:
    """Return whether an earlier call of the run set this credential, rather than presented it."""
    first = mentions_of(session).find_introduction(text)
    plan = proposal.plan(first.tool) if first is not None else None
    return (
        first is not None
        and plan is not None
        and not plan.targets.is_presented_credential(first.path)
    )


def _unmentioned_credential(argument: Argument, tool: ToolPlan, session: Session) -> Finding:
    """Return a finding about an unmentioned credential; its texts contain no secret."""
    name = f"`{escaped(name_of(argument.path))}`"
    source = "a result returned" if is_credential_in_results(argument, session) else "a person gave"
    detail = f"this value of {name} was not mentioned in this run, but {source} another one"
    return _finding(
        argument._replace(text="***"), tool, _strength_class(argument, "hard_id"), "unseen", detail
    )


def _strength_class(argument: Argument, basis: str) -> str:
    """Return the strength class of a miss; a declared `must_be_seen` is certain."""
    return "declared" if argument.must_be_seen else basis


def _unmentioned_finding(
    argument: Argument, tool: ToolPlan, basis: str, session: Session
) -> Finding:
    detail = f"{shown(argument.text)} was not mentioned in this run"
    near = _nearest_value(argument.text, session)
    return _finding(argument, tool, basis, "unseen", detail, near=near, session=session)


def _nearest_value(text: str, session: Session) -> str:
    """Return the mentioned value that was probably meant: the nearest or the only similar one."""
    candidates = dict.fromkeys(mentions_of(session).find_similar(text))
    near = closest_spelling(normal(text), candidates) if candidates else ""
    # Only with a digit: a word that looks like a name may be any word.
    return near or (next(iter(candidates)) if len(candidates) == 1 and _DIGIT.search(text) else "")


def _describe_other_kind(
    argument: Argument, origin: Origin, session: Session, *, in_other_parameter: bool
) -> str:
    if in_other_parameter:
        return f"{shown(argument.text)} is also in another parameter of this call, as another kind"
    if origin.source == "user":
        called = ", ".join(
            f"`{escaped(word)}`" for word in sorted(mentions_of(session).labels(argument.text))
        )
        return f"the user labelled this value {called}, and another one as the requested thing"
    fields = ", ".join(f"`{escaped(field)}`" for field in origin.fields[:3])
    return f"this value was seen only as {fields} in {origin}"


def _finding(
    argument: Argument,
    tool: ToolPlan,
    basis: str,
    code: str,
    detail: str,
    *,
    near: str = "",
    session: Session | None = None,
) -> Finding:
    # HALLUCINATED needs both: a class that is nearly always right, and an author's declaration
    # that the call is destructive or the value must be seen.
    is_hallucinated = STRENGTHS[basis].hard and (tool.tool.destructive or argument.must_be_seen)
    origin = session.origin(near) if near and session is not None else None
    if origin is not None and session is not None:
        near = original_spelling(near, origin, session)
    hint = f"did you mean {shown(near)}, from {origin}?" if near else "ask the user, or look it up"
    return Finding(
        check="phantom_target",
        verdict=Verdict.HALLUCINATED if is_hallucinated else Verdict.SUSPICIOUS,
        strength=STRENGTHS[basis].strength,
        basis=basis,
        where="/arguments" + pointer(argument.path),
        detail=detail,
        code=code,
        hint=hint,
        got=shown(argument.text),
        expected="a value that the user, the system or a tool result mentioned",
        nearest=near,
    )


LAYER = Layer("phantom_target", phantom_target, prepare_phantom_target)
