"""HTML elements built as a tree, so that no text can become markup."""

from __future__ import annotations

from html import escape
from xml.etree.ElementTree import Element

from abs_shield.text.safe_display import escaped, quantity

_LONGEST = 2_000  # a reason or a detail may quote a document
_NAME = 60  # a column of a table on a narrow screen
_VOID = frozenset({"meta"})  # elements without an end tag
_RAW = frozenset({"style"})
"""Elements whose content is this package's own text, written without escaping."""


def node(tag: str, *children: str | Element, **attributes: str) -> Element:
    r"""
    Return an element; texts are escaped for HTML, and invisible characters are shown.

    Args:
        tag: Its name.
        children: Texts and elements, in order.
        attributes: By name; `class_` is the class.

    >>> print(html(node("b", "<i>\u202e", title='"')))
    <b title="&quot;">&lt;i&gt;\u202e</b>
    """
    element = Element(tag, {name.rstrip("_"): shown(value) for name, value in attributes.items()})
    for child in children:
        if isinstance(child, Element):
            element.append(child)
        # `ElementTree` stores text after a child as the child's tail
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + shown(child)
        else:
            element.text = (element.text or "") + shown(child)
    return element


def shown(text: str) -> str:
    """Return *text* with unprintable characters escaped."""
    return escaped(text, limit=_LONGEST)


def html(element: Element) -> str:
    """Return an element as HTML; `ElementTree` would not escape ``<`` in attributes."""
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in element.items())
    if element.tag in _VOID:
        return f"<{element.tag}{attributes}>"
    text = element.text or ""
    inner = text if element.tag in _RAW else escape(text)
    inner += "".join(html(child) + escape(child.tail or "") for child in element)
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"


def scrolled(table: Element, **attributes: str) -> Element:
    """Return a table in a scrollable box."""
    return node("div", table, class_="scrolled", tabindex="0", role="region", **attributes)


def cut(name: str) -> str:
    """Return a name, cut after 60 characters, as a model may have written it."""
    return name if len(name) <= _NAME else f"{name[:_NAME]}..."


def more(left: int, noun: str) -> list[Element]:
    """Return a line with the number of entries not shown; nothing if all are shown."""
    return [node("p", f"And {quantity(left, noun)} more.")] if left > 0 else []
