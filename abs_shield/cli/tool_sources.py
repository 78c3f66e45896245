"""Tool sources of `abs-shield init`: a file, an MCP server, an OpenAPI description."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import date
from pathlib import Path, PurePath
from typing import Any

from abs_shield.cli.json_inputs import parse_json, resolve_toolset
from abs_shield.cli.usage_errors import BadInput
from abs_shield.errors import PolicyError
from abs_shield.mining import LenientToolsets, ToolSource
from abs_shield.replay.toolsets import OnBadTool, is_answer, tools_of, unwrap_result
from abs_shield.text.safe_display import escaped, shown

_URLS = ("http://", "https://")
_YAML = (".yaml", ".yml")
# above what the APIs of large providers have; a few nested aliases of YAML expand to billions
_MOST_VALUES = 2_000_000


def from_file(
    path: str, toolset: str | None, on_bad: OnBadTool
) -> tuple[ToolSource, LenientToolsets]:
    """
    Read a list of tools, or an object of such lists, one named by *toolset*.

    A tool that cannot be read is left out, and *on_bad* is called with the error.

    Returns:
        The tools, and the toolsets that recorded runs may refer to.

    Raises:
        BadInput: The file holds no list, or several without *toolset*, or an unreadable tool.
    """
    whole = unwrap_result(parse_json(Path(path).read_bytes(), path=path))
    name = PurePath(path).name
    try:
        if isinstance(whole, Mapping) and not is_answer(whole):
            toolsets = LenientToolsets(whole, on_bad=on_bad)
            _, tools = toolsets.of({"toolset": resolve_toolset(whole, toolset, path=path)})
            return ToolSource(name=name, tools=tools), toolsets
        if toolset is not None:
            raise BadInput(f"{path}: it is one list of tools; leave `--toolset` out")
        return ToolSource(name=name, tools=tools_of(whole, on_bad)), LenientToolsets()
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None


def from_server(command: str, on_bad: OnBadTool, *, within_s: float) -> ToolSource:
    """
    Fetch the tools of an MCP server, which a command starts or a URL names.

    Raises:
        BadInput: The extra is missing, or the command cannot be read.
        ShieldError: The server does not start, or does not answer.
    """
    try:
        words = [command] if command.startswith(_URLS) else shlex.split(command)
    except ValueError as error:
        raise BadInput(f"`--mcp`: {error}; quote the command as a shell does") from None
    if not words:
        raise BadInput("`--mcp` is empty; give a command or a URL")
    try:
        from abs_shield.service import upstream_server
    except ModuleNotFoundError:
        raise BadInput('`--mcp` needs `fastmcp`; run `pip install "abs-shield[fastmcp]"`') from None
    is_url = command.startswith(_URLS)
    server = upstream_server.address(command) if is_url else upstream_server.command(words)
    tools = tools_of(upstream_server.listed_tools(server, within_s=within_s), on_bad)
    return ToolSource(name=f"the MCP server `{PurePath(words[0]).name}`", tools=tools)


def from_openapi(path: str) -> ToolSource:
    """
    Read the tools of an OpenAPI description, JSON or YAML; each operation is a tool.

    Raises:
        BadInput: The file is not OpenAPI, or the extra for YAML is missing.
    """
    from abs_shield.openapi import operations

    text = Path(path).read_bytes()
    is_yaml = PurePath(path).suffix.casefold() in _YAML
    try:
        api = operations(_parse_yaml(text, path=path) if is_yaml else parse_json(text, path=path))
    except PolicyError as error:
        raise BadInput(f"{path}: {error}") from None
    name = PurePath(path).name
    return ToolSource(name=name, tools=api.tools, reasons=api.reasons, remarks=api.remarks)


def _parse_yaml(text: bytes, *, path: str) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise BadInput(f'{path}: YAML needs PyYAML; run `pip install "abs-shield[yaml]"`') from None
    try:
        return _YamlConverter().of(yaml.safe_load(text))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        message = " ".join(str(error).split())
        raise BadInput(f"{path}: it is not YAML: {escaped(message, limit=200)}") from None
    except (OverflowError, RecursionError):
        raise BadInput(
            f"{path}: it is nested too deeply, or its aliases make it too large"
        ) from None


class _YamlConverter:
    """Converter of YAML values to JSON values, with a limit on their number."""

    def __init__(self) -> None:
        self._values = 0

    def of(self, value: Any) -> Any:
        """
        Return a value as JSON-able data.

        Raises:
            OverflowError: There are too many values.
        """
        self._values += 1
        if self._values > _MOST_VALUES:
            raise OverflowError
        if isinstance(value, dict):
            return {_key_text(key): self.of(held) for key, held in value.items()}
        if isinstance(value, (list, tuple, set)):
            return [self.of(held) for held in value]
        # YAML reads 2026-01-31 as a date, which JSON does not have
        if isinstance(value, date):
            return value.isoformat()
        plain = value is None or isinstance(value, (str, int, float))
        return value if plain else shown(value)


def _key_text(key: Any) -> str:
    # YAML reads the keys `yes` and `on` as true, and status codes as numbers
    return str(key).casefold() if isinstance(key, bool) else str(key)
