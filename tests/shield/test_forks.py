"""A process that forks during its first calls: the children work."""

from __future__ import annotations

import pytest

from tests.processes import run_python
from tests.requirements import needs_fork

pytestmark = needs_fork

FIRST_CALLS = """
import faulthandler, os, signal, sys, threading, time
from abs_shield import Shield, shield, shielded
from abs_shield.core import fork_safety

fork_safety._LONGEST_WAIT_S = 600.0  # nothing is waited for that never comes
firewall = Shield(shield.configure(mode="strict"), hooks=None)

@shielded(firewall)
def refund(order_id: str, amount: float) -> dict:
    return {"order": order_id, "amount": amount}

def call():
    with firewall.session() as session:
        session.user("Refund 5 of tx_1.")
        return firewall.dispatch("refund", {"order_id": "tx_1", "amount": 5})

threads = [threading.Thread(target=call) for _ in range(4)]
for thread in threads:
    thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(40)  # says where it waits
    signal.alarm(50)
    os._exit(0 if call() == {"order": "tx_1", "amount": 5.0} else 1)
for thread in threads:
    thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("delay", [0, 0.003, 0.006, 0.01, 0.02, 0.05, 0.1])
def test_a_child_that_was_forked_in_a_first_call_calls_as_well(delay):
    """A thread of the parent may be importing modules that the child needs."""
    ran = run_python("-c", FIRST_CALLS, str(delay))

    assert "0\n" == ran.stdout, ran.stderr
