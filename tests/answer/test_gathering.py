"""Results and messages of people are evidence; text of the agent is not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Shield, shield, shielded
from abs_shield.answer.evidence.evidence_collection import evidence_from, evidence_of
from abs_shield.answer.evidence.evidence_passages import PassageSource
from abs_shield.answer.evidence.result_lines import MOST_LINES, flatten
from abs_shield.errors import ShieldError
from abs_shield.session import Limits, Session
from abs_shield.session.session_record import record_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)


def texts(evidence):
    """Return the source and text of each passage."""
    return [(piece.source, piece.text) for piece in evidence]


def call_with_result(session, id, name, arguments, content):
    """Return a call and its result, in OpenAI's format."""
    session.add(
        [
            {
                "role": "assistant",
                "tool_calls": [{"id": id, "function": {"name": name, "arguments": arguments}}],
            },
            {"role": "tool", "tool_call_id": id, "content": content},
        ]
    )


def test_people_and_results_are_evidence_and_the_agent_is_not():
    """Messages of people and results are evidence in the order of the run, with their source."""
    session = Session()
    session.system("Today is Monday.")
    session.user("Where is my order?")
    session.assistant("It is in Rome.")
    session.tool_result("get_order", {"id": "W-1", "city": "Oslo"})

    assert [
        (PassageSource.SYSTEM, "Today is Monday."),
        (PassageSource.USER, "Where is my order?"),
        (PassageSource.TOOL_RESULT, "id: W-1\ncity: Oslo"),
    ] == texts(evidence_of(session))


def test_a_result_without_an_id_is_evidence_once():
    """A result without an id is evidence once, even if the log was truncated."""
    session = Session(limits=Limits(text=4_000))
    for n in range(4):
        session.tool_result("get_order", {"id": f"W-{n}", "note": "x" * 1_500})

    results = [piece.text[:7] for piece in evidence_of(session)]

    assert record_of(session).log.is_truncated
    assert [f"id: W-{n}" for n in range(4)] == results


def test_strict_tool_evidence_leaves_only_results():
    """With strict tool evidence only results are evidence."""
    session = Session()
    session.user("W-2?")
    session.tool_result("get_order", {"id": "W-1"})
    evidence = evidence_of(session, strict_tool_evidence=True, allow=["W-3"])

    assert [(PassageSource.TOOL_RESULT, "id: W-1")] == texts(evidence)


def test_allowlist_is_evidence():
    """Texts and numbers of the allowlist are evidence; its callables are not."""
    evidence = evidence_of(Session(), allow=["support@x.org", 42, len])

    assert [(PassageSource.ALLOWLIST, "support@x.org"), (PassageSource.ALLOWLIST, "42")] == texts(
        evidence
    )


@pytest.mark.parametrize("content", ["Error: no such order", '{"error": "no such order"}'])
def test_failed_call_is_evidence_and_not_an_action(content):
    """The text of a failed result is evidence, but its call is not an executed action."""
    session = Session()
    call_with_result(session, "a", "cancel_order", '{"id": "W-1"}', content)
    session.tool_result("get_order", {"id": "W-2"}, error=True)
    evidence = evidence_of(session)

    assert ["no such order", "W-2"] == [text.partition(": ")[2] for _, text in texts(evidence)]
    assert () == evidence.executed


def test_blocked_call_is_neither_evidence_nor_action():
    """The feedback for a blocked call is not evidence, and the call is not an action."""
    firewall = Shield(shield.configure(mode="strict"))
    with firewall.session() as session:
        session.user("Hello")
        call_with_result(session, "a", "cancel_order", '{"id": "W-1"}', "cancelled W-1")
        blocked = firewall.run_tool_calls(
            {
                "role": "assistant",
                "tool_calls": [{"id": "b", "function": {"name": "x", "arguments": "{}"}}],
            }
        )
        session.add(blocked)
        evidence = evidence_of(session)

    assert [(PassageSource.USER, "Hello"), (PassageSource.TOOL_RESULT, "cancelled W-1")] == texts(
        evidence
    )
    assert ["cancel_order"] == [deed.tool for deed in evidence.executed]


def test_a_withheld_result_is_no_evidence():
    """A result that was withheld from the model is not evidence."""
    session = Session()
    feedback = {
        "status": "withheld", "tool": "get_order", "problems": [], "retryable": False,
        "attempts_left": 0,
    }  # fmt: skip
    session.tool_result("get_order", feedback)

    assert [] == texts(evidence_of(session))


def test_action_is_classified_as_read_or_write():
    """An executed action is a read or a write by the verb of its name or command."""
    session = Session()
    call_with_result(session, "a", "get_order", '{"id": "W-1"}', "fine")
    call_with_result(session, "b", "cancel_order", '{"id": "W-1"}', "done")
    call_with_result(session, "c", "orders", '{"command": "delete", "id": "W-2"}', "done")

    assert [("get_order", True), ("cancel_order", False), ("orders", False)] == [
        (deed.tool, deed.reads) for deed in evidence_of(session).executed
    ]


def test_result_has_tool_and_arguments_of_its_call():
    """A result has the tool and arguments of its call, even if call ids repeat."""
    session = Session()
    call_with_result(session, "a", "get_order", '{"id": "W-1"}', '{"city": "Oslo"}')
    call_with_result(session, "a", "get_user", '{"id": "U-1"}', '{"city": "Rome"}')
    pieces = evidence_of(session).pieces

    assert [
        ("get_order", {"id": "W-1"}, "city: Oslo"),
        ("get_user", {"id": "U-1"}, "city: Rome"),
    ] == [(piece.name, piece.arguments, piece.text) for piece in pieces]


