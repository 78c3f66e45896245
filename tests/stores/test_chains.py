"""Verification of a log: changes outside its store are found, with their place."""

from __future__ import annotations

import json
import sys
from time import time

import pytest

from abs_shield.core.label import Label, Truth
from abs_shield.errors import StoreError
from abs_shield.stores import Verified, chain_verification, log_tables, verify
from abs_shield.stores.sealed_record import Seal
from tests.stores.conftest import decision, ids

KEY = b"a secret of the operator's"
FORGED = '{"body":{},"kind":"decision","previous":"","schema_version":1,"seq":3,"writer":"w"}'


@pytest.fixture(params=[None, KEY], ids=["open", "keyed"])
def key(request):
    """Return a key that seals the log, or None."""
    return request.param


@pytest.fixture
def log(opens, kind, key):
    """Return a store with a chain of five decisions and a label."""
    store = opens(kind, key=key)
    for number in range(1, 6):
        store.append(decision(number, session_id="s"))
    store.label(Label(decision_id="d-2", truth=Truth.OK, at=9.0))
    return store


def faults(store, key, **options):
    return [(fault.seq, fault.code) for fault in verify(store, key=key, **options)]


def test_an_unchanged_log_has_no_fault(log, key):
    """Every record is verified."""
    result = Verified()

    assert [] == list(verify(log, key=key, into=result))
    assert (1, 6, 0, 0) == (result.chains, result.records, result.dropped, result.faults)


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (
            "UPDATE records SET sealed = replace(sealed, 'refund', 'refuse') WHERE seq = 3",
            [(3, "edited")],
        ),
        ("UPDATE records SET verdict = 'SUSPICIOUS' WHERE seq = 4", [(4, "edited")]),
        ("UPDATE records SET tool = 'other' WHERE seq = 1", [(1, "edited")]),
        ("UPDATE records SET at = 1 WHERE seq = 2", [(2, "edited")]),
        ("UPDATE records SET decision_id = 'd-1' WHERE seq = 6", [(6, "edited")]),
        ("UPDATE records SET kind = 'gap' WHERE seq = 6", [(6, "edited")]),
        ("UPDATE records SET sealed = 'no json' WHERE seq = 2", [(2, "edited")]),
        ("UPDATE records SET digest = 'abc' WHERE seq = 2", [(2, "edited"), (3, "inserted")]),
        ("DELETE FROM records WHERE seq = 3", [(4, "missing")]),
        ("DELETE FROM records WHERE seq < 3", [(3, "missing")]),
        ("DELETE FROM records WHERE seq > 4", [(5, "missing")]),
        ("DELETE FROM records WHERE seq > 0", [(1, "missing")]),
        ("DELETE FROM heads WHERE seq > 0", [(6, "missing")]),
        ("UPDATE heads SET digest = 'abc' WHERE seq > 0", [(6, "edited")]),
    ],
)
def test_an_edited_or_deleted_record_is_found(log, kind, key, raw, sql, found):
    """The fault has the place of the record, and the kind of the change."""
    log.flush()
    raw(kind, sql)

    assert found == faults(log, key)


def test_swapped_records_are_found(log, kind, key, raw):
    """Both records have their original place under the seal."""
    log.flush()
    raw(kind, "UPDATE records SET seq = 0 WHERE seq = 2")
    raw(kind, "UPDATE records SET seq = 2 WHERE seq = 4")
    raw(kind, "UPDATE records SET seq = 4 WHERE seq = 0")

    assert {(2, "reordered"), (4, "reordered")} <= set(faults(log, key))


def test_an_inserted_record_is_found(log, kind, key, raw):
    """A record after the head and one between two others are both found."""
    log.flush()
    raw(kind, "UPDATE records SET seq = seq + 100 WHERE seq > 3")
    raw(kind, "UPDATE records SET seq = seq - 99 WHERE seq > 100")
    raw(
        kind,
        "INSERT INTO records (writer, seq, kind, at, decision_id, session_id, tool, verdict,"
        " digest, sealed) SELECT writer, 4, kind, at, decision_id, session_id, tool, verdict,"
        " digest, sealed FROM records WHERE seq = 3",
    )

    problems = faults(log, key)
    assert {(4, "reordered"), (7, "inserted")} <= set(problems)


