"""The record of a session, which the call lifecycle writes and layers read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.core.fork_safety import new_id
from abs_shield.core.messages import UnreadableMessage, read_message
from abs_shield.session.active_calls import ActiveCall
from abs_shield.session.bounded_list import NO_ITEMS, append_bounded, copy_if_shared
from abs_shield.session.call_states import TOO_LARGE, Executed, is_feedback, object_of
from abs_shield.session.event_log import measure
from abs_shield.session.message_deduplication import MessageDeduplicator
from abs_shield.session.session_state import SessionState

if TYPE_CHECKING:
    from abs_shield.session.run_mentions import Mentions
    from abs_shield.session.session import Session

_MOST_EARLIER = 50
"""
Replies of the agent that are stored from a conversation that began elsewhere, and feedback texts; a
window of messages seldom has more.
"""


class SessionRecord(SessionState):
    """The record of one session: the lifecycle, adapters and replay write it, layers read it."""

    __slots__ = ()

    # Recording events ----------------------------------------------------------------------------

    def record_event(self, event: Event) -> None:
        """Append one event to the log, and update the other data of the session."""
        with self.lock:
            # Unrecorded events of a dropped session precede the first event of this one.
            if self._unrecorded_reason:
                reason, self._unrecorded_reason = self._unrecorded_reason, ""
                self.record_event(Opaque(reason))
            match event:
                case MessageText():
                    # As a user's text, feedback would count as a mention of the claims it quotes.
                    if event.role == "user" and self.decisions.is_feedback(event.text):
                        event = event._replace(role="assistant")
                    self.settle()
                    if event.role == "user":
                        self._begin_run()
                    self.mentions.add_text(event, self.log.version + 1)
                case Proposed():
                    calls = tuple(call for call in event.calls if self._announce(call))
                    if not calls:
                        return
                    event = Proposed(calls, event.at)
                case Returned():
                    if not self._record_result(event):
                        return
                case Opaque():
                    # the newest ones, since a host may call `opaque` for each message
                    self.opaque_reasons = (*self.opaque_reasons, event.reason)[-20:]
                    self.mentions.mark_opaque(event.reason)
            self.log.append(event)

    def add(self, messages: Iterable[Any], *, tolerant: bool) -> None:
        """Add the new messages of a list; see `Session.add`."""
        with self.lock:
            resumes = self.log.version == 0
            unrecorded_reason, self._unrecorded_reason = self._unrecorded_reason, ""
            try:
                for event in self._events(messages, tolerant):
                    self.record_event(event)
                    if resumes and isinstance(event, MessageText) and event.role == "assistant":
                        replies = (*self.earlier_replies, event.text)
                        self.earlier_replies = replies[-_MOST_EARLIER:]
            finally:
                if not self.log.version:
                    self._unrecorded_reason = unrecorded_reason  # no event was added yet
                elif unrecorded_reason and not self.earlier_replies:
                    self.record_event(Opaque(unrecorded_reason))

    def _events(self, messages: Iterable[Any], tolerant: bool) -> Iterator[Event]:
        if self._transcript is None:
            self._transcript = MessageDeduplicator()
        for message in self._transcript.select_new(list(messages)):
            try:
                yield from [*read_message(message)] if tolerant else read_message(message)
            except UnreadableMessage as error:
                if not tolerant:
                    raise
                yield Opaque(str(error))

    def record_mention(self, text: str) -> None:
        """Record that the run mentions *text*, which the host or a person wrote into a call."""
        with self.lock:
            self.mentions.add_host_text(text, self.log.version + 1)
            self.log.append(MessageText("system", text))

    def mark_continued(self, reason: str) -> None:
        """
        Record that this session continues a dropped one.

        Unless it is then resumed from a transcript, a missing mention proves nothing in it.
        """
        self._unrecorded_reason = reason

    def end_turn(self, feedback: str = "") -> None:
        """
        Record that the model is asked to write again after its last calls.

        Args:
            feedback: The text of the request. As it quotes unsupported claims, a message that
                contains it counts as the agent's own text, even if its role is ``user``.
        """
        with self.lock:
            self.decisions.is_turn_over = True
            if feedback:
                earlier = self.decisions.feedback
                self.decisions.feedback = (*earlier, feedback)[-_MOST_EARLIER:]

    # Recording the lifecycle of calls ------------------------------------------------------------

    def open(
        self,
        call: ToolCall,
        decision: Decision,
        *,
        arguments: Any,
        size: int = -1,
        runs: bool = False,
        shield: int = 0,
    ) -> None:
        """
        Record that the Shield allowed *call*.

        Args:
            call: The call.
            decision: The decision about it.
            arguments: Its arguments as judged.
            size: Number of characters of the arguments; -1 if unknown.
            runs: Whether the Shield runs it now.
            shield: Number of the Shield.
        """
        call_id = call.id
        with self.lock:
            if call_id:
                active = ActiveCall(decision.id, call.name, arguments, runs, frozenset({shield}))
                self.calls.open(call_id, active)
            else:
                self.calls.open_without_id(call.name)
            if not (call_id and self.pending.remove_announced(call_id)):
                # `tuple.__new__`: a NamedTuple's own constructor takes twice as long.
                event: Proposed = tuple.__new__(Proposed, ((call,), None, decision.id))
                self.log.append(event, size=size)
            self.decisions.add(decision, most=self.limits.decisions)

    def stop(self, call: ToolCall, decision: Decision, *, announced: bool = False) -> None:
        """Record that the Shield blocked *call*; *announced* if a message contains it."""
        with self.lock:
            is_announced = (
                bool(call.id) and self.pending.remove_announced(call.id or "")
            ) or announced
            self.pending.end(call.id, decision.id)
            if not is_announced:
                self.log.append(Proposed((call,), None, decision.id))
            if call.id:
                self.calls.end(call.id, announced=is_announced)
            else:
                self.calls.record_block_without_id(call)

    def add_execution(self, executed: Executed) -> None:
        """Add a call that ran; the count of its tool's blocked calls starts again."""
        with self.lock:
            self._end(executed)

    def add_result(self, executed: Executed, value: Any) -> None:
        """Add a call that ran, and the value or the error text that the model reads."""
        with self.lock:
            size = self._end(executed)
            self._show(executed, value, -1 if executed.error else size)
        # Outside this lock, as the parent's record acquires its own.
        if self.parent is not None:
            self.parent.show(executed, value, of_child=True, size=-1 if executed.error else size)

    def show(
        self, executed: Executed, value: Any, *, of_child: bool = False, size: int = -1
    ) -> None:
        """
        Record that the model reads the result of a call, in this session and its parents.

        Args:
            executed: The call.
            value: The value that it returned, or the text of its error.
            of_child: Whether a sub-agent made the call.
            size: Number of characters of *value*; -1 if unknown.
        """
        with self.lock:
            self._show(executed, value, size)
            if of_child:
                held = self._limit_value(executed)[0]
                self._child_executions = copy_if_shared(self._child_executions)
                append_bounded(self._child_executions, held, most=self.limits.executed)
                self.child_execution_count += 1
        # Outside this lock, as the parent's record acquires its own.
        if self.parent is not None:
            self.parent.show(executed, value, of_child=True, size=size)

    def _show(self, executed: Executed, value: Any, size: int) -> None:
        """Log and index the result of a call; the caller holds the lock."""
        event: Returned = tuple.__new__(Returned, (
            executed.tool, value, executed.call_id, executed.error, executed.at,
            executed.decision_id,
        ))  # fmt: skip
        self.log.append(event, size=size)
        self.mentions.add_result(executed, value, self.log.version)

    def add_decision(self, decision: Decision) -> None:
        """Add a decision that was logged."""
        with self.lock:
            self.decisions.add(decision, most=self.limits.decisions)

    def add_proposal(self, decision: Decision, *, first: bool) -> None:
        """Record that a call of a turn was judged; the *first* one begins a new turn."""
        if first:
            self.decisions.turn = []
        self.decisions.turn.append(decision.id)

    def add_report(self, report: Any) -> None:
        """Add the report on an answer."""
        with self.lock:
            self.decisions.add_report(report, most=self.limits.decisions)

    def settle(self) -> None:
        """End the turn: log the decisions about proposed calls that were never dispatched."""
        with self.lock:
            for pending in self.pending.drain():
                pending.settle()
                if pending.decision.blocked:
                    self.stop(pending.call, pending.decision, announced=pending.is_announced)

    # Implementation ------------------------------------------------------------------------------

    def _begin_run(self) -> None:
        # The first run begins with the session, before the first user message.
        if self.turns:
            self.run_id = new_id()
        self.turns += 1
        self.blocks.clear()
        self.repeats.clear()
        self.calls.begin_run()

    def _record_result(self, event: Returned) -> bool:
        """Record the result in a message, if it is new; return whether to log the event."""
        if self.calls.has_ended(event.call_id) and not self.pending.is_waiting(event.call_id):
            return False
        if self.pending.is_blocked(event.call_id):
            return False
        if is_feedback(event.value, "blocked"):
            self._end_blocked(event)
            return False
        call = self.pending.take_answered(event)
        name = event.name or (call.name if call else "")
        if call is None and self.calls.claim(name):
            return False
        withheld = is_feedback(event.value, "withheld")
        executed = Executed(
            tool=name,
            arguments=object_of(call),
            value=None if event.error or withheld else event.value,
            call_id=event.call_id or new_id(),
            error=event.error and not withheld,
            at=self.clock() if event.at is None else event.at,
            turn=self.turns,
        )
        self._store_execution(executed)
        value = None if withheld else event.value
        self.mentions.add_result(executed, value, self.log.version + 1)
        self.calls.end(executed.call_id or "", announced=call is not None)
        if self.parent is not None:
            self.parent.show(executed, value, of_child=True)
        return True

    def _end_blocked(self, event: Returned) -> None:
        """End a blocked call, whose result in a transcript is the Shield's own feedback."""
        call = self.pending.take_answered(event, blocked=True)
        if event.call_id:
            self.calls.end(event.call_id, announced=call is not None)

    def _end(self, executed: Executed) -> int:
        """Store and end a call that ran; return the number of characters of its value."""
        size = self._store_execution(executed)
        self.pending.end(executed.call_id, executed.decision_id)
        if executed.call_id:
            announced = self.pending.remove_announced(executed.call_id)
            self.calls.end(executed.call_id, announced=announced)
        elif not executed.nested:
            self.calls.record_run_without_id(executed)
        return size

    def _store_execution(self, executed: Executed) -> int:
        """Store a call in the history; return the number of characters of its value."""
        if executed.call_id:
            self.calls.close(executed.call_id, executed.decision_id)
        held, size = self._limit_value(executed)
        executions = self.executions
        if executions is NO_ITEMS:
            executions = self.executions = []
        executions.append(held)
        if len(executions) > self.limits.executed:
            del executions[0]
        self.execution_count += 1
        if self.blocks:
            self.blocks.pop(executed.tool, None)
        return size

    def _limit_value(self, executed: Executed) -> tuple[Executed, int]:
        """Return the call without a result that is too large, and the result's size."""
        value, most = executed.value, self.limits.message
        size = len(value) if type(value) is str else measure(value, most)
        return (replace(executed, value=TOO_LARGE) if size > most else executed), size

    def _announce(self, call: ToolCall) -> bool:
        """Record that a message contains *call*; return whether the call is new."""
        if (call.id or "") in self.calls.open_calls:
            self.pending.announce(call)
            return False
        if self.calls.record_announcement(call):
            return False
        self.pending.announce(call)
        return True


record_of: Callable[[Session], SessionRecord] = attrgetter("_record")
"""
Return the record of a session, for the Shield, its layers, adapters and replay.

It is the only access to the record, so that `Session` itself has only what hosts need.
"""

mentions_of: Callable[[Session], Mentions] = attrgetter("_record.mentions")
"""Return the mentions of a session, which is the part of its record that most layers read."""
