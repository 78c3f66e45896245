"""`abs-shield report`: rows of results, answers and outputs, slices, days and folded rows."""

from __future__ import annotations

import dataclasses
import io
import json
import sqlite3

import pytest
from rich.console import Console
from rich.table import Table

from abs_shield import Shield, Tool, ToolCall, ToolProfile, shield
from abs_shield.cli.fitting_table import FittingTable
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.terminal_report import terminal_report
from abs_shield.core import LAYER_NAMES
from abs_shield.core.label import Label, Truth
from abs_shield.quality import AgentOutput, QualityPipeline
from abs_shield.report import Readiness, Report
from abs_shield.stores import MemoryStore, open_store
from tests.cli.shop import fill_log, json_report, judge_calls, order, policy, refund


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log.db")


@pytest.fixture
def agency(log):
    """Return a log of twelve results, three answers and two outputs, some of them wrong."""
    store = open_store(log)
    tools = [Tool(name="quote", profile=ToolProfile(required_fields=["price"]))]
    firewall = Shield(shield.configure(mode="audit", tools=tools), store=store, hooks=None)
    for n in range(12):
        call = ToolCall("quote", {}, f"c{n}")
        value = {"note": "none"} if n in (4, 9) else {"price": 420.0}
        with firewall.session(f"s{n}", agent="sales" if n % 2 else "support"):
            firewall.check_call(call)
            firewall.check_result(call, value, elapsed_ms=100.0)
            if n < 3:
                firewall.check_answer("It costs 999.00 EUR." if n == 1 else "It costs 420.00 EUR.")
            if n in (5, 6):
                text = "Her card is 4111 1111 1111 1111." if n == 5 else "All done."
                QualityPipeline(shield=firewall).run(AgentOutput(text=text))
    assert firewall.close()
    return log


def decisions(log, subject):
    """Return the decisions of a log about one kind of subject."""
    store = open_store(log)
    findings = [one for one in store.scan() if one.subject == subject]
    store.close()
    return findings


def test_results_answers_and_outputs_are_counted_like_layers(command, agency):
    """Each check has calls, flags, blocks and shares, in total and by tool, text or stage."""
    report = json_report(command, agency)
    checks = {entry["layer"]: entry for entry in report["checks"]}

    assert [("verification", "result"), ("answer", "answer"), ("quality", "output")] == [
        (name, entry["subject"]) for name, entry in checks.items()
    ]
    assert [(12, 2), (3, 1), (2, 1)] == [
        (entry["calls"], entry["flagged"]) for entry in checks.values()
    ]
    assert [2, 12] == [checks["verification"]["shares"]["stops"][k] for k in ("hits", "of")]
    (quote,) = [tool for tool in report["tools"] if tool["tool"] == "quote"]
    assert 12 == quote["calls"]
    assert "verification" in [entry["layer"] for entry in quote["layers"]]
    texts = {row["tool"] for row in report["texts"]}
    assert {"_answers", "_outputs", "_outputs: pii"} <= texts
    assert set(LAYER_NAMES) == {entry["layer"] for entry in report["layers"]}


def test_results_answers_and_outputs_have_readiness(command, agency):
    """A check has its reasons in its own words; if it is safe to enforce, `modes` contains it."""
    report = json_report(command, agency, "--min-calls", "2", "--max-stops", "0.8")
    steps = {step["layer"]: step for step in report["readiness"] if step["tool"] is None}

    assert (
        "2 of 12 results would be blocked, none of them labelled"
        == (steps["verification"]["reasons"][0]["told"])
    )
    wrong = [one.id for one in decisions(agency, "result") if one.would_block]
    assert wrong[::-1] == steps["verification"]["look_at"]
    for one in wrong:
        command("label", one, "hallucinated", "--db", agency)
    report = json_report(command, agency, "--min-calls", "2", "--max-stops", "0.8")
    assert '"verification": "strict"' in report["modes_line"]
    assert "verification" in shield.configure(modes=eval(report["modes_line"][6:])).modes


def test_labels_of_results_and_answers_are_counted(command, agency):
    """Labels are counted in the summary, in precision and misses, and in the threshold sweep."""
    right, wrong = (
        [one for one in decisions(agency, "result") if one.would_block is blocks]
        for blocks in (False, True)
    )
    command("label", wrong[0].id, "hallucinated", "--db", agency)
    command("label", wrong[1].id, "ok", "--db", agency)
    command("label", right[0].id, "hallucinated", "--db", agency)
    invented = next(one for one in decisions(agency, "answer") if one.findings)
    command("label", invented.id, "hallucinated", "--db", agency)
    report = json_report(command, agency)
    text = " ".join(command("report", agency).out.split())

    assert "4 labels: 3 hallucinated, 1 ok; of 3 results, 1 answer." in text
    assert "No labels yet" not in text
    check = report["checks"][0]
    assert (1, 1, 1) == (check["true_flags"], check["false_flags"], check["missed"])
    sweep = next(s for s in report["sweeps"] if s["layer"] == "verification")
    at = {point["threshold"]: point for point in sweep["points"]}
    held, precision, recall = (at[0.5][name] for name in ("held", "precision", "recall"))
    assert (2, 1, 2) == (held["hits"], precision["hits"], recall["of"])
    assert "Thresholds of verification: what each would hold back" in text


