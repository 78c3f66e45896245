"""`abs-shield report`: the figures of real audit logs, and what is ready for enforcement."""

from __future__ import annotations

import contextlib
import io
import json
import re
import time
from html.parser import HTMLParser

import pytest
from rich.console import Console
from rich.table import Table

from abs_shield import Shield, Tool, ToolCall, ToolProfile, shield
from abs_shield.cli.fitting_table import FittingTable
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.terminal_report import terminal_report
from abs_shield.core import LAYER_NAMES
from abs_shield.quality import AgentOutput, QualityPipeline
from abs_shield.report import Readiness, Report
from abs_shield.stores import open_store
from abs_shield.stores.log_tables import Query
from abs_shield.stores.sealed_record import RecordKind, StoreEntry
from tests.cli.shop import HOSTILE, SILENCED, fill_log, json_report, order, policy, refund


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log.db")


def layer(made, name, tool=None):
    """Return the entry of one layer, optionally of one tool."""
    held = made if tool is None else next(t for t in made["tools"] if t["tool"] == tool)
    return next(entry for entry in held["layers"] if entry["layer"] == name)


def test_every_layer_and_tool_is_counted(command, log):
    """The report has the log's calls, coverage, findings and calls that strict would block."""
    fill_log(log, order(1), refund(2), refund(3, 900), {"name": "refnud", "arguments": {}})
    made = json_report(command, log)

    assert (4, 0, 2, 4) == tuple(
        made[name] for name in ("calls", "blocked", "would_block", "sessions")
    )
    assert list(LAYER_NAMES) == [entry["layer"] for entry in made["layers"]]
    rule, phantom = layer(made, "impossible_state"), layer(made, "phantom_tool")
    assert (2, 2, 0, 1) == (rule["ran"], rule["unavailable"], rule["errors"], rule["would_block"])
    assert {"hits": 1, "of": 2} == {k: rule["shares"]["stops"][k] for k in ("hits", "of")}
    assert (4, 1) == (phantom["ran"], phantom["flagged"])
    assert {"get_order", "refund", "_unregistered"} == {tool["tool"] for tool in made["tools"]}
    assert (2, 1) == (
        layer(made, "impossible_state", "refund")["ran"],
        layer(made, "phantom_tool", "_unregistered")["would_block"],
    )


def test_a_log_in_postgresql(command, dsn):
    """A log on a PostgreSQL server has the same tables; options of the address are not shown."""
    fill_log(dsn, order(1), refund(3, 900))
    done = command("report", dsn)

    assert (0, "") == (done.code, done.err)
    assert "2 calls of 2 sessions" in done.out
    assert "search_path" not in done.out


def test_labels_become_precision_and_misses(command, log):
    """A right and a wrong block, and a call that every layer missed."""
    wrong, right, missed = fill_log(log, refund(1, 900), refund(2, 900), order(3))
    command("label", wrong.id, "ok", "--db", log)
    command("label", right.id, "hallucinated", "--db", log)
    command("label", missed.id, "hallucinated", "--db", log)
    made = json_report(command, log)

    rule = layer(made, "impossible_state")
    assert (1, 1, 1, 1) == tuple(
        rule[name] for name in ("true_flags", "false_flags", "true_blocks", "false_blocks")
    )
    assert (0.5, 2) == (rule["shares"]["precision"]["share"], rule["shares"]["precision"]["of"])
    assert (1, {"ok": 1, "hallucinated": 2}) == (made["missed"], made["labels"])
    phantom = layer(made, "phantom_tool", "get_order")
    assert (1, 1) == (phantom["missed"], phantom["missed_by_all"])


def test_overrides_are_counted(command, log):
    """A suppressed finding that would have blocked is an override, and mutes its layer."""
    fill_log(log, refund(1, 900), declared=policy(suppress=[SILENCED]))
    made = json_report(command, log)

    rule = layer(made, "impossible_state")
    assert (1, 1, 0) == (rule["suppressed"], rule["overrides"], rule["would_block"])
    muted = {entry["layer"]: entry["why"] for entry in made["muted"]}
    assert "none of its 1 findings counts: 1 are suppressed" in muted["impossible_state"]
    assert "no log-probabilities" in muted["confidence_drop"]


