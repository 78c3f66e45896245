"""Where the spans of a run hold a word that the model wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opentelemetry.sdk.trace import ReadableSpan

CANARY = "k4narienvogel"


def places(spans: Iterable[ReadableSpan]) -> set[tuple[str, str]]:
    """Return the name and the place of each span text that contains the canary."""
    return {(span.name, place) for span in spans for place, text in _texts(span) if CANARY in text}


def _texts(span: ReadableSpan) -> Iterator[tuple[str, str]]:
    yield "name", span.name
    yield "status", span.status.description or ""
    for name, value in (span.attributes or {}).items():
        yield name, str(value)
    for event in span.events:
        for name, value in (event.attributes or {}).items():
            yield f"{event.name}: {name}", str(value)
