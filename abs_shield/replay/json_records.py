"""A line of JSON read as an object, and in one line why it cannot be."""

from __future__ import annotations

import json
from typing import Any

from abs_shield.text.show import shown

_OPENINGS = (b"[", b"{", b"[{")


def read_record(line: bytes, *, noun: str = "a run") -> dict[str, Any]:
    """
    Return the object that *line* holds.

    Args:
        line: One line of a file of JSON lines.
        noun: What the object is, with its article, for the error.

    Raises:
        ValueError: It is not UTF-8, not JSON or not an object; the text is one line, with a hint
            where a whole JSON file was given in place of JSON lines.
    """
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        told = f"the line is not UTF-8 at byte {error.start}"
        raise ValueError(f"{told}; give JSON lines, plain or gzip") from None
    except json.JSONDecodeError as error:
        told = f"the line is not JSON: {error.msg} at character {error.pos}"
        raise ValueError(told + _hint(line)) from None
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    except ValueError:  # Python reads no integer of more than some thousand digits
        raise ValueError("the line holds a number of too many digits") from None
    if isinstance(record, dict):
        return record
    told = f"{noun} is an object, not {shown(record)}"
    hint = _one_a_line(".[]") if isinstance(record, list) else "write one object a line"
    raise ValueError(f"{told}; {hint}")


def _hint(line: bytes) -> str:
    """Return what to do where a line only opens a value, as in a file that is laid out."""
    if line.strip() not in _OPENINGS:
        return "; write one JSON object a line"
    path = ".[]" if line.strip().startswith(b"[") else "."
    return f"; {_one_a_line(path)}"


def _one_a_line(path: str) -> str:
    return f"write one object a line, as `jq -c '{path}' FILE` does"
