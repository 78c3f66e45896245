"""Layer 5: the parameters imply a state that can never be legitimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.plan import Proposal, RulePlan, Terms, ToolPlan
from abs_shield.plan.history import (
    History,
    Write,
    ending,
    of_one_noun,
    sole_entities,
    write_of,
)
from abs_shield.plan.layer import Check
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.text.names import name_words
from abs_shield.text.show import escaped, shown


def impossible_state(
    proposal: Proposal, session: Session
) -> Iterable[Finding | Unavailable | Failed]:
    """``transfer(amount=-500)``: a negative value transfer."""
    tool = proposal.tool
    if tool is None:
        return ()
    known = tool.touches and not record_of(session).ephemeral
    removed = _on_removed(tool, proposal, session) if known else ()
    if not tool.rules:
        return removed if known else (Unavailable("no rule for this tool"),)
    taken = _as_taken(proposal)
    if taken is None:
        why = proposal.undecided or "arguments do not match the schema"
        return (*removed, Unavailable(why))
    said = _asked(tool.rules, taken, session)
    return (*removed, *said) if removed else said


def _as_taken(proposal: Proposal) -> Proposal | None:
    """
    The proposal with its arguments as the tool takes them; None where it takes none of them.

    ``"900"`` is 900 to a rule about amounts: a spelling that still runs gets around no rule.
    """
    if proposal.fits:
        return proposal
    conversion = proposal.conversion
    if conversion is None or conversion.refused:
        return None
    return replace(proposal, arguments=conversion.arguments, plain=False)


_NO_RULE = Coverage(Outcome.UNAVAILABLE, "no rule for this tool")
_NONE_APPLIES = Coverage(Outcome.UNAVAILABLE, "no rule applies to these arguments")


def prepare_impossible_state(
    plan: ToolPlan, terms: Terms, names: tuple[str, ...]
) -> Coverage | Check | None:
    """Clean where nothing was removed in this run, and every rule that applies says so."""
    if not plan.rules:
        return _nothing_removed(plan, terms, otherwise=_NO_RULE) if plan.touches else _NO_RULE
    if any(rule.call or rule.session for rule in plan.rules):
        return None
    rules = [rule.asking() for rule in plan.rules if rule.needs.issubset(names)]
    outcome = RAN if rules else _NONE_APPLIES
    removed = _nothing_removed(plan, terms, otherwise=RAN) if plan.touches else None

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if removed is not None and removed(arguments, record, logprob) is not RAN:
            return None
        for ask in rules:
            answer = ask(arguments)
            if answer is not True and answer is not None:
                return None
        return outcome

    return check


def _nothing_removed(plan: ToolPlan, terms: Terms, *, otherwise: Coverage) -> Check:
    """Clean where the run removed nothing; *otherwise* where nobody looks for that."""

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return otherwise
        history = History.of(record, terms.plans, owner=terms.owner)
        return None if history.removed or history.ended else RAN

    return check


def _on_removed(tool: ToolPlan, proposal: Proposal, session: Session) -> tuple[Finding, ...]:
    """The one state known without a rule: a write on what this run removed before."""
    history = History.of(record_of(session), proposal.terms.plans, owner=proposal.terms.owner)
    if history.lost or not (history.removed or history.ended):
        return ()
    then = write_of(
        tool, proposal.arguments, place=history.place, at=proposal.at, turn=session.turns,
        spelt=history.spellings.first,
    )  # fmt: skip
    for value in sorted(sole_entities(then)):
        removal = history.removed.get(value)
        if removal is not None and (where := _shared(removal, then, value)):
            return (_gone(removal, then, value, where, proposal),)
    over = history.ended.get(ending(then)) if history.ended else None
    return () if over is None else (_over(over),)


def _over(removal: Write) -> Finding:
    return Finding(
        check="impossible_state",
        verdict=Verdict.SUSPICIOUS,
        strength=STRENGTHS["removed"].strength,
        basis="removed",
        where="/arguments",
        detail=f"`{removal.tool}` ran with the same arguments before, and what they name is gone",
        code="removed",
        hint="look the state up, or make it anew first",
        expected="a thing that still exists",
        evidence={"first": removal.tool},
    )


def _shared(removal: Write, then: Write, value: str) -> str:
    """The parameter under which *then* names what was removed; empty where it is another thing."""
    under = {name for name, values in removal.entities.items() if value in values}
    mine = [name for name, values in then.entities.items() if value in values]
    if of_one_noun(removal, then):
        return next(iter(mine), "")
    return next((name for name in mine if name in under and name_words(name) != ("id",)), "")


def _gone(removal: Write, then: Write, value: str, where: str, proposal: Proposal) -> Finding:
    plan = proposal.plan(removal.tool)
    final = plan is not None and any(pair.final for pair in plan.inverses)
    basis = "declared" if final else "removed"
    return Finding(
        check="impossible_state",
        verdict=Verdict.HALLUCINATED if final else Verdict.SUSPICIOUS,
        strength=STRENGTHS[basis].strength,
        basis=basis,
        where="/arguments/" + _pointer(where),
        detail=f"`{removal.tool}` removed `{escaped(value)}` before in this run",
        code="removed",
        hint="look the state up, or make it anew first",
        got=f'"{escaped(value)}"',
        expected="an entity that still exists",
        evidence={"first": removal.tool},
    )


def _asked(
    rules: Iterable[RulePlan], proposal: Proposal, session: Session
) -> list[Finding | Unavailable | Failed]:
    """Ask the rules that apply, and say which of them could not be asked."""
    said: list[Finding | Unavailable | Failed] = []
    skipped: list[str] = []
    applied = False
    for plan in rules:
        if not plan.needs <= proposal.arguments.keys():
            continue
        applied = True
        if plan.session and record_of(session).ephemeral:
            skipped.append(f"`{plan.rule.name}`")
        elif (found := _ask(plan, proposal, session)) is not None:
            said.append(found)
    if skipped:
        said.append(Unavailable(f"no session for rule {', '.join(skipped)}"))
    elif not applied:
        said.append(Unavailable("no rule applies to these arguments"))
    return said


def _ask(plan: RulePlan, proposal: Proposal, session: Session) -> Finding | Failed | None:
    try:
        said = plan.ask(proposal.arguments, session, proposal.call, flat=proposal.plain)
    except Exception as error:
        told = f"raised {type(error).__name__}{_hint(error, plan, proposal)}"
        return Failed(f"rule `{plan.rule.name}` ({_place(plan)}) {told}")
    if said is None or said is True or said == "":
        return None
    if said is False or isinstance(said, str):
        return _finding(plan, proposal, why=said or "")
    kind = type(said).__name__
    return Failed(f"rule `{plan.rule.name}` ({_place(plan)}) gave a {kind}, not True or False")


def _hint(error: Exception, plan: RulePlan, proposal: Proposal) -> str:
    """Say which arguments are texts, where a rule may have taken one for a Decimal or a date."""
    if not isinstance(error, (TypeError, AttributeError)):
        return ""
    sent = proposal.arguments
    texts = [name for name in sent if name in plan.takes and isinstance(sent[name], str)]
    told = ", ".join(f"`{name}` is a text" for name in texts)
    return f"; rules see JSON: {told}" if told else ""


def _finding(plan: RulePlan, proposal: Proposal, *, why: str) -> Finding:
    names = [name for name in proposal.arguments if name in plan.takes]
    values = ", ".join(f"{name}={shown(proposal.arguments[name])}" for name in names)
    sentence = _ended(escaped(why, limit=300) if why else plan.rule.sentence)
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


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _pointer(name: Any) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def _place(plan: RulePlan) -> str:
    return f"{plan.rule.file}:{plan.rule.line}"
