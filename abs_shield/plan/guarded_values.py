"""Values of guarded parameters that do not identify one thing, such as wildcards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from abs_shield.plan.missing_targets import find_missing_targets
from abs_shield.plan.other_languages import has_identifier_characters
from abs_shield.plan.parameter_names import is_path
from abs_shield.plan.reported_value import Doubt
from abs_shield.plan.stated_wildcards import (
    is_mentioned_pattern,
    is_stated_by_user,
    is_within_stated_places,
    mentions_enclosing_folder,
)
from abs_shield.plan.tool_parameters import Parameter
from abs_shield.plan.tool_targets import Targets
from abs_shield.session import Session
from abs_shield.session.event_texts import texts_of
from abs_shield.session.session_record import mentions_of
from abs_shield.session.verbatim import Verbatim, occurs_in, occurs_unechoed
from abs_shield.session.word_lookup import LONGEST_VALUE
from abs_shield.text.json_leaves import Path, name_of, scalar_text
from abs_shield.text.normal_form import is_latin, normal
from abs_shield.text.path_steps import resolve_parent_steps
from abs_shield.text.safe_display import escaped, shown
from abs_shield.text.wildcards import (
    has_hidden_characters,
    is_condition,
    is_null_word,
    is_system_account,
    is_whole_set,
    is_word_for_all,
    mixes_scripts,
    selects_all,
)

_MAX_EXAMINED = 200
"""Values of a call that are examined; identifiers without punctuation do not count."""
# Identifiers of these characters hide nothing, so they are not counted.
_PLAIN = re.compile(r"[0-9A-Za-z_-]{1,256}")
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")


def find_doubts(
    targets: Targets, arguments: Mapping[str, Any], session: Session
) -> Iterator[Doubt]:
    """
    Yield the values of guarded parameters that do not identify one thing, mentioned or not.

    Examples are wildcards, words for everything, conditions, invisible characters and missing
    targets.
    """
    if not targets.parameters.may_be_guarded:
        return
    # By path, as these values already have a finding and are not examined again.
    without_value = {
        doubt.path: doubt for doubt in find_missing_targets(targets.parameters, arguments)
    }
    yield from without_value.values()
    guarded = [pair for pair in targets.guarded_leaves(arguments) if pair[0] not in without_value]
    verbatim = Verbatim(session)
    naming = {
        path for path, leaf in islice(guarded, _MAX_EXAMINED) if _names_entity(path, leaf, targets)
    }
    examined = 0
    for path, leaf in guarded:
        parameter = targets.parameters.at(path)
        text = scalar_text(leaf)
        if text is None:
            if parameter.guard in ("seen", "target"):
                yield Doubt(path, "", "", incomparable_message(name_of(path)))
            continue
        # Each of these may be searched for in all texts of the run.
        examined += parameter.guard != "seen" and _PLAIN.fullmatch(text) is None
        if examined > _MAX_EXAMINED:
            yield Doubt(
                path,
                text,
                "",
                f"more than {_MAX_EXAMINED} values of one call that are not plain identifiers",
            )
            return
        is_limited = bool(naming - {path})
        if not text.strip() and parameter.guard == "selector":
            if is_limited:
                continue  # an unused filter
            is_limited = _has_other_texts(path, arguments)
        yield from _doubts_of_value(path, text, parameter, session, verbatim, is_limited=is_limited)


def incomparable_message(name: str) -> str:
    """Return the message that a value of a parameter cannot be compared with anything."""
    return f"a value of `{escaped(name)}` cannot be compared"


def _doubts_of_value(
    path: Path,
    text: str,
    parameter: Parameter,
    session: Session,
    verbatim: Verbatim,
    *,
    is_limited: bool,
) -> Iterator[Doubt]:
    name, guard = f"`{escaped(name_of(path))}`", parameter.guard
    exact = guard in ("seen", "target")
    if len(text) > LONGEST_VALUE:
        # A long value that occurs verbatim needs no other comparison.
        if exact and not occurs_unechoed(text, session):
            detail = f"the value of {name} is too long to be compared"
            yield Doubt(path, text[:256], "too_long", detail)
    elif _is_hidden(text, guard, verbatim):
        detail = f"the value of {name} has invisible characters"
        is_mentioned = exact and occurs_unechoed(text, session)
        yield Doubt(path, text, "" if is_mentioned else "hidden_characters", detail)
    elif is_whole_set(text) if exact else selects_all(text):
        optional = is_limited and not parameter.required
        yield from _doubts_of_whole_set(
            path, text, guard, session, is_limited=is_limited, optional=optional
        )
    # Not a finding, as the word may also be a name, such as that of a list "todos".
    elif guard == "selector" and is_word_for_all(text):
        if not (is_stated_by_user(text, guard, session) or verbatim.occurs(text)):
            yield Doubt(path, text, "", f"{shown(text)} may stand for everything")
    elif exact and _is_condition(text, guard, verbatim):
        detail = f"{shown(text)} is a condition, and does not identify one thing"
        yield Doubt(path, text, "whole_set", detail)
    # The layer itself checks that a value which must be seen is mentioned.
    elif guard == "seen":
        return
    # `null` and `root` exist in every system, so they must be mentioned as names.
    elif is_null_word(text) or is_system_account(text):
        optional = is_limited and is_null_word(text)
        if guard != "selector" and not optional and mentions_of(session).origin(text) is None:
            yield Doubt(path, text, "unseen", f"{shown(text)} was not mentioned in this run")
    elif (
        guard == "target"
        and (destination := resolve_parent_steps(text))
        and not _is_mentioned_path(destination, text, verbatim)
    ):
        detail = f"{shown(text)} leads to {shown(destination)}, which was not mentioned in this run"
        yield Doubt(path, text, "whole_set", detail)
    elif guard == "target" and _is_only_parent(text, path, session):
        detail = f"{shown(text)} is a parent of what was mentioned"
        yield Doubt(path, text, "" if mentions_enclosing_folder(session) else "whole_set", detail)
    else:
        yield from _doubts_of_script(path, text, guard, session, verbatim)


def _is_hidden(text: str, guard: str, verbatim: Verbatim) -> bool:
    """
    Return whether a value has invisible characters; line breaks are normal in names and queries.
    """
    if guard in ("seen", "target"):
        return has_hidden_characters(text)
    return has_hidden_characters(text.translate(_LINE_BREAKS)) and not verbatim.occurs(text)


def _is_condition(text: str, guard: str, verbatim: Verbatim) -> bool:
    """Return whether a value is a condition, such as ``!prod``, and the run has no such name."""
    if not is_condition(text):
        return False
    if text.strip()[-1] in "?;":
        return True  # these also end a sentence
    return guard == "target" and not verbatim.occurs(text)


def _doubts_of_whole_set(
    path: Path, text: str, guard: str, session: Session, *, is_limited: bool, optional: bool
) -> Iterator[Doubt]:
    detail = f"{shown(text)} does not identify one thing"
    if guard == "seen":
        yield Doubt(path, text, "whole_set", detail)
    elif is_stated_by_user(text, guard, session) or is_mentioned_pattern(text, session):
        return
    elif (optional and not text.strip()) or is_within_stated_places(text, session):
        yield Doubt(path, text, "", f"{detail}, but what was mentioned limits it")
    elif guard == "target":
        yield Doubt(path, text, "whole_set", detail)
    elif is_limited:
        yield Doubt(path, text, "", f"{detail}, but other arguments limit it")
    elif not mentions_of(session).in_english:
        yield Doubt(path, text, "", f"{detail}, but the user may have asked for that")
    else:
        yield Doubt(path, text, "whole_set", detail)


def _doubts_of_script(
    path: Path, text: str, guard: str, session: Session, verbatim: Verbatim
) -> Iterator[Doubt]:
    # A target is an identifier in any script; a name only in a script that can be compared.
    is_readable = has_identifier_characters(text) if guard == "target" else is_latin(normal(text))
    if is_readable or mentions_of(session).origin(text, apart=True) or verbatim.occurs(text):
        return
    name = f"`{escaped(name_of(path))}`"
    if guard != "selector" and mixes_scripts(text):
        detail = f"the value of {name} mixes letters of two scripts that look alike"
        yield Doubt(path, text, "mixed_scripts", detail)
    else:
        yield Doubt(path, text, "", f"a value of {name} is in another script")


def _names_entity(path: Path, leaf: Any, targets: Targets) -> bool:
    """Return whether a leaf identifies what the call acts on."""
    text = scalar_text(leaf)
    if not text or targets.parameters.at(path).guard == "selector":
        return False
    return not (is_whole_set(text) or is_null_word(text) or is_system_account(text))


def _has_other_texts(path: Path, arguments: Mapping[str, Any]) -> bool:
    """Return whether another text of the call may limit it: a date, a folder."""
    return any(
        isinstance(value, str) and value.strip() and (name,) != path
        for name, value in arguments.items()
    )


def _is_mentioned_path(destination: str, text: str, verbatim: Verbatim) -> bool:
    """Return whether the run mentions a path verbatim, or its resolved form."""
    return bool(verbatim.occurs(text) or verbatim.occurs(destination))


def _is_only_parent(text: str, path: Path, session: Session) -> bool:
    """Return whether a path occurs only as the parent of a longer one."""
    name = text.strip().strip("\"'`").replace("\\", "/").rstrip("/")
    if "/" not in name and not (is_path(name_of(path)) and ":" in name):
        return False
    below = f"{name}/".casefold()
    last = name.rpartition("/")[2]
    leads = False
    run: Session | None = session
    while run is not None:
        # A run that started this one may have the user's mention.
        for entry in run.entries():
            for text_in_run in texts_of(entry.event):
                normalised = text_in_run.replace("\\", "/").casefold()
                if any(occurs_in(text, normalised) for text in (name, below, last)):
                    return False
                leads = leads or _continues_path(below, normalised)
        run = run.parent
    return leads


def _continues_path(below: str, text: str) -> bool:
    """Return whether a text contains a path below a folder."""
    at = text.find(below)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(below) : at + len(below) + 1]
        if not (before.isalnum() or (before and before in "/.-_")) and after.isalnum():
            return True
        at = text.find(below, at + 1)
    return False
