"""Suggest which tools change nothing, and which cannot be undone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile, takewhile

from abs_shield.mining.mining_study import Study
from abs_shield.mining.policy_draft import Suggestion, SuggestionKind
from abs_shield.plan.tool_action import ToolAction, find_second_write_verb
from abs_shield.text.identifier_words import singular, split_words
from abs_shield.text.verbs import VerbEffect

_FINAL = frozenset("delete destroy erase purge drop wipe terminate expel trash discard".split())
"""Verbs after which the object no longer exists."""
_GRAVE = frozenset(
    "remove cancel revoke close transfer pay send refund charge withdraw publish deploy kill "
    "execute run suspend deactivate disable ban fire void submit buy purchase order".split()
)
"""Verbs whose effect may or may not be reversible, depending on the tool."""
_TWOFOLD = {
    "list": "put something up for sale",
    "test": "try something out",
    "open": "create a missing object",
    "track": "record events",
    "monitor": "set up monitoring",
    "select": "make a choice for someone",
    "verify": "mark as verified",
    "tell": "send",
    "ask": "send",
}
"""Verbs that usually read, but may have this effect."""
_PLACED = frozenset("for on as at in to of from by with".split())
_ANNOTATED = "as its annotations say"


def effects(study: Study) -> Iterator[Suggestion]:
    """``delete_user`` cannot be undone, ``get_user`` changes nothing."""
    for name, plan in study.plans.items():
        # annotations of the author first: they say what the verb only suggests
        if plan.tool.destructive:
            yield _from_annotation(name, "destructive", study)
        elif plan.tool.read_only:
            yield _from_annotation(name, "read_only", study)
        elif plan.action.does is VerbEffect.READ:
            yield _from_verb(
                name, "read_only", plan.action.verb, objection=_doubt(name, plan.action)
            )
        elif plan.action.verb in _FINAL:
            yield _from_verb(name, "destructive", plan.action.verb)
        elif plan.action.verb in _GRAVE:
            doubt = "declare it if a wrong call cannot be undone"
            yield _from_verb(name, "destructive", plan.action.verb, objection=doubt)


def _doubt(name: str, action: ToolAction) -> str:
    """Return the reason why a tool with a reading verb may write; empty without one."""
    if second := find_second_write_verb(name):
        return f"its name also contains `{second}`; declare it if the tool only reads"
    # "list" with a plural only reads; "list an item" offers it
    if action.verb == "list" and _lists(name):
        return ""
    other = _TWOFOLD.get(action.verb)
    return f"`{action.verb}` may also {other}; declare it if the tool only reads" if other else ""


def _lists(name: str) -> bool:
    """Return whether ``list`` is followed by a plural, or by nothing."""
    after = [*dropwhile(lambda word: word != "list", split_words(name))][1:]
    noun = [*takewhile(lambda word: word not in _PLACED, after)]
    return not noun or any(word == "all" or singular(word) != word for word in noun)


def _from_annotation(tool: str, field: str, study: Study) -> Suggestion:
    why = study.reasons.get(tool, _ANNOTATED)
    return Suggestion(
        kind=SuggestionKind.EFFECT, tool=tool, field=field, declaration=True, evidence=why
    )


def _from_verb(tool: str, field: str, verb: str, *, objection: str = "") -> Suggestion:
    return Suggestion(
        kind=SuggestionKind.EFFECT,
        tool=tool,
        field=field,
        declaration=True,
        evidence=f"its verb is `{verb}`",
        objection=objection,
    )
