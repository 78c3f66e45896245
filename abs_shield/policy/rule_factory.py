"""Helper functions for rule factories, which build rules from tools, parameters and limits."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.policy.declaration_base import as_tuple
from abs_shield.policy.rule import Rule, rule
from abs_shield.session import Executed
from abs_shield.text.exact_values import amount
from abs_shield.text.failure_results import is_only_failure
from abs_shield.text.json_leaves import json_data
from abs_shield.text.safe_display import escaped, shown

Tools = str | Iterable[str]
"""The tool or the tools that a rule applies to."""

_MOST_LISTED = 20  # more would fill the feedback that the model reads
_FACTORY_PACKAGE = "abs_shield.policy."


def has_failed(call: Executed) -> bool:
    """
    Return whether a call raised, or its result states an error and nothing else.

    A result that may contain anything beside an error counts as a success, so that a limit cannot
    be evaded.
    """
    return call.error or is_only_failure(json_data(call.value), call.arguments)


def build_rule(
    check: Callable[..., Any],
    *,
    tool: Tools,
    takes: Mapping[str, str],
    sentence: str,
    tries: Iterable[Any] = (),
) -> Rule:
    """
    Build a rule from the inner function of a factory.

    The rule has the name of the factory, such as ``money.at_most``, and the file and line of the
    factory's call in the policy, because the limit is set there.

    Args:
        check: The inner function.
        tool: The tool or the tools that the rule applies to.
        takes: The function's parameter names to the tool's.
        sentence: The text for the model.
        tries: Values around the limit, which `abs-shield prove` tests.

    Raises:
        PolicyError: The tool or a parameter is not a name.
    """
    pack = check.__module__.rpartition(".")[2]
    name = f"{pack}.{check.__qualname__.partition('.')[0]}"
    frame = inspect.currentframe()
    # Factories may call each other: the first frame outside them belongs to the policy.
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_FACTORY_PACKAGE):
        frame = frame.f_back
    # The message names the factory, because the author does not know the inner function.
    try:
        built = rule(tool=tool, takes=takes, sentence=sentence)(check)
    except PolicyError as error:
        raise PolicyError(str(error).replace(f"rule `{check.__name__}`", f"`{name}`", 1)) from None
    built = replace(built, name=name, tries=tuple(tries))
    if frame is None:
        return built
    return replace(built, file=frame.f_code.co_filename, line=frame.f_lineno)


def sentence_subject(what: str | None, parameter: str) -> str:
    """
    Return the subject of a rule's sentence: *what*, or the parameter if it is None.

    >>> sentence_subject("A refund", "amount"), sentence_subject(None, "amount")
    ('A refund', '`amount`')
    """
    return quoted_names(parameter) if what is None else escaped(what, limit=200)


def quoted_names(names: Any) -> str:
    """
    Return names in backticks, joined with commas and "or".

    >>> quoted_names("to"), quoted_names(["to", "cc", "bcc"])
    ('`to`', '`to`, `cc` or `bcc`')
    """
    several = (names,) if isinstance(names, str) else tuple(names)
    *first, last = [f"`{escaped(str(name))}`" for name in several]
    return f"{', '.join(first)} or {last}" if first else last


def one_of_text(values: Iterable[str]) -> str:
    """
    Return the sorted values as text, at most twenty of them.

    >>> one_of_text({"USD", "EUR"})
    'one of EUR, USD'
    """
    ordered = sorted(values)
    text = ", ".join(escaped(value) for value in ordered[:_MOST_LISTED])
    if len(ordered) == 1:
        return text
    more = f" and {len(ordered) - _MOST_LISTED} more" if len(ordered) > _MOST_LISTED else ""
    return f"one of {text}{more}"


def exact_number(value: Any, *, of: str) -> Decimal:
    """
    Return a limit as an exact number.

    Raises:
        PolicyError: The value is not a finite number; the message names the factory *of*.
    """
    # In a policy, a text such as "500" is a mistake, although a call may contain it.
    exact = None if isinstance(value, str) else amount(value)
    if exact is None or not exact.is_finite():
        raise PolicyError(f"`{of}` got {shown(value)}; give a number")
    return exact


def word_set(values: Any, *, of: str) -> frozenset[str]:
    """
    Return a list of words as a set.

    Raises:
        PolicyError: The value is not a list, is empty, or contains something other than non-empty
            texts; the message names the factory *of*.
    """
    listed_values = as_tuple(values, where=f"`{of}`: the list")
    # Every text contains the empty word.
    wrong = [value for value in listed_values if not (isinstance(value, str) and value)]
    if wrong or not listed_values:
        raise PolicyError(f"`{of}` got {shown(wrong[0]) if wrong else 'nothing'}; give words")
    return frozenset(listed_values)


def parameters(names: str | Iterable[str], *, of: str) -> dict[str, str]:
    """
    Return one or several parameter names as ``takes`` of a rule: each name to itself.

    Raises:
        PolicyError: One of them is not a name.
    """
    listed_names = (
        (names,) if isinstance(names, str) else as_tuple(names, where=f"`{of}`: `parameter`")
    )
    word_set(listed_names, of=of)
    return {name: name for name in listed_names}
