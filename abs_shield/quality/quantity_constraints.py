"""Declared constraints on quantities: limits, orders and directions."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Literal, Required, Self, TypedDict, Unpack

from pydantic import Field, model_validator

from abs_shield.policy.declaration_base import Declaration, Float
from abs_shield.text.stem import stem
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import MONEY, Figure
from abs_shield.text.values.figure_reader import figures


class Limit(Declaration):
    """
    The limits of a quantity.

    Attributes:
        quantity: Words that name it: ``interest rate``.
        minimum: The minimum value; None for no limit.
        maximum: The maximum value; None for no limit.
        unit: The unit of both: ``%`` or ``percent``, ``USD`` or ``$``, ``days``; empty for any.
        reason: The reason, for the agent.
    """

    quantity: Annotated[str, Field(min_length=1)]
    minimum: Annotated[Float, Field(allow_inf_nan=False)] | None = None
    maximum: Annotated[Float, Field(allow_inf_nan=False)] | None = None
    unit: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _require_words("quantity", self.quantity)
        if self.unit and _unit_of(self.unit) is None:
            raise ValueError(
                f"`unit` is `{self.unit}`, which no number has; use `%`, `USD`, `days`"
            )
        if self.minimum is None and self.maximum is None:
            raise ValueError("a limit needs `minimum`, `maximum` or both")
        if None not in (self.minimum, self.maximum) and self.minimum > self.maximum:  # type: ignore[operator]
            raise ValueError(f"`minimum` is {self.minimum:g}, above `maximum` {self.maximum:g}")
        return self

    @cached_property
    def keys(self) -> frozenset[str]:
        """The stems of its quantity."""
        return frozenset(keys_of(self.quantity))

    def is_of_unit(self, figure: Figure) -> bool:
        """Return whether a figure has the unit of the limits."""
        return not self.unit or _unit_of(self.unit) == stem(figure.unit.casefold())

    def allows(self, value: Decimal) -> bool:
        """Return whether a value is within the limits."""
        # by its text: Decimal(0.1) would be above 0.1
        return (self.minimum is None or value >= Decimal(str(self.minimum))) and (
            self.maximum is None or value <= Decimal(str(self.maximum))
        )


class OrderFields(TypedDict, total=False):
    """The arguments of `Order`, whose types are wider than those of its fields."""

    names: Required[Iterable[str]]
    quantity: str


class Order(Declaration):
    """
    A fixed, transitive order of things by some quantity, the greatest first.

    Attributes:
        quantity: Words that name the compared quantity: ``price``; empty for any comparison.
        names: The things, the greatest first: ``("Enterprise", "Team", "Free")``.
    """

    names: Annotated[tuple[str, ...], Field(min_length=2)]
    quantity: str = ""

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[OrderFields]) -> None: ...

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if not all(name.strip() for name in self.names):
            raise ValueError("`names` has an empty name")
        if len({name.casefold() for name in self.names}) < len(self.names):
            raise ValueError("`names` has one name twice")
        if self.quantity:
            _require_words("quantity", self.quantity)
        return self


class Direction(Declaration):
    """
    The direction in which a quantity changes.

    Attributes:
        subject: Words that name it: ``Arctic sea ice``.
        direction: ``"rises"`` or ``"falls"``.
        reason: Why, for the agent.
    """

    subject: Annotated[str, Field(min_length=1)]
    direction: Literal["rises", "falls"]
    reason: str = ""

    @model_validator(mode="after")
    def _valid_subject(self) -> Self:
        _require_words("subject", self.subject)
        return self


Constraint = Limit | Order | Direction


def _require_words(field: str, text: str) -> None:
    if not keys_of(text):
        raise ValueError(f"`{field}` is `{text}`, which has no meaningful word")


@lru_cache(maxsize=256)
def _unit_of(unit: str) -> str | None:
    """Return the stem of a unit as figures have it; None if no figure has it."""
    # asks the reader of figures itself, so that a unit it cannot read is refused when declared
    for written in (f"5 {unit}", f"{unit} 5", f"{unit}5"):
        values = figures(written)
        if len(values) == 1 and values[0].unit and values[0].text:
            covered = values[0].text if values[0].kind == MONEY or values[0].unit == "%" else None
            if covered == written or written == f"5 {values[0].unit}":
                return stem(values[0].unit.casefold())
    return None
