"""A call that an internal error blocks is an error in spans, events and log lines."""

from __future__ import annotations

import json
import logging
from contextlib import suppress

import pytest
from opentelemetry._logs import SeverityNumber
from opentelemetry.trace import StatusCode

from abs_shield import CallBlocked, Shield, rule, shield, shielded
from abs_shield.core import Coverage, Failed, Outcome
from abs_shield.telemetry import StructLog
from abs_shield.telemetry.log_events import internal_errors
from tests.telemetry.canaries import CANARY


def broken(proposal, session):
    raise ConnectionError(CANARY)


@rule(tool="refund")
def is_known(transaction_id: str) -> bool:
    """A refund is of a known transaction."""
    raise LookupError(transaction_id)


def refunding(mode, *hooks, **policy):
    firewall = Shield(shield.configure(mode=mode, **policy), hooks=hooks)

    @shielded(firewall)
    def refund(transaction_id: str) -> str:
        """Refund a transaction."""
        return "refunded"

    return refund


def test_a_block_by_an_internal_error_is_an_error_in_all_telemetry(backend, caplog):
    """Check span, execution span, event and log line have the error's type and the tool."""
    caplog.set_level(logging.INFO, "abs_shield")
    refund = refunding("strict", backend.otel(), StructLog(), layers=[broken])
    with pytest.raises(CallBlocked, match="layer_error: broken could not run: ConnectionError at"):
        refund(CANARY)

    for span in (backend.span(), backend.span("execute_tool")):
        assert (StatusCode.ERROR, "layer_error") == (
            span.status.status_code,
            span.status.description,
        )
        assert ("layer_error", "refund", True) == tuple(
            map(span.attributes.get, ("error.type", "gen_ai.tool.name", "abs_shield.blocked"))
        )
    line = json.loads(caplog.records[-1].message)
    assert ("ERROR", "layer_error", "refund") == (
        caplog.records[-1].levelname,
        line["error.type"],
        line["tool"],
    )
    assert CANARY not in backend.everything() + caplog.text


def test_an_event_names_the_layer_and_the_tool(backend):
    """The event has the type of the exception, and not its text."""
    with suppress(CallBlocked):
        refunding("strict", backend.otel(), layers=[broken])(CANARY)

    (event,) = backend.events
    record = event.log_record
    assert ("abs_shield.error", SeverityNumber.ERROR, "ERROR") == (
        record.event_name,
        record.severity_number,
        record.severity_text,
    )
    assert "internal error: broken could not run (ConnectionError); blocked" == record.body
    assert backend.span().context.span_id == record.span_id
    assert {
        "abs_shield.check.name": "broken",
        "error.type": "ConnectionError",
        "gen_ai.tool.name": "refund",
        "abs_shield.blocked": True,
    }.items() <= dict(record.attributes).items()


def test_in_audit_only_the_check_is_an_error(backend, caplog):
    """The tool has run: its span is not an error, and the log line is a warning."""
    caplog.set_level(logging.INFO, "abs_shield")
    assert "refunded" == refunding("audit", backend.otel(), StructLog(), layers=[broken])("tx_1")

    run = backend.span("execute_tool")
    assert (StatusCode.ERROR, StatusCode.UNSET) == (
        backend.span().status.status_code,
        run.status.status_code,
    )
    assert {"error.type", "abs_shield.execution.outcome"}.isdisjoint(run.attributes)
    assert SeverityNumber.WARN == backend.events[0].log_record.severity_number
    assert "WARNING" in [record.levelname for record in caplog.records]


def test_a_rule_that_raises_is_reported_with_the_type_of_its_exception(backend):
    """The error has the exception's type, although the layer caught it."""
    with suppress(CallBlocked):
        refunding("strict", backend.otel(), rules=[is_known])(CANARY)

    attributes = backend.events[0].log_record.attributes
    assert ("impossible_state", "LookupError") == (
        attributes["abs_shield.check.name"],
        attributes["error.type"],
    )
    assert CANARY not in backend.everything()


def test_an_error_that_a_layer_words_itself_has_no_type(backend):
    """The layer's own text is not exported."""

    def own(proposal, session):
        yield Failed(CANARY)

    with suppress(CallBlocked):
        refunding("strict", backend.otel(), layers=[own])("tx_1")

    assert "layer_error" == backend.events[0].log_record.attributes["error.type"]
    assert CANARY not in backend.everything()


@pytest.mark.parametrize(
    ("error", "broke"),
    [
        ("call check could not run: KeyError at shield.py:7", ("call check", "KeyError")),
        ("decision log: it keeps no records", ("decision log", "layer_error")),
        ("something else", ("call", "layer_error")),
    ],
)
def test_an_error_outside_of_the_layers_is_reported(decide, error, broke):
    """The error names the call check, the decision log or, if neither failed, the call."""
    assert [broke] == internal_errors(decide(errors=(error,)))


def test_each_failed_layer_is_reported_once(decide):
    """Failed layers are taken from the coverage, which has one entry for each."""
    coverage = {"one": Coverage(Outcome.ERROR, "KeyError at a.py:1"), "two": Coverage(Outcome.RAN)}

    assert [("one", "KeyError")] == internal_errors(decide(coverage=coverage, errors=("x", "y")))
