"""A report: its counts by layer and tool, its memory bounds, and its rollout."""

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


def judge_calls(*calls: tuple[str, object], **fields) -> list[Decision]:
    """Judge calls, given as pairs of name and number, in audit mode; return the decisions."""
    store = MemoryStore()
    declared = shield.configure(**({"mode": "audit", "tools": TOOLS, "layers": LAYERS} | fields))
    firewall = Shield(declared, store=store)
    for name, number in calls:
        with firewall.session():
            firewall.check_call({"name": name, "arguments": {"n": number}})
    return list(store.scan())


def labels_for(decisions: list[Decision], truth: Truth) -> dict[str, Label]:
    """Return the same label for each decision."""
    return {d.id: Label(decision_id=d.id, truth=truth, at=1.0) for d in decisions}


def test_unregistered_tools_share_one_row():
    """Calls of 50 different invented tools are counted under one row."""
    report = Report.of(judge_calls(*((f"made_{n}", n) for n in range(50)), ("first", 1)))

    assert {UNREGISTERED: 50, "first": 1} == {
        tool: report.calls_of(tool) for tool in report.tools()
    }


@pytest.mark.slow
def test_the_number_of_rows_is_bounded():
    """Tools after the first 1,000 and layers after the first 100 share one row."""
    (one,) = judge_calls(("first", 1))
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


def test_results_are_counted_by_outcome():
    """A result with an error does not count as judged, and results do not count as calls."""
    (one,) = judge_calls(("first", 1))
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


def test_answers_are_counted_by_outcome():
    """An answer without claims counts as unverified; answers do not count as calls or results."""
    (one,) = judge_calls(("first", 1))
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


def test_a_report_without_decisions_is_empty():
    """It has no calls, layers, tools and silent layers, and the rollout has no steps."""
    report = Report.of([])

    assert (0, [], [], {}) == (
        report.totals.calls,
        report.layers(),
        report.tools(),
        silent_layers(report),
    )
    assert [] == rollout(report, Readiness())


def test_the_counts_of_a_layer_are_the_sums_over_all_tools():
    """Each count of a layer on all tools is the sum of its counts on each tool."""
    report = Report.of(judge_calls(("first", 1), ("first", "x"), ("second", 2), ("nobody", 1)))
    whole = report.place("parameter_mismatch").counts
    parts = [report.place("parameter_mismatch", tool).counts for tool in report.tools()]

    for name in ("calls", "ran", "unavailable", "looked", "flagged", "would_block"):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts)
    assert (4, 3, 1, 1) == (whole.calls, whole.ran, whole.unavailable, whole.would_block)


def test_the_heatmap_lists_the_tool_with_most_findings_first():
    """Its cells have the number of runs, the worst verdict and the number of findings."""
    rows = Report.of(judge_calls(("first", 1), ("second", "x"), ("second", "y"))).heat()

    assert ["second", "first"] == [row.tool for row in rows]
    cell = rows[0].cells["parameter_mismatch"]
    assert (2, Verdict.HALLUCINATED, 2) == (cell.ran, cell.verdict, cell.findings)


def breaks_on_words(call, session):
    """A custom layer that raises if the number is "x", and flags the call if it is "y"."""
    number = call.arguments["n"]
    if number == "x":
        raise KeyError("x")
    if number == "y":
        yield finding("breaks_on_words", Verdict.SUSPICIOUS)


def finding(check: str, verdict: Verdict) -> Finding:
    """Return a finding with strength 1."""
    return Finding(check=check, verdict=verdict, strength=1.0, where="", detail="odd", code="odd")


def caveats(report: Report, layer: str) -> str:
    """Return the caveats of a layer on all tools."""
    steps = rollout(report, Readiness())
    return " ".join(next(s for s in steps if (s.layer, s.tool) == (layer, "")).caveats)