def test_a_record_sealed_without_the_key_is_found(opens, kind, raw):
    """Only a writer with the key can seal a record."""
    from hashlib import sha256

    store = opens(kind, key=KEY)
    store.append(decision(1))
    store.flush()
    digest = sha256(FORGED.encode()).hexdigest()
    raw(kind, f"UPDATE records SET sealed = '{FORGED}', digest = '{digest}' WHERE seq = 1")

    assert [(1, "unsealed"), (1, "edited")] == faults(store, KEY)


def test_another_key_verifies_nothing(opens, kind):
    """A log with a key cannot be verified without it, or with another one."""
    store = opens(kind, key=KEY)
    store.append(decision(1))

    assert [(1, "edited")] == faults(store, b"another") == faults(store, None)


def test_a_truncated_chain_is_found_with_an_earlier_head(log, kind, key, raw):
    """A key or the count in a file may show it as well; earlier heads always do."""
    result = Verified()
    list(verify(log, key=key, into=result))
    raw(kind, "DELETE FROM records WHERE seq > 3")
    raw(
        kind,
        "UPDATE heads SET seq = 3, digest = (SELECT digest FROM records WHERE seq = 3)"
        " WHERE seq > 3",
    )

    unsealed = [(3, "unsealed")] if key else []
    gone = [(0, "missing")] if kind == "sqlite" else []
    assert (unsealed or gone) == faults(log, key)
    assert [(4, "missing")] == faults(log, key, heads=result.heads)
    raw(kind, "DELETE FROM records WHERE seq > 0")
    raw(kind, "DELETE FROM heads WHERE seq > 0")
    assert gone == faults(log, key)
    assert [(6, "missing")] == faults(log, key, heads=result.heads)


def test_a_chain_truncated_to_an_old_sealed_head_is_found(opens, kind, raw):
    """The old head has a valid seal, so with PostgreSQL only a later head shows the deletion."""
    store = opens(kind, key=KEY)
    store.append(decision(1))
    (then,) = store.heads()
    store.append(decision(2))
    result = Verified()
    list(verify(store, key=KEY, into=result))
    raw(kind, "DELETE FROM records WHERE seq > 1")
    raw(kind, f"UPDATE heads SET seq = 1, digest = '{then.digest}', seal = '{then.seal}'")

    assert ([(0, "missing")] if kind == "sqlite" else []) == faults(store, KEY)
    assert [(2, "missing")] == faults(store, KEY, heads=result.heads)


def test_records_after_an_earlier_head_are_no_fault(log, key):
    """A log can grow after its heads were copied."""
    result = Verified()
    list(verify(log, key=key, into=result))
    log.append(decision(7))

    assert [] == faults(log, key, heads=result.heads)


def test_a_pruned_log_still_verifies(log, key):
    """The log proves which records retention deleted, also after a second pruning."""
    log.prune(decision(3).at)
    result = Verified()

    assert [] == list(verify(log, key=key, into=result))
    assert (["d-3", "d-4", "d-5"], 1) == (ids(log.decisions()), result.pruned)
    log.prune(decision(5).at)
    assert ["d-5"] == ids(log.decisions())
    assert [] == faults(log, key)


def test_a_deletion_beyond_the_pruning_is_a_fault(log, kind, key, raw):
    """The proof of a pruning covers only the records that retention deleted."""
    log.prune(decision(3).at)
    raw(kind, "DELETE FROM records WHERE seq = 3")

    assert [(4, "missing")] == faults(log, key)


