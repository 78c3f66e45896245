"""Which arguments of a tool have to come from somewhere, and how surely."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from abs_shield.plan.creating import is_told_to_make, names_file, tells_apart
from abs_shield.plan.credentials import bare_secret, may_be_secret, names_event
from abs_shield.plan.parameters import Parameter, Parameters, admission
from abs_shield.plan.schemas import schema_at
from abs_shield.plan.values import by_value, is_free_text, is_token
from abs_shield.plan.verbs import Deed, described
from abs_shield.policy import Tool
from abs_shield.session.run_mentions import Mentions, Vouches
from abs_shield.session.whole_match import is_rooted, may_be_group
from abs_shield.text.blanks import is_blank, may_be_blank
from abs_shield.text.leaves import Path, leaves, name_of, parent_of, scalar_text
from abs_shield.text.names import name_words
from abs_shield.text.normal import normal
from abs_shield.text.shape import is_address, is_code, is_moment, is_placeholder, is_quantity
from abs_shield.text.wildcards import is_condition, is_nobody, is_nothing, is_whole_set, selects_all

_KEYS = (("name",), ("key",), ("field",), ("attribute",), ("property",), ("column",))
_POINTERS = (("path",), ("from",))
"""Members of a JSON Patch that point into a document."""
_VALUES = frozenset("value values operator op comparison".split())
_MOST_KEYS = 20
MOST_JUDGED = 10_000
"""Values of one call that are judged."""
_LONGEST_NAME = 256
_LONGEST_SAID = 300
_REFERENCES = ("$", "%")
"""What begins the name of a variable, such as ``$API_KEY``, that a host may replace by a secret."""
_NOTATION = re.compile(r"\s*[<{\[][^\W_]+[>}\]]\s*")
"""One word in brackets, such as ``<br>`` or ``<Enter>``: a placeholder only where it is a blank."""
_LOOSE_NOTATION = re.compile(r"\s*(?:[<{\[].*|\S+\s+\S.*)", re.DOTALL)
"""In a pattern, a program or a form: whatever has brackets or several words."""
_PLAIN = re.compile(r"[0-9A-Za-z_ -]{1,256}")
_GIVEN = re.compile(r"(?=\D*\d)(?=.*[^\W\d_])[\w./-]{4,64}")
_MOST_BESIDE = 200
_FIRST_PASSWORDS = frozenset({"changeme", "change_me"})
AllSeen = Callable[[Mapping[str, Any], Mentions, Callable[[], frozenset[str]]], bool]
"""
Return whether every judged value of a call stands in a run as it is.

