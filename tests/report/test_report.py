"""One pass over decisions, in bounded memory; what differs by tool; what may be enforced."""

from __future__ import annotations

import dataclasses

import pytest

from abs_shield import Shield, Tool, shield
from abs_shield.core import Action, Coverage, Decision, Finding, Mode, Outcome, Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.replay import Cell
from abs_shield.report import (
    OTHERS,
    UNREGISTERED,
    Readiness,
    Report,
    Standing,
    modes,
    rollout,
    silent_layers,
)
from abs_shield.stores import MemoryStore

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS = [Tool(name=name, parameters=NUMBER) for name in ("first", "second", "third")]
LAYERS = ["phantom_tool", "parameter_mismatch"]


def judged(*calls: tuple[str, object], **fields) -> list[Decision]:
    """Judge calls by name and number in audit mode."""
    store = MemoryStore()
    declared = shield.configure(**({"mode": "audit", "tools": TOOLS, "layers": LAYERS} | fields))
    firewall = Shield(declared, store=store)
    for name, number in calls:
        with firewall.session():
            firewall.check_call({"name": name, "arguments": {"n": number}})
    return list(store.scan())


def labelled(decisions: list[Decision], truth: Truth) -> dict[str, Label]:
    """The same word about each."""
    return {d.id: Label(decision_id=d.id, truth=truth, at=1.0) for d in decisions}


def test_invented_tools_share_one_row():
    """A model that invents a name a call makes one row, not thousands."""
    report = Report.of(judged(*((f"made_{n}", n) for n in range(50)), ("first", 1)))

    assert {UNREGISTERED: 50, "first": 1} == {
        tool: report.calls_of(tool) for tool in report.tools()
    }


@pytest.mark.slow
def test_memory_is_bounded_by_tools():
    """Beyond a thousand tools, and a hundred layers, one row holds the rest."""
    (one,) = judged(("first", 1))
    many = (
        dataclasses.replace(
            one, tool=f"t{n}", coverage={f"l{n % 300}": Coverage(Outcome.UNAVAILABLE, f"r{n}")}
        )
        for n in range(3_000)
    )
    report = Report.of(many)

    assert (1_001, 101) == (len(report.tools()), len(report.layers()))
    assert 2_000 == report.calls_of(OTHERS)
    assert 9 >= len(report.place(OTHERS, OTHERS).reasons)


def test_results_are_counted_by_what_became_of_them():
    """One that could not be judged is none that was; what is flagged has a finding that weighs."""
    (one,) = judged(("first", 1))
    weighing = (
        Finding(
            check="schema_mismatch", code="missing", verdict=Verdict.HALLUCINATED, strength=0.9,
            where="/", detail="no price",
        ),
    )  # fmt: skip
    usual = {"subject": Subject.RESULT, "probability": 0.1}
    ruled = [
        {},
        {"action": Action.FLAG, "probability": 0.3, "findings": weighing},
        {"action": Action.BLOCK, "probability": 0.7, "would_block": True, "findings": weighing},
        {"action": Action.BLOCK, "probability": 0.7, "would_block": True, "blocked": True},
        {"probability": None, "errors": ("broken",)},
    ]
    messages = [dataclasses.replace(one, **{**usual, **each}) for each in ruled]
    report = Report.of([one, *messages])

    assert (1, 5) == (report.totals.calls, report.totals.others[Subject.RESULT])
    assert {
        "judged": 4, "errors": 1, "flagged": 2, "flag_only": 1, "withheld": 1, "would_withhold": 2
    } == report.to_dict()["results"]  # fmt: skip


def test_answers_are_counted_by_what_became_of_them():
    """They are no calls and no results; one with nothing to check is said to be so."""
    (one,) = judged(("first", 1))
    usual = {"subject": Subject.ANSWER, "tool": "", "coverage": {"answer": Coverage(Outcome.RAN)}}
    nothing = {"answer": Coverage(Outcome.UNAVAILABLE, "no_claims")}
    ruled = [
        {},
        {"coverage": nothing},
        {"action": Action.REVISE},
        {"action": Action.BLOCK, "would_block": True},
        {"action": Action.BLOCK, "would_block": True, "blocked": True},
        {"coverage": {"answer": Coverage(Outcome.ERROR, "broken")}, "errors": ("broken",)},
    ]
    messages = [dataclasses.replace(one, **{**usual, **each}) for each in ruled]
    report = Report.of([one, *messages])

    assert (1, 6, 0) == (
        report.totals.calls, report.totals.others[Subject.ANSWER], report.totals.results.judged,
    )  # fmt: skip
    assert ["phantom_tool", "parameter_mismatch"] == report.layers()
    assert {
        "checked": 5, "errors": 1, "unverified": 1, "revised": 1, "blocked": 1, "would_block": 2
    } == report.to_dict()["answers"]  # fmt: skip


def test_a_report_of_nothing():
    """No decision, no layer, nothing muted, nothing safe."""
    report = Report.of([])

    assert (0, [], [], {}) == (
        report.totals.calls,
        report.layers(),
        report.tools(),
        silent_layers(report),
    )
    assert [] == rollout(report, Readiness())


