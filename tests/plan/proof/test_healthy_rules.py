"""A rule that accepts some calls and rejects others is not reported, whatever it tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

import pytest

from abs_shield import rule

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
SERIAL = re.compile(r"\A[A-Z]{3}-\d+\Z")


def listed(items: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **keywords}


def formatted(name: str) -> dict[str, Any]:
    return {"type": "string", "format": name}


def light(**keywords: Any) -> dict[str, Any]:
    properties = {"name": TEXT, "level": {"type": "integer", "minimum": 0, "maximum": 100}}
    return listed(
        {"type": "object", "properties": properties, "required": [*properties]}, **keywords
    )


def is_of_school(x: str) -> bool:
    """A page of a school."""
    return (urlsplit(x).hostname or "").endswith(".school.example")


def is_in_net(x: str) -> bool:
    """An address of the house."""
    return ip_address(x) in ip_network("10.20.0.0/16")


def is_no_duplicate(x: list[Any]) -> bool:
    """Every tag once."""
    return len(set(x)) == len(x)


def not_all_and_staff(x: list[Any]) -> bool:
    """All, or staff alone."""
    return not ("all" in x and "staff" in x)


HEALTHY: dict[str, tuple[Callable[..., bool], dict[str, Any]]] = {
    "upper": (lambda x: len(x) == 2 and x.isupper(), TEXT),
    "shouting": (lambda x: not (len(x) > 20 and x.isupper()), TEXT),
    "long and upper": (lambda x: len(x) > 20 and x.isupper(), TEXT),
    "pattern": (lambda x: bool(re.fullmatch(r"[A-Z]{2}-\d{3}", x)), TEXT),
    "compiled pattern": (lambda x: bool(SERIAL.match(x)), TEXT),
    "plate": (lambda x: bool(re.fullmatch(r"[A-Z]{1,3}-[A-Z]{2} \d{1,4}", x)), TEXT),
    "host": (is_of_school, formatted("uri")),
    "host of a text": (is_of_school, TEXT),
    "start of an address": (lambda x: x.startswith("https://api.corp.example/"), formatted("uri")),
    "path": (lambda x: urlsplit(x).path.startswith("/v2/"), formatted("uri")),
    "mail": (lambda x: x.split("@")[1] == "corp.example", formatted("email")),
    "private": (lambda x: ip_address(x).is_private, formatted("ipv4")),
    "public": (lambda x: ip_address(x).is_global, formatted("ipv6")),
    "range": (is_in_net, formatted("ipv4")),
    "cents": (lambda x: round(x, 2) == x, NUMBER),
    "few addresses": (lambda x: len(x) <= 10, listed(formatted("email"))),
    "few codes": (lambda x: len(x) <= 20, listed({"type": "string", "pattern": "^W-[0-9]{4}$"})),
    "positive": (lambda x: min(x) > 0, listed(NUMBER, minItems=2, maxItems=5)),
    "shares": (lambda x: sum(x) == 100, listed(NUMBER, minItems=2)),
    "parts": (lambda x: sum(x.values()) == 100, {"type": "object", "additionalProperties": NUMBER}),
    "duplicates": (is_no_duplicate, listed(TEXT)),
    "sum of members": (lambda x: sum(each["level"] for each in x) <= 300, light()),
    "flag": (lambda x: not x.get("root"), {"type": "object", "additionalProperties": {}}),
    "two words": (not_all_and_staff, listed(TEXT)),
    "two members": (not_all_and_staff, listed({"enum": [*"abcdefgh", "all", "b", "staff"]})),
}


@pytest.mark.parametrize("what", HEALTHY)
def test_a_healthy_rule_is_not_reported(what, proof, tool) -> None:
    """Some samples satisfy the rule, and others do not."""
    function, schema = HEALTHY[what]
    rules = [rule(tool="t", sentence="It is as it should be.")(function)]
    proved = proof(tool("t", x=schema), rules=rules)

    assert ((), ()) == (proved.problems, proved.notes)


def test_what_a_rule_forbids_does_not_fill_every_sample(proof, tool) -> None:
    """Most texts of a sample are usual ones, not texts that the rule's pattern matches."""

    @rule(tool="t")
    def one_line(a: str, b: list[str], c: list[str], d: list[str]) -> bool:
        """Headers have one line."""
        return not any(re.search(r"[\r\n\v]", text) for text in (a, *b, *c, *d))

    people = {name: listed(TEXT) for name in "bcd"}

    assert () == proof(tool("t", a=TEXT, **people), rules=[one_line]).problems
