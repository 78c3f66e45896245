"""Layer 2: the target was never mentioned in the run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.plan import Proposal, Terms, ToolPlan
from abs_shield.plan.explored import explores
from abs_shield.plan.given import is_given_otherwise
from abs_shield.plan.guarded import doubts, not_comparable
from abs_shield.plan.half_said import is_half_said
from abs_shield.plan.history import History
from abs_shield.plan.kinship import alien, fills_a_slot, is_given, is_issued, stands_twice
from abs_shield.plan.layer import NO_SESSION, Check
from abs_shield.plan.readings import is_read
from abs_shield.plan.siblings import Siblings
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.targets import MOST_JUDGED, Argument, Unclear
from abs_shield.plan.unread import identifies, unread
from abs_shield.session import Origin, Session
from abs_shield.session.original_spelling import is_told, spelling
from abs_shield.session.session_record import SessionRecord, mentions_of, record_of
from abs_shield.session.value_lookup import LONGEST_VALUE
from abs_shield.session.verbatim import stands_unechoed, stands_verbatim, was_said_before
from abs_shield.session.whole_match import is_rooted, may_be_group
from abs_shield.text.leaves import leaves, name_of, pointer
from abs_shield.text.nearest import closest
from abs_shield.text.normal import latin, normal
from abs_shield.text.shape import BRACKETS
from abs_shield.text.show import escaped, shown
from abs_shield.text.verbs import Does
from abs_shield.text.wildcards import has_hidden_characters, is_whole_set

Yielded = Finding | Unavailable | Failed
_LONGEST = 256
_MOST = 50
"""Findings of one call; more of them say no more."""
_MOST_FOREIGN = 1_000
"""Values of one call in another script than Latin that are looked at closely."""


def phantom_target(proposal: Proposal, session: Session) -> Iterable[Yielded]:
    """The agent refunds ``tx_99999`` but the user only asked about ``tx_12345``."""
    record = record_of(session)
    if record.ephemeral:
        return (Unavailable("no session"),)
    seen = record.mentions
    if not seen.has_task:
        return (Unavailable(_NO_TASK.reason),)
    tool = proposal.tool
    if tool is None:
        return ()
    guarded = [*islice(_guarded(tool, proposal, session), _MOST)]
    unclear = tool.targets.unclear(proposal.arguments, seen.vouches, labels=seen.has_labels * _MOST)
    if unclear or not proposal.plain:
        found = {said.where for said in guarded if isinstance(said, Finding)}
        others = _looked_at(unclear, tool, proposal, session)
        return chain(guarded, (one for one in others if getattr(one, "where", "") not in found))
    return guarded


_LOST = "`%s` is declared as a target, and is no parameter of the tool that the model was offered"
_FORGOT = "text of this run was forgotten to keep its bounds"
_NO_TASK = Coverage(Outcome.UNAVAILABLE, "no user or system message")


def prepare_phantom_target(plan: ToolPlan, terms: Terms, names: tuple[str, ...]) -> Check | None:
    """Clean where every target stands in the run as it is."""
    all_seen = None if plan.lost_targets else plan.targets.all_seen(names)
    if all_seen is None:
        return None

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return NO_SESSION
        seen = record.mentions
        if not seen.has_task:
            return _NO_TASK
        return RAN if all_seen(arguments, seen, lambda: terms.kinds(record)) else None

    return check


def _guarded(tool: ToolPlan, proposal: Proposal, session: Session) -> Iterator[Yielded]:
    """What is wrong with the values of guarded parameters."""
    yield from (Unavailable(_LOST % escaped(name)) for name in tool.lost_targets)
    for doubt in doubts(tool.targets, proposal.arguments, session):
        if doubt.code:
            argument = Argument(path=doubt.path, text=doubt.text, judged="hard", must_be_seen=True)
            yield _finding(argument, tool, "declared", doubt.code, doubt.detail)
        else:
            yield Unavailable(doubt.detail)


def _looked_at(
    unclear: Iterable[Unclear], tool: ToolPlan, proposal: Proposal, session: Session
) -> Iterator[Yielded]:
    left_out: list[Argument] = []
    read = [*tool.targets.read(unclear, proposal.arguments)]
    few = _of_few_scripts((one for one in read if _is_told(one, tool, session)), left_out)
    found = (said for one in few for said in _judged(one, tool, proposal, session))
    yield from islice(_once(found), _MOST)
    if left_out:
        yield Unavailable(f"more than {_MOST_FOREIGN:,} values of another script in one call")
    yield from islice(_in_free_text(unclear, tool, session), _MOST)
    yield from islice(_alone(read, tool, proposal, session), _MOST)
    if not proposal.plain:
        for name in dict.fromkeys(islice(tool.targets.opaque(proposal.arguments), _MOST)):
            yield Unavailable(not_comparable(name))
    if not proposal.plain and next(
        islice(leaves(proposal.arguments, most=MOST_JUDGED + 1), MOST_JUDGED, None), None
    ):
        too_many = f"more than {MOST_JUDGED:,} values in one call"
        strict = tool.targets.parameters.some_must_be_seen
        yield Failed(too_many) if strict else Unavailable(too_many)


def _once(said: Iterable[Yielded]) -> Iterator[Yielded]:
    """Yield the findings, and each reason for which something could not be judged once."""
    reasons: set[tuple[type, str]] = set()
    for one in said:
        if isinstance(one, Finding):
            yield one
        elif (type(one), one[0]) not in reasons:
            reasons.add((type(one), one[0]))
            yield one


def _of_few_scripts(arguments: Iterable[Argument], left_out: list[Argument]) -> Iterator[Argument]:
    """
    Yield the arguments but for those of another script beyond a number of them, the *left_out*.

    A value of another script that nobody mentioned is no finding; one of another kind is.
    """
    foreign = 0
    for argument in arguments:
        telling = argument.must_be_seen or argument.placeholder or identifies(argument.text)
        foreign += not telling
        if telling or foreign <= _MOST_FOREIGN:
            yield argument
        else:
            left_out.append(argument)


def _in_free_text(
    unclear: Iterable[Unclear], tool: ToolPlan, session: Session
) -> Iterator[Unavailable]:
    """A text under an identifier's name may hold one that nobody mentioned."""
    for path, _, text, parameter in unclear:
        if not tool.targets.is_free_text(text, parameter) or text in parameter.defaults:
            continue
        if mentions_of(session).origin(text, apart=_apart(text), field=parameter.field) is None:
            yield Unavailable(f"a value of `{escaped(name_of(path))}` is free text")


