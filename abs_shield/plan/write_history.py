"""Writes of a run by entity: the newest writes, and which entities were created and removed."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Any

from abs_shield.plan.created_entities import parse_created_names
from abs_shield.plan.dry_runs import is_dry_run
from abs_shield.plan.entity_write import (
    Write,
    arguments_key,
    has_content,
    subject_entities,
    unambiguous_entities,
    undoes,
)
from abs_shield.plan.proposal import Plans
from abs_shield.plan.spellings import EntitySpellings
from abs_shield.plan.tool_action import have_same_noun
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.plan.write_extraction import MOST_LEAVES, build_write
from abs_shield.policy.policy import MOST_WINDOW_CALLS
from abs_shield.session import Executed
from abs_shield.session.session_record import SessionRecord
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.json_leaves import json_data, leaves
from abs_shield.text.normal_form import normal
from abs_shield.text.verbs import VerbEffect

_REMOVING_VERBS = frozenset(
    "delete remove cancel destroy erase purge drop terminate discard void trash revoke rm "
    "rmdir".split()
)
_MAX_REMOVED = 10_000  # the oldest are dropped, so that a write to them has no finding
_MAX_CREATED = 10_000  # with more names the history is incomplete
_FORGOT_CALLS = "older calls of this run were dropped to stay within its limits"
# removals without an identifier; each further one is compared with all of them
_MAX_REMOVED_CONTENTS = 100
_MAX_TEXT_LENGTH = 16 * 1024  # a creating statement is near the beginning of a script

_Reader = Callable[[Executed, Plans], None]


class WriteHistory:
    """
    The writes of one session, updated with its executed calls; each call is read once.

    Sub-agents share created and removed entities with the run that started them.

    Attributes:
        writes: The newest writes, oldest first.
        undone: Positions of the writes that a later write undid.
        removed: Identifier of a removed entity to the write that removed it.
        removed_contents: `arguments_key` of a removal without an identifier to that write.
        created: Normalised names of created entities, in their order.
        spellings: The first spelling of each entity.
        incomplete_reason: Why a call of the run was not read, or is not stored; empty if all are.
        has_failed: Whether a call was not read because of an error.
    """

    def __init__(self) -> None:
        self._read = self._children_read = 0
        self._count = 0
        self.writes: deque[Write] = deque(maxlen=MOST_WINDOW_CALLS)
        self.undone: set[int] = set()
        self.removed: OrderedDict[str, Write] = OrderedDict()
        self.removed_contents: OrderedDict[bytes, Write] = OrderedDict()
        self.created: OrderedDict[str, None] = OrderedDict()
        self.spellings = EntitySpellings()
        self.incomplete_reason = ""
        self.has_failed = False

    @classmethod
    def of(
        cls, record: SessionRecord, plans: Callable[[SessionRecord], Plans], *, owner: object
    ) -> WriteHistory:
        """Return the up-to-date history of a session, read with the tools of *owner*."""
        # The usual case first: an up-to-date history can be read without a lock.
        if record.parent is None:
            history = record.derive(cls, owner=owner)
            if history._is_up_to_date(record):
                return history
        # The parent's history comes first, as locks are acquired from the top down.
        parent = None if record.parent is None else cls.of(record.parent, plans, owner=owner)
        with record.lock:
            return cls._update(record, plans(record), owner=owner, parent=parent)

    @classmethod
    def _update(
        cls, record: SessionRecord, plans: Plans, *, owner: object, parent: WriteHistory | None
    ) -> WriteHistory:
        history = record.derive(cls, owner=owner)
        if parent is not None:
            history.removed, history.created = parent.removed, parent.created
            history.removed_contents, history.spellings = parent.removed_contents, parent.spellings
        new = record.execution_count - history._read
        newest = record.newest(new)
        # Calls that were dropped before they were read may have created or removed anything.
        if len(newest) < new or len(history.created) >= _MAX_CREATED:
            history.incomplete_reason = history.incomplete_reason or _FORGOT_CALLS
        for executed in newest:
            history._read_safely(history._add_call, executed, plans)
        below = record.child_execution_count - history._children_read
        for executed in record.newest(below, of_children=True):
            history._read_safely(history._add_child_call, executed, plans)
        history._children_read = record.child_execution_count
        history._read = record.execution_count
        return history

    def _is_up_to_date(self, record: SessionRecord) -> bool:
        read = (self._read, self._children_read)
        return read == (record.execution_count, record.child_execution_count)

    @property
    def write_count(self) -> int:
        """Number of writes so far."""
        return self._count

    def _read_safely(self, read: _Reader, executed: Executed, plans: Plans) -> None:
        """Read a call; if that raises, record that the history is incomplete, and why."""
        try:
            read(executed, plans)
        except Exception as error:  # caught here, so that it is not raised again for each call
            self.has_failed = True
            self.incomplete_reason = f"a call of this run could not be read: {type(error).__name__}"

    def _add_call(self, executed: Executed, plans: Plans) -> None:
        plan = plans(executed.tool)
        value = json_data(executed.value)
        # A failed call has changed nothing.
        if executed.error or plan is None or is_failure_result(value):
            return
        if plan.writes and is_dry_run(plan.tool, executed.arguments):
            return
        self._add_created(plan, executed.arguments)
        # A nested call may create things, but its writes contradict no call of the agent.
        if executed.nested or not plan.writes:
            return
        write = build_write(
            plan, executed.arguments, position=self._count, at=executed.at, turn=executed.turn,
            normalise_id=self.spellings.add, value=value,
            call_key=executed.decision_id or executed.call_id,
        )  # fmt: skip
        self._count += 1
        if write.action.does is VerbEffect.UNMAKE:
            self.undone.update(
                earlier.position for earlier in self.writes if undoes(earlier, write)
            )
            # Positions of writes that are no longer stored are not needed.
            self.undone = {
                position for position in self.undone if position > self._count - MOST_WINDOW_CALLS
            }
        self.writes.append(write)
        self._update_removed(write)

    def _add_child_call(self, executed: Executed, plans: Plans) -> None:
        """Add the entities that a sub-agent's call created or removed, but not its write."""
        plan = plans(executed.tool)
        if executed.error or plan is None or is_failure_result(json_data(executed.value)):
            return
        if plan.writes and is_dry_run(plan.tool, executed.arguments):
            return
        self._add_created(plan, executed.arguments)
        if plan.writes and not executed.nested:
            self._update_removed(
                build_write(
                    plan, executed.arguments, position=self._count, at=executed.at,
                    turn=executed.turn, normalise_id=self.spellings.add,
                    value=json_data(executed.value),
                )
            )  # fmt: skip

    def _add_created(self, plan: ToolPlan, arguments: Mapping[str, Any]) -> None:
        self.created.update(dict.fromkeys(plan.targets.created_names(arguments)))
        if plan.writes:
            for _, leaf in leaves(arguments, most=MOST_LEAVES):
                # A statement has at least two words.
                if isinstance(leaf, str) and " " in leaf:
                    self.created.update(
                        dict.fromkeys(map(normal, parse_created_names(leaf[:_MAX_TEXT_LENGTH])))
                    )
        while len(self.created) > _MAX_CREATED:
            self.created.popitem(last=False)

    def _update_removed(self, write: Write) -> None:
        entities = unambiguous_entities(write)
        if write.action.does is VerbEffect.MAKE:
            # An entity that is created again is no longer removed.
            for value in (*subject_entities(write), *write.returned):
                self.removed.pop(value, None)
            for key in [
                key
                for key, old in self.removed_contents.items()
                if have_same_noun(old.action, write.action)
            ]:
                del self.removed_contents[key]
        # `remove_user(from group)` removes a membership, not the user.
        elif write.action.verb in _REMOVING_VERBS and not write.action.object:
            # Without its values, which may be large and are no longer compared.
            tombstone = write._replace(
                arguments={}, values={}, returned=frozenset(), numbers=frozenset()
            )
            for value in entities:
                self.removed[value] = tombstone
            while len(self.removed) > _MAX_REMOVED:
                self.removed.popitem(last=False)
            if not write.entities and has_content(write.values):
                self.removed_contents[arguments_key(write)] = tombstone
                while len(self.removed_contents) > _MAX_REMOVED_CONTENTS:
                    self.removed_contents.popitem(last=False)