def test_parent_and_child_session_share_evidence():
    """Parent and child session share their results, each of them once."""
    parent = Session()
    parent.user("Where is W-1?")
    child = parent.child()
    child.tool_result("get_order", {"id": "W-1"}, call_id="a")
    both = [(PassageSource.USER, "Where is W-1?"), (PassageSource.TOOL_RESULT, "id: W-1")]

    assert both == texts(evidence_of(child))
    assert both == texts(evidence_of(parent))


def test_dropped_messages_are_still_evidence():
    """Results of dropped messages remain evidence for their values."""
    session = Session(limits=Limits(text=300))
    session.user("My code is ORD-77123.")
    call_with_result(session, "a", "get_order", "{}", '{"city": "Oslo"}')
    session.user("x" * 400)
    evidence = evidence_of(session)

    assert "city: Oslo" in [piece.text for piece in evidence]
    assert evidence.vouches("ORD-77123")
    assert not evidence.vouches("ORD-99999")


def test_opaque_content_makes_evidence_blind():
    """After opaque content the evidence is blind, and the executed actions are unknown."""
    session = Session()
    session.opaque("an image")

    assert "an image" in evidence_of(session).blind
    assert evidence_of(session).executed is None


def test_json_in_a_string_is_opened():
    """JSON inside a string is flattened with pointers into it."""
    flat = flatten({"content": '{"price": 79}'})

    assert "content.price: 79" == flat.text
    assert ((0, 17, "/content/price"),) == flat.lines


def test_python_objects_are_read_as_json_has_them():
    """Python objects are flattened in their JSON form."""

    @dataclass
    class Order:
        id: str
        tags: frozenset[str]

    assert "id: W-1\ntags[0]: new" == flatten(Order("W-1", frozenset({"new"}))).text


def test_long_result_is_cut():
    """A result with too many lines or characters is cut and marked as cut."""
    flat = flatten([0] * (MOST_LINES + 1))

    assert (MOST_LINES, True) == (len(flat.lines), flat.cut)
    assert flatten("x" * 2_000_000).cut


def test_a_result_too_deep_is_cut():
    """A result nested too deeply is cut and marked as cut."""
    value: list = []
    for _ in range(500):
        value = [value]

    assert flatten(value).cut


@given(JSON)
def test_line_offsets_are_right_for_any_json(value):
    """The line offsets of any flattened JSON cover its text."""
    flat = flatten(value)

    assert all("\x00" != flat.text[start:end] for start, end, _ in flat.lines)
    assert flat.text == "\n".join(flat.text[start:end] for start, end, _ in flat.lines)


@pytest.mark.parametrize(
    ("context", "ids"),
    [
        ("a text", ["doc:1"]),
        (["a", "b"], ["doc:1", "doc:2"]),
        ([{"id": "a", "text": "x"}, "y"], ["a", "doc:2"]),
        ({"id": 7, "text": "x"}, ["7"]),
        ([], []),
    ],
)
def test_documents_come_as_text_or_with_their_id(context, ids):
    """Documents are texts or have an id, and the executed actions are unknown."""
    evidence = evidence_from(context)

    assert ids == [piece.id for piece in evidence]
    assert evidence.executed is None


@pytest.mark.parametrize("context", [None, 7, [7], [{"id": "a"}]])
def test_an_invalid_document_is_refused(context):
    """An invalid document raises an error with a one-line message."""
    with pytest.raises(ShieldError) as raised:
        evidence_from(context)

    assert "context" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_passages_of_one_document_have_distinct_ids():
    """Passages with the same document id get distinct ids."""
    pieces = evidence_from(
        [{"id": "p", "text": "a"}, {"id": "p", "text": "b"}, {"id": "p#2", "text": "c"}]
    )

    assert ["p", "p#2", "p#2#2"] == [piece.id for piece in pieces]
    assert ["a", "b", "c"] == [piece.text for piece in pieces]


def test_result_without_a_call_id_has_its_arguments():
    """A decorated function has no call id; its result has its arguments all the same."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(firewall)
    def renew_loan(loan_id: int) -> dict[str, str]:
        """Renew a loan."""
        return {"new_due": f"2026-12-{loan_id - 69990}"}

    with firewall.session() as session:
        session.user("Renew the loans 70011 and 70012.")
        renew_loan(70011)
        renew_loan(70012)
        passages = evidence_of(session)

    results = [one for one in passages if one.source is PassageSource.TOOL_RESULT]
    assert [{"loan_id": 70011}, {"loan_id": 70012}] == [one.arguments for one in results]


def test_new_date_of_a_renewed_record():
    """The date of a renewal is that of the record with the id of its call."""
    loans = [
        {"loan_id": 70011, "title": "Alder", "due": "2026-12-03"},
        {"loan_id": 70013, "title": "Piranesi", "due": "2026-12-10"},
    ]
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(firewall)
    def get_loans() -> list[dict[str, object]]:
        """List the loans."""
        return loans

    @shielded(firewall)
    def renew_loan(loan_id: int) -> dict[str, str]:
        """Renew a loan."""
        return {"result": "RENEWED", "new_due": "2026-12-24" if loan_id == 70011 else "2026-12-31"}

    with firewall.session() as session:
        session.user("Renew all loans.")
        get_loans()
        renew_loan(70011)
        renew_loan(70013)
        right = firewall.check_answer("Alder is now due 24 December and Piranesi 31 December.")
        wrong = firewall.check_answer("Alder is now due 31 December and Piranesi 24 December.")

    assert ["emit", "block"] == [right.action, wrong.action]
