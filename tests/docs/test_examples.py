"""Every example runs without a key and a network and prints its key lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.matrix import FRAMEWORKS
from tests.processes import run_python

EXAMPLES = Path(__file__).parents[2] / "examples"
REFUSED = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("an example reaches for the network")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
"""
OFFLINE = f"""{REFUSED}
import runpy
runpy.run_path(sys.argv[1], run_name="__main__")
"""
TESTS = f"""{REFUSED}
from importlib.metadata import entry_points
import pytest
installed = "abs_shield" in {{point.name for point in entry_points(group="pytest11")}}
plugin = () if installed else ("-p", "abs_shield.testing.plugin")
options = ("-v", "-p", "no:cacheprovider", "--rootdir", ".", "-c", "/dev/null")
sys.exit(pytest.main([*options, *plugin, sys.argv[1]]))
"""

STORIES = {
    "refund_agent.py": [
        "offered: find_order, refund",
        "issue_refund blocked: no tool is named `issue_refund`; did you mean `refund`?",
        "refund       blocked: got a string",
        "refund       ran: refunded 20.00 for tx_12345",
        "2 calls ran, 2 were stopped",
    ],
    "refund_agent_async.py": [
        "offered: refund, notify",
        "t1 ran: refunded 20.00 for tx_12345",
        "t2 blocked: unknown_tool, there is notify, refund",
        "t3 ran: wrote to ann@example.com",
    ],
    "policy_with_state.py": [
        'blocked  Nobody has verified ann. Got customer="ann".',
        "ran      refunded 20.00 to ann",
        "blocked  One session refunds twice at most.",
    ],
    "test_refund_policy.py": [
        "test_a_refund_of_the_order_that_was_found_is_allowed PASSED",
        "test_a_large_refund_is_blocked[9000] PASSED",
        "test_the_tool_itself_refunds_any_sum PASSED",
        "6 passed",
    ],
    "verify_results.py": [
        "50 of 50 honest quotes accepted",
        "50.00  block   historical_inconsistency at /price",
        "651.30  accept",
        "null   block   `price` is null",
        "after a restart: block",
        "through the Shield: {'price': 650.1}",
        "withheld: `price` is missing",
        "executed: [{'price': 650.1}, None]",
    ],
    "answer_middleware.py": [
        "draft:  Returns are accepted within 30 days of delivery. A courier picks them up for",
        "told:   - unsupported: A courier picks them up for 7.50 euros.",
        "check:  revise, SUSPICIOUS; /claims/1 is unsupported",
        "check:  allow, CLEAN",
        "said:   Returns are accepted within 30 days of delivery.",
        "draft:  I have cancelled order W-1042.",
        "check:  block, HALLUCINATED; /claims/0 is contradicted",
        "said:   I cannot answer this reliably: a statement in it contradicts",
        "async: Returns are accepted within 30 days of delivery. (written again 1 time)",
    ],
    "asgi_answers.py": [
        "What does order W-1042 cost?",
        "answer: Order W-1042 costs 18.90 euros.",
        "told:   - unsupported: A drone brings it within 3 hours.",
        "answer: I cannot answer this reliably: a statement in it contradicts",
    ],
    "quality_middleware.py": [
        "summary: 200 Acme closed Q4 2025 with revenue of $50M.",
        "wrong: 422 The output was held back",
        "Hallucination detected (score: 61.5%, threshold: 1%)",
        "contact: 422 The output was held back",
        "Entities: IBAN (1)",
        "output block: ENTITY_MISMATCH",
    ],
    "flywheel_end_to_end.py": [
        "production: 60 of 180 outputs caught",
        "gap: Entity mismatch: market cap",
        "mutated: 50 examples",
        "leakage: 170 training texts, 240 evaluation cases",
        "leaks: none",
        "target: 0.0% ->",
        "promote: target is better",
        "promoted: version 1, gap fixed",
        "drift: 33.3%",
        "second candidate: version 2 is rejected: regression: capitals is worse",
        "rolled back: a client prefers values in billions; gap open",
        "in use: answers",
    ],
    "audit_rollout.py": [
        "6 calls, 0 stopped; strict would stop:",
        "impossible_state     refund         1",
        "phantom_tool         issue_refund   1",
        "With phantom_tool strict:",
        "stopped: call of `issue_refund` is HALLUCINATED",
        "6 calls, 2 stopped",
    ],
    "audit_mode.py": [
        "transferred -500.0 to bob",
        "would_block transfer impossible_state: A transfer moves a sum above 0.",
        "would_block transfer parameter_mismatch: got a string",
        "3 calls ran",
    ],
}


def test_every_example_has_key_lines() -> None:
    """Each example is in the table, except those of frameworks, which have their own tests."""

    named = {path.name for path in EXAMPLES.glob("*.py")}
    assert sorted(STORIES) == sorted(named - {f"{name}_agent.py" for name in FRAMEWORKS})


FIRST = ("refund_agent.py", "answer_middleware.py")
"""The examples that the README names first; the processes of the others are slow."""

LONGEST = ("flywheel_end_to_end.py",)
"""Takes eight seconds."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    """Return the marks of an example."""
    slow = [] if name in FIRST else [pytest.mark.slow]
    return [*slow, pytest.mark.release] if name in LONGEST else slow


@pytest.mark.parametrize("name", [pytest.param(n, marks=marks(n)) for n in STORIES])
def test_an_example_prints_its_key_lines(name: str, tmp_path: Path) -> None:
    """The key lines are printed in order; no file is written and nothing is warned of."""
    path = str(EXAMPLES / name)
    ran = run_python(
        "-W",
        "error",
        "-c",
        TESTS if name.startswith("test_") else OFFLINE,
        path,
        check=False,
        timeout=300,
        cwd=tmp_path,
    )
    places = [ran.stdout.find(line) for line in STORIES[name]]

    assert (ran.returncode, ran.stderr, list(tmp_path.iterdir())) == (0, "", [])
    assert places == sorted(places)
    assert -1 not in places
