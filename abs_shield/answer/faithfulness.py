"""The faithfulness guardrail: a text passes when enough of it can be inferred from the context."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from abs_shield.answer.evidence import Evidence
from abs_shield.answer.faithful.config import settings_in
from abs_shield.answer.faithful.lexical import LexicalProvider
from abs_shield.answer.faithful.model import ModelProvider
from abs_shield.answer.faithful.provider import Judged, Provider
from abs_shield.answer.faithful.resolving import provider_of
from abs_shield.answer.faithful.result import FaithfulnessResult, Statement
from abs_shield.answer.faithful.scoring import NO_CONTEXT, NONE_YET, Scoring
from abs_shield.answer.faithful.settings import evidence_of, scope_of, switch, threshold_of
from abs_shield.answer.faithful.streaming import Checked, Held
from abs_shield.core.words import Mode
from abs_shield.errors import PolicyError
from abs_shield.model import Judge, Replies, Terms, Undetermined, aplay, play
from abs_shield.model.ask import Steps
from abs_shield.text.show import escaped, shown, told

__all__ = [
    "Checked",
    "Faithfulness",
    "FaithfulnessResult",
    "LexicalProvider",
    "ModelProvider",
    "Provider",
    "Statement",
]

BEFORE, AFTER = "before", "after"
LONGEST = 200_000
"""Characters of a text that is judged; a longer one is undetermined."""
_SWITCHES = (
    "enabled", "before", "after", "exclude_out_of_scope_statements", "allow_missing_context"
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Faithfulness:
    """
    Judges whether what a text states can be inferred from a context.

    A text is taken apart into statements; each gets verdict 1 or 0; the score is the share of 1,
    an exact fraction; it passes from the threshold on, equality included. A text that states
    nothing passes, and says ``no_statements``. Whatever a model does, no check raises: where no
    verdict can be had, the result is ``undetermined``, which strict mode denies.

    A streamed text is held back: `stream` judges it at its end, or in windows of whole sentences.

    Attributes:
        provider: Who judges: a `Judge` (any callable that asks a model), a `Provider`, or the
            reference of one: ``"lexical"`` needs no model.
        ref: The same under the configuration's other name.
        providers: What references mean.
        context: One text, or a list of documents. May be given with each check instead.
        threshold: The least score that passes, in [0, 1].
        exclude_out_of_scope_statements: Whether a statement that refers to nothing in the context
            passes (verdict 1); where False, all must be inferable.
        before: Whether `check_input` judges the user's input.
        after: Whether `check` judges the response.
        enabled: Whether anything is judged.
        out_of_scope: What such statements do: ``pass`` counts them as 1, ``exclude`` leaves them
            out of the score, ``fail`` counts them as 0; None follows the switch above.
        allow_missing_context: Whether it may have no context; statements are then out of scope.
        mode: ``strict`` denies; ``audit`` only says that it would.
        terms: Time, budget (for each check) and kept replies of the model.

    Raises:
        PolicyError: A setting is wrong, nobody judges, or the context is missing.
    """

    provider: Judge | Provider | str | None = None
    ref: str | None = None
    providers: Mapping[str, Judge | Provider] = field(default_factory=dict)
    context: str | Sequence[str] | None = None
    threshold: float = 0.8
    exclude_out_of_scope_statements: bool = True
    before: bool = False
    after: bool = True
    enabled: bool = True
    out_of_scope: Literal["pass", "exclude", "fail"] | None = None
    allow_missing_context: bool = False
    mode: Mode | Literal["strict", "audit"] = Mode.STRICT
    terms: Terms = field(default_factory=lambda: Terms(replies=Replies()))
    _provider: Provider = field(init=False, repr=False)
    _evidence: Evidence = field(init=False, repr=False)
    _scoring: Scoring = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in _SWITCHES:
            switch(name, getattr(self, name))
        if self.mode not in tuple(Mode):
            raise PolicyError(f"faithfulness: `mode` is {shown(self.mode)}; give strict or audit")
        made = {
            "mode": Mode(self.mode),
            "_provider": provider_of(self.provider, self.ref, self.providers),
            "_evidence": evidence_of(self.context),
            "_scoring": self._how(),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        if not self._evidence.pieces and not self.allow_missing_context:
            raise PolicyError(
                "faithfulness: the context is missing; give `context`, or "
                "`allow_missing_context=True` and a context with each check"
            )

    def _how(self) -> Scoring:
        excluding = self.exclude_out_of_scope_statements
        return Scoring(
            threshold=threshold_of(self.threshold),
            out_of_scope=scope_of(self.out_of_scope, excluding=excluding),
            mode=Mode(self.mode),
        )

    @classmethod
    def from_config(
        cls,
        config: str | bytes | Mapping[str, Any] | Sequence[Any],
        *,
        providers: Mapping[str, Judge | Provider] | None = None,
        **settings: Any,
    ) -> Faithfulness:
        """
        Load a configuration: the ``guardrails`` object, one entry of it, or an entry's config.

        Args:
            config: JSON text, or what it holds.
            providers: What the references in it mean.
            settings: Keywords of the class that the configuration has no name for.

        Raises:
            PolicyError: It cannot be read, has an unknown name, or a setting is wrong.
        """
        return cls(**{**settings_in(config), **settings}, providers=providers or {})

    def check(
        self, response: str | Sequence[str], *, context: str | Sequence[str] | None = None
    ) -> FaithfulnessResult:
        """
        Judge a model's response, where ``after`` is on.

        Args:
            response: The text, or the texts of several messages, judged together.
            context: The context of this one response; the declared one where None.

        Returns:
            Statements, score, and whether it passes; nothing raises for what a model says.

        Raises:
            PolicyError: *response* or *context* is no text.
        """
        return self._check(AFTER, response, context)

    async def acheck(
        self, response: str | Sequence[str], *, context: str | Sequence[str] | None = None
    ) -> FaithfulnessResult:
        """As `check`, without holding up the event loop."""
        return await self._acheck(AFTER, response, context)

    def check_input(
        self, text: str | Sequence[str], *, context: str | Sequence[str] | None = None
    ) -> FaithfulnessResult:
        """Judge the user's input as `check` judges a response, where ``before`` is on."""
        return self._check(BEFORE, text, context)

    async def acheck_input(
        self, text: str | Sequence[str], *, context: str | Sequence[str] | None = None
    ) -> FaithfulnessResult:
        """As `check_input`, without holding up the event loop."""
        return await self._acheck(BEFORE, text, context)

    def stream(
        self,
        chunks: Iterable[str],
        *,
        window: int | None = None,
        context: str | Sequence[str] | None = None,
    ) -> Iterator[Checked]:
        """
        Judge a streamed response before it goes on; the stream ends with a part that is denied.

        Without a window everything is held until the end, and judged as `check` does. With one,
        whole sentences are judged and let go as soon as so many characters are there; the score
        is that of all parts so far, so a wrong statement early denies what a whole text evens out.
        A model is asked twice for each part.

        Args:
            chunks: The pieces of the text as they come.
            window: Characters after which what is there is judged; at least 1.
            context: As in `check`.
        """
        if not self._runs(AFTER):
            yield from (Checked(chunk, self._not_run(AFTER)) for chunk in chunks)
            return
        held, tally = Held(window, longest=LONGEST), NONE_YET
        for text in _parts(chunks, held):
            judged = play(self._steps(text, context), self._provider.judge, terms=self._terms())
            result = self._scoring.result(AFTER, judged, earlier=tally)
            yield Checked("" if result.denied else text, result)
            if result.denied:
                return
            tally = tally.with_(result)

    async def astream(
        self,
        chunks: AsyncIterable[str],
        *,
        window: int | None = None,
        context: str | Sequence[str] | None = None,
    ) -> AsyncIterator[Checked]:
        """As `stream`, of chunks that come asynchronously."""
        held, tally, running = Held(window, longest=LONGEST), NONE_YET, self._runs(AFTER)
        async for text in _aparts(chunks, held if running else None):
            if not running:
                yield Checked(text, self._not_run(AFTER))
                continue
            steps = self._steps(text, context)
            judged = await aplay(steps, self._provider.judge, terms=self._terms())
            result = self._scoring.result(AFTER, judged, earlier=tally)
            yield Checked("" if result.denied else text, result)
            if result.denied:
                return
            tally = tally.with_(result)

    def _check(self, phase: str, given: Any, context: Any) -> FaithfulnessResult:
        if not self._runs(phase):
            return self._not_run(phase)
        steps = self._steps(_text(given), context)
        judged = play(steps, self._provider.judge, terms=self._terms())
        return self._scoring.result(phase, judged)

    async def _acheck(self, phase: str, given: Any, context: Any) -> FaithfulnessResult:
        if not self._runs(phase):
            return self._not_run(phase)
        steps = self._steps(_text(given), context)
        judged = await aplay(steps, self._provider.judge, terms=self._terms())
        return self._scoring.result(phase, judged)

    def _runs(self, phase: str) -> bool:
        return self.enabled and (self.before if phase == BEFORE else self.after)

    def _not_run(self, phase: str) -> FaithfulnessResult:
        why = f"`{phase}` is off" if self.enabled else "it is not enabled"
        result = self._scoring.result(phase, Judged(()))
        return replace(result, notes=(f"not_run: {why}",))

    def _steps(self, text: str, context: Any) -> Steps[Judged | Undetermined]:
        evidence = self._evidence if context is None else evidence_of(context)
        return _judging(self._provider, text, evidence)

    def _terms(self) -> Terms:
        """The same terms with an unspent budget: it is that of one check."""
        spent = self.terms.budget
        return replace(self.terms, budget=spent.fresh()) if spent else self.terms


