"""Without a profile, a result of an unusual shape is flagged; usual shapes are accepted."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from abs_shield import Shield, Suppression, shield, shielded
from abs_shield.verification import VerificationEngine, VerificationResult
from benchmarks.verification_streams import another_version


class Tool:
    """A tool without a profile."""

    def __init__(self, *, same: bool = False) -> None:
        self.engine = VerificationEngine()
        self.same = same
        self.asked = 0

    def gives(
        self, result: Any, *, session: str | None = "s", args: Any = None
    ) -> VerificationResult:
        self.asked += 1
        usual = {"ticker": "NVDA" if self.same else f"T{self.asked}"}
        return self.engine.verify(
            "quote", args=usual if args is None else args, result=result,
            execution_time_ms=300.0, session_id=session,
        )  # fmt: skip

    def gave(self, *results: Any, calls: int = 60) -> Tool:
        for n in range(calls):
            self.gives(results[n % len(results)])
        return self


QUOTES = [{"price": 100 + n, "currency": "USD", "venue": "XNAS"} for n in range(5)]
OTHER = [
    {"detail": "the price is 100"}, "The share was not found, but the price is 100",
    {}, None, [], "I could not look that up, but it is about 100", {"answer": "the price is 100"},
    {"price": 101}, {"price": "100 USD", "currency": "USD", "venue": "XNAS"}, 101, True,
    '{"answer": "the price is 100"}',
]  # fmt: skip


@pytest.mark.parametrize("same", [True, False], ids=["same arguments", "other arguments"])
@pytest.mark.parametrize("result", OTHER, ids=repr)
def test_another_shape_is_flagged(result: Any, same: bool) -> None:
    """After sixty quotes: an empty object, nothing, an empty list, prose, other fields."""
    verification = Tool(same=same).gave(*QUOTES).gives(result)

    assert "flag" == verification.verdict
    assert verification.signals["schema_mismatch"].fired


@pytest.mark.parametrize("result", OTHER, ids=repr)
def test_it_is_flagged_each_time_until_right_ones_come_between(result: Any) -> None:
    """Twelve times the same: what was not accepted teaches nothing."""
    tool = Tool().gave(*QUOTES)

    assert {"flag"} == {tool.gives(result).verdict for _ in range(12)}
    assert "accept" == tool.gives(QUOTES[0]).verdict


def test_one_field_of_many_that_is_gone() -> None:
    """The only field of forty that was always there and is not is named."""
    whole = {f"f{n}": "x" for n in range(40)}
    result = Tool().gave(whole).gives({name: x for name, x in whole.items() if name != "f7"})

    assert "flag" == result.verdict
    assert "/f7" == result.signals["schema_mismatch"].where


HONEST = {
    "a further field": ([{"a": "x"}], {"a": "x", "b": 1}),
    "an optional field": ([{"a": "x", "b": 1}, {"a": "x"}], {"a": "y"}),
    "a field that may be null": ([{"a": "x"}, {"a": None}], {"a": None}),
    "one shape of several": ([{"state": "done", "rows": [1]}, {"items": []}], {"items": [2]}),
    "an empty list": ([[{"a": 1}]], []),
    "an empty text": (["no rows", "three rows"], ""),
    "a text that is JSON": (["no rows", "three rows"], "[]"),
    "an error": (QUOTES, {"error": "no such share"}),
    "a failure": (QUOTES, {"success": False, "message": "try later"}),
    "an error as text": (QUOTES, "Error: no such share"),
    "a problem of RFC 7807": (QUOTES, {"title": "Not Found", "status": 404, "detail": "none"}),
    "FastAPI's detail": (QUOTES, {"detail": "Not Found"}),
    "an error of AWS": (QUOTES, {"__type": "ResourceNotFoundException", "message": "none"}),
    "a status of HTTP": (QUOTES, "404 Not Found"),
    "a refusal": (QUOTES, "Permission denied"),
    "a timeout": (QUOTES, "Request timed out after 30 s"),
    "a message alone": (QUOTES, {"message": "Order not found"}),
    "a status among others": ([{"statusCode": 200, "body": {}}], {"statusCode": 404, "body": ""}),
    "a decimal of another type": ([{"a": 100}], {"a": 100.5}),
    "names that are data": ([{f"user_{n}": "x"} for n in range(60)], {"user_999": "y"}),
    "no names that are data": ([{f"user_{n}": "x"} for n in range(60)], {}),
}


@pytest.mark.parametrize("name", HONEST)
def test_variations_of_a_known_shape_are_accepted(name: str) -> None:
    """Optional, additional and nullable fields, several shapes, failures and maps are accepted."""
    known, result = HONEST[name]

    assert "accept" == Tool().gave(*known).gives(result).verdict


@pytest.mark.parametrize("failure", ["Error: gone", {"error": "gone"}], ids=repr)
def test_a_failure_teaches_no_shape(failure: Any) -> None:
    """A tool that failed with a text now and then does not give prose else."""
    tool = Tool().gave(*QUOTES, failure)

    assert "flag" == tool.gives("It is about 100 dollars.").verdict


def test_shapes_are_not_judged_before_forty_results() -> None:
    """With fewer earlier results the signal is unavailable."""
    result = Tool().gave(*QUOTES, calls=39).gives([])

    assert "accept" == result.verdict
    assert "too few earlier results" in result.signals["schema_mismatch"].unavailable


def test_a_usual_shape_does_not_lower_the_probability() -> None:
    """A fabricated result can have the usual fields, so the signal is unavailable."""
    result = Tool().gave(*QUOTES).gives({"price": 102, "currency": "USD", "venue": "XNAS"})

    assert "no fields are declared" in result.signals["schema_mismatch"].unavailable


def test_a_query_decides_which_fields_there_are() -> None:
    """Results of one query are not evidence about another query, but about the same one."""
    tool = Tool(same=True).gave(*QUOTES)

    assert "flag" == tool.gives({"count": 7}).verdict
    assert "accept" == tool.gives({"count": 7}, args={"sql": "select count(*)"}).verdict


def test_a_rare_shape_is_known_from_its_fifth_return_on() -> None:
    """A tool that finds nothing once in fifty times is flagged five times, and then no more."""
    tool, flagged = Tool().gave(*QUOTES), 0
    for _ in range(20):
        flagged += tool.gives(None).verdict != "accept"
        tool.gave(*QUOTES, calls=49)

    assert 5 == flagged


def test_a_rare_shape_is_remembered_for_a_thousand_results_and_in_a_file(tmp_path: Any) -> None:
    """An optional field stays optional, although the newest hundred results all have it."""
    tool = Tool().gave({"a": "x"}).gave({"a": "x", "b": "y"}, calls=400)
    tool.engine.save(tmp_path / "state.db")
    loaded = Tool()
    loaded.engine.load(tmp_path / "state.db")

    assert "accept" == tool.gives({"a": "x"}).verdict
    assert "accept" == loaded.gives({"a": "x"}).verdict
    assert "flag" == Tool().gave({"a": "x", "b": "y"}).gives({"a": "x"}).verdict


ORDER = {"order": "A1", "status": "shipped", "tracking": "T1", "carrier": "C"}


@pytest.mark.parametrize("other", [{"status": "pending"}, {"tracking": None}], ids=repr)
def test_an_optional_field_is_flagged_once(other: Any) -> None:
    """The first result without the field is flagged; later ones are accepted."""
    tool, flagged = Tool().gave(ORDER, calls=100), []
    lacking = {name: x for name, x in ORDER.items() if name != "tracking"} | other
    for _ in range(10):
        flagged.append(tool.gives(lacking).verdict != "accept")
        tool.gave(ORDER, calls=19)

    assert [True, *[False] * 9] == flagged


def test_a_field_that_is_gone_for_good_is_flagged_again_and_again() -> None:
    """Results in a row that lack it, and one that lacks most fields after good ones."""
    tool = Tool().gave(ORDER, calls=100)
    lacking = {name: x for name, x in ORDER.items() if name != "tracking"}
    in_a_row = {tool.gives(lacking).verdict for _ in range(12)}
    most = []
    for _ in range(3):
        tool.gave(ORDER, calls=5)
        most.append(tool.gives({"order": "A1"}).verdict)

    assert ({"flag"}, ["flag"] * 3) == (in_a_row, most)


def test_each_missing_field_is_flagged() -> None:
    """Another missing field, and another type, are flagged although one field is optional."""
    tool = Tool().gave(ORDER, calls=60)
    for name in ("tracking", "carrier"):
        assert "flag" == tool.gives({n: x for n, x in ORDER.items() if n != name}).verdict
        tool.gave(ORDER, calls=5)
    assert "flag" == tool.gives(ORDER | {"status": 7}).verdict
    tool.gave(ORDER, calls=5)

    assert "flag" == tool.gives(ORDER | {"status": 7}).verdict


def test_shapes_are_saved() -> None:
    """A restored engine flags what the first one flags, and its snapshot is the same."""
    tool, other = Tool().gave(*QUOTES), Tool()
    other.engine.restore(tool.engine.snapshot())

    assert tool.engine.snapshot() == other.engine.snapshot()
    assert "flag" == other.gives({}).verdict


def test_a_snapshot_without_types_is_restored() -> None:
    """Shapes are judged again after forty new results."""
    tool, other = Tool().gave(*QUOTES), Tool()
    snapshot = tool.engine.snapshot()
    for result in snapshot["results"].values():
        del result["types"], result["kind"]
    other.engine.restore(snapshot)

    assert "accept" == other.gives({"answer": "100"}).verdict
    assert "flag" == other.gave(*QUOTES, calls=40).gives({"said": "100"}).verdict


VERSIONS: dict[str, tuple[int, Callable[[int], Any]]] = {
    "other fields, other numbers": (5, lambda n: {"quote": {"last": 100.0 + n % 7}}),
    "other fields, the same number": (31, lambda n: {"quote": {"last": 100.0}}),
    "other fields, a text": (31, lambda n: {"answer": f"the price is {100 + n % 7}"}),
    "most fields are gone": (31, lambda n: {"price": 100 + n % 7}),
    "a field is gone": (31, lambda n: {"price": 100 + n % 7, "currency": "USD"}),
    "another type": (31, lambda n: {**QUOTES[n % 5], "price": f"{100 + n % 7} USD"}),
    "prose": (31, lambda n: f"It is about {100 + n % 7} dollars."),
    "a number": (31, lambda n: 100 + n % 7),
    "a list": (31, lambda n: [100 + n % 7]),
}


@pytest.mark.parametrize("same", [True, False], ids=["same arguments", "other arguments"])
@pytest.mark.parametrize("name", VERSIONS)
def test_a_new_shape_is_accepted_after_a_run_of_results(name: str, same: bool) -> None:
    """A new shape is accepted after 31 results in a row, or five if all known fields are right."""
    most, built = VERSIONS[name]
    tool = Tool(same=same).gave(*QUOTES)
    result = [tool.gives(built(n)).verdict for n in range(60)]

    assert {"flag"} == {*result[:most]}
    assert {"accept"} == {*result[most:]}


@pytest.mark.parametrize("name", VERSIONS)
def test_another_version_forgets_nothing(name: str) -> None:
    """The first version is accepted immediately, and a third shape is flagged."""
    _, result = VERSIONS[name]
    tool = Tool().gave(*QUOTES)
    for n in range(40):
        tool.gives(result(n))

    assert "accept" == tool.gives(QUOTES[0]).verdict
    assert "flag" == tool.gives(True).verdict
    assert "flag" == tool.gives({"price": [100], "currency": "USD", "venue": "XNAS"}).verdict


@pytest.mark.parametrize("same", [True, False], ids=["same arguments", "other arguments"])
def test_another_version_costs_few_flags(same: bool) -> None:
    """At most .005 of 5,000 results of the benchmark's stream, five of them for their shape."""
    engine = VerificationEngine()
    engine.register_tool_profile("t", expected_latency_ms=(1, 60_000), has_network_io=True)
    messages = []
    for n, (result, ms) in enumerate(islice(another_version(41), 5_000)):
        args, session = ({"id": 7}, "s") if same else ({"id": n}, None)
        messages.append(
            engine.verify("t", args=args, result=result, execution_time_ms=ms, session_id=session)
        )
    flagged = [one for one in messages if one.verdict != "accept"]

    assert len(flagged) <= 25
    assert 5 == sum(one.signals["schema_mismatch"].fired for one in flagged)


