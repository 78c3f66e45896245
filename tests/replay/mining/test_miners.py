"""What each miner reads out of tools and runs, and what it leaves alone."""

from __future__ import annotations

import pytest

from abs_shield.replay.mining import Kind
from abs_shield.replay.mining.miners import MINERS
from tests.replay.mining.conftest import run, tool

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def found(mined, kind, tool, parameter=""):
    """What is suggested of one kind for one parameter: its field, and whether it is declared."""
    return [
        (each.field or type(each.says).__name__, each.declared)
        for each in mined.draft.of(tool, Kind(kind))
        if parameter in ("", each.parameter) and not each.is_remark
    ]


def remarks(mined, kind, tool):
    """What is only said of a tool."""
    return [each.evidence for each in mined.draft.of(tool, Kind(kind)) if each.is_remark]


def test_the_table_names_every_miner():
    """A miner's row has the name of its function and of its file."""
    assert [*MINERS] == [miner.__name__ for miner in MINERS.values()]
    assert all(miner.__module__.endswith(f".{name}") for name, miner in MINERS.items())


# targets ---------------------------------------------------------------------------------------


STAGED = tool("open_locker", stage=TEXT)


@pytest.mark.parametrize(("calls", "said"), [(4, []), (8, [False]), (30, [True])])
def test_a_target_is_proposed_as_surely_as_it_was_seen(mined, calls, said):
    """Values of a plain word, written as identifiers, whose source was always known."""
    runs = [
        run(("open_locker", {"stage": f"QX{n}ZT7"}, "opened"), user=f"Open QX{n}ZT7.")
        for n in range(calls)
    ]
    made = mined([STAGED], runs)

    assert [("targets", declared) for declared in said] == found(made, "target", "open_locker")


def test_what_is_judged_anyway_is_only_remarked(mined):
    """An identifier by name needs no mark; its share of calls with a source stands beside it."""
    made = mined(
        [tool("get_order", order_id=TEXT)],
        [run(("get_order", {"order_id": f"W-{n}1"}, {}), user=f"Where is W-{n}1?") for n in "ab"],
    )
    (said,) = remarks(made, "target", "get_order")

    assert [] == found(made, "target", "get_order")
    assert said == (
        "a target without a mark, as an identifier; 2 of 2 calls had a source (the user 2)"
    )


@pytest.mark.parametrize(
    ("name", "success", "said"),
    [("look_up", True, [True]), ("move_up", True, [False]), ("look_up", False, [])],
)
def test_a_parameter_of_false_alarms_is_free(mined, name, success, said):
    """It works again and again though nobody mentioned it; not declared where a call writes."""
    runs = [
        run((name, {"order_id": f"ZX-44{n}1"}, {"found": n}), labels={"success": success})
        for n in range(12)
    ]
    made = mined([tool(name, order_id=TEXT)], runs)

    assert [("free", declared) for declared in said] == found(made, "target", name)


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
    """A value that nobody mentioned comes in with one call, and is another one's target."""
    tools = [tool("stash", marker=TEXT), tool("fetch_item", item_id=TEXT)]
    runs = [
        run(("stash", {"marker": f"QX{n}ZT7"}, "ok"), ("fetch_item", {"item_id": f"QX{n}ZT7"}, "x"))
        for n in range(8)
    ]

    assert [("creates", True)] == found(mined(tools, runs), "creates", "stash")


def test_what_results_bring_is_told(mined):
    """Whose target a field of a result became."""
    tools = [tool("find_order", reader=TEXT), tool("cancel_order", order_id=TEXT)]
    calls = [
        ("find_order", {"reader": "Mia"}, {"order_id": "W-7001"}),
        ("cancel_order", {"order_id": "W-7001"}, "done"),
    ]
    made = mined(tools, [run(*calls, user="Cancel the order of Mia.")] * 2)

    assert remarks(made, "creates", "find_order") == [
        "its results bring `order_id`, taken as `order_id` of `cancel_order` 2 times"
    ]


# inverses --------------------------------------------------------------------------------------

PAIR = [tool("lock_door", door_id=TEXT), tool("unlock_door", door_id=TEXT)]
BOTH = [("lock_door", {"door_id": "D-71"}, "ok"), ("unlock_door", {"door_id": "D-71"}, "ok")]


