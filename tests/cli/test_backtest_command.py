"""`abs-shield backtest`: changes between two policies, formats, exit codes, labels, pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.processes import run_python

TOOLS = [
    {"name": "pay", "parameters": {"properties": {"amount": {"type": "number"}}}},
    {"name": "see_bill", "parameters": {"properties": {"bill": {"type": "integer"}}}},
]
EVIL = "x\x1b]0;owned\x07\n::error::owned%0A::set-env,a:b"
OLD = """
from abs_shield.policy import configure
policy = configure(mode="audit", modes={"phantom_tool": "strict"})
"""
NEW = """
from abs_shield.policy import configure, rule

@rule(tool="pay")
def small(amount: float) -> bool:
    '''A payment is at most 100.'''
    return amount <= 100

policy = configure(rules=[small], threshold=0.5, modes={"phantom_tool": "audit"})
audit = configure(rules=[small], mode="audit")
mapping = {"threshold": 0.5}
"""


@pytest.fixture
def folder(file, tmp_path, monkeypatch):
    """Work in a folder with two policies and a run of five calls, three of which are wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW)
    calls = [
        {"id": "a", "name": "pay", "arguments": {"amount": 20}},
        {"id": "b", "name": "pay", "arguments": {"amount": 500}},
        {"id": "c", "name": "see_bill", "arguments": {"bill": "four"}},
        {"id": "d", "name": EVIL, "arguments": {}},
        {"id": "e", "name": "see_bill", "arguments": {"bill": 4}},
    ]
    question = {"role": "user", "content": "Pay bill 4: it is 20, or was it 500?"}
    messages = [question, {"role": "assistant", "tool_calls": calls}]
    run = {"run_id": f"r{EVIL}", "source": EVIL, "tools": TOOLS, "messages": messages}
    file("runs.jsonl", {**run, "labels": {"success": True}})
    return tmp_path


TWO = ("runs.jsonl", "--policy", "new.py:policy", "--against", "old.py:policy")


@pytest.fixture
def labels(folder, file):
    """Write labels of four calls and of one that does not exist; return the file's name."""
    labels = {"a": "ok", "b": "hallucinated", "d": "hallucinated", "e": "hallucinated", "z": "ok"}
    lines = [{"run_id": f"r{EVIL}", "call_id": k, "label": label} for k, label in labels.items()]
    return Path(file("labels.jsonl", *lines)).name


def test_the_table_lists_each_change(command, folder):
    """Each kind of change has a section with tools, layers and examples; a summary follows."""
    done = command("backtest", *TWO)

    assert (0, "") == (done.code, done.err)
    assert re.search(r"allow-to-block +2 +2 *\n", done.out)
    assert re.search(r"pay +impossible_state 1 +1 *\n", done.out)
    assert re.search(r"see_bill +parameter_mismatch 1 +1 *\n", done.out)
    assert re.search(r"block-to-allow +1 +1 *\n", done.out)
    assert "+ strict HALLUCINATED impossible_state at /arguments/amount: A payment" in done.out
    assert done.out.endswith(
        "1 run, 5 calls: 2 allow-to-block, 1 block-to-allow, 0 clean-to-flag, 0 flag-to-clean. "
        "The new policy: 3 flagged, 2 blocked, 2 of these in successful runs.\n"
    )


def test_json_is_one_report(command, folder):
    """JSON has both policies with their places, the changes with examples, and the sweep."""
    report = json.loads(command("backtest", *TWO, "--format", "json", "--examples", "1").out)

    changes = report["changes"]
    assert {"allow-to-block": 2, "block-to-allow": 1, "clean-to-flag": 0, "flag-to-clean": 0} == {
        kind: change["calls"] for kind, change in changes.items()
    }
    assert {"tool": "pay", "calls": 1, "layers": {"impossible_state": 1}} == (
        changes["allow-to-block"]["tools"][0]
    )
    assert [1] == [one["call_index"] for one in changes["allow-to-block"]["examples"]]
    assert ["phantom_tool"] == [
        finding["check"] for finding in changes["block-to-allow"]["examples"][0]["disappeared"]
    ]
    assert ("new.py:policy", "old.py:policy", 9) == (
        report["new"]["policy"], report["old"]["policy"], report["new"]["line"],
    )  # fmt: skip
    assert [0.5] == [point["threshold"] for point in report["new"]["sweep"] if point["own"]]


def test_a_policy_alone_has_no_changes(command, folder):
    """Without `--against` the report has the figures of one policy and no changes."""
    done = command("backtest", "runs.jsonl", "--policy", "new.py:policy")

    assert 0 == done.code
    assert "allow-to-block" not in done.out
    assert done.out.endswith(
        "1 run, 5 calls: 3 flagged, 2 blocked, 2 of these in successful runs.\n"
    )


