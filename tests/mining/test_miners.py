"""The findings of each miner in tools and runs, and the data that it ignores."""

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


def found(mined, kind, tool, parameter=""):
    """Return the suggestion of a kind for a parameter: its field, and whether it is declared."""
    return [
        (each.field or type(each.declaration).__name__, each.declared)
        for each in mined.draft.of(tool, SuggestionKind(kind))
        if parameter in ("", each.parameter) and not each.is_remark
    ]


def remarks(mined, kind, tool):
    """Return what is only said of a tool."""
    return [each.evidence for each in mined.draft.of(tool, SuggestionKind(kind)) if each.is_remark]


def test_the_table_names_every_miner():
    """A miner's row has the name of its function and of its file."""
    assert [*MINERS] == [miner.__name__ for miner in MINERS.values()]
    assert all(miner.__module__.endswith(f".{name}") for name, miner in MINERS.items())


# targets ---------------------------------------------------------------------------------------


STAGED = tool("open_locker", stage=TEXT)


@pytest.mark.parametrize(("calls", "prompt"), [(4, []), (8, [False]), (30, [True])])
def test_a_target_is_proposed_as_surely_as_it_was_seen(mined, calls, prompt):
    """Values of a plain word, written as identifiers, whose source was always known."""
    runs = [
        run(("open_locker", {"stage": f"QX{n}ZT7"}, "opened"), user=f"Open QX{n}ZT7.")
        for n in range(calls)
    ]
    mining = mined([STAGED], runs)

    assert [("targets", declared) for declared in prompt] == found(mining, "target", "open_locker")


def test_what_is_judged_anyway_is_only_remarked(mined):
    """An identifier by name needs no mark; its share of calls with a source stands beside it."""
    mining = mined(
        [tool("get_order", order_id=TEXT)],
        [run(("get_order", {"order_id": f"W-{n}1"}, {}), user=f"Where is W-{n}1?") for n in "ab"],
    )
    (text,) = remarks(mining, "target", "get_order")

    assert [] == found(mining, "target", "get_order")
    assert text == (
        "judged without a mark, as an identifier; 2 of 2 calls had a source (the user 2)"
    )


@pytest.mark.parametrize(
    ("name", "success", "prompt"),
    [("look_up", True, [True]), ("move_up", True, [False]), ("look_up", False, [])],
)
def test_a_parameter_of_false_alarms_is_free(mined, name, success, prompt):
    """It works repeatedly without a mention; not declared if a call writes."""
    runs = [
        run((name, {"order_id": f"ZX-44{n}1"}, {"found": n}), labels={"success": success})
        for n in range(12)
    ]
    mining = mined([tool(name, order_id=TEXT)], runs)

    assert [("free", declared) for declared in prompt] == found(mining, "target", name)


# creates ---------------------------------------------------------------------------------------


def test_a_name_that_a_call_gives_is_its_own(mined):
    """`create_` and the thing's own name; where its values were known before, they are targets."""
    file = tool("create_file", filename=TEXT)
    known = [
        run(("create_file", {"filename": f"QX{n}ZT7"}, "ok"), user=f"Make QX{n}ZT7.")
        for n in range(40)
    ]

    assert [("creates", True)] == found(mined([file]), "creates", "create_file")
    assert [("creates", False)] == found(mined([file], known), "creates", "create_file")
    assert [("targets", True)] == found(mined([file], known), "target", "create_file")


def test_what_later_calls_take_was_minted(mined):
    """An unmentioned value in one call is the target of a later call."""
    tools = [tool("stash", marker=TEXT), tool("fetch_item", item_id=TEXT)]
    runs = [
        run(("stash", {"marker": f"QX{n}ZT7"}, "ok"), ("fetch_item", {"item_id": f"QX{n}ZT7"}, "x"))
        for n in range(8)
    ]

    assert [("creates", True)] == found(mined(tools, runs), "creates", "stash")


def test_what_results_bring_is_reported(mined):
    """Whose target a field of a result became."""
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


def test_opposite_names_on_one_parameter_are_a_pair(mined):
    """Without runs the names decide: what was made is unmade, and not the other way round."""
    mining = mined(PAIR)

    assert [("Undone", True)] == found(mining, "inverse", "lock_door")
    assert [] == found(mining, "inverse", "unlock_door")


@pytest.mark.parametrize(("success", "declared"), [(True, False), (None, False), (False, True)])
def test_a_pair_that_runs_survive_is_not_declared(mined, success, declared):
    """If runs did both and ended well, or their end is unknown, both may be intended."""
    runs = [run(*BOTH, user="Lock D-71.", labels={"success": success})]

    assert [("Undone", declared)] == found(mined(PAIR, runs), "inverse", "lock_door")


def test_a_pair_may_name_its_entity_twice(mined):
    """The only identifier of each, where they are called differently."""
    mining = mined([tool("create_user", id=TEXT), tool("delete_user", user_id=TEXT)])

    assert 'same={"create_user": "id", "delete_user": "user_id"}' in mining.text


