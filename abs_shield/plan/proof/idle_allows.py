"""An allowlist entry that admits no judged value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from abs_shield.plan.allow_entry import compile_allow_entry
from abs_shield.plan.code_constants import find_constants
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, format_names
from abs_shield.plan.tool_targets import compile_targets
from abs_shield.policy import Tool
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.policy.parameter_marks import keys_of
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples import Pool
from abs_shield.text.json_leaves import Path, value_at
from abs_shield.text.safe_display import escaped, shown

_MIN_VALUES = 10
"""Different values that a predicate must reject to be reported; fewer may miss what it admits."""
# Nothing, a digit, letters, and both, as a schema may ask for any of these.
_FILLINGS = ("", "7", "abc", "x1", "a1b2c3")


@dataclass(slots=True, kw_only=True)
class _AllowEntry:
    """
    One allowlist entry and its scope.

    Attributes:
        allowed: The entry: a value, a glob or a predicate.
        what: A description of the allowlist for messages.
        place: The location of its declaration.
        tools: The names of the tools that it applies to.
        parameter: The parameter of a `Target`; empty if the entry applies to all.
        is_closed: Whether every value that it could admit is known.
        matched: Whether it admits a judged value.
        tested: The first different values that it was tested with, at most 10.
        sampled: Whether every tool had samples.
        raised: The first error that it raised; empty if none.
        wider: Other entries that may admit everything that this one admits.
    """

    allowed: Any
    what: str
    place: SourceLocation
    tools: tuple[str, ...]
    parameter: str = ""
    is_closed: bool = True
    matched: bool = False
    tested: set[Any] = field(default_factory=set)
    sampled: bool = True
    raised: str = ""
    wider: list[Any] = field(default_factory=list)

    @property
    def is_undecided(self) -> bool:
        """True if further samples may change the result."""
        return not self.matched and (self.is_closed or callable(self.allowed))

    @property
    def is_idle(self) -> bool:
        """True if it admits none of the values, and all of them are known."""
        return self.is_closed and not self.matched

    @property
    def rejects_all(self) -> bool:
        """True if it is a predicate that rejected every tested value, and enough were tested."""
        enough = self.sampled and len(self.tested) >= _MIN_VALUES
        return callable(self.allowed) and enough and not self.matched


def idle_allows(context: ProofContext) -> Iterator[Problem]:
    """``allow=["acct_*"]`` where every account's schema asks for ``^tx_``."""
    entries = [*_entries(context)]
    for name in context.tools:
        _match_entries(name, [entry for entry in entries if name in entry.tools], context)
    for entry in entries:
        yield from _report(entry)


def _entries(context: ProofContext) -> Iterator[_AllowEntry]:
    everywhere = list(context.policy.allow)
    yield from _entries_of(
        context.policy.allow, "`allow`", context.policy.place, tuple(context.tools), wider=[]
    )
    for name, tool in context.tools.items():
        what, place = f"`allow` of tool `{escaped(name)}`", context.place(name, "allow")
        yield from _entries_of(tool.allow, what, place, (name,), wider=everywhere)
        for parameter, target in tool.targets.items():
            here = f"`allow` of `{escaped(parameter)}` of tool `{escaped(name)}`"
            place = context.place(name, "targets")
            wider = [*everywhere, *tool.allow]
            for entry in _entries_of(target.allow, here, place, (name,), wider=wider):
                entry.parameter = parameter
                yield entry


def _entries_of(
    allowed: Iterable[Any],
    what: str,
    place: SourceLocation,
    tools: tuple[str, ...],
    *,
    wider: list[Any],
) -> Iterator[_AllowEntry]:
    before = list(wider)
    for each in allowed:
        others = [*before, *(other for other in allowed if other is not each and _is_glob(other))]
        yield _AllowEntry(allowed=each, what=what, place=place, tools=tools, wider=others)
        before.append(each)


def _match_entries(name: str, entries: list[_AllowEntry], context: ProofContext) -> None:
    """Record which entries admit a judged value of one tool, or might admit an unknown one."""
    if not entries:
        return
    for entry in entries:
        entry.is_closed = entry.is_closed and not context.is_open(name)
    # Samples are generated near each entry, as random texts would never match it.
    texts = [text for entry in entries for text in _likely_values(entry.allowed)]
    bare = compile_targets(_remove_allows(context.tools[name]), allow=())
    sampled = False
    for arguments in context.samples(name, pool=Pool.of(texts)):
        sampled = True
        for argument in bare.judged_arguments(arguments):
            _test_entries(entries, argument.path, value_at(arguments, argument.path))
        # Further samples take time and cannot change the result.
        if not any(entry.is_undecided for entry in entries):
            break
    for entry in entries:
        entry.is_closed = entry.is_closed and sampled
        entry.sampled = entry.sampled and sampled


