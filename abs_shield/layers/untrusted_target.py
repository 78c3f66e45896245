"""Opt-in: the target occurs only in free text of a tool's result."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core import Finding, Unavailable, Verdict
from abs_shield.plan import Proposal
from abs_shield.plan.layer import Layer
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.text.json_leaves import pointer
from abs_shield.text.safe_display import shown


def untrusted_target(proposal: Proposal, session: Session) -> Iterator[Finding | Unavailable]:
    """The agent pays ``mallory@evil.example``, which occurs only in the text of a web page."""
    record = record_of(session)
    mentions = record.mentions
    if record.ephemeral:
        yield Unavailable("no session")
    elif mentions.unknown_reason:
        yield Unavailable(mentions.unknown_reason)
    elif proposal.tool is not None and proposal.tool.writes:
        targets = proposal.tool.targets
        for argument in targets.judged_arguments(proposal.arguments):
            field = targets.parameters.at(argument.path).field
            # If its words may occur apart, nearly any name is found in a long text.
            origin = mentions.origin(argument.text, apart=False, field=field)
            if argument.judged != "hard" or origin is None or origin.source != "tool":
                # Only identifiers that occur in nothing but tools' results are judged.
                continue
            if origin.prose and not origin.fields:
                yield Finding(
                    check="untrusted_target",
                    verdict=Verdict.SUSPICIOUS,
                    strength=STRENGTHS["prose_only"].strength,
                    basis="prose_only",
                    where="/arguments" + pointer(argument.path),
                    detail=f"{shown(argument.text)} occurs only in running text of {origin}",
                    code="prose_only",
                    hint="ask the user whether this is meant",
                    got=shown(argument.text),
                    expected="a value from the user, or from a field of a result",
                )


LAYER = Layer("untrusted_target", untrusted_target)
