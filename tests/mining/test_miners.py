"""The suggestions of each miner for tools and runs, and the data that it ignores."""

from __future__ import annotations

import re

import pytest

from abs_shield import Shield, ToolCall
from abs_shield.mining import SuggestionKind
from abs_shield.mining.miners import MINERS
from abs_shield.mining.policy_module import execute_module
from tests.mining.conftest import run, tool

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def find_suggestion(mined, kind, tool, parameter=""):
    """Return the suggestion of a kind for a parameter: its field, and whether it is declared."""
    return [
        (each.field or type(each.declaration).__name__, each.declared)
        for each in mined.draft.of(tool, SuggestionKind(kind))
        if parameter in ("", each.parameter) and not each.is_remark
    ]


def remarks(mined, kind, tool):
    """Return the evidence of the remarks about a tool."""
    return [each.evidence for each in mined.draft.of(tool, SuggestionKind(kind)) if each.is_remark]


def test_a_miner_is_listed_under_its_function_and_module_name():
    """Each key of the table is the name of the miner's function and of its module."""
    assert [*MINERS] == [miner.__name__ for miner in MINERS.values()]
    assert all(miner.__module__.endswith(f".{name}") for name, miner in MINERS.items())


# targets ---------------------------------------------------------------------------------------


STAGED = tool("open_locker", stage=TEXT)


@pytest.mark.parametrize(("calls", "prompt"), [(4, []), (8, [False]), (30, [True])])
def test_a_target_is_declared_if_enough_calls_support_it(mined, calls, prompt):
    """Few calls suggest nothing, eight suggest a commented target, thirty declare it."""
    runs = [
        run(("open_locker", {"stage": f"QX{n}ZT7"}, "opened"), user=f"Open QX{n}ZT7.")
        for n in range(calls)
    ]
    mining = mined([STAGED], runs)

    assert [("targets", declared) for declared in prompt] == find_suggestion(
        mining, "target", "open_locker"
    )


def test_a_parameter_named_as_an_identifier_needs_no_target_mark(mined):
    """The remark states how many calls took the value from a known source."""
    mining = mined(
        [tool("get_order", order_id=TEXT)],
        [run(("get_order", {"order_id": f"W-{n}1"}, {}), user=f"Where is W-{n}1?") for n in "ab"],
    )
    (text,) = remarks(mining, "target", "get_order")

    assert [] == find_suggestion(mining, "target", "get_order")
    assert text == (
        "judged without a mark, as an identifier; 2 of 2 calls had a source (the user 2)"
    )


@pytest.mark.parametrize(
    ("name", "success", "prompt"),
    [("look_up", True, [True]), ("move_up", True, [False]), ("look_up", False, [])],
)
def test_a_parameter_that_works_with_unmentioned_values_is_free(mined, name, success, prompt):
    """It is declared if the runs succeeded and the tool only reads, and a comment if it writes."""
    runs = [
        run((name, {"order_id": f"ZX-44{n}1"}, {"found": n}), labels={"success": success})
        for n in range(12)
    ]
    mining = mined([tool(name, order_id=TEXT)], runs)

    assert [("free", declared) for declared in prompt] == find_suggestion(mining, "target", name)


# creates ---------------------------------------------------------------------------------------


def test_the_name_parameter_of_a_create_tool_is_a_created_value(mined):
    """If the runs' values came from the user, the parameter is declared as a target instead."""
    file = tool("create_file", filename=TEXT)
    known = [
        run(("create_file", {"filename": f"QX{n}ZT7"}, "ok"), user=f"Make QX{n}ZT7.")
        for n in range(40)
    ]

    assert [("creates", True)] == find_suggestion(mined([file]), "creates", "create_file")
    assert [("creates", False)] == find_suggestion(mined([file], known), "creates", "create_file")
    assert [("targets", True)] == find_suggestion(mined([file], known), "target", "create_file")


def test_a_value_that_later_calls_use_is_created(mined):
    """An unmentioned value that a later call uses as its target was created by the first call."""
    tools = [tool("stash", marker=TEXT), tool("fetch_item", item_id=TEXT)]
    runs = [
        run(("stash", {"marker": f"QX{n}ZT7"}, "ok"), ("fetch_item", {"item_id": f"QX{n}ZT7"}, "x"))
        for n in range(8)
    ]

    assert [("creates", True)] == find_suggestion(mined(tools, runs), "creates", "stash")


