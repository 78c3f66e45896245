"""Arguments whose values must come from the run, and how strictly each is judged."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from abs_shield.plan.credentials import may_be_secret, names_event, remove_scheme
from abs_shield.plan.parameter_values import classify_value, is_token
from abs_shield.plan.tool_parameters import Parameter
from abs_shield.text.json_leaves import Path
from abs_shield.text.text_templates import is_blank
from abs_shield.text.value_shapes import (
    is_date_or_time,
    is_placeholder,
    is_quantity,
)

MOST_JUDGED = 10_000
"""Values of one call that are judged; a call with more is reported as not judged."""
_REFERENCES = ("$", "%")
"""First characters of a variable such as ``$API_KEY``, which a host may replace by a secret."""
_NOTATION = re.compile(r"\s*[<{\[][^\W_]+[>}\]]\s*")
"""One word in brackets, such as ``<br>`` or ``<Enter>``: a placeholder only if it is a blank."""
_LOOSE_NOTATION = re.compile(r"\s*(?:[<{\[].*|\S+\s+\S.*)", re.DOTALL)
"""Text with brackets or several words, for parameters that take a pattern, a program or a form."""
# At least 4 characters with a letter and a digit: shorter ones are seats, sizes and codes.
_USER_VALUE = re.compile(r"(?=\D*\d)(?=.*[^\W\d_])[\w./-]{4,64}")
_FIRST_PASSWORDS = frozenset({"changeme", "change_me"})
Kind = Literal["hard", "soft", "public", "slot", "user_value", "credential", "blank"]


class Argument(NamedTuple):
    """
    One argument leaf whose value must come from the run.

    Attributes:
        path: Names and list positions that lead to it.
        text: Its value as text.
        judged: ``hard`` for identifiers; ``soft`` for names and places; ``public`` for well-known
            names; ``slot`` for a value that is an identifier only if results of the run have
            identifiers under the same name; ``user_value`` for a value that is wrong only if the
            user stated another one; ``credential`` for a credential, judged if a result has one of
            that name; ``blank`` for a value that is judged only because it is a blank to fill in.
        must_be_seen: Whether the author declared `Target(must_be_seen=True)`.
        placeholder: Whether the value is a placeholder.
        entity_words: The words that name its kind of entity: ``order`` for ``order_id``.
        examples: Examples of such a value in the schema.
        description: The parameter's description and default, in lower case.
        is_list_key: Whether it only distinguishes the new objects of one list.
        creates: Whether it names a thing that the call creates.
        other_values: For a ``user_value``, all values of the call, normalised; else empty.
    """

    path: Path
    text: str
    judged: Kind
    must_be_seen: bool = False
    placeholder: bool = False
    entity_words: frozenset[str] = frozenset()
    examples: tuple[str, ...] = ()
    description: str = ""
    is_list_key: bool = False
    creates: bool = False
    other_values: frozenset[str] = frozenset()


class UnmentionedLeaf(NamedTuple):
    """A leaf of a judged parameter whose value was not found in the run, or is compared again."""

    path: Path
    leaf: Any
    text: str
    parameter: Parameter


def classify_argument(path: Path, leaf: Any, text: str, parameter: Parameter) -> Argument | None:
    """Return one leaf as an argument whose value must come from the run; None for any other."""
    placeholder = _is_placeholder(leaf, parameter)
    kind = _classify(leaf, text, parameter, placeholder=placeholder)
    if kind is None:
        return None
    # The model did not invent words of the schema itself.
    if (kind == "blank" or (kind == "soft" and not placeholder)) and _is_in_description(
        text, parameter
    ):
        return None
    return Argument(
        path=path,
        text=remove_scheme(text) if kind == "credential" else text,
        judged=kind,
        must_be_seen=parameter.must_be_seen,
        placeholder=placeholder,
        entity_words=parameter.entity_words,
        examples=parameter.examples,
        description=parameter.description,
        creates=parameter.creates,
    )


def _is_in_description(text: str, parameter: Parameter) -> bool:
    """Return whether the parameter's description contains the value."""
    return text.casefold() in parameter.description


def _classify(leaf: Any, text: str, parameter: Parameter, *, placeholder: bool) -> Kind | None:
    """Return how one value is judged; None if it is not judged."""
    kind = parameter.judged
    if kind == "never":
        if placeholder:
            return "blank"
        if parameter.may_be_user_value and isinstance(leaf, str) and looks_like_user_value(leaf):
            return "user_value"
    elif placeholder:
        # Under a vague name, a placeholder is only probably wrong.
        return "soft" if kind in ("soft", "public", "open", "code", "number") else "hard"
    elif names_event(text, parameter.name):
        return None
    else:
        by_author = parameter.declared
        by_value_kind = kind if by_author else classify_value(leaf, text, kind, parameter.name)
        # One by one, as a type checker does not narrow `in`.
        if by_value_kind == "hard" or by_value_kind == "soft" or by_value_kind == "public":
            return by_value_kind
    if parameter.credential != "none" and isinstance(leaf, str):
        return "credential" if may_be_secret(remove_scheme(text), parameter.name) else None
    return "slot" if kind == "open" and is_token(leaf) else None


def looks_like_user_value(text: str) -> bool:
    """Return whether a value is one word with a digit, and neither a quantity nor a date."""
    return _USER_VALUE.fullmatch(text) is not None and not (
        is_quantity(text) or is_date_or_time(text)
    )


def _is_placeholder(leaf: Any, parameter: Parameter) -> bool:
    """Return whether a value is a placeholder; parameters that are not judged have fewer forms."""
    if not isinstance(leaf, str):
        return False
    if is_unfilled_blank(leaf, parameter):
        return True
    if parameter.judged == "never" and not _requires_real_value(leaf, parameter):
        return False
    # In a query or a pattern, brackets are notation.
    notation = _NOTATION if parameter.blanks else _LOOSE_NOTATION
    if parameter.judged in ("open", "code") and notation.fullmatch(leaf):
        return False
    return is_placeholder(leaf)


def _requires_real_value(leaf: str, parameter: Parameter) -> bool:
    """
    Return whether a placeholder is wrong, as in a credential or the name of a new account.

    Variables of the host, and initial passwords that will be changed, are not wrong.
    """
    # The host replaces a variable, so that the model never reads the secret.
    if leaf.strip()[:1] in _REFERENCES:
        return False
    if parameter.names_account:
        return True
    first = parameter.credential == "set" and leaf.strip().casefold() in _FIRST_PASSWORDS
    return parameter.credential != "none" and not first


def is_unfilled_blank(leaf: Any, parameter: Parameter) -> bool:
    """Return whether a value is a blank to fill in, in a parameter in which a blank is wrong."""
    if not parameter.blanks or not isinstance(leaf, str):
        return False
    return is_blank(leaf, parameter.name, judged=parameter.is_judged)
