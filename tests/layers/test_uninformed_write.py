"""The opt-in layer uninformed_write reports a write before its required reads."""

from __future__ import annotations

from abs_shield import Shield, Tool, ToolCall, shield

TOOLS = [Tool(name="cancel", reads_first=["look", "quote"]), Tool(name="look"), Tool(name="quote")]


def missing(*ran, error=False):
    firewall = Shield(shield.configure(tools=TOOLS, layers=["uninformed_write"]), hooks=None)
    with firewall.session() as session:
        session.user("Cancel it.")
        for name in ran:
            session.tool_result(name, "seen", error=error)
        return [f.nearest for f in firewall.check_call(ToolCall("cancel", {})).findings]


def test_missing_read_is_reported():
    """Each tool of `reads_first` that has not run is a finding."""
    assert ["look", "quote"] == missing()
    assert ["quote"] == missing("look")
    assert [] == missing("look", "quote")


def test_failed_read_does_not_count():
    """A read that failed does not count as having run."""
    assert ["look", "quote"] == missing("look", "quote", error=True)


def test_layer_is_unavailable_without_reads_first():
    """The layer is unavailable for a tool without `reads_first`."""
    firewall = Shield(shield.configure(tools=TOOLS, layers=["uninformed_write"]), hooks=None)
    with firewall.session():
        decision = firewall.check_call(ToolCall("look", {}))

    assert ("unavailable", "no `reads_first`") == decision.coverage["uninformed_write"]
