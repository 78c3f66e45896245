"""Tools that are added without being compiled are judged like registered tools."""

from abs_shield import Shield, Target, Tool, ToolCall, shield
from abs_shield.core import Outcome

TOOLS = (
    Tool(name="refund", parameters={"properties": {"order_id": {"type": "string"}}}),
    Tool(name="ship", parameters={"properties": {"parcel_id": {"type": "string"}}}),
    Tool(name="broken", parameters={"properties": {"a": {"type": "no type"}}}),
)
CALLS = (
    ToolCall("refund", {"order_id": "o-1", "b": 2}),
    ToolCall("refunds", {}),
    ToolCall("ship", {"parcel_id": "p-12345"}),
    ToolCall("broken", {"a": 1}),
)


def uncompiled() -> Shield:
    firewall = Shield(shield.configure(mode="audit"))
    firewall.registry.add_uncompiled(TOOLS)
    return firewall


def registered() -> Shield:
    firewall = Shield(shield.configure(mode="audit"))
    for tool in TOOLS:
        firewall.register(tool, tolerant=True)
    return firewall


def test_decisions_are_those_of_registered_tools() -> None:
    for call in CALLS:
        late, early = uncompiled().check_call(call), registered().check_call(call)
        assert (late.verdict, late.findings) == (early.verdict, early.findings)
        assert late.coverage == early.coverage


def test_names_kinds_and_declarations_are_known_before_anything_is_compiled() -> None:
    late, early = uncompiled().registry, registered().registry
    assert [*late] == [*early] == ["refund", "ship", "broken"]
    assert late.kinds() == early.kinds() == {"order", "parcel"}
    assert late.tools() == early.tools()
    assert len(late) == 3
    assert "ship" in late


def test_an_invalid_schema_leaves_the_check_unavailable() -> None:
    coverage = uncompiled().check_call(CALLS[3]).coverage["parameter_mismatch"]
    assert coverage.outcome is Outcome.UNAVAILABLE
    assert "not a valid schema" in coverage.reason


def test_a_tool_that_the_policy_declares_keeps_its_marks() -> None:
    marked = Tool(name="refund", targets={"order_id": Target(must_be_seen=True)})
    firewall = Shield(shield.configure(mode="strict", tools=[marked]))
    firewall.registry.add_uncompiled(TOOLS)
    session = firewall.session()
    session.user("Please refund my last order.")
    call = ToolCall("refund", {"order_id": "o-99999"})
    assert firewall.check_call(call, session=session).blocked


def test_a_function_that_is_registered_later_is_combined_with_the_tool() -> None:
    firewall = uncompiled()

    def ship(parcel_id: str) -> str:
        return parcel_id

    firewall.register(ship)
    entry = firewall.registry["ship"]
    assert entry.declaration == TOOLS[1]
    assert entry.binding is not None
