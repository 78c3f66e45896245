"""The schema that a tool's model reads, limited by the declarations of the tool's author."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.plan.schema_lookup import (
    default_texts,
    enum_texts,
    names_of_properties,
    schema_at,
    takes_null,
)
from abs_shield.policy import Tool
from abs_shield.policy.parameter_marks import keys_of
from abs_shield.policy.tool_declaration import MARKS
from abs_shield.schema.json_equality import canonical_key
from abs_shield.text.json_leaves import Path

_ADMITTING_KEYWORDS = frozenset({"default", "enum", "const", "pattern"})
"""Schema keywords that exempt a value from having to occur in the run, or from being a blank."""
_SPACE = str.maketrans("", "", " \t\r\n")


@dataclass(frozen=True, slots=True)
class AuthorSchema:
    """
    The schema of a tool, limited by the schemas of the tool's authors.

    A third party's description, such as that of an MCP server, must not exempt values from having
    to occur in the run. So for parameters that an author marked, and for all parameters of a tool
    that an author declared destructive, only the author's own schema exempts values.

    Attributes:
        tool: The tool, with the schema that its model reads.
        authors: The host's own declarations of the tool, without a third party's description.
    """

    tool: Tool
    authors: tuple[Tool, ...] = ()

    def at(self, path: Path) -> Mapping[str, Any]:
        """
        Return the schema of the leaf at *path*, without exempting keywords the author lacks.

        >>> author = Tool(name="pay", parameters={"properties": {"to": {}}}, targets=["to"])
        >>> parameters = {"properties": {"to": {"type": "string", "default": "acct_6"}}}
        >>> described = Tool(name="pay", parameters=parameters, targets=["to"])
        >>> AuthorSchema(described, (author,)).at(("to",))
        {'type': 'string'}
        """
        schema = schema_at(self.tool.parameters, path)
        author = self._author_of(path)
        if author is None:
            return schema
        own = schema_at(author.parameters, path)
        admitted = {
            keyword: value
            for keyword, value in schema.items()
            if keyword not in _ADMITTING_KEYWORDS
            or (
                keyword in own
                and (keyword != "default" or canonical_key(own["default"]) == canonical_key(value))
            )
        }
        if "description" in schema and not self._is_authors_text(schema["description"], own):
            admitted["description"] = own.get("description", "")
        return admitted

    def defaults(self, path: Path) -> frozenset[str]:
        """
        Return the defaults of the leaf at *path*, as texts.

        A value equal to an author's default has the effect of leaving the argument out, so it needs
        no mention, whether or not the schema for the model shows the default. For a destructive
        tool only the defaults in that schema count.
        """
        author = self._author_of(path)
        shown = default_texts(self.tool.parameters, path)
        if author is not None:
            shown &= default_texts(author.parameters, path)
        if self.tool.destructive:
            return shown
        if path and self._is_guarded(path):
            return shown if author is None else shown | default_texts(author.parameters, path)
        return shown.union(*(default_texts(other, path) for other in self._other_schemas()))

    def enum_texts(self, path: Path) -> frozenset[str]:
        """
        Return the values that the author's schema of the leaf at *path* lists, as texts.

        The model was offered each of them, so that they need no other mention.
        """
        author = self._author_of(path)
        # A description alone must not admit values for a mark of the host.
        own = author if self.authors else self.tool
        return enum_texts(own.parameters, path) if own is not None else frozenset()

    def keys(self, path: Path, keys: Iterable[str]) -> set[str]:
        """Return those of the *keys* that match the value at *path*, in any author's schema."""
        keys = (*keys,)
        if not keys:
            return set()
        matching = keys_of(path, keys, self.tool.parameters)
        for author in self.authors:
            # `/*` matches arguments that only the description names
            if isinstance(author.parameters, Mapping):
                matching |= keys_of(path, keys, author.parameters)
        return matching

    def takes_null(self, path: Path) -> bool:
        """Return whether the schema of the leaf at *path* allows null."""
        author = self._author_of(path)
        return takes_null((author or self.tool).parameters, path)

    def takes_boolean(self, path: Path) -> bool:
        """Return whether the schema of the leaf at *path* asks for a boolean."""
        author = self._author_of(path)
        return "boolean" in str(schema_at((author or self.tool).parameters, path).get("type"))

    def requires(self, path: Path) -> bool:
        """Return whether the description or the author requires the member at *path*."""
        schemas = (self.tool.parameters, *self._other_schemas())
        return any(_is_required(schema, path) for schema in schemas)

    def names(self) -> frozenset[str]:
        """Return the names of all properties, including nested ones."""
        tools = (self.tool, *self.authors)
        return frozenset().union(*(names_of_properties(tool.parameters) for tool in tools))

    def _other_schemas(self) -> Iterator[Any]:
        """Yield the authors' schemas that are not the one that the model reads."""
        return (
            author.parameters
            for author in self.authors
            if author.parameters is not self.tool.parameters
        )

    def _author_of(self, path: Path) -> Tool | None:
        """Return the author whose schema limits values at *path*; None if none does."""
        if not (path and self._is_guarded(path)):
            return None
        for author in reversed(self.authors):
            properties = schema_at(author.parameters, ()).get("properties")
            # The author's schema limits all of a parameter, also members that only a description
            # names.
            if isinstance(properties, Mapping) and path[0] in properties:
                return author
            if isinstance(author.parameters, Mapping) and keys_of(
                path, _marks(author), author.parameters
            ):
                return author
        return None

    def _is_guarded(self, path: Path) -> bool:
        destructive = self.tool.destructive and any(author.destructive for author in self.authors)
        return destructive or bool(self.keys(path, _marks(self.tool)))

    def _is_authors_text(self, text: Any, own: Mapping[str, Any]) -> bool:
        """Return whether a parameter's description is the author's or part of the docstring."""
        if not isinstance(text, str) or text == own.get("description"):
            return True
        words = text.translate(_SPACE)
        return any(words in author.description.translate(_SPACE) for author in self.authors)


def _marks(tool: Tool) -> tuple[str, ...]:
    return tuple(key for field in MARKS for key in getattr(tool, field))


def _is_required(schema: Any, path: Path) -> bool:
    required = schema_at(schema, path[:-1]).get("required") if path else None
    return isinstance(required, list) and path[-1] in required
