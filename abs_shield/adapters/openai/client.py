"""The client that the tool runner is given: the host's own, with a run's observer around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from abs_shield.adapters.openai.items import is_call
from abs_shield.adapters.openai.observer import RunObserver


class ObservedResponses:
    """
    The part of a client that asks for responses; the observer sees each before the runner.

    Args:
        responses: The client's own part.
        observer: The run's observer.
        eager: Whether the runner runs calls while their response still streams.
    """

    def __init__(self, responses: Any, observer: RunObserver, *, eager: bool) -> None:
        self.responses = responses
        self.observer = observer
        self.eager = eager

    def create(self, **request: Any) -> Any:
        """Ask for a response, whole or as a stream."""
        response = self.responses.create(**self.observer.request(request))
        if request.get("stream"):
            return _Stream(response, _Events(self.observer, self.eager))
        return self.observer.response(response)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.responses, name)


class AsyncObservedResponses(ObservedResponses):
    """As `ObservedResponses`, of an async client."""

    async def create(self, **request: Any) -> Any:
        """Ask for a response, whole or as a stream."""
        response = await self.responses.create(**self.observer.request(request))
        if request.get("stream"):
            return _AsyncStream(response, _Events(self.observer, self.eager))
        return self.observer.response(response)


class ObservedClient:
    """
    A client with another part that asks for responses.

    Args:
        client: The host's client.
        observed: Makes that part of the client's own.
    """

    def __init__(self, client: Any, observed: Callable[[Any], ObservedResponses]) -> None:
        self._client = client
        self._observed = observed

    @property
    def responses(self) -> ObservedResponses:
        """The part that asks for responses."""
        return self._observed(self._client.responses)

    def with_options(self, **options: Any) -> ObservedClient:
        """Return the same with other options."""
        return ObservedClient(self._client.with_options(**options), self._observed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


class _Events:
    """The events of one stream, as the runner is shown them."""

    def __init__(self, observer: RunObserver, eager: bool) -> None:
        self._observer = observer
        self._eager = eager
        self._done: dict[int, Any] = {}

    def shown(self, event: Any) -> Any:
        """Return an event; its calls that the runner cannot run are replaced where blocked."""
        kind = getattr(event, "type", None)
        if kind == "response.output_item.done":
            return self._item_done(event)
        return self._completed(event) if kind == "response.completed" else event

    def _item_done(self, event: Any) -> Any:
        """A call that the runner could run is judged when it does so, or with its turn."""
        item = self._done[event.output_index] = event.item
        if not self._eager or not is_call(item) or self._observer.can_run(item):
            return event
        items = self._observer.judged([item])
        return event if items is None else event.model_copy(update={"item": items[0]})

    def _completed(self, event: Any) -> Any:
        response = event.response
        if getattr(response, "output", None) is None:  # the SDK puts it together the same way
            output = [self._done[index] for index in sorted(self._done)]
            response = response.model_copy(update={"output": output})
        shown = self._observer.response(response)
        return event if shown is response else event.model_copy(update={"response": shown})


class _Stream:
    """A stream of events, read as the runner reads it."""

    def __init__(self, stream: Any, events: _Events) -> None:
        self._stream = stream
        self._events = events

    def __iter__(self) -> Iterator[Any]:
        for event in self._stream:
            yield self._events.shown(event)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _AsyncStream(_Stream):
    """As `_Stream`, of an async client."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for event in self._stream:
            yield self._events.shown(event)
