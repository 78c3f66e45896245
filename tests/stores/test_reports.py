"""Reports on answers, in every store."""

from __future__ import annotations

from abs_shield.stores import MemoryStore, verify
from tests.stores.conftest import decision

REPORT = {"claims": [{"start": 0, "end": 9, "status": "grounded"}], "action": "emit"}


def test_a_report_is_found_by_the_id_of_its_decision(store):
    """A report does not count as a decision."""
    one, other = decision(1), decision(2)
    for each in (one, other):
        store.append(each)
    store.append_report(one, REPORT)

    assert (REPORT, None, None) == (store.report("d-1"), store.report("d-2"), store.report("d-9"))
    assert [("d-1", REPORT)] == [*store.reports()]
    assert (2, [one, other]) == (len(store), store.decisions())


def test_the_newest_report_of_a_decision_is_returned(store):
    """If a decision is recorded again under its id, its report replaces the earlier one."""
    store.append(decision(1))
    for action in ("revise", "emit"):
        store.append_report(decision(1), {"action": action})

    assert {"action": "emit"} == store.report("d-1")


def test_reports_can_be_limited_to_a_time_range(store):
    """The time of a report is that of its decision."""
    for number in (1, 2, 3):
        store.append(decision(number))
        store.append_report(decision(number), {"number": number})
    middle = decision(2).at

    assert {"number": 1} not in [record for _, record in store.reports(since=middle)]
    assert [] == [*store.reports(until=0.0)]


def test_a_log_with_reports_can_be_verified_and_pruned(kind, opens):
    """A report is sealed like any record, and is pruned together with its decision."""
    store = opens(kind)
    store.append(decision(1))
    store.append_report(decision(1), REPORT)

    assert not [*verify(store)]
    assert 2 == store.prune(decision(1).at + 1)
    assert store.report("d-1") is None
    assert not [*verify(store)]


def test_a_changed_column_of_a_report_is_found(kind, opens, raw):
    """Verification finds a report that was moved to another decision."""
    store = opens(kind)
    store.append(decision(1))
    store.append_report(decision(1), REPORT)
    store.flush()
    table = "records" if kind == "sqlite" else "abs_shield_records"
    raw(kind, f"UPDATE {table} SET decision_id = 'd-2' WHERE kind = 'report'")

    assert "decision_id" in next(verify(store)).detail


def test_a_memory_store_drops_reports_of_dropped_decisions():
    """A decision and its report are dropped together when newer decisions need the room."""
    store = MemoryStore(most=2)
    for number in (1, 2, 3):
        store.append(decision(number))
        store.append_report(decision(number), REPORT)

    assert [None, REPORT, REPORT] == [store.report(f"d-{n}") for n in (1, 2, 3)]


def test_quality_scores_are_stored_in_the_log(kind, opens):
    """They can be read by time, the log verifies, and they do not count as decisions."""
    store = opens(kind)
    store.append(decision(1))
    for at, score in ((10.0, 87.5), (20.0, 71.0)):
        store.append_score(at=at, agent="analyst", task_type="memo", model="", score=score)

    assert [87.5, 71.0] == [one.score for one in store.scores()]
    (late,) = store.scores(since=15.0)
    assert (20.0, "analyst", "memo", "", 71.0) == late
    assert [] == list(verify(store))
    assert 1 == len(store)