def test_suppressions_are_listed(command, log, tmp_path):
    """Table, data and page list each suppression with layer, tool, kind and location."""
    fill_log(log, refund(1, 900), refund(2, 900), declared=policy(suppress=[SILENCED]))
    page = tmp_path / "page.html"
    printed = " ".join(command("report", log, "--html", page).out.split())
    rule = layer(json_report(command, log), "impossible_state", "refund")
    (silenced,) = rule["silenced"]

    assert ("rule", 2) == (silenced["code"], silenced["findings"])
    assert silenced["where"].startswith("/arguments")
    message = f"2 rule {silenced['where']}"
    assert f"silences: impossible_state on refund: {message}" in printed
    assert f"<li><b>impossible_state on refund</b>: {message}</li>" in page.read_text()


def test_approvals_are_counted(command, log):
    """Held calls are counted; one that an approver granted is also an override."""
    asked = iter([True, False])
    strict = policy(mode="strict", on_suspicious="approve")
    unseen = {"name": "get_order", "arguments": {"order_id": "W777777"}}
    store = open_store(log)
    from abs_shield import CallBlocked, Shield

    firewall = Shield(strict, store=store, approver=lambda _: next(asked))
    for number in range(2):
        with firewall.session() as session:
            session.user("Please see to my order W1.")
            guarded = firewall.guard({**unseen, "id": f"c{number}"})
            try:
                with guarded as guard:
                    guard.value = {}
            except CallBlocked:
                assert number == 1
    store.close()

    target = layer(json_report(command, log), "phantom_target")
    assert (1, 1, 1) == (target["held"], target["granted"], target["overrides"])


def test_layers_that_do_not_run_are_muted(command, log):
    """Default layers that the policy leaves out are listed; opt-in layers are not."""
    fill_log(log, order(1), declared=policy(layers=["phantom_tool"]))
    muted = [entry["layer"] for entry in json_report(command, log)["muted"]]

    assert set(LAYER_NAMES) - {"phantom_tool"} == set(muted)


def test_findings_below_the_threshold_mute_a_layer(command, log):
    """With threshold 0 only findings of full strength count."""
    unseen = {"name": "get_order", "arguments": {"order_id": "W777777"}}
    store_policy = policy(threshold=0.0)
    fill_log(log, order(1), declared=store_policy)
    store = open_store(log)
    from abs_shield import Shield

    firewall = Shield(store_policy, store=store)
    with firewall.session() as session:
        session.user("Please see to my order W1.")
        firewall.check_call(unseen)
    store.close()

    target = layer(json_report(command, log), "phantom_target")
    assert (1, 1, 0) == (target["findings"], target["uncounted"], target["flagged"])


def broken(call, session):
    """A custom layer that raises."""
    raise KeyError("x")
    yield


def test_internal_errors_are_counted_and_prevent_enforcement(command, log):
    """An internal error is not a finding, but strict mode would have blocked the call."""
    fill_log(log, *map(order, range(3)), declared=policy(layers=["phantom_tool", broken]))
    made = json_report(command, log)

    entry = layer(made, "broken")
    assert (0, 3, 0, 3) == tuple(
        entry[name] for name in ("ran", "errors", "flagged", "would_block")
    )
    assert "KeyError" in entry["reasons"][0]["reason"]
    (step,) = (step for step in made["readiness"] if step["layer"] == "broken")
    assert "errors" in [reason["code"] for reason in step["reasons"]]


@pytest.fixture
def busy_log(log):
    """Return a log of 420 calls, three of which would be blocked."""
    calls = [order(n) if n % 2 else refund(n) for n in range(417)]
    return log, fill_log(log, *calls, *(refund(n, 900) for n in (1, 2, 3)))


def readiness(made):
    return {(s["layer"], s["tool"]): s["standing"] for s in made["readiness"]}


