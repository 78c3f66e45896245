"""Every value of a declared target or of a destructive call is judged."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from abs_shield import Decision, Shield, Target, Tool, ToolCall, Verdict, shield, shielded
from abs_shield.session.limits import Limits
from abs_shield.session.session_record import mentions_of

USER_TEXT = "Please delete /home/ann/tmp, and mail bob@paypal.com about 192.168.1.15."


def judge_target(
    value: Any, *, prompt: str = USER_TEXT, result: Any = None, **target: Any
) -> Decision:
    """Judge a call of a destructive tool whose target must be seen."""
    tool = Tool(
        name="delete",
        parameters={"properties": {"what": {}}},
        targets={"what": Target(must_be_seen=True, **target)},
        destructive=True,
    )
    firewall = Shield(shield.configure(mode="strict", tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user(prompt)
        if result is not None:
            session.tool_result("look", result)
        return firewall.check_call(ToolCall("delete", {"what": value}))


def finding_codes(decision: Decision) -> list[str]:
    """Return the codes of the findings."""
    return [finding.code for finding in decision.findings]


WHOLE = ["/", "*", "~", "..", "../..", "%", "", "  ", "**/*", ".", "\\", "/*", "all", "Everything"]


@pytest.mark.parametrize("value", [*WHOLE, "/home/ann/*", '"*"'])
def test_whole_set_is_blocked_even_if_the_user_wrote_it(value):
    """A wildcard, root or empty value is blocked as `whole_set`, even if the user wrote it."""
    decision = judge_target(value, prompt=f"{USER_TEXT} {value}")

    assert decision.blocked
    assert ["whole_set"] == finding_codes(decision)


@pytest.mark.parametrize(
    "hidden",
    [
        "\u202e",
        "\U000e0049\U000e0047",
        "\u00ad",
        "\x00",
        "\nfor all",
        "\u200b",
        "\u200d",
        "\u200c\u200d",
    ],
)
def test_hidden_characters_are_blocked(hidden):
    """A target with invisible or control characters is blocked."""
    decision = judge_target(f"/home/ann/tmp{hidden}x")

    assert decision.blocked
    assert ["hidden_characters"] == finding_codes(decision)


def test_value_too_long_to_compare_is_blocked():
    """A value too long to compare is blocked as `too_long`."""
    decision = judge_target("/home/ann/tmp" + 17_000 * " " + "eve@evil.org")

    assert decision.blocked
    assert ["too_long"] == finding_codes(decision)


@pytest.mark.parametrize(
    "value",
    [
        "/home/ann", "/home", "home/ann/tmp", "/home/ann/tmp2", "/home/ann/tmp/x", "tmp", "Иванов",
        "生产数据库", "192.168.11.5", "192.168.1.1", "bob@pay-pal.com", "bo@bpaypal.com",
        "paypal.com", "bob@paypal", "1921681.15",
    ],
)  # fmt: skip
def test_similar_value_of_another_entity_is_unseen(value):
    """A parent, a part, a moved separator or another script is an unseen value."""
    decision = judge_target(value)

    assert Verdict.HALLUCINATED is decision.verdict
    assert ["unseen"] == finding_codes(decision)


@pytest.mark.parametrize(
    "value",
    ["/home/ann/tmp", "/HOME/Ann/tmp", "'/home/ann/tmp'", " /home/ann/tmp\n", "bob@PayPal.com"],
)
def test_case_outer_quotes_and_spaces_are_ignored(value):
    """A target may differ from the mention in case, outer quotes and surrounding spaces."""
    assert [] == finding_codes(judge_target(value))


@pytest.mark.parametrize(
    ("value", "prompt"),
    [
        ("4410", "Close account 4410 2231 9987."),
        ("2231 9987", "Close account 4410 2231 9987."),
        ("0825", "Take the phone 0825 8174175 off."),
        ("943 476", "Remove NHS 943 476 5919."),
        ("aws:iam::1234:role/a", "Delete arn:aws:iam::1234:role/a."),
        ("75-cv-02725", "Drop case 9:75-cv-02725."),
        ("kitchen:211", "Remove light:kitchen:211."),
    ],
)
def test_part_of_a_mentioned_identifier_is_unseen(value, prompt):
    """A part of a grouped number or of an id with colons is an unseen value."""
    assert ["unseen"] == finding_codes(judge_target(value, prompt=prompt))
    assert ["unseen"] == finding_codes(judge_target(value, prompt="Do it.", result=prompt))


@pytest.mark.parametrize(
    ("value", "prompt"),
    [
        ("4410 2231 9987", "Close account 4410 2231 9987."),
        ("1042", "Cancel order 1042 2 days ago, please."),
        ("1042", "Cancel order 1042 2024-05-01."),
        ("1234", "Cancel 1234 5678."),
        ("tx_1", "Cancel order:tx_1 now."),
        ("2001:db8::1", "Block ip:2001:db8::1 now."),
        ("00:1a:2b:3c:4d:5e", "Remove mac:00:1a:2b:3c:4d:5e."),
        ("https://x.org/a", "Remove url:https://x.org/a today."),
        ("arn:aws:iam::1234:role/a", "Delete id:arn:aws:iam::1234:role/a."),
        ("a:b:1", '{"id":"a:b:1"}'),
    ],
)
def test_label_or_neighbour_of_a_value_is_ignored(value, prompt):
    """A label before a value and numbers beside it are not part of the value."""
    assert [] == finding_codes(judge_target(value, prompt=prompt))


@pytest.mark.parametrize(
    ("value", "prompt", "result"),
    [
        ("W123", "Cancel order #W123.", None),
        ("W123", "Cancel **W123**, please", None),
        ("订单7", "取消订单7谢谢", None),
        ("tx_12345", "取消订单tx_12345谢谢", None),
        ("acct_1", "Is acct_1's limit 5?", None),
        (71, "Delete it.", {"id": 71}),
        ("71", "Delete it.", {"id": 71}),
        (71.0, "Delete it.", {"id": 71.0}),
        ("Иванов", "Удали Иванов.", None),
        ("علی\u200cرضا", "Delete علی\u200cرضا.", None),
        ("क्\u200dष", "Delete क्\u200dष.", None),
        ("k-1", "Delete it.", {"k-1": {"age": 3}}),
        ("a b c", "Delete it.", ["a b c"]),
    ],
)
def test_exact_value_passes_in_any_context(value, prompt, result):
    """A value passes if a message or a result contains it, whatever surrounds it."""
    assert [] == finding_codes(judge_target(value, prompt=prompt, result=result))


class Record(BaseModel):
    """A typed result."""

    key: str


@dataclass
class Row:
    """Another one."""

    key: str


class Only(Enum):
    """A result of a closed vocabulary."""

    KEY = "tx_12345"


ACCOUNT = UUID("3f2504e0-4f89-11d3-9a0c-0305e82c3301")
TYPED = [
    Record(key="tx_12345"), [Record(key="tx_12345")], Row("tx_12345"), {"tx_12345"}, Only.KEY,
    b"tx_12345", deque(["tx_12345"]), SimpleNamespace(key="tx_12345"),
]  # fmt: skip


@pytest.mark.parametrize("result", TYPED, ids=lambda result: type(result).__name__)
def test_value_of_typed_result(result):
    """A typed result mentions its values, and no parts of them."""
    assert [] == finding_codes(judge_target("tx_12345", prompt="Delete it.", result=result))
    assert ["unseen"] == finding_codes(judge_target("tx_1234", prompt="Delete it.", result=result))


@pytest.mark.parametrize("value", [ACCOUNT, Decimal("12.50"), PurePosixPath("/srv/a.txt")])
def test_text_of_typed_result(value):
    """The text of a value that is not JSON counts as mentioned."""
    assert [] == finding_codes(judge_target(str(value), prompt="Delete it.", result=value))
    assert [] == finding_codes(judge_target(str(value), prompt="Delete it.", result={"key": value}))


@pytest.mark.parametrize(
    "value",
    [
        "M\u00fcller",
        "\u0418\u0432\u0430\u043d-17",
        "user-\U0001f642",
        'say "hi"',
        "C:\\data\\a.txt",
    ],
)
def test_value_of_escaped_json_text(value):
    """A JSON text mentions the values that it escapes."""
    text = json.dumps({"key": value, "n": 1})

    assert [] == finding_codes(judge_target(value, prompt="Delete it.", result=text))
    assert [] == finding_codes(judge_target(value, prompt="Delete it.", result={"text": text}))


@pytest.mark.parametrize("result", [r"a\b ", Record(key="x " * 40)], ids=["text", "model"])
def test_labelled_part_of_value(result):
    """The part of an id behind a colon is unseen, even if a result has to be read again."""
    line = "Drop case 9:75-cv-02725"
    result = [result, f"{line}\n{line}"]

    assert ["unseen"] == finding_codes(
        judge_target("75-cv-02725", prompt="Delete it.", result=result)
    )


def test_overlapping_pairs_do_not_form_a_value():
    """Two mentioned pairs that overlap do not mention the sequence of all three numbers."""
    assert ["unseen"] == finding_codes(judge_target("10 20 30", prompt="Delete 10 20 and 20 30."))


def test_allowlist_admits_a_whole_set():
    """An allowlist of the author admits a whole set."""
    assert [] == finding_codes(judge_target("all", allow=["all"]))


@pytest.mark.parametrize(("entry", "admitted"), [(1, [1, 1.0]), (1.0, [1, 1.0]), (True, [True])])
def test_an_allowed_value_is_compared_as_json(entry, admitted):
    """The allowlist compares JSON values: 1 equals 1.0, and true equals no number."""
    values = [1, 1.0, True, 0, False]
    found = [value for value in values if not finding_codes(judge_target(value, allow=[entry]))]

    assert list(map(repr, admitted)) == list(map(repr, found))


def test_layer_is_unavailable_for_uncomparable_type():
    """A value of a type that cannot be compared makes the layer unavailable, with a reason."""
    coverage = judge_target(b"\xff").coverage["phantom_target"]

    assert ("unavailable", "a value of `what` cannot be compared") == coverage


VOIDS = [
    None, [], {}, (), [None], ["acct_1", None], {"$ne": None}, {"match_all": {}}, {"$gt": ""},
    {"id": {"$ne": "acct_1"}}, {"not": "acct_1"}, {"status": {"$exists": True}}, {"*": "acct_1"},
    True, False, [True], {"all": True},
]  # fmt: skip


@pytest.mark.parametrize("must_be_seen", [True, False])
@pytest.mark.parametrize("name", ["user_id", "filter"])
@pytest.mark.parametrize("value", VOIDS, ids=repr)
def test_empty_value_or_selector_is_a_whole_set(value, name, must_be_seen):
    """An empty value, a boolean or a selector is `whole_set`, whatever the target declares."""
    decision = judge_declared_target({name: value}, must_be_seen=must_be_seen)

    assert Verdict.HALLUCINATED is decision.verdict
    assert {"whole_set"} == set(finding_codes(decision))


CONDITIONS = [
    "!acct_1", "!=acct_1", "<>acct_1", ">=acct_1", "~acct_1", "acct_1%", "acct_1?", "acct_1;",
    "acct_1--", "a..z", "1:", "a l l", "@all", "@everyone", "^acct_1", "%acct_1", "=acct_1",
]  # fmt: skip


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("value", CONDITIONS)
def test_comparison_operator_makes_a_whole_set(value, marked):
    """A value with a comparison operator is `whole_set`, whether the target is declared or not."""
    decision = judge_declared_target({"user_id": value}, marked=marked)

    assert Verdict.HALLUCINATED is decision.verdict
    assert ["whole_set"] == finding_codes(decision)


@pytest.mark.parametrize("value", ["acct_1?", "acct_1;"])
def test_sentence_punctuation_is_not_part_of_a_name(value):
    """A final `?` or `;` of the user's sentence does not mention the name with that sign."""
    user_text = "Can you delete acct_1? Or acct_1;"

    assert ["whole_set"] == finding_codes(
        judge_declared_target({"user_id": value}, prompt=user_text, must_be_seen=True)
    )