def test_the_whole_is_the_sum_of_the_tools():
    """A layer's counts on all tools are those of each, added."""
    report = Report.of(judged(("first", 1), ("first", "x"), ("second", 2), ("nobody", 1)))
    whole = report.place("parameter_mismatch").counts
    parts = [report.place("parameter_mismatch", tool).counts for tool in report.tools()]

    for name in ("calls", "ran", "unavailable", "looked", "flagged", "would_block"):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts)
    assert (4, 3, 1, 1) == (whole.calls, whole.ran, whole.unavailable, whole.would_block)


def test_the_heatmap_has_the_hottest_tool_first():
    """Its cells count the findings that weigh."""
    rows = Report.of(judged(("first", 1), ("second", "x"), ("second", "y"))).heat()

    assert ["second", "first"] == [row.tool for row in rows]
    cell = rows[0].cells["parameter_mismatch"]
    assert (2, Verdict.HALLUCINATED, 2) == (cell.ran, cell.verdict, cell.findings)


def breaks_on_words(call, session):
    """A layer of one's own that raises on some arguments, and flags others."""
    number = call.arguments["n"]
    if number == "x":
        raise KeyError("x")
    if number == "y":
        yield finding("breaks_on_words", Verdict.SUSPICIOUS)


def finding(check: str, verdict: Verdict) -> Finding:
    """A finding that weighs."""
    return Finding(check=check, verdict=verdict, strength=1.0, where="", detail="odd", code="odd")


def caveats(report: Report, layer: str) -> str:
    """Return what is noted of a layer on all tools."""
    steps = rollout(report, Readiness())
    return " ".join(next(s for s in steps if (s.layer, s.tool) == (layer, "")).caveats)


def test_calls_that_strict_lets_run_are_counted():
    """Calls that the layer's own errors block are no such calls, and no number is negative."""
    calls = [("first", "x")] * 3 + [("first", "y")] * 2
    report = Report.of(judged(*calls, layers=["phantom_tool", breaks_on_words]))

    assert 2 == report.place("breaks_on_words").counts.runs_in_strict
    assert "2 calls that it flags run in strict mode too" in caveats(report, "breaks_on_words")


def test_calls_that_another_layer_blocks_do_not_run_in_strict():
    """A flag on a call that is blocked for something graver is not counted as one that runs."""
    (one,) = judged(("first", "x"))
    mild = finding("phantom_tool", Verdict.SUSPICIOUS)
    both = dataclasses.replace(one, findings=(*one.findings, mild))
    alone = dataclasses.replace(
        one, findings=(mild,), verdict=Verdict.SUSPICIOUS, would_block=False
    )
    report = Report.of([both, alone])

    assert (2, 1) == (
        report.place("phantom_tool").counts.flagged,
        report.place("phantom_tool").counts.runs_in_strict,
    )
    assert "1 call that it flags runs in strict mode too" in caveats(report, "phantom_tool")


def test_errors_are_the_hottest():
    """A tool that a layer failed on stands above one with the gravest findings."""
    calls = [("second", "x")] * 3 + [("first", "x")]
    rows = Report.of(judged(*calls[:3]) + judged(*calls[3:], layers=[breaks_on_words])).heat()

    assert ["first", "second"] == [row.tool for row in rows]
    assert (1, 0, 0) == (
        rows[0].cells["breaks_on_words"].errors,
        rows[0].cells["breaks_on_words"].ran,
        rows[0].cells["breaks_on_words"].findings,
    )


def test_a_cell_is_shaded_by_its_rate():
    """Three of 231 calls are lighter than twenty of twenty."""
    few, all_ = (Cell(n, Verdict.HALLUCINATED, k, flagged=k) for n, k in ((231, 3), (20, 20)))

    assert (2, 4, 0) == (few.shade, all_.shade, Cell(9, Verdict.CLEAN, 0).shade)


BUSY = [("first", n) for n in range(500)] + [("second", n) for n in range(30)]


def standing(report: Report, **rule) -> dict[tuple[str, str], Standing]:
    return {(step.layer, step.tool): step.standing for step in rollout(report, Readiness(**rule))}


def test_a_tool_that_speaks_against_it_is_kept_in_audit():
    """The layer is proven by labels, but on one tool its blocks are labelled ok."""
    right = judged(*BUSY, *(("first", "x") for _ in range(60)))
    wrong = judged(("second", "x"))
    labels = labelled(right[-60:], Truth.HALLUCINATED) | labelled(wrong, Truth.OK)
    report = Report.of([*right, *wrong], labels)

    results = standing(report)
    assert Standing.SAFE is results["parameter_mismatch", ""]
    assert Standing.NOT_YET is results["parameter_mismatch", "second"]
    proposed_modes = modes(rollout(report, Readiness()))
    assert Mode.STRICT is proposed_modes["parameter_mismatch"]
    assert Mode.AUDIT is proposed_modes["second", "parameter_mismatch"]