def _alone(
    arguments: Iterable[Argument], tool: ToolPlan, proposal: Proposal, session: Session
) -> Iterator[Unavailable]:
    """Yield a reason for each credential that the run has no other one of to compare it with."""
    for argument in arguments:
        presented = argument.judged == "credential" and tool.targets.presents(argument.path)
        if not presented or argument.placeholder or _is_told(argument, tool, session):
            continue
        known = _origin(argument, tool, session) or _set_before(argument.text, proposal, session)
        if not known:
            yield Unavailable(f"nobody gave a `{escaped(name_of(argument.path))}` in this run")


def _is_told(argument: Argument, tool: ToolPlan, session: Session) -> bool:
    """Whether a miss of this argument would say anything in this run."""
    if argument.judged == "slot":
        return fills_a_slot(argument, session)
    if argument.judged == "given":
        return is_given_otherwise(argument, session)
    if argument.judged == "credential" and not argument.placeholder:
        # whoever changes a password gave the old one, and the new one is made up
        presented = tool.targets.presents(argument.path)
        given = (presented or tool.deed.does is Does.MAKE) and is_given(argument, session)
        return given or (presented and is_issued(argument, session))
    if argument.must_be_seen:
        # the wildcards, and what is too long to be compared, are findings of their own
        text = argument.text
        return not (len(text) > LONGEST_VALUE or has_hidden_characters(text) or is_whole_set(text))
    if tool.targets.parameters.at(argument.path).guard == "target" and is_whole_set(argument.text):
        return False
    if argument.judged == "hard" or argument.placeholder:
        return True
    if not (mentions_of(session).in_english and latin(normal(argument.text))):
        return False
    return argument.judged != "public" or is_half_said(argument, session)