@pytest.mark.parametrize("value", ["!abc:matrix.org", "~ann", "C$", "main..dev"])
def test_operator_that_the_run_contains_is_part_of_the_name(value):
    """A name with an operator character passes if the run contains it with that character."""
    assert [] == finding_codes(
        judge_declared_target({"user_id": value}, prompt=f"Delete {value} please.")
    )


def judge_declared_target(
    arguments: dict[str, Any],
    *,
    prompt: str = "Please remove acct_1 for me.",
    marked: bool = True,
    destructive: bool = True,
    schema: dict[str, Any] | None = None,
    **target: Any,
) -> Decision:
    """Judge a call of a tool with one declared target and a note."""
    name = next(iter(arguments), "user_id")
    tool = Tool(
        name="delete_items",
        parameters={"properties": {"note": {}, name: schema or {}, "mail": {}}},
        targets={name: Target(**target), "mail": Target(**target)} if marked else {},
        destructive=destructive,
    )
    firewall = Shield(shield.configure(mode="strict", tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user(prompt)
        return firewall.check_call(ToolCall("delete_items", arguments))


RECIPIENTS = {"to": ["bob@x.org"], "cc": []}


@pytest.mark.parametrize(
    ("name", "arguments", "required", "codes"),
    [
        ("send_mail", RECIPIENTS, ["to", "cc"], []),
        ("send_mail", {"mail": RECIPIENTS}, ["mail"], []),
        ("forward_mail", RECIPIENTS, ["to"], []),
        ("send_mail", {"to": [], "cc": []}, ["to"], ["whole_set", "whole_set"]),
        ("send_mail", {"to": ["bob@x.org"], "cc": ["eve@x.org"]}, ["to"], ["unseen"]),
        ("delete_users", {"tenant_id": "acct_1", "user_ids": []}, ["tenant_id"], ["whole_set"]),
        ("change_members", {"group_id": "acct_1", "user_ids": []}, ["user_ids"], ["whole_set"]),
    ],
)
def test_empty_list_beside_another_target(name, arguments, required, codes):
    """An empty `cc` beside recipients adds nobody; a deletion may read an empty list as all."""
    ids = {"type": "array", "items": {"type": ["string", "null"]}}
    recipients = {"type": "object", "properties": {"to": ids, "cc": ids}}
    properties = {"to": ids, "cc": ids, "user_ids": ids, "mail": recipients}
    properties |= {"tenant_id": {"type": "string"}, "group_id": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": required}
    tool = Tool(name=name, parameters=schema, destructive=True)
    firewall = Shield(shield.configure(mode="strict", tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Mail bob@x.org about acct_1.")
        decision = firewall.check_call(ToolCall(name, arguments))

    assert codes == finding_codes(decision)


@pytest.mark.parametrize("must_be_seen", [True, False])
def test_destructive_call_without_its_target_is_blocked(must_be_seen):
    """A destructive call that omits its declared target is blocked as `whole_set`."""
    schema = {"default": None, "type": ["string", "null"]}
    decision = judge_declared_target({}, must_be_seen=must_be_seen, schema=schema)

    assert decision.blocked
    assert {"whole_set"} == set(finding_codes(decision))


def test_target_may_be_omitted_beside_another_target():
    """A target may be omitted or null beside another one; null makes the layer unavailable."""
    user_text = "Remove acct_1, bob@x.org."
    decisions = [
        judge_declared_target({"user_id": "acct_1"}, prompt=user_text, must_be_seen=True),
        judge_declared_target(
            {"user_id": None, "mail": "bob@x.org"}, prompt=user_text, must_be_seen=True
        ),
    ]

    assert [[], []] == [finding_codes(decision) for decision in decisions]
    assert ["ran", "unavailable"] == [d.coverage["phantom_target"].outcome for d in decisions]


@pytest.mark.parametrize(
    ("arguments", "schema", "outcome"),
    [
        ({}, {"default": None}, "ran"),
        ({}, {"default": "acct_9"}, "ran"),
        ({"user_id": None}, {"default": None}, "ran"),
        ({"user_id": None}, {"type": ["string", "null"]}, "unavailable"),
        ({}, {"type": "string"}, "unavailable"),
    ],
)
def test_omitted_target_of_a_harmless_call_yields_no_finding(arguments, schema, outcome):
    """An omitted target yields no finding; without a default the layer is unavailable."""
    tool = Tool(
        name="list_orders",
        parameters={"properties": {"user_id": schema}},
        targets={"user_id": Target(must_be_seen=True)},
    )
    firewall = Shield(shield.configure(mode="strict", tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("List my orders.")
        decision = firewall.check_call(ToolCall("list_orders", arguments))

    assert ([], outcome) == (finding_codes(decision), decision.coverage["phantom_target"].outcome)


def test_key_named_like_an_operator_is_data():
    """A mapping key `or` is data, and the value below it is judged."""
    tools = [Tool(name="clear", destructive=True)]
    firewall = Shield(shield.configure(mode="strict", tools=tools), hooks=None)

    @shielded(firewall)
    def clear(offices: dict[str, Annotated[str, Target(must_be_seen=True)]]) -> str:
        return "cleared"

    with firewall.session() as session:
        session.user("Clear acct_1.")
        assert "cleared" == clear({"or": "acct_1"})
        assert firewall.check_call(ToolCall("clear", {"offices": {"or": "acct_2"}})).blocked


def test_dropped_text_makes_the_layer_unavailable():
    """If text of the run was dropped, an unseen target makes the layer unavailable."""
    firewall = Shield(shield.configure(limits=Limits(text=2_000)), hooks=None)

    @shielded(firewall)
    def delete(what: Annotated[str, Target(must_be_seen=True)]) -> str:
        return "deleted"

    with firewall.session() as session:
        session.user("Delete db.prod.users.")
        for number in range(50):
            session.tool_result("look", f"row {number} " + 100 * "x ")
        decision = firewall.check_call(ToolCall("delete", {"what": "db.prod.users"}))

    assert not decision.blocked
    assert "was dropped" in decision.coverage["phantom_target"].reason


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("all", ["whole_set"]),
        ("*", ["whole_set"]),
        ("u_1\u202e", ["hidden_characters"]),
        ("u_1", []),
    ],
)
def test_unmarked_target_of_a_destructive_tool_is_judged(value, found):
    """A target of a tool declared destructive is judged without any mark."""
    tool = Tool(
        name="delete_user",
        parameters={"properties": {"user_id": {"type": "string"}}},
        destructive=True,
    )
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Delete u_1.")
        decision = firewall.check_call(ToolCall("delete_user", {"user_id": value}))

    assert found == finding_codes(decision)
    assert (Verdict.HALLUCINATED if found else Verdict.CLEAN) is decision.verdict


def test_target_in_another_script_makes_the_layer_unavailable():
    """An unmarked target in another script makes the layer unavailable, with a reason."""
    tool = Tool(
        name="delete_user",
        parameters={"properties": {"user_id": {"type": "string"}}},
        destructive=True,
    )
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Delete u_1.")
        decision = firewall.check_call(ToolCall("delete_user", {"user_id": "Иванов"}))

    assert "in another script" in decision.coverage["phantom_target"].reason


def after(arguments: dict[str, Any], result: Any, value: str, **policy: Any) -> Decision:
    """Judge a target that must be seen, after a call with *arguments* and *result*."""
    tool = Tool(
        name="pay",
        parameters={"properties": {"to": {"type": "string"}}},
        targets={"to": Target(must_be_seen=True)},
    )
    tools = [tool, Tool(name="note")]
    firewall = Shield(shield.configure(tools=tools, **{"mode": "strict", **policy}), hooks=None)
    with firewall.session() as session:
        session.user("Pay acct_1.")
        call = {"id": "c1", "name": "note", "arguments": arguments}
        answer = {"role": "tool", "tool_call_id": "c1", "content": result}
        session.add([{"role": "assistant", "tool_calls": [call]}, answer])
        return firewall.check_call(ToolCall("pay", {"to": value}))


@pytest.mark.parametrize(
    ("arguments", "result", "value"),
    [
        ({"text": "1a " * 2_000 + "acct_666"}, "saved: acct_666", "acct_666"),
        ({"text": "acct_666"}, "saved: acct_666", "acct_666" + 17_000 * " "),
        ({"text": "acct_666\u200b"}, "saved: acct_666\u200b", "acct_666\u200b"),
        ({"text": "\U0001f47e"}, "saved: \U0001f47e", "\U0001f47e"),
        ({"text": {"acct_666": 1}}, "saved: acct_666", "acct_666"),
        ({"text": r'["\ud83d\udc7e"]'}, r'["\ud83d\udc7e"]', "\U0001f47e"),
    ],
    ids=["behind codes", "padded", "hidden", "emoji", "key", "escaped"],
)
def test_result_that_repeats_arguments_is_no_mention(arguments, result, value):
    """A value that a result repeats from the agent's own arguments does not count as mentioned."""
    decision = after(arguments, result, value)

    assert decision.blocked
    assert Verdict.HALLUCINATED is decision.verdict


MANY = {"text": " ".join(f"zz_{n}" for n in range(6_000))}


def test_call_with_too_many_arguments_blocks_new_targets():
    """After a call with too many values, a target that must be seen is an error and blocked."""
    decision = after(MANY, "saved: acct_666", "acct_666")

    assert decision.blocked
    assert "error" == decision.coverage["phantom_target"].outcome
    assert "more values than are compared" in decision.errors[0]
    assert not after(MANY, "saved", "acct_1").blocked


@pytest.mark.parametrize("policy", [{"mode": "audit"}, {"on_error": "allow"}])
def test_policy_may_allow_calls_that_cannot_be_judged(policy):
    """Audit mode and `on_error="allow"` let a call run whose target cannot be looked up."""
    decision = after(MANY, "saved: acct_666", "acct_666", **policy)

    assert not decision.blocked
    assert decision.errors


@pytest.mark.parametrize("say", ["user", "system"])
def test_target_named_by_a_person_outlives_many_results(say: str) -> None:
    """A target that a user or system message names passes after twenty thousand other ids."""
    transfer = Tool(
        name="transfer",
        parameters={"properties": {"to": {"type": "string"}}},
        targets={"to": Target(must_be_seen=True)},
    )
    firewall = Shield(shield.configure(mode="strict", tools=[transfer]), hooks=None)
    with firewall.session() as session:
        getattr(session, say)("Please pay acct_10442 when you are done.")
        for turn in range(25):
            session.tool_result("look", [{"id": f"ord_{turn}_{n}"} for n in range(800)])
        request, invented = (
            firewall.check_call({"name": "transfer", "arguments": {"to": to}}, session=session)
            for to in ("acct_10442", "acct_99999")
        )

    assert mentions_of(session).incomplete_reason
    assert not request.blocked
    assert invented.blocked


@pytest.mark.parametrize("value", [True, False, [None], [True], ["ord_1", None]])
def test_boolean_as_undeclared_target_makes_the_layer_unavailable(value: Any) -> None:
    """A boolean or null in a list as an undeclared target makes the layer unavailable."""
    tool = Tool(name="delete_order", parameters={"properties": {"order_id": {}}}, destructive=True)
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Delete ord_1.")
        decision = firewall.check_call(ToolCall("delete_order", {"order_id": value}))
        left_out = firewall.check_call(ToolCall("delete_order", {"order_id": None}))

    assert "unavailable" == decision.coverage["phantom_target"].outcome
    assert "ran" == left_out.coverage["phantom_target"].outcome


def test_a_long_path_without_a_code_is_judged_in_linear_time():
    """Twenty paths of 15,000 digits are judged in linear time; they once took minutes."""
    schema = {"type": "object", "properties": {"paths": {"type": "array"}}}
    guard = Shield(
        shield.configure(tools=[Tool(name="delete", parameters=schema, destructive=True)]),
        hooks=None,
    )
    session = guard.session()
    paths = [f"/{n}" + "1" * 15_000 for n in range(20)]
    session.user("Delete " + " ".join(paths))

    assert (
        "CLEAN" == guard.check_call(ToolCall("delete", {"paths": paths}), session=session).verdict
    )


class Plan(Enum):
    """A plan of a customer."""

    BASIC = "basic_7"


@pytest.mark.parametrize(
    ("entry", "sent", "other"),
    [
        (Plan.BASIC, "basic_7", "basic_8"),
        (UUID(int=5), str(UUID(int=5)), str(UUID(int=6))),
        (date(2030, 1, 1), "2030-01-01", "2030-01-02"),
        (Decimal("7.50"), "7.50", "7.51"),
    ],
)
def test_python_value_in_allow_admits_its_json_form(entry, sent, other):
    """A Python value in `allow` admits its JSON form and no other value."""
    decisions = [judge_target(value, prompt="Close it.", allow=[entry]) for value in (sent, other)]

    assert [False, True] == [decision.blocked for decision in decisions]


@pytest.mark.parametrize("value", ["ALL USERS", "\u0432\u0441\u0435", "\u5168\u90e8"])
def test_word_for_everything_as_selector_makes_the_layer_unavailable(value: str) -> None:
    """A word for "all" as a filter makes the layer unavailable unless the user wrote it."""
    decision = judge_declared_target({"filter": value}, marked=False)
    assert finding_codes(decision) == []
    assert "may stand for everything" in decision.coverage["phantom_target"].reason

    for prompt in ("Please delete all of them.", f"Please delete {value} for me."):
        stated = judge_declared_target({"filter": value}, prompt=prompt, marked=False)
        assert stated.verdict is Verdict.CLEAN
        assert stated.coverage["phantom_target"].reason == ""


def test_a_selector_in_another_script_is_compared_only_if_it_was_seen() -> None:
    value = "\u672a\u6255\u3044"
    decision = judge_declared_target({"filter": value}, marked=False)
    assert finding_codes(decision) == []
    assert "another script" in decision.coverage["phantom_target"].reason

    seen = judge_declared_target(
        {"filter": value}, prompt=f"Please remove {value} for me.", marked=False
    )
    assert seen.coverage["phantom_target"].reason == ""


def test_a_condition_that_limits_what_it_selects_passes() -> None:
    for value in ("status = 'open'", "all orders older than 30 days", "created < '2024-01-01'"):
        assert judge_declared_target({"where": value}, marked=False).verdict is Verdict.CLEAN
