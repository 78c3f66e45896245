"""Spellings of values that the rules of packs must read correctly."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from abs_shield import Shield, Tool, ToolCall, shield
from abs_shield.policy import Rule
from abs_shield.policy.packs import cloud, dates, files, messaging, money


def passes(rule: Rule, arguments: dict[str, Any]) -> bool:
    """Return whether a call of `act` is allowed."""
    firewall = Shield(shield.configure(rules=[rule], tools=[Tool(name="act")]), hooks=None)
    with firewall.session():
        decision = firewall.check_call(ToolCall("act", arguments))
    assert () == decision.errors
    return not any(finding.code == "rule" for finding in decision.findings)


INSIDE = files.inside("/srv/data", tool="act")
WINDOWS = files.inside("C:\\data", tool="act")
SHARE = files.inside("\\\\host\\share", tool="act")


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (INSIDE, "/srv/data"),
        (INSIDE, "/srv//data/./a b.txt"),
        (INSIDE, "a/b/c..d.txt"),
        (INSIDE, "100%.txt"),
        (INSIDE, "note: today.txt"),
        (WINDOWS, "c:/DATA/a.txt"),
        (WINDOWS, "C:\\data\\a\\b.txt"),
        (WINDOWS, "a\\b.txt"),
        (SHARE, "//HOST/share/a.txt"),
        (INSIDE, ["a.txt", "/srv/data/b.txt"]),
        (INSIDE, 5),
    ],
)
def test_paths_inside(rule: Rule, path: Any) -> None:
    """Any spelling of a path inside the folder passes; values that are not text are not judged."""

    assert passes(rule, {"path": path})


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (INSIDE, "../key"),
        (INSIDE, "a/../../key"),
        (INSIDE, "/srv/database/a"),
        (INSIDE, "/SRV/data/a"),
        (INSIDE, "a\\..\\..\\key"),
        (INSIDE, "a/.. /key"),
        (INSIDE, "/srv/data\0/a"),
        (INSIDE, "%2e%2e/key"),
        (INSIDE, "%252e%252e%252fkey"),
        (INSIDE, "%c0%ae%c0%ae/key"),
        (INSIDE, "\uff0e\uff0e\uff0fkey"),
        (INSIDE, "\u2025/key"),
        (INSIDE, "%2fetc/passwd"),
        (INSIDE, "a%00.txt"),
        (INSIDE, "~/key"),
        (INSIDE, "~root/key"),
        (INSIDE, "C:\\key"),
        (INSIDE, "\\\\host\\key"),
        (INSIDE, "//host/srv/data"),
        (INSIDE, "file:///srv/data/a"),
        (INSIDE, "https://example.org/srv/data"),
        (INSIDE, "a" * 5_000),
        (INSIDE, ["a.txt", "/etc/passwd"]),
        (WINDOWS, "D:\\data\\a"),
        (WINDOWS, "C:key"),
        (WINDOWS, "\\data\\a"),
        (WINDOWS, "a.txt:hidden"),
        (WINDOWS, "C:\\data\\...\\a"),
        (WINDOWS, "\\\\?\\C:\\data\\a"),
        (SHARE, "\\\\other\\share\\a"),
    ],
)
def test_paths_outside(rule: Rule, path: Any) -> None:
    """Parent steps, other roots and disguised spellings of them are blocked."""

    assert not passes(rule, {"path": path})


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        (files.no_hidden(tool="act"), "./a/b.c", True),
        (files.no_hidden(tool="act"), "a/%2egit/config", False),
        (files.no_hidden(tool="act"), "a\\.ssh\\id", False),
        (files.extensions(["CSV"], tool="act"), "a.b.csv", True),
        (files.extensions(["csv"], tool="act"), "acsv", False),
        (files.extensions(["csv"], tool="act"), "a.exe\0.csv", False),
        (files.extensions(["csv"], tool="act"), "a.exe%00.csv", False),
        (files.plain_name(tool="act", parameter="path"), "Q3 (final).txt", True),
        (files.plain_name(tool="act", parameter="path"), "..", False),
        (files.plain_name(tool="act", parameter="path"), "a%2Fb", False),
        (files.plain_name(tool="act", parameter="path"), "C:a", False),
        (files.plain_name(tool="act", parameter="path"), "", False),
        (files.no_wildcards(tool="act"), "report [final].txt", True),
        (files.no_wildcards(tool="act"), "a%2A", False),
    ],
)
def test_names_of_files(rule: Rule, path: str, expected: bool) -> None:
    """Names are recognised in any encoding and with any separator."""

    assert expected is passes(rule, {"path": path})


OURS = messaging.recipients_within(["example.org", "*.example.net"], tool="act")


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("Ann Li <ann@Example.ORG>", True),
        (["ann@a.b.example.net", "ann@example.org."], True),
        ("@ann", True),
        ("user_17", True),
        ("ann@example.org, eve@evil.org", False),
        ('"ann@example.org" <eve@evil.org>', False),
        ("ann@example.org@evil.org", False),
        ("ann@example.org.evil.org", False),
        ("ann@notexample.org", False),
        ("ann@example.net", False),
        ("ann\uff20evil.org", False),
        ("ann@[10.0.0.1]", False),
        ("ann@example.org\r\nBcc: eve@evil.org", False),
        (["ann@example.org", None, 5, "eve@evil.org"], False),
    ],
)
def test_domains_of_addresses(to: Any, expected: bool) -> None:
    """Every address in a text is read, in any form."""

    assert expected is passes(OURS, {"to": to})


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (messaging.at_most_recipients(2, tool="act", parameter="v"), '"Li, A" <a@x>, b@x', True),
        (messaging.at_most_recipients(2, tool="act", parameter="v"), "ann; bob; cid", False),
        (messaging.at_most_recipients(2, tool="act", parameter="v"), [{"id": 1}] * 3, False),
        (messaging.not_empty(tool="act", parameter="v"), [], False),
        (messaging.not_empty(tool="act", parameter="v"), "\u200b\u3164 ", False),
        (messaging.not_empty(tool="act", parameter="v"), "0", True),
        (messaging.one_line(tool="act", parameter="v"), "a\u2028b", False),
        (messaging.no_blanks(tool="act", parameter="v"), "[Name](https://x.org) [1] [ ]", True),
        (messaging.no_blanks(tool="act", parameter="v"), "Dear [Recipient's Name],", False),
        (messaging.no_blanks(tool="act", parameter="v"), "Dear {{ first_name }},", False),
        (messaging.no_blanks(tool="act", parameter="v"), "on <insert date>", False),
    ],
)
def test_messages(rule: Rule, value: Any, expected: bool) -> None:
    """Recipients, empty values, line breaks and blanks."""

    assert expected is passes(rule, {"v": value})


GROUPED = [f"1{gap}000" for gap in " \u00a0\u2007\u2009\u202f'\u2019"]


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (500, True),
        ("500.00", True),
        ("500.01", False),
        ("5e2", True),
        ("6_00", False),
        ("\u0666\u0660\u0660", False),
        ("NaN", False),
        ("sNaN", False),
        ("inf", False),
        ("1e99999999", False),
        (10**4_000, False),
        ([1, "501"], False),
        ("600 dollars", True),
        *((text, False) for text in GROUPED),
        ("1 00 000", False),
        ("1.000,50", False),
        ("1,000,000", False),
        ("1,000.50", False),
        ("1,000", False),
        ("500,01", False),
        ("1234,500", False),
        ("499,99", True),
        ("0,999", True),
        ("1.000", True),
        ("-1 000", True),
        ("2 500", False),
        ("2 50", True),
        ("12.05.2030", True),
        ("a,b", True),
        (" " * 2_000 + "501", False),
        (" " * 2_000 + "499", True),
        ("0" * 2_000 + "501", False),
        ("1 000 " * 400, False),
        ("a" * 2_000, True),
        (",", True),
        (True, True),
        ({"value": 600}, True),
    ],
)
def test_sums(amount: Any, expected: bool) -> None:
    """Values that a tool reads as numbers are numbers; the schema judges all others."""

    assert expected is passes(money.at_most(500, tool="act"), {"amount": amount})


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("0,00", False),
        ("0,000", False),
        ("0,0000", False),
        ("0,000.00", False),
        ("0 000", False),
        (",0", False),
        ("0,", False),
        ("-1 000", False),
        ("\u22125", False),
        ("\u22120,5", False),
        ("0,01", True),
        (",5", True),
        ("1'000,50", True),
        ("nothing, really", True),
    ],
)
def test_zero_and_negative_amounts_in_every_spelling(amount: str, expected: bool) -> None:
    """Decimal commas, digit groups and other minus signs are read."""

    assert expected is passes(money.above_zero(tool="act"), {"amount": amount})


@pytest.mark.parametrize(
    ("amount", "expected"), [(0.1, True), ("7.50000", True), (100, True), ("1e-3", False)]
)
def test_decimals(amount: Any, expected: bool) -> None:
    """Trailing zeros do not count."""

    assert expected is passes(money.at_most_decimals(2, tool="act"), {"amount": amount})


ORDER = dates.not_before(tool="act", start="start", end="end")


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2030-06-02", "2030-06-02T08:00", True),
        ("2030-06-02T09:00", "2030-06-02 08:59", False),
        ("2030-06-02T09:00+02:00", "2030-06-02T08:00Z", True),
        ("2030-06-02T09:00-02:00", "2030-06-02T08:00Z", False),
        ("2030-06-02T09:00", "2030-06-02T08:00Z", True),
        ("2030-06-02T09:00", "2030-06-01", False),
        ("tomorrow", "2030-06-02", True),
        ("02/06/2030", "01/06/2030", True),
        (20300602, 20300601, True),
    ],
)
def test_ranges(start: Any, end: Any, expected: bool) -> None:
    """A date and a date-time are compared as dates; values that cannot be compared pass."""

    assert expected is passes(ORDER, {"start": start, "end": end})


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("2030-05-31T12:00", True),
        ("2030-05-31T11:59", False),
        ("2030-05-31T13:59+02:00", False),
        ("2030-05-31T14:00:00+02:00", True),
        (["2030-06-01", "2030-05-30"], False),
    ],
)
def test_now(when: Any, expected: bool) -> None:
    """A date-time without an offset is read in the clock's zone."""

    def noon() -> datetime:
        return datetime(2030, 5, 31, 12, tzinfo=UTC)

    assert expected is passes(dates.not_in_the_past(tool="act", clock=noon), {"date": when})


