"""The official JSON Schema test suite: every difference from it is listed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abs_shield.errors import PolicyError
from abs_shield.schema import CompiledSchema, compile_schema

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "json-schema-test-suite"
SUITE = Path(os.environ.get("JSON_SCHEMA_TEST_SUITE", CACHE)) / "tests" / "draft2020-12"

pytestmark = pytest.mark.skipif(
    not SUITE.is_dir(),
    reason="the JSON Schema test suite is missing; run `python tests/schema/fetch_suite.py`",
)

REMOTE = "refers to a schema on the test server; references are never fetched"
VOCABULARY = "written in a draft of its own, which only the test server has"
ASSERTED = "a format is asserted, never a mere annotation"

REFUSED = {
    **{
        ("dynamicRef.json", group): REMOTE
        for group in (
            "strict-tree schema, guards against misspelled properties",
            "tests for implementation dynamic anchor and reference link",
            "$ref and $dynamicAnchor are independent of order - $defs first",
            "$ref and $dynamicAnchor are independent of order - $ref first",
            "$ref to $dynamicRef finds detached $dynamicAnchor",
        )
    },
    **{
        ("refRemote.json", group): REMOTE
        for group in (
            "remote ref",
            "fragment within remote ref",
            "anchor within remote ref",
            "ref within remote ref",
            "base URI change",
            "base URI change - change folder",
            "base URI change - change folder in subschema",
            "root ref in remote ref",
            "remote ref with ref to defs",
            "Location-independent identifier in remote ref",
            "retrieved nested refs resolve relative to their URI not $id",
            "remote HTTP ref with different $id",
            "remote HTTP ref with different URN $id",
            "remote HTTP ref with nested absolute ref",
            "$ref to $ref finds detached $anchor",
        )
    },
    **{
        ("vocabulary.json", group): VOCABULARY
        for group in (
            "schema that uses custom metaschema with with no validation vocabulary",
            "ignore unrecognized optional vocabulary",
        )
    },
}
DIFFERS = {
    (
        "format.json",
        f"{name} format",
        f"invalid {name} string is only an annotation by default",
    ): ASSERTED
    for name in (
        "email",
        "idn-email",
        "regex",
        "ipv4",
        "ipv6",
        "idn-hostname",
        "hostname",
        "date",
        "date-time",
        "time",
        "json-pointer",
        "relative-json-pointer",
        "iri",
        "iri-reference",
        "uri",
        "uri-reference",
        "uri-template",
        "uuid",
        "duration",
    )
}
NO_OFFSET = "a time without a UTC offset is a local one; a model that is asked for one invents it"
LOCAL = {
    ("time.json", "validation of time strings", case): NO_OFFSET
    for case in ("no time offset", "no time offset with second fraction")
}
OURS = (
    "date",
    "date-time",
    "duration",
    "ecmascript-regex",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
)
TYPES = ("object", "array", "string", "number", "integer")


def mandatory() -> list[Path]:
    """List the files every implementation has to pass."""
    return sorted(SUITE.glob("*.json"))


def of_formats() -> list[Path]:
    """Return the files about formats with a checker in this package."""
    return [SUITE / "optional" / "format" / f"{name}.json" for name in OURS]


def groups(files: list[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each group of cases with the name of its file."""
    for file in files:
        for group in json.loads(file.read_text(encoding="utf-8")):
            yield file.name, group


def judge_cases(files: list[Path]) -> tuple[set[Any], set[Any], int]:
    """Collect the groups refused and the cases judged otherwise, and count the cases."""
    refused, differs, count = set(), set(), 0
    for file, group in groups(files):
        count += len(group["tests"])
        try:
            schema = compile_schema(group["schema"], engine="jsonschema")
        except PolicyError:
            refused.add((file, group["description"]))
            continue
        for case in group["tests"]:
            if schema.accepts(case["data"]) != case["valid"]:
                differs.add((file, group["description"], case["description"]))
    return refused, differs, count


def variants(schema: Any) -> Iterator[Any]:
    """Yield a schema and, as tool schemas would say it, the same with each type."""
    yield schema
    if isinstance(schema, dict) and "type" not in schema and "$ref" not in schema:
        yield from ({**schema, "type": name} for name in TYPES)


def compile_or_none(schema: Any, engine: str) -> CompiledSchema | None:
    """Compile a schema, or give None where it is refused."""
    try:
        return compile_schema(schema, engine=engine)
    except PolicyError:
        return None


def test_only_listed_groups_are_refused() -> None:
    """Exactly the listed schemas of the suite are refused."""
    refused, _, _ = judge_cases(mandatory())

    assert set(REFUSED) == refused


def test_only_listed_cases_differ() -> None:
    """Exactly the listed cases of the suite have another result."""
    _, differs, count = judge_cases(mandatory())

    assert (set(DIFFERS), True) == (differs, count > 1000)


def test_our_formats_pass_every_case() -> None:
    """Each checker of a format agrees with its cases, except for those in the table."""
    refused, differs, count = judge_cases(of_formats())

    assert (set(), set(LOCAL), True) == (refused, differs, count > 450)


@pytest.mark.slow
def test_a_fast_yes_is_never_unsound() -> None:
    """A value that a fast engine accepts is accepted by the reference in all cases and variants."""
    unsound, judged_fast = [], 0
    for _, group in groups(mandatory() + of_formats()):
        for schema in variants(group["schema"]):
            fast, reference = (
                compile_or_none(schema, "pydantic-core"),
                compile_or_none(schema, "jsonschema"),
            )
            if fast is None or reference is None or fast.engine != "pydantic-core":
                continue
            for case in group["tests"]:
                judged_fast += 1
                if fast.accepts(case["data"]) and not reference.accepts(case["data"]):
                    unsound.append((schema, case["data"]))

    assert (unsound, judged_fast > 3000) == ([], True)


def test_accepting_and_explaining_agree() -> None:
    """A value has no problems exactly when it is accepted."""
    split = [
        (group["schema"], case["data"])
        for _, group in groups(mandatory() + of_formats())
        if (schema := compile_or_none(group["schema"], "auto")) is not None
        for case in group["tests"]
        if schema.accepts(case["data"]) != (schema.problems(case["data"]) == ())
    ]

    assert split == []
