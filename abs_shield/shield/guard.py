"""The context manager of one dispatch: it judges the call before and records it after."""

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
from abs_shield.shield.dispatched import DISPATCHED, Dispatched
from abs_shield.shield.evaluator import OpenCall
from abs_shield.shield.execution_outcome import UNKNOWN, ExecutionOutcome
from abs_shield.shield.lifecycle import Lifecycle, Reread
from abs_shield.shield.signature import Binding
from abs_shield.text.safe_display import describe_exception, escaped


class Guard:
    """
    ``with firewall.guard(call) as guard: guard.value = tool(...)``, or ``async with``.

    Attributes:
        decision: The decision before the call.
        value: The result of the call; set it inside the block. None, and not judged, until then.
        failed: Whether the call failed; None to use whether the block raised.
        delivered: Whether the caller already has the value, as with a generator: it can be
            flagged, but not withheld.
        judges: The part of the value to judge; None for all of it.
        proposed: The call as the model wrote it, where the host or a person changed it since; set
            it before entering. Differing values count as the user's words.
        reread: Reads the caller's arguments again before the call runs: an approval is valid only
            for the arguments that were judged.

    Raises:
        CallBlocked: On entering, where the call is blocked; on leaving, where a decorated function
            inside was, by values of this call.
        ResultBlocked: On leaving, where what it returned is withheld.
    """

    # With slots it is created and read faster: there is one for each call.
    __slots__ = (
        "_binding",
        "_call",
        "_dispatched",
        "_lifecycle",
        "_opened",
        "_running",
        "_running_call",
        "_session",
        "_siblings",
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
        span: AbstractContextManager[Any],
        *,
        siblings: tuple[ToolCall, ...] = (),
        binding: Binding | None = None,
    ) -> None:
        self._lifecycle = lifecycle
        self._call = call
        self._session = session
        self._siblings = siblings
        self._binding = binding
        self._span: AbstractContextManager[Any] | None = span
        self._opened: OpenCall | None = None
        self._running: tuple[Token[Any], ...] | None = None
        self._running_call: RunningCall | None = None
        self._dispatched: Dispatched | None = None
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
            ShieldError: The block was not entered yet.
        """
        if self._opened is None:
            raise ShieldError("the guard was not entered; write `with firewall.guard(call)`")
        return self._opened

    @property
    def decision(self) -> Decision:
        """The decision before the call."""
        return self.opened.decision

    @property
    def enforces(self) -> bool:
        """True if the tool gets the judged copies; in audit mode it gets the caller's objects."""
        return self.opened.decision.mode is Mode.STRICT

    @property
    def stopped(self) -> Decision | None:
        """The block of a nested decorated function by values of this call; None without one."""
        if self._dispatched is None or self._dispatched.stopped is None:
            return None
        return replace(self._dispatched.stopped, tool=self._call.name)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """
        The call's parsed arguments, as the tool gets them.

        Raises:
            ShieldError: They could not be read, so that the tool cannot run.
        """
        if self.opened.malformed is not None:
            detail = self.opened.malformed.detail
            raise ShieldError(f"tool `{escaped(self._call.name)}` cannot run: {detail}")
        raw = self.opened.raw
        return self.opened.arguments if raw is None else raw

    def __enter__(self) -> Self:
        span = self._entered()
        # Here and not in `__exit__`, which Python does not call where entering raises.
        try:
            self._begin(self._lifecycle.admit(self._judged(), reread=self.reread, runs=True))
        except BaseException as error:
            self._stop_running()
            span.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aenter__(self) -> Self:
        span = self._entered()
        try:
            self._begin(await self._lifecycle.aadmit(self._judged(), reread=self.reread, runs=True))
        except BaseException as error:
            self._stop_running()
            span.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def _judged(self) -> OpenCall:
        # Under one lock, so that a call which is judged in another thread sees this one run.
        with record_of(self._session).lock:
            opened = self._lifecycle.open(
                self._call, self._session, siblings=self._siblings, binding=self._binding,
                proposed=self.proposed, runs=True,
            )  # fmt: skip
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

    def _entered(self) -> AbstractContextManager[Any]:
        """Open and return the span of the dispatch."""
        if self._span is None or self._opened is not None:
            raise ShieldError("a guard can be entered only once; create another one")
        self._span.__enter__()
        return self._span

    def _begin(self, opened: OpenCall) -> None:
        self._opened = opened
        if opened.decision.blocked:
            inside = opened.inside
            # the block of another Shield is the tool's own error, as without this one
            if inside is not None and inside.registry is self._lifecycle.registry:
                inside.stopped = opened.decision
            raise CallBlocked(opened.decision, self._names())
        if self._running_call is None:  # a person approved it
            self._start_running(opened)
        self._dispatched = Dispatched(opened, self._lifecycle.registry)
        self._running = self.running()
        self._started = perf_counter()

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Close the call if the block raises; otherwise leave it open."""
        try:
            yield
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def leave(self) -> None:
        """Leave this context but keep the call open, for a generator that runs elsewhere."""
        self._leave(None, None, None)

    def suspend(self) -> None:
        """Keep the call open when the block is left; a later guard of its id continues it."""
        self._suspended = True

    def pause(self) -> None:
        """Leave this context while the tool waits; until `resume` the call is not running."""
        self._stop_running()
        self.leave()

    def resume(self) -> tuple[Token[Any], ...]:
        """Mark that the tool goes on in this context."""
        self._start_running(self.opened)
        return self.running()

    def unread(self, reason: str) -> None:
        """Note that the result is unreadable here but not for the model: a miss proves nothing."""
        self._session.opaque(f"the result of `{escaped(self._call.name)}`: {reason}")

    def running(self) -> tuple[Token[Any], ...]:
        """Mark that the tool runs in this context, for one step of a generator."""
        return (
            RUNNING.set(self._session),
            DISPATCHED.set(self._dispatched),
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
        failed, stopped, value = self.failed, self.stopped, self._value
        value = None if value is UNKNOWN else value
        if failed is None and error is not None:
            # What the model will read in place of a result.
            value = describe_exception(error)
        failed = error is not None if failed is None else failed
        failed |= stopped is not None
        opened = self.opened
        try:
            delivered = (
                self.delivered or error is not None
            )  # a signal of the framework's goes on its way
            judges = UNKNOWN if self._value is UNKNOWN else self.judges
            execution = ExecutionOutcome(
                elapsed_ms, failed, opened.nested, opened.decision.id, delivered, judges
            )
            decision = self._lifecycle.close(
                opened.call, opened.arguments, value, session=self._session, execution=execution
            )
        finally:
            # Whatever happens: a context that stays marked would make each later call a nested one.
            self._leave(kind, error, traceback)
            if self._dispatched is not None:
                self._dispatched.is_over = True
        # A `KeyboardInterrupt` or a cancellation of the framework's goes on unchanged.
        if stopped is not None and (error is None or isinstance(error, Exception)):
            raise CallBlocked(stopped, self._names()) from error
        if decision.blocked:
            raise ResultBlocked(decision, self._names())

    def _names(self) -> frozenset[str]:
        """Return the argument names that an exception's text may contain."""
        inside = None if self._dispatched is None else self._dispatched.stopped
        tools = {self._call.name} if inside is None else {self._call.name, inside.tool}
        return frozenset().union(*map(self._lifecycle.registry.argument_names, tools))

    def _leave(self, kind: Any, error: Any, traceback: Any) -> None:
        if self._running is not None:
            stop_running(self._running)
            self._running = None
        if self._span is not None:
            self._span.__exit__(kind, error, traceback)
            self._span = None

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.__exit__(kind, error, traceback)
