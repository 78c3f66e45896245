"""Tools that have modes, begin anew or change for good are honest: alarms are few, and they end."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from abs_shield.verification import VerificationEngine
from benchmarks.verification_streams import cache, rare_mode, restarts, two_modes, walk, week


@pytest.mark.parametrize("stream", [restarts, two_modes, week, rare_mode, cache, walk])
@pytest.mark.parametrize("seed", [101, 202])
def test_alarms_are_few_and_end(stream, seed):
    """At most one in fifty of 2,000 results is flagged, and never many in a row."""
    engine = VerificationEngine().register_tool_profile("t", expected_latency_ms=(0, 1e9))
    flagged = in_a_row = longest = 0
    for result, ms in islice(stream(seed), 2_000):
        verification = engine.verify(
            "t", args={}, result=result, execution_time_ms=ms, session_id="s"
        )
        in_a_row = in_a_row + 1 if verification.verdict != "accept" else 0
        flagged += verification.verdict != "accept"
        longest = max(longest, in_a_row)

    assert flagged <= 40
    assert longest <= 31


@pytest.mark.parametrize("values", [(0, 0, 60, 80, 100, 100), (100, 0, 0, 100), (0, 1_200)])
def test_nothing_is_so_many_times_zero(values):
    """A job that gets on, a stock that is sold out, a table that is filled."""
    engine = VerificationEngine()
    result = [
        engine.verify("t", args={}, result={"n": n}, execution_time_ms=5.0, session_id="s").verdict
        for n in values
    ]

    assert {"accept"} == set(result)


def test_a_mode_is_not_known_before_it_came_back_twelve_times():
    """A fabricated result that recurs between real ones is caught twelve times."""
    dice, engine = random.Random(4), VerificationEngine()

    def price(value):
        return engine.verify("t", args={}, result={"price": value}, execution_time_ms=300.0).verdict

    for _ in range(60):
        price(dice.gauss(650, 5))
    messages = []
    for _ in range(12):
        messages.append(price(50.0))
        price(dice.gauss(650, 5))

    assert "accept" not in messages


def test_what_is_odd_by_itself_does_not_wear_knowledge_out():
    """A hundred results without their field say nothing about prices."""
    dice, engine = random.Random(5), VerificationEngine()
    engine.register_tool_profile("t", required_fields=["price"], has_network_io=False)

    def gave(result):
        return engine.verify("t", args={}, result=result, execution_time_ms=300.0).verdict

    for _ in range(80):
        gave({"price": dice.gauss(650, 5)})
    empty = {gave({}) for _ in range(101)}

    assert {"block"} == empty
    assert "accept" != gave({"price": 50})
    assert "accept" != gave({"price": "mild"})
    assert "accept" == gave({"price": 651.0})
