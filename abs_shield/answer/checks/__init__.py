"""Deterministic checks of a claim against the evidence."""
