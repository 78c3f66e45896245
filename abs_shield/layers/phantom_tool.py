"""Layer 1: the tool is not registered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abs_shield.core import Finding, Unavailable, Verdict
from abs_shield.plan import Proposal
from abs_shield.plan.layer import Layer, prepare_ran
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.session import Session
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_MAX_LISTED = 20  # names in a finding: few enough for a model to read


def phantom_tool(proposal: Proposal, session: Session) -> Iterable[Finding | Unavailable]:
    """The agent calls ``delete_database`` but only ``read_database`` is exposed."""
    if not proposal.name:
        return (_without_name(),)
    if proposal.tool is not None and (proposal.available or proposal.registered):
        return ()
    return (_unregistered_finding(proposal),)


def _unregistered_finding(proposal: Proposal) -> Finding | Unavailable:
    # Without any registered tool, every name would be unknown.
    # A plan without a name is anonymous; a session that may call nothing has none.
    if proposal.tool is not None:
        return Unavailable("no tools registered")
    near = nearest(proposal.name, proposal.available, most=3)
    name = escaped(proposal.name)
    if proposal.registered:
        code, detail = "unavailable_tool", f"`{name}` exists, but is not available here"
    else:
        code, detail = "unknown_tool", f"no tool is named `{name}`"
    return _finding(
        code,
        detail,
        hint=_hint(near, len(proposal.available)),
        got=name,
        allowed=tuple(near) or tuple(sorted(proposal.available)[:_MAX_LISTED]),
        nearest=near[0] if near else "",
    )


def _without_name() -> Finding:
    return _finding("no_name", "the call names no tool", hint="give the call the name of a tool")


def _finding(code: str, detail: str, **fields: Any) -> Finding:
    return Finding(
        check="phantom_tool",
        verdict=Verdict.HALLUCINATED,
        strength=STRENGTHS["declared"].strength,
        basis="declared",
        where="/name",
        detail=detail,
        code=code,
        expected="the name of an available tool",
        **fields,
    )


def _hint(near: list[str], count: int) -> str:
    if near:
        return f"did you mean `{near[0]}`?"
    return f"{count} {'tool is' if count == 1 else 'tools are'} available"


LAYER = Layer("phantom_tool", phantom_tool, prepare_ran)
