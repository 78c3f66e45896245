"""A verifier says how probable each claim is, given the windows of evidence nearest to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.evidence.windows import LONGEST, first, nearest
from abs_shield.answer.types import Claim, Opinion, Span, Unavailable
from abs_shield.answer.verifier import Odds, Verifier, read
from abs_shield.errors import PolicyError
from abs_shield.text.show import escaped, shown, told

_LONGEST_CLAIM = 2_000
_CONTRADICTED_FROM = 0.5
Result = tuple[Opinion | Unavailable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailed:
    """
    Scores claims by a verifier: the best probability over the windows, and over all together.

    Attributes:
        verifier: The model.
        windows: Windows that a claim is held against at most.
        longest: Characters of a window at most.
    """

    verifier: Verifier
    windows: int = 3
    longest: int = LONGEST

    def __post_init__(self) -> None:
        for name, given in (("windows", self.windows), ("longest", self.longest)):
            if type(given) is not int or given < 1:
                raise PolicyError(f"entailment: `{name}` is {shown(given)}; give a number from 1")

    def __call__(
        self, claims: tuple[Claim, ...], evidence: Evidence, *, question: str | None = None
    ) -> Result:
        """Give each claim's score; `Unavailable` without evidence, or where the verifier broke."""
        near = [self._near(claim, evidence) for claim in claims]
        wanted: defaultdict[str, list[int]] = defaultdict(list)
        for number, spans in enumerate(near):
            for premise in _premises(spans):
                wanted[premise].append(number)
        odds: list[list[Odds]] = [[] for _ in claims]
        try:
            for premise, numbers in wanted.items():
                texts = [claims[number].text[:_LONGEST_CLAIM] for number in numbers]
                given = read(self.verifier(premise, texts), wanted=len(texts))
                for number, one in zip(numbers, given, strict=True):
                    odds[number].append(one)
        except Exception as error:
            return tuple(Unavailable(f"the verifier broke: {escaped(told(error))}") for _ in claims)
        return tuple(_scored(spans, found) for spans, found in zip(near, odds, strict=True))

    def _near(self, claim: Claim, evidence: Evidence) -> tuple[Span, ...]:
        near = nearest(claim.text, evidence, most=self.windows, longest=self.longest)
        return near or first(evidence, most=self.windows, longest=self.longest)


def entailment(verifier: Verifier, *, windows: int = 3, longest: int = LONGEST) -> Entailed:
    """
    Give the scorer that holds claims against the evidence with *verifier*.

    Args:
        verifier: Any callable: a premise and claims in, one probability for each claim out.
        windows: Windows of evidence for each claim; at least 1.
        longest: Characters of a window; at least 1.

    Raises:
        PolicyError: A limit is out of range.
    """
    return Entailed(verifier=verifier, windows=windows, longest=longest)


def verify(
    claims: Sequence[Claim], evidence: Evidence, *, question: str | None = None, model: Verifier
) -> Result:
    """Score claims with a verifier and its default limits; see `entailment`."""
    return entailment(model)(tuple(claims), evidence, question=question)


def _premises(spans: tuple[Span, ...]) -> list[str]:
    texts = [span.text for span in spans]
    return [*texts, "\n".join(texts)] if len(texts) > 1 else texts


def _scored(spans: tuple[Span, ...], odds: list[Odds]) -> Opinion | Unavailable:
    if not odds:
        return Unavailable("there is no evidence")
    ranked = sorted(zip(odds, spans, strict=False), key=lambda pair: -pair[0].entailed)
    score = max(one.entailed for one in odds)
    against, span = max(zip(odds, spans, strict=False), key=lambda pair: pair[0].contradicted)
    wrong = against.contradicted >= _CONTRADICTED_FROM and against.contradicted > score
    return Opinion(
        score=min(score, 1 - against.contradicted) if wrong else score,
        spans=tuple(span for _, span in ranked[:3]),
        contradicted=f"the evidence says `{escaped(span.text)}`" if wrong else "",
    )
