"""Budget of model calls and characters for one run."""

from __future__ import annotations

from threading import Lock

from abs_shield.core.forked import renewed
from abs_shield.errors import PolicyError
from abs_shield.text.show import shown


class Budget:
    """
    Limits of one run, with the amounts spent; safe to share between threads.

    Args:
        calls: Calls of the model, second tries included; at least 0.
        characters: Characters sent and received together (a token is about four); at least 0.

    Raises:
        PolicyError: A limit is not a whole number, or is below zero.
    """

    def __init__(self, *, calls: int = 20, characters: int = 1_000_000) -> None:
        for name, limit in (("calls", calls), ("characters", characters)):
            if type(limit) is not int or limit < 0:
                raise PolicyError(f"budget: `{name}` is {shown(limit)}; give a whole number from 0")
        self.calls = calls
        self.characters = characters
        self.calls_spent = 0
        self.characters_spent = 0
        # a lock is not usable in a forked child if another thread of the parent held it
        self._lock = renewed(Lock())

    def fresh(self) -> Budget:
        """Return an unspent budget with the same limits."""
        return Budget(calls=self.calls, characters=self.characters)

    def take(self, characters: int) -> str:
        """
        Count one call that sends *characters*; return the reason if the budget is spent.

        Args:
            characters: The length of the messages.
        """
        # counted before the call, so that concurrent calls cannot exceed the limit together
        with self._lock:
            if self.calls_spent >= self.calls:
                return f"the budget of {self.calls} calls is spent"
            if self.characters_spent + characters > self.characters:
                return f"the budget of {self.characters} characters is spent"
            self.calls_spent += 1
            self.characters_spent += characters
        return ""

    def add(self, characters: int) -> None:
        """
        Count the characters of a reply.

        Args:
            characters: The length of the reply.
        """
        # after the call, as its length is unknown before: one reply may exceed the budget
        with self._lock:
            self.characters_spent += characters