def _judged(
    argument: Argument, tool: ToolPlan, proposal: Proposal, session: Session
) -> Iterator[Yielded]:
    origin = _origin(argument, tool, session)
    if origin is not None and argument.must_be_seen:
        verbatim = proposal.verbatim(session).stands(argument.text)
        if verbatim is None:  # a whole value stood so, but perhaps for its quotes and blanks
            yield (Unavailable if origin.how == "exact" else Failed)(_FORGOT)
            return
        origin = origin if verbatim else None
    elif origin is not None and _may_be_part(argument, origin, tool):
        strict = _asks_whole(argument, tool)
        whole = proposal.verbatim(session).whole(argument.text, strict=strict)
        if whole is None:
            yield Unavailable(_FORGOT)
            return
        origin = origin if whole else None
    if origin is not None and not _laundered(argument, origin, proposal, session):
        called = mentions_of(session).labels(argument.text)
        judges = tool.targets.judges
        twice = stands_twice(argument, proposal.places(argument.text), judges, called=called)
        if twice or (
            not mentions_of(session).blind
            and alien(argument, origin, tool.deed.noun, kinds=proposal.kinds, session=session)
        ):
            yield _finding(
                argument,
                tool,
                "other_kind",
                "other_kind",
                _elsewhere(argument, origin, session, twice=twice),
            )
    elif _needs_no_mention(argument, tool, proposal, session):
        return
    elif blind := _blind(argument, proposal, session):
        yield blind
    elif was_said_before(argument.text, session):
        yield Unavailable("the agent had named a value before the conversation was heard here")
    elif argument.placeholder:
        detail = f"{shown(argument.text)} stands where a value should"
        yield _finding(argument, tool, _class(argument, "placeholder"), "placeholder", detail)
    elif argument.judged in ("soft", "public"):
        yield _unseen(argument, tool, "soft_name", session)
    elif argument.judged == "credential":
        yield _unknown_secret(argument, tool, session)
    elif argument.must_be_seen:
        yield _unseen(argument, tool, _class(argument, "hard_id"), session)
    elif reason := unread(argument, session, told=tool.targets.parameters.at(argument.path).told):
        yield Unavailable(reason)
    elif identifies(argument.text):
        yield _unseen(argument, tool, _class(argument, "hard_id"), session)


def _origin(argument: Argument, tool: ToolPlan, session: Session) -> Origin | None:
    """Who mentioned the value; of a name, who mentioned it in other words."""
    if argument.placeholder and not _stood(argument, session):
        return None
    if len(argument.text) > LONGEST_VALUE and not stands_verbatim(argument.text, session):
        return None
    field = tool.targets.parameters.at(argument.path).field
    return mentions_of(session).origin(argument.text, apart=_apart(argument.text), field=field)


def _stood(argument: Argument, session: Session) -> bool:
    """Whether one in brackets was said with them; the bare word only names a field."""
    text = argument.text.strip()
    if text[:1] in BRACKETS or argument.judged == "blank":
        return is_told(text, session)
    return True


_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"@|\d.*[^\W\d]|[^\W\d].*\d")


_WHOLE = re.compile(
    r"[@_/\\]|\w\.\w|\d{3}|\d[^\W\d]|[^\W\d]\d|(?i:[a-f]{8}(?:-[a-f]{4}){3}-[a-f]{12})"
)


def _apart(text: str) -> bool:
    """
    Whether *text* is made of words that may stand apart; an identifier's parts may not.

    A small number may stand among them: ``iPhone 15 Pro``. A UUID without digits is no name.
    """
    if any(c.isdigit() for c in text) and sum(map(str.isalpha, text.split())) < 2:
        return False
    return _WHOLE.search(text) is None


def _laundered(argument: Argument, origin: Origin, proposal: Proposal, session: Session) -> bool:
    """
    Whether the value is only known because a call of the agent's own put it there.

    A write that brought it in, and ran, makes later results repeat it: a sent mail is in the
    mailbox. That is an echo as well.
    """
    first = mentions_of(session).introduced(argument.text)
    if origin.source != "tool" or first is None:
        return False
    plan = proposal.plan(first.tool)
    if plan is None or not plan.writes:
        return False
    return plan.targets.judges(first.path) or plan.targets.is_free(first.path)


def _may_be_part(argument: Argument, origin: Origin, tool: ToolPlan) -> bool:
    """Whether a value may only be known as a part of another one, which vouches for no write."""
    if tool.targets.parameters.at(argument.path).guard == "target":
        text = argument.text
        return origin.how != "exact" or may_be_group(text) or is_rooted(text)
    return tool.writes and is_rooted(argument.text)


def _asks_whole(argument: Argument, tool: ToolPlan) -> bool:
    """Whether a step of a longer name is another thing; a code is one wherever it stands."""
    parameter = tool.targets.parameters.at(argument.path)
    return parameter.guard == "target" and (parameter.told or not _CODE.search(argument.text))


