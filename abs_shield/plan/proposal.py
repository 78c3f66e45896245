"""The input of a layer: one proposed call with its compiled tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import Malformed
from abs_shield.plan.argument_conversion import Conversion, convert, may_become_non_finite
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.schema import CompiledSchema, SchemaProblem, Undecided
from abs_shield.schema.schema_problem import not_finite
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord
from abs_shield.session.verbatim import Verbatim
from abs_shield.text.json_leaves import MaskedSecret, Path, leaves, reveal_secrets

Plans = Callable[[str], ToolPlan | None]
"""Returns the compiled tool of a name; None if it is unknown."""

_MAX_PLACES = 200  # leaves of a call that are read; a call with more contains a list of data


@dataclass(frozen=True, slots=True, kw_only=True)
class ShieldTerms:
    """
    Settings of one Shield that apply to every proposal.

    Attributes:
        threshold: The policy's sensitivity, in [0, 1].
        window: Number of calls, and seconds, within which calls may contradict each other.
        owner: Owner of the tools; values derived from a session are cached for each owner.
        converts: Whether arguments that convert without loss are only suspicious.
        requires_schemas: Whether a third party's schema that cannot be compiled is an error; true
            for policies with `on_error="block"`.
        plans: Returns the plans of a session's tools by name, if all of them may be called.
        kinds: Returns the kinds of entities that a session's tools identify.
    """

    threshold: float
    window: tuple[int, float] = (10, 60.0)
    owner: object = None
    converts: bool = True
    requires_schemas: bool = False
    plans: Callable[[SessionRecord], Plans] = lambda record: lambda tool: None
    kinds: Callable[[SessionRecord], frozenset[str]] = lambda record: frozenset()


@dataclass(slots=True)
class Proposal:
    """
    One proposed call; layers read it and change nothing.

    Attributes:
        call: The call as the model wrote it.
        arguments: Its arguments as an object; empty if they could not be parsed.
        malformed: The error if they could not be parsed; else None.
        tool: The compiled tool; None if no tool of that name may be called in this session.
        available: The tools that may be called in this session, by name.
        at: Time of the proposal, in seconds on the session's clock.
        terms: Settings that apply to every call.
        registered: Whether the tool is registered although it is not available in this session.
        siblings: Calls proposed before it in the same turn.
        later: Keys of the calls proposed after it in the same turn; some of them may have run. A
            key is the id of the decision about a call, or the id of the call.
        logprob: Mean log-probability of the name's tokens, at most 0; None if unknown.
        logprob_fault: The reason why the log-probabilities are unusable; empty if they are usable.
        plain: Whether the arguments are known to be a few plain scalars.
        plans: Returns the plan of any tool of this session, available or not.
        undecided: The reason why the match with the schema could not be decided; else empty.
    """

    call: ToolCall
    arguments: Mapping[str, Any]
    malformed: Malformed | None
    tool: ToolPlan | None
    available: Mapping[str, Any]
    at: float
    terms: ShieldTerms
    registered: bool = False
    siblings: tuple[ToolCall, ...] = ()
    logprob: float | None = None
    logprob_fault: str = ""
    undecided: str = ""
    plain: bool = False
    later: frozenset[str] = frozenset()
    plans: Plans = lambda tool: None
    _fits: bool | None = None
    _problems: tuple[SchemaProblem, ...] | None = None
    _conversion: Conversion | None = None
    _texts: Verbatim | None = None
    _places: dict[str, list[Path]] | None = None

    @property
    def fits(self) -> bool:
        """True if the arguments were parsed and match the tool's schema; evaluated once."""
        # Cached, as a layer, the conversion and the problems all need it.
        if self._fits is None:
            schema = self.tool.schema if self.tool else None
            try:
                self._fits = self.malformed is None and (
                    schema is None or schema.accepts(self.arguments, already_plain=self.plain)
                )
                if not self._fits and self.malformed is None and schema is not None:
                    self._fits = self._has_secrets() and schema.accepts(
                        reveal_secrets(self.arguments)
                    )
            except Undecided as error:
                # Undecided counts as no match, so that no arguments pass unchecked.
                self._fits, self.undecided = False, str(error)
            if self._fits and not self.plain and (non_finite := self._non_finite_problems()):
                self._fits, self._problems = False, non_finite
        return self._fits

    def _has_secrets(self) -> bool:
        """Return whether an argument is a masked secret, or contains one."""
        return not self.plain and any(
            isinstance(leaf, MaskedSecret) for _, leaf in leaves(self.arguments)
        )

    def _non_finite_problems(self) -> tuple[SchemaProblem, ...]:
        """
        Return problems of integers that the tool's function would receive as an infinity.

        Some versions of pydantic refuse such an integer, others turn it into an infinity.
        """
        convert = None if self.tool is None else self.tool.convert
        if convert is None or not may_become_non_finite(self.arguments, texts=False):
            return ()
        converted = convert(self.arguments)
        return tuple(
            map(
                not_finite,
                converted.non_finite or converted.find_refused_large_integers(self.arguments),
            )
        )

    def problems(self) -> tuple[SchemaProblem, ...]:
        """
        Return the problems that the tool's schema finds in the arguments; evaluated once.

        Raises:
            Undecided: It cannot be decided whether they match.
        """
        if self._problems is None:
            schema = None if self.fits or self.tool is None else self.tool.schema
            self._problems = () if schema is None else self._schema_problems(schema)
        return self._problems

    def _schema_problems(self, schema: CompiledSchema) -> tuple[SchemaProblem, ...]:
        problems = schema.problems(self.arguments)
        if not self._has_secrets():
            return problems
        # The problems of the masked arguments, because the others quote the secrets.
        places = {problem.where for problem in schema.problems(reveal_secrets(self.arguments))}
        return tuple(problem for problem in problems if problem.where in places) or problems

    @property
    def conversion(self) -> Conversion | None:
        """The conversion of rejected arguments; None if they match or cannot be converted."""
        if self.fits or self.malformed is not None or self.tool is None:
            return None
        if self._conversion is None and self.terms.converts and not self.undecided:
            # Undecided: there is no conversion, and the layer reports the reason.
            with suppress(Undecided):
                self._conversion = convert(self.tool, self.arguments, self.problems())
        return self._conversion

    def verbatim(self, session: Session) -> Verbatim:
        """Return the run's texts, prepared for verbatim searches of any number of values."""
        if self._texts is None:
            self._texts = Verbatim(session)
        return self._texts

    def places(self, text: str) -> list[Path]:
        """Return the paths of *text* among the first 200 leaves of the arguments."""
        if self._places is None:
            self._places = {}
            for path, leaf in leaves(self.arguments, most=_MAX_PLACES):
                if isinstance(leaf, str):
                    self._places.setdefault(leaf, []).append(path)
        return self._places.get(text, [])

    def plan(self, tool: str) -> ToolPlan | None:
        """Return the compiled tool of that name, available in this session or not."""
        return self.plans(tool)

    def kinds(self) -> frozenset[str]:
        """Return the kinds of entities that all available tools identify."""
        return frozenset().union(*(entry.plan.kinds for entry in self.available.values()))

    @property
    def name(self) -> str:
        """The tool's name as the model wrote it."""
        return self.call.name