def test_every_writer_has_its_own_chain(opens, kind, key):
    """Two stores of one database, and a third one after a restart, write three chains."""
    first, second = opens(kind, key=key), opens(kind, key=key)
    first.append(decision(1))
    second.append(decision(2))
    assert (first.close(), second.close()) == (True, True)
    third = opens(kind, key=key)
    third.append(decision(3))
    result = Verified()

    assert [] == list(verify(third, key=key, into=result))
    assert (3, 3, 3) == (result.chains, result.records, len(third))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE records SET digest = 'é' WHERE seq = 2",
        "UPDATE records SET digest = x'00' WHERE seq = 2",
        "UPDATE records SET seq = 'abc' WHERE seq = 2",
        "UPDATE records SET sealed = x'7b7d' WHERE seq = 2",
        "UPDATE records SET sealed = '[]' WHERE seq = 2",
        "UPDATE records SET kind = 'pruned', sealed = '{\"body\":{\"chains\":5}}' WHERE seq = 2",
        'UPDATE records SET kind = \'gap\', sealed = \'{"body":{"dropped":"x"}}\' WHERE seq = 2',
        "UPDATE heads SET seq = 'zz'",
        "UPDATE heads SET digest = x'00'",
    ],
)
def test_a_malformed_record_is_a_fault_and_hides_no_other_fault(opens, raw, sql):
    """SQLite accepts any value in a column; verification continues with the next record."""
    store = opens("sqlite")
    for number in range(1, 8):
        store.append(decision(number))
    store.flush()
    raw("sqlite", "UPDATE records SET tool = 'other' WHERE seq = 6")
    raw("sqlite", sql)
    problems = faults(store, None)

    assert (6, "edited") in problems
    assert {code for _, code in problems} & {"edited"}
    assert len(problems) >= 2


def test_a_forged_pruning_record_does_not_hide_a_deletion(opens, raw):
    """A record of a pruning counts only if its seal is valid."""
    store = opens("sqlite", key=KEY)
    for number in range(1, 8):
        store.append(decision(number))
    store.flush()
    raw(
        "sqlite",
        'UPDATE records SET kind = \'pruned\', sealed = \'{"body":{"chains":{"\' || writer ||'
        ' \'":{"seq":3,"digest":"\' || (SELECT digest FROM records WHERE seq = 3) ||'
        " '\"}}}}' WHERE seq = 7; DELETE FROM records WHERE seq <= 3",
    )
    result = Verified()

    assert [(4, "missing"), (7, "edited")] == [
        (fault.seq, fault.code) for fault in verify(store, key=KEY, into=result)
    ]
    assert 0 == result.pruned


@pytest.mark.parametrize("sql", ["DROP TABLE heads", "DROP TABLE records"])
def test_a_missing_table_is_reported_on_one_line(kind, opens, raw, sql):
    """The error has the message of the database, and the log."""
    store = opens(kind)
    store.append(decision(1))
    store.flush()
    raw(kind, f"{sql} ")

    with pytest.raises(StoreError, match="cannot read") as output:
        list(verify(store))
    assert "\n" not in str(output.value)


def test_a_changed_place_is_found_and_changes_no_label(opens, raw):
    """The number in the chain is sealed and decides which label is the newest."""
    store = opens("sqlite", key=KEY)
    for number in range(1, 6):
        store.append(decision(number))
    for truth in (Truth.OK, Truth.HALLUCINATED):
        store.label(Label(decision_id="d-2", truth=truth, at=9.0))
    raw("sqlite", "UPDATE records SET place = 100 WHERE seq = 6")

    assert [(7, "reordered")] == faults(store, KEY)
    assert Truth.HALLUCINATED is store.labels()["d-2"].truth


def test_get_returns_the_last_record_of_an_id_in_its_chain(opens, raw):
    """The number in the chain decides, not the place in the table."""
    store = opens("sqlite")
    store.append(decision(1))
    store.append(decision(1, tool="transfer"))
    store.flush()
    raw("sqlite", "UPDATE records SET place = 100 WHERE seq = 1")

    assert "transfer" == store.get("d-1").tool