def _judging(provider: Provider, text: str, evidence: Evidence) -> Steps[Judged | Undetermined]:
    """The provider's own steps, within bounds; one that breaks has judged nothing."""
    if len(text) > LONGEST:
        return Undetermined(f"{len(text)} characters, at most {LONGEST} are judged")
    if not text.strip():
        return Judged(())
    try:
        if evidence.pieces:
            return (yield from provider.steps(text, evidence))
        judged = yield from LexicalProvider().steps(text, evidence)
        if isinstance(judged, Undetermined):
            return judged
        return judged._replace(notes=(NO_CONTEXT, *judged.notes))
    except Exception as error:
        return Undetermined(f"the provider broke: {escaped(told(error))}")


def _text(given: Any) -> str:
    texts = [given] if isinstance(given, str) else given
    if isinstance(texts, Sequence) and all(isinstance(one, str) for one in texts):
        return "\n\n".join(texts)
    raise PolicyError(f"faithfulness: got {shown(given)}; give a text, or a list of texts")


def _parts(chunks: Iterable[str], held: Held) -> Iterator[str]:
    some = False
    for chunk in chunks:
        for part in held.add(chunk):
            some = True
            yield part
    rest = held.rest()
    if rest or not some:
        yield rest


async def _aparts(chunks: AsyncIterable[str], held: Held | None) -> AsyncIterator[str]:
    some = False
    async for chunk in chunks:
        for part in (chunk,) if held is None else held.add(chunk):
            some = True
            yield part
    rest = held.rest() if held is not None else ""
    if rest or not some:
        yield rest
