"""Parse a line of JSON as an object, with one-line errors."""

from __future__ import annotations

import json
from typing import Any

from abs_shield.text.show import shown

_OPENINGS = (b"[", b"{", b"[{")


def read_record(line: bytes, *, noun: str = "a run") -> dict[str, Any]:
    """
    Return the object in *line*.

    Args:
        line: One line of a file of JSON lines.
        noun: The name of the object with its article, for the error.

    Raises:
        ValueError: The line is not UTF-8, not JSON or not an object; the message is one line,
            with a hint if a JSON file was passed instead of JSON lines.
    """
    try:
        # a byte order mark may begin any line of joined files
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"the line is not UTF-8 at byte {error.start}"
        raise ValueError(f"{message}; give JSON lines, plain or gzip") from None
    except json.JSONDecodeError as error:
        message = f"the line is not JSON: {error.msg} at character {error.pos}"
        raise ValueError(message + _hint(line)) from None
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    except ValueError:  # Python limits the digits of an integer, as reading is quadratic
        raise ValueError("the line holds a number of too many digits") from None
    if isinstance(record, dict):
        return record
    message = f"{noun} is an object, not {shown(record)}"
    hint = _jq_hint(".[]") if isinstance(record, list) else "write one object a line"
    raise ValueError(f"{message}; {hint}")


def _hint(line: bytes) -> str:
    """Return a hint for a line that only opens a value, as in a formatted file."""
    # a formatted file has only an opening bracket on its first line
    if line.strip() not in _OPENINGS:
        return "; write one JSON object a line"
    path = ".[]" if line.strip().startswith(b"[") else "."
    return f"; {_jq_hint(path)}"


def _jq_hint(path: str) -> str:
    return f"write one object a line, as `jq -c '{path}' FILE` does"