def test_a_tool_that_is_safe_by_itself_is_reported():
    """The layer is not safe on the whole, but one tool has calls enough and nothing against it."""
    report = Report.of(judged(*BUSY, *(("second", "x") for _ in range(9))))

    results = standing(report)
    assert Standing.NOT_YET is results["parameter_mismatch", ""]
    assert Standing.SAFE is results["parameter_mismatch", "first"]
    proposed_modes = modes(rollout(report, Readiness()))
    assert Mode.STRICT is proposed_modes["first", "parameter_mismatch"]
    assert "parameter_mismatch" not in proposed_modes


def test_the_modes_hold_in_a_policy():
    """Pasted into the policy, they block what is safe to block, and nothing else."""
    report = Report.of(judged(*BUSY, *(("second", "x") for _ in range(9))))
    proposed_modes = {key: mode.value for key, mode in modes(rollout(report, Readiness())).items()}
    again = judged(("first", "x"), ("second", "x"), ("third", "x"), modes=proposed_modes)

    assert [True, False, False] == [decision.blocked for decision in again]


def test_unknown_tools_get_no_entry_of_their_own():
    """`_unregistered` is not a tool that a policy can name."""
    report = Report.of(judged(*((f"made_{n}", n) for n in range(500))))

    assert {("phantom_tool", ""), ("parameter_mismatch", "")} == set(standing(report, min_calls=0))


def test_a_known_name_is_not_told_safe_by_itself():
    """`phantom_tool` blocks unknown names; a tool that is known needs no entry for it."""
    invented = judged(*((f"made_{n}", n) for n in range(9)))
    results = standing(Report.of([*judged(*BUSY), *invented]))

    assert Standing.NOT_YET is results["phantom_tool", ""]
    assert ("phantom_tool", "first") not in results


def test_what_is_enforced_is_read_from_the_log():
    """The mode of its findings, else of the calls; the newest policy revision counts."""
    old = judged(("first", 1), ("first", "x"))
    new = judged(("first", 1), mode="strict")

    assert Standing.ENFORCED is standing(Report.of(new))["parameter_mismatch", ""]
    assert Standing.NOT_YET is standing(Report.of(old))["parameter_mismatch", ""]
    assert Standing.ENFORCED is standing(Report.of([*old, *new]))["parameter_mismatch", ""]


def test_an_enforced_layer_with_a_wrong_block_says_so():
    """The reasons against it are listed; too few calls are not."""
    strict = judged(("first", "x"), mode="strict")
    report = Report.of(strict, labelled(strict, Truth.OK))
    (step,) = (s for s in rollout(report, Readiness()) if s.layer == "parameter_mismatch")

    assert (Standing.ENFORCED, ["false_blocks", "many_blocks"]) == (
        step.standing,
        [reason.code for reason in step.reasons],
    )


def test_what_a_layer_does_not_see_is_reported():
    """Below nine tenths of the calls it stands beside the verdict."""
    report = Report.of(judged(*BUSY, *(("nobody", n) for n in range(100))))
    (step,) = (s for s in rollout(report, Readiness()) if s.layer == "parameter_mismatch")

    assert (Standing.SAFE,) == (step.standing,)
    assert ("it cannot judge 15.9 % of the calls (100 of 630), most often because: unknown tool",
            ) == step.caveats  # fmt: skip


def test_the_newest_calls_without_a_label_are_named():
    """Whatever their tool: five, in the order in which they were judged."""
    calls = [(name, "x") for _ in range(4) for name in ("first", "second")]
    decisions = judged(*calls)
    labels = labelled(decisions[-1:], Truth.OK)
    named = Report.of(decisions, labels).place("parameter_mismatch").unlabelled

    assert [decision.id for decision in decisions[2:7]] == [name for _, name in named]


def test_sessions_are_counted_once():
    """Two calls of a session are one session; so is every call without one."""
    one, two = judged(("first", 1), ("first", 2))
    again = dataclasses.replace(two, session_id=one.session_id)

    assert (1, 2) == (
        Report.of([one, again]).totals.sessions,
        Report.of([one, two]).totals.sessions,
    )


def test_the_number_of_sessions_is_bounded(monkeypatch):
    """Beyond the bound it is said that there are more."""
    monkeypatch.setattr("abs_shield.report.log_totals._SESSIONS", 3)
    totals = Report.of(judged(*(("first", n) for n in range(5)))).totals

    assert (3, True) == (totals.sessions, totals.more_sessions)


@pytest.mark.parametrize("error", ["raise", "label"])
def test_a_call_that_was_not_judged_is_no_finding(error):
    """Our own failure is blocked in strict, but asks for no label."""

    def breaks(call, session):
        raise KeyError("x")
        yield

    decisions = judged(*(("first", n) for n in range(3)), layers=[breaks])
    labels = labelled(decisions, Truth.OK) if error == "label" else {}
    counts = Report.of(decisions, labels).place("breaks").counts

    assert (3, 3, 0, 0) == (
        counts.errors, counts.would_block, counts.found_blocks, counts.false_blocks,
    )  # fmt: skip