def test_each_layer_is_safe_or_not_yet_safe(command, busy_log):
    """Clean layers with enough calls are safe; others name the decisions to label first."""
    log, decisions = busy_log
    made = json_report(command, log)

    assert "safe" == readiness(made)["parameter_mismatch", None]
    assert "not_yet" == readiness(made)["impossible_state", None]
    (step,) = (s for s in made["readiness"] if s["layer"] == "impossible_state")
    assert [d.id for d in reversed(decisions[-3:])] == step["look_at"]
    assert ["unlabelled_blocks", "many_blocks", "few_calls"] == [r["code"] for r in step["reasons"]]


def test_the_modes_to_paste_enforce_what_is_safe(command, busy_log):
    """The printed `modes` line is valid Python, and a policy with it blocks a bad call."""
    log, _ = busy_log
    made = json_report(command, log)
    modes = eval(made["modes_line"].removeprefix("modes="))
    declared = policy(modes=modes)
    strict = declared.modes["parameter_mismatch"]
    assert "strict" == strict
    wrong = {"name": "refund", "arguments": {"order_id": "W1"}}
    (blocked,) = fill_log(log, wrong, declared=declared)
    assert blocked.blocked


def test_labels_make_a_layer_safe(command, busy_log):
    """A layer is safe once all its blocks are labelled hallucinated and it has enough calls."""
    log, decisions = busy_log
    lines = "".join(f"{d.id} hallucinated\n" for d in decisions[-3:])
    assert 0 == command("label", "--db", log, "--from", "-", stdin=lines).code

    made = json_report(command, log, "--min-calls", "200", "--max-stops", "0.02")
    assert "safe" == readiness(made)["impossible_state", None]
    assert '"impossible_state": "strict"' in made["modes_line"]


def test_the_table_has_the_rule_and_the_next_step(command, busy_log):
    """The table has the numbers, the reasons, the ids to label and the rule's limits."""
    log, decisions = busy_log
    done = command("report", log)

    assert (0, "") == (done.code, done.err)
    for message in (
        "420 calls of 420 sessions", "Safe to enforce now", "Not yet, because",
        "3 of 212 calls would be blocked, none of them labelled", "label 3 more of them",
        decisions[-1].id, "It judged at least 400 calls.", 'modes={"phantom_tool": "strict"',
    ):  # fmt: skip
        assert message in done.out


def test_the_limits_of_the_rule_are_options(command, busy_log):
    """With `--min-calls 5000` no layer is safe, and the rule has the new limit."""
    done = command("report", busy_log[0], "--min-calls", "5000")

    assert "Safe to enforce now\n  nothing" in done.out
    assert "It judged at least 5,000 calls." in done.out


@pytest.mark.parametrize("width", [80, 120])
def test_a_narrow_terminal_shows_all_layers(busy_log, width):
    """Every layer is named, no text is cut, and no line is wider than the terminal."""
    store = open_store(busy_log[0], existing=True)
    report = Report.of(store.scan())
    summary = ReportSummary.of(report, Readiness(), log="log.db")
    console = Console(width=width, file=io.StringIO(), record=True)
    for part in terminal_report(summary, rows=20, width=width):
        if isinstance(part, Table | FittingTable):
            console.print(part)
    text = console.export_text()

    assert width >= max(map(len, text.splitlines()))
    assert {name for name in LAYER_NAMES if name in text} == {*LAYER_NAMES}
    assert "…" not in text


def test_enforced_layers_are_reported_as_such(command, log):
    """The report of a strict log lists enforced layers and suggests no modes."""
    fill_log(log, *map(order, range(5)), declared=policy(mode="strict"))
    made = json_report(command, log)

    assert {"enforced"} == set(readiness(made).values())
    assert "" == made["modes_line"]
    assert "Enforced already" in command("report", log).out


def test_since_and_until_limit_the_report(command, log):
    """Decisions outside of `--since` and `--until` are not counted."""
    fill_log(log, order(1), order(2))

    assert 2 == json_report(command, log, "--since", "1h")["calls"]
    assert 0 == json_report(command, log, "--until", "2020-01-01")["calls"]
    done = command("report", log, "--until", "2020-01-01T10:00:00+02:00")
    assert (0, True) == (done.code, "no decision about a call for that time" in done.out)


