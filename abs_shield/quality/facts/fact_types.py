"""Facts, and the protocol of a source of facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from abs_shield.errors import PolicyError, ShieldError
from abs_shield.text.safe_display import shown

TOLERANCE = 0.005
"""Default relative tolerance of a value: half a percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    One fact.

    Attributes:
        subject: Name of the entity, as texts write it: ``Apple``.
        attribute: The attribute: ``market cap``.
        value: Its value as a person would write it: ``$3.1T``, ``1889``, ``Tim Cook``.
        period: The period for which it holds, as texts write it: ``Q4 2025``; empty if always.
        tolerance: Relative tolerance of a number, at least 0; years and dates have none.
        aliases: Other names of the entity: ``("Apple Inc.", "AAPL")``.
        attribute_aliases: Other words for the attribute: ``("market value",)``.

    Raises:
        PolicyError: A text is empty, the tolerance is negative or not a number, or aliases are
            not a tuple of strings.
    """

    subject: str
    attribute: str
    value: str
    period: str = ""
    tolerance: float = TOLERANCE
    aliases: tuple[str, ...] = ()
    attribute_aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("subject", "attribute", "value"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise PolicyError(f"fact: `{name}` is {shown(text)}; give a text that is not empty")
        if not isinstance(self.tolerance, (int, float)) or not 0 <= self.tolerance < float("inf"):
            hint = "give a number from 0, such as 0.005"
            raise PolicyError(f"fact: `tolerance` is {shown(self.tolerance)}; {hint}")
        for name in ("aliases", "attribute_aliases"):
            several = getattr(self, name)
            if isinstance(several, str) or not all(
                isinstance(one, str) and one.strip() for one in several
            ):
                raise PolicyError(f"fact: `{name}` is {shown(several)}; give a tuple of texts")
            object.__setattr__(self, name, tuple(several))


class FactsUnavailable(ShieldError):
    """A source of facts is unavailable: nothing is verified, and the stage reports it."""


class Facts(Protocol):
    """
    A source of facts: a table, a knowledge graph, a service.

    A source that needs the network may have a method ``read(text)``, which receives a whole output
    before its sentences.
    """

    def facts_about(self, sentence: str) -> Iterable[Fact]:
        """
        Return the facts whose subject a sentence names; empty if there are none.

        Raises:
            FactsUnavailable: The source is unavailable.
        """
