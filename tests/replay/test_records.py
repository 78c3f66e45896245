"""Parsing a line as an object: each error is one line that says what to do."""

from __future__ import annotations

import re

import pytest

from abs_shield.replay.file_lines import read_record


def test_an_object_is_parsed():
    """A byte order mark before the object is ignored."""
    assert {"a": 1} == read_record(b'{"a": 1}\n') == read_record(b'\xef\xbb\xbf{"a": 1}')


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[\n", "the line is not JSON: Expecting value at character 2; write one object a line"),
        (b"  [{", "as `jq -c '.[]' FILE` does"),
        (b"{\n", "as `jq -c '.' FILE` does"),
        (b"word", "the line is not JSON: Expecting value at character 0; write one JSON object"),
        (b'[{"a": 1}, {}]', "a run is an object, not a list of 2 items; write one object a line"),
        (b"7", "a run is an object, not 7; write one object a line"),
        (b"\xff", "the line is not UTF-8 at byte 0; give JSON lines"),
        (b"[" * 100_000, "the line is nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "the line holds a number of too many digits"),
    ],
)
def test_a_line_that_is_not_an_object_is_refused(line, reason):
    """The error does not contain the text of Python's own exception."""
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        read_record(line)

    assert "set_int_max_str_digits" not in str(caught.value)
    assert "\n" not in str(caught.value)
