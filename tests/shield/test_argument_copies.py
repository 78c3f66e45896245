"""Judging does not change arguments: iterators, streams, large values, durations."""

from __future__ import annotations

import io
import itertools
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any

import pytest
from pydantic import BaseModel

from abs_shield import CallBlocked, Shield, Verdict, shield, shielded
from abs_shield.schema.value_limits import MAX_NODES
from abs_shield.shield.argument_copies import as_json

both_modes = pytest.mark.parametrize("mode", ["audit", "strict"])


def call_with_argument(tool, value, mode="strict"):
    """Return a shielded tool's result for one argument, the verdict, and the judged arguments."""
    firewall = Shield(shield.configure(mode=mode))
    with firewall.session() as session:
        outputs = shielded(firewall)(tool)(value)
    return outputs, session.decisions[0].verdict, session.executed[0].arguments


def total(items):
    return sum(items)


def total_iterable(items: Iterable[int]):
    return sum(items)


def total_iterator(items: Iterator[int] | None):
    return sum(items)


def total_generator(items: Generator[int, None, None]):
    return sum(items)


@both_modes
@pytest.mark.parametrize("tool", [total_iterable, total_iterator, total_generator])
def test_an_iterator_reaches_the_tool_unread(tool, mode):
    """An iterator is clean if its hint accepts one, and the tool reads all of it."""
    assert (6, Verdict.CLEAN, {"items": []}) == call_with_argument(
        tool, (n for n in [1, 2, 3]), mode
    )


@both_modes
def test_an_iterator_without_a_hint_is_described(mode):
    """Without a hint, it is judged as an iterator."""
    named = {"items": "<generator>"}

    assert (6, Verdict.CLEAN, named) == call_with_argument(total, (n for n in [1, 2, 3]), mode)


@pytest.mark.parametrize("tool", [total_iterable, total_iterator, total_generator])
def test_a_list_for_an_iterator_is_judged(tool):
    """The list of a model is validated by the hint, and converted for the tool."""
    firewall = Shield(shield.configure())
    wrapped = shielded(firewall)(tool)

    assert 3 == firewall.dispatch(tool.__name__, {"items": [1, 2]})
    with pytest.raises(CallBlocked, match="/arguments/items/1"):
        wrapped([1, "two"])


def test_an_endless_iterator_is_not_read():
    """Judging does not read an endless iterator."""
    assert 0 == call_with_argument(lambda numbers: next(numbers), itertools.count())[0]


def upload(file):
    return file.read()


def upload_stream(file: IO[bytes]):
    return file.read()


def upload_buffer(file: io.BytesIO | None = None):
    return file.read()


@both_modes
@pytest.mark.parametrize("tool", [upload, upload_stream, upload_buffer])
def test_a_stream_reaches_the_tool_unread(tool, mode):
    """A stream is injected, and the tool reads it from its beginning."""
    assert (b"payload", Verdict.CLEAN) == call_with_argument(tool, io.BytesIO(b"payload"), mode)[:2]


def test_an_async_iterator_is_injected():
    """It has no JSON form, so it is not in the schema."""

    def follow(name: str, feed: AsyncIterator[int] | None = None) -> None: ...

    tool = Shield(shield.configure()).register(follow).tool

    assert ["name"] == list(tool.parameters["properties"])


class Batch(BaseModel):
    items: Any
    at: datetime = datetime(2025, 1, 1)


@dataclass
class Parcel:
    items: Any


@pytest.mark.parametrize("kind", [Batch, Parcel])
def test_an_iterator_inside_a_model_is_unread(kind):
    """Models and dataclasses with an iterator are serialized field by field."""
    value, _, arguments = call_with_argument(
        lambda batch: list(batch.items), kind(items=iter([1, 2]))
    )

    assert ([1, 2], "<list_iterator>") == (value, arguments["batch"]["items"])


def test_a_time_inside_a_model_is_a_time():
    """A naive time inside a model is accepted."""

    def book(batch: Batch) -> bool:
        return True

    assert (True, Verdict.CLEAN) == call_with_argument(book, Batch(items=[]))[:2]


def test_the_record_does_not_change_with_the_argument():
    """Later changes of a list by the tool are not recorded."""
    assert {"items": [1]} == call_with_argument(lambda items: items.clear(), [1])[2]


def nested(depth):
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


def endless():
    value: list = []
    value.append(value)
    return value


ODD = {
    "large": ([{str(n): n for n in range(100)}] * 2_000, "too_large"),
    "wide": ([[0] * 60_000, [0] * 60_000], "too_large"),
    "deep": (nested(70), "too_deep"),
    "endless": (endless(), "too_deep"),
    "model": (Batch(items=nested(70)), "too_deep"),
    "large model": (Batch(items=[0] * 200_000), "too_large"),
}


@pytest.mark.parametrize("odd", ODD)
def test_a_value_beyond_the_caps_is_a_mismatch(odd):
    """Values that are too large or too deep are reported."""
    value, code = ODD[odd]
    with pytest.raises(CallBlocked) as blocked:
        shielded(Shield(shield.configure()))(total)(value)

    assert {code} == {finding.code for finding in blocked.value.decision.findings}


def test_a_value_within_the_caps_is_written_whole():
    """A value up to the limit is serialized completely."""
    assert {"items": nested(62)} == call_with_argument(lambda items: None, nested(62))[2]


def test_a_large_value_is_written_in_part():
    """Only the numbers up to the limit are serialized, but the tool receives all."""
    rows = [{str(n): n for n in range(100)}] * 30_000
    tool = shielded(Shield(shield.configure(mode="audit"), hooks=None))(len_of)

    assert 30_000 == tool(rows)
    assert MAX_NODES <= sum(map(len, as_json({"rows": rows})["rows"])) + 2_000 <= 1.1 * MAX_NODES


def len_of(rows: list[dict[str, int]]) -> int:
    return len(rows)


def wait(length: timedelta) -> timedelta:
    return length


LENGTHS = [
    timedelta(hours=1, seconds=5), timedelta(seconds=0.5), timedelta(seconds=-5), timedelta(0),
    timedelta(days=400, hours=3), timedelta(weeks=-2),
]  # fmt: skip


@pytest.mark.parametrize("length", LENGTHS, ids=str)
def test_a_timedelta_is_clean(length):
    """Its JSON form is that of pydantic, with fractions and signs."""
    assert (length, Verdict.CLEAN) == call_with_argument(wait, length)[:2]


@pytest.mark.parametrize("text", ["yesterday", "P", "PT", "P1S", "1 hour", "PT5"])
def test_a_text_that_is_not_a_duration_is_blocked(text):
    """A model's text must match the pattern."""
    with pytest.raises(CallBlocked, match="/arguments/length"):
        call_with_argument(wait, text)