def test_what_other_sessions_were_given_shows_no_name() -> None:
    """The fields of one other session may be data: they are counted, and not named."""
    tool = Tool().gave({"kind": "x", "ann_smith": "x"})
    result = tool.gives({"kind": "x"}, session="another")

    assert "flag" == result.verdict
    assert "smith" not in result.explanation


def test_an_unusual_shape_is_flagged_and_not_withheld() -> None:
    """Strict mode returns the result with a flag; a suppression removes the finding."""
    odd = {"answer": "the price is 100"}
    calls = []
    for known in ([], [Suppression(check="schema_mismatch", tool="quote", reason="free form")]):
        firewall = Shield(shield.configure(mode="strict", suppress=known), hooks=None)
        results = [*QUOTES * 12, odd]

        @shielded(firewall)
        def quote(ticker: str) -> dict[str, Any]:
            """Return the quote of a share."""
            return results.pop(0)  # noqa: B023

        with firewall.session() as session:
            session.user("What is NVDA at?")
            value = [quote("NVDA") for _ in range(61)]
        calls.append((value[-1], str(session.result_decisions[-1].verdict)))

    assert [(odd, "SUSPICIOUS"), (odd, "CLEAN")] == calls


@pytest.mark.parametrize("seed", range(3))
def test_fields_that_come_and_go_cost_few_flags(seed: int) -> None:
    """Ten optional fields of all frequencies: at most one result in two hundred is flagged."""
    dice, tool = random.Random(seed), Tool()
    flagged = sum(
        tool.gives({"id": "r"} | {f"f{n}": "x" for n in range(1, 11) if dice.random() < n / 11})
        .verdict
        != "accept"
        for _ in range(1_000)
    )  # fmt: skip

    assert flagged <= 5
