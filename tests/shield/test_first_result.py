"""The modules for results are imported with the first result, or by `firewall.verification`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.processes import run_python

PROGRAM = """
import json, sys
from abs_shield import Shield, shield, shielded

firewall = Shield(shield.configure(), hooks=None)


@shielded(firewall)
def read(number: int) -> int:
    return number


firewall.check_call({"name": "read", "arguments": {"number": 1}})
before = "abs_shield.verification" in sys.modules
firewall.verification
known = {*sys.modules}
read(1)
print(json.dumps([before, sorted({*sys.modules} - known)]))
"""


def test_the_engine_is_imported_ahead_of_the_first_result() -> None:
    """A host can import the engine at its start by reading `firewall.verification`."""
    done = run_python("-c", PROGRAM, cwd=Path(__file__).parents[2])

    assert [False, []] == json.loads(done.stdout)