def test_the_newest_label_of_two_chains_is_the_latest(opens, kind):
    """Chains have no order among each other, so the sealed times decide."""
    first, second = opens(kind), opens(kind)
    first.append(decision(1))
    first.flush()
    second.label(Label(decision_id="d-1", truth=Truth.OK, at=20.0))
    first.label(Label(decision_id="d-1", truth=Truth.HALLUCINATED, at=10.0))

    assert Truth.OK is first.labels()["d-1"].truth


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE records SET at = 0 WHERE seq <= 7",
        "UPDATE records SET sealed = replace(sealed, 'refund', 'refuse') WHERE seq = 2",
        "UPDATE records SET digest = 'abc' WHERE seq = 2",
        "DELETE FROM records WHERE seq < 3",
        "DELETE FROM records WHERE seq = 3",
    ],
)
def test_a_pruning_rejects_a_tampered_chain(opens, kind, key, raw, sql):
    """Otherwise it would seal the deletion of changed records with the real key."""
    store = opens(kind, key=key)
    for number in range(1, 11):
        store.append(decision(number))
    store.flush()
    raw(kind, sql)
    before = faults(store, key)

    with pytest.raises(StoreError, match="run `abs-shield log verify`") as refused:
        store.prune(decision(8).at)
    assert "deleted of others: 0;" in str(refused.value)
    assert before == faults(store, key)


def test_a_tampered_chain_does_not_prevent_the_pruning_of_others(opens, kind, key, raw):
    """The error has the number of records that were deleted from other chains."""
    bad, good = opens(kind, key=key), opens(kind, key=key)
    bad.append(decision(1))
    bad.flush()
    raw(kind, "UPDATE records SET tool = 'other' WHERE seq = 1")
    for number in range(2, 6):
        good.append(decision(number))

    with pytest.raises(StoreError, match=r"keep their records: 1; deleted of others: 3;"):
        good.prune(decision(5).at)
    assert ["d-1", "d-5"] == ids(good.decisions())
    assert [(1, "edited")] == faults(good, key)


def test_retention_uses_only_sealed_times(opens, kind, key, raw):
    """A changed time column does not cause the deletion of a young record."""
    store = opens(kind, key=key)
    store.append(decision(1, at=4e9))
    store.append(decision(2, at=time()))
    store.flush()
    raw(kind, "UPDATE records SET at = 0 WHERE seq = 2")

    with pytest.raises(StoreError, match="record 2: edited: the column `at`"):
        store.prune(time() - 90 * 86_400)
    assert 2 == len(store)


def test_a_pruning_ignores_a_forged_one(opens, raw):
    """A record forged without the key has no effect, before and after the next pruning."""
    store = opens("sqlite", key=KEY)
    for number in range(1, 11):
        store.append(decision(number))
    store.flush()
    raw(
        "sqlite",
        "INSERT INTO records (writer, seq, kind, at, decision_id, session_id, tool, verdict,"
        " digest, sealed) SELECT 'evil', 1, 'pruned', 0, '', '', '', '', 'x', '{\"body\":{"
        '"chains":{"\' || writer || \'":{"seq":7,"digest":"\' || digest || \'"}}}}\''
        " FROM records WHERE seq = 7; DELETE FROM records WHERE seq <= 7"
        " AND kind = 'decision'",
    )
    with pytest.raises(StoreError, match="keep their records: 2;"):
        store.prune(decision(9).at)

    assert {(8, "missing"), (1, "edited")} <= set(faults(store, KEY))
    assert ["d-8", "d-9", "d-10"] == ids(store.decisions())


def test_an_interrupted_pruning_is_no_fault_and_can_continue(opens, kind, key, monkeypatch):
    """Records are deleted in batches, so some that the proof covers may still exist."""
    monkeypatch.setattr(log_tables, "AT_ONCE", 2)
    store = opens(kind, key=key)
    for number in range(1, 11):
        store.append(decision(number))
    delete = log_tables.Ledger.delete
    with monkeypatch.context() as patched:
        patched.setattr(log_tables.Ledger, "delete", lambda *words: delete(*words) and 0)
        store.prune(decision(8).at)

    assert ([f"d-{n}" for n in range(3, 11)], []) == (ids(store.decisions()), faults(store, key))
    assert 5 == store.prune(decision(8).at)
    assert (["d-8", "d-9", "d-10"], []) == (ids(store.decisions()), faults(store, key))


