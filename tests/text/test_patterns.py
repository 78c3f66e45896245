"""Every reader of text takes linear time for any text."""

from __future__ import annotations

import pytest

from abs_shield.plan.created_entities import parse_created_names
from abs_shield.plan.parameter_names import classify_name
from abs_shield.plan.parameter_values import classify_value, is_token
from abs_shield.plan.requested_steps import requests_both_steps
from abs_shield.plan.tool_action import parse_action
from abs_shield.text import value_shapes
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.identifier_words import is_free_text_field, name_words
from abs_shield.text.labelled_values import labelled_values
from abs_shield.text.language import language
from abs_shield.text.name_forms import bare_place, foreign_names
from abs_shield.text.nearest import closest_spelling, nearest
from abs_shield.text.normal_form import (
    alphanumerics,
    chunks,
    codes,
    normal,
    parts,
    remove_accents,
    words,
)
from abs_shield.text.path_steps import cut_positions, is_plain_step
from abs_shield.text.public_names import is_popular_site
from abs_shield.text.separatorless import SeparatorlessText
from abs_shield.text.spelling_variants import forms
from abs_shield.text.text_templates import templates
from abs_shield.text.yaml_scalars import decode_folded_scalars

PIECES = [
    "a", "1", "a_", "a-", "a.", "1,", "1 ", "- ", "@a", "/a", "((", "  ", "\n", "a b ", "$", "%a",
    "{a}", "<a>", "<a", "{ ", "[a]", "::", "then ", "stop 4430, ", "'a", "年", "+1", "may 1 ",
    "first.last@a.", "name: ", "mv a ", "create table ", "the_w", "_", "enter_", "your ", "ก็",
]  # fmt: skip
SHAPES = [getattr(value_shapes, name) for name in dir(value_shapes) if name.startswith("is_")]
READERS = [
    *SHAPES, normal, chunks, words, alphanumerics, remove_accents, parts, name_words,
    is_free_text_field, classify_name, bare_place, foreign_names, is_plain_step, cut_positions,
    language, is_failure_result, templates, is_token,
    parse_created_names, is_popular_site, parse_action,
    lambda text: decode_folded_scalars(f'a: "{text}\n  "', in_place=True),
    lambda text: decode_folded_scalars(f"a: '{text}\n  '"),
    lambda text: list(codes(text)), lambda text: list(labelled_values(text)),
    lambda text: list(forms(text)), lambda text: list(forms(text[:120])),
    lambda text: SeparatorlessText.of(normal(text)).holds("zz9"),
    lambda text: requests_both_steps(
        parse_action("create_order"), parse_action("cancel_order"), text[:8_192]
    ),
    lambda text: classify_value(text, text, "hard", "order_id"),
    lambda text: classify_value(text, text, "soft", "name"),
    lambda text: nearest(text, [text[::-1]]), lambda text: closest_spelling(text, [text[::-1]]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_long_text_is_read_to_its_end(piece):
    """Every reader ends on 20,000 characters of each piece and is deterministic."""
    text = (piece * 20_000)[:20_000] + "!"
    for read in READERS:
        first = repr(read(text))

        assert first == repr(read(text))