def test_today_is_never_past() -> None:
    """Without a clock, a day that is today anywhere on earth passes, and last year does not."""
    rule = dates.not_in_the_past(tool="act")
    today = datetime.now(UTC).date()

    assert passes(rule, {"date": today.isoformat()})
    assert not passes(rule, {"date": today.replace(year=today.year - 1, day=1).isoformat()})


@pytest.mark.parametrize(
    ("cidr", "expected"),
    [
        ("0/0", False),
        ("000.000.000.000/0", False),
        ("0.0.0.0/00", False),
        ("10.0.0.0/8,0.0.0.0/0", False),
        ("10.0.0.0/8 ::/0", False),
        ('["10.0.0.0/8", "0.0.0.0/0"]', False),
        ("10.0.0.0/8," * 90 + "0.0.0.0/0", False),
        ("10.0.0.0/8," * 9_000, False),
        ("::ffff:0.0.0.0/96", False),
        ("::/80", False),
        ("0.0.0.0/1,128.0.0.0/1", False),
        (["0.0.0.0/1", "128.0.0.0/1"], False),
        ("\uff10.\uff10.\uff10.\uff10/\uff10", False),
        ("10.0.0.0/8, 192.168.0.0/16", True),
        (["10.0.0.0/8", "2001:db8::/32"], True),
        ("::ffff:10.0.0.0/104", True),
        ("10.0.0.1/32", True),
        ("0.0.0.0/8", True),
        ("10.0.0.0/10", True),
        ("office/10", True),
        ("", True),
        (5, True),
    ],
)
def test_what_is_open_to_all(cidr: Any, expected: bool) -> None:
    """The whole internet is recognised in every spelling, in lists and in parts."""

    assert expected is passes(cloud.not_open_to_all(tool="act"), {"cidr": cidr})


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"owner": ""}, False),
        ({"owner": None}, False),
        ({"owner": " "}, False),
        ({"owner": "\u200b"}, False),
        ({"owner": ["", None]}, False),
        ([{"key": "owner", "value": ""}], False),
        ([{"key": "owner"}], False),
        ("owner=", False),
        ("owner", False),
        ({"owner": "ann"}, True),
        ({"owner": 0}, True),
        ([{"key": "team", "value": ""}, {"Key": "owner", "Value": "ann"}], True),
        (["owner = ann"], True),
    ],
)
def test_a_tag_without_a_value_is_missing(tags: Any, expected: bool) -> None:
    """An empty text, blanks and invisible characters are not a value."""

    assert expected is passes(cloud.required_tags(["owner"], tool="act"), {"tags": tags})


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (cloud.not_open_to_all(tool="act", parameter="v"), ["10.0.0.0/8", "::/0"], False),
        (cloud.not_open_to_all(tool="act", parameter="v"), "0.0.0.0/0.0.0.0", False),
        (cloud.not_open_to_all(tool="act", parameter="v"), "office", True),
        (cloud.no_wildcards(tool="act", parameter="v"), {"Statement": [{"Action": "s3:*"}]}, False),
        (cloud.required_tags(["a"], tool="act", parameter="v"), [{"Key": "a", "Value": "1"}], True),
        (cloud.required_tags(["a"], tool="act", parameter="v"), "a=1,b=2", True),
        (cloud.required_tags(["a"], tool="act", parameter="v"), 5, False),
        (cloud.not_production_without("ok", tool="act", parameter="v"), "non-production", True),
        (cloud.not_production_without("ok", tool="act", parameter="v"), " PROD ", False),
        (
            cloud.not_production_without("ok", tool="act", parameter="v", production=["prod-*"]),
            "prod-eu-1",
            False,
        ),
    ],
)
def test_cloud_values(rule: Rule, value: Any, expected: bool) -> None:
    """Lists, objects and texts are read; other values pass."""

    assert expected is passes(rule, {"v": value})


def test_a_real_run_without_the_parameter_needs_a_trial() -> None:
    """A missing `dry_run` is a real run, and missing tags are an empty list."""

    assert not passes(cloud.dry_run_first(tool="act"), {"plan": "p1"})
    assert not passes(cloud.required_tags(["a"], tool="act"), {"name": "vm"})