def test_flagged_calls_that_run_in_strict_mode_are_counted():
    """Calls that are blocked because the layer raised are not subtracted from flagged calls."""
    calls = [("first", "x")] * 3 + [("first", "y")] * 2
    report = Report.of(judge_calls(*calls, layers=["phantom_tool", breaks_on_words]))

    assert 2 == report.place("breaks_on_words").counts.runs_in_strict
    assert "2 calls that it flags run in strict mode too" in caveats(report, "breaks_on_words")


def test_flagged_calls_that_another_layer_blocks_do_not_run_in_strict():
    """A flag on a call that another layer blocks is not counted as a call that runs."""
    (one,) = judge_calls(("first", "x"))
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


def test_the_heatmap_lists_tools_with_errors_first():
    """A tool on which a layer raised is listed before a tool with HALLUCINATED findings."""
    calls = [("second", "x")] * 3 + [("first", "x")]
    rows = Report.of(
        judge_calls(*calls[:3]) + judge_calls(*calls[3:], layers=[breaks_on_words])
    ).heat()

    assert ["first", "second"] == [row.tool for row in rows]
    assert (1, 0, 0) == (
        rows[0].cells["breaks_on_words"].errors,
        rows[0].cells["breaks_on_words"].ran,
        rows[0].cells["breaks_on_words"].findings,
    )


def test_the_shade_of_a_cell_depends_on_its_rate():
    """A cell with 3 findings in 231 calls is lighter than one with 20 in 20."""
    few, all_ = (Cell(n, Verdict.HALLUCINATED, k, flagged=k) for n, k in ((231, 3), (20, 20)))

    assert (2, 4, 0) == (few.shade, all_.shade, Cell(9, Verdict.CLEAN, 0).shade)


BUSY = [("first", n) for n in range(500)] + [("second", n) for n in range(30)]


def standing(report: Report, **rule) -> dict[tuple[str, str], Standing]:
    return {(step.layer, step.tool): step.standing for step in rollout(report, Readiness(**rule))}


def test_a_tool_with_false_blocks_stays_in_audit_mode():
    """The layer is safe to enforce, except on the tool whose blocks are labelled `ok`."""
    right = judge_calls(*BUSY, *(("first", "x") for _ in range(60)))
    wrong = judge_calls(("second", "x"))
    labels = labels_for(right[-60:], Truth.HALLUCINATED) | labels_for(wrong, Truth.OK)
    report = Report.of([*right, *wrong], labels)

    results = standing(report)
    assert Standing.SAFE is results["parameter_mismatch", ""]
    assert Standing.NOT_YET is results["parameter_mismatch", "second"]
    proposed_modes = modes(rollout(report, Readiness()))
    assert Mode.STRICT is proposed_modes["parameter_mismatch"]
    assert Mode.AUDIT is proposed_modes["second", "parameter_mismatch"]


def test_a_layer_can_be_safe_on_one_tool_only():
    """The layer is not safe on all tools, but one tool has enough calls and no blocks."""
    report = Report.of(judge_calls(*BUSY, *(("second", "x") for _ in range(9))))

    results = standing(report)
    assert Standing.NOT_YET is results["parameter_mismatch", ""]
    assert Standing.SAFE is results["parameter_mismatch", "first"]
    proposed_modes = modes(rollout(report, Readiness()))
    assert Mode.STRICT is proposed_modes["first", "parameter_mismatch"]
    assert "parameter_mismatch" not in proposed_modes


def test_the_proposed_modes_work_in_a_policy():
    """A policy with the proposed modes blocks only on the tool that is safe to enforce."""
    report = Report.of(judge_calls(*BUSY, *(("second", "x") for _ in range(9))))
    proposed_modes = {key: mode.value for key, mode in modes(rollout(report, Readiness())).items()}
    again = judge_calls(("first", "x"), ("second", "x"), ("third", "x"), modes=proposed_modes)

    assert [True, False, False] == [decision.blocked for decision in again]


def test_the_rollout_has_no_step_for_unregistered_tools():
    """`_unregistered` is not a tool that a policy can name."""
    report = Report.of(judge_calls(*((f"made_{n}", n) for n in range(500))))

    assert {("phantom_tool", ""), ("parameter_mismatch", "")} == set(standing(report, min_calls=0))


