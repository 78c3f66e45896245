"""A web dashboard of the decision log: risk heatmap, decisions, rollout and trends."""

from __future__ import annotations

from abs_shield.errors import ShieldError

try:
    from abs_shield.dashboard.dashboard_app import dashboard
except ImportError as error:
    # any other missing module is an error of the installation, which must be seen
    if error.name not in ("starlette", "jinja2", "itsdangerous"):
        raise
    raise ShieldError(
        'the dashboard needs Starlette and Jinja2; run `pip install "abs-shield[dashboard]"`'
    ) from None

__all__ = ["dashboard"]