def _remove_allows(tool: Tool) -> Tool:
    targets = {name: replace(target, allow=()) for name, target in tool.targets.items()}
    return tool.model_copy(update={"allow": (), "targets": targets})


def _test_entries(entries: list[_AllowEntry], path: Path, leaf: Any) -> None:
    for entry in entries:
        if entry.matched or (entry.parameter and not keys_of(path, [entry.parameter], None)):
            continue
        if len(entry.tested) < _MIN_VALUES:
            entry.tested.add(canonical_key(leaf))
        try:
            entry.matched = compile_allow_entry(entry.allowed)(leaf)
        # The author's code may raise anything; the proof reports it.
        except Exception as error:
            error_text = f"{type(error).__name__}: {escaped(str(error))}"
            entry.raised = entry.raised or f"{error_text} on {shown(leaf)}"


def _report(entry: _AllowEntry) -> Iterator[Problem]:
    what = f"{entry.what}: entry {_format_entry(entry.allowed)}"
    cover = next((other for other in entry.wider if _covers(other, entry.allowed)), None)
    if entry.raised:
        message = f"{what} raises {entry.raised}"
        yield _problem("allow_raises", entry, message, "it runs on every judged value")
    elif cover is not None:
        message = f"{what} is admitted by {_format_entry(cover)} already"
        yield _problem("allow_is_covered", entry, message, "leave one of them out")
    elif entry.tools and callable(entry.allowed) and (entry.rejects_all or entry.is_idle):
        message = (
            f"{what} admits no sampled value that is judged in {format_names(list(entry.tools))}"
        )
        hint = (
            "either it rejects every value, or no sampled value is one that it admits: "
            "test it with such a value"
        )
        yield _problem("allow_matches_nothing", entry, message, hint)
    elif entry.tools and entry.is_idle:
        message = f"{what} admits nothing that is judged in {format_names(list(entry.tools))}"
        yield _problem("allow_matches_nothing", entry, message, "compare it with the schema")


def _problem(code: str, entry: _AllowEntry, message: str, hint: str) -> Problem:
    return problem(code, message, subject=entry.what, place=entry.place, hint=hint)


def _covers(other: Any, allowed: Any) -> bool:
    """
    Return whether *other* certainly admits everything that *allowed* admits.
    """
    if callable(other) or callable(allowed):
        return other is allowed
    if _is_glob(other):
        return isinstance(allowed, str) and (other == "*" or _is_inside(allowed, other))
    # The type, too, as `1 == True`.
    return type(other) is type(allowed) and bool(other == allowed)


def _is_inside(allowed: str, glob: str) -> bool:
    return allowed == glob or (not _is_glob(allowed) and fnmatchcase(allowed, glob))


def _is_glob(entry: Any) -> bool:
    return isinstance(entry, str) and any(mark in entry for mark in "*?[")


def _likely_values(entry: Any) -> Iterator[Any]:
    """Yield values that an entry admits, or that a predicate's code contains."""
    if callable(entry):
        yield from find_constants(entry)
    elif _is_glob(entry):
        yield from (_fill_glob(entry, filling) for filling in _FILLINGS)
    else:
        yield entry


def _fill_glob(glob: str, filling: str) -> str:
    """Return a text that a glob matches, with *filling* for stars and one member of each set."""
    # From `at + 2`, as a bracket directly after "[" is a member of the set.
    characters, at = [], 0
    while at < len(glob):
        end = glob.find("]", at + 2) if glob[at] == "[" else -1
        if end > 0:
            characters.append(glob[at + 1] if glob[at + 1] != "!" else "_")
            at = end
        else:
            characters.append({"*": filling, "?": "1"}.get(glob[at], glob[at]))
        at += 1
    return "".join(characters)


def _format_entry(entry: Any) -> str:
    return (
        f"`{escaped(getattr(entry, '__name__', 'function'))}`" if callable(entry) else shown(entry)
    )