Its arguments are those of the call, what the run has seen, and what gives the kinds of things that
identifiers of the run's tools are of.
"""
Kind = Literal["hard", "soft", "public", "slot", "given", "credential", "blank"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """
    One argument leaf that has to come from somewhere.

    Attributes:
        path: Names and positions on the way to it.
        text: Its value as text.
        judged: ``hard`` for identifiers, ``soft`` for names and places, ``public`` for names that
            the world knows, ``slot`` for what is an
            identifier only where results of the run hold some under the same name, ``given`` for
            what is wrong only where the user gave another value for it, ``credential``
            for a credential, where a result holds one of that name, ``blank`` for a value that is
            only looked at as it is a blank to fill in.
        must_be_seen: Whether the author declared `Target(must_be_seen=True)`.
        placeholder: Whether the value stands where a value should.
        asks: The words that say what the value is of: ``order`` of ``order_id``.
        examples: How the schema says that such a value looks.
        description: What the schema says of the parameter, in lower case, and its default.
        tells_apart: Whether it only tells the new objects of one list apart.
        creates: Whether it names what the call brings into being.
        beside: Of one that may be given otherwise: all values of the call, as they are compared.
    """

    path: Path
    text: str
    judged: Kind
    must_be_seen: bool = False
    placeholder: bool = False
    asks: frozenset[str] = frozenset()
    examples: tuple[str, ...] = ()
    description: str = ""
    tells_apart: bool = False
    creates: bool = False
    beside: frozenset[str] = frozenset()


class Unclear(NamedTuple):
    """A leaf of a judged parameter for whose value nobody vouches."""

    path: Path
    leaf: Any
    text: str
    parameter: Parameter


def _nobody(text: str, asks: frozenset[str]) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Which arguments of one tool are judged."""

    tool: Tool
    deed: Deed
    parameters: Parameters

    def judged(self, arguments: Mapping[str, Any]) -> Iterator[Argument]:
        """Give the leaves that have to come from somewhere, at most 10,000 a call."""
        return self.read(self.unclear(arguments), arguments)

    def all_seen(self, names: tuple[str, ...]) -> AllSeen | None:
        """
        Prepare whether every judged one of plain scalars of these names stands in a run as it is.

        Returns:
            None where that is never known at once.
        """
        of = self.parameters.judged(names)
        guarded = [(name, self.parameters.at((name,))) for name in of.guarded]
        if of.lacking or any(parameter.must_be_seen for _, parameter in guarded):
            return None
        judged, blank, given, writes = of.judged, of.blank, of.given, self._writes

        def all_seen(
            arguments: Mapping[str, Any], seen: Mentions, kinds: Callable[[], frozenset[str]]
        ) -> bool:
            for name, parameter in guarded:
                if not _is_plain(arguments[name]):
                    return False
                if parameter.guard == "target" and may_be_group(str(arguments[name])):
                    return False
            for name in blank:
                leaf = arguments[name]
                if isinstance(leaf, str) and may_be_blank(leaf.strip()):
                    return False
            said, labelled = seen.user_chunks, seen.has_labels
            for name in given if labelled else ():
                leaf = arguments[name]
                if isinstance(leaf, str) and leaf not in said and _may_be_given(leaf):
                    return False
            values = set()
            for name, asks in judged:
                leaf = arguments[name]
                if leaf in values or (writes and isinstance(leaf, str) and is_rooted(leaf)):
                    return False  # one value under two names, or perhaps the tail of a path
                values.add(leaf)
                if leaf in said and (
                    not labelled
                    or seen.fits_label(leaf, asks)
                    or not seen.is_called_one_of(leaf, kinds() - asks)
                ):
                    continue
                text = leaf if type(leaf) is str else scalar_text(leaf)
                if text and not seen.vouches(text, asks) and self._looks(name, leaf, text):
                    return False
            return True

        return all_seen

    @property
    def _writes(self) -> bool:
        return self.tool.destructive or self.deed.writes

    def _looks(self, name: str, leaf: Any, text: str) -> bool:
        """Whether a value looks as one that has to come from somewhere."""
        parameter = self.parameters.at((name,))
        if text in parameter.defaults:
            return False
        argument = _argument((name,), leaf, text, parameter)
        return argument is not None or self.is_free_text(text, parameter)

    @staticmethod
    def is_free_text(text: str, parameter: Parameter) -> bool:
        """Return whether a value under an identifier's name is too long to be judged as one."""
        return not parameter.told and is_free_text(text, parameter.judged, parameter.name)

    def unclear(
        self,
        arguments: Mapping[str, Any],
        vouches: Vouches = _nobody,
        *,
        labels: int = 0,
    ) -> list[Unclear]:
        """
        Give the leaves of judged parameters for which nobody *vouches*, at most 10,000.

        Args:
            arguments: Those of the call.
            vouches: Whether a value needs no closer look.
            labels: How many leaves are looked at of which the user may have given another.
        """
        found: list[Unclear] = []
        values: set[str] = set()
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            parameter = self.parameters.at(path)
            judged = parameter.is_judged or _is_blank(leaf, parameter)
            if labels > 0 and not judged and parameter.may_be_given and isinstance(leaf, str):
                judged = _may_be_given(leaf)
                labels -= judged
            text = scalar_text(leaf) if judged else None
            if not text:
                continue
            closely = parameter.must_be_seen or text in values
            closely = closely or (parameter.guard == "target" and may_be_group(text))
            closely = closely or (self._writes and is_rooted(text))
            if closely or not vouches(text, parameter.asks):
                found.append(Unclear(path, leaf, text, parameter))
            values.add(text)
        for name, value in arguments.items():
            if isinstance(value, Mapping):
                found += self._keys(name, value, vouches)
        return found

    def _keys(self, name: str, value: Mapping[str, Any], vouches: Vouches) -> Iterator[Unclear]:
        """Return the keys of an object under a target's name that are identifiers themselves."""
        parameter = self.parameters.at((name,))
        if not parameter.names_target:
            return
        for key in map(str, islice(value, MOST_JUDGED)):
            is_id = is_token(key) if parameter.told else is_code(key) or is_address(key)
            vouched = not parameter.must_be_seen and vouches(key, parameter.asks)
            if is_id and not vouched and not schema_at(self.tool.parameters, (name, key)):
                yield Unclear((name, key), key, key, parameter)

    def opaque(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Return the names of targets whose values cannot be compared with anything."""
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            if leaf is not None and not isinstance(leaf, bool) and scalar_text(leaf) is None:
                around = (self.parameters.at(path), self.parameters.at(path[:1]))
                targets = [one.name for one in around if one.names_target]
                if targets and not around[0].guarded:
                    yield targets[0]

    def guarded(self, arguments: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
        """Return the leaves of guarded parameters that neither allowlist nor schema admits."""
        if not self.parameters.may_be_guarded:
            return
        for path, leaf in leaves(arguments, most=MOST_JUDGED):
            parameter = self.parameters.at(path)
            if not parameter.guarded or (isinstance(leaf, str) and leaf in parameter.defaults):
                continue
            left_out = leaf is None and not isinstance(path[-1], int)
            if not left_out and not any(admits(leaf) for admits in parameter.allow):
                yield path, leaf
        for name, value in arguments.items():
            empty = isinstance(value, (Mapping, list)) and not value
            if empty and self.parameters.at((name,)).guard == "selector":
                yield (name,), "{}"

    def read(self, unclear: Iterable[Unclear], arguments: Mapping[str, Any]) -> Iterator[Argument]:
        """Give those leaves that have to come from somewhere, as their values say."""
        texts: frozenset[str] | None = None
        for path, leaf, text, parameter in unclear:
            if not text.strip() or text in parameter.defaults:
                continue
            found = _argument(path, leaf, text, parameter)
            if found is None or (len(path) > 1 and _is_key(path, arguments)):
                continue
            if names_file(path) and is_told_to_make(arguments):
                continue
            if not any(admits(leaf) for admits in parameter.allow):
                texts = _texts(arguments) if texts is None else texts
                apart = tells_apart(path, text, arguments, texts)
                beside = texts if found.judged == "given" else frozenset()
                yield replace(found, tells_apart=apart, beside=beside)

    def made(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Give the names, in normal form, of what a call with *arguments* brings into being."""
        told = is_told_to_make(arguments)
        if self.tool.creates or self.deed.mints or told:
            for path, leaf in leaves(arguments, most=200):
                makes = self.parameters.at(path).creates or (told and names_file(path))
                if makes and (text := scalar_text(leaf)):
                    yield normal(text[:_LONGEST_NAME])

    def names_entity(self, path: Path) -> bool:
        """Whether leaves at *path* say what the call is done to, or what it makes."""
        return self.parameters.at(path).names_entity

    def is_free(self, path: Path) -> bool:
        """Whether leaves at *path* hold what the agent composes."""
        return self.parameters.at(path).free

    def is_open(self, path: Path) -> bool:
        """Whether the name of leaves at *path* leaves to their value what they are."""
        return self.parameters.at(path).judged == "open"

    def presents(self, path: Path) -> bool:
        """Whether leaves at *path* present a credential."""
        return self.parameters.at(path).credential == "presented"

    def judges(self, path: Path) -> bool:
        """Whether leaves at *path* are judged by their name alone."""
        return self.parameters.at(path).judged in ("hard", "who", "soft", "public")


def _argument(path: Path, leaf: Any, text: str, parameter: Parameter) -> Argument | None:
    kind = _kind(leaf, text, parameter)
    if kind is None:
        return None
    placeholder = _is_placeholder(leaf, parameter)
    if (kind == "blank" or (kind == "soft" and not placeholder)) and _is_described(text, parameter):
        return None
    return Argument(
        path=path,
        text=bare_secret(text) if kind == "credential" else text,
        judged=kind,
        must_be_seen=parameter.must_be_seen,
        placeholder=placeholder,
        asks=parameter.asks,
        examples=parameter.examples,
        description=parameter.description,
        creates=parameter.creates,
    )


def _is_described(text: str, parameter: Parameter) -> bool:
    """Whether the schema's words about the parameter hold the value."""
    return text.casefold() in parameter.description


def _kind(leaf: Any, text: str, parameter: Parameter) -> Kind | None:
    """How one value is judged; None where it is not."""
    declared = parameter.judged
    if declared == "never":
        if _is_placeholder(leaf, parameter):
            return "blank"
        if parameter.may_be_given and isinstance(leaf, str) and _may_be_given(leaf):
            return "given"
    elif _is_placeholder(leaf, parameter):
        return "soft" if declared in ("soft", "public", "open", "code", "number") else "hard"
    elif names_event(text, parameter.name):
        return None
    else:
        told = parameter.told
        judged = declared if told else by_value(leaf, text, declared, parameter.name)
        if judged == "hard" or judged == "soft" or judged == "public":
            return judged
    if parameter.credential != "none" and isinstance(leaf, str):
        return "credential" if may_be_secret(bare_secret(text), parameter.name) else None
    return "slot" if declared == "open" and is_token(leaf) else None


def _may_be_given(text: str) -> bool:
    """Whether a value is one word with a digit that nothing else tells: no measure, no date."""
    return _GIVEN.fullmatch(text) is not None and not (is_quantity(text) or is_moment(text))


def _texts(arguments: Mapping[str, Any]) -> frozenset[str]:
    found = (scalar_text(leaf) for _, leaf in leaves(arguments, most=_MOST_BESIDE))
    return frozenset(normal(text[:_LONGEST_NAME]).strip() for text in found if text)


def _is_placeholder(leaf: Any, parameter: Parameter) -> bool:
    """Whether a value stands where a value should; fewer do where the parameter is not judged."""
    if not isinstance(leaf, str):
        return False
    if _is_blank(leaf, parameter):
        return True
    if parameter.judged == "never" and not _may_be_stood_in(leaf, parameter):
        return False
    notation = _NOTATION if parameter.blanks else _LOOSE_NOTATION
    if parameter.judged in ("open", "code") and notation.fullmatch(leaf):
        return False
    return is_placeholder(leaf)


def _may_be_stood_in(leaf: str, parameter: Parameter) -> bool:
    """
    Whether a value may stand where a credential or the name of a new account should.

    Variables of the host's, and first passwords to be changed, do not.
    """
    if leaf.strip()[:1] in _REFERENCES:
        return False
    if parameter.names_account:
        return True
    first = parameter.credential == "set" and leaf.strip().casefold() in _FIRST_PASSWORDS
    return parameter.credential != "none" and not first


def _is_blank(leaf: Any, parameter: Parameter) -> bool:
    if not parameter.blanks or not isinstance(leaf, str):
        return False
    return is_blank(leaf, parameter.name, judged=parameter.is_judged)


def _is_plain(leaf: Any) -> bool:
    """Return whether a guarded value is written as ids are, of which all is compared."""
    if isinstance(leaf, str):
        if _PLAIN.fullmatch(leaf) is None or is_condition(leaf):
            return False
        return not (is_whole_set(leaf) or selects_all(leaf) or is_nothing(leaf) or is_nobody(leaf))
    return type(leaf) is int


def _is_key(path: Path, arguments: Mapping[str, Any]) -> bool:
    """Whether a leaf is the key of a key and value pair: ``{"name": "tag:Name", "values": []}``."""
    said = name_words(name_of(path))
    if said not in _KEYS and said not in _POINTERS:
        return False
    here = parent_of(path, arguments)
    if said in _POINTERS:
        return isinstance(here, Mapping) and "op" in here
    return isinstance(here, Mapping) and any(
        str(key).casefold() in _VALUES for key in islice(here, _MOST_KEYS)
    )


def targets_of(tool: Tool, *, allow: tuple[Any, ...]) -> Targets:
    """Work out which arguments of *tool* are judged; *allow* admits values everywhere."""
    done = described(tool.name, (tool.description or "")[:_LONGEST_SAID])
    admitted = tuple(map(admission, (*allow, *tool.allow)))
    return Targets(
        tool=tool, deed=done, parameters=Parameters(tool=tool, deed=done, allow=admitted)
    )