def test_one_policy_revision_is_reported(command, log):
    """The report lists each revision's calls; `--policy-revision` selects one."""
    (old,) = fill_log(log, order(1))
    fill_log(log, order(2), order(3), declared=policy(threshold=0.5))
    revisions = json_report(command, log)["policy_revisions"]

    assert [1, 2] == [revision["calls"] for revision in revisions]
    assert 1 == json_report(command, log, "--policy-revision", old.policy_revision)["calls"]
    refused = command("report", log, "--policy-revision", old.policy_revision[:-1])
    assert (2, f"did you mean `{old.policy_revision}`?") == (
        refused.code,
        re.search(r"did you mean .*", refused.err)[0],
    )


def test_missing_decisions_prevent_enforcement(command, log):
    """If too many decisions could not be stored, no layer is safe."""
    fill_log(log, *map(order, range(420)))
    store = open_store(log)
    gap = {"dropped": 50, "first_at": time.time(), "last_at": time.time(), "reason": "full"}
    store._writer.put(StoreEntry(RecordKind.GAP, time.time(), json.dumps(gap)))
    store.close()
    with contextlib.closing(open_store(log)) as store:
        assert 1 == len(list(store.rows(Query(kind=RecordKind.GAP))))

    made = json_report(command, log)
    assert (50, "") == (made["dropped"], made["modes_line"])
    assert "log_gaps" in [r["code"] for s in made["readiness"] for r in s["reasons"]]
    assert "50 decisions (10.6 %) could not be stored" in command("report", log).out


def test_results_are_counted_separately(command, log):
    """A decision about a result is not counted as a call."""
    import dataclasses

    from abs_shield.core import Subject

    (one,) = fill_log(log, order(1))
    store = open_store(log)
    store.append(dataclasses.replace(one, id="r-1", subject=Subject.RESULT))
    store.close()

    made = json_report(command, log)
    assert (1, 1) == (made["calls"], made["other_subjects"]["result"])
    assert "Not among these calls: decisions about 1 result" in command("report", log).out


def log_results(log, *values, mode="audit"):
    """Fill a log with the results of a tool that must return a price."""
    store = open_store(log)
    tools = [Tool(name="quote", profile=ToolProfile(required_fields=["price"]))]
    shop = Shield(shield.configure(mode=mode, tools=tools), store=store, hooks=None)
    for n, value in enumerate(values):
        call = ToolCall("quote", {}, f"c{n}")
        shop.check_call(call, session=shop.session(f"s{n}"))
        shop.check_result(call, value, elapsed_ms=100.0, session=shop.session(f"s{n}"))
    shop.close()


@pytest.mark.parametrize(("mode", "withheld"), [("audit", 0), ("strict", 1)])
def test_results_have_their_own_line(command, log, tmp_path, mode, withheld):
    """Each format has the number of results that were judged, flagged and withheld."""
    log_results(log, {"price": 1.0}, {"price": 2.0}, {"answer": "two"}, mode=mode)
    page = tmp_path / "report.html"
    made = json_report(command, log)
    message = command("report", log, "--html", str(page)).out
    line = f"3 results judged: 1 flagged, {withheld} withheld; strict mode would have withheld 1."

    assert {
        "judged": 3, "errors": 0, "flagged": 1, "flag_only": 0, "withheld": withheld,
        "would_withhold": 1,
    } == made["results"]  # fmt: skip
    assert [1] == [row["flagged"] for row in made["checks"]]
    assert line in message
    assert line in page.read_text()
    assert "Not among these calls: decisions about 3 results." in message


def log_answers(address, *answers, mode="audit"):
    """Fill a log with one run for each answer, in which the price of a booking was read."""
    store = open_store(str(address))
    tools = [Tool(name="read", read_only=True)]
    desk = Shield(shield.configure(mode=mode, tools=tools), store=store, hooks=None)
    for n, answer in enumerate(answers):
        call = ToolCall("read", {}, f"c{n}")
        with desk.session(f"s{n}"):
            desk.check_call(call)
            desk.check_result(call, "Booking ABC123 costs 420.00 EUR.", elapsed_ms=100.0)
            desk.check_answer(answer)
    desk.close()