def test_without_a_policy_all_layers_are_strict(command, folder):
    """Without `--policy` the calls are judged by all six layers in strict mode."""
    report = json.loads(command("backtest", "runs.jsonl", "--format", "json").out)

    assert ("all six layers", 2, 2) == (
        report["new"]["policy"], report["new"]["flagged"], report["new"]["blocked"],
    )  # fmt: skip
    assert report["old"] is None


def test_modes_strict_shows_what_an_audit_policy_would_block(command, folder):
    """A note says that an audit policy blocks nothing; `--modes strict` counts its blocks."""
    audit = ("runs.jsonl", "--policy", "new.py:audit", "--against", "old.py:policy")
    own = command("backtest", *audit, "--fail-on", "allow-to-block")
    strict = command("backtest", *audit, "--modes", "strict", "--fail-on", "allow-to-block")

    assert "note: the new policy stops nothing: every mode of it is audit; `--modes" in own.out
    assert (0, 1) == (own.code, strict.code)
    assert "1 allow-to-block, 0 block-to-allow" in strict.out


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        (["allow-to-block"], 1),
        (["block-to-allow"], 1),
        (["clean-to-flag"], 0),
        (["clean-to-flag", "flag-to-clean"], 0),
        (["clean-to-flag", "block-to-allow"], 1),
        (["any"], 1),
    ],
)
def test_fail_on_exits_with_1_for_the_chosen_changes(command, folder, kinds, code):
    """The exit code is 1 if a change of one of the chosen kinds occurs, else 0."""
    requests = [word for kind in kinds for word in ("--fail-on", kind)]

    assert code == command("backtest", *TWO, *requests).code


def test_a_policy_compared_with_itself_has_no_changes(command, folder):
    """A note says that no decision can change; the calls are judged anyway."""
    same = ("runs.jsonl", "--policy", "new.py:policy", "--against", "new.py:policy")
    done = command("backtest", *same, "--fail-on", "any")

    assert 0 == done.code
    assert re.search(r"note: both policies have revision \w{16}: no decision can change", done.out)
    assert "5 calls: 0 allow-to-block" in done.out


def test_two_policy_files_may_have_the_same_name(command, folder):
    """Two versions of a policy in different folders are loaded as two modules."""
    (folder / "before").mkdir()
    (folder / "before" / "new.py").write_text(NEW.replace("amount <= 100", "amount <= 1000"))
    two = ("runs.jsonl", "--policy", "new.py:policy", "--against", "before/new.py:policy")

    assert "1 allow-to-block, 0 block" in command("backtest", *two).out


def test_github_annotations_name_the_file_and_line(command, folder):
    """A changed tool is annotated at its rule or policy; an error if `--fail-on` has the kind."""
    done = command("backtest", *TWO, "--format", "github", "--fail-on", "block-to-allow")

    lines = done.out.splitlines()
    assert 1 == done.code
    assert ["warning", "warning", "error", "notice"] == [
        re.match(r"::(\w+) ", line)[1] for line in lines
    ]
    assert lines[0] == (
        "::warning file=new.py,line=4,title=backtest%3A allow-to-block%3A pay::1 call of `pay`:"
        " was allowed, is blocked (impossible_state 1); for one, "
        "rx\\x1b]0;owned\\x07\\n::error::owned%250A::set-env,a:b call 1: impossible_state: "
        "A payment is at most 100. Got amount=500."
    )
    assert "file=new.py,line=9,title=backtest%3A allow-to-block%3A see_bill::" in lines[1]
    assert "1 run, 5 calls: 2 allow-to-block" in lines[3]


def parse_annotation(line: str) -> tuple[str, dict[str, str], str]:
    """Parse a workflow command by GitHub's documented syntax."""
    level, fields, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()
    properties = dict(part.split("=", 1) for part in fields.split(","))
    for code, sign in (("%3A", ":"), ("%2C", ","), ("%25", "%")):
        properties = {name: value.replace(code, sign) for name, value in properties.items()}
    return level, properties, message


def test_a_tool_name_cannot_add_an_annotation(command, folder):
    """A tool name with line ends, percent signs and colons is escaped within one annotation."""
    lines = command("backtest", *TWO, "--format", "github").out.splitlines()
    (evil,) = [line for line in lines if "owned%3A%3A" in line or "set-env%2C" in line]

    level, properties, _ = parse_annotation(evil)
    name = "x\\x1b]0;owned\\x07\\n::error::owned%0A::set-env,a:b"
    assert ("warning", f"backtest: block-to-allow: {name}") == (level, properties["title"])
    assert len(lines) == 4


