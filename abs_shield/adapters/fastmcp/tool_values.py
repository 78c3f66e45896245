"""The values of a tool's result: its text, its structured content, and what the model reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastmcp.tools.base import ToolResult

from abs_shield.core.messages import decode_json
from abs_shield.shield.message_content import content_of


def block_text(block: Any) -> str | None:
    """Return the text of one content block; None if it is not text."""
    if block.type == "text":
        return str(block.text)
    if block.type == "resource_link":
        return "\n".join(filter(None, (str(block.uri), block.name, block.description)))
    return getattr(getattr(block, "resource", None), "text", None)


def visible_value(result: ToolResult) -> Any:
    """Return the text that the model reads, with the structured content if it differs."""
    text = "\n".join(filter(None, map(block_text, result.content)))
    structured = result.structured_content
    if structured is None or not text:
        return text if structured is None else structured
    # FastMCP wraps a value that is not an object; the text contains only the value
    inner = structured["result"] if structured.keys() == {"result"} else structured
    parsed = decode_json(text)
    return (
        text if parsed in (inner, structured) or text == content_of(inner) else [text, structured]
    )


def structured_value(result: ToolResult) -> Any:
    """Return the tool's structured return value; None if there is only text."""
    fastmcp_meta = (result.meta or {}).get("fastmcp")
    # only the server's own mark is reliable: a tool may return an object with a key `result`
    wrapped = isinstance(fastmcp_meta, Mapping) and fastmcp_meta.get("wrap_result") is True
    structured = result.structured_content
    return structured.get("result", structured) if wrapped and structured else structured
