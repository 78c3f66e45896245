"""The results of a Shield's `close`, for any store."""

from __future__ import annotations

from abs_shield import Shield, shield


class Smallest:
    """A store of the host's own that keeps decisions, and does no more than it is asked for."""

    def __init__(self):
        self.kept = []

    def append(self, decision):
        self.kept.append(decision)

    def flush(self, timeout_s=5.0):
        return True


def test_a_store_that_counts_no_losses_has_none():
    """It is flushed, and that is the answer."""
    store = Smallest()
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)
    firewall.check_call({"name": "refund", "arguments": {}})

    assert (True, 1) == (firewall.close(), len(store.kept))
