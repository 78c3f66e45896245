"""The predicate of one allowlist entry."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from abs_shield.schema.argument_json import ArgumentSerializer
from abs_shield.text.json_leaves import TypePlaceholder


def compile_allow_entry(entry: Any) -> Callable[[Any], bool]:
    """
    Return the predicate of one allowlist entry: a value, a glob, or a callable.

    >>> compile_allow_entry("acct_*")("acct_7"), compile_allow_entry(str.isupper)("ABC")
    (True, True)
    >>> compile_allow_entry(7)(7.0), compile_allow_entry(1)(True), compile_allow_entry(True)(1)
    (True, False, False)
    """
    if callable(entry):
        return lambda value: bool(entry(value))
    if isinstance(entry, str) and any(mark in entry for mark in "*?["):
        return lambda value: isinstance(value, str) and fnmatchcase(value, entry)
    # The JSON that a model sends for an enum member, a UUID or a date.
    sent = ArgumentSerializer().serialize(entry)
    forms = (entry,) if isinstance(sent, TypePlaceholder) else (entry, sent)
    # In JSON, true is not 1; in Python it is.
    is_boolean = isinstance(forms[-1], bool)
    return lambda value: isinstance(value, bool) is is_boolean and value in forms
