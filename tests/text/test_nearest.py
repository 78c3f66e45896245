"""The known name that is most similar to a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.nearest import nearest

TOOLS = ["refund", "transfer", "read_database", "delete_database", "create_user", "get_user"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("refnud", "refund"),
        ("Refund", "refund"),
        ("refunds", "refund"),
        ("deleteDatabase", "delete_database"),
        ("database_delete", "delete_database"),
        ("delete-database", "delete_database"),
        ("createUser", "create_user"),
        ("user.get", "get_user"),
    ],
)
def test_the_one_that_was_meant(word: str, expected: str) -> None:
    """A slip, another case, another separator or another order is recognised."""

    assert [expected] == nearest(word, TOOLS)


@pytest.mark.parametrize("word", ["", "xyzzy", "12345", "🙂", "___"])
def test_nothing_near_is_nothing(word: str) -> None:
    """A word that resembles none has no nearest."""

    assert nearest(word, TOOLS) == []


def test_the_nearest_name_is_first() -> None:
    """Several suggestions are in the order of their similarity."""

    assert nearest("get_usr", ["list_roles", "get_users", "get_user"], most=2) == [
        "get_user",
        "get_users",
    ]


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("erase_file", ["create_file", "delete_file"], ["delete_file"]),
        ("erase_file", ["create_file"], []),
        ("transmit_money", ["read_money", "send_money"], ["send_money"]),
        ("show_files", ["search_files", "list_files"], ["list_files"]),
    ],
)
def test_what_a_verb_means_counts(word: str, known: list[str], expected: list[str]) -> None:
    """A tool with a verb of another meaning is not what was meant."""

    assert nearest(word, known) == expected


@given(st.text(), st.lists(st.text()), st.integers(0, 5))
def test_suggestions_are_known_names_up_to_the_limit(
    word: str, known: list[str], most: int
) -> None:
    """For any word the suggestions are known names, at most as many as requested."""
    results = nearest(word, known, most=most)

    assert (len(results) <= most, set(results) <= set(known)) == (True, True)


@given(st.text(min_size=1, max_size=128), st.lists(st.text()))
def test_a_known_name_is_its_own_nearest(word: str, known: list[str]) -> None:
    """A known name is among its own suggestions."""

    assert word in nearest(word, [*known, word], most=len(known) + 1)


def test_a_huge_word_is_cut() -> None:
    """A name of a million characters costs no more than a long one."""

    assert nearest("x" * 1_000_000, TOOLS) == []


def test_a_huge_registry_is_bounded() -> None:
    """Names beyond the bound are not compared."""
    known = (f"tool_{n}" if n < 10_000 else pytest.fail("too far") for n in range(10_001))

    assert nearest("refund", known) == []
