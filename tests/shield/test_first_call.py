"""The modules that judge calls are imported with the first tool, not by `Shield()` or a call."""

from __future__ import annotations

import json
from pathlib import Path

from tests.processes import run_python

CREATION = """
import json, sys
from abs_shield import Shield, shield, shielded

firewall = Shield(shield.configure(), hooks=None)
print(json.dumps(sorted(sys.modules)))
"""

FIRST_CALL = """
import json, sys
from abs_shield import Shield, shield, shielded

firewall = Shield(shield.configure(), hooks=None)


@shielded(firewall)
def refund(order_id: str) -> str:
    return order_id


known = {*sys.modules}
with firewall.session() as session:
    session.user("Please refund order ord_123.")
    decision = firewall.check_call({"name": "refund", "arguments": {"order_id": "ord_123"}})
print(json.dumps([decision.verdict, sorted({*sys.modules} - known)]))
"""

NOT_NEEDED = {
    "abs_shield.layers",
    "abs_shield.plan.compile",
    "abs_shield.plan.tool_plan",
    "abs_shield.session.provenance",
    "abs_shield.shield.evaluator",
    "abs_shield.text.dictated_values",
    "abs_shield.text.mentions",
    "abs_shield.text.normal_form",
    "abs_shield.verification",
    "jsonschema",
    "structlog",
}


def run(program: str) -> list[str]:
    """Return what a program in a new process prints as JSON."""
    done = run_python("-c", program, cwd=Path(__file__).parents[2])
    printed: list[str] = json.loads(done.stdout)
    return printed


def test_a_shield_without_tools_imports_nothing_that_judges():
    """Importing the package and creating a Shield imports no layer, plan or index of a run."""
    assert set() == {*run(CREATION)} & NOT_NEEDED


def test_the_first_call_of_a_registered_tool_imports_nothing():
    """The modules that judge calls are imported when a tool is declared; no call waits for them."""
    assert ["CLEAN", []] == run(FIRST_CALL)
