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
def test_a_growing_list_is_taken_once(words: list[str], stops: list[int]) -> None:
    """In whatever steps a list grows, each message is given once, in order."""
    transcript = MessageDeduplicator()
    given_so_far: list[str] = []
    for stop in [*sorted(stops), len(words)]:
        given_so_far += transcript.select_new(words[:stop])

    assert words == given_so_far


def test_equal_messages_of_a_growing_list_both_count() -> None:
    """A user who says yes twice has said it twice."""
    session = Session()
    session.add([user("yes")])
    session.add([user("yes"), user("yes")])

    assert texts(session) == ["yes", "yes"]


def test_an_empty_list_forgets_nothing() -> None:
    """A session that is asked for again by its id, with no messages, has heard them still."""
    transcript = MessageDeduplicator()
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]

    shown = [[*transcript.select_new(option)] for option in (messages, [], messages)]
    assert [messages, [], []] == shown


def test_a_trimmed_list_gives_only_what_is_new() -> None:
    """A host that drops the oldest messages does not repeat the others."""
    session = Session()
    session.add([user("a"), user("b"), user("c")])
    session.add([user("b"), user("c"), user("d")])

    assert texts(session) == ["a", "b", "c", "d"]


def test_a_trimmed_list_goes_on_growing() -> None:
    """After a trim the new list is the prefix."""
    session = Session()
    session.add([user("a"), user("b")])
    session.add([user("b"), user("c")])
    session.add([user("b"), user("c"), user("c")])

    assert texts(session) == ["a", "b", "c", "c"]


def test_a_repeated_message_of_a_trimmed_list_counts() -> None:
    """The question and the yes that follow a known question and yes are said once more."""
    session = Session()
    session.add([user("a"), user("sure?"), user("yes")])
    session.add([user("sure?"), user("yes"), user("sure?"), user("yes")])

    assert texts(session) == ["a", "sure?", "yes", "sure?", "yes"]


def test_a_list_may_be_trimmed_behind_its_first_message() -> None:
    """A host that keeps the system prompt and drops what follows it loses no repeated message."""
    session = Session()
    session.add([user("system"), user("a"), user("b"), user("yes")])
    session.add([user("system"), user("b"), user("yes"), user("yes")])

    assert texts(session) == ["system", "a", "b", "yes", "yes"]


def test_a_list_that_was_trimmed_may_come_back_whole() -> None:
    """Messages from before the trim are still known."""
    session = Session()
    session.add([user("a"), user("b")])
    session.add([user("b"), user("c")])
    session.add([user("a"), user("b"), user("c")])

    assert texts(session) == ["a", "b", "c"]


@given(st.lists(st.integers(0, 99), unique=True, max_size=30), st.data())
def test_a_window_gives_each_message_once(words: list[int], data: st.DataObject) -> None:
    """A window that moves along a list, overlapping what it showed, gives the list."""
    transcript, given_so_far, stop = MessageDeduplicator(), list[int](), 0
    while stop < len(words):
        start = data.draw(st.integers(0, max(0, stop - 1)))
        stop = data.draw(st.integers(stop + 1, len(words)))
        given_so_far += transcript.select_new(words[start:stop])

    assert words == given_so_far


@given(st.lists(st.sampled_from("ab"), max_size=9), st.lists(st.sampled_from("ab"), max_size=9))
def test_the_meeting_is_the_longest(known: list[str], given: list[str]) -> None:
    """The end of one list that another begins with is found as by trying each length."""
    old, new = ([word.encode() for word in words] for words in (known, given))
    lengths = range(min(len(old), len(new)) + 1)

    assert _find_border(old, new) == max(n for n in lengths if old[len(old) - n :] == new[:n])


def test_long_repetitive_lists_are_aligned_quickly() -> None:
    """Two lists of the same message over and over take time linear in their length."""
    transcript = MessageDeduplicator()
    list(transcript.select_new(["b"] * 20_000))
    started = perf_counter()

    assert list(transcript.select_new(["b"] * 15_000 + ["a"])) == ["a"]
    assert perf_counter() - started < 2


def test_an_edited_message_is_taken() -> None:
    """A message that was rewritten at the end is new."""
    session = Session()
    session.add([user("a"), user("b")])
    session.add([user("a"), user("B")])

    assert texts(session) == ["a", "b", "B"]


def test_an_unreadable_message_loses_no_other() -> None:
    """Those before it are added, and those after it when the list is mended."""
    session = Session()
    with pytest.raises(ValueError, match="role"):
        session.add([user("a"), {"role": "wizard"}, user("b")])
    session.add([user("a"), user("b")])

    assert texts(session) == ["a", "b"]


def test_an_unreadable_message_of_a_trimmed_list_loses_no_other() -> None:
    """The same holds where the list does not begin as before."""
    session = Session()
    session.add([user("a"), user("b")])
    with pytest.raises(ValueError, match="role"):
        session.add([user("b"), user("c"), {"role": "wizard"}, user("d")])
    session.add([user("b"), user("c"), user("d")])

    assert texts(session) == ["a", "b", "c", "d"]


def test_an_unreadable_message_of_an_edited_list_repeats_no_other() -> None:
    """Messages from before the edit are not repeated after the list is repaired."""
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
    """An object of an SDK is the same message when it is passed again."""
    session = Session()
    session.add([_Message()])
    session.add([_Message(), _Message(content="b")])

    assert texts(session) == ["a", "b"]


def test_keys_of_several_kinds_are_no_error():
    """A message that is not quite JSON is remembered as well."""
    session = Session()
    odd = {"role": "user", "content": "hi", "meta": {1: "a", "b": 2}}
    session.add([odd])
    session.add([odd])

    assert 1 == len(list(record_of(session).log))
