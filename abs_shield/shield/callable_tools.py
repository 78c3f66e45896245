"""The tools that a session may call: those that the host grants, and its own functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from abs_shield.errors import PolicyError
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.session_tools import Functions, SessionTools
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

if TYPE_CHECKING:
    from abs_shield.shield.tool_registry import Registry


def change_tools(
    session: Session,
    registry: Registry,
    *,
    tools: Iterable[str] | None,
    functions: Functions | None,
) -> None:
    """
    Restrict *session* to *tools*, and exchange its own functions.

    Args:
        session: The session.
        registry: The tools of its Shield.
        tools: The names that it may call; None to leave them unchanged.
        functions: Its own functions; None to leave them unchanged.

    Raises:
        PolicyError: A function cannot be called with a model's arguments alone, or a name is
            misspelt. An invalid function leaves the session unchanged.
    """
    before = registry.own(session)
    own = None if functions is None else registry.bind_functions(functions, session.parent)
    if tools is not None:
        names = _tool_names(tools, registry.of(session) if own is None else own)
        narrow(session, names, before if own is None else own)
    elif own is not None:
        admit(session, own, before)
    if own is not None:
        registry.attach(own, session)


def _tool_names(tools: Iterable[str], registered: Mapping[str, Any]) -> frozenset[str]:
    if isinstance(tools, (str, bytes)) or not isinstance(tools, Iterable):
        raise PolicyError(f"session: `tools` is {shown(tools)}; give a list of names")
    names = frozenset(tools)
    # Only names similar to an existing one: the host may register other tools later.
    for name in sorted(map(str, names - registered.keys())):
        if near := nearest(name, registered):
            raise PolicyError(
                f"session: no tool is named `{escaped(name)}`; did you mean `{near[0]}`?"
            )
    return names


def narrow(session: Session, tools: frozenset[str], own: SessionTools | None) -> None:
    """
    Restrict *session* to those of *tools* that its parent may call, and its own functions.

    Args:
        session: The session.
        tools: The tool names that the host passed.
        own: The session's own functions; None without any.
    """
    granted = None if session.parent is None else record_of(session.parent).grant
    # A sub-agent can never call more than the agent that started it.
    if granted is not None:
        tools &= granted if own is None else granted | own.own_names()
    if own is not None:
        own.added = frozenset()
    session.tools = record_of(session).grant = tools


def admit(session: Session, own: SessionTools, before: SessionTools | None) -> None:
    """
    Allow *session* to call its new functions, and no longer its earlier ones.

    Args:
        session: The session.
        own: Its new functions.
        before: Its earlier functions; None without any.
    """
    gone = frozenset() if before is None else before.added
    record = record_of(session)
    if record.grant is not None:
        # Tools that were granted independently of its own functions remain.
        remaining = record.grant - gone
        own.added = own.own_names() - remaining
        record.grant = remaining | own.own_names()
    if session.tools is not None:
        session.tools = (session.tools - gone) | own.own_names()
