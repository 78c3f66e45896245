"""A call that is being judged: its circumstances, and its decision before it is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core import Decision, Mode, ToolCall
from abs_shield.core.call_arguments import Malformed

if TYPE_CHECKING:
    from abs_shield.session import Session
    from abs_shield.shield.approvals import Key
    from abs_shield.shield.dispatched_call import DispatchedCall
    from abs_shield.shield.signature import Binding


class CallContext(NamedTuple):
    """
    The circumstances of one call.

    Attributes:
        siblings: Calls proposed earlier in the same turn.
        nested: Whether another shielded tool calls it from code.
        decision_id: Id of the Decision of an earlier judgement of the same call.
        counted: Whether that judgement blocked the call and used an attempt.
        later: Keys of the calls proposed later in the same turn; see `Proposal`.
        runs: Whether the call is dispatched now, which uses up an approval.
        binding: The decorated function that Python calls; None for a call by name.
        changed: Whether the host changed the call after the model wrote it.
        inside: The enclosing call, if this one is nested.
    """

    siblings: tuple[ToolCall, ...] = ()
    nested: bool = False
    decision_id: str | None = None
    counted: bool = False
    later: frozenset[str] = frozenset()
    runs: bool = True
    binding: Binding | None = None
    changed: bool = False
    inside: DispatchedCall | None = None


ALONE = CallContext()
"""The context of a call by name that has no siblings and was not judged before."""


class OpenCall(NamedTuple):
    """
    A call that was judged, and is not yet recorded, run or closed.

    Attributes:
        call: The call.
        arguments: The judged arguments, as JSON.
        session: The session of the call.
        decision: The decision about the call.
        nested: Whether another tool's code makes the call.
        key: The session, tool and arguments, for approvals and retries.
        malformed: The reason why the arguments cannot be parsed; None if they can.
        size: The size of the arguments; -1 if unknown.
        raw: The arguments for the tool, if the caller passed Python values that are not JSON.
        inside: The enclosing call whose values reached this one; None without one.
        mode: The mode of the tool; the decision has the mode of the layer that decided it.
    """

    call: ToolCall
    arguments: Mapping[str, Any]
    session: Session
    decision: Decision
    nested: bool
    key: Key
    malformed: Malformed | None = None
    size: int = -1
    raw: Mapping[str, Any] | None = None
    inside: DispatchedCall | None = None
    mode: Mode = Mode.AUDIT
