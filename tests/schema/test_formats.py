"""Formats are strict, ASCII only, and match the whole text."""

from __future__ import annotations

import pytest

from abs_shield.schema import compile_schema
from abs_shield.schema.formats import FORMATS
from tests.processes import run_python
from tests.rows import each_row

GOOD = {
    "date": ["2024-02-29", "0000-01-01"],
    "date-time": [
        "2024-05-31T12:00:00Z",
        "1998-12-31T23:59:60Z",
        "1998-12-31t15:59:60.1-08:00",
        "2024-05-31T12:00:00",
        "2024-05-31 12:00:00",
        "2024-05-31t12:00",
        "2024-05-31T12:00:00.123456",
        "2024-05-31 12:00+01:00",
        "2024-05-31T12:00:00+0100",
    ],
    "time": ["12:00:00Z", "01:29:60+01:30", "12:00", "12:00:00", "12:00:00.5", "12:00Z"],
    "duration": ["P1DT12H", "P2W", "PT0S"],
    "email": ["ann@example.com", '"a b"@example.com', "a@[127.0.0.1]", "a@[IPv6:::1]"],
    "hostname": ["www.example.com", "localhost", "xn--4gbwdl.xn--wgbh1c"],
    "idn-email": ["실례@실례.테스트", "é.ß@example.com", '"é b"@[127.0.0.1]', "ann@example.com"],
    "idn-hostname": ["실례.테스트", "faß.example", "a。b", "www.example.com"],
    "ipv4": ["192.0.2.1"],
    "ipv6": ["2001:db8::1", "::ffff:192.0.2.1"],
    "iri": ["https://例え.テスト/é?\ue000#ß", "urn:𒍅", "http://é@[::1]:80/", "mailto:a@b"],
    "iri-reference": ["", "../é", "//é/a:b", "?\ue000", "#ß", "urn:é"],
    "json-pointer": ["", "/a/0", "/~0~1"],
    "regex": ["^[a-z]+$", r"\d{2,}", "(?<year>[0-9]{4})"],
    "relative-json-pointer": ["0", "0#", "1/a/0", "10/", "0-1#", "2+10/a"],
    "uri": ["https://example.com/a?b#c", "urn:isbn:1", "http://[::1]:80/", "a:", "x://[v1.a:b]"],
    "uri-reference": ["", "a", "../a:b?c", "./a:b", "//host:80/a", "/a//b", "?a:b", "#a:b", "a:b"],
    "uri-template": ["", "/a/{id}", "{+path:30}/x{?a,b*}", "{/a.b,%41_}", "é/it's/%20", "{=a}"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000"],
}
BAD = {
    "date": ["2023-02-29", "1900-02-29", "20240531", "2024-5-31", "२०२४-05-31", "2024-05-31\n"],
    "date-time": [
        "yesterday",
        "2024-13-40",
        "25:61",
        "2024-05-31",
        "2024-13-40T12:00:00",
        "2024-05-31T25:61",
        "2024-05-31  12:00:00",
        "2024-05-31_12:00:00",
        "2024-05-31T12:00:00 Z",
        "1998-12-31T23:58:60Z",
        "1998-12-31T23:59:60",
        "2024-05-31T12",
        "2024-05-31T12:00.5",
        "2024-05-31T12:00:00+01",
        "x",
    ],
    "time": ["25:61", "24:00:00Z", "12:00:60Z", "12:00:00+24:00", "12:00:00Z\n", "12", "9:30"],
    "duration": ["P", "PT", "P1YT", "P1", "P1Y2W", "P১Y", "P1D\n"],
    "email": ["@", "ann", ".a@example.com", "a..b@example.com", "a@b_c", "a@[127.0.0.300]"],
    "hostname": ["", ".", "-a", "a_b", "a" * 64, "xn--", "ab--cd", "a.b\n"],
    "idn-email": ["2962", "é@", "é..é@example.com", "é b@example.com", "\ud800@a.b", "a@〮실례"],
    "idn-hostname": ["", ".", "a.", "실례。", "〮실례", "-é", "a_é", "é" * 60, "a b", "xn--x"],
    "ipv4": ["192.0.2.256", "192.0.2.01", "192.0.2", "192.0.2.1\n"],
    "ipv6": ["::1%eth0", "12345::", "1::2::3", "::1\n"],
    "iri": ["é:a", "https://é/\ue000", "a:\u200eb", "http://[::é]/", "a:\ud800", "é", "a:b c"],
    "iri-reference": [":é", "1:é", "é:a", "//[é]", "a\\é", "é\n", "\u202eé", "//a:é/"],
    "json-pointer": ["a", "/~2", "#/a"],
    "regex": ["(", r"\Z", "(?i)a", "a++", r"\a", "["],
    "relative-json-pointer": ["", "/a", "-1", "01", "0##", "1a", "0-#", "1/~2", "0+01#", "٣"],
    "uri": [
        "//example.com",
        "a b:c",
        "http://[x]/",
        "http://a/\n",
        "a",
        "a:é",
        "a:%4",
        "http://a:b/",
    ],
    "uri-reference": [":", ":a", "1:a", "a_b:c", "a b", "//[x]", "é", "%4", "[", "a\n", "##"],
    "uri-template": ["{", "}", "{}", "{a", "a}", "{a:0}", "{a:10000}", "{a..b}", "{a b}", "%", "<"],
    "uuid": ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"],
}


@each_row(("name", "text"), [(n, t) for n, ts in GOOD.items() for t in ts])
def test_a_good_text_is_accepted(name: str, text: str) -> None:
    """A text in the format is valid."""
    assert compile_schema({"type": "string", "format": name}).accepts(text)


@each_row(("name", "text"), [(n, t) for n, ts in BAD.items() for t in ts])
def test_a_bad_text_is_named(name: str, text: str) -> None:
    """A text outside the format is one problem of code bad_format."""
    problems = compile_schema({"type": "string", "format": name}).problems(text)

    assert [problem.code for problem in problems] == ["bad_format"]


def test_every_format_of_ours_has_examples() -> None:
    """No checker goes without a good and a bad example above."""
    assert set(FORMATS) == set(GOOD) == set(BAD)


def test_an_unknown_format_says_nothing() -> None:
    """An unknown format accepts every text."""
    assert compile_schema({"type": "string", "format": "colour"}).accepts("?")


def test_a_format_says_nothing_of_other_types() -> None:
    """A number is not checked by a format."""
    assert compile_schema({"format": "date"}).accepts(5)


@pytest.mark.parametrize("name", ["iri", "iri-reference", "uri-template"])
def test_a_long_text_is_judged_to_its_end(name: str) -> None:
    """Half a million characters are read, and the wrong one at the end is seen."""
    schema, text = compile_schema({"type": "string", "format": name}), "https://é" + "/é" * 250_000

    assert (True, False) == (schema.accepts(text), schema.accepts(text + "^"))


def test_no_format_library_is_needed() -> None:
    """Every format is asserted if none of the optional format libraries is installed."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys("
        "'rfc3987 rfc3987_syntax rfc3986_validator rfc3339_validator uri_template jsonpointer "
        "isoduration fqdn webcolors'.split())); "
        "from abs_shield.schema import compile_schema; "
        f"bad = { ({name: texts[0] for name, texts in BAD.items()})!a}; "
        "print([name for name in bad if compile_schema({'format': name}).accepts(bad[name])])"
    )
    done = run_python("-c", code)

    assert "[]" == done.stdout.strip()
