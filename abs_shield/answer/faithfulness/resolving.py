"""Which provider a configuration means, by reference or by object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from abs_shield.answer.faithfulness.lexical import LexicalProvider
from abs_shield.answer.faithfulness.model import ModelProvider
from abs_shield.answer.faithfulness.provider import Provider
from abs_shield.errors import PolicyError
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped, shown

LEXICAL = "lexical"
"""The reference of the provider that needs no model."""


def provider_of(provider: Any, ref: Any, providers: Mapping[str, Any]) -> Provider:
    """
    Give the provider: an object as it is, a judge as `ModelProvider`, a reference looked up.

    Raises:
        PolicyError: None is given, two differ, or nothing has that reference.
    """
    given = provider if ref is None else ref
    if given is None:
        raise PolicyError("faithfulness: `ref` (or `provider`) is required; name who judges")
    if None not in (provider, ref) and provider != ref:
        raise PolicyError("faithfulness: `ref` and `provider` differ; give one of the two")
    if isinstance(given, str):
        given = _looked_up(given, providers)
    if callable(getattr(given, "steps", None)):
        return cast("Provider", given)
    if callable(given):
        return ModelProvider(given)
    raise PolicyError(f"faithfulness: {shown(given)} is no judge; give a callable or its reference")


def _looked_up(ref: str, providers: Mapping[str, Any]) -> Any:
    if ref in providers:
        return providers[ref]
    if ref == LEXICAL:
        return LexicalProvider()
    near = nearest(ref, [*providers, LEXICAL])
    hint = f"did you mean `{escaped(near[0])}`?" if near else "give it in `providers`"
    raise PolicyError(f"faithfulness: no provider is named `{escaped(ref)}`; {hint}")
