"""The client that is passed to the tool runner, which passes responses to an observer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from abs_shield.adapters.openai.response_items import is_call
from abs_shield.adapters.openai.run_observer import RunObserver


class ObservedResponses:
    """
    The client's responses API; the observer receives each response before the runner.

    Args:
        responses: The client's own responses API.
        observer: The observer of the run.
        eager: Whether the runner runs calls while their response is still streamed.
    """

    def __init__(self, responses: Any, observer: RunObserver, *, eager: bool) -> None:
        self.responses = responses
        self.observer = observer
        self.eager = eager

    def create(self, **request: Any) -> Any:
        """Request a response, complete or as a stream."""
        response = self.responses.create(**self.observer.record_request(request))
        if request.get("stream"):
            return _Stream(response, _Events(self.observer, self.eager))
        return self.observer.judge_response(response)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.responses, name)


class AsyncObservedResponses(ObservedResponses):
    """Async version of `ObservedResponses`."""

    async def create(self, **request: Any) -> Any:
        """Request a response, complete or as a stream."""
        response = await self.responses.create(**self.observer.record_request(request))
        if request.get("stream"):
            return _AsyncStream(response, _Events(self.observer, self.eager))
        return self.observer.judge_response(response)


class ObservedClient:
    """
    A client whose responses API is observed.

    Args:
        client: The host's client.
        observed: Returns the observed API for the client's own responses API.
    """

    def __init__(self, client: Any, observed: Callable[[Any], ObservedResponses]) -> None:
        self._client = client
        self._observed = observed

    @property
    def responses(self) -> ObservedResponses:
        """The observed responses API."""
        return self._observed(self._client.responses)

    def with_options(self, **options: Any) -> ObservedClient:
        """Return an observed client with other options."""
        return ObservedClient(self._client.with_options(**options), self._observed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


class _Events:
    """Conversion of the events of one stream for the runner."""

    def __init__(self, observer: RunObserver, eager: bool) -> None:
        self._observer = observer
        self._eager = eager
        self._items_by_index: dict[int, Any] = {}

    def convert(self, event: Any) -> Any:
        """Return an event for the runner, in which blocked calls that cannot run are replaced."""
        kind = getattr(event, "type", None)
        if kind == "response.output_item.done":
            return self._handle_item(event)
        return self._handle_response(event) if kind == "response.completed" else event

    def _handle_item(self, event: Any) -> Any:
        """
        Judge a call that the runner cannot run.

        Other calls are judged when they run, or with their turn.
        """
        item = self._items_by_index[event.output_index] = event.item
        # an eager runner starts a call before its response is complete
        if not self._eager or not is_call(item) or self._observer.can_run(item):
            return event
        items = self._observer.judge([item])
        return event if items is None else event.model_copy(update={"item": items[0]})

    def _handle_response(self, event: Any) -> Any:
        response = event.response
        if getattr(response, "output", None) is None:  # assembled as by the SDK
            output = [self._items_by_index[index] for index in sorted(self._items_by_index)]
            response = response.model_copy(update={"output": output})
        replaced = self._observer.judge_response(response)
        return event if replaced is response else event.model_copy(update={"response": replaced})


class _Stream:
    """A stream of events, as the runner reads it."""

    def __init__(self, stream: Any, events: _Events) -> None:
        self._stream = stream
        self._events = events

    def __iter__(self) -> Iterator[Any]:
        for event in self._stream:
            yield self._events.convert(event)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _AsyncStream(_Stream):
    """Async version of `_Stream`."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for event in self._stream:
            yield self._events.convert(event)
