"""What every adapter says to the door at every step."""

from __future__ import annotations

from abs_shield import Session, ToolCall
from abs_shield.shield.seam import Seam


def test_a_tool_without_a_schema_keeps_the_one_it_has(door) -> None:
    """What a framework cannot describe, the host may have registered itself."""
    firewall, session = door(), Session()
    Seam(firewall).offer(session, [{"name": "refund"}, {"name": "bash"}])
    calls = [ToolCall("refund", {"amount": "a lot"}), ToolCall("bash"), ToolCall("transfer")]
    found = [firewall.check_call(call, session=session).findings for call in calls]

    assert [["wrong_type"], [], ["unavailable_tool"]] == [[f.code for f in of] for of in found]


def test_a_tool_with_another_schema_is_registered_again(door) -> None:
    """The newest schema that the model was offered is the one that counts."""
    firewall, session = door(), Session()
    found = []
    for kind in ("number", "string"):
        schema = {"type": "object", "properties": {"amount": {"type": kind}}}
        Seam(firewall).offer(session, [{"name": "pay", "parameters": schema}])
        found.append(firewall.check_call(ToolCall("pay", {"amount": "a lot"}), session=session))

    assert [["wrong_type"], []] == [[f.code for f in one.findings] for one in found]
