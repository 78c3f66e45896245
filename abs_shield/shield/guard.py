"""The context manager of one dispatch: judges the call before, and records its result after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import Token
from dataclasses import replace
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from abs_shield.core import Decision, Mode, ToolCall
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.session import Session
from abs_shield.session.running_calls import INNERMOST, RunningCall
from abs_shield.session.session_context import RUNNING, stop_running
from abs_shield.session.session_record import record_of
from abs_shield.shield.approver_answers import Reread
from abs_shield.shield.dispatched_call import DISPATCHED_CALL, DispatchedCall
from abs_shield.shield.execution_outcome import UNKNOWN, ExecutionOutcome
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.open_call import ALONE, CallContext, OpenCall
from abs_shield.text.safe_display import describe_exception, escaped


class Guard:
    """
    The guard of one dispatch: ``with firewall.guard(call) as guard: guard.value = tool(...)``.

    It can be used with ``async with`` as well, and only once.

    Attributes:
        decision: The decision about the call.
        value: The result of the call; set it inside the block. Until then it is None, and no
            result is judged.
        failed: Whether the call failed; None to derive it from whether the block raised.
        delivered: Whether the caller already has the value, as with a generator: then it can be
            flagged, but not withheld.
        judges: The part of the value to judge; None for all of it.
        proposed: The call as the model wrote it, if the host or a person has changed it since; set
            it before entering. Changed values count as values that the user provided.
        reread: Reads the caller's arguments again before the call runs, because an approval is
            valid only for the arguments that were judged.

    Raises:
        CallBlocked: On entering, if the call is blocked; on leaving, if a nested decorated
            function was blocked because of values of this call.
        ResultBlocked: On leaving, if the result is withheld.
    """

    # Slots make it faster to create: there is one guard for each call.
    __slots__ = (
        "_call",
        "_context",
        "_dispatched",
        "_is_left",
        "_lifecycle",
        "_opened",
        "_running",
        "_running_call",
        "_session",
        "_span",
        "_started",
        "_suspended",
        "_value",
        "delivered",
        "failed",
        "judges",
        "proposed",
        "reread",
    )  # fmt: skip

    def __init__(
        self,
        lifecycle: Lifecycle,
        call: ToolCall,
        session: Session,
        span: AbstractContextManager[Any] | None = None,
        context: CallContext = ALONE,
    ) -> None:
        self._lifecycle = lifecycle
        self._call = call
        self._session = session
        self._context = context
        self._span = span
        self._is_left = False
        self._opened: OpenCall | None = None
        self._running: tuple[Token[Any], ...] | None = None
        self._running_call: RunningCall | None = None
        self._dispatched: DispatchedCall | None = None
        self._started = 0.0
        self._suspended = False
        self._value: Any = UNKNOWN
        self.failed: bool | None = None
        self.delivered = False
        self.judges: Any = None
        self.proposed: ToolCall | None = None
        self.reread: Reread | None = None

    @property
    def value(self) -> Any:
        return None if self._value is UNKNOWN else self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value

    @property
    def opened(self) -> OpenCall:
        """
        The judged call.

        Raises:
            ShieldError: The guard was not entered yet.
        """
        if self._opened is None:
            raise ShieldError("the guard was not entered; write `with firewall.guard(call)`")
        return self._opened

    @property
    def decision(self) -> Decision:
        """The decision about the call."""
        return self.opened.decision

    @property
    def enforces(self) -> bool:
        """True if the tool receives the judged copies; in audit mode, the caller's own objects."""
        return self.opened.decision.mode is Mode.STRICT

    @property
    def nested_block(self) -> Decision | None:
        """The decision that blocked a nested function because of this call's values, or None."""
        if self._dispatched is None or self._dispatched.nested_block is None:
            return None
        return replace(self._dispatched.nested_block, tool=self._call.name)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """
        The parsed arguments for the tool.

        Raises:
            ShieldError: The arguments cannot be parsed, so the tool cannot run.
        """
        if self.opened.malformed is not None:
            detail = self.opened.malformed.detail
            raise ShieldError(f"tool `{escaped(self._call.name)}` cannot run: {detail}")
        raw = self.opened.raw
        return self.opened.arguments if raw is None else raw

    def __enter__(self) -> Self:
        self._enter_span()
        # Python does not call `__exit__` if `__enter__` raises.
        try:
            self._begin(self._lifecycle.admit(self._judge(), reread=self.reread, runs=True))
        except BaseException as error:
            self._stop_running()
            if self._span is not None:
                self._span.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aenter__(self) -> Self:
        self._enter_span()
        try:
            self._begin(await self._lifecycle.aadmit(self._judge(), reread=self.reread, runs=True))
        except BaseException as error:
            self._stop_running()
            if self._span is not None:
                self._span.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def _enter_span(self) -> None:
        if self._is_left or self._opened is not None:
            raise ShieldError("a guard can be entered only once; create another one")
        if self._span is not None:
            self._span.__enter__()

    def _judge(self) -> OpenCall:
        # Under one lock, so that a call in another thread sees this one as running.
        with record_of(self._session).lock:
            opened = self._lifecycle.open(
                self._call, self._session, self._context, proposed=self.proposed, runs=True
            )
            if not opened.decision.blocked:
                self._start_running(opened)
        return opened

    def _start_running(self, opened: OpenCall) -> None:
        call, record = opened.call, record_of(self._session)
        if self._running_call is None:
            self._running_call = RunningCall(
                tool=call.name, arguments=opened.arguments, call_id=call.id, nested=opened.nested,
                decision_id=opened.decision.id, caller=INNERMOST.get(),
            )  # fmt: skip
        with record.lock:
            record.running.start(self._running_call)

    def _stop_running(self) -> None:
        if self._running_call is not None:
            record = record_of(self._session)
            with record.lock:
                record.running.stop(self._running_call.decision_id)

    def _begin(self, opened: OpenCall) -> None:
        self._opened = opened
        if opened.decision.blocked:
            inside = opened.inside
            # a block by another Shield is an ordinary error of the tool
            if inside is not None and inside.registry is self._lifecycle.registry:
                inside.nested_block = opened.decision
            raise CallBlocked(opened.decision, self._names())
        if self._running_call is None:  # it was blocked first, and approved by a person
            self._start_running(opened)
        self._dispatched = DispatchedCall(opened, self._lifecycle.registry)
        self._running = self.mark_running()
        self._started = perf_counter()

    @contextmanager
    def close_on_error(self) -> Iterator[None]:
        """Close the call if the block raises; otherwise leave it open."""
        try:
            yield
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def leave(self) -> None:
        """Leave this context and keep the call open, for a generator that runs elsewhere."""
        self._leave(None, None, None)

    def suspend(self) -> None:
        """Keep the call open when the block is left; a later guard of its call id continues it."""
        self._suspended = True

    def pause(self) -> None:
        """Leave this context while the tool waits; the call is not running until `resume`."""
        self._stop_running()
        self.leave()

    def resume(self) -> tuple[Token[Any], ...]:
        """Mark that the tool continues in this context; return the tokens for `stop_running`."""
        self._start_running(self.opened)
        return self.mark_running()

    def mark_unread(self, reason: str) -> None:
        """Record that the model can read a result that abs_shield cannot, for *reason*."""
        self._session.opaque(f"the result of `{escaped(self._call.name)}`: {reason}")

    def mark_running(self) -> tuple[Token[Any], ...]:
        """Mark that the tool runs in this context; return the tokens for `stop_running`."""
        return (
            RUNNING.set(self._session),
            DISPATCHED_CALL.set(self._dispatched),
            INNERMOST.set(self._running_call),
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._suspended:
            self._stop_running()
            record_of(self._session).calls.suspend(self.opened.call.id, self.opened.decision.id)
            self._leave(kind, error, traceback)
            return
        elapsed_ms = (perf_counter() - self._started) * 1000
        dispatched, failed, value = self._dispatched, self.failed, self._value
        is_known = value is not UNKNOWN
        value = value if is_known else None
        nested_block = None
        if dispatched is not None and dispatched.nested_block is not None:
            nested_block = self.nested_block
        if failed is None and error is not None:
            # The text that the model receives in place of a result.
            value = describe_exception(error)
        failed = error is not None if failed is None else failed
        failed = failed or nested_block is not None
        opened = self._opened or self.opened
        try:
            # an exception propagates, e.g. a framework's signal: nothing can be withheld
            delivered = self.delivered or error is not None
            judges = self.judges if is_known else UNKNOWN
            execution = ExecutionOutcome(
                elapsed_ms, failed, opened.nested, opened.decision.id, delivered, judges
            )
            decision = self._lifecycle.close(
                opened.call, opened.arguments, value, session=self._session, execution=execution
            )
        finally:
            # Always: in a context that stays marked, each later call would count as nested.
            self._leave(kind, error, traceback)
            if dispatched is not None:
                dispatched.is_over = True
        # A `KeyboardInterrupt` or a cancellation propagates unchanged.
        if nested_block is not None and (error is None or isinstance(error, Exception)):
            raise CallBlocked(nested_block, self._names()) from error
        if decision.blocked:
            raise ResultBlocked(decision, self._names())

    def _names(self) -> frozenset[str]:
        """Return the argument names that an exception's text may contain."""
        inside = None if self._dispatched is None else self._dispatched.nested_block
        tools = {self._call.name} if inside is None else {self._call.name, inside.tool}
        return frozenset().union(*map(self._lifecycle.registry.argument_names, tools))

    def _leave(self, kind: Any, error: Any, traceback: Any) -> None:
        if self._running is not None:
            stop_running(self._running)
            self._running = None
        self._is_left = True
        if self._span is not None:
            self._span.__exit__(kind, error, traceback)
            self._span = None

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.__exit__(kind, error, traceback)
