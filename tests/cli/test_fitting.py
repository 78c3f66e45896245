"""Tables at any width: words are not broken, and columns are dropped before names are cut."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from abs_shield.cli import console as room
from abs_shield.cli.fitting_table import Column, FittingTable

NAMES = ("get_scheduled_transactions_of_account", "cancel_appointment")
COLUMNS = ("tool", Column("calls", right=True), Column("rate", right=True, drop=1), "why")


def render_table(table: FittingTable, width: int) -> str:
    """Return the text of a table on a console of this width."""
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    console.print(table)
    return console.file.getvalue()


def table() -> FittingTable:
    """Return a table of two tools with a sentence each."""
    made = FittingTable(*COLUMNS)
    for name in NAMES:
        made.add_row(name, "1,234", "12.5 %", "it names an account that nobody mentioned")
    return made


@pytest.mark.parametrize("width", [72, 80, 100, 200])
def test_words_are_not_broken(width):
    """Text is wrapped at spaces, and no line is wider than the terminal."""
    text = render_table(table(), width)

    assert all(name in text for name in NAMES)
    assert all(word in text for word in ("account", "mentioned", "calls", "1,234"))
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width


def test_a_column_is_dropped_before_a_name_is_cut():
    """A note below the table names the column that was dropped."""
    text = render_table(table(), 60)

    assert all(name in text for name in NAMES)
    assert "12.5" not in text
    assert "Left out for lack of space: rate." in " ".join(text.split())


def test_a_name_wider_than_the_terminal_is_folded():
    """A name that does not fit on one line continues on the next."""
    text = "".join(render_table(table(), 30).split())

    assert "get_s" in text
    assert max(len(line) for line in render_table(table(), 30).splitlines()) <= 30


@given(
    st.lists(st.lists(st.text("ab_ ", max_size=30), min_size=3, max_size=3), max_size=4),
    st.integers(20, 160),
)
def test_a_table_fits_any_width(rows, width):
    """No line is wider than the terminal, for any texts and any width."""
    table = FittingTable("a", Column("b", drop=1), Column("c", right=True, drop=2))
    for row in rows:
        table.add_row(*row)

    assert max(map(len, render_table(table, width).splitlines()), default=0) <= width


LONG = "get_scheduled_transactions_of_account"
RULES = f"""from abs_shield import Tool, rule, shield


@rule(tool="{LONG}")
def never(account: int) -> bool:
    "An account is above 0."
    return account > 0


policy = shield.configure(rules=[never], tools=[Tool(name="b", parameters={{}})])
"""


@pytest.mark.parametrize(
    "words",
    [
        "replay runs.jsonl",
        "backtest runs.jsonl --policy pol.py:policy --against old.py:policy",
        "plant runs.jsonl -o planted",
        "layers",
        "prove rules.py:policy",
        "quality outputs.jsonl",
        "ground answers.jsonl",
    ],
)
def test_a_command_cuts_no_name_at_80_columns(command, tmp_path, monkeypatch, file, words):
    """Names of tools, layers, verdicts and ids are not broken in the tables of the commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(room, "_WIDTH", 80)
    call = {"id": "a", "name": LONG, "arguments": {"account": 7}}
    talk = [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [call]}]
    tool = {"name": LONG, "parameters": {"properties": {"account": {"type": "string"}}}}
    file("runs.jsonl", {"run_id": "r", "tools": [tool], "messages": talk})
    file("outputs.jsonl", {"id": LONG, "text": "Mail ann@example.com.", "task_type": "summary"})
    file("answers.jsonl", {"id": LONG, "context": ["W1 ships."], "answer": "W2 ships on Monday."})
    declared = "from abs_shield import shield\npolicy = shield.configure(layers=[{}])\n"
    (tmp_path / "rules.py").write_text(RULES)
    (tmp_path / "pol.py").write_text(declared.format("'parameter_mismatch'"))
    (tmp_path / "old.py").write_text(declared.format("'phantom_tool'"))
    text = command(*words.split()).out
    expected = {
        "replay": ("parameter_mismatch", "HALLUCINATED", "SUSPICIOUS", "unavailable"),
        "backtest": (LONG, "allow-to-block", "parameter_mismatch"),
        "plant": ("phantom_target:unseen_wellformed",),
        "prove": ("unknown_tool", "rules.py:4", LONG),
        "layers": ("self_contradiction", "HALLUCINATED"),
        "quality": (LONG, "confidence"),
        "ground": (LONG, "score"),
    }[words.partition(" ")[0]]

    assert [] == [name for name in expected if name not in text]
    assert [] == [line for line in text.splitlines() if " │" in line]
