"""Texts made to make a pattern backtrack, before every rule of every pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.policy import Rule
from abs_shield.policy.packs import cloud, customer_service, dates, files, messaging, money, paging
from tests.hostile.cases import clean, wrong

VALUE: dict[str, Any] = {"tool": "act", "parameter": "value"}
RANGE: dict[str, Any] = {"tool": "act", "start": "value", "end": "note"}
BOMBS = ["(a+)+$", "(?:a|a)*!", "*a" * 20 + "*b", "[!a]" * 50, "?" * 200]
"""Patterns that are written where a rule takes words."""

RULES: Mapping[str, Rule] = {
    made.name: made
    for made in (
        money.at_most(500, **VALUE),
        money.above_zero(**VALUE),
        money.at_most_decimals(2, **VALUE),
        money.known_currency(BOMBS, **VALUE),
        money.in_all_at_most(500, **VALUE),
        dates.not_before(**RANGE),
        dates.after(**RANGE),
        dates.span_at_most(30, **RANGE),
        dates.not_in_the_past(**VALUE),
        dates.ahead_at_most(365, **VALUE),
        paging.limit_at_most(100, **VALUE),
        paging.limit_above_zero(**VALUE),
        paging.offset_not_negative(**VALUE),
        paging.page_from(1, **VALUE),
        paging.window_at_most(tool="act", offset="value", limit="note"),
        files.inside("/srv/data", **VALUE),
        files.no_hidden(**VALUE),
        files.extensions(BOMBS, **VALUE),
        files.plain_name(**VALUE),
        files.no_wildcards(**VALUE),
        messaging.recipients_within(BOMBS, **VALUE),
        messaging.at_most_recipients(1_000_000, **VALUE),
        messaging.not_empty(**VALUE),
        messaging.one_line(**VALUE),
        messaging.length_at_most(10, **VALUE),
        messaging.no_blanks(**VALUE),
        customer_service.verified_first("verify", tool="act", same="value"),
        customer_service.confirmed_first(BOMBS[:2], tool="act"),
        customer_service.once(tool="act", same="value"),
        customer_service.refund_at_most_what_was_paid(
            "get_order", tool="act", same="note", amount="value"
        ),
        cloud.allowed_regions(BOMBS, **VALUE),
        cloud.at_most_instances(10, **VALUE),
        cloud.no_wildcards(**VALUE),
        cloud.not_open_to_all(**VALUE),
        cloud.not_production_without("ask", production=BOMBS, **VALUE),
        cloud.dry_run_first(**VALUE),
        cloud.required_tags(BOMBS, **VALUE),
    )
}

PIECES = [
    "a", "a!", "1", "1 ", "1,", "1'000", "1.", "-", "%", "%25", "%c0%ae", "../", "..\\", "./", "~",
    "@", "a@", "@a.", ",;", "{{", "{{a", "[your ", "[my a", "<insert a", "[name](", "=", "a=,",
    "/0", "0/", "0.", "::", "0/0,", "\n", "\r", "\u2028", "\u0301", "\ufdfa", "\u200b", "((", "*a",
]  # fmt: skip
"""Each begins, over and over, what one of the rules looks for."""


def of(piece: str, *, length: int = 900_000) -> str:
    """Return a text that repeats *piece* up to about a megabyte."""
    return piece * ((20_000 if piece == "\ufdfa" else length) // len(piece.encode())) + "!"


PACK_CASES = [
    wrong(f"a megabyte of {piece!r} before the packs",
          lambda piece=piece: {"value": of(piece)}, "rule",
          declared={"rules": [*RULES.values()]})
    for piece in PIECES
] + [
    clean(f"{bomb[:12]} before a pack that takes globs", lambda: {"value": "b" + "a" * 500_000},
          declared={"rules": [
              cloud.not_production_without("ask", production=[bomb], **VALUE)]})
    for bomb in BOMBS
] + [
    clean(f"{bomb[:12]} before a pack that takes words", lambda bomb=bomb: {"value": bomb},
          declared={"rules": [cloud.allowed_regions([bomb], **VALUE)]})
    for bomb in BOMBS
]  # fmt: skip