def _blind(argument: Argument, proposal: Proposal, session: Session) -> Unavailable | Failed | None:
    """
    Why a miss of this argument proves nothing.

    A bound that a model can reach by itself must not switch off what an author declared: where a
    value must be seen, that it cannot be looked for is an error, and the policy says what is done.
    """
    mentions = mentions_of(session)
    lost = mentions.forgot or _forgot_calls(proposal, session)
    if lost and argument.must_be_seen:
        return Failed(lost)
    blind = mentions.blind or lost
    return Unavailable(blind) if blind else None


def _forgot_calls(proposal: Proposal, session: Session) -> str:
    history = History.of(record_of(session), proposal.terms.plans, owner=proposal.terms.owner)
    lost = history.lost or Siblings.of(proposal, session).lost
    return "calls of this run were forgotten to keep its bounds" if lost else ""


def _needs_no_mention(
    argument: Argument, tool: ToolPlan, proposal: Proposal, session: Session
) -> bool:
    """Whether the run itself made the thing, or the call only looks for it where it may be."""
    text = argument.text
    if _minted(text, proposal, session):
        return True
    if len(text) > LONGEST_VALUE or not any(map(str.isalnum, text)):
        return stands_unechoed(text, session)  # no table holds it
    if argument.judged == "credential" and _set_before(argument.text, proposal, session):
        return True
    if argument.must_be_seen or argument.placeholder:
        return not argument.must_be_seen and explores(argument, tool, proposal, session)
    deletes = tool.tool.destructive or tool.deed.does is Does.UNMAKE
    return explores(argument, tool, proposal, session) or is_read(
        argument, session, writes=tool.writes, deletes=deletes
    )


def _minted(text: str, proposal: Proposal, session: Session) -> bool:
    """Whether an earlier call of this run brought the thing of that name into being."""
    wanted = normal(text[:_LONGEST])
    made = History.of(record_of(session), proposal.terms.plans, owner=proposal.terms.owner).made
    if wanted in made or ("/" in wanted and any(path.endswith(f"/{wanted}") for path in made)):
        return True
    return wanted in Siblings.of(proposal, session).made


def _set_before(text: str, proposal: Proposal, session: Session) -> bool:
    """Whether an earlier call of the run set this credential, rather than presented it."""
    first = mentions_of(session).introduced(text)
    plan = proposal.plan(first.tool) if first is not None else None
    return first is not None and plan is not None and not plan.targets.presents(first.path)


def _unknown_secret(argument: Argument, tool: ToolPlan, session: Session) -> Finding:
    """A credential that nobody gave; secrets stay out of messages, the right one as well."""
    name = f"`{escaped(name_of(argument.path))}`"
    other = "a result returned" if is_issued(argument, session) else "somebody gave"
    detail = f"nobody in this run mentioned this value of {name}, and {other} another one"
    return _finding(
        replace(argument, text="***"), tool, _class(argument, "hard_id"), "unseen", detail
    )


def _class(argument: Argument, basis: str) -> str:
    """Return the class of a miss: who declares that a value must be seen leaves no doubt."""
    return "declared" if argument.must_be_seen else basis


def _unseen(argument: Argument, tool: ToolPlan, basis: str, session: Session) -> Finding:
    detail = f"nobody in this run mentioned {shown(argument.text)}"
    near = _near(argument.text, session)
    return _finding(argument, tool, basis, "unseen", detail, near=near, session=session)


def _near(text: str, session: Session) -> str:
    """The seen value that was probably meant: the nearest, or the only one of its shape."""
    alike = dict.fromkeys(mentions_of(session).alike(text))
    near = closest(normal(text), alike) if alike else ""
    return near or (next(iter(alike)) if len(alike) == 1 and _DIGIT.search(text) else "")


def _elsewhere(argument: Argument, origin: Origin, session: Session, *, twice: bool) -> str:
    if twice:
        return f"{shown(argument.text)} stands in another parameter of this call as another thing"
    if origin.source == "user":
        called = ", ".join(
            f"`{escaped(word)}`" for word in sorted(mentions_of(session).labels(argument.text))
        )
        return f"the user named this value with {called}, and another one as what is asked for"
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
    grave = STRENGTHS[basis].hard and (tool.tool.destructive or argument.must_be_seen)
    seen = session.origin(near) if near and session is not None else None
    if seen is not None and session is not None:
        near = spelling(near, seen, session)
    hint = f"did you mean {shown(near)}, from {seen}?" if near else "ask the user, or look it up"
    return Finding(
        check="phantom_target",
        verdict=Verdict.HALLUCINATED if grave else Verdict.SUSPICIOUS,
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
