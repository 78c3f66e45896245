"""The policy of a job, by the place that names it in every process alike."""

from __future__ import annotations

import sys
from pathlib import Path

from abs_shield.policy import Policy, load_policy


def absolute_place(place: str | None) -> str | None:
    """
    Return the place of a policy as a process names it that works in another folder.

    >>> anywhere("policies.shop:policy"), anywhere("/srv/shop.py:policy"), anywhere(None)
    ('policies.shop:policy', '/srv/shop.py:policy', None)
    """
    where, colon, attribute = (place or "").rpartition(":")
    return f"{Path(where).resolve()}{colon}{attribute}" if where.endswith(".py") else place


def load_job_policy(place: str, *, folder: str = "") -> Policy:
    """
    Load a policy; its modules are imported from *folder* as well.

    Raises:
        PolicyError: There is no such policy.
    """
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)
    return load_policy(place)