def test_a_result_field_used_by_later_calls_is_a_remark(mined):
    """The remark names the result field, and the tool and parameter that used its value."""
    tools = [tool("find_order", reader=TEXT), tool("cancel_order", order_id=TEXT)]
    calls = [
        ("find_order", {"reader": "Mia"}, {"order_id": "W-7001"}),
        ("cancel_order", {"order_id": "W-7001"}, "done"),
    ]
    mining = mined(tools, [run(*calls, user="Cancel the order of Mia.")] * 2)

    assert remarks(mining, "creates", "find_order") == [
        "its results contain `order_id`, used as `order_id` of `cancel_order` 2 times"
    ]


# inverses --------------------------------------------------------------------------------------

PAIR = [tool("lock_door", door_id=TEXT), tool("unlock_door", door_id=TEXT)]
BOTH = [("lock_door", {"door_id": "D-71"}, "ok"), ("unlock_door", {"door_id": "D-71"}, "ok")]


def test_tools_with_opposite_names_and_a_common_parameter_are_inverses(mined):
    """Without runs the pair is declared, in one direction only."""
    mining = mined(PAIR)

    assert [("Undone", True)] == find_suggestion(mining, "inverse", "lock_door")
    assert [] == find_suggestion(mining, "inverse", "unlock_door")


@pytest.mark.parametrize(("success", "declared"), [(True, False), (None, False), (False, True)])
def test_inverses_that_a_run_used_together_are_not_declared(mined, success, declared):
    """Unless the run failed, the pair is only a comment, because both calls may be intended."""
    runs = [run(*BOTH, user="Lock D-71.", labels={"success": success})]

    assert [("Undone", declared)] == find_suggestion(mined(PAIR, runs), "inverse", "lock_door")


def test_inverses_may_have_differently_named_identifiers(mined):
    """Each tool's only identifier is taken as the common entity."""
    mining = mined([tool("create_user", id=TEXT), tool("delete_user", user_id=TEXT)])

    assert 'same={"create_user": "id", "delete_user": "user_id"}' in mining.text


def test_tools_without_a_common_parameter_are_not_inverses(mined):
    """Opposite names alone do not show that both tools are about one entity."""
    mining = mined([tool("lock_door", colour=TEXT), tool("unlock_door", door_id=TEXT)])

    assert [] == find_suggestion(mining, "inverse", "lock_door")


# effects ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("get_user", [("read_only", True)]),
        ("delete_user", [("destructive", True)]),
        ("cancel_order", [("destructive", False)]),
        ("create_user", []),
        ("frobnicate", []),
    ],
)
def test_the_verb_of_a_tool_name_suggests_its_effect(mined, name, prompt):
    """`get` and `delete` are declared, `cancel` is a comment, other verbs suggest nothing."""
    assert prompt == find_suggestion(mined([tool(name)]), "effect", name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("get_or_create_user", "its name also contains `create`"),
        ("find_and_delete_file", "its name also contains `delete`"),
        ("search_and_replace", "its name also contains `replace`"),
        ("findThenBookRoom", "its name also contains `book`"),
        ("list_item_for_sale", "`list` may also put something up for sale"),
        ("list_directory", "`list` may also put something up for sale"),
        ("test_deploy_prod", "its name also contains `deploy`"),
        ("test_connection", "`test` may also try something out"),
        ("track_event", "`track` may also record events"),
    ],
)
def test_an_ambiguous_name_is_not_declared_read_only(mined, name, why):
    """A second verb that writes, or an ambiguous first one, makes a comment with the reason."""
    mining = mined([tool(name)])

    assert [("read_only", False)] == find_suggestion(mining, "effect", name)
    assert f"; not declared, {why}; declare it if the tool only reads: read_only=True" in " ".join(
        line.strip("# ") for line in mining.text.splitlines()
    )
    assert "        read_only=True," not in mining.text


@pytest.mark.parametrize(
    "name",
    [
        "list_orders",
        "list_all_airports",
        "listFiles",
        "list",
        "get_order",
        "show_log",
        "GET /a/test",
    ],
)
def test_a_name_that_only_reads_is_declared_read_only(mined, name):
    """Nouns that can also be verbs, and lists of several things, do not prevent it."""
    assert [("read_only", True)] == find_suggestion(mined([tool(name)]), "effect", name)


def test_an_annotation_takes_precedence_over_the_verb(mined):
    """The declaration follows the annotation, and its comment gives the annotation's reason."""
    named = tool("get_rid").model_copy(update={"destructive": True})
    mining = mined([named], reasons={"get_rid": "it is `DELETE /rid`"})

    assert [("destructive", True)] == find_suggestion(mining, "effect", "get_rid")
    assert "# `destructive`: it is `DELETE /rid`\n        destructive=True," in mining.text