def test_at_most_ten_tools_of_a_kind_are_annotated(command, folder, file):
    """Ten tools of one kind of change have an annotation; one more line counts the others."""
    calls = [{"name": f"made_up_{n}", "arguments": {}} for n in range(14)]
    message = {"role": "assistant", "tool_calls": calls}
    path = file("many.jsonl", {"run_id": "r", "tools": TOOLS, "messages": [message]})
    done = command("backtest", path, *TWO[1:], "--format", "github")

    lines = done.out.splitlines()
    assert 12 == len(lines)
    assert lines[10].endswith("::and 4 tools more; `--format json` has them all")


def test_a_policy_outside_the_repository_has_no_file(command, folder, monkeypatch):
    """Annotations name only files of the repository, because GitHub cannot show others."""
    (folder / "elsewhere").mkdir()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder / "elsewhere"))
    lines = command("backtest", *TWO, "--format", "github").out.splitlines()

    assert {True} == {line.startswith(("::warning title=", "::notice title=")) for line in lines}


@pytest.mark.parametrize("format", ["table", "json", "github"])
def test_control_characters_are_escaped(command, folder, labels, format):
    """Control characters in names, ids, sources and labels are escaped in every format."""
    done = command("backtest", *TWO, "--format", format, "--labels", labels)

    assert [] == [c for c in done.out + done.err if c in "\x1b\x07\r"]


def test_labels_add_precision_and_recall(command, folder, labels):
    """With `--labels` the report has precision, recall, a sweep and the missed calls."""
    done = command("backtest", *TWO, "--labels", labels)
    report = json.loads(command("backtest", *TWO, "--labels", labels, "--format", "json").out)

    assert 0 == done.code
    assert "4 of 5 labels of the file fit a call." in done.out
    assert "Labelled calls: 1 ok, 3 hallucinated." in done.out
    assert re.search(r"flagged +new +1\.000 \(2 of 2; 0\.342-1\.000\) +0\.667 \(2 of 3; ", done.out)
    assert re.search(r"flagged +old +1\.000 \(1 of 1; 0\.207-1\.000\) +0\.333 \(1 of 3; ", done.out)
    assert re.search(r"blocked by impossible_state +new +1\.000 \(1 of 1", done.out)
    assert re.search(r"0\.5 \(own\) +0\.600 +1\.000 +0\.667 +0\.400 +1\.000 +0\.333 *\n", done.out)
    assert re.search(r"missed.*\n.* call 4: see_bill, labelled hallucinated\n", done.out)
    assert (3, 1) == (report["labels"]["hallucinated"], report["labels"]["ok"])
    scores = report["new"]["scores"]["flagged"]
    assert ({"value": 1.0, "count": 2, "of": 2}, 2 / 3) == (
        {name: scores["precision"][name] for name in ("value", "count", "of")},
        scores["recall"]["value"],
    )


def test_labels_without_a_matching_call_are_an_error(command, folder, file):
    """If no label matches a call, one line names the first label and the first run."""
    path = file("labels.jsonl", {"run_id": "r9", "call_index": 3, "label": "ok"})
    done = command("backtest", *TWO, "--labels", path)

    assert (2, "") == (done.code, done.out)
    assert "0 of 1 labels fit a call; the first label names `r9` and call 3, the f" in done.err
    assert 1 == len(done.err.splitlines())


def test_a_file_without_labels_is_an_error(command, folder, file):
    """The file of labels is read before any call is judged."""
    empty = file("labels.jsonl", {"run_id": "r", "call_index": 0, "label": None})
    done = command("backtest", *TWO, "--labels", empty)

    assert (2, f"abs-shield: {empty}: it contains no labels\n") == (done.code, done.err)


def test_bad_lines_of_runs_and_labels_are_reported(command, folder, labels):
    """Bad lines of runs, of labels and of a run's own labels are reported with exit code 2."""
    with open("runs.jsonl", "a") as runs, open("labels.jsonl", "a") as text:
        runs.write('{}\n{"messages": [], "labels": {"calls": 3}}\n')
        text.write('{"run_id": "r", "call_index": 1, "label": "bad"}\n')
    done = command("backtest", *TWO, "--labels", labels, "--fail-on", "any")

    output = [line.rpartition("jsonl:")[2] for line in done.err.splitlines()]
    assert 2 == done.code
    assert [
        '6: `label` is "bad"; give `hallucinated` or `ok`',
        "2: there are no `messages`",
        "3: labels.calls: it is 3; give an object of call to label",
    ] == output


def test_a_bad_line_is_an_annotation_of_its_file(command, folder):
    """With `--format github` the error names the run file and the line."""
    with open("runs.jsonl", "a") as runs:
        runs.write("{}\n")
    done = command("backtest", *TWO, "--format", "github")

    assert done.err == (
        "::error file=runs.jsonl,line=2,title=backtest::runs.jsonl:2: there are no `messages`\n"
    )


