"""A growing list of messages may be passed again and again."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from abs_shield import Session
from abs_shield.core.events import MessageText
from abs_shield.session.message_deduplication import MessageDeduplicator, _find_border
from abs_shield.session.session_record import record_of


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def texts(session: Session) -> list[str]:
    return [e.event.text for e in session.entries() if isinstance(e.event, MessageText)]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.integers(0, 12), max_size=6))
def test_messages_of_a_growing_list_are_new_once(words: list[str], stops: list[int]) -> None:
    """Each message is selected once, in order, in whatever steps the list grows."""
    transcript = MessageDeduplicator()
    given_so_far: list[str] = []
    for stop in [*sorted(stops), len(words)]:
        given_so_far += transcript.select_new(words[:stop])

    assert words == given_so_far


def test_equal_messages_of_a_growing_list_both_count() -> None:
    """Two equal messages of a user are two messages."""
    session = Session()
    session.add([user("yes")])
    session.add([user("yes"), user("yes")])

    assert texts(session) == ["yes", "yes"]


def test_an_empty_list_changes_nothing() -> None:
    """After an empty list, the messages of the previous list are still old."""
    transcript = MessageDeduplicator()
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]

    shown = [[*transcript.select_new(option)] for option in (messages, [], messages)]
    assert [messages, [], []] == shown


def test_only_new_messages_of_a_trimmed_list_are_selected() -> None:
    """The remaining messages of a list without its oldest ones are not repeated."""
    session = Session()
    session.add([user("a"), user("b"), user("c")])
    session.add([user("b"), user("c"), user("d")])

    assert texts(session) == ["a", "b", "c", "d"]


def test_a_trimmed_list_may_grow() -> None:
    """After a trim, lists are compared with the trimmed one."""
    session = Session()
    session.add([user("a"), user("b")])
    session.add([user("b"), user("c")])
    session.add([user("b"), user("c"), user("c")])

    assert texts(session) == ["a", "b", "c", "c"]


def test_a_repeated_message_of_a_trimmed_list_counts() -> None:
    """A question and an answer that follow equal ones are new messages."""
    session = Session()
    session.add([user("a"), user("sure?"), user("yes")])
    session.add([user("sure?"), user("yes"), user("sure?"), user("yes")])

    assert texts(session) == ["a", "sure?", "yes", "sure?", "yes"]


def test_a_list_may_be_trimmed_after_its_first_message() -> None:
    """A repeated message is new even if messages after the system prompt were dropped."""
    session = Session()
    session.add([user("system"), user("a"), user("b"), user("yes")])
    session.add([user("system"), user("b"), user("yes"), user("yes")])

    assert texts(session) == ["system", "a", "b", "yes", "yes"]


def test_a_trimmed_list_may_be_complete_again() -> None:
    """Messages from before the trim are still old."""
    session = Session()
    session.add([user("a"), user("b")])
    session.add([user("b"), user("c")])
    session.add([user("a"), user("b"), user("c")])

    assert texts(session) == ["a", "b", "c"]


@given(st.lists(st.integers(0, 99), unique=True, max_size=30), st.data())
def test_each_message_of_a_moving_window_is_new_once(words: list[int], data: st.DataObject) -> None:
    """The selected messages of overlapping windows of a list are the list."""
    transcript, given_so_far, stop = MessageDeduplicator(), list[int](), 0
    while stop < len(words):
        start = data.draw(st.integers(0, max(0, stop - 1)))
        stop = data.draw(st.integers(stop + 1, len(words)))
        given_so_far += transcript.select_new(words[start:stop])

    assert words == given_so_far


@given(st.lists(st.sampled_from("ab"), max_size=9), st.lists(st.sampled_from("ab"), max_size=9))
def test_the_longest_border_is_found(known: list[str], given: list[str]) -> None:
    """The result equals that of trying each length."""
    old, new = ([word.encode() for word in words] for words in (known, given))
    lengths = range(min(len(old), len(new)) + 1)

    assert _find_border(old, new) == max(n for n in lengths if old[len(old) - n :] == new[:n])


def test_long_repetitive_lists_are_aligned_quickly() -> None:
    """Comparing two lists of equal messages takes time linear in their length."""
    transcript = MessageDeduplicator()
    list(transcript.select_new(["b"] * 20_000))
    started = perf_counter()

    assert list(transcript.select_new(["b"] * 15_000 + ["a"])) == ["a"]
    assert perf_counter() - started < 2


def test_an_edited_message_is_new() -> None:
    """A message that was edited at the end of the list is new."""
    session = Session()
    session.add([user("a"), user("b")])
    session.add([user("a"), user("B")])

    assert texts(session) == ["a", "b", "B"]


def test_messages_around_an_unreadable_one_are_added() -> None:
    """Messages before it are added, and those after it once the list is corrected."""
    session = Session()
    with pytest.raises(ValueError, match="role"):
        session.add([user("a"), {"role": "wizard"}, user("b")])
    session.add([user("a"), user("b")])

    assert texts(session) == ["a", "b"]


def test_messages_around_an_unreadable_one_of_a_trimmed_list_are_added() -> None:
    """The same applies if the list begins with another message."""
    session = Session()
    session.add([user("a"), user("b")])
    with pytest.raises(ValueError, match="role"):
        session.add([user("b"), user("c"), {"role": "wizard"}, user("d")])
    session.add([user("b"), user("c"), user("d")])

    assert texts(session) == ["a", "b", "c", "d"]


def test_messages_of_an_edited_list_with_an_unreadable_one_are_not_repeated() -> None:
    """Messages from before the edit are not repeated once the list is corrected."""
    session = Session()
    session.add([user("a"), user("b"), user("c")])
    with pytest.raises(ValueError, match="role"):
        session.add([user("A"), {"role": "wizard"}, user("b"), user("c")])
    session.add([user("A"), user("b"), user("c"), user("d")])

    assert texts(session) == ["a", "b", "c", "A", "d"]


class _Message(BaseModel):
    role: str = "user"
    content: str = "a"


def test_sdk_objects_are_recognised() -> None:
    """An object of an SDK is an old message when it is passed again."""
    session = Session()
    session.add([_Message()])
    session.add([_Message(), _Message(content="b")])

    assert texts(session) == ["a", "b"]


def test_keys_of_several_types_are_accepted():
    """A message that is not valid JSON is recognised as well."""
    session = Session()
    odd = {"role": "user", "content": "hi", "meta": {1: "a", "b": 2}}
    session.add([odd])
    session.add([odd])

    assert 1 == len(list(record_of(session).log))