def test_a_pair_without_a_parameter_is_none(mined):
    """Nothing says that both are about one thing."""
    mining = mined([tool("lock_door", colour=TEXT), tool("unlock_door", door_id=TEXT)])

    assert [] == found(mining, "inverse", "lock_door")


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
def test_a_verb_says_what_a_call_does(mined, name, prompt):
    """Reading and deleting are told by the verb; of cancelling only its author knows."""
    assert prompt == found(mined([tool(name)]), "effect", name)


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
def test_a_name_that_may_write_is_not_called_reading(mined, name, why):
    """A second verb that writes, or a first one of two meanings, is a comment with its reason."""
    mining = mined([tool(name)])

    assert [("read_only", False)] == found(mining, "effect", name)
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
def test_a_name_that_only_looks(mined, name):
    """Nouns that may be verbs elsewhere, and lists of several things, are no doubt."""
    assert [("read_only", True)] == found(mined([tool(name)]), "effect", name)


def test_an_author_is_believed(mined):
    """Annotations come before the verb, and the comment has their reason."""
    named = tool("get_rid").model_copy(update={"destructive": True})
    mining = mined([named], reasons={"get_rid": "it is `DELETE /rid`"})

    assert [("destructive", True)] == found(mining, "effect", "get_rid")
    assert "# `destructive`: it is `DELETE /rid`\n        destructive=True," in mining.text


# ranges and enums ------------------------------------------------------------------------------


def booked(n, **arguments):
    return run(("book", arguments, "ok"), user="Book.")


@pytest.mark.parametrize(("runs", "prompt"), [(19, []), (20, [False]), (300, [False])])
def test_few_texts_often_are_a_list(mined, runs, prompt):
    """Of enough sessions a comment, of however many no more."""
    recorded = [booked(n, mode=["slow", "fast"][n % 2]) for n in range(runs)]
    mining = mined([tool("book", mode=TEXT)], recorded)

    assert [("Among", declared) for declared in prompt] == found(mining, "enum", "book")


def test_the_calls_of_one_session_are_one_draw(mined):
    """A session that repeats itself says no more than its first call; neither do its other runs."""
    calls = [("book", {"mode": ["slow", "fast"][n % 2]}, "ok") for n in range(200)]
    one = run(*calls, user="Book.")
    shared = [{**booked(n, mode=["slow", "fast"][n % 2]), "session_id": "s"} for n in range(60)]
    apart = [{**run(*calls[:4], user="Book."), "session_id": f"s{n // 2}"} for n in range(2 * 20)]

    assert [] == found(mined([tool("book", mode=TEXT)], [one]), "enum", "book")
    assert [] == found(mined([tool("book", mode=TEXT)], shared), "enum", "book")
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
def test_other_texts_are_no_list(mined, values):
    """Many, a single one, rare and long ones, dates and lists are no list of values."""
    runs = [booked(n, mode=value) for n, value in enumerate(values)]

    assert [] == found(mined([tool("book", mode={})], runs), "enum", "book")


def test_a_range_is_never_declared(mined):
    """Observed ranges are not rules; NaN, infinity, booleans and failed calls are not counted."""
    odd = [float("nan"), float("inf"), True, None]
    runs = [booked(n, bags=n % 4) for n in range(20)] + [booked(0, bags=each) for each in odd]
    failed = run(("book", {"bags": 900}, ValueError("no")), user="Book.")
    mining = mined([tool("book", bags={})], [*runs, failed])
    (text,) = mining.draft.of("book", SuggestionKind.RANGE)

    assert [("Within", False)] == found(mining, "range", "book")
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
def test_a_rule_can_be_taken_over(mined, schema, others):
    """Uncommented as the comment says, it rejects what was never seen, and nothing else."""
    tools = [tool("book", bags=schema, mode=TEXT)]
    runs = [booked(n, bags=n % 4, mode=["slow", "fast"][n % 2]) for n in range(24)]
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


def test_a_pair_can_be_taken_over(mined):
    """Where none is declared, the comment says what to import and where it goes."""
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
    """A sign or a scale, never the least and the greatest of what happened to be recorded."""
    numbers, bound = BOUNDS[kind]
    runs = [run(("pay", {"sum": number}, "ok"), user="Pay.") for number in numbers]
    text = mined([tool("pay", sum={"type": "number"})], runs).text

    assert (bound is not None) == ("def sum_of_pay" in text)
    assert bound is None or f"#     return value is None or {bound}\n" in text


def test_the_numbers_of_one_session_are_one_draw(mined):
    """However many different amounts one run pays, they say little of the next run."""
    one = run(*[("pay", {"sum": number}, "ok") for number in AMOUNTS], user="Pay.")

    assert [] == found(mined([tool("pay", sum={"type": "number"})], [one]), "range", "pay")


@pytest.mark.parametrize(("name", "message"), [("pay", 1), ("find_payments", 0)])
def test_sums_below_zero_are_reported(mined, name, message):
    """Where money moves they are a mistake or a refund: a remark, and no law."""
    numbers = [-8.0, *AMOUNTS]
    runs = [run((name, {"sum": number}, "ok"), user="Pay.") for number in numbers]
    mining = mined([tool(name, sum={"type": "number"})], runs)
    remark = (
        "1 of 31 calls that worked had a number below zero; no bound is proposed: write a rule if"
        " negative numbers are not allowed"
    )

    assert remarks(mining, "range", name) == [remark] * message


def test_a_coincidence_is_no_evidence(mined):
    """A word or a small number of a result that another call takes has another source."""
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
