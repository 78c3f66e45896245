"""The short way of a call: every layer says at once that it is clean, or all of them look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abs_shield.core import RAN, Action, Coverage, Mode, Subject, Verdict
from abs_shield.core.arguments import plain_size
from abs_shield.layers import LAYERS, QUICK, Layer
from abs_shield.plan import Terms, ToolPlan
from abs_shield.policy import Policy
from abs_shield.session.record import SessionRecord

_KEPT = 512
_LONGEST_NAMES = 4_096
"""Characters of names for which something is kept; a model may write any."""
_READ_BY = frozenset({"parameter_mismatch", "impossible_state"})
"""Layers that read the arguments against the schema."""


class QuickWay:
    """
    What the layers of one policy say at once of one tool's calls; compiled once a tool.

    Attributes:
        plan: The tool for which it holds.
        decided: The fields of a `Decision` that every clean call of the tool shares.
        opened: The same while the operator's kill switch is open.
    """

    __slots__ = ("_asked", "_coverage", "_fits", "_names", "decided", "opened", "plan")

    def __init__(
        self, plan: ToolPlan, layers: Sequence[tuple[str, Layer]], policy: Policy, terms: Terms
    ) -> None:
        self.plan = plan
        self.decided = {
            "subject": Subject.CALL,
            "tool": plan.name,
            "verdict": Verdict.CLEAN,
            "action": Action.ALLOW,
            "blocked": False,
            "would_block": False,
            "mode": plan.mode,
            "policy_revision": policy.revision,
        }
        self.opened = self.decided | {"mode": Mode.AUDIT}
        names = [name for name, _ in layers]
        self._fits = None if plan.schema is None or _READ_BY.isdisjoint(names) else plan.schema.fits
        self._names: dict[tuple[str, ...], int] = {}
        said = {name: QUICK[name](plan, terms) for name in QUICK if name in names}
        self._coverage = {name: RAN for name in names} | {
            name: known for name, known in said.items() if isinstance(known, Coverage)
        }
        self._asked = tuple(
            (name, ask) for name, ask in said.items() if not isinstance(ask, Coverage)
        )

    def size(self, arguments: dict[str, Any]) -> int:
        """Give the characters of arguments that are plain scalars under names that may be there."""
        letters = self._names.get(tuple(arguments))
        return (
            self._first_size(arguments) if letters is None else plain_size(arguments, names=letters)
        )

    def _first_size(self, arguments: dict[str, Any]) -> int:
        """As `size`, and remember the names."""
        size = plain_size(arguments)
        if size < 0 or not (self.plan.schema is None or self.plan.schema.declares(arguments)):
            return -1
        letters = len("".join(arguments))
        if len(self._names) < _KEPT and letters <= _LONGEST_NAMES:
            self._names[tuple(arguments)] = letters
        return size

    def coverage(
        self, arguments: dict[str, Any], record: SessionRecord, logprob: float | None
    ) -> dict[str, Coverage] | None:
        """
        Give what became of each layer; None where one has to look.

        Args:
            arguments: Plain scalars.
            record: The record of the session it belongs to.
            logprob: Mean log-probability of the name's tokens; None where none was given.
        """
        if self._fits is not None and not self._fits(arguments):
            return None
        coverage = self._coverage.copy()
        for name, ask in self._asked:
            said = ask(arguments, record, logprob)
            if said is not RAN:
                if said is None:
                    return None
                coverage[name] = said
        return coverage


def are_quick(layers: Sequence[tuple[str, Layer]]) -> bool:
    """Whether every layer of a policy has a short way."""
    return all(name in QUICK and layer is LAYERS[name] for name, layer in layers)