def test_a_sweep_reports_decisions_without_a_probability(command, agency, tmp_path):
    """The report has the number of these decisions and how many of them are labelled."""
    store = open_store(agency, existing=True)
    one = next(one for one in store.scan() if one.subject == "result")
    for name in ("u1", "u2"):
        store.append(dataclasses.replace(one, id=name, probability=None))
    store.label(Label(decision_id="u1", truth=Truth.OK, at=1.0))
    store.label(Label(decision_id=one.id, truth=Truth.OK, at=1.0))
    store.close()
    page = tmp_path / "page.html"
    line = "Without P(hallucination), so not counted here: 2, 1 of them labelled."
    (sweep,) = [s for s in json_report(command, agency)["sweeps"] if s["layer"] == "verification"]

    assert (2, 1) == (sweep["unscored"], sweep["unscored_labels"])
    assert line in command("report", agency, "--html", page).out
    assert line in page.read_text()


def test_a_log_of_results_only_has_rows(command, log):
    """Without a call there is no row of a layer; the check has its row and its readiness."""
    memory, store = MemoryStore(), open_store(log)
    tools = [Tool(name="quote", profile=ToolProfile(required_fields=["price"]))]
    firewall = Shield(shield.configure(mode="audit", tools=tools), store=memory, hooks=None)
    firewall.check_result(
        ToolCall("quote", {}, "c"), {}, elapsed_ms=100.0, session=firewall.session("s")
    )
    for one in memory.scan():
        store.append(one)
    store.close()
    text = command("report", log).out

    assert "1 result judged" in text
    assert "verification: would block 1 of 1 result, 100 %" in text
    assert "Muted" not in text


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("agent", ["sales", "support"]),
        ("model", ["m-1", "m-2"]),
        ("revision", ["r-1", "r-2"]),
        ("day", ["2026-01-01", "2026-01-02"]),
    ],
)
def test_by_has_one_row_for_each_value(command, log, tmp_path, by, names):
    """Each agent, model, revision or day has its counts in the table, the JSON and the page."""
    memory, store = MemoryStore(), open_store(log)
    judge_calls(memory, [order(1), refund(2, 900), order(3), refund(4, 900), refund(5, 900)])
    for n, one in enumerate(memory.scan()):
        fields = {"agent": ("sales", "support"), "model": ("m-1", "m-2")}
        values = {name: pair[n % 2] for name, pair in fields.items()}
        revision, at = ("r-1", "r-2")[n % 2], 1_767_225_600.0 + 86_400 * (n % 2)
        store.append(dataclasses.replace(one, **values, policy_revision=revision, at=at))
    store.close()
    page = tmp_path / "page.html"
    text = command("report", log, "--by", by, "--html", page).out
    slices = json_report(command, log, "--by", by)["slices"]

    assert [(names[0], 3, 1), (names[1], 2, 2)] == [
        (one[by], one["calls"], one["would_block"]) for one in slices
    ]
    assert f"\nBy {by}\n" in text
    assert f"<h2>By {by}</h2>" in page.read_text()
    assert all(name in text for name in names)


def test_decisions_without_an_agent_are_counted_as_unknown(command, log):
    """`--by agent` counts decisions that have no agent in the row `_unknown`."""
    fill_log(log, order(1))

    assert ["_unknown"] == [
        one["agent"] for one in json_report(command, log, "--by", "agent")["slices"]
    ]