@pytest.mark.parametrize(("mode", "blocked"), [("audit", 0), ("strict", 1)])
def test_answers_have_their_own_line(command, log, tmp_path, mode, blocked):
    """Each format has the number of answers that were checked, revised and blocked."""
    said = ["Booking ABC123 costs 420.00 EUR.", "Booking ABC123 costs 999.00 EUR.", "Hello!"]
    log_answers(log, *said, mode=mode)
    page = tmp_path / "report.html"
    made = json_report(command, log)
    message = command("report", log, "--html", str(page)).out
    line = f"3 answers checked, 1 of them with nothing to check: 0 to be revised, {blocked} blocked"

    assert {
        "checked": 3, "errors": 0, "unverified": 1, "revised": 0, "blocked": blocked,
        "would_block": 1,
    } == made["answers"]  # fmt: skip
    assert line in message
    assert line in page.read_text()


@pytest.mark.parametrize(("mode", "held"), [("audit", 0), ("strict", 1)])
def test_outputs_have_their_own_line(command, log, tmp_path, mode, held):
    """Each format has the number of outputs that were checked and held, by stage."""
    firewall = Shield(shield.configure(mode=mode), hooks=None, store=open_store(log))
    for text in ("All done.", "Her card is 4111 1111 1111 1111."):
        QualityPipeline(shield=firewall).run(AgentOutput(text=text))
    firewall.close()
    page = tmp_path / "report.html"
    made = json_report(command, log)
    text = command("report", log, "--html", str(page)).out
    line = f"2 outputs checked: 1 flagged, {held} held back; strict mode would have held 1."

    assert {
        "checked": 2, "errors": 0, "flagged": 1, "flag_only": 0, "held": held, "would_hold": 1,
        "stages": {"pii": 1}, "afterwards": 0,
    } == made["outputs"]  # fmt: skip
    assert f"{line} Found by stage: pii 1." in text
    assert line in page.read_text()


def test_an_answer_can_be_labelled(command, log):
    """A decision about an answer, which has no tool, can be labelled."""
    log_answers(log, "Booking ABC123 costs 999.00 EUR.")
    with contextlib.closing(open_store(str(log))) as store:
        [one] = [decision for decision in store.scan() if not decision.tool]
    done = command("label", one.id, "hallucinated", "--db", log)

    assert f"{one.id} is labelled hallucinated: answer, HALLUCINATED by answer" in done.out


def test_a_log_without_results_has_no_line_for_them(command, log):
    """The report omits the line instead of printing zeros."""
    fill_log(log, order(1))

    assert "judged:" not in command("report", log).out


def test_an_empty_log_is_reported(command, log):
    """An empty log is not an error, and the output names the next step."""
    open_store(log).close()
    done = command("report", log)

    assert (0, "") == (done.code, done.err)
    assert "It has no decision about a call yet." in done.out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nowhere/log.db"], "there is no such file or folder"),
        (["mysql://host/db"], "is not a log address"),
        (
            ["LOG", "--since", "yesterday"],
            "`yesterday` is not a valid time; use e.g. 7d, 12h, 2026-01-31T08:00",
        ),
        (["LOG", "--since", "1d", "--until", "2d"], "`--until` is not after `--since`"),
        (["LOG", "--max-stops", "2"], "`--max-stops`"),
        (["LOG", "--min-calls", "-1"], "`--min-calls`"),
        (["LOG", "--format", "jsn"], "did you mean `json`?"),
        (["LOG", "--html", "nowhere/page.html"], "nowhere`"),
        (["LOG", "--html", "."], "is a folder"),
    ],
)
def test_bad_input_is_one_line(command, log, argv, message):
    """Invalid input is reported in one line with a hint, and the exit code is 2."""
    fill_log(log, order(1))
    done = command("report", *(log if word == "LOG" else word for word in argv))

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert message in done.err


def test_the_log_may_be_named_by_the_environment(command, log, monkeypatch):
    """Without an argument the report is about the log of `ABS_SHIELD_LOG`."""
    fill_log(log, order(1))
    monkeypatch.setenv("ABS_SHIELD_LOG", log)

    assert 1 == json_report(command)["calls"]


def test_a_password_is_not_shown(command):
    """Neither the printed address of the log nor an error contains its password."""
    done = command("report", "postgresql://ann:hunter2@127.0.0.1:1/agents")

    assert (2, True) == (done.code, "hunter2" not in done.out + done.err)


