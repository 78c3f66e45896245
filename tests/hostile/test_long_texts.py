"""A user's text of a megabyte, in shapes that are made to be slow to read."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

SHAPES = {
    "blanks": " ",
    "one letter": "x",
    "digits": "1",
    "groups of digits": "12 34 ",
    "brackets": "<[{",
    "full stops": ".",
    "hyphens": "a-1-",
    "addresses": "a@b.cd ",
    "at signs": "@",
    "dates": "2024-05-",
    "paths": "/a/b",
    "URLs": "http://a.b/c ",
    "quotes": "\"'",
    "line ends": "\n",
    "ligatures": "\ufdfa",
    "accents": "e\u0301",
    "Chinese": "\u8ba2\u5355",
    "marks": "\u0301",
    "templates": "{x}-<y> ",
    "fields": "id: 7\n",
    "money": "$1,000.50 ",
    "null bytes": "\x00",
    "bidi": "\u202ea",
    "surrogates": "\ud800",
}
every_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def verdict_after(text: str) -> str:
    """Return the verdict on an id that the user mentions after *text*."""
    tools = [Tool(name="cancel_order", parameters={"type": "object"})]
    firewall = Shield(shield.configure(tools=tools, layers=["phantom_target"]), hooks=None)
    with firewall.session() as session:
        session.user(text)
        session.user("Cancel tx_12345 please.")
        return firewall.check_call(ToolCall("cancel_order", {"order_id": "tx_12345"})).verdict.value


@every_shape
def test_an_id_after_a_long_text_is_found(shape: str) -> None:
    """The id is found whatever the text before it consists of."""
    assert "CLEAN" == verdict_after(shape * (20_000 // len(shape)))


@pytest.mark.slow
@every_shape
def test_an_id_after_a_megabyte_of_text_is_found(shape: str) -> None:
    """The watchdog fails the test if it takes too long."""
    assert "CLEAN" == verdict_after(shape * (1_000_000 // len(shape)))
