"""An entry of an allowlist that admits nothing which would be judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from abs_shield.plan.constants import find_constants
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, listed
from abs_shield.plan.targets import compile_targets
from abs_shield.plan.tool_parameters import admission
from abs_shield.policy import Tool
from abs_shield.policy.place import Place
from abs_shield.policy.places import keys_of
from abs_shield.schema.equality import canonical
from abs_shield.schema.samples import Pool
from abs_shield.text.leaves import Path
from abs_shield.text.show import escaped, shown

_ENOUGH = 10
"""Different values that code refuses before it is accused."""
_FILLED = ("", "7", "abc", "x1", "a1b2c3")


@dataclass(slots=True, kw_only=True)
class _Entry:
    """
    One entry, and for whom it holds.

    Attributes:
        parameter: The parameter of a `Target`; empty where it holds for all.
        known: Whether everything that it could admit is known.
        asked: The first of the different values that it was asked about.
        sampled: Whether every tool gave samples.
    """

    allowed: Any
    what: str
    place: Place
    tools: tuple[str, ...]
    parameter: str = ""
    known: bool = True
    matched: bool = False
    asked: set[Any] = field(default_factory=set)
    sampled: bool = True
    raised: str = ""
    wider: list[Any] = field(default_factory=list)

    @property
    def undecided(self) -> bool:
        """Whether more samples can say more about it."""
        return not self.matched and (self.known or callable(self.allowed))

    @property
    def idle(self) -> bool:
        """Whether it admits none of the values, and all of them are known."""
        return self.known and not self.matched

    @property
    def rejects_all(self) -> bool:
        """Whether it is code that said no to every one of enough values."""
        enough = self.sampled and len(self.asked) >= _ENOUGH
        return callable(self.allowed) and enough and not self.matched


def idle_allows(context: ProofContext) -> Iterator[Problem]:
    """``allow=["acct_*"]`` where every account's schema asks for ``^tx_``."""
    entries = [*_entries(context)]
    for name in context.tools:
        _match(name, [entry for entry in entries if name in entry.tools], context)
    for entry in entries:
        yield from _told(entry)


def _entries(context: ProofContext) -> Iterator[_Entry]:
    everywhere = list(context.policy.allow)
    yield from _each(
        context.policy.allow, "`allow`", context.policy.place, tuple(context.tools), wider=[]
    )
    for name, tool in context.tools.items():
        what, place = f"`allow` of tool `{escaped(name)}`", context.place(name, "allow")
        yield from _each(tool.allow, what, place, (name,), wider=everywhere)
        for parameter, target in tool.targets.items():
            here = f"`allow` of `{escaped(parameter)}` of tool `{escaped(name)}`"
            place = context.place(name, "targets")
            wider = [*everywhere, *tool.allow]
            for entry in _each(target.allow, here, place, (name,), wider=wider):
                entry.parameter = parameter
                yield entry


def _each(
    allowed: Iterable[Any], what: str, place: Place, tools: tuple[str, ...], *, wider: list[Any]
) -> Iterator[_Entry]:
    before = list(wider)
    for each in allowed:
        others = [*before, *(other for other in allowed if other is not each and _is_glob(other))]
        yield _Entry(allowed=each, what=what, place=place, tools=tools, wider=others)
        before.append(each)


def _match(name: str, entries: list[_Entry], context: ProofContext) -> None:
    """Note which entries admit a judged value of one tool, or might admit an unknown one."""
    if not entries:
        return
    for entry in entries:
        entry.known = entry.known and not context.is_open(name)
    texts = [text for entry in entries for text in _likely(entry.allowed)]
    bare = compile_targets(_without_allows(context.tools[name]), allow=())
    sampled = False
    for arguments in context.samples(name, pool=Pool.of(texts)):
        sampled = True
        for argument in bare.judged_arguments(arguments):
            _admit(entries, argument.path, _leaf(arguments, argument.path))
        if not any(entry.undecided for entry in entries):
            break
    for entry in entries:
        entry.known = entry.known and sampled
        entry.sampled = entry.sampled and sampled


def _without_allows(tool: Tool) -> Tool:
    targets = {name: replace(target, allow=()) for name, target in tool.targets.items()}
    return tool.model_copy(update={"allow": (), "targets": targets})


def _admit(entries: list[_Entry], path: Path, leaf: Any) -> None:
    for entry in entries:
        if entry.matched or (entry.parameter and not keys_of(path, [entry.parameter], None)):
            continue
        if len(entry.asked) < _ENOUGH:
            entry.asked.add(canonical(leaf))
        try:
            entry.matched = admission(entry.allowed)(leaf)
        except Exception as error:
            told = f"{type(error).__name__}: {escaped(str(error))}"
            entry.raised = entry.raised or f"{told} on {shown(leaf)}"


def _told(entry: _Entry) -> Iterator[Problem]:
    what = f"{entry.what}: entry {_shown(entry.allowed)}"
    cover = next((other for other in entry.wider if _covers(other, entry.allowed)), None)
    if entry.raised:
        told = f"{what} raises {entry.raised}"
        yield _problem("allow_raises", entry, told, "it is asked about every judged value")
    elif cover is not None:
        told = f"{what} is admitted by {_shown(cover)} already"
        yield _problem("allow_is_covered", entry, told, "leave one of them out")
    elif entry.tools and callable(entry.allowed) and (entry.rejects_all or entry.idle):
        told = f"{what} admits no sampled value that is judged in {listed(list(entry.tools))}"
        hint = "either it refuses all, or no sample is like what it admits: test it with one"
        yield _problem("allow_matches_nothing", entry, told, hint)
    elif entry.tools and entry.idle:
        told = f"{what} admits nothing that is judged in {listed(list(entry.tools))}"
        yield _problem("allow_matches_nothing", entry, told, "compare it with the schema")


def _problem(code: str, entry: _Entry, message: str, hint: str) -> Problem:
    return problem(code, message, subject=entry.what, place=entry.place, hint=hint)


def _covers(other: Any, allowed: Any) -> bool:
    """Whether *other* admits all that *allowed* does, as far as can be seen without asking code."""
    if callable(other) or callable(allowed):
        return other is allowed
    if _is_glob(other):
        return isinstance(allowed, str) and (other == "*" or _is_inside(allowed, other))
    return type(other) is type(allowed) and bool(other == allowed)


def _is_inside(allowed: str, glob: str) -> bool:
    return allowed == glob or (not _is_glob(allowed) and fnmatchcase(allowed, glob))


def _is_glob(entry: Any) -> bool:
    return isinstance(entry, str) and any(mark in entry for mark in "*?[")


def _likely(entry: Any) -> Iterator[Any]:
    """Give values that an entry admits, or is written with."""
    if callable(entry):
        yield from find_constants(entry)
    elif _is_glob(entry):
        yield from (_filled(entry, filling) for filling in _FILLED)
    else:
        yield entry


def _filled(glob: str, filling: str) -> str:
    """A text of a glob: each star as *filling*, each set as its first member."""
    made, at = [], 0
    while at < len(glob):
        end = glob.find("]", at + 2) if glob[at] == "[" else -1
        if end > 0:
            made.append(glob[at + 1] if glob[at + 1] != "!" else "_")
            at = end
        else:
            made.append({"*": filling, "?": "1"}.get(glob[at], glob[at]))
        at += 1
    return "".join(made)


def _leaf(arguments: Any, path: Path) -> Any:
    for step in path:
        arguments = arguments[step]
    return arguments


def _shown(entry: Any) -> str:
    return (
        f"`{escaped(getattr(entry, '__name__', 'function'))}`" if callable(entry) else shown(entry)
    )
