"""How a model is asked: one protocol, its replies checked against a schema, never trusted."""

from __future__ import annotations
