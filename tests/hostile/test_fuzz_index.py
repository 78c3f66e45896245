"""Fuzz tests: the index accepts any text and value, and finds the ids that they contain."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from abs_shield import Session
from abs_shield.session import Limits, Origin
from abs_shield.session.session_record import mentions_of
from abs_shield.text.failure_results import is_failure_result
from tests.hostile.test_fuzz_parser import JSON, TEXT

ODD = st.sampled_from(
    ["\ufdfa", "ẞ", "İ", "ǅ", "\u200b", "a\u0301", "１２", "²", "½", "\u202e", "\ud800", "é",
     "ﬁ", "٣", "تك", "订单", "-", "_", "/", ".", "@", "%2F", "+1 (", "#", "{x}", "<id>", "://",
     "2024-01-01", "1,234.50", "\\u0041", '"{', "[[", "\x00", "\n", "\t", " "]
)  # fmt: skip
TOLD = st.lists(TEXT | ODD, max_size=12).map("".join)
TOKENS = st.from_regex(re.compile(r"[a-z]{2,4}[_-][0-9]{4,8}", re.ASCII), fullmatch=True)
SMALL = Limits(keys=60, text=200, message=100)


def add_texts(session: Session, texts: list[str], value: Any) -> None:
    session.user(" ".join(texts[:1]))
    for text in texts:
        session.system(text)
        session.tool_result("look", text)
    session.tool_result("look", value)
    session.tool_result("look", json.dumps(value), error=True)


@given(st.lists(TOLD, max_size=4), JSON, TOLD | st.integers() | st.floats())
@example(["\ufdfa" * 50], {"\ud800": "\ud800"}, "\ud800")
def test_the_index_accepts_any_text_and_any_value(texts: list[str], value: Any, asked: Any) -> None:
    """`origin` returns an Origin or None for any value, and nothing raises."""
    for limits in (Limits(), SMALL):
        session = Session(limits=limits)
        add_texts(session, texts, value)

        assert isinstance(session.origin(asked), (Origin, type(None)))
        assert isinstance(mentions_of(session).find_similar(str(asked)), list)


@given(TOKENS, st.lists(TOLD, max_size=3), st.sampled_from([" ", "\n", "\t", ", ", '"', "(", "|"]))
def test_a_mentioned_token_is_found(token: str, texts: list[str], space: str) -> None:
    """An id that is separated from its text is found, whatever precedes it."""
    session = Session()
    session.user(f"{' '.join(texts)}{space}{token} end")

    assert "user" == session.origin(token).source


@given(TOKENS, JSON)
def test_an_id_in_a_result_is_found(token: str, value: Any) -> None:
    """It is found in a result that is an object, and in one that is JSON text."""
    result = {"order_id": token, "more": value}
    assume(not is_failure_result(result))
    plain, written = Session(), Session()
    plain.tool_result("look", result)
    written.tool_result("look", json.dumps(result))

    assert [True, True] == [session.origin(token) is not None for session in (plain, written)]


@given(TOKENS, st.lists(TOLD, max_size=3))
def test_an_unmentioned_id_is_not_found(token: str, texts: list[str]) -> None:
    """An id whose first digits occur in no text has no origin."""
    session = Session()
    for text in texts:
        session.user(text)
    digits = re.sub(r"\D", "", token)
    results = re.sub(r"\D", "", "".join(texts))
    assume(digits.lstrip("0")[:3] not in results)

    assert session.origin(token) is None


@given(st.lists(TOLD, min_size=1, max_size=8))
def test_the_size_of_the_index_is_bounded(texts: list[str]) -> None:
    """The numbers of keys and of stored characters do not exceed the limits."""
    session = Session(limits=SMALL)
    for text in texts * 4:
        session.user(text)
        session.tool_result("look", {"id": text, "more": [text, text + "9"]})
    index = mentions_of(session)._index._index
    tables = (*index._exact, *index._pairs, index._spellings.parts, index._spellings.squeezed)

    assert sum(map(len, tables)) <= SMALL.keys
    assert len(index._recent_text._blocks) == 1 or index._recent_text._size <= SMALL.text
