"""A PostgreSQL server for the tests of stores and commands; they skip with a reason without one."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.stores.servers import Server, programs, run_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Start a server, or say why there is none."""
    pytest.importorskip("psycopg", reason="needs `pip install abs-shield[postgres]`")
    if not (results := programs()):
        pytest.skip("no PostgreSQL server is installed; on Debian: apt install postgresql")
    with run_server(results) as server:
        yield server


@pytest.fixture
def dsn(postgres) -> str:
    """Return the address of a schema with nothing in it."""
    import psycopg

    schema = f"t{uuid4().hex}"
    with psycopg.connect(postgres.dsn("public"), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return postgres.dsn(schema)
