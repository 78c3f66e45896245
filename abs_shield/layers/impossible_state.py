"""Layer 5: the arguments imply a state that is never legitimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.plan import Proposal, RulePlan, ShieldTerms, ToolPlan
from abs_shield.plan.dry_runs import is_dry_run
from abs_shield.plan.entity_write import (
    Write,
    arguments_key,
    have_same_subject,
    unambiguous_entities,
)
from abs_shield.plan.layer import Check, Layer
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.write_extraction import build_write
from abs_shield.plan.write_history import WriteHistory
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.text.identifier_words import name_words, subject_words
from abs_shield.text.safe_display import escaped, shown


def impossible_state(
    proposal: Proposal, session: Session
) -> Iterable[Finding | Unavailable | Failed]:
    """``transfer(amount=-500)``: a negative value transfer."""
    tool = proposal.tool
    if tool is None:
        return ()
    history_applies = tool.needs_existing_entity and not record_of(session).ephemeral
    removed = _check_removed(tool, proposal, session) if history_applies else ()
    if not tool.rules:
        return removed if history_applies else (Unavailable("no rule for this tool"),)
    converted = _with_converted_arguments(proposal)
    if converted is None:
        reason = proposal.undecided or "arguments do not match the schema"
        return (*removed, Unavailable(reason))
    results = _run_rules(tool.rules, converted, session)
    return (*removed, *results) if removed else results


def _with_converted_arguments(proposal: Proposal) -> Proposal | None:
    """
    Return the proposal with its arguments converted by the tool; None if it refuses them.

    ``"900"`` is 900 to a rule about amounts: a spelling that still runs bypasses no rule.
    """
    if proposal.fits:
        return proposal
    conversion = proposal.conversion
    if conversion is None or conversion.refused:
        return None
    # A converted argument may be of any type, so the arguments are not known to be plain.
    return replace(proposal, arguments=conversion.arguments, plain=False)


_NO_RULE = Coverage(Outcome.UNAVAILABLE, "no rule for this tool")
_NONE_APPLIES = Coverage(Outcome.UNAVAILABLE, "no rule applies to these arguments")


def prepare_impossible_state(
    plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]
) -> Coverage | Check | None:
    """Prepare a check that returns RAN if the run removed nothing and every rule accepts."""
    if not plan.rules:
        return (
            _nothing_removed(terms, otherwise=_NO_RULE) if plan.needs_existing_entity else _NO_RULE
        )
    # The prepared check has no `Session` and no `ToolCall` to pass to such a rule.
    if any(rule.call or rule.session for rule in plan.rules):
        return None
    rules = [rule.bind_plain_call() for rule in plan.rules if rule.needs.issubset(names)]
    outcome = RAN if rules else _NONE_APPLIES
    removed = _nothing_removed(terms, otherwise=RAN) if plan.needs_existing_entity else None

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if removed is not None and removed(arguments, record, logprob) is not RAN:
            return None
        for ask in rules:
            answer = ask(arguments)
            # A rule without a `return` returns None and accepts.
            if answer is not True and answer is not None:
                return None
        return outcome

    return check


def _nothing_removed(terms: ShieldTerms, *, otherwise: Coverage) -> Check:
    """
    Prepare a check that returns RAN if the run removed nothing; *otherwise* without a session.
    """

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return otherwise
        # Which removals matter depends on the entities of the call, so the layer itself decides.
        history = WriteHistory.of(record, terms.plans, owner=terms.owner)
        return None if history.removed or history.removed_contents else RAN

    return check


def _check_removed(tool: ToolPlan, proposal: Proposal, session: Session) -> tuple[Finding, ...]:
    """
    Return a finding if a write acts on an entity that this run removed; this needs no rule.
    """
    history = WriteHistory.of(record_of(session), proposal.terms.plans, owner=proposal.terms.owner)
    # A forgotten call may have created the entity again.
    if history.incomplete_reason or not (history.removed or history.removed_contents):
        return ()
    if is_dry_run(tool.tool, proposal.arguments):
        return ()
    write = build_write(
        tool, proposal.arguments, position=history.write_count, at=proposal.at, turn=session.turns,
        normalise_id=history.spellings.first,
    )  # fmt: skip
    # Sorted, because the order of a set of strings differs between processes.
    for value in sorted(unambiguous_entities(write)):
        removal = history.removed.get(value)
        if removal is not None and (where := _shared_parameter(removal, write, value)):
            return (_removed_entity(removal, value, where, proposal),)
    removal_of_content = (
        history.removed_contents.get(arguments_key(write)) if history.removed_contents else None
    )
    return () if removal_of_content is None else (_repeated_removal(removal_of_content),)


def _repeated_removal(removal: Write) -> Finding:
    return Finding(
        check="impossible_state",
        verdict=Verdict.SUSPICIOUS,
        strength=STRENGTHS["removed"].strength,
        basis="removed",
        where="/arguments",
        detail=f"`{removal.tool}` ran with the same arguments before, and removed the entity",
        code="removed",
        hint="look up the current state, or create it again first",
        expected="an entity that still exists",
        evidence={"first": removal.tool},
    )


def _shared_parameter(removal: Write, then: Write, value: str) -> str:
    """Return the parameter of *then* that names the removed entity; empty for another entity."""
    under = {name for name, values in removal.entities.items() if value in values}
    mine = [name for name, values in then.entities.items() if value in values]
    if have_same_subject(removal, then):
        return next(iter(mine), "")
    # A parameter `id` may be the id of something else in another tool, and `order_id` may name
    # the order whose return was cancelled.
    shared = (name for name in mine if name in under and name_words(name) != ("id",))
    return next((name for name in shared if _names_removed(name, removal)), "")


def _names_removed(name: str, removal: Write) -> bool:
    """Return whether a parameter names what a call removed, and not what that belongs to."""
    noun = removal.action.noun or removal.action.object
    return not noun or noun[-1] in subject_words(name)


def _removed_entity(removal: Write, value: str, where: str, proposal: Proposal) -> Finding:
    plan = proposal.plan(removal.tool)
    is_final = plan is not None and any(pair.final for pair in plan.inverses)
    basis = "declared" if is_final else "removed"
    return Finding(
        check="impossible_state",
        verdict=Verdict.HALLUCINATED if is_final else Verdict.SUSPICIOUS,
        strength=STRENGTHS[basis].strength,
        basis=basis,
        where="/arguments/" + _pointer(where),
        detail=f"`{removal.tool}` removed `{escaped(value)}` before in this run",
        code="removed",
        hint="look up the current state, or create it again first",
        got=f'"{escaped(value)}"',
        expected="an entity that still exists",
        evidence={"first": removal.tool},
    )


def _run_rules(
    rules: Iterable[RulePlan], proposal: Proposal, session: Session
) -> list[Finding | Unavailable | Failed]:
    """Run the rules that apply; return their findings, and a reason for each that cannot run."""
    results: list[Finding | Unavailable | Failed] = []
    skipped: list[str] = []
    applied = False
    for plan in rules:
        if not plan.needs <= proposal.arguments.keys():
            continue
        applied = True
        if plan.session and record_of(session).ephemeral:
            skipped.append(f"`{plan.rule.name}`")
        elif (result := _run_rule(plan, proposal, session)) is not None:
            results.append(result)
    if skipped:
        results.append(Unavailable(f"no session for rule {', '.join(skipped)}"))
    elif not applied:
        results.append(Unavailable("no rule applies to these arguments"))
    return results


def _run_rule(plan: RulePlan, proposal: Proposal, session: Session) -> Finding | Failed | None:
    try:
        answer = plan.run(proposal.arguments, session, proposal.call, flat=proposal.plain)
    # An author's function may raise anything; that is an error, never a verdict.
    except Exception as error:
        problem = f"raised {type(error).__name__}{_hint(error, plan, proposal)}"
        return Failed(f"rule `{plan.rule.name}` ({_place(plan)}) {problem}")
    if answer is None or answer is True or answer == "":
        return None
    if answer is False or isinstance(answer, str):
        return _finding(plan, proposal, why=answer or "")
    kind = type(answer).__name__
    return Failed(f"rule `{plan.rule.name}` ({_place(plan)}) returned a {kind}, not True or False")


def _hint(error: Exception, plan: RulePlan, proposal: Proposal) -> str:
    """Return a hint about text arguments if the rule may expect a Decimal or a date."""
    # Python raises these for operations on a text and a `Decimal` or a date.
    if not isinstance(error, (TypeError, AttributeError)):
        return ""
    sent = proposal.arguments
    texts = [name for name in sent if name in plan.takes and isinstance(sent[name], str)]
    listed = ", ".join(f"`{name}` is a text" for name in texts)
    return f"; rules see JSON: {listed}" if listed else ""


def _finding(plan: RulePlan, proposal: Proposal, *, why: str) -> Finding:
    names = [name for name in proposal.arguments if name in plan.takes]
    values = ", ".join(f"{name}={shown(proposal.arguments[name])}" for name in names)
    sentence = _with_full_stop(escaped(why, limit=300) if why else plan.rule.sentence)
    return Finding(
        check="impossible_state",
        verdict=Verdict.HALLUCINATED,
        strength=STRENGTHS["declared"].strength,
        basis="declared",
        where=f"/arguments/{_pointer(names[0])}" if len(names) == 1 else "/arguments",
        detail=f"{sentence} Got {values}." if values else sentence,
        code="rule",
        got=values or None,
        expected=plan.rule.sentence,
        evidence={"rule": plan.rule.name, "file": plan.rule.file, "line": plan.rule.line},
    )


def _with_full_stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _pointer(name: Any) -> str:
    # RFC 6901; `~` first, or the `~1` of a slash would be escaped again.
    return str(name).replace("~", "~0").replace("/", "~1")


def _place(plan: RulePlan) -> str:
    return f"{plan.rule.file}:{plan.rule.line}"


LAYER = Layer("impossible_state", impossible_state, prepare_impossible_state, nested=True)