WRONG = [
    (["--policy", "new.py:polcy"], "`new.py` has no attribute `polcy`; did you mean `policy`?"),
    (["--policy", "gone.py:policy"], "there is no file `gone.py`"),
    (["--policy", "new.py:small"], "`new.py:small` is not a policy but `Rule`"),
    (["--against", "old.py:policy"], "name the new one with `--policy`"),
    (["--policy", "new.py:policy", "--fail-on", "any"], "name the old policy with `--against`"),
    (["--policy", "new.py:policy", "--fail-on", "block-allow"], "did you mean `block-to-allow`?"),
    (["--format", "gihub"], "did you mean `github`?"),
    (["--modes", "audit"], "`--modes`: `audit` is not valid"),
    (["--examples", "-1"], "`--examples`"),
    (["--picture", "a.pdf"], "`--picture` is `a.pdf`; name a file that ends in .svg or .png"),
    (["--picture", "gone/a.svg"], "`--picture`: gone/a.svg: there is no folder `gone`"),
    (["--labels", "lables.jsonl"], "lables.jsonl: No such file or directory"),
    (["--tools", "new.py"], "new.py: it is not JSON"),
]


@pytest.mark.parametrize(("options", "expected"), WRONG, ids=[expected for _, expected in WRONG])
def test_a_wrong_option_is_one_line(command, folder, options, expected):
    """A wrong option is exit code 2 and one line that suggests a valid value."""
    done = command("backtest", "runs.jsonl", *options)

    assert (2, "") == (done.code, done.out)
    assert expected in done.err
    assert 1 == len(done.err.splitlines())


def test_runs_may_come_from_the_standard_input(command, folder):
    """Runs or labels may be read from the standard input, but not both."""
    both = command("backtest", "-", "--labels", "-")
    runs = command("backtest", "-", "--format", "json", stdin=Path("runs.jsonl").read_text())

    assert "cannot both come from the standard input" in both.err
    assert 5 == json.loads(runs.out)["calls"]


def test_prints_of_a_policy_go_to_stderr(command, folder):
    """A policy module that prints does not break the JSON on the standard output."""
    (folder / "loud.py").write_text("print('loaded')\n" + NEW)
    done = command("backtest", "runs.jsonl", "--policy", "loud.py:policy", "--format", "json")

    assert "loaded" in done.err
    assert 5 == json.loads(done.out)["calls"]


@pytest.mark.parametrize(
    "suffix", ["svg", *(pytest.param(one, marks=pytest.mark.slow) for one in ("png", "SVG"))]
)
def test_a_picture_is_reproducible(command, folder, labels, suffix):
    """A picture is drawn with and without labels; equal figures give equal bytes."""
    for name in ("one", "two"):
        done = command("backtest", *TWO, "--labels", labels, "--picture", f"{name}.{suffix}")
        assert (0, "") == (done.code, done.err)
    command("backtest", "runs.jsonl", "--picture", f"bare.{suffix}")

    one, two = Path(f"one.{suffix}").read_bytes(), Path(f"two.{suffix}").read_bytes()
    bare = Path(f"bare.{suffix}").read_bytes()
    begins = b"\x89PNG" if suffix == "png" else b"<?xml"
    assert (one, begins, begins) == (two, one[: len(begins)], bare[: len(begins)])
    assert one != bare


def test_an_unwritable_picture_is_an_error(command, folder):
    """The path of the picture is checked before any call is judged."""
    (folder / "taken.svg").mkdir()
    done = command("backtest", *TWO, "--picture", "taken.svg")

    assert (2, 1) == (done.code, len(done.err.splitlines()))
    assert "" == done.out
    assert "taken.svg is a folder; name a file in it" in done.err


def test_a_picture_without_matplotlib_is_an_error(folder):
    """The error names the extra `pictures`, and nothing is judged."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from abs_shield.cli import main\n"
        "raise SystemExit(main(['backtest', 'runs.jsonl', '--picture', 'a.svg']))"
    )
    ran = run_python("-c", code, check=False)

    assert (2, "") == (ran.returncode, ran.stdout)
    assert 'install it with `pip install "abs-shield[pictures]"`' in ran.stderr
    assert 1 == len(ran.stderr.splitlines())


def test_matplotlib_is_imported_only_for_a_picture(folder):
    """A backtest without `--picture` does not import matplotlib."""
    code = (
        "import sys\nfrom abs_shield.cli import main\nmain(['backtest', 'runs.jsonl'])\n"
        "raise SystemExit('matplotlib' in sys.modules)"
    )
    ran = run_python("-c", code, check=False)

    assert (0, "") == (ran.returncode, ran.stderr)
