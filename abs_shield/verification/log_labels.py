"""Application of operators' labels in a decision log to an engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import time
from typing import Any
from warnings import warn

from abs_shield.core import Subject
from abs_shield.core.label import Truth
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.stores.record_bodies import Skipped, labelled_decisions
from abs_shield.verification.tool_settings import ResultLabel
from abs_shield.verification.verification_engine import VerificationEngine


@dataclass(slots=True)
class AppliedLabels:
    """
    Counts of the labels applied to an engine.

    Attributes:
        new: Labels that the engine learnt from, by tool.
        already_applied: Labels that it had before.
        unscored: Labels on results without a P(hallucination), which are skipped.
    """

    new: Counter[str] = field(default_factory=Counter)
    already_applied: int = 0
    unscored: int = 0

    @property
    def known(self) -> int:
        """Deprecated: `already_applied`."""
        warn("`AppliedLabels.known` is now `already_applied`", DeprecationWarning, stacklevel=2)
        return self.already_applied


def apply_labels(
    engine: VerificationEngine, store: Any, *, skipped: Skipped | None = None
) -> AppliedLabels:
    """
    Apply the labels on results of a decision log to an engine, each once.

    A label moves the block threshold and the prior of its tool like `record_feedback`, with the
    P(hallucination) of its decision; a label ``ok`` on a quarantined result releases it. Labels
    that the engine has are skipped, so that a log may be applied repeatedly; a changed label
    replaces the earlier one, with the same effect as learning the whole log from the start.

    Args:
        engine: The engine, such as a Shield's ``verification``.
        store: The decision log.
        skipped: Called with each record of it that cannot be read; None raises then.

    Raises:
        StoreError: The log or a record cannot be read.
    """
    applied = AppliedLabels()
    pairs = labelled_decisions(store, Subject.RESULT, skipped=skipped)
    # In order of time, because each label moves the limits left by the previous one.
    for decision, label in sorted(pairs, key=lambda pair: (pair[1].at, pair[0].id)):
        if decision.probability is None:
            applied.unscored += 1
            continue
        tool = decision.tool[:LONGEST_NAME]
        wrong = label.truth is Truth.HALLUCINATED
        at = min(max(label.at, 0.0), time())  # another machine's clock may be ahead
        entry = ResultLabel(f"log-{decision.id}", at, decision.probability, wrong)
        if engine.apply_label(tool, entry, session_id=decision.session_id):
            applied.new[tool] += 1
        else:
            applied.already_applied += 1
    return applied
