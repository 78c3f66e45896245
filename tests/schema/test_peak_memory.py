"""Peak memory of an engine for a value with an error in every leaf."""

from __future__ import annotations

import pytest

from tests.processes import run_python

FIELDS = "{f'f{n}': {'type': 'string'} for n in range(20)}"
ITEM = f"{{'type': 'object', 'properties': {FIELDS}, 'required': [f'f{{n}}' for n in range(20)]}}"
CASES = {
    "items": (f"{{'type': 'array', 'items': {ITEM}}}", "[{}] * 99_000"),
    "members": (
        f"{{'type': 'object', 'additionalProperties': {ITEM}}}",
        "{f'k{n}': {} for n in range(9_000)}",
    ),
    "an enum of texts": (
        "{'type': 'array', 'items': {'enum': [f'v{n}' for n in range(20_000)]}}",
        "['w'] * 20_000",
    ),
    "an enum of objects": (
        "{'type': 'array', 'items': {'enum': [{'a': n} for n in range(4_000)]}}",
        "[{'a': -1}] * 1_000",
    ),
}
PROGRAM = """
from resource import RUSAGE_SELF, getrusage
from abs_shield.schema import compile_schema

value = {value}
whole = {{"type": "object", "properties": {{"x": {schema}}}}}
schema = compile_schema(whole, engine="pydantic-core")
schema.accepts({{"x": None}})
before = getrusage(RUSAGE_SELF).ru_maxrss
assert not schema.accepts({{"x": value}})
print(schema.engine, (getrusage(RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("case", CASES)
def test_a_value_with_an_error_in_every_leaf(case):
    """The memory does not grow with the number of errors: pydantic-core needs 4 GB for 400 kB."""
    schema, value = CASES[case]
    program = PROGRAM.format(schema=schema, value=value)
    done = run_python("-c", program, check=False)

    assert "" == done.stderr
    engine, megabytes = done.stdout.split()
    assert ("pydantic-core", True) == (engine, int(megabytes) < 100)
