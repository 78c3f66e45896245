"""Rules for paging: page size, page number, and offset."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import Tools, build_rule, exact_number, quoted_names
from abs_shield.text.exact_values import all_within, amount


def limit_at_most(most: int, *, tool: Tools, parameter: str = "limit") -> Rule:
    """
    The size of a page has an upper limit.

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
    The size of a page is at least 1, because 0 and -1 often mean "all".

    >>> limit_above_zero(tool="search").sentence
    '`limit` is at least 1.'
    """

    def check(limit: Any) -> bool:
        return all_within(limit, least=Decimal(1))

    sentence = f"{quoted_names(parameter)} is at least 1."
    return build_rule(check, tool=tool, takes={"limit": parameter}, sentence=sentence, tries=(0,))


def offset_not_negative(*, tool: Tools, parameter: str = "offset") -> Rule:
    """
    An offset is not negative.

    >>> offset_not_negative(tool="search").sentence
    '`offset` is not negative.'
    """

    def check(offset: Any) -> bool:
        return all_within(offset, least=Decimal(0))

    sentence = f"{quoted_names(parameter)} is not negative."
    return build_rule(check, tool=tool, takes={"offset": parameter}, sentence=sentence, tries=(0,))


def page_from(first: int = 1, *, tool: Tools, parameter: str = "page") -> Rule:
    """
    A page number is not below that of the first page.

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
    The offset and the page size together have an upper limit.

    >>> window_at_most(10_000, tool="search", offset="from", limit="size").sentence
    '`from` and `size` together are at most 10000.'
    """
    deepest = exact_number(most, of="paging.window_at_most")

    def check(offset: Any, limit: Any) -> bool:
        first, count = amount(offset), amount(limit)
        # The schema judges values that are not numbers.
        if first is None or count is None:
            return True
        if first.is_nan() or count.is_nan():
            return False
        # A negative value does not raise the limit of the other one.
        return max(first, Decimal(0)) + max(count, Decimal(0)) <= deepest

    sentence = f"{quoted_names(offset)} and {quoted_names(limit)} together are at most {deepest:f}."
    return build_rule(
        check,
        tool=tool,
        takes={"offset": offset, "limit": limit},
        sentence=sentence,
        tries=(1, float(deepest)),
    )
