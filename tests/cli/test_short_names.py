"""Long tool names are cut in the middle, stay distinct, and never replace the counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Shield, Tool, rule, shield
from abs_shield.cli import console as room
from abs_shield.cli.fitting_table import SHORTEST, short_names
from abs_shield.stores import open_store

SERVICE = "mcp__github_enterprise_server__"
REVIEW = f"{SERVICE}create_pull_request_review_comment"
MERGE = f"{SERVICE}merge_pull_request_of_a_repository"


@given(st.lists(st.text(max_size=60), unique=True, max_size=8), st.integers(SHORTEST, 60))
def test_short_names_fit_and_are_distinct(names, width):
    """For any names, wide and control characters included, the texts fit the width and differ."""
    texts = short_names(names, width)

    assert [*texts] == names
    assert max((text.cell_len for text in texts.values()), default=0) <= width
    assert len({text.plain for text in texts.values()}) == len(names)


@pytest.mark.parametrize(("width", "shown"), [(120, REVIEW), (80, "mcp__github_e")])
def test_names_with_a_common_prefix_stay_distinct(log, command, monkeypatch, width, shown):
    """At 80 columns names are cut in the middle; the columns of counts stay."""
    monkeypatch.setattr(room, "_WIDTH", width)
    out = command("report", log).out
    tools = out.partition("Tools and layers")[2].partition("Risk heatmap")[0]
    named = [line.split()[0] for line in tools.splitlines() if line.startswith(" mcp__")]

    assert any(shown in name for name in named)
    assert 2 == len(set(named))
    assert all(head in tools for head in ("calls", "flagged", "errors"))


def test_a_heatmap_of_long_names_fits(log, command, monkeypatch):
    """Each tool has one line of at most 60 characters, and layers are numbered."""
    monkeypatch.setattr(room, "_WIDTH", 60)
    heat = command("report", log).out.partition("Risk heatmap")[2].partition("E internal")[0]
    rows = [line for line in heat.splitlines() if line.startswith(" mcp__")]

    assert 2 == len(rows) == len({row.split()[0] for row in rows})
    assert max(map(len, heat.splitlines())) <= 60
    assert "1 impossible_state" in heat


@pytest.fixture
def log(tmp_path):
    """Write a log of two tools of one service whose rules flag some calls and raise on others."""

    @rule(tool=REVIEW)
    def at_most_five(x: int) -> bool:
        """At most 5."""
        if x == 3:
            raise OSError
        return x <= 5

    @rule(tool=MERGE)
    def at_most_six(x: int) -> bool:
        """At most 6."""
        return x <= 6

    whole = {"type": "object", "properties": {"x": {"type": "integer"}}}
    tools = [Tool(name=name, parameters=whole) for name in (REVIEW, MERGE)]
    path = str(tmp_path / "log.db")
    store = open_store(path)
    declared = shield.configure(mode="audit", rules=[at_most_five, at_most_six], tools=tools)
    firewall = Shield(declared, store=store, hooks=None)
    for number in range(20):
        with firewall.session(f"s{number}") as session:
            session.user("hi")
            for name in (REVIEW, MERGE):
                firewall.check_call({"name": name, "arguments": {"x": number % 8}})
    firewall.close()
    store.close()
    return path