def test_a_record_of_a_newer_version_is_reported(opens, kind, raw):
    """Its seal is valid, but this version cannot read its schema."""
    store = opens(kind)
    store.append(decision(1))
    store.append(decision(2, schema_version=99))
    faults = list(verify(store))

    assert [(2, "newer")] == [(fault.seq, fault.code) for fault in faults]
    assert "schema_version 99, this abs-shield supports up to 1" in faults[0].detail


def test_a_time_that_is_not_a_number_is_no_fault(opens, kind, key):
    """Its column is 0, as the writer stores it."""
    store = opens(kind, key=key)
    store.append(decision(1, at=float("nan")))

    assert [] == faults(store, key)


@pytest.mark.parametrize("sealed", ["no", "[]", '{"body":{},"schema_version":1}', "{}"])
def test_an_unreadable_record_is_reported(opens, kind, raw, sealed):
    """The error has its chain and number on one line; a scan can skip it."""
    store = opens(kind)
    for number in range(1, 4):
        store.append(decision(number))
    store.flush()
    raw(kind, f"UPDATE records SET sealed = '{sealed}' WHERE seq = 2")
    skipped = []

    for read in (list, lambda _: store.decisions(), lambda _: store.get("d-2")):
        with pytest.raises(StoreError, match=r"record 2 of chain .* cannot be read") as output:
            read(store.scan())
        assert "\n" not in str(output.value)
    assert ["d-1", "d-3"] == ids(store.scan(skipped=skipped.append))
    assert 1 == len(skipped)


@pytest.fixture
def log_with_huge_time(opens, raw):
    """Return a log in which the sealed time of record 2 is too large for a float."""
    store = opens("sqlite")
    for number in range(1, 4):
        store.append(decision(number))
    row = next(row for row in store.rows(log_tables.Query()) if row.seq == 2)
    sealed = row.parse_sealed()
    sealed["body"]["at"] = 10**400
    text = json.dumps(sealed)
    raw("sqlite", f"UPDATE records SET sealed = '{text}', digest = '{Seal()(text)}' WHERE seq = 2")
    return store


def test_a_time_that_is_too_large_is_a_fault(log_with_huge_time):
    """In a log without a key anybody can write such a time; verify and prune report it."""
    assert [(2, "edited"), (3, "inserted")] == faults(log_with_huge_time, None)
    with pytest.raises(StoreError, match="keep their records: 1;"):
        log_with_huge_time.prune(1e12)


def test_any_error_of_reading_a_record_is_a_fault(log, key, monkeypatch):
    """The verification continues with the next record."""
    sealed_time = chain_verification.sealed_time

    def breaks(kind, body):
        return sealed_time(kind, body) if body.get("id") != "d-2" else 1 / 0

    monkeypatch.setattr(chain_verification, "sealed_time", breaks)
    faults = list(verify(log, key=key))

    assert [(2, "edited")] == [(fault.seq, fault.code) for fault in faults]
    assert "it cannot be read: ZeroDivisionError" in faults[0].detail


def test_an_abandoned_verification_closes_its_cursor(log_with_huge_time, monkeypatch):
    """It is closed before the connection; a later close would raise a warning."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    fault = verify(log_with_huge_time)
    next(fault)
    fault.close()

    assert [] == complaints


def test_get_uses_the_sealed_id(opens, kind, raw):
    """The column has only the first characters of the id, and may have been changed."""
    store = opens(kind)
    long = "x" * 300
    for number, name in enumerate(["d-1", "d-2", f"{long}1", f"{long}2"]):
        store.append(decision(number, id=name))
    store.flush()
    raw(kind, "UPDATE records SET decision_id = 'd-1' WHERE seq = 2")

    assert ["d-1", f"{long}1"] == ids([store.get("d-1"), store.get(f"{long}1")])
    assert store.get(f"{long}3") is None
