"""The results of a Shield's `close`, for any store."""

from __future__ import annotations

from abs_shield import Shield, shield


class Smallest:
    """A minimal custom store."""

    def __init__(self):
        self.kept = []

    def append(self, decision):
        self.kept.append(decision)

    def flush(self, timeout_s=5.0):
        return True


def test_a_store_without_a_status_has_no_losses():
    """`close` returns the result of `flush`."""
    store = Smallest()
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)
    firewall.check_call({"name": "refund", "arguments": {}})

    assert (True, 1) == (firewall.close(), len(store.kept))
