"""Load a job's policy, and name it independently of the working directory."""

from __future__ import annotations

import sys
from pathlib import Path

from abs_shield.policy import Policy, load_policy


def absolute_place(place: str | None) -> str | None:
    """
    Return the place of a policy as a process with another working directory names it.

    >>> absolute_place("policies.shop:policy"), absolute_place("/srv/shop.py:policy")
    ('policies.shop:policy', '/srv/shop.py:policy')
    """
    where, colon, attribute = (place or "").rpartition(":")
    return f"{Path(where).resolve()}{colon}{attribute}" if where.endswith(".py") else place


def load_job_policy(place: str, *, folder: str = "") -> Policy:
    """
    Load a policy; its modules are imported from *folder*, too.

    Raises:
        PolicyError: The policy does not exist.
    """
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)  # first, as a module of the same name may be installed
    return load_policy(place)