# ranges and enums ------------------------------------------------------------------------------


def booking_run(n, **arguments):
    return run(("book", arguments, "ok"), user="Book.")


@pytest.mark.parametrize(("runs", "prompt"), [(19, []), (20, [False]), (300, [False])])
def test_few_values_in_many_sessions_suggest_an_enum(mined, runs, prompt):
    """The suggestion needs 20 sessions, and is a comment however many there are."""
    recorded = [booking_run(n, mode=["slow", "fast"][n % 2]) for n in range(runs)]
    mining = mined([tool("book", mode=TEXT)], recorded)

    assert [("Among", declared) for declared in prompt] == find_suggestion(mining, "enum", "book")


def test_values_of_an_enum_are_counted_once_per_session(mined):
    """Repeated calls, and several runs of one session, add no evidence for an enum."""
    calls = [("book", {"mode": ["slow", "fast"][n % 2]}, "ok") for n in range(200)]
    one = run(*calls, user="Book.")
    shared = [
        {**booking_run(n, mode=["slow", "fast"][n % 2]), "session_id": "s"} for n in range(60)
    ]
    apart = [{**run(*calls[:4], user="Book."), "session_id": f"s{n // 2}"} for n in range(2 * 20)]

    assert [] == find_suggestion(mined([tool("book", mode=TEXT)], [one]), "enum", "book")
    assert [] == find_suggestion(mined([tool("book", mode=TEXT)], shared), "enum", "book")
    (text,) = mined([tool("book", mode=TEXT)], apart).draft.of("book", SuggestionKind.ENUM)
    assert text.evidence == (
        "one of 2 values in the successful calls of 20 sessions: 'slow' in 20, 'fast' in 20"
    )


@pytest.mark.parametrize(
    "values",
    [
        [f"word{n}" for n in range(120)],
        ["slow"] * 120,
        ["slow"] * 119 + ["once"],
        [None, *["2026-01-0" + str(n % 3) for n in range(119)]],
        ["x" * 50] * 120,
        [["slow"]] * 120,
    ],
    ids=["many", "a single one", "a rare one", "dates", "long", "lists"],
)
def test_other_values_suggest_no_enum(mined, values):
    """Many, single, rare or long values, dates, and lists are not suggested as an enum."""
    runs = [booking_run(n, mode=value) for n, value in enumerate(values)]

    assert [] == find_suggestion(mined([tool("book", mode={})], runs), "enum", "book")


def test_a_range_is_never_declared(mined):
    """The range is a comment; it ignores NaN, infinity, booleans and failed calls."""
    odd = [float("nan"), float("inf"), True, None]
    runs = [booking_run(n, bags=n % 4) for n in range(20)] + [
        booking_run(0, bags=each) for each in odd
    ]
    failed = run(("book", {"bags": 900}, ValueError("no")), user="Book.")
    mining = mined([tool("book", bags={})], [*runs, failed])
    (text,) = mining.draft.of("book", SuggestionKind.RANGE)

    assert [("Within", False)] == find_suggestion(mining, "range", "book")
    assert text.evidence == ("each whole number from 0 to 3 in 20 successful calls of 20 sessions")
    assert "#     return not isinstance(value, (int, float)) or 0 <= value <= 3\n" in mining.text


@pytest.mark.parametrize(
    ("schema", "others"),
    [
        ({"type": ["integer", "null"]}, [None]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [None]),
        (WHOLE, []),
        ({"type": ["integer", "string"]}, ["two"]),
        ({}, [None, "two", [1]]),
    ],
)
def test_a_suggested_rule_works_when_uncommented(mined, schema, others):
    """The uncommented rules reject values that were never recorded, and nothing else."""
    tools = [tool("book", bags=schema, mode=TEXT)]
    runs = [booking_run(n, bags=n % 4, mode=["slow", "fast"][n % 2]) for n in range(24)]
    text = mined(tools, runs).text
    above, rules = text.split("# Rules that the runs suggest.")
    rules, policy = rules.split("\npolicy: Policy")
    code = "\n".join(
        line.removeprefix("# ") for line in rules.splitlines() if re.match("# (@|def|    )", line)
    )
    taken = policy.replace("tools=TOOLS,", "tools=TOOLS, rules=[bags_of_book, mode_of_book],")
    used = above.replace("import Policy", "import rule, Policy")
    firewall = Shield(
        execute_module(f"{used}\n{code}\npolicy: Policy{taken}").enforced(), hooks=None
    )

    def found_in(**arguments):
        decision = firewall.check_call(ToolCall("book", arguments))
        return [
            f.where for f in decision.findings if f.check == "impossible_state"
        ], decision.errors

    assert "import `rule` from `abs_shield`" in " ".join(rules.replace("# ", "").split())
    assert "`rules=[...]`" in rules
    assert (["/arguments/bags"], ()) == found_in(bags=9, mode="slow")
    assert (["/arguments/mode"], ()) == found_in(bags=1, mode="odd")
    assert [([], ())] * len(others) == [found_in(bags=other, mode="fast") for other in others]


