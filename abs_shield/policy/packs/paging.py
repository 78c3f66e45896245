"""Rules for paging: page size, first page, and depth."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import Tools, build_rule, exact_number, quoted_names
from abs_shield.text.exact_values import all_within, amount


def limit_at_most(most: int, *, tool: Tools, parameter: str = "limit") -> Rule:
    """
    A page is not larger than the server allows or the model's context can hold.

    >>> limit_at_most(100, tool="search").sentence
    '`limit` is at most 100.'
    """
    highest = exact_number(most, of="paging.limit_at_most")

    def check(limit: Any) -> bool:
        return all_within(limit, most=highest)

    sentence = f"{quoted_names(parameter)} is at most {highest:f}."
    return build_rule(
        check, tool=tool, takes={"limit": parameter}, sentence=sentence, tries=(float(highest),)
    )


def limit_above_zero(*, tool: Tools, parameter: str = "limit") -> Rule:
    """
    A page has at least one entry: zero and -1 often mean "all".

    >>> limit_above_zero(tool="search").sentence
    '`limit` is at least 1.'
    """

    def check(limit: Any) -> bool:
        return all_within(limit, least=Decimal(1))

    sentence = f"{quoted_names(parameter)} is at least 1."
    return build_rule(check, tool=tool, takes={"limit": parameter}, sentence=sentence, tries=(0,))


def offset_not_negative(*, tool: Tools, parameter: str = "offset") -> Rule:
    """
    A listing starts at its beginning or later.

    >>> offset_not_negative(tool="search").sentence
    '`offset` is not negative.'
    """

    def check(offset: Any) -> bool:
        return all_within(offset, least=Decimal(0))

    sentence = f"{quoted_names(parameter)} is not negative."
    return build_rule(check, tool=tool, takes={"offset": parameter}, sentence=sentence, tries=(0,))


def page_from(first: int = 1, *, tool: Tools, parameter: str = "page") -> Rule:
    """
    Pages count from 1, or from the server's first page number.

    >>> page_from(1, tool="search").sentence
    '`page` counts from 1.'
    """
    lowest = exact_number(first, of="paging.page_from")

    def check(page: Any) -> bool:
        return all_within(page, least=lowest)

    sentence = f"{quoted_names(parameter)} counts from {lowest:f}."
    return build_rule(
        check, tool=tool, takes={"page": parameter}, sentence=sentence, tries=(float(lowest),)
    )


# 10,000 is the default window of Elasticsearch and OpenSearch.
def window_at_most(
    most: int = 10_000, *, tool: Tools, offset: str = "offset", limit: str = "limit"
) -> Rule:
    """
    A listing is not read beyond the server's window.

    >>> window_at_most(10_000, tool="search", offset="from", limit="size").sentence
    '`from` and `size` together are at most 10000.'
    """
    deepest = exact_number(most, of="paging.window_at_most")

    def check(offset: Any, limit: Any) -> bool:
        first, count = amount(offset), amount(limit)
        # What is not a number is for the schema to refuse.
        if first is None or count is None:
            return True
        if first.is_nan() or count.is_nan():
            return False
        # A negative part may not make room for the other one.
        return max(first, Decimal(0)) + max(count, Decimal(0)) <= deepest

    sentence = f"{quoted_names(offset)} and {quoted_names(limit)} together are at most {deepest:f}."
    return build_rule(
        check,
        tool=tool,
        takes={"offset": offset, "limit": limit},
        sentence=sentence,
        tries=(1, float(deepest)),
    )
