"""Product data for the product guardrails: features, prices, roadmap."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal, Required, Self, TypedDict, Unpack

from pydantic import Field, model_validator

from abs_shield.policy.declaration_base import Declaration

Text = Annotated[str, Field(min_length=1)]


class FeatureFields(TypedDict, total=False):
    """The arguments of `Feature`, whose types are wider than those of its fields."""

    name: Required[str]
    aliases: Iterable[str]
    plans: Iterable[str]


class Feature(Declaration):
    """
    A feature of the product matrix.

    Attributes:
        name: Its name, as outputs write it.
        aliases: Other names of it.
        plans: The plans that include it; empty if none does.
    """

    name: Text
    aliases: tuple[Text, ...] = ()
    plans: tuple[Text, ...] = ()

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[FeatureFields]) -> None: ...


class Price(Declaration):
    """
    A price of the price table.

    Attributes:
        plan: The plan or product.
        amount: The amount.
        currency: The ISO code of its currency.
        per: The billing period: ``month``, ``year``; empty for a one-time price.
    """

    plan: Text
    amount: Annotated[Decimal, Field(ge=0)]
    currency: Annotated[str, Field(min_length=3, max_length=3)] = "USD"  # ISO 4217
    per: Literal["", "month", "year", "week", "day"] = ""


class RoadmapItemFields(TypedDict, total=False):
    """The arguments of `RoadmapItem`, whose types are wider than those of its fields."""

    name: Required[str]
    aliases: Iterable[str]


class RoadmapItem(Declaration):
    """
    An unreleased feature.

    Attributes:
        name: Its name, as outputs write it.
        aliases: Other names of it.
    """

    name: Text
    aliases: tuple[Text, ...] = ()

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[RoadmapItemFields]) -> None: ...


class ProductCatalogueFields(TypedDict, total=False):
    """The arguments of `ProductCatalogue`, whose types are wider than those of its fields."""

    features: Iterable[Feature]
    prices: Iterable[Price]
    roadmap: Iterable[RoadmapItem]
    products: Iterable[str]


class ProductCatalogue(Declaration):
    """
    The data of a product, for checking claims about it.

    Attributes:
        features: The product matrix.
        prices: The price table.
        roadmap: Unreleased features.
        products: Names of the product.

    Raises:
        PolicyError: A name occurs twice among features and roadmap.
    """

    features: tuple[Feature, ...] = ()
    prices: tuple[Price, ...] = ()
    roadmap: tuple[RoadmapItem, ...] = ()
    products: tuple[Text, ...] = ()

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[ProductCatalogueFields]) -> None: ...

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = [one.name.casefold() for one in self.features]
        names += [one.name.casefold() for one in self.roadmap]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"`{twice[0]}` is twice among features and roadmap")
        return self

    @property
    def plans(self) -> tuple[str, ...]:
        """The names of all plans, in the order of their declaration."""
        names = [one.plan for one in self.prices]
        names += [plan for feature in self.features for plan in feature.plans]
        return tuple(dict.fromkeys(names))