def test_the_comment_says_how_to_declare_inverses(mined):
    """If no pair is declared, the comment names the import and the policy field."""
    runs = [run(*BOTH, user="Lock D-71.", labels={"success": True})]
    text = mined(PAIR, runs).text
    user_text = " ".join(line.removeprefix("# ") for line in text.splitlines())

    assert "import `inverse` from `abs_shield`, and write it into the policy: `inverses=[...]`" in (
        user_text
    )


AMOUNTS = [n + 0.5 for n in range(30)]
BOUNDS = {
    "a constant": ([1200.0] * 60, None),
    "two values": ([100, 500] * 30, None),
    "many amounts": (AMOUNTS, "value > 0"),
    "many amounts and zero": ([0, *AMOUNTS], "value >= 0"),
    "amounts of few sessions": (AMOUNTS[:19], None),
    "few amounts": (AMOUNTS[:7] * 9, None),
    "refunds among amounts": ([-8.0, -2, *AMOUNTS], None),
    "a scale": ([1, 2, 3, 4] * 8, "1 <= value <= 4"),
    "a scale from zero": ([0, 1, 2] * 8, "0 <= value <= 2"),
    "a scale with a rare end": ([*[1, 2, 3] * 8, 4], None),
    "a scale with a gap": ([1, 2, 5] * 8, None),
    "a scale below zero": ([-1, 0, 1] * 8, None),
    "halves": ([0.5, 1.0, 1.5] * 8, None),
}


@pytest.mark.parametrize("kind", BOUNDS)
def test_a_bound_is_proposed_where_the_numbers_support_it(mined, kind):
    """A sign or a scale is proposed, but never the smallest and largest recorded number."""
    numbers, bound = BOUNDS[kind]
    runs = [run(("pay", {"sum": number}, "ok"), user="Pay.") for number in numbers]
    text = mined([tool("pay", sum={"type": "number"})], runs).text

    assert (bound is not None) == ("def sum_of_pay" in text)
    assert bound is None or f"#     return value is None or {bound}\n" in text


def test_numbers_of_one_session_suggest_no_range(mined):
    """Thirty different amounts in one run are not enough evidence for a range."""
    one = run(*[("pay", {"sum": number}, "ok") for number in AMOUNTS], user="Pay.")

    assert [] == find_suggestion(
        mined([tool("pay", sum={"type": "number"})], [one]), "range", "pay"
    )


@pytest.mark.parametrize(("name", "message"), [("pay", 1), ("find_payments", 0)])
def test_negative_amounts_are_a_remark(mined, name, message):
    """A tool that pays gets a remark and no bound; a tool that only reads gets neither."""
    numbers = [-8.0, *AMOUNTS]
    runs = [run((name, {"sum": number}, "ok"), user="Pay.") for number in numbers]
    mining = mined([tool(name, sum={"type": "number"})], runs)
    remark = (
        "1 of 31 calls that worked had a number below zero; no bound is proposed: write a rule if"
        " negative numbers are not allowed"
    )

    assert remarks(mining, "range", name) == [remark] * message


def test_a_common_word_or_number_is_not_evidence_of_a_source(mined):
    """A word or a round number in a result does not count as the source of a later argument."""
    tools = [tool("find_seats", day=TEXT), tool("book", cabin=TEXT, n=WHOLE, seats=WHOLE)]
    found_seats = {"available_seats": {"free": "economy"}, "amount": 100, "seats": 3}
    calls = [
        ("find_seats", {"day": "Monday"}, found_seats),
        ("book", {"cabin": "economy", "n": 100, "seats": 3}, "ok"),
    ]
    mining = mined(tools, [run(*calls, user="Book one.")] * 3)

    assert remarks(mining, "creates", "find_seats") == [
        "its results contain `seats`, used as `seats` of `book` 3 times"
    ]
