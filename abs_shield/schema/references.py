"""`$ref`: resolved once in a judgement, and a target asked about a value no more than once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError

from abs_shield.schema.steps import Memo, memo, only_asking, spend

Errors = Iterator[ValidationError]


def ref(validator: Any, reference: str, instance: Any, schema: Any) -> Errors:
    """The schema that is referred to fits; so references that double cost what they hold."""
    known = memo()
    if known is None:
        yield from validator._validate_reference(ref=reference, instance=instance)
        return
    spend()
    target = resolved(validator, schema)
    asked = (id(target.contents), id(instance))
    fits = known.fits.get(asked)
    if fits is None or not (fits or only_asking()):
        for error in validator.descend(instance, target.contents, resolver=target.resolver):
            known.fits[asked] = False
            yield error
        known.fits.setdefault(asked, True)
    elif not fits:
        yield ValidationError("does not fit")


def resolved(validator: Any, schema: dict[str, Any]) -> Any:
    """Return the target of the `$ref` in *schema*."""
    known: Memo | None = memo()
    if known is None:
        return validator._resolver.lookup(schema["$ref"])
    target = known.targets.get(id(schema))
    if target is None:
        target = known.targets[id(schema)] = validator._resolver.lookup(schema["$ref"])
    return target
