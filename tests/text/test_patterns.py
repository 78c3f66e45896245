"""Nothing that reads a text takes longer than the text is long, whatever stands there."""

from __future__ import annotations

import pytest

from abs_shield.plan.created_entities import names_created_by_statements
from abs_shield.plan.parameter_names import classify_name
from abs_shield.plan.parameter_values import classify_value, is_token
from abs_shield.plan.requested_steps import requests_both_steps
from abs_shield.plan.tool_action import parse_action
from abs_shield.text import shape
from abs_shield.text.failure import tells_failure
from abs_shield.text.fields import labelled
from abs_shield.text.forms import forms
from abs_shield.text.hosts import is_well_known
from abs_shield.text.language import language
from abs_shield.text.names import is_free, name_words
from abs_shield.text.nearest import closest, nearest
from abs_shield.text.normal import chunks, codes, normal, parts, squeezed, unaccented, words
from abs_shield.text.paths import cuts, is_plain
from abs_shield.text.places import bare, elsewhere
from abs_shield.text.templates import templates
from abs_shield.text.tight import Tight

PIECES = [
    "a", "1", "a_", "a-", "a.", "1,", "1 ", "- ", "@a", "/a", "((", "  ", "\n", "a b ", "$", "%a",
    "{a}", "<a>", "<a", "{ ", "[a]", "::", "then ", "stop 4430, ", "'a", "年", "+1", "may 1 ",
    "first.last@a.", "name: ", "mv a ", "create table ", "the_w", "_", "enter_", "your ", "ก็",
]  # fmt: skip
SHAPES = [getattr(shape, name) for name in dir(shape) if name.startswith("is_")]
READERS = [
    *SHAPES, normal, chunks, words, squeezed, unaccented, parts, name_words, is_free, classify_name,
    bare, elsewhere, is_plain, cuts, language, tells_failure, templates, is_token,
    names_created_by_statements, is_well_known, parse_action,
    lambda text: list(codes(text)), lambda text: list(labelled(text)),
    lambda text: list(forms(text)), lambda text: list(forms(text[:120])),
    lambda text: Tight.of(normal(text)).holds("zz9"),
    lambda text: requests_both_steps(
        parse_action("create_order"), parse_action("cancel_order"), text[:8_192]
    ),
    lambda text: classify_value(text, text, "hard", "order_id"),
    lambda text: classify_value(text, text, "soft", "name"),
    lambda text: nearest(text, [text[::-1]]), lambda text: closest(text, [text[::-1]]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_long_text_is_read_to_its_end(piece):
    """Every reader comes to an end on twenty thousand awkward characters."""
    text = (piece * 20_000)[:20_000] + "!"
    for read in READERS:
        first = repr(read(text))

        assert first == repr(read(text))