def test_days_are_bars(command, log):
    """Calls and rates have a bar for each day; a log of one day has no bars."""
    memory, store = MemoryStore(), open_store(log)
    judge_calls(memory, [order(1), order(2), refund(3, 900)])
    for n, one in enumerate(memory.scan()):
        store.append(dataclasses.replace(one, at=1_767_225_600.0 + 86_400 * (n // 2)))
    store.flush()
    text = command("report", log).out
    store.close()

    assert "calls       █▄  most: 2 on 2026-01-01, newest: 1" in text
    assert "would block  █  most: 100 % on 2026-01-02, newest: 100 %" in text
    assert "By day" not in command("report", log, "--until", "2026-01-02").out


def test_verify_reports_an_intact_log(command, log):
    """`--verify` reports the number of verified records; without it there is no such line."""
    fill_log(log, order(1), order(2))

    assert "The log is intact: 2 records in 1 chain" in command("report", log, "--verify").out
    assert json_report(command, log, "--verify")["integrity"]["intact"] is True
    assert json_report(command, log)["integrity"] is None


def test_verify_reports_an_edited_log(command, log):
    """The first faults are above the figures, and the exit code is 1."""
    fill_log(log, *map(order, range(5)))
    with sqlite3.connect(log) as database:
        database.execute("UPDATE records SET tool = 'other' WHERE seq = 2")
    database.close()
    done = command("report", log, "--verify")

    assert 1 == done.code
    assert "THE LOG IS NOT INTACT: 1 fault in 5 records in 1 chain" in done.out
    assert "record 2: edited" in done.out


@pytest.mark.parametrize(
    "argv",
    [
        ["report"], ["calibrate"], ["show", "d1"], ["label", "d1", "ok"], ["label", "--next"],
        ["log", "verify"], ["log", "export"], ["log", "prune", "--older-than", "7d"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_missing_default_log_is_an_error(command, tmp_path, monkeypatch, argv):
    """The error names the default path and the setting that writes a log there."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("ABS_SHIELD_LOG", raising=False)
    done = command(*argv)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert f"there is no log yet at `{tmp_path}/abs_shield/decisions.db`" in done.err
    assert "`store=open_store()`" in done.err


def test_tools_without_blocks_are_folded(command, log):
    """From the fourth tool of a layer on, the tools are counted in one line."""
    tools = [Tool(name=f"tool_{n:02}", parameters=refund_schema()) for n in range(9)]
    calls = [{"name": tool.name, "arguments": {"n": 1}} for tool in tools]
    wrong = {"name": "tool_00", "arguments": {"n": "x"}}
    declared = policy(tools=tools, rules=[], layers=["parameter_mismatch"])
    fill_log(log, *calls * 2, wrong, declared=declared)
    text = command("report", log, "--min-calls", "2", "--max-stops", "0.7").out

    assert 3 == text.count("  parameter_mismatch on tool_")
    assert "  parameter_mismatch on 5 more tools: would block 0 of 10 calls\n" in text


def test_a_rate_has_enough_digits_to_compare_with_the_limit(command, log):
    """The upper bound of 0 blocks in 380 calls is 1.001 %, not 1 %, because the limit is 1 %."""
    fill_log(log, *map(order, range(380)))
    text = command("report", log).out

    assert "  phantom_tool: would block 0 of 380 calls, 0 % (0-1.001 %)" in text
    assert "(0-1 %)" not in text


def test_the_next_step_is_reported_once(command, log):
    """Two reasons for the same change of the policy have one next step."""
    fill_log(log, *(refund(n, 900) for n in range(3)))
    ids = [one["id"] for one in map(json.loads, command("log", "export", log).out.splitlines())]
    for name in ids:
        command("label", name, "ok", "--db", log)
    text = command("report", log, "--min-calls", "1").out
    step = text.partition("  impossible_state: would block")[2].partition("  confidence_drop")[0]

    assert 2 <= step.count("    - ")
    assert 1 == step.count("    next: ")


def refund_schema():
    return {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize("width", [80, 100, 120])
def test_names_and_rates_are_not_broken(width):
    """Columns are dropped or stacked before a name or an interval is broken."""
    name = "get_scheduled_transactions"
    tools = [Tool(name=name, parameters=refund_schema())]
    memory = MemoryStore()
    calls = [{"name": name, "arguments": {"n": 1 if n % 15 else "x"}} for n in range(300)]
    judge_calls(memory, calls, declared=policy(tools=tools, rules=[]))
    results = list(memory.scan())
    labels = {
        one.id: Label(decision_id=one.id, truth=Truth.HALLUCINATED, at=1.0)
        for one in results
        if one.would_block
    }
    summary = ReportSummary.of(Report.of(results, labels), Readiness(), log="log.db")
    console = Console(width=width, file=io.StringIO(), record=True)
    for part in terminal_report(summary, rows=20, width=width):
        if isinstance(part, Table | FittingTable):
            console.print(part)
    text = console.export_text()

    assert width >= max(map(len, text.splitlines()))
    assert 3 <= text.count(name)
    assert 2 <= text.count("6.7 % (4.4-10.1 %)")
    assert 2 <= text.count("100 % (83.9-100 %)")
    assert set(LAYER_NAMES) == {layer for layer in LAYER_NAMES if f" {layer} " in text}