def test_phantom_tool_has_no_step_for_a_registered_tool():
    """`phantom_tool` blocks only unregistered names, so a registered tool needs no mode for it."""
    invented = judge_calls(*((f"made_{n}", n) for n in range(9)))
    results = standing(Report.of([*judge_calls(*BUSY), *invented]))

    assert Standing.NOT_YET is results["phantom_tool", ""]
    assert ("phantom_tool", "first") not in results


def test_enforced_layers_are_read_from_the_decisions():
    """A layer counts as enforced if the newest policy revision has it in strict mode."""
    old = judge_calls(("first", 1), ("first", "x"))
    new = judge_calls(("first", 1), mode="strict")

    assert Standing.ENFORCED is standing(Report.of(new))["parameter_mismatch", ""]
    assert Standing.NOT_YET is standing(Report.of(old))["parameter_mismatch", ""]
    assert Standing.ENFORCED is standing(Report.of([*old, *new]))["parameter_mismatch", ""]


def test_an_enforced_layer_lists_its_false_blocks():
    """The reasons against strict mode are listed, except that there are too few calls."""
    strict = judge_calls(("first", "x"), mode="strict")
    report = Report.of(strict, labels_for(strict, Truth.OK))
    (step,) = (s for s in rollout(report, Readiness()) if s.layer == "parameter_mismatch")

    assert (Standing.ENFORCED, ["false_blocks", "many_blocks"]) == (
        step.standing,
        [reason.code for reason in step.reasons],
    )


def test_low_coverage_of_a_layer_is_a_caveat():
    """A layer that can judge less than 90 % of the calls has a caveat with the main reason."""
    report = Report.of(judge_calls(*BUSY, *(("nobody", n) for n in range(100))))
    (step,) = (s for s in rollout(report, Readiness()) if s.layer == "parameter_mismatch")

    assert (Standing.SAFE,) == (step.standing,)
    assert ("it cannot judge 15.9 % of the calls (100 of 630), most often because: unknown tool",
            ) == step.caveats  # fmt: skip


def test_a_layer_lists_its_five_newest_unlabelled_calls():
    """The ids are in the order of the decisions, whatever the tool."""
    calls = [(name, "x") for _ in range(4) for name in ("first", "second")]
    decisions = judge_calls(*calls)
    labels = labels_for(decisions[-1:], Truth.OK)
    named = Report.of(decisions, labels).place("parameter_mismatch").unlabelled

    assert [decision.id for decision in decisions[2:7]] == [name for _, name in named]


def test_each_session_is_counted_once():
    """Two calls of a session count as one session; a call without a session counts as one."""
    one, two = judge_calls(("first", 1), ("first", 2))
    again = dataclasses.replace(two, session_id=one.session_id)

    assert (1, 2) == (
        Report.of([one, again]).totals.sessions,
        Report.of([one, two]).totals.sessions,
    )


def test_the_number_of_sessions_is_bounded(monkeypatch):
    """Beyond the bound, `more_sessions` is True."""
    monkeypatch.setattr("abs_shield.report.log_totals._SESSIONS", 3)
    totals = Report.of(judge_calls(*(("first", n) for n in range(5)))).totals

    assert (3, True) == (totals.sessions, totals.more_sessions)


@pytest.mark.parametrize("error", ["raise", "label"])
def test_a_call_on_which_a_layer_raises_is_not_a_finding(error):
    """An internal error would block the call in strict mode, but it is not a false block."""

    def breaks(call, session):
        raise KeyError("x")
        yield

    decisions = judge_calls(*(("first", n) for n in range(3)), layers=[breaks])
    labels = labels_for(decisions, Truth.OK) if error == "label" else {}
    counts = Report.of(decisions, labels).place("breaks").counts

    assert (3, 3, 0, 0) == (
        counts.errors, counts.would_block, counts.found_blocks, counts.false_blocks,
    )  # fmt: skip
