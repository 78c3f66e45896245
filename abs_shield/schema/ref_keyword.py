"""The `$ref` keyword: resolved once per judgement, and each target checked once per value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError

from abs_shield.schema.work_budget import Memo, memo, spend, wants_verdict_only

Errors = Iterator[ValidationError]


def ref(validator: Any, reference: str, instance: Any, schema: Any) -> Errors:
    """Yield an error unless the referenced schema fits; cached to avoid exponential time."""
    cache = memo()
    if cache is None:
        yield from validator._validate_reference(ref=reference, instance=instance)
        return
    spend()
    target = resolve_reference(validator, schema)
    key = (id(target.contents), id(instance))
    fits = cache.fits.get(key)
    # A cached failure has no reasons, so it is judged again if reasons are needed.
    if fits is None or not (fits or wants_verdict_only()):
        for error in validator.descend(instance, target.contents, resolver=target.resolver):
            cache.fits[key] = False
            yield error
        cache.fits.setdefault(key, True)
    elif not fits:
        yield ValidationError("does not fit")


def resolve_reference(validator: Any, schema: dict[str, Any]) -> Any:
    """Return the target of the `$ref` in *schema*."""
    cache: Memo | None = memo()
    if cache is None:
        return validator._resolver.lookup(schema["$ref"])
    target = cache.targets.get(id(schema))
    if target is None:
        target = cache.targets[id(schema)] = validator._resolver.lookup(schema["$ref"])
    return target
