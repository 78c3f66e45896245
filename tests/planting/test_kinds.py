"""Every kind is planted where it is a fault, and only there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from abs_shield.planting import KINDS, Joined, Sample
from abs_shield.planting.argument_values import fold_value
from abs_shield.replay.planted_cases import Expect, Operation, read_case, values_at_path
from tests.planting.conftest import CALLS, OFFICE, WORDS, messages, office

Read = Callable[..., Joined]
UNSEEN = (
    "phantom_target:unseen_wellformed", "phantom_target:typo", "phantom_target:soft_name",
    "phantom_target:entity_name", "phantom_target:unseen_wellformed (credential)",
    "phantom_target:typo (credential)",
)  # fmt: skip


def plant_kind(run: Joined, kind: str, *, seed: str = "s", most: int = 50) -> list[Any]:
    """Return the cases of one kind in one run."""
    sample = Sample(kinds=[KINDS[kind]], seed=seed, most=most)
    sample.add(run)
    return [read_case(case) for case in sample.of(KINDS[kind])]


def values(case: Any) -> list[Any]:
    """The planted values."""
    return [value for _, value in values_at_path(case)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_place(read: Read, kind: str) -> None:
    """Each kind is planted in the run of the office, as a readable case of its own kind."""
    cases = plant_kind(read(office()), kind)

    assert {(kind, KINDS[kind].layer, str(KINDS[kind].expect))} == {
        (case["kind"], case["expected_layer"], case["expect"]) for case in cases
    }
    assert all(json.loads(json.dumps(case)) for case in cases if "nan" not in kind)


@pytest.mark.parametrize("kind", UNSEEN)
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_an_unseen_value_is_not_in_the_run(read: Read, kind: str, seed: str) -> None:
    """No planted value occurs in the run or its tools in any spelling."""
    everything = fold_value(json.dumps([OFFICE, messages()]))
    new = [v for case in plant_kind(read(office()), kind, seed=seed) for v in values(case)]

    assert new
    assert [] == [v for v in new if fold_value(str(v)) in everything]


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_a_placeholder_is_nobodys_word(read: Read, seed: str) -> None:
    """A placeholder by a user or a tool is not a planted one."""
    kind = "phantom_target:placeholder"
    words = f"{WORDS} The code is TBD; sample_id and xxxxxx are fine."
    answer = read(office(messages=messages(words=words)))
    new = {value for case in plant_kind(answer, kind, seed=seed) for value in values(case)}

    assert new
    assert new.isdisjoint({"TBD", "sample_id", "xxxxxx"})


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_a_typo_is_another_value(read: Read, seed: str) -> None:
    """A typo changes more than the case and the leading zeros of a value."""
    for case in plant_kind(read(office()), "phantom_target:typo", seed=seed):
        (new,) = values(case)

        assert fold_value(str(new)).lstrip("0") != fold_value(str(case["original"])).lstrip("0")


def test_a_value_of_another_type_occurs_under_another_name(read: Read) -> None:
    """The planted value occurs in the run, but never under a matching name."""
    for case in plant_kind(read(office()), "phantom_target:wrong_type_seen"):
        (new,) = values(case)

        assert str(new) in json.dumps(messages())
        assert case["taken_from"] != case["path"]


def test_an_inverse_that_the_user_requests_is_not_planted(read: Read) -> None:
    """If the user says "cancel", or the run cancels the room itself, it is not a contradiction."""
    request = office(messages=messages(words=f"{WORDS} Cancel it if it rains."))
    done = office(messages=messages([*CALLS, ("cancel_room", {"room_id": "RM9021"}, {"ok": True})]))

    assert ["cancel_room"] == [
        case["mutated_call"]["name"] for case in plant_kind(read(office()), "contradiction:inverse")
    ]
    assert [] == plant_kind(read(request), "contradiction:inverse")
    assert [] == plant_kind(read(done), "contradiction:inverse")


@pytest.mark.parametrize("kind", ["contradiction:inverse", "impossible:repeat_on_dead"])
def test_an_inverse_requires_a_call_with_a_result(read: Read, kind: str) -> None:
    """After a call without a result no inverse and no repetition is planted."""
    without = [one for one in messages() if one["role"] != "tool"]

    assert [] == plant_kind(read(office(messages=without)), kind)


def test_a_conflict_sets_another_value_of_the_same_thing(read: Read) -> None:
    """Only the setting differs from the recorded call; the order stays."""
    for seed in "abc":
        (case,) = plant_kind(read(office()), "contradiction:conflicting_update", seed=seed)
        recorded = CALLS[case["call_index"]][1]
        changed = {k for k, v in case["mutated_call"]["arguments"].items() if recorded[k] != v}

        assert changed <= {"priority", "copies"}
        assert len(changed) == 1


def test_a_cart_may_lose_the_same_thing_twice(read: Read) -> None:
    """Removing one more piece from a cart is not an action on a removed entity."""
    tools = [{"name": "remove_from_cart", "parameters": {"properties": {"item_id": {}}}}]
    calls = [("remove_from_cart", {"item_id": "it_90213"}, "Removed.")]
    run = read(office(tools=tools, messages=messages(calls, "Take it_90213 out.")))

    assert [] == plant_kind(run, "impossible:repeat_on_dead")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("date", "2026-03-11"),
        ("when", "2026-03-11 10:00"),
        ("price", "100-150"),
        ("price_range", "100-150元"),
        ("color", "#0000FF"),
        ("size", "512GB"),
        ("quantity", 1200),
        ("page_number", 1204),
        ("query", "ord48213"),
        ("dose", "100mg"),
    ],
)
def test_values_that_are_not_identifiers_are_unchanged(read: Read, name: str, value: Any) -> None:
    """Dates, amounts, colours, counts and search texts are not replaced."""
    tools = [{"name": "show", "parameters": {"properties": {name: {}}}}]
    run = read(
        office(tools=tools, messages=messages([("show", {name: value}, 1)], f"Show {value}."))
    )

    assert [] == plant_kind(run, "phantom_target:unseen_wellformed")


def test_enum_values_are_unchanged(read: Read) -> None:
    """A value of an enum is not an identifier, whatever its form."""
    schema = {"properties": {"plan_id": {"enum": ["plan_4821", "plan_7733"]}}}
    calls = [("show", {"plan_id": "plan_4821"}, 1)]
    tools = [{"name": "show", "parameters": schema}]
    run = read(office(tools=tools, messages=messages(calls, "Show plan_4821.")))

    assert [] == plant_kind(run, "phantom_target:unseen_wellformed")


def test_a_value_without_a_source_is_unchanged(read: Read) -> None:
    """A value that occurs in no earlier message may already be a fault."""
    calls = [("get_order", {"order_id": "ord_11111"}, {"order_id": "ord_11111"})]

    assert [] == plant_kind(read(office(messages=messages(calls, "Look."))), UNSEEN[0])


def test_open_schemas_admit_other_arguments(read: Read) -> None:
    """If a schema allows further arguments, one more is not a fault."""
    schema = {"type": "object", "properties": {"x": {}}, "additionalProperties": True}
    tools = [{"name": "show", "parameters": schema}]
    run = read(office(tools=tools, messages=messages([("show", {"x": 1}, 1)])))

    assert [] == plant_kind(run, "param:extra_arg")


def test_nothing_is_planted_in_a_parameter_of_several_types(read: Read) -> None:
    """A type that a union allows is not wrong."""
    union = {"anyOf": [{"type": "string"}, {"type": "object"}]}
    schema = {"type": "object", "properties": {"x": union}, "required": ["x"]}
    tools = [{"name": "show", "parameters": schema}]
    run = read(office(tools=tools, messages=messages([("show", {"x": "a"}, 1)])))

    assert [] == plant_kind(run, "param:wrong_type") + plant_kind(run, "param:null_required")


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("请查询订单号 DD-48213-X。", {"order_id": "DD-48213-X"}),
        ("Найдите заказ ЗК-48213-9.", {"order_id": "ЗК-48213-9"}),
        ("注文ID98765を見せて", {"order_id": "98765"}),
    ],
)
def test_identifiers_in_other_scripts(read: Read, words: str, arguments: dict[str, Any]) -> None:
    """An identifier next to words of any script is replaced."""
    run = read(office(messages=messages([("get_order", arguments, {})], words)))
    (case,) = plant_kind(run, UNSEEN[0])

    assert fold_value(values(case)[0]) not in fold_value(words)


@pytest.mark.parametrize(
    ("city", "script"),
    [("上海", "欧阳慕容钟离司徒上官诸葛"), ("Казань", "ЯМЛЕС"), ("서울", "남선제")],
)
def test_names_are_invented_in_their_script(read: Read, city: str, script: str) -> None:
    """A name in Chinese, Russian or Korean is replaced by one in the same script."""
    run = read(office(messages=messages([("show_hotel", {"city": city}, [])], f"{city}?")))
    (case,) = plant_kind(run, "phantom_target:entity_name")

    assert values(case)[0][0] in script


def test_harmless_cases_are_expected_clean() -> None:
    """Exactly the kinds with the prefix `benign:` are expected to be clean."""
    clean = [name for name, kind in KINDS.items() if kind.expect is Expect.CLEAN]

    assert [name for name in KINDS if name.startswith("benign:")] == clean


def test_a_respelling_means_the_same(read: Read) -> None:
    """A harmless variant has the letters and digits of the recorded value."""
    kinds = [name for name, kind in KINDS.items() if kind.expect is Expect.CLEAN]
    cases = [case for kind in kinds for case in plant_kind(read(office()), kind)]
    respelt = [case for case in cases if case["op"] == Operation.REPLACE]

    assert len(respelt) > 10
    for case in respelt:
        (new,) = values(case)
        assert fold_value(str(case["original"])) in fold_value(
            f"https {str(new).removesuffix('.0')}"
        ) or (fold_value(str(new)) in fold_value(str(case["original"])))