def test_opposite_names_on_one_parameter_are_a_pair(mined):
    """Without runs the names decide: what was made is unmade, and not the other way round."""
    made = mined(PAIR)

    assert [("Undone", True)] == found(made, "inverse", "lock_door")
    assert [] == found(made, "inverse", "unlock_door")


@pytest.mark.parametrize(("success", "declared"), [(True, False), (None, False), (False, True)])
def test_a_pair_that_runs_survive_is_not_declared(mined, success, declared):
    """Where runs did both and ended well, or nobody knows, both may be meant."""
    runs = [run(*BOTH, user="Lock D-71.", labels={"success": success})]

    assert [("Undone", declared)] == found(mined(PAIR, runs), "inverse", "lock_door")


def test_a_pair_may_name_its_entity_twice(mined):
    """The only identifier of each, where they are called differently."""
    made = mined([tool("create_user", id=TEXT), tool("delete_user", user_id=TEXT)])

    assert 'same={"create_user": "id", "delete_user": "user_id"}' in made.text


def test_a_pair_without_a_parameter_is_none(mined):
    """Nothing says that both are about one thing."""
    made = mined([tool("lock_door", colour=TEXT), tool("unlock_door", door_id=TEXT)])

    assert [] == found(made, "inverse", "lock_door")


# effects ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("get_user", [("read_only", True)]),
        ("delete_user", [("destructive", True)]),
        ("cancel_order", [("destructive", False)]),
        ("create_user", []),
        ("frobnicate", []),
    ],
)
def test_a_verb_says_what_a_call_does(mined, name, said):
    """Reading and deleting are told by the verb; of cancelling only its author knows."""
    assert said == found(mined([tool(name)]), "effect", name)


def test_an_author_is_believed(mined):
    """Annotations go before the verb, and their reason stands in the comment."""
    named = tool("get_rid").model_copy(update={"destructive": True})
    made = mined([named], reasons={"get_rid": "it is `DELETE /rid`"})

    assert [("destructive", True)] == found(made, "effect", "get_rid")
    assert "# `destructive`: it is `DELETE /rid`\n        destructive=True," in made.text


# ranges and enums ------------------------------------------------------------------------------


def booked(n, **arguments):
    return run(("book", arguments, "ok"), user="Book.")


@pytest.mark.parametrize(("calls", "said"), [(19, []), (30, [False]), (120, [True])])
def test_few_texts_often_are_a_list(mined, calls, said):
    """Declared after 100 calls; before, a comment."""
    runs = [booked(n, mode=["slow", "fast"][n % 2]) for n in range(calls)]
    made = mined([tool("book", mode=TEXT)], runs)

    assert [("Among", declared) for declared in said] == found(made, "enum", "book")


@pytest.mark.parametrize(
    "values",
    [
        [f"word{n}" for n in range(120)],
        ["slow"] * 119 + ["once"],
        [None, *["2026-01-0" + str(n % 3) for n in range(119)]],
        ["x" * 50] * 120,
        [["slow"]] * 120,
    ],
    ids=["many", "a rare one", "dates", "long", "lists"],
)
def test_other_texts_are_no_list(mined, values):
    """Many, rare, long ones, dates and lists are no list of values."""
    runs = [booked(n, mode=value) for n, value in enumerate(values)]

    assert [] == found(mined([tool("book", mode={})], runs), "enum", "book")


def test_a_range_is_never_declared(mined):
    """What was seen is no law; NaN, the infinite, truth values and failed calls are not counted."""
    odd = [float("nan"), float("inf"), True, None]
    runs = [booked(n, bags=n % 4) for n in range(20)] + [booked(0, bags=each) for each in odd]
    failed = run(("book", {"bags": 900}, ValueError("no")), user="Book.")
    made = mined([tool("book", bags={})], [*runs, failed])
    (said,) = made.draft.of("book", Kind.RANGE)

    assert [("Within", False)] == found(made, "range", "book")
    assert said.evidence == "whole numbers from 0 to 3 in 20 calls that worked"
    assert "#     return 0 <= value <= 3\n" in made.text


def test_whole_numbers_and_others_are_told_apart(mined):
    """A range of few calls is told, and proposes no rule."""
    made = mined([tool("book", price=WHOLE)], [booked(n, price=n + 0.5) for n in range(6)])

    assert remarks(made, "range", "book") == ["numbers from 0.5 to 5.5 in 6 calls that worked"]
