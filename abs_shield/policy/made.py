"""Rules that are made from arguments: their tool, their parameters and their limits are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.policy.declared import listed
from abs_shield.policy.rule import Rule, rule
from abs_shield.text.amounts import amount
from abs_shield.text.show import escaped, shown

Tools = str | Iterable[str]
"""The tool, or the tools, that a rule judges."""

_MOST_NAMED = 20
_MADE_HERE = "abs_shield.policy."


def made(
    check: Callable[..., Any],
    *,
    tool: Tools,
    takes: Mapping[str, str],
    sentence: str,
    tries: Iterable[Any] = (),
) -> Rule:
    """
    Give *check*, a function inside a factory, as a rule.

    It has the factory's name, as in ``money.at_most``; its file and line are where the policy
    calls the factory, because there the limit stands. *tries* are values at which it turns.

    Raises:
        PolicyError: The tool or a parameter is no name.
    """
    pack = check.__module__.rpartition(".")[2]
    name = f"{pack}.{check.__qualname__.partition('.')[0]}"
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_MADE_HERE):
        frame = frame.f_back
    try:
        ready = rule(tool=tool, takes=takes, sentence=sentence)(check)
    except PolicyError as error:
        raise PolicyError(str(error).replace(f"rule `{check.__name__}`", f"`{name}`", 1)) from None
    ready = replace(ready, name=name, tries=tuple(tries))
    if frame is None:
        return ready
    return replace(ready, file=frame.f_code.co_filename, line=frame.f_lineno)


def subject(what: str | None, parameter: str) -> str:
    """
    Name what a sentence is about: the author's words, else the parameter.

    >>> subject("A refund", "amount"), subject(None, "amount")
    ('A refund', '`amount`')
    """
    return quoted(parameter) if what is None else escaped(what, limit=200)


def quoted(names: Any) -> str:
    """
    Give names as a sentence has them.

    >>> quoted("to"), quoted(["to", "cc", "bcc"])
    ('`to`', '`to`, `cc` or `bcc`')
    """
    several = (names,) if isinstance(names, str) else tuple(names)
    *first, last = [f"`{escaped(str(name))}`" for name in several]
    return f"{', '.join(first)} or {last}" if first else last


def one_of(values: Iterable[str]) -> str:
    """
    List what is allowed, in order, cut after twenty.

    >>> one_of({"USD", "EUR"})
    'one of EUR, USD'
    """
    known = sorted(values)
    said = ", ".join(escaped(value) for value in known[:_MOST_NAMED])
    if len(known) == 1:
        return said
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"one of {said}{more}"


def number(value: Any, *, of: str) -> Decimal:
    """
    Give a limit as an exact number.

    Raises:
        PolicyError: It is none; *of* names the factory.
    """
    found = None if isinstance(value, str) else amount(value)
    if found is None or not found.is_finite():
        raise PolicyError(f"`{of}` got {shown(value)}; give a number")
    return found


def words(values: Any, *, of: str) -> frozenset[str]:
    """
    Give a list of words as a set.

    Raises:
        PolicyError: It is no list, it is empty, or not all of it are words.
    """
    given = listed(values, where=f"`{of}`: the list")
    wrong = [value for value in given if not (isinstance(value, str) and value)]
    if wrong or not given:
        raise PolicyError(f"`{of}` got {shown(wrong[0]) if wrong else 'nothing'}; give words")
    return frozenset(given)


def parameters(names: str | Iterable[str], *, of: str) -> dict[str, str]:
    """
    Give one parameter, or several, as what a rule takes under their own names.

    Raises:
        PolicyError: One of them is no name.
    """
    given = (names,) if isinstance(names, str) else listed(names, where=f"`{of}`: `parameter`")
    words(given, of=of)
    return {name: name for name in given}