class Page(HTMLParser):
    """Parses a page as a browser would."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_has_a_heatmap(command, busy_log, tmp_path):
    """Each tool and layer has a cell with a sign, and a text below explains the rule."""
    path = tmp_path / "page.html"
    done = command("report", busy_log[0], "--html", path)
    page = Page(path.read_text())

    assert (0, "") == (done.code, done.err)
    assert {"get_order", "refund", "3!", ".", "-"} <= {text.strip() for text in page.texts}
    assert any("modes={" in text for text in page.texts)
    titles = [value for name, value in page.attributes if name == "title"]
    assert any("impossible_state on refund; judged 212 of 212 calls" in t for t in titles)


@pytest.mark.parametrize(
    ("target", "message"),
    [("", "is a folder; name a file in it"), ("no/page.html", "make it first")],
)
def test_a_page_that_cannot_be_written(command, tmp_path, target, message):
    """The target is refused before the log is opened, in one line with exit code 2."""
    done = command("report", tmp_path / "no.db", "--html", tmp_path / target)

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert done.err.startswith(f"abs-shield: `--html`: {tmp_path}")
    assert message in done.err


def test_a_full_disk_does_not_lose_the_report(command, busy_log):
    """The report is printed, and the error about the page is one line with exit code 2."""
    done = command("report", busy_log[0], "--html", "/dev/full")

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert "Safe to enforce now" in done.out


def test_the_page_is_self_contained(command, busy_log, tmp_path):
    """The page has no script and no external address; its content policy forbids them."""
    path = tmp_path / "page.html"
    command("report", busy_log[0], "--html", path)
    text = path.read_text()
    page = Page(text)

    assert not {"script", "link", "img", "iframe", "object", "form"} & set(page.tags)
    assert not {"src", "style", "onclick"} & {name for name, _ in page.attributes}
    links = {value for name, value in page.attributes if name == "href"}
    assert links
    assert all(re.fullmatch(r"#[df][0-9]+", link) for link in links)
    assert not re.search(r"https?://|url\(|@import", text)
    assert any("default-src 'none'" in value for _, value in page.attributes)
    assert ["page.html"] == [p.name for p in tmp_path.iterdir() if "html" in p.name]


def hostile(log, **changes):
    """Return a log in which tools and layers have hostile names."""
    evil = {"name": HOSTILE, "arguments": {}}
    tools = [*policy().tools, type(policy().tools[0])(name=HOSTILE + "y", parameters={})]
    fill_log(log, evil, {**evil, "name": HOSTILE + "y"}, declared=policy(tools=tools))


def test_hostile_names_are_escaped(command, log, tmp_path):
    """Markup, quotes and control characters are escaped on the terminal and the page."""
    hostile(log)
    path = tmp_path / "page.html"
    done = command("report", log, "--html", path, "--min-calls", "0", "--max-stops", "1")
    text, shown = path.read_text(), Page(path.read_text())

    for raw in ("\x1b", "\u202e"):
        assert raw not in done.out + done.err + text
    assert "<script" not in text
    assert any("<script>\\x1b[2J\\u202e\"'&xy" in message for message in shown.texts)
    assert "\x1b" not in command("report", log, "--format", "json").out


def test_help_has_an_example(command):
    """`--help` names every option of the rule."""
    done = command("report", "--help")

    assert "Example: abs-shield report" in done.out
    assert "--max-stops" in done.out


@pytest.mark.parametrize("other", ["same.html", "./same.html"])
def test_two_outputs_cannot_be_one_file(command, log, tmp_path, monkeypatch, other):
    """The command is refused, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    fill_log(log, order(1))
    done = command("report", log, "-o", "same.html", "--html", other)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert "`--html` and `--output` both name one file, same.html; name two files" in done.err
    assert not (tmp_path / "same.html").exists()


def test_a_folder_is_not_a_log(command, tmp_path):
    """A folder given as a log is an error."""
    done = command("report", tmp_path)

    assert (2, "") == (done.code, done.out)
    assert done.err.endswith(f"`{tmp_path}`: it is a folder; name a file in it\n")
