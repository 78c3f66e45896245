"""One OpenAPI document: its version, and its local references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from abs_shield.errors import PolicyError
from abs_shield.text.show import shown

_MOST_STEPS = 32  # a circle of references would never end
_OLD = "3.0"


@dataclass(frozen=True, slots=True)
class Document:
    """A description of OpenAPI 3.0, 3.1 or later."""

    whole: Mapping[str, Any]

    @classmethod
    def of(cls, whole: Any) -> Document:
        """
        Return the document after validating it.

        Raises:
            PolicyError: The data is not an OpenAPI 3 description, or has no paths.
        """
        if not isinstance(whole, Mapping):
            raise PolicyError(f"it is {shown(whole)}; give an OpenAPI description, an object")
        version = whole.get("openapi")
        if "swagger" in whole:  # Swagger 2 has another form of parameters and schemas
            version_text = shown(whole["swagger"])
            raise PolicyError(f"it is of Swagger {version_text}; convert it to OpenAPI 3 first")
        if not isinstance(version, (str, float)) or not str(version).startswith("3."):
            raise PolicyError(f"`openapi` is {shown(version)}; give a description of OpenAPI 3")
        if not isinstance(whole.get("paths"), Mapping):
            raise PolicyError("it has no `paths`, so there are no operations")
        return cls(whole)

    @property
    def is_old(self) -> bool:
        """True if its schemas follow OpenAPI 3.0, which is not JSON Schema."""
        return str(self.whole["openapi"]).startswith(_OLD)

    def at(self, pointer: str) -> Any:
        """Return the value at a local reference such as ``#/components/schemas/Order``, or None."""
        here: Any = self.whole
        for step in pointer.removeprefix("#").strip("/").split("/") if pointer != "#" else ():
            # a URI may escape characters, and a JSON pointer `~` and `/`
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(here, Mapping):
                here = here.get(name)
            elif isinstance(here, list) and name.isdecimal() and int(name) < len(here):
                here = here[int(name)]
            else:
                return None
        return here

    def resolved(self, part: Any) -> Mapping[str, Any]:
        """Return an object with its own reference resolved; empty if it cannot be."""
        for _ in range(_MOST_STEPS):
            if not isinstance(part, Mapping):
                return {}
            pointer = part.get("$ref")
            if not isinstance(pointer, str):
                return part
            # external files are not fetched
            part = self.at(pointer) if pointer.startswith("#") else None
        return {}

    def objects(self, listed: Any) -> Iterable[Mapping[str, Any]]:
        """Return the objects in a list, with their references resolved."""
        members = listed if isinstance(listed, list) else ()
        return [resolved for each in members if (resolved := self.resolved(each))]
